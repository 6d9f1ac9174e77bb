"""What holds under every law: free fall, weight, energy, odd numbers of contacts, masses and friction, bad numbers."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import surefoot as sf
from tests.contact.scenes import ball, block, compiled
from tests.kernels.convex_oracle import solve_convex
from tests.kernels.problems import point_mass
from tests.laws.every_law import LAWS, laws, violation, with_friction
from tests.test_answer import plates

DT = 1e-3
G = 9.81
RIGID = tuple(name for name in LAWS if name not in ("compliant", "soft", "soft critical"))


# Known answers


@laws()
def test_in_the_air_nothing_pushes(law):
    scene = ball(above=1.0)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 2.0, 3.0, 0, 0, 4.0]), dt=DT, law=law)
    assert answer.status is sf.Status.SOLVED
    assert answer.forces.shape == (0, 3)
    assert answer.velocity == pytest.approx([1.0, 2.0, 3.0 - G * DT, 0, 0, 4.0], abs=1e-12)


@laws()
@pytest.mark.parametrize("mass", [1e-6, 1e-3, 1e3, 1e6])
def test_the_ground_comes_to_carry_the_weight_of_any_mass(law, mass):
    """Springs as stiff for their mass as those of a block of 1 kg."""
    if law.name == "compliant":
        law = sf.Compliant(stiffness=2e4 * mass, damping=200.0 * mass)
    scene = block(mass=mass)
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.home(), duration=0.5)
    assert trace.ok, trace.message
    answer = trace.replay(len(trace) - 1)
    assert answer.ground_force == pytest.approx([0, 0, mass * G], rel=1e-6, abs=1e-6 * mass * G)
    assert violation(answer) <= 2e-9


@laws(*RIGID)
@pytest.mark.parametrize("masses", [(1e4, 1e-2), (1e-2, 1e4)], ids=str)
def test_a_stack_of_unequal_masses_stands(law, masses):
    boxes = [
        sf.Box(size=(0.1,) * 3, mass=mass, position=(0, 0, 0.05 + 0.1 * k), name=f"box{k}")
        for k, mass in enumerate(masses)
    ]
    stack = sf.scene(terrain=sf.Plane(mu=0.5), objects=boxes)
    answer = sf.forward_dynamics(stack, stack.home(), dt=DT, law=law)
    assert answer.ok
    assert answer.ground_force == pytest.approx([0, 0, G * sum(masses)], rel=1e-6, abs=1e-6 * sum(masses))
    assert np.abs(answer.velocity).max() < 1e-6


@laws(*(name for name in LAWS if name not in ("no slip", "held")))
def test_without_friction_nothing_brakes(law):
    law = with_friction(law, 0.0)
    scene = block()
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, -0.5, 0, 0, 0, 0]), dt=DT, law=law)
    assert answer.ok
    assert answer.velocity[:2] == pytest.approx([1.0, -0.5], abs=1e-12)
    assert not answer.forces[:, 1:].any()


@laws(*RIGID)
def test_infinite_friction_makes_a_sliding_ball_roll_at_once(law):
    """Angular momentum about the contact is kept: v+ = 5/7 v, omega = v+ / r."""
    scene = ball(radius=0.1)
    answer = sf.forward_dynamics(
        scene, scene.state(v=[1.0, 0, 0, 0, 0, 0]), dt=DT, law=with_friction(law, np.inf), throw=False
    )
    assert answer.status is sf.Status.SOLVED
    assert answer.velocity[[0, 4]] == pytest.approx([5 / 7, 5 / 7 / 0.1])


@laws(*(name for name in LAWS if name not in ("no slip", "held")))
@pytest.mark.parametrize("mu", [1e-6, 10.0, 1e3, 1e6])
def test_a_moving_robot_obeys_the_law_at_any_friction(links, law, mu):
    """By residuals computed anew, not by those that the solver measures on its own scale."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        state = links.state(v=0.3 * rng.standard_normal(18))
        answer = sf.forward_dynamics(links, state, rng.standard_normal(12), dt=DT, law=with_friction(law, mu))
        assert violation(answer) <= 2e-9


# Demands that cannot be met


@laws(*RIGID)
def test_plates_that_close_on_a_ball_are_refused_by_name_and_the_nearest_demand_is_offered(law):
    scene = plates()
    closing = {"left": 0.1, "right": 0.1}
    blamed = r"\(at left on ball, right on ball, motion of left, motion of right\)"
    with pytest.raises(sf.SolveError, match=rf"^made, {law.name} law: infeasible: .* {blamed}"):
        sf.solve(scene, scene.home(), dt=DT, velocity=closing, law=law)
    near = sf.solve(scene, scene.home(), dt=DT, velocity=closing, law=law, on_inconsistent="nearest")
    assert near.ok
    assert near.adjusted == pytest.approx([-0.1, -0.1], abs=1e-9)


# Redundant contacts


@laws()
def test_copies_of_a_contact_share_its_load(links, law):
    """One point or five in the same place: the same motion and ground force under all laws but soft ones."""
    home = links.home()
    points = sf.inverse_dynamics(links, home, np.zeros(12), dt=DT).contacts.points
    feet = [foot.body for foot in links.feet]
    answers = []
    for copies in (1, 5):
        given = sf.Contacts.from_points(links, home, np.tile(points, (copies, 1)), feet * copies, mu=0.7)
        answers.append(sf.inverse_dynamics(links, home, np.zeros(12), dt=DT, law=law, contacts=given))
    one, many = answers
    assert many.ok
    assert violation(many) <= 2e-9
    assert np.isfinite(many.forces).all()
    if law.name not in ("compliant", "soft"):  # whose copies are stiffer together
        assert many.velocity == pytest.approx(one.velocity, abs=1e-9)
        assert many.ground_force == pytest.approx(one.ground_force, abs=1e-5)


# Energy


@laws()
@settings(max_examples=25)
@given(v=st.tuples(*[st.floats(-2, 2)] * 6), mu=st.sampled_from([0.0, 0.3, 1.0, np.inf]))
def test_contact_never_adds_energy(law, v, mu):
    """f'c+ <= 0 under every law where nothing is pressed in, so without gravity kinetic energy does not grow.

    A cube of side 0.2 m: no gyroscopic forces, m s^2 / 6 about every axis.
    """
    scene = compiled(
        """<geom name="ground" type="plane" size="0 0 1"/><body name="box" pos="0 0 0.1"><freejoint/>
        <geom name="box" type="box" size="0.1 0.1 0.1" mass="1"/></body>""",
        '<option gravity="0 0 0"/>',
    )
    speed = np.array(v)
    answer = sf.forward_dynamics(scene, scene.state(v=speed), dt=DT, law=with_friction(law, mu), throw=False)
    assert answer.ok
    inertia = np.array([1.0] * 3 + [0.2**2 / 6] * 3)
    assert inertia @ answer.velocity**2 <= (inertia @ speed**2) * (1 + 1e-9) + 1e-15


# Oracles


def test_no_slip_of_loaded_feet_is_a_quadratic_programme(links):
    """Where all feet carry load, release has nothing to release: DAQP's held optimum is the answer of both forms."""
    rng = np.random.default_rng(4)
    loaded = 0
    for _ in range(20):
        state = links.state(v=0.02 * rng.normal(size=18))
        torque = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT).torque + 0.05 * rng.normal(size=12)
        held = sf.forward_dynamics(links, state, torque, dt=DT, law=sf.NoSlip(release=False))
        free = sf.forward_dynamics(links, state, torque, dt=DT, law=sf.NoSlip())
        p = held._problem
        names = ("W", "c0", "offset", "kind", "mu", "bound")
        problem = point_mass([0, 0, 0])._replace(**{name: p[name] for name in names}, dissipative=True)
        wanted = solve_convex(problem)
        assert wanted.feasible
        assert np.linalg.norm(p["W"].T @ p["f"] - wanted.u) <= 1e-8 * wanted.size
        if (held.forces[:, 0] > 1e-3).all():
            loaded += 1
            assert np.linalg.norm(p["W"].T @ free._problem["f"] - wanted.u) <= 1e-8 * wanted.size
    assert loaded >= 5


@pytest.mark.parametrize(("stiffness", "damping"), [(1e3, 0.0), (1e4, 20.0)])
def test_a_ball_on_a_spring_tends_to_scipys_solution_as_steps_shrink(stiffness, damping):
    """m z'' = -m g + max(0, -k z - d z') by an adaptive method of order 8, while it sinks in; ours is of order 1."""

    def motion(t, x):
        push = max(0.0, -stiffness * x[0] - damping * x[1]) if x[0] < 0 else 0.0
        return [x[1], -G + push]

    wanted = solve_ivp(motion, (0.0, 0.02), [0.0, -0.5], method="DOP853", rtol=1e-10, atol=1e-12, max_step=1e-4)
    scene = ball()
    misses = []
    for dt in (2e-4, 1e-4):
        simulator = sf.Simulator(scene, dt=dt, law=sf.Compliant(stiffness, damping))
        trace = simulator.rollout(scene.state(v=[0, 0, -0.5, 0, 0, 0]), duration=0.02)
        misses.append(abs(trace.q[-1, 2] - 0.1 - wanted.y[0, -1]))
    assert misses[1] < 1e-4
    assert misses[1] == pytest.approx(misses[0] / 2, rel=0.1)


# What is not a number


@laws()
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_torques_and_demands_that_are_no_numbers_are_refused_in_these_words(links, law, bad):
    home = links.home()
    wrong = np.zeros(12)
    wrong[3] = bad
    with pytest.raises(sf.InputError, match=f"^torque: expected finite numbers, got {bad} at index 3$"):
        sf.forward_dynamics(links, home, wrong, dt=DT, law=law)
    with pytest.raises(sf.InputError, match=f"^acceleration: expected finite numbers, got {bad} at index 3$"):
        sf.inverse_dynamics(links, home, wrong, dt=DT, law=law)
    v = np.zeros(18)
    v[7] = bad
    with pytest.raises(sf.InputError, match=f"^velocity_next: expected finite numbers, got {bad} at index 7$"):
        sf.inverse_dynamics(links, home, velocity_next=v, dt=DT, law=law)


@laws()
def test_no_nan_leaves_a_law_however_large_what_comes_in(links, law):
    rng = np.random.default_rng(0)
    for power in (3, 6, 9, 11, 100, 300):
        torque = 10.0**power * rng.normal(size=12)
        answers = [
            sf.forward_dynamics(links, links.home(), torque, dt=DT, law=law, throw=False),
            sf.inverse_dynamics(links, links.home(), torque, dt=DT, law=law, throw=False),
        ]
        controller = sf.InverseDynamics(links, DT, law)
        assert np.isfinite(controller(links.home(), torque)).all()
        for answer in answers:
            if answer.ok:
                for values in (answer.velocity, answer.torque, answer.forces, answer.moments):
                    assert np.isfinite(values).all()
            if power >= 100:
                assert answer.status is sf.Status.NOT_FINITE


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: sf.NoSlip(release=2), "release: expected True or False, got 2"),
        (lambda: sf.NoSlip(release="no"), "release: expected True or False, got 'no'"),
        (lambda: sf.Dissipative(offset="no"), "offset: expected True or False, got 'no'"),
        (lambda: sf.Coulomb(select="all"), "select: expected one of None, 'nearest', got 'all'"),
        (
            lambda: sf.Coulomb(select="nearest", smooth=True),
            "select: expected None beside smooth, which leaves nothing to select, got 'nearest'",
        ),
    ],
)
def test_choices_that_are_none_are_refused_in_these_words(make, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        make()
