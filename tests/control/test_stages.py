"""The stages that come with Surefoot, one by one."""

import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import (
    ActuatorLimits,
    Command,
    Delay,
    Follow,
    GaitPlanner,
    Hold,
    InverseKinematics,
    JointPID,
    Pipeline,
    Stage,
    Value,
)
from surefoot.gait import Gait, Legs, Planner

DT = 1e-3


def give(torque):
    """A stage that adds torque(t) to each joint."""

    def add(board, t):
        board["torque"] = np.broadcast_to(torque(t), (12,))

    return Stage("give", "control", adds=("torque",), function=add)


def run(pipeline, ticks, v=None):
    home = pipeline.robot.home()
    return [pipeline(home.replace(t=float(k), v=home.v if v is None else v)) for k in range(ticks)]


# Command, Hold


def test_command(links):
    pipeline = Pipeline(links, DT, [Command(0.3, turn=-0.5)])
    run(pipeline, 1)
    assert pipeline.value("command").tolist() == [0.3, 0.0, -0.5]


def test_hold_is_home_but_for_the_joints_named(links):
    pipeline = Pipeline(links, DT, [Hold(links, {links.joints[2]: 0.7})])
    run(pipeline, 1)
    wanted = links.home().q[links.joint_positions]
    wanted[2] = 0.7
    assert np.array_equal(pipeline.value("joint_position"), wanted)
    assert not pipeline.value("joint_velocity").any()
    assert not pipeline.value("joint_acceleration").any()


# JointPID


def test_gains_by_name_and_the_integral(links):
    joint = links.joints[4]
    goal = {joint: float(links.home().q[links.joint_positions[4]]) + 0.5}
    pipeline = Pipeline(links, DT, [Hold(links, goal), JointPID(links, kp={joint: 2.0}, kd=0.0, ki={joint: 3.0})])
    for k, torque in enumerate(run(pipeline, 4)):
        assert torque[4] == pytest.approx(0.5 * 2.0 + k * 0.5 * 3.0, rel=1e-14)
        assert not np.delete(torque, 4).any()


# ActuatorLimits


def test_the_torque_falls_with_speed(links):
    speeds = np.array([0.0, 5.0, -5.0, 10.0, -12.0, 2.5, 0.0, 5.0, -5.0, 10.0, -12.0, 2.5])
    wanted = np.array([9.0] * 6 + [-9.0] * 6)
    stages = [give(lambda t: wanted), ActuatorLimits(links, torque_limits=4.0, speed_limits=10.0)]
    torque = run(Pipeline(links, DT, stages), 1, v=np.r_[np.zeros(6), speeds])[0]
    assert torque.tolist() == [4.0, 2.0, 2.0, 0.0, 0.0, 3.0, -4.0, -2.0, -2.0, 0.0, 0.0, -3.0]


def test_what_is_within_the_limits_stays(links):
    stages = [give(lambda t: 1.25), ActuatorLimits(links, torque_limits=4.0, speed_limits={links.joints[0]: 10.0})]
    torque = run(Pipeline(links, DT, stages), 1, v=np.full(18, 9.0))[0]
    assert torque[0] == pytest.approx(0.4, rel=1e-14)
    assert (torque[1:] == 1.25).all()


def test_no_limit_is_no_limit_and_nan_is_not_hidden(links):
    free = Pipeline(links, DT, [give(lambda t: 1e9), ActuatorLimits(links, np.inf, 1.0)])
    assert (run(free, 1, v=np.full(18, 5.0))[0] == 1e9).all()
    lost = Pipeline(links, DT, [give(lambda t: np.nan), ActuatorLimits(links, 2.0)])
    assert np.isnan(run(lost, 1)[0]).all()


def test_the_limits_of_the_file_are_taken():
    robot = sf.load("arm")
    limits = robot.torque_limits
    push = Stage("push", "control", adds=("torque",), function=lambda board, t: board["torque"].fill(1e6))
    torque = Pipeline(robot, DT, [push, ActuatorLimits(robot)])(robot.home())
    assert np.array_equal(torque, np.minimum(1e6, limits[:, 1]))


def test_low_and_high_may_differ(links):
    limits = np.tile([-1.0, 3.0], (12, 1))
    for sign, wanted in ((9.0, 3.0), (-9.0, -1.0)):
        stages = [give(lambda t, sign=sign: sign), ActuatorLimits(links, limits)]
        assert (run(Pipeline(links, DT, stages), 1)[0] == wanted).all()


# Delay


@pytest.mark.parametrize("ticks", [0, 1, 3])
def test_delay_gives_what_was_before(links, ticks):
    torques = run(Pipeline(links, DT, [give(lambda t: 1.0 + t), Delay(links, ticks)]), 8)
    assert [torque[0] for torque in torques] == [1.0 + max(0, k - ticks) for k in range(8)]


def test_a_late_sensor(links):
    def read(board, t):
        board["torque"] = board["q"][:12]

    stages = [Delay(links, 2, "q"), Stage("read", "control", reads=("q",), adds=("torque",), function=read)]
    pipeline, home = Pipeline(links, DT, stages), links.home()
    assert [stage.phase for stage in pipeline.stages] == ["perception", "control"]
    assert pipeline.stages[0].name == "delay_q"
    heights = [pipeline(home.replace(t=float(k), q=home.q + k * (np.arange(19) == 2)))[2] for k in range(5)]
    assert np.subtract(heights, home.q[2]).round(12).tolist() == [0.0, 0.0, 0.0, 1.0, 2.0]


def test_a_slow_delay_counts_its_own_runs(links):
    torques = run(Pipeline(links, DT, [give(lambda t: t), Delay(links, 1, every=3)]), 10)
    assert [torque[0] for torque in torques] == [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 6.0]


# Follow


def test_follow_gives_the_torques_of_the_controller(links):
    law = sf.Coulomb(mu=0.7)
    pipeline = Pipeline(
        links, DT, [Hold(links), JointPID(links, 400.0, 40.0, output="acceleration"), Follow(links, DT, law)]
    )
    plain, home = sf.InverseDynamics(links, DT, law), links.home()
    start = home.replace(v=np.r_[0.1, 0.05, np.zeros(16)])
    trace = sf.Simulator(links, DT).rollout(start, pipeline.policy(), 0.05)
    assert trace.ok
    for k in range(len(trace)):
        state = trace.state(k)
        wanted = 400.0 * (home.q[7:] - state.q[7:]) - 40.0 * state.v[6:]
        np.testing.assert_allclose(trace.torque[k], plain(state, wanted), atol=1e-9)


def test_without_an_answer_the_last_torques_stay_and_the_status_says_so(links):
    def demand(board, t):
        board["acceleration"] = np.zeros(12) if t < 1.0 else np.full(12, np.nan)

    stages = [Stage("demand", "control", adds=("acceleration",), function=demand), Follow(links, DT)]
    first, second = run(pipeline := Pipeline(links, DT, stages), 2)
    assert np.abs(first).max() > 0.1
    assert np.array_equal(first, second)
    assert sf.Status.from_code(int(pipeline.value("follow_status"))) is sf.Status.NOT_FINITE


def test_the_controller_lives_as_long_as_the_policy(links):
    import gc

    def policy():
        stages = [Hold(links), JointPID(links, 100.0, 20.0, output="acceleration"), Follow(links, DT)]
        return Pipeline(links, DT, stages).policy()

    made = policy()
    gc.collect()
    junk = [np.ones(100_000) for _ in range(20)]
    assert sf.Simulator(links, DT).rollout(links.home(), made, 0.05).ok
    assert len(junk) == 20


# Error texts


MISTAKES = [
    (lambda robot: Command(ramp=-1.0), "ramp: expected a number of at least 0, got -1"),
    (lambda robot: Command("fast"), "forward: expected a finite number, got 'fast'"),
    (lambda robot: Hold(None), "robot: expected a robot or scene (see sf.load), got NoneType"),
    (lambda robot: Hold(robot, np.zeros(3)), "position: expected shape (12,), got (3,)"),
    (lambda robot: JointPID(robot, kp=-1.0, kd=0.0), "kp: expected a number of at least 0, got -1"),
    (
        lambda robot: JointPID(robot, 1.0, 0.0, output="force"),
        "output: expected one of 'torque', 'acceleration', got 'force'",
    ),
    (lambda robot: ActuatorLimits(robot, -1.0), "torque_limits: expected a number of at least 0, got -1"),
    (lambda robot: ActuatorLimits(robot, 1.0, 0.0), "speed_limits: expected a number above 0, got 0"),
    (
        lambda robot: ActuatorLimits(robot, 1.0, {robot.joints[0]: -2.0}),
        "speed_limits['LF_X1']: expected a number above 0, got -2",
    ),
    (lambda robot: Delay(robot, -1), "ticks: expected a number of at least 0, got -1"),
    (lambda robot: Delay(robot, 1.5), "ticks: expected a whole number, got 1.5"),
]


@pytest.mark.parametrize(("call", "text"), MISTAKES)
def test_is_refused_in_these_words(links, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(links)


def test_delay_of_an_unknown_value(links):
    with pytest.raises(sf.InputError, match=r"^value: no value is called 'torqe'; did you mean 'torque'\?"):
        Delay(links, 1, "torqe")


def test_known_values_say_what_they_are():
    for name, known in sf.control.KNOWN.items():
        assert isinstance(known.value, Value)
        assert (known.value.name, bool(known.meaning)) == (name, True)


# Feet: their values on the blackboard are of all feet, in the robot's order


@pytest.mark.parametrize("feet", [("LF_FOOT", "RH_FOOT"), ("RF_FOOT", "LF_FOOT", "LH_FOOT", "RH_FOOT")])
def test_legs_of_other_feet_or_in_another_order_are_refused(links, feet):
    legs = Legs(links, feet)
    planner = Planner(legs, Gait((0.25,) * len(feet)), DT)
    expected = "legs: expected all feet in the robot's order (LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT), got "
    for make in (lambda: GaitPlanner(planner), lambda: InverseKinematics(legs, DT)):
        with pytest.raises(sf.InputError, match=f"^{re.escape(expected + ', '.join(feet))}$"):
            make()


def test_what_is_no_planner_and_what_are_no_legs(links):
    with pytest.raises(sf.InputError, match=r"^planner: expected a Planner \(see sf\.gait\), got Legs$"):
        GaitPlanner(Legs(links))
    with pytest.raises(sf.InputError, match=r"^legs: expected Legs \(see sf\.gait\), got NoneType$"):
        InverseKinematics(None, DT)


def test_a_stage_runs_at_the_rate_that_it_is_made_for(links):
    legs = Legs(links)
    planner, kinematics = GaitPlanner(Planner(legs, "trot", 2e-3), every=2), InverseKinematics(legs, 2e-3, every=2)
    pipeline = Pipeline(links, DT, [Command(0.1), planner, kinematics])
    text = "stages: {} is made to run every 0.002 s, but would run every {} s"
    for name, stage in (("gait_planner", planner), ("inverse_kinematics", kinematics)):
        with pytest.raises(sf.InputError, match=f"^{re.escape(text.format(repr(name), 0.001))}$"):
            pipeline.swap(name, stage.bind(every=1))
    assert pipeline.stages[1:] == (planner, kinematics)
    with pytest.raises(sf.InputError, match=f"^{re.escape(text.format(repr('gait_planner'), 0.004))}$"):
        Pipeline(links, 2e-3, pipeline.stages)
