import copy
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.control import ActuatorLimits, Delay, FeedForward, Follow, Hold, JointPID, Pipeline, Stage, Value

DT = 1e-3


def moving(robot, seed=0):
    rng = np.random.default_rng(seed)
    home = robot.home()
    q = home.q.copy()
    q[robot.joint_positions] += 0.05 * rng.standard_normal(len(robot.joints))
    return robot.state(q=q, v=0.3 * rng.standard_normal(robot.nv))


def push(name="push", torque=0.5, every=1):
    """A stage in Python that adds the same torque to each joint."""

    def add(board, t):
        board["torque"] = np.full(12, torque)

    return Stage(name, "control", adds=("torque",), every=every, function=add)


def standing(robot, *more, **options):
    return Pipeline(robot, DT, [Hold(robot), JointPID(robot, kp=30.0, kd=0.2, **options), *more])


def in_python(pipeline):
    """The same pipeline, run tick by tick from Python."""
    return lambda state: pipeline(state)


def same_bits(one, two):
    assert one.ok
    for name in ("q", "v", "torque"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes(), name


# Known answers


@pytest.mark.parametrize("ki", [0.0, 100.0])
def test_a_pid_in_a_pipeline_is_the_pid(links, ki):
    pipeline, plain = standing(links, ki=ki), sf.control.PID(links, kp=30.0, kd=0.2, ki=ki)
    for k in range(50):
        state = moving(links, k).replace(t=DT * k)
        np.testing.assert_allclose(pipeline(state), plain(state), rtol=1e-15, atol=1e-15)


def test_torques_add_up(links):
    state = moving(links)
    alone, both = standing(links)(state), standing(links, push(torque=0.5), push("more", 0.25))(state)
    assert np.array_equal(both, (alone + 0.5) + 0.25)


def test_feed_forward_and_feedback_add_up_to_what_inverse_dynamics_follows(links):
    rng = np.random.default_rng(3)
    wanted, state = rng.standard_normal(12), moving(links)

    def plan(board, t):
        board["joint_position"] = home
        board["joint_velocity"] = np.zeros(12)
        board["joint_acceleration"] = wanted

    home = links.home().q[7:]
    goals = ("joint_position", "joint_velocity", "joint_acceleration")
    pipeline = Pipeline(
        links,
        DT,
        [
            Stage("plan", "planning", writes=goals, function=plan),
            FeedForward(links),
            JointPID(links, kp=400.0, kd=40.0, output="acceleration"),
            Follow(links, DT, sf.Coulomb(mu=0.7)),
        ],
    )
    torque = pipeline(state)
    acceleration = wanted + 400.0 * (home - state.q[7:]) - 40.0 * state.v[6:]
    np.testing.assert_allclose(pipeline.value("acceleration"), acceleration, rtol=1e-13)
    answer = sf.inverse_dynamics(links, state, acceleration, dt=DT, law=sf.Coulomb(mu=0.7))
    np.testing.assert_allclose(torque, answer.torque, atol=1e-9)
    assert sf.Status.from_code(int(pipeline.value("follow_status"))) is sf.Status.SOLVED


def test_the_table_is_for_people(links):
    pipeline = Pipeline(
        links, DT, [Hold(links, every=10), push(), JointPID(links, 30.0, 0.2), ActuatorLimits(links, 2.0)]
    )
    assert pipeline.table().splitlines() == [
        "phase     stage            Hz    code      reads                                 gives",
        "planning  hold             100   compiled  -                                     "
        "joint_position, joint_velocity, joint_acceleration",
        "control   push             1000  Python    -                                     +torque",
        "control   joint_pid        1000  compiled  joint_position, joint_velocity, q, v  +torque",
        "control   actuator_limits  1000  compiled  v, torque                             torque",
    ]
    assert repr(pipeline) == "<Pipeline of links, 1 ms: hold, push, joint_pid, actuator_limits>"


# Compiled and Python


STANDARD = {
    "PD": lambda robot: standing(robot),
    "PID, slower than the loop": lambda robot: Pipeline(
        robot, DT, [Hold(robot), JointPID(robot, kp=20.0, kd=0.05, ki=20.0, every=5)]
    ),
    "limits and delay": lambda robot: standing(robot, ActuatorLimits(robot, 3.0, 20.0), Delay(robot, 2)),
    "inverse dynamics": lambda robot: Pipeline(
        robot,
        DT,
        [
            Hold(robot, every=7),
            FeedForward(robot, every=3),
            JointPID(robot, kp=400.0, kd=40.0, output="acceleration"),
            Follow(robot, DT, sf.Coulomb(mu=0.7), every=2),
            JointPID(robot, kp=1.0, kd=0.1, name="stiffness"),
        ],
    ),
}


@pytest.mark.parametrize("name", STANDARD)
def test_compiled_and_python_runs_have_the_same_bits(links, name):
    start = links.home().replace(v=np.r_[0.1, 0.05, np.zeros(16)])
    compiled = sf.Simulator(links, DT).rollout(start, STANDARD[name](links).policy(), 1.0)
    python = sf.Simulator(links, DT).rollout(start, in_python(STANDARD[name](links)), 1.0)
    same_bits(compiled, python)
    assert np.abs(compiled.torque).max() > 0.1


@pytest.mark.parametrize("name", STANDARD)
def test_every_rollout_starts_clean(links, name):
    pipeline, sim = STANDARD[name](links), sf.Simulator(links, DT)
    start = links.home().replace(v=np.r_[0.1, 0.05, np.zeros(16)])
    policy = pipeline.policy()
    first = sim.rollout(start, policy, 0.2)
    same_bits(first, sim.rollout(start, policy, 0.2))
    same_bits(first, sim.rollout(start, pipeline.policy(), 0.2))
    same_bits(first, sim.rollout(start, in_python(pipeline), 0.2))
    same_bits(first, sim.rollout(start, in_python(pipeline), 0.2))  # time runs back: a new run


@pytest.mark.parametrize("law", [sf.Coulomb(mu=0.6, smooth="change"), sf.Dissipative(mu=0.6), sf.Soft(mu=0.6)], ids=str)
def test_every_rollout_of_inverse_dynamics_starts_clean_under_any_law(links, law):
    stages = [Hold(links), JointPID(links, 100.0, 20.0, output="acceleration"), Follow(links, DT, law)]
    policy, sim = Pipeline(links, DT, stages).policy(), sf.Simulator(links, DT)
    same_bits(sim.rollout(links.home(), policy, 0.1), sim.rollout(links.home(), policy, 0.1))


def test_a_pipeline_with_a_stage_in_python_is_its_own_policy(links):
    pipeline = standing(links, push())
    pipeline(moving(links))
    policy = pipeline.policy()
    assert policy is pipeline
    assert not pipeline.value("torque").any()
    trace = sf.Simulator(links, DT).rollout(links.home(), policy, 0.05)
    assert trace.ok
    np.testing.assert_allclose(trace.torque[0], 0.5)


def test_a_pipeline_may_be_slower_than_the_simulator(links):
    sim = sf.Simulator(links, DT, control_dt=4 * DT)
    trace = sim.rollout(links.home(), Pipeline(links, 4 * DT, standing(links).stages).policy(), 0.04)
    changes = np.flatnonzero(np.any(np.diff(trace.torque, axis=0) != 0.0, axis=1)) + 1
    assert len(changes)
    assert not (changes % 4).any()


@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_copies_roll_out_to_the_same_bits(links, through):
    pipeline, sim = STANDARD["inverse dynamics"](links), sf.Simulator(links, DT)
    trace = sim.rollout(links.home(), pipeline.policy(), 0.05)
    same_bits(trace, sim.rollout(links.home(), through(pipeline).policy(), 0.05))
    same_bits(trace, sim.rollout(links.home(), through(pipeline.policy()), 0.05))


# Rates


@given(rates=st.lists(st.integers(1, 7), min_size=1, max_size=5), ticks=st.integers(1, 25))
def test_what_a_slow_stage_adds_holds(links, rates, ticks):
    def clock(s):
        def add(board, t):
            board["torque"][s] = 1.0 + t

        return Stage(f"clock {s}", "control", adds=("torque",), every=rates[s], function=add)

    pipeline, home = Pipeline(links, 1.0, [clock(s) for s in range(len(rates))]), links.home()
    for k in range(ticks):
        torque = pipeline(home.replace(t=float(k)))
        assert torque[: len(rates)].tolist() == [1.0 + k - k % every for every in rates]
        assert not torque[len(rates) :].any()


@given(rates=st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)))
def test_a_change_applies_to_what_was_written_and_never_twice(links, rates):
    x = Value("x", (), "1")

    def write(board, t):
        board["x"] = 10.0 * (1.0 + t)

    def change(board, t):
        board["x"][...] *= 2.0

    def read(board, t):
        board["torque"][0] = board["x"]

    pipeline = Pipeline(
        links,
        1.0,
        [
            Stage("write", "planning", writes=(x,), every=rates[0], function=write),
            Stage("change", "planning", reads=("x",), writes=("x",), every=rates[1], function=change),
            Stage("read", "control", reads=("x",), adds=("torque",), every=rates[2], function=read),
        ],
    )
    for k in range(12):
        at = k - k % rates[2]
        at = at - at % rates[1]
        at = at - at % rates[0]
        assert pipeline(links.home().replace(t=float(k)))[0] == 20.0 * (1.0 + at)


def test_limits_hold_for_the_sum_of_slow_and_fast(links):
    pipeline = standing(links, push(torque=9.0, every=5), ActuatorLimits(links, 1.5))
    for k in range(7):
        torque = pipeline(moving(links, k).replace(t=DT * k))
        assert np.abs(torque).max() == 1.5


# While it runs


def test_stages_come_and_go_and_the_others_keep_their_memories(links):
    touched, left = standing(links, ki=50.0, every=3), standing(links, ki=50.0, every=3)
    for k in range(20):
        state = moving(links, k).replace(t=DT * k)
        torque, plain = touched(state), left(state)
        assert np.array_equal(torque, plain + (0.5 if 4 <= k < 8 else 0.25 if 8 <= k < 12 else 0.0))
        if k == 3:
            touched.add(push(every=4))
        if k == 7:
            gone = touched.swap("push", push("shove", 0.25))
            assert gone.name == "push"
        if k == 11:
            assert touched.remove("shove").name == "shove"


def test_a_new_stage_runs_at_once_whatever_its_rate(links):
    pipeline = standing(links)
    for k in range(3):
        pipeline(links.home().replace(t=DT * k))
    pipeline.swap("hold", Hold(links, {links.joints[0]: 0.3}, every=100))
    pipeline(links.home().replace(t=3 * DT))
    assert pipeline.value("joint_position")[0] == 0.3


def test_where_a_new_stage_stands(links):
    pipeline = standing(links, ActuatorLimits(links, 2.0))
    look = Stage("look", "planning", reads=("joint_position",), function=lambda board, t: None)
    pipeline.add(look)
    pipeline.add(push(), before="actuator_limits")
    pipeline.add(push("shove"), after="look")
    assert [stage.name for stage in pipeline.stages] == [
        "hold", "look", "shove", "joint_pid", "push", "actuator_limits"
    ]  # fmt: skip


def test_a_change_that_breaks_the_wiring_changes_nothing(links):
    pipeline, other = (standing(links, ActuatorLimits(links, 2.0), ki=50.0) for _ in range(2))
    changes = [
        (
            lambda: pipeline.remove("hold"),
            "stages: 'joint_pid' reads 'joint_position', which no stage before it writes",
        ),
        (
            lambda: pipeline.add(push()),
            "stages: 'push' adds to 'torque' after 'actuator_limits' has read it; put it before",
        ),
        (lambda: pipeline.add(Hold(links)), "stages: two stages are called 'hold'; give one another name"),
        (
            lambda: pipeline.swap("hold", push()),
            "stages: 'joint_pid' reads 'joint_position', which no stage before it writes",
        ),
        (lambda: pipeline.add(3), "stages: expected Stages (see sf.control.stage), got int"),
        (
            lambda: pipeline.remove("hodl"),
            "name: no stage is called 'hodl'; did you mean 'hold'? The choices are: hold, joint_pid, actuator_limits",
        ),
        (
            lambda: pipeline.add(push(), before="joint_pit"),
            "before: no stage is called 'joint_pit'; did you mean 'joint_pid'? "
            "The choices are: hold, joint_pid, actuator_limits",
        ),
        (
            lambda: pipeline.add(push(), before="hold", after="hold"),
            "before, after: expected one of them, got 'hold' and 'hold'",
        ),
    ]
    for k, (change, text) in enumerate(changes):
        with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
            change()
        state = moving(links, k).replace(t=DT * k)
        assert np.array_equal(pipeline(state), other(state))


def test_a_change_while_a_rollout_runs(links):
    pipeline = standing(links)

    def policy(state):
        if abs(state.t - 0.02) < 1e-9:
            pipeline.swap("joint_pid", JointPID(links, kp=0.0, kd=0.0))
        return pipeline(state)

    trace = sf.Simulator(links, DT).rollout(moving(links), policy, 0.04)
    assert np.abs(trace.torque[:20]).min(axis=0).all()
    assert not trace.torque[20:].any()


def test_a_stage_may_change_the_pipeline_for_the_next_tick(links):
    def schedule(board, t):
        if t == 2.0:
            pipeline.remove("push")
            pipeline.add(push("shove", 0.25))

    scheduler = Stage("scheduler", "perception", function=schedule)
    pipeline = Pipeline(links, 1.0, [scheduler, push(every=2), push("always", 1.0)])
    torques = [pipeline(links.home().replace(t=float(k)))[0] for k in range(5)]
    assert torques == [1.5, 1.5, 1.5, 1.25, 1.25]


def test_a_policy_is_made_of_the_stages_as_they_were(links):
    pipeline, sim = standing(links), sf.Simulator(links, DT)
    policy = pipeline.policy()
    before = sim.rollout(links.home(), policy, 0.01)
    pipeline.swap("joint_pid", JointPID(links, kp=0.0, kd=0.0))
    same_bits(before, sim.rollout(links.home(), policy, 0.01))
    assert not sim.rollout(links.home(), pipeline.policy(), 0.01).torque.any()


# Reading it


def test_values_after_a_tick(links):
    pipeline, state = standing(links), moving(links).replace(t=2.5)
    torque = pipeline(state)
    for name, expected in (("time", 2.5), ("q", state.q), ("v", state.v), ("torque", torque)):
        assert np.array_equal(pipeline.value(name), expected)
    pipeline.value("torque")[:] = 7.0
    assert np.array_equal(pipeline.value("torque"), torque)
    pipeline.reset()
    assert not pipeline.value("q").any()


def test_errors_of_calls(links):
    pipeline = standing(links)
    with pytest.raises(sf.InputError, match=r"^name: no value is called 'torqe'; did you mean 'torque'\?"):
        pipeline.value("torqe")
    with pytest.raises(sf.InputError, match=r"^state: expected a State \(see robot.home\(\)\), got int$"):
        pipeline(3)
    with pytest.raises(sf.InputError, match=r"^state.q: expected shape \(19,\), got \(3,\)$"):
        pipeline(sf.State(np.zeros(3), np.zeros(18)))
    with pytest.raises(sf.InputError, match=r"^bind: the parameters of a pipeline are those of its stages; bind them,"):
        pipeline.policy().bind([1.0])


def test_a_pipeline_without_stages_gives_no_torque(links):
    pipeline = Pipeline(links, DT, [])
    assert not pipeline(links.home()).any()
    assert not sf.Simulator(links, DT).rollout(links.home(), pipeline.policy(), 0.01).torque.any()
    pipeline.add(Hold(links))
    pipeline.add(JointPID(links, 1.0, 0.0))
    assert pipeline(moving(links)).any()


def test_a_plant_that_calls_it_at_another_rate_is_refused():
    robot = sf.load("links")
    pipeline = Pipeline(robot, 2e-3, [Hold(robot), JointPID(robot, 30.0, 0.2)])
    text = (
        "policy: made to be called every 0.002 s, but this plant calls it every 0.001 s; "
        "give the plant control_dt=0.002, or build the policy for 0.001 s"
    )
    for plant in (sf.Simulator(robot, 1e-3), sf.MujocoPlant(robot, 1e-3)):
        for policy in (pipeline, pipeline.policy()):
            with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
                plant.rollout(robot.home(), policy, duration=0.01)
    assert sf.Simulator(robot, 1e-3, control_dt=2e-3).rollout(robot.home(), pipeline.policy(), duration=0.01).ok
