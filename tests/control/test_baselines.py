import numpy as np
import pytest

import surefoot as sf
from surefoot.robots.families import build
from tests.contact.scenes import inertia_and_bias

DT = 1e-3


@pytest.fixture(scope="module")
def links():
    return build("links")


@pytest.fixture(scope="module")
def arm():
    return build("arm")


def moving(robot, seed):
    """A state near home with all velocities, and joint accelerations."""
    rng = np.random.default_rng(seed)
    home = robot.home()
    q = home.q.copy()
    q[robot.joint_positions] += 0.05 * rng.standard_normal(len(robot.joints))
    return robot.state(q=q, v=0.3 * rng.standard_normal(robot.nv)), rng.standard_normal(len(robot.joints))


# PID


def test_pid_is_its_formula(links):
    state, _ = moving(links, 0)
    home = links.home().q[links.joint_positions]
    torque = sf.control.PID(links, kp=3.0, kd=0.5)(state)
    np.testing.assert_allclose(torque, 3.0 * (home - state.q[7:]) - 0.5 * state.v[6:])


def test_pid_follows_a_target_and_its_velocity(links):
    state, _ = moving(links, 1)
    target, speed = np.linspace(-1, 1, 12), np.linspace(2, 3, 12)
    torque = sf.control.PID(links, kp=np.arange(12.0), kd=2.0)(state, target, speed)
    np.testing.assert_allclose(torque, np.arange(12) * (target - state.q[7:]) + 2.0 * (speed - state.v[6:]))


def test_pid_by_names(links):
    state, _ = moving(links, 2)
    joint = links.joints[4]
    torque = sf.control.PID(links, kp={joint: 2.0}, kd=0.0)(state, {joint: state.q[11] + 0.25})
    expected = np.zeros(12)
    expected[4] = 0.5
    np.testing.assert_allclose(torque, expected)


def test_integral_counts_time_and_starts_anew_when_time_runs_back(links):
    state, _ = moving(links, 3)
    error = (links.home().q - state.q)[7:]
    controller = sf.control.PID(links, kp=0.0, kd=0.0, ki=10.0)
    assert not controller(state.replace(t=1.0)).any()
    np.testing.assert_allclose(controller(state.replace(t=1.5)), 5.0 * error)
    np.testing.assert_allclose(controller(state.replace(t=1.5)), 5.0 * error)
    np.testing.assert_allclose(controller(state.replace(t=1.75)), 7.5 * error)
    assert not controller(state.replace(t=0.0)).any()
    np.testing.assert_allclose(controller(state.replace(t=0.5)), 5.0 * error)
    controller.reset()
    assert not controller(state.replace(t=0.75)).any()


def test_pid_holds_a_robot_up_and_the_integral_takes_the_sag_away(links):
    plant, home = sf.Simulator(links, DT, sf.Coulomb(mu=0.7)), links.home()
    sags = []
    for ki in (0.0, 100.0):
        trace = plant.rollout(home, sf.control.PID(links, kp=30.0, kd=0.2, ki=ki), duration=2.0)
        assert trace.ok
        sags.append(home.q[2] - trace.q[-1, 2])
    assert 5e-4 < sags[0] < 1e-3
    assert abs(sags[1]) < 0.05 * sags[0]


# contact-free inverse dynamics


@pytest.mark.parametrize("seed", range(5))
def test_contact_free_torques_are_those_of_a_held_base(links, seed):
    """tau = M qdd + h with no acceleration of the base, on the actuated rows."""
    state, acceleration = moving(links, seed)
    M, h = inertia_and_bias(links, state)
    full = np.r_[np.zeros(6), acceleration]
    controller = sf.control.ContactFree(links, DT)
    np.testing.assert_allclose(controller(state, acceleration), (M @ full + h)[6:], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(controller.velocity, state.v + DT * full, rtol=1e-12)
    assert controller.status is sf.Status.SOLVED


@pytest.mark.parametrize("seed", range(5))
def test_a_free_base_is_flight(links, seed):
    """Far above the ground the law of contact does not matter: the same torques and the same motion of the base."""
    state, acceleration = moving(links, seed)
    up = state.replace(q=state.q + np.r_[0, 0, 5.0, np.zeros(links.nq - 3)])
    answer = sf.inverse_dynamics(links, up, acceleration, dt=DT)
    controller = sf.control.ContactFree(links, DT, base="free")
    np.testing.assert_allclose(controller(state, acceleration), answer.torque, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(controller.velocity, answer.velocity, rtol=1e-9, atol=1e-12)


def test_legs_at_rest_fall_with_the_base(links):
    assert np.abs(sf.control.ContactFree(links, DT, base="free")(links.home())).max() < 1e-12


def test_a_bolted_robot_has_no_base_to_hold(arm):
    state, acceleration = moving(arm, 0)
    held, free = (sf.control.ContactFree(arm, DT, base=base)(state, acceleration) for base in ("held", "free"))
    np.testing.assert_array_equal(held, free)
    np.testing.assert_allclose(held, sf.inverse_dynamics(arm, state, acceleration, dt=DT).torque, rtol=1e-9, atol=1e-12)


def test_contact_free_does_not_carry_the_robot(links):
    """A standing robot sinks: the legs carry themselves, nobody carries the body."""
    plant, home = sf.Simulator(links, DT, sf.Coulomb(mu=0.7)), links.home()
    blind = sf.control.ContactFree(links, DT)
    assert home.q[2] - plant.rollout(home, blind, duration=0.3).q[-1, 2] > 0.05


# inverse dynamics with sensed forces


@pytest.mark.parametrize("law", [sf.Coulomb(mu=0.7), sf.NoSlip(), sf.Dissipative(mu=0.7), sf.Soft()])
def test_true_forces_give_the_motion_of_inverse_dynamics(links, law):
    home = links.home()
    home = home.replace(q=home.q - np.r_[0, 0, 1e-4, np.zeros(links.nq - 3)])  # soft contact pushes when it is deep
    acceleration = np.linspace(-2, 2, 12) if law != sf.NoSlip() else np.zeros(12)
    answer = sf.inverse_dynamics(links, home, acceleration, dt=DT, law=law)
    assert answer.forces[:, 0].max() > 1.0
    for forces in (answer, (answer.contacts, answer.forces), answer.contact_force):
        controller = sf.control.SensedForce(links, DT)
        np.testing.assert_allclose(controller(home, acceleration, forces), answer.torque, atol=1e-9)
        np.testing.assert_allclose(controller.velocity, answer.velocity, atol=1e-12)


def test_turning_friction_is_part_of_the_generalised_force(tmp_path):
    """A ball on a column, spun: all of the moment that brakes it is torsional friction."""
    path = tmp_path / "top.xml"
    path.write_text("""
        <mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1" condim="4" friction="1 .05 0"/>
        <body name="ball" pos="0 0 .1"><freejoint/>
        <geom type="sphere" size=".1" mass="1" condim="4" friction="1 .05 0"/></body></worldbody></mujoco>""")
    robot = sf.load(path)
    v = np.array([0, 0, 0, 0, 0, 5.0])
    state = robot.state(q=[0, 0, 0.0999, 1, 0, 0, 0], v=v)
    answer = sf.forward_dynamics(robot, state, dt=DT, law=sf.Soft())
    assert abs(answer.moments[0, 0]) > 1e-3
    assert answer.contact_force[5] == pytest.approx(answer.moments[0, 0], rel=1e-9)
    assert answer.contact_force[2] == pytest.approx(answer.forces[0, 0], rel=1e-9)


def test_without_forces_the_robot_flies(links):
    state, acceleration = moving(links, 4)
    blind = sf.control.ContactFree(links, DT, base="free")(state, acceleration)
    np.testing.assert_array_equal(sf.control.SensedForce(links, DT)(state, acceleration), blind)


def test_forces_arrive_in_order_one_or_two_calls_late(links):
    state, acceleration = moving(links, 5)
    rng = np.random.default_rng(5)
    sensed = [np.r_[rng.standard_normal(6), rng.standard_normal(12)] for _ in range(4)]
    fresh = [sf.control.SensedForce(links, DT)(state, acceleration, force) for force in sensed]
    assert np.abs(np.diff(fresh, axis=0)).max(axis=1).min() > 0.1
    one, two = (sf.control.SensedForce(links, DT, delay=delay) for delay in (1, 2))
    np.testing.assert_array_equal([one(state, acceleration, force) for force in sensed], fresh)
    late = [two(state, acceleration, force) for force in sensed]
    np.testing.assert_array_equal(late, [fresh[0], fresh[0], fresh[1], fresh[2]])
    two.reset()
    np.testing.assert_array_equal(two(state, acceleration, sensed[3]), fresh[3])


def test_what_was_sensed_is_kept_as_a_copy(links):
    state, acceleration = moving(links, 6)
    force = np.ones(18)
    two = sf.control.SensedForce(links, DT, delay=2)
    first = two(state, acceleration, force)
    force[:] = 100.0
    np.testing.assert_array_equal(two(state, acceleration, force), first)


@pytest.mark.parametrize("control_dt", [DT, 4 * DT])
@pytest.mark.parametrize("delay", [1, 2])
def test_a_roll_out_is_the_loop(links, delay, control_dt):
    """The policy senses what a loop over `plant.step` is told, bit for bit; the robot sways, so forces change."""
    law = sf.Coulomb(mu=0.7)
    plant = sf.Simulator(links, DT, law, control_dt=control_dt)
    every = round(control_dt / DT)
    sway = lambda state: 30.0 * np.sin(0.04 * round(state.t / DT) + np.arange(12))  # noqa: E731
    home = links.home()
    first = sf.inverse_dynamics(links, home, sway(home), dt=DT, law=law)
    policy = sf.control.SensedForce(links, DT, delay=delay).policy(plant, sway, first=first)
    trace = plant.rollout(home, policy, duration=40 * DT)
    assert trace.ok
    loop = sf.control.SensedForce(links, DT, delay=delay)
    state, answer, torques = home, first, []
    for k in range(40):
        if k % every == 0:
            torque = loop(state, sway(state), answer)
        torques.append(torque)
        state, answer = plant.step(state, torque)
    np.testing.assert_array_equal(trace.torque, torques)
    assert np.abs(np.diff(trace.torque, axis=0)).max() > 1e-3
    again = plant.rollout(home, policy, duration=40 * DT)
    np.testing.assert_array_equal(again.torque, trace.torque)


def test_sensed_forces_let_the_robot_stand(links):
    plant, home = sf.Simulator(links, DT, sf.Coulomb(mu=0.7)), links.home()
    feedback = sf.control.PID(links, kp=400.0, kd=40.0)  # as accelerations
    first = sf.inverse_dynamics(links, home, np.zeros(12), dt=DT, law=plant.law)
    for delay in (1, 2):
        policy = sf.control.SensedForce(links, DT, delay=delay).policy(plant, feedback, first=first)
        trace = plant.rollout(home, policy, duration=0.2)
        assert trace.ok
        np.testing.assert_allclose(trace.q[-1], home.q, atol=1e-6)


# errors


def test_errors_name_the_argument(links, arm):
    home = links.home()
    sensed = sf.control.SensedForce(links, DT)
    far = sf.forward_dynamics(arm, arm.home(), dt=DT)
    for call, text in (
        (lambda: sf.control.PID("links", 1, 1), "robot: expected a robot or scene (see sf.load), got str"),
        (lambda: sf.control.PID(links, -1, 1), "kp: expected a number of at least 0, got -1"),
        (lambda: sf.control.PID(links, 1, [1.0, 2.0]), "kd: expected shape (12,), got (2,)"),
        (
            lambda: sf.control.PID(links, 1, 1, {links.joints[2]: -3.0}),
            f"ki['{links.joints[2]}']: expected a number of at least 0, got -3",
        ),
        (lambda: sf.control.PID(links, 1, 1)(home.q), "state: expected a State (see robot.home()), got ndarray"),
        (lambda: sf.control.PID(links, 1, 1)(arm.home()), f"state.q: expected shape (19,), got ({arm.nq},)"),
        (lambda: sf.control.ContactFree(links, 0.0), "dt: expected a number above 0, got 0"),
        (lambda: sf.control.ContactFree(links, DT, base="on"), "base: expected one of 'held', 'free', got 'on'"),
        (
            lambda: sf.control.ContactFree(links, DT)(home, np.zeros(3)),
            "acceleration: expected shape (12,), got (3,)",
        ),
        (
            lambda: sf.control.ContactFree(links, DT)(home, dict.fromkeys(links.joints[1:], 0.0)),
            f"acceleration: expected every actuated joint, missing {links.joints[0]}",
        ),
        (lambda: sf.control.SensedForce(links, DT, delay=3), "delay: expected one of 1, 2, got 3"),
        (lambda: sensed(home, None, np.zeros(6)), "forces: expected shape (18,), got (6,)"),
        (lambda: sensed(home, None, np.full(18, np.nan)), "forces: expected finite numbers, got nan at index 0"),
        (lambda: sensed(home, None, far), "forces: the answer's contact_force: expected shape (18,), got (11,)"),
        (
            lambda: sensed(home, None, far.contacts),
            "forces: expected an Answer, a pair (Contacts, forces (n, 3)) or a generalised force (nv,), got Contacts",
        ),
        (lambda: sensed.policy(links), "plant: expected a Simulator, got Scene"),
    ):
        with pytest.raises(sf.InputError) as caught:
            call()
        assert str(caught.value) == text


def test_a_failed_call_keeps_the_torques_and_says_why(links):
    state, acceleration = moving(links, 7)
    controller = sf.control.ContactFree(links, DT)
    before = controller(state, acceleration)
    np.testing.assert_array_equal(controller(state, np.full(12, 1e20)), before)
    assert controller.status is sf.Status.NOT_FINITE
    with pytest.raises(sf.SolveError, match=r"^links, ContactFree: "):
        controller(state, np.full(12, 1e20), throw=True)
