"""Values of a roll-out read back: what a trace must be, and what is told of one that is not."""

import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Hold, JointPID, Pipeline, stage

DT = 1e-3


@stage(phase="control", reads=("time",), adds=("torque",))
def push(t, board, where, memory, params):
    for i in range(12):
        board[where[1] + i] = 0.1 * board[where[0]]
    return 0


@stage(phase="control", reads=("time",), adds=("torque",))
def push_in_python(board, t):
    board["torque"] = np.full(12, 0.1 * t)


@stage(phase="control", adds=("torque",))
def stops(t, board, where, memory, params):
    return 7 if t > 0.0045 else 0


BOTH = pytest.mark.parametrize("how", [push, push_in_python])


def run(robot, *stages, duration=0.01, dt=DT):
    pipeline = Pipeline(robot, dt, stages)
    return pipeline, sf.Simulator(robot, dt).rollout(robot.home(), pipeline.policy(), duration=duration)


@BOTH
def test_a_name_may_come_twice(links, how):
    pipeline, trace = run(links, how)
    found = pipeline.replay(trace, "torque", "time", "torque")
    assert list(found) == ["torque", "time"]
    assert np.array_equal(found["torque"], trace.torque)
    assert np.array_equal(found["time"], trace.t[:-1])


@BOTH
@pytest.mark.parametrize("trace", [None, "walk", 5])
def test_what_is_no_trace_is_named(links, how, trace):
    text = f"trace: expected a Trace of sim.rollout, got {type(trace).__name__}"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        Pipeline(links, DT, [how]).replay(trace, "time")


@BOTH
def test_a_trace_of_another_robot_is_refused(links, how):
    """A longer q would be written over the blackboard."""
    balls = [sf.Ball(name=f"ball {k}", radius=0.1, mass=1.0, position=(1.0 + k, 0.0, 0.1)) for k in range(50)]
    crowded = sf.scene(links, objects=balls)
    trace = sf.Simulator(crowded, DT).rollout(crowded.home(), duration=DT)
    text = f"trace: expected one of {links}, got one of {crowded}"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        Pipeline(links, DT, [how]).replay(trace, "time")


@pytest.mark.parametrize("tick", [5e-4, 1.5e-3])
def test_ticks_are_whole_steps(links, tick):
    trace = sf.Simulator(links, DT).rollout(links.home(), duration=0.01)
    text = f"trace: expected a whole number of steps in a tick of {tick:g} s, got steps of 0.001 s"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        Pipeline(links, tick, [push]).replay(trace, "time")


def test_what_was_done_before_a_stage_ended_the_run(links):
    pipeline, trace = run(links, push, stops)
    assert len(trace) == 5
    assert np.array_equal(pipeline.replay(trace, "torque")["torque"], trace.torque)
    other, longer = run(links, push)
    with pytest.raises(sf.InputError, match=r"^trace: at t = 0\.005 s a stage of this pipeline gives code 7$"):
        pipeline.replay(longer, "torque")
    assert len(other.replay(longer, "time")["time"]) == 10


def test_other_plants_and_other_starts(links):
    pipeline = Pipeline(links, DT, [Hold(links), JointPID(links, 30.0, 0.2)])
    trace = sf.MujocoPlant(links, 5e-4, control_dt=DT).rollout(links.home().replace(t=5.0), pipeline.policy(), 0.0105)
    found = pipeline.replay(trace, "time", "torque")
    assert np.array_equal(found["time"], trace.t[:-1:2])
    assert np.array_equal(found["torque"], trace.torque[::2])


@BOTH
def test_joints_that_follow_a_motion_get_no_torque(links, how):
    @stage(phase="control", reads=("time",), adds=("torque",))
    def spare_legs(board, t):
        board["torque"] = np.where(np.arange(12) < 3, 0.0, 0.1 * t)

    @stage(phase="control", reads=("time",), adds=("torque",))
    def spare_legs_compiled(t, board, where, memory, params):
        for i in range(3, 12):
            board[where[1] + i] = 0.1 * board[where[0]]
        return 0

    pipeline = Pipeline(links, DT, [spare_legs_compiled if how is push else spare_legs])
    held = dict(zip(links.joints[:3], links.home().q[7:10], strict=True))
    trace = sf.Simulator(links, DT).rollout(links.home(), pipeline.policy(), duration=0.01, motion=held)
    assert np.abs(trace.torque[:, :3]).min(axis=0).max() > 0.0
    found = pipeline.replay(trace, "torque")["torque"]
    assert np.array_equal(found[:, :3], np.zeros((10, 3)))
    assert np.array_equal(found[:, 3:], trace.torque[:, 3:])
