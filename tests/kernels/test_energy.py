import numpy as np
import pytest

import surefoot as sf
from surefoot.kernels import problem as kernel
from surefoot.kernels import status
from surefoot.kernels.contact_law import law_pointer, make_solver
from surefoot.kernels.energy import solve_energy_law
from surefoot.kernels.fallback import PIVOTS
from surefoot.kernels.plant import BOX, CONE
from surefoot.solvers.contact_problem import edge_directions
from surefoot.solvers.contact_samples import random_contact
from tests.contact.scenes import compiled, random_state
from tests.kernels.door import call
from tests.kernels.known import KNOWN
from tests.kernels.problems import Result, from_sample, kernels_see, point_mass
from tests.laws.conic_oracle import Block, least

DT = 1e-3
G = 9.81


def solve(problem, gradient, edges=4, members=()):
    """`members`: contacts that the last call left in the set."""
    n = len(problem.kind)
    solver, ladder = make_solver(max(n, 1), edges, problem.W.shape[1])
    solver.scratch.known[0] = len(members) > 0
    ladder.working_set.value.member[list(members)] = True
    p = kernels_see(problem, solver.scratch.g, edges)._replace(form=kernel.ENERGY)
    solver.target[: 3 * n] = gradient
    f = np.full(3 * n, np.inf)
    code, residual, by = call(law_pointer(solve_energy_law, solver), p, solver, f)
    assert by == PIVOTS
    return Result(code, residual, by, f, ladder.certificate)


def by_clarabel(problem, gradient, edges=4):
    """(value, W'f, size) of least energy: edges of the pyramids as unknowns, and a slack for each normal."""
    p, n = problem, len(problem.kind)
    places, normals = [], []
    for i in range(n):
        cone = p.kind[i] == CONE and p.mu[i] > 0
        directions = edge_directions(edges) if cone else np.zeros((1, 2))
        for direction in directions:
            place = np.zeros(3 * n)
            place[3 * i : 3 * i + 3] = [1.0, *(p.mu[i] * direction if cone else direction)]
            places.append(place)
        normals.append(np.eye(3 * n)[3 * i])
    P, N = np.array(places), np.array(normals)
    V, size = P @ p.W, np.sqrt(np.square(P @ p.W).sum(axis=1))
    size[size == 0] = 1.0
    V = V / size[:, None]
    reach = np.sqrt(np.square(N @ p.W).sum(axis=1))
    reach[reach == 0] = 1.0
    speed = max(np.abs(gradient).max(), np.abs(p.c0).max()) / np.sqrt(np.square(p.W).sum(axis=1)).max() or 1.0
    matrix = np.zeros((len(P) + n, len(P) + n))
    matrix[: len(P), : len(P)] = V @ V.T
    keep = np.hstack([(N @ p.W / reach[:, None]) @ V.T, -np.eye(n)])
    right = -(N @ p.c0 + p.offset) / reach / speed
    linear = np.r_[P @ gradient / size / speed, np.zeros(n)]
    x = least(matrix, linear, [Block(list(range(len(P) + n)), "half")], keep, right)
    u = speed * V.T @ x[: len(P)]
    return 0.5 * u @ u + speed**2 * linear[: len(P)] @ x[: len(P)], u, max(speed, np.linalg.norm(u))


# Known answers


def walking(total=11.0, leg=1.0, mu=0.5):
    """A base that runs at 0.2 m/s over a foot at rest: the leg, prescribed, goes back as fast as the base goes on."""
    return compiled(
        f"""<geom name="ground" type="plane" size="0 0 1" friction="{mu}"/>
        <body name="base" pos="0 0 0.5"><joint name="x" type="slide" axis="1 0 0"/>
          <joint name="z" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="{total - leg}" diaginertia="1 1 1"/>
          <body name="foot" pos="0 0 -0.45"><joint name="leg" type="slide" axis="1 0 0"/>
            <geom name="foot" type="sphere" size="0.05" mass="{leg}" friction="{mu}"/></body></body>""",
        joints=("leg",),
    )


@pytest.mark.parametrize(("mu", "force"), [(0.1, -30.5), (0.5, -443.2)])
def test_it_brakes_a_walking_robot_whose_foot_does_not_slip(mu, force):
    """Least of (w - mu a)^2 + (a - g dt)^2 over the push m a, w = 10/11 0.2 m/s: a = (mu w + g dt) / (1 + mu^2)."""
    scene = walking(mu=mu)
    state = scene.state(v=[0.2, 0.0, -0.2])
    answer = sf.inverse_dynamics(scene, state, [0.0], dt=DT, law=sf.Dissipative(form="energy"))
    push = (mu * 0.2 * 10 / 11 + G * DT) / (1 + mu**2)
    assert answer.forces[0, 1] == pytest.approx(-mu * 11 * push / DT, rel=1e-9)
    assert answer.forces[0, 1] == pytest.approx(force, abs=0.05)
    for law in (sf.Dissipative(), sf.Coulomb(), sf.NoSlip()):
        fair = sf.inverse_dynamics(scene, state, [0.0], dt=DT, law=law)
        assert fair.forces[0] == pytest.approx([11 * G, 0, 0], abs=1e-6)


def test_it_brakes_in_mid_air():
    """An open contact has its normal row only, but that normal pushes as soon as the body falls."""
    problem = point_mass([0, 0, -1.0], offset=5.0)
    assert solve(problem, problem.c0).f == pytest.approx([1.0, 0, 0])  # Coulomb's law: nothing, the gap is wide


@pytest.mark.parametrize("name", ["at rest", "sticks", "just sticks", "without friction", "reaches the ground"])
def test_at_rest_with_nothing_prescribed_it_stops_what_moves(name):
    problem = KNOWN[name].problem
    result = solve(problem, problem.c0)
    assert result.status == status.SOLVED
    c = (problem.W @ (problem.W.T @ result.f) + problem.c0).reshape(-1, 3)
    assert np.abs(c[:, 0]).max() <= 1e-9
    if name != "without friction":
        assert np.abs(c).max() <= 1e-9


# A quadratic programme


@pytest.mark.parametrize("edges", [4, 8])
@pytest.mark.parametrize("kind", ["forward", "inverse", "redundant", "degenerate"])
def test_motion_and_objective_are_those_of_a_quadratic_programme(kind, edges):
    for index in range(15):
        rng = np.random.default_rng([9, index])
        problem = from_sample(random_contact(rng, int(rng.integers(1, 10)), kind))
        gradient = problem.c0 + np.abs(problem.c0).max() * 0.5 * rng.normal(size=len(problem.c0))
        result = solve(problem, gradient, edges)
        assert result.status == status.SOLVED, index
        value, u, size = by_clarabel(problem, gradient, edges)
        ours = problem.W.T @ result.f
        assert 0.5 * ours @ ours + gradient @ result.f == pytest.approx(value, abs=1e-8 * size**2), index
        assert np.linalg.norm(ours - u) <= 1e-6 * size, index
        c = (problem.W @ ours + problem.c0)[::3] + problem.offset
        assert c.min() >= -1e-9 * np.abs(problem.c0).max()


@pytest.mark.parametrize("kind", ["forward", "inverse", "redundant"])
def test_where_the_set_starts_does_not_matter(kind):
    for index in range(15):
        rng = np.random.default_rng([10, index])
        problem = from_sample(random_contact(rng, int(rng.integers(8, 40)), kind))
        n = len(problem.kind)
        gradient = problem.c0 + np.abs(problem.c0).max() * 0.5 * rng.normal(size=3 * n)
        start = solve(problem, gradient, members=())
        for members in (rng.permutation(n)[: n // 2], np.arange(n)):
            other = solve(problem, gradient, members=members)
            assert other.status == start.status == status.SOLVED, index
            assert problem.W.T @ other.f == pytest.approx(problem.W.T @ start.f, abs=1e-8), index


def test_a_demand_to_a_robot_is_a_quadratic_programme():
    robot = sf.load("links")
    rng = np.random.default_rng(4)
    law = sf.Dissipative(form="energy", mu=0.5, smooth=False)
    for _ in range(10):
        state = random_state(robot, rng, reach=0.0, speed=0.2)
        p = sf.inverse_dynamics(robot, state, 5.0 * rng.normal(size=12), dt=DT, law=law)._problem
        names = ("W", "c0", "offset", "kind", "mu", "bound")
        problem = point_mass([0, 0, 0])._replace(**{name: p[name] for name in names})
        value, u, size = by_clarabel(problem, p["aim"])
        ours = p["W"].T @ p["f"]
        assert 0.5 * ours @ ours + p["aim"] @ p["f"] == pytest.approx(value, abs=1e-8 * size**2)
        assert np.linalg.norm(ours - u) <= 1e-6 * size


def test_forward_and_inverse_do_not_match():
    """Nor by a little: the largest miss of ten random cases, in m/s or rad/s; the slip form's is rounding."""
    robot = sf.load("links")
    worst = {}
    for form in ("slip", "energy"):
        rng = np.random.default_rng(5)
        law = sf.Dissipative(form=form, mu=0.6)
        worst[form] = 0.0
        for _ in range(10):
            state = random_state(robot, rng, reach=0.0, speed=0.2)
            forward = sf.forward_dynamics(robot, state, 0.5 * rng.normal(size=12), dt=DT, law=law)
            inverse = sf.inverse_dynamics(robot, state, forward.acceleration[robot.dofs], dt=DT, law=law)
            worst[form] = max(worst[form], np.abs(inverse.velocity - forward.velocity).max())
    assert worst["slip"] <= 1e-9
    assert worst["energy"] >= 0.1


# Edges


HINGE = (
    '<body name="arm"><joint name="hinge" axis="0 1 0" frictionloss="2"/>'
    '<inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.2"/></body>'
)


@pytest.mark.parametrize("torque", [1.5, 5.0])
def test_dry_joint_friction_is_part_of_every_law(torque):
    scene = compiled(HINGE, joints=("hinge",))
    law = sf.Dissipative(form="energy")
    answer = sf.forward_dynamics(scene, scene.home(), [torque], dt=DT, law=law)
    assert answer.velocity[0] == pytest.approx(DT * max(torque - 2.0, 0.0) / 0.2, abs=1e-12)
    assert answer.residuals()["joints"] <= 1e-9


@pytest.mark.parametrize("where", ["c0", "gradient"])
def test_what_is_not_finite_is_said(where):
    problem = KNOWN["at rest"].problem
    bad = np.array([np.nan, 0.0, 0.0])
    if where == "c0":
        problem = problem._replace(c0=bad)
    result = solve(problem, problem.c0 if where == "c0" else bad)
    assert result.status == status.NOT_FINITE


@pytest.mark.parametrize("push", [0.0, 1.0])
def test_contacts_at_rest_may_be_braked(push):
    """Then the velocity scale max |c0| is zero, and g gives one; without g nothing is to be done."""
    problem = point_mass([0, 0, 0], copies=2)
    result = solve(problem, np.tile([-push, 0.0, 0.0], 2))
    assert result.status == status.SOLVED
    assert 0.0 <= result.residual <= 1e-9
    assert result.f[::3].sum() == pytest.approx(push)


def test_no_blocks_and_dry_joints_alone():
    dry = KNOWN["dry friction holds"].problem
    assert (dry.kind == BOX).all()
    assert np.isfinite(solve(dry, dry.c0).f).all()


def test_too_little_room_is_said():
    problem = point_mass([0, 0, -1.0], copies=3)
    n = len(problem.kind)
    solver, _ = make_solver(1, 4, 3)
    big, _ = make_solver(n, 4, 3)
    p = kernels_see(problem, big.scratch.g)._replace(form=kernel.ENERGY)
    code, _, _ = call(law_pointer(solve_energy_law, solver), p, solver._replace(target=big.target), np.zeros(3 * n))
    assert code == status.CAPACITY


def test_infinite_friction_is_that_of_a_thousand():
    problem = KNOWN["infinite friction"].problem
    result = solve(problem, problem.c0)
    assert result.status == status.SOLVED
    assert result.f == pytest.approx([1, -7, -5], rel=0.02)
