import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels import fallback, status
from surefoot.kernels.plant import BOX, CONE, NORMAL
from surefoot.kernels.working_set import VERY_ROUGH
from surefoot.solvers.contact_samples import KINDS, contact_case, random_contact
from tests.kernels.known import KNOWN, dragged_apart, plates
from tests.kernels.problems import TOLERANCE, UP, from_sample, made, point_mass, solve, velocity, violation

# Known answers


@pytest.mark.parametrize("edges", [4, 8, 16])
@pytest.mark.parametrize("name", KNOWN)
def test_known_answers(name, edges):
    problem, f, motion = KNOWN[name]
    if name == "slides across a face" and edges > 4:  # here the face of four edges is an edge
        half = 0.5 * np.sqrt(0.5)
        f, motion = [1, -half, -half], [0, 2 - half, 2 - half]
    result = solve(problem, edges=edges)
    assert result.status == status.SOLVED
    assert result.residual <= TOLERANCE
    size = max(np.abs(problem.c0).max(), 1e-300)
    if motion is not None:
        assert np.abs(velocity(problem, result.f).ravel() - motion).max() <= 2e-9 * size
    if f is not None:
        assert np.abs(result.f - f).max() <= 1e-8 * max(np.abs(f).max(), 1e-300)


def test_a_bar_rests_on_both_points():
    assert solve(KNOWN["a bar on two points"].problem).f[::3] == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("count", [1, 9, 60])
def test_bodies_on_vertical_rails(count):
    """Contacts whose tangents nothing can move: friction has nothing to say."""
    J = np.zeros((3 * count, count))
    J[::3] = np.eye(count)
    result = solve(made(J, np.eye(count), -np.ones(count)))
    assert result.status == status.SOLVED
    assert result.f[::3] == pytest.approx(np.ones(count))


@pytest.mark.parametrize("count", [9, 60])
def test_many_bodies_side_by_side(count):
    rng = np.random.default_rng(count)
    v = rng.normal(size=(count, 3)) - [0, 0, 1]
    problem = made(np.kron(np.eye(count), UP), np.eye(3 * count), v.ravel(), mu=0.5)
    result = solve(problem)
    assert result.status == status.SOLVED
    for i in range(count):
        alone = solve(point_mass(v[i], mu=0.5))
        assert result.f[3 * i : 3 * i + 3] == pytest.approx(alone.f, abs=1e-9)


def test_between_edges_a_finer_pyramid_holds_more():
    held = [-(velocity(p, solve(p, edges=k).f)[0, 1] - 2) for p in [point_mass([2, 2, -1], mu=0.5)] for k in (4, 8, 16)]
    assert held[0] == pytest.approx(0.25)
    assert held[1] == pytest.approx(0.5 * np.sqrt(0.5))  # 45 degrees is an edge of eight
    assert held[2] == pytest.approx(0.5 * np.sqrt(0.5))


def test_plates_that_close_are_infeasible_and_both_are_blamed():
    result = solve(plates())
    assert result.status == status.INFEASIBLE
    y = result.certificate[:2]
    problem = plates()
    normals = problem.W[::3]
    assert (y > 0).all()
    assert np.abs(normals.T @ y).max() <= 1e-12 * y.max()
    assert (problem.c0[::3] + problem.offset) @ y < 0


@pytest.mark.parametrize("mu", [0.0, 0.5, np.inf])
def test_plates_that_open_are_not(mu):
    assert solve(plates(closing=-0.1, mu=mu)).status == status.SOLVED


def test_feet_dragged_apart_without_slip_are_inconsistent_and_both_are_blamed():
    result = solve(dragged_apart())
    assert result.status == status.INCONSISTENT
    assert (result.certificate[:2] > 0).all()


def test_the_same_feet_slide_under_finite_friction():
    problem = dragged_apart(mu=0.5)
    result = solve(problem)
    assert result.status == status.SOLVED
    assert violation(problem, result.f) <= TOLERANCE


def test_every_velocity_prescribed_and_nothing_approaches():
    problem = made(np.zeros((3, 1)), [[1.0]], [0.0], ground=[-0.5, 0, 0])
    problem = problem._replace(W=np.zeros((3, 0)))
    result = solve(problem)
    assert result.status in (status.SOLVED, status.INDETERMINATE)
    assert not result.f.any()


def test_every_velocity_prescribed_and_something_approaches():
    problem = made(np.zeros((6, 1)), [[1.0]], [0.0], ground=[-0.5, 0, 0, 0.5, 0, 0])
    result = solve(problem._replace(W=np.zeros((6, 0))))
    assert result.status == status.INFEASIBLE
    assert result.certificate[:2].tolist() == [0.0, 1.0]


def test_nothing_to_solve():
    empty = made(np.zeros((0, 3)), np.eye(3), [0, 0, 0])
    result = solve(empty)
    assert (result.status, result.residual) == (status.SOLVED, 0.0)


def test_who_found_it_is_said():
    assert solve(KNOWN["at rest"].problem).method == fallback.GUESS
    assert solve(plates()).method == fallback.CONVEX


# Properties


@settings(max_examples=60)
@given(
    v=st.tuples(*[st.floats(-3, 3)] * 3),
    mass=st.floats(1e-3, 1e3),
    mu=st.one_of(st.just(0.0), st.floats(0.01, 5), st.just(np.inf)),
    copies=st.integers(1, 6),
    edges=st.sampled_from([4, 8, 16]),
)
def test_a_point_mass_always_has_an_answer(v, mass, mu, copies, edges):
    problem = point_mass(v, mass=mass, mu=mu, copies=copies)
    result = solve(problem, edges=edges)
    assert result.status == status.SOLVED
    assert violation(problem, result.f, edges) <= 2 * TOLERANCE
    c = velocity(problem, result.f)[0]
    energy = 0.5 * mass * (np.sum(c**2) - np.sum(np.square(v)))
    assert energy <= 1e-9 * mass * max(np.sum(np.square(v)), 1e-12)  # contact takes energy, or leaves it


@settings(max_examples=60)
@given(factor=st.floats(-6, 6), mass=st.floats(-6, 6), index=st.integers(0, 500))
def test_units_do_not_matter(factor, mass, index):
    problem = from_sample(contact_case(7, 6 * index + index % 2, 6).problem)  # forward and inverse ones
    speed, inertia = 10.0**factor, 10.0**mass
    scaled = problem._replace(W=problem.W / np.sqrt(inertia), c0=speed * problem.c0, offset=speed * problem.offset)
    a, b = solve(problem), solve(scaled)
    assert a.status == b.status == status.SOLVED
    assert violation(scaled, b.f) <= 2 * TOLERANCE


@settings(max_examples=40)
@given(index=st.integers(0, 10_000), edges=st.sampled_from([4, 8, 16]))
def test_a_contact_that_carries_nothing_changes_nothing(index, edges):
    problem = from_sample(contact_case(8, 6 * index, 5).problem)
    far = problem._replace(
        W=np.concatenate([problem.W, problem.W[:3]]),
        c0=np.concatenate([problem.c0, problem.c0[:3]]),
        offset=np.append(problem.offset, 1e6),
        kind=np.append(problem.kind, NORMAL),
        mu=np.append(problem.mu, 0.5),
        bound=np.append(problem.bound, 0.0),
    )
    result = solve(far, edges=edges)
    assert result.status == status.SOLVED
    assert not result.f[-3:].any()
    assert violation(problem, result.f[:-3], edges) <= 2 * TOLERANCE


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    joints=st.integers(1, 5),
    contacts=st.integers(0, 4),
)
def test_dry_friction_beside_contacts(seed, joints, contacts):
    rng = np.random.default_rng(seed)
    nv = joints + 3
    A = rng.normal(size=(nv, nv))
    J = np.zeros((3 * (contacts + joints), nv))
    J[: 3 * contacts] = rng.normal(size=(3 * contacts, nv))
    for i in range(joints):
        J[3 * (contacts + i) + 1, 3 + i] = 1.0
    problem = made(
        J,
        A @ A.T + 0.1 * np.eye(nv),
        rng.normal(size=nv),
        kind=[CONE] * contacts + [BOX] * joints,
        mu=[float(rng.choice([0.0, 0.3, 1.0])) for _ in range(contacts)] + [0.0] * joints,
        bound=[0.0] * contacts + list(10.0 ** rng.uniform(-2, 1, joints)),
    )
    result = solve(problem)
    assert result.status == status.SOLVED
    assert violation(problem, result.f) <= 2 * TOLERANCE
    assert (np.abs(result.f[3 * contacts + 1 :: 3]) <= problem.bound[contacts:] * (1 + 1e-9)).all()


# Samples that are made to be hard, judged by code that shares nothing with the kernels


@pytest.mark.parametrize("kind", KINDS)
def test_samples_of_every_kind(kind):
    unsolved = []
    for index in range(40):
        rng = np.random.default_rng([11, KINDS.index(kind), index])
        sample = random_contact(rng, int(rng.integers(1, 25)), kind)
        problem = from_sample(sample)
        result = solve(problem)
        if result.status == status.SOLVED:
            assert violation(problem, result.f) <= 2 * TOLERANCE, index
            assert sample.residual(result.f) <= 1e-6, index
        elif result.status == status.INFEASIBLE:
            y = result.certificate[: sample.size]
            assert kind in ("grasp", "inverse", "redundant"), index
            assert (y >= 0).all()
            assert np.abs(problem.W[::3].T @ y).max() <= 1e-6 * y.sum()
            assert (problem.c0[::3] + problem.offset) @ y < 0
        else:
            unsolved.append(index)
    assert len(unsolved) <= (4 if kind == "grasp" else 0), unsolved


@pytest.mark.parametrize("edges", [8, 16])
def test_samples_with_more_edges(edges):
    for index in range(30):
        kind = ("forward", "inverse", "redundant")[index % 3]
        rng = np.random.default_rng([12, edges, index])
        sample = random_contact(rng, int(rng.integers(1, 13)), kind)
        result = solve(from_sample(sample), edges=edges)
        assert result.status == status.SOLVED, index
        assert sample.residual(result.f, edges) <= 1e-6, index


@pytest.mark.parametrize("kind", ["forward", "redundant", "mass_ratio", "degenerate"])
def test_samples_without_slip(kind):
    solved = 0
    for index in range(30):
        rng = np.random.default_rng([13, KINDS.index(kind), index])
        sample = random_contact(rng, int(rng.integers(1, 13)), kind)
        problem = from_sample(sample)._replace(mu=np.full(sample.size, np.inf))
        result = solve(problem)
        if result.status == status.SOLVED:
            solved += 1
            assert violation(problem, result.f) <= 2 * TOLERANCE, index
        elif (
            result.status == status.REGULARISED
        ):  # infinite friction may have no answer: very rough ground then stands for it
            rough = problem._replace(mu=np.full(sample.size, VERY_ROUGH))
            assert violation(rough, result.f) <= 1e-6, index
        else:
            assert (result.status, kind) == (status.INCONSISTENT, "redundant"), index
    assert solved >= 15


# What is not a number


@pytest.mark.parametrize(
    ("name", "where", "bad"),
    [
        ("nothing moves", "c0", np.nan),
        ("at rest", "c0", np.nan),
        ("at rest", "c0", np.inf),
        ("at rest", "c0", -np.inf),
        ("at rest", "offset", np.nan),
        ("slides along x", "c0", np.nan),
        ("slides along x", "offset", np.nan),
        ("slides along x", "mu", np.nan),
        ("a bar on two points", "c0", np.nan),
        ("a bar on two points", "offset", np.nan),
        ("a bar on two points", "W", np.nan),
        ("dry friction holds", "bound", np.nan),
    ],
)
def test_what_is_not_finite_never_leaves_as_solved(name, where, bad):
    problem = KNOWN[name].problem
    for place in range(getattr(problem, where).size):
        values = getattr(problem, where).copy()
        if where == "W" and not values[place // 3].any():
            continue  # a row that is not in use
        values.ravel()[place] = bad
        result = solve(problem._replace(**{where: values}))
        assert result.status != status.SOLVED, place


def test_an_overflow_ends():
    """In a process of its own: a loop that never ends would take the tests with it."""
    code = (
        "import numpy as np; from tests.kernels.known import KNOWN; from tests.kernels.problems import solve\n"
        "problem = KNOWN['a bar on two points'].problem\n"
        "for place in range(problem.W.size):\n"
        "    W = problem.W.copy(); W.ravel()[place] = np.inf\n"
        "    assert solve(problem._replace(W=W)).status != 0 or place // 3 in (2, 5)\n"
    )
    folder = Path(__file__).parent.parent.parent
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, timeout=120, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
