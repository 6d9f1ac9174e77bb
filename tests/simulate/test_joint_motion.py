import math
import pickle
import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from tests.simulate.motions import trotting

KINDS = "@sf.joint_motion, a function of time, or a dict by joint name"
CART = """<mujoco model="cart"><option gravity="0 0 0"/><worldbody>
  <body name="cart"><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1" mass="2" contype="0" conaffinity="0"/>
    <body name="pole"><joint name="swing" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.02" mass="1" contype="0" conaffinity="0"/></body></body>
  </worldbody><actuator><motor joint="x"/></actuator></mujoco>"""


@sf.joint_motion
def sway(t, q, v, position_out, memory, params):
    for i in range(position_out.size):
        position_out[i] = params[i] + 0.1 * math.sin(9.0 * t)
    return 0


@sf.joint_motion
def breaks(t, q, v, position_out, memory, params):
    position_out[0] = params[0]
    if t > 0.0105:
        position_out[0] = math.nan if params[1] == 0.0 else params[int(1e6)]
    return 0


@sf.joint_motion
def ends(t, q, v, position_out, memory, params):
    return 1 if t > 0.0055 else 0


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


@pytest.fixture(scope="module")
def arm():
    return sf.load("arm")


@pytest.fixture
def cart(tmp_path):
    path = tmp_path / "cart.xml"
    path.write_text(CART)
    return sf.load(path)


def home_of(robot, joints):
    return [robot.home().q[robot.joint_positions[robot.joints.index(joint)]] for joint in joints]


# Known answers.


def test_a_cart_is_pushed_as_newton_says(cart):
    sim = sf.Simulator(cart, dt=1e-3)
    trace = sim.rollout(cart.home(), motion={"x": lambda t: 0.5 * 3.0 * t * t}, duration=0.002)
    assert trace.q[1:, 0] == pytest.approx(1.5e-6 * np.array([1, 4]), abs=1e-18)
    assert trace.v[1, 0] == pytest.approx(1.5e-3)  # the mean velocity of the step: it ends where it shall
    # the pole hangs from the cart and stays behind: the cart and the pole's share of a rod, 1/4
    assert trace.torque[0, 0] == pytest.approx((2.0 + 1.0 / 4.0) * 1.5, rel=1e-2)
    assert trace.prescribed == ("x",)
    assert trace.wanted[:, 0] == pytest.approx(1.5e-6 * np.array([1, 4]), abs=1e-18)


def test_a_joint_with_too_little_torque_lags_and_catches_up(tmp_path):
    path = tmp_path / "mass.xml"
    path.write_text("""<mujoco model="mass"><option gravity="0 0 0"/><worldbody><body>
      <joint name="x" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body></worldbody></mujoco>""")
    mass = sf.load(path)
    sim = sf.Simulator(mass, dt=1e-2)
    trace = sim.rollout(mass.home(), motion={"x": lambda t: min(t, 0.5)}, torque_limits={"x": 4.0}, duration=4.0)
    assert trace.ok
    assert np.abs(trace.torque).max() == pytest.approx(4.0, abs=1e-9)
    k = np.arange(1, 31)
    x = 0.5 * 2.0 * k * (k + 1) * 1e-4  # 4 N on 2 kg, semi-implicit: still behind after 0.3 s
    assert trace.q[1:31, 0] == pytest.approx(x, abs=1e-9)
    assert trace.lag[:30, 0] == pytest.approx(0.01 * k - x, abs=1e-9)
    assert np.abs(trace.lag[-1, 0]) < 1e-6
    assert trace.torque[0, 0] == pytest.approx(4.0)
    assert np.abs(trace.torque[-1, 0]) < 1e-3


# Properties.


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 5e-2])
def test_all_joints_end_every_step_where_they_shall(robot, dt):
    home = robot.home().q[robot.joint_positions]
    trace = sf.Simulator(robot, dt=dt).rollout(robot.home(), motion=sway.bind(params=home), duration=0.5)
    assert trace.ok
    assert trace.prescribed == robot.joints
    wanted = home + 0.1 * np.sin(9.0 * trace.t[1:, None])
    assert trace.wanted == pytest.approx(wanted, abs=1e-13)
    assert np.abs(trace.q[1:, robot.joint_positions] - wanted).max() < 1e-12
    assert np.abs(trace.lag).max() < 1e-12


def test_a_function_of_time_is_the_same_motion_as_a_compiled_one(robot):
    joints = ["LF_Y3", "RH_Y2"]
    home = home_of(robot, joints)
    sim = sf.Simulator(robot, dt=1e-3, control_dt=3e-3)

    def plain(state):
        return 0.1 * math.sin(40.0 * state.t) * ~np.isin(robot.joints, joints)

    waves = {joint: lambda t, at=at: at + 0.1 * math.sin(9.0 * t) for joint, at in zip(joints, home, strict=True)}
    together = lambda t: {joint: wave(t) for joint, wave in waves.items()}  # noqa: E731
    compiled = sim.rollout(robot.home(), plain, motion=sway.bind(joints, home), duration=0.05)
    for motion in (waves, together):
        trace = sim.rollout(robot.home(), plain, motion=motion, duration=0.05)
        assert trace.q == pytest.approx(compiled.q, abs=1e-11)
        assert trace.torque == pytest.approx(compiled.torque, abs=1e-7)
        assert trace.prescribed == tuple(joints)
    everything = sim.rollout(robot.home(), motion=lambda t: robot.home().q[robot.joint_positions], duration=0.01)
    assert everything.prescribed == robot.joints
    assert np.abs(everything.v[-1]).max() < 1e-9


@pytest.mark.parametrize("dt", [1e-3, 2e-2])
def test_the_torques_found_give_the_same_motion_as_torques(robot, dt):
    trace = sf.Simulator(robot, dt=dt).rollout(robot.home(), motion=trotting(robot), duration=2.0)
    plant = sf.Simulator(robot, dt=dt)
    other = 0
    for k in range(0, len(trace), max(1, len(trace) // 100)):
        state, answer = plant.step(trace.state(k), trace.torque[k])
        assert max(answer.residuals()[name] for name in ("normal", "friction")) < 1e-9
        other += np.abs(state.v - trace.v[k + 1]).max() > 1e-9
    assert other <= 2  # with Coulomb's friction forward dynamics may have another valid motion


def test_half_of_the_joints_follow_and_the_others_feel_springs(robot):
    legs = [joint for joint in robot.joints if joint.startswith(("LF", "RH"))]
    home = home_of(robot, legs)
    places, dofs, target = robot.joint_positions, robot.dofs, robot.home().q[robot.joint_positions]
    stand = sf.inverse_dynamics(robot, robot.home(), np.zeros(12), dt=1e-3).torque

    def springs(state):
        torque = stand + 20.0 * (target - state.q[places]) - 0.06 * state.v[dofs]
        return torque * ~np.isin(robot.joints, legs)

    trace = sf.Simulator(robot, dt=1e-3).rollout(robot.home(), springs, motion=sway.bind(legs, home), duration=1.0)
    assert trace.ok
    assert np.abs(trace.lag).max() < 1e-12
    others = ~np.isin(robot.joints, legs)
    k = 500
    assert trace.torque[k, others] == pytest.approx(springs(trace.state(k))[others], abs=1e-12)
    assert np.abs(trace.q[:, places[others]] - target[others]).max() > 1e-3  # they give way
    assert np.abs(trace.torque[:, ~others]).min(axis=0).max() > 0.0


def test_limits_that_never_bind_change_nothing(robot):
    home = robot.home().q[robot.joint_positions]
    sim = sf.Simulator(robot, dt=1e-2)
    free = sim.rollout(robot.home(), motion=sway.bind(params=home), duration=0.3)
    held = sim.rollout(robot.home(), motion=sway.bind(params=home), duration=0.3, torque_limits=1e4)
    assert held.q == pytest.approx(free.q, abs=1e-3)
    assert np.abs(held.torque).max() < 1e4


def test_a_weak_knee_stays_behind_and_the_trace_says_how_far(robot):
    home = robot.home().q[robot.joint_positions]
    limits = {joint: 0.3 for joint in robot.joints if joint.endswith("Y3")}
    sim = sf.Simulator(robot, dt=5e-3)
    trace = sim.rollout(robot.home(), motion=sway.bind(params=home), duration=0.2, torque_limits=limits)
    assert trace.ok
    knees = [i for i, joint in enumerate(robot.joints) if joint in limits]
    others = [i for i in range(12) if i not in knees]
    assert np.abs(trace.torque[:, knees]).max() == pytest.approx(0.3, abs=1e-9)
    assert np.abs(trace.lag[:, knees]).max() > 0.05
    assert np.abs(trace.lag[:, others]).max() < 1e-12
    again = trace.replay(20)
    assert np.array_equal(again.velocity, trace.v[21])
    assert again.torque == pytest.approx(trace.torque[20], abs=1e-12)


def test_a_step_is_a_step_of_the_rollout(robot):
    home = robot.home().q[robot.joint_positions]
    sim = sf.Simulator(robot, dt=1e-2)
    trace = sim.rollout(robot.home(), motion=sway.bind(params=home), duration=0.1)
    other = sf.Simulator(robot, dt=1e-2)
    for k in range(10):
        state, answer = other.step(trace.state(k), motion=trace.wanted[k])
        assert np.array_equal(state.q, trace.q[k + 1])
        assert answer.torque == pytest.approx(trace.torque[k], abs=1e-12)
        assert np.array_equal(trace.replay(k).velocity, trace.v[k + 1])


def test_nothing_of_a_motion_is_left_for_the_next_rollout(robot):
    sim, fresh = (sf.Simulator(robot, dt=1e-3) for _ in range(2))
    before = fresh.rollout(robot.home(), duration=0.05)
    home = robot.home().q[robot.joint_positions]
    sim.rollout(robot.home(), motion=sway.bind(params=home), torque_limits=1.0, duration=0.02)
    after = sim.rollout(robot.home(), duration=0.05)
    assert np.array_equal(after.q, before.q)
    assert np.array_equal(after.torque, before.torque)
    sim.step(robot.home(), motion={"LF_Y2": 0.9})
    assert np.array_equal(sim.step(robot.home())[1].velocity, fresh.step(robot.home())[1].velocity)
    assert after.prescribed == ()
    assert after.lag.shape == (50, 0)


def test_a_trace_with_a_motion_can_be_pickled(robot):
    home = robot.home().q[robot.joint_positions]
    trace = sf.Simulator(robot, dt=1e-2).rollout(robot.home(), motion=sway.bind(params=home), duration=0.05)
    again = pickle.loads(pickle.dumps(trace))
    assert np.array_equal(again.lag, trace.lag)
    assert np.array_equal(again.replay(3).velocity, trace.v[4])


def test_binding_leaves_the_original_alone_and_shares_its_machine_code():
    bound = sway.bind(["a", "b"], params=[1.0, 2.0], memory=3)
    assert (bound.joints, bound.params.tolist(), bound.memory_size) == (("a", "b"), [1.0, 2.0], 3)
    assert sway.joints is None
    assert bound.__wrapper_address__() == sway.__wrapper_address__()
    out = np.zeros(1)
    assert sway(0.0, out, out, out, out, np.array([0.4])) == 0
    assert out[0] == 0.4


# What ends a roll-out.


def test_a_position_that_is_no_number_ends_it_and_is_named(arm):
    sim = sf.Simulator(arm, dt=1e-3)
    joint = arm.joints[1]
    (home,) = home_of(arm, [joint])
    plain = {joint: lambda t: home if t < 0.0105 else math.nan}
    for motion in (breaks.bind([joint], params=[home, 0.0]), plain):
        trace = sim.rollout(arm.home(), motion=motion, duration=0.1)
        assert trace.end is sf.Status.MOTION
        assert trace.message == (
            "stopped at step 10, t = 0.01 s: motion: the prescribed motion stopped the roll-out by returning a code "
            f"other than 0 or a position that is not finite: {joint} at nan"
        )
        assert np.array_equal(trace.replay().velocity, trace.v[10])


def test_a_code_ends_it(arm):
    trace = sf.Simulator(arm, dt=1e-3).rollout(arm.home(), motion=ends.bind(arm.joints[:1]), duration=0.1)
    assert (trace.end, len(trace)) == (sf.Status.MOTION, 5)
    assert trace.message.endswith("not finite")


def test_an_error_in_a_motion_is_raised(arm):
    text = r"^motion: breaks raised IndexError: index 1000000 is out of bounds .*, at t = 0.011 s$"
    motion = breaks.bind(arm.joints[:1], params=[*home_of(arm, arm.joints[:1]), 1.0])
    with pytest.raises(InputError, match=text):
        sf.Simulator(arm, dt=1e-3).rollout(arm.home(), motion=motion, duration=0.1)


# Error texts.


@pytest.mark.parametrize(
    ("motion", "text"),
    [
        ({"LF_Y9": math.sin}, "motion: no actuated joint is called 'LF_Y9'; did you mean 'LF_Y3'? The choices are: "),
        (sway.bind(["LF"]), "motion: no actuated joint is called 'LF'"),
        (lambda t: np.zeros(3), "the motion's positions: expected shape (12,), got (3,)"),
        (lambda t: "far", "the motion's positions: expected an array of numbers, got str"),
        ({"LF_Y2": "far"}, "motion['LF_Y2']: expected a finite number, got 'far'"),
        ({"LF_Y2": lambda: 0.0}, "motion['LF_Y2']: expected a function of time, got <lambda>()"),
        (3, f"motion: expected {KINDS}, got int"),
        (lambda a, b: 0.0, "motion: expected a function of time, got <lambda>(a, b)"),
        (
            lambda t: {"LF_Y2": 0.9} if t < 2e-3 else {"LF_Y3": 0.9},
            "motion: expected positions of LF_Y2 at all times, got LF_Y3 at t = 0.002 s",
        ),
    ],
)
def test_what_is_no_motion_of_this_robot(robot, motion, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}"):
        sf.Simulator(robot, dt=1e-3).rollout(robot.home(), motion=motion, duration=0.01)


def test_a_joint_without_a_motor_follows_nothing(cart):
    text = "motion: joint 'swing' is not actuated, so nothing can make it follow a motion"
    sim = sf.Simulator(cart, dt=1e-3)
    with pytest.raises(InputError, match=f"^{text}$"):
        sim.rollout(cart.home(), motion={"swing": math.sin}, duration=0.01)
    with pytest.raises(InputError, match=f"^{text}$"):
        sim.step(cart.home(), motion={"swing": 0.1})


def test_a_torque_and_a_motion_for_one_joint(robot):
    sim = sf.Simulator(robot, dt=1e-3)
    text = "joint 'LF_Y2' has both a torque and a prescribed motion; give one of them"
    with pytest.raises(InputError, match=f"^torque: {text}$"):
        sim.step(robot.home(), {"LF_Y2": 1.0}, motion={"LF_Y2": 0.8})

    @sf.policy
    def push(t, q, v, torque_out, memory, params):
        torque_out[1] = 1.0
        return 0

    for policy in (push, lambda state: np.ones(12)):
        with pytest.raises(InputError, match=f"^policy: {text}$"):
            sim.rollout(robot.home(), policy, motion={"LF_Y2": lambda t: 0.8}, duration=0.01)


def test_motions_and_policies_are_not_taken_for_each_other(robot):
    sim = sf.Simulator(robot, dt=1e-3)

    @sf.policy
    def idle(t, q, v, torque_out, memory, params):
        return 0

    with pytest.raises(InputError, match=r"^policy: sway is a motion; pass it as motion=$"):
        sim.rollout(robot.home(), sway, duration=0.01)
    with pytest.raises(InputError, match=f"^motion: idle is a policy; expected {KINDS}$"):
        sim.rollout(robot.home(), motion=idle, duration=0.01)


def test_what_cannot_be_bound_or_decorated():
    with pytest.raises(InputError, match=r"^joints: expected a list of joint names, got 'LF_Y2'$"):
        sway.bind("LF_Y2")
    with pytest.raises(InputError, match=r"^joints: 'a' is there twice$"):
        sway.bind(["a", "b", "a"])
    six = r"\(t, q, v, position_out, memory, params\)"
    with pytest.raises(InputError, match=rf"^motion: expected a function of {six}, got f\(x\)$"):

        @sf.joint_motion
        def f(x):
            return 0


def test_what_numba_cannot_compile_is_named(arm):
    @sf.joint_motion
    def odd(t, q, v, position_out, memory, params):
        return {"a": object()}

    with pytest.raises(InputError, match=r"^motion: numba cannot compile odd: "):
        sf.Simulator(arm, dt=1e-3).rollout(arm.home(), motion=odd, duration=0.01)


@pytest.mark.parametrize(
    ("state", "motion", "text"),
    [
        (None, {"LF_Y2": 0.8}, "state: expected a State (see robot.home()), got NoneType"),
        ("home", {"LF_Y9": 0.8}, "motion: no actuated joint is called 'LF_Y9'"),
        ("home", np.zeros(3), "motion: expected shape (12,), got (3,)"),
        ("home", {"LF_Y2": np.nan}, "motion['LF_Y2']: expected a finite number, got nan"),
    ],
)
def test_what_is_no_motion_of_one_step(robot, state, motion, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}"):
        sf.Simulator(robot, dt=1e-3).step(robot.home() if state else None, motion=motion)
