"""The test set `whole_body`: what all methods are asked, our answers, bars, and pushes."""

import itertools
import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from benchmarks import push, stances, whole_body
from benchmarks.harness import Absent, Method, Record, Result, measure
from benchmarks.peers import tsid
from benchmarks.sets import whole_body as whole_set
from benchmarks.summary import summarise

from surefoot.robots.state import State

pytestmark = pytest.mark.real


@pytest.mark.parametrize("name", list(stances.KINDS))
def test_feet_stay_on_the_ground_and_do_not_slip(name):
    motion = stances.sway(name, [3], 4)
    control = whole_body.controller(motion.stance)
    for state in motion.states:
        control(state)
        contacts = control.contacts
        assert int(contacts.closed.sum()) == motion.stance.points
        assert np.abs(contacts.gaps[contacts.closed]).max() < 1e-6
        assert np.abs(contacts.J[contacts.closed] @ state.v).max() < 1e-9


@pytest.mark.parametrize("name", list(stances.KINDS))
def test_states_follow_each_other_smoothly(name):
    motion = stances.sway(name, [3], 4)
    robot = motion.stance.robot
    for before, after in itertools.pairwise(motion.states):
        moved = np.zeros(robot.nv)
        mujoco.mj_differentiatePos(robot.model, moved, stances.DT, before.q, after.q)
        assert np.abs(moved - 0.5 * (before.v + after.v)).max() < 2e-2  # rad/s: feet roll a little


def test_our_methods_solve_every_robot():
    finders = [whole_body.checked, whole_body.trusting, whole_body.planned]
    result = measure(replace(whole_set.TEST_SET, finders=finders), quick=True, repeats=1)
    assert len(result.records) == len(finders) * len(whole_set.ROBOTS)
    for record in result.records:
        assert record.claimed, record
        assert record.residual < 1e-10, record


def test_a_wrong_torque_has_a_residual():
    motion = stances.sway("solo12", [3], 1)
    control = whole_body.controller(motion.stance)
    torque = control(motion.states[0]).copy()
    assert whole_body.residual(control, motion.states[0], torque) < 1e-12
    torque[3] += 0.1
    assert whole_body.residual(control, motion.states[0], torque) > 1e-3


def test_bars_compare_the_right_rows():
    times = {"surefoot": 1.0, "tsid": 4.0}
    methods = [Method(name, "none", lambda problem, setting: pytest.fail("asked")) for name in times]
    records = [
        Record(whole_set.LOOP, size, "p", name, seconds, 5, True, 0.0, laps=(seconds, seconds, 3.0 * seconds))
        for size in whole_set.ROBOTS.values()
        for name, seconds in times.items()
    ]
    rows = summarise(Result(whole_set.TEST_SET, methods, [], records))
    assert [(bar.measure(rows), bar.limit) for bar in whole_set.TEST_SET.bars] == [
        (0.25, 0.5),
        (0.25, 1.0),
        (0.25, 1.0),
        (3.0, 5.0),
    ]


def test_pinocchio_gets_the_velocity_in_the_frame_of_the_base():
    half = np.sqrt(0.5)
    state = State([1.0, 2.0, 3.0, half, 0.0, 0.0, half, 0.4], [1.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.5])  # turned left
    q, v = stances.to_pinocchio(state)
    assert q == [1.0, 2.0, 3.0, 0.0, 0.0, half, half, 0.4]
    assert v == pytest.approx([0.0, -1.0, 0.0, 0.1, 0.2, 0.3, 0.5])


@pytest.mark.parametrize("name", list(stances.KINDS))
def test_tsid_stands_as_we_do(name):
    """Joints that no contact force passes through need the same torques; of Solo12, whose feet are points, all."""
    here = stances.stance(name)
    try:
        worker = tsid.controller(tsid.interpreter(), here)
    except Absent as reason:
        pytest.skip(str(reason))
    state = stances.sway(name, [3], 20).states[-1]
    told = worker.ask({"state": stances.to_pinocchio(state)})
    timed = worker.ask({"states": [stances.to_pinocchio(state)] * 2})
    worker.close()
    assert told["solved"]
    assert timed["torque"] == pytest.approx(told["torque"])
    assert timed["residual"] < 1e-10
    ours = whole_body.controller(here)(state)
    arms = [i for i, joint in enumerate(here.robot.joints) if name == "solo12" or "arm" in joint or "elbow" in joint]
    assert np.abs(ours - told["torque"])[arms].max() < 0.02 * np.abs(told["torque"]).max()


def test_a_worker_is_told_its_robot(monkeypatch, tmp_path):
    echo = tmp_path / "echo.py"
    echo.write_text("import json, sys\nfor line in sys.stdin:\n    print(sys.argv[2], flush=True)\n")
    monkeypatch.setattr(tsid, "WORKER", echo)
    worker = tsid.controller(tsid.Path(sys.executable), stances.stance("talos"), 5.0)
    told = worker.ask({})
    worker.close()
    assert told["feet"] == ["leg_left_6_link", "leg_right_6_link"]
    assert (len(told["corners"]), len(told["joints"]), told["torque"]) == (4, 32, 5.0)


@pytest.mark.slow
def test_solo12_survives_a_push_and_not_any():
    here = stances.stance("solo12")
    control = push.ours(here)
    assert push.stands(here, control, np.array([0.0, 1.0, 0.0]))
    assert not push.stands(here, control, np.array([0.0, 9.0, 0.0]))
