"""The walking controller on foot springs: its stages, how it sags, how high it steps, that it walks."""

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Command, foot_walker
from surefoot.gait import Gait, Legs, stance

DT = 1e-3


@pytest.fixture(scope="module")
def ground():
    return sf.scene(sf.load("links-light"), terrain=sf.Plane(mu=1.0))


def test_stages(ground):
    plain = foot_walker(ground, Command(0.1))
    assert [s.name for s in plain.stages] == ["forward_kinematics", "command", "gait_planner", "foot_pd"]
    fed = foot_walker(ground, Command(0.1), feed_forward=True)
    names = ["inverse_kinematics", "feed_forward", "follow", "foot_pd"]
    assert [s.name for s in fed.stages][3:] == names
    assert fed.stages[5].controller.robot.surfaces == ()  # it knows of no ground
    assert all(stage.compiled for stage in fed.stages)


def test_its_numbers_arrive(ground):
    gait, places = Gait.named("pace", period=0.5), stance(Legs(ground), width=1.5, relative=True)
    pipeline = foot_walker(ground, Command(0.1), gait, 2e-3, places=places, kp=7.0, kd=3.0)
    planner, springs = pipeline.stages[2].planner, pipeline.stages[3]
    assert (pipeline.dt, planner.dt, planner.gait) == (2e-3, 2e-3, gait)
    assert np.array_equal(planner.places, places)
    assert np.array_equal(springs.params[5:], [7.0] * 4 + [3.0] * 4)


@pytest.mark.parametrize("kp", [1e3, 4e3])
def test_it_sags_by_its_weight_on_four_springs(ground, kp):
    """At rest only the springs carry: 37.28 N on four feet, less what the legs weigh below them."""
    trace = sf.Simulator(ground, DT).rollout(ground.home(), foot_walker(ground, Command(), kp=kp).policy(), 1.5)
    sag, weight = trace.q[0, 2] - trace.q[-1, 2], 9.81 * ground.model.body_subtreemass[1]
    assert np.abs(trace.v[-1]).max() < 1e-3
    assert 0.7 * weight / (4 * kp) < sag < weight / (4 * kp)


def test_a_foot_is_lifted_by_so_much_less(ground):
    """The plan's swing rises to 1.25 times the step height; measured are the foot's lowest points in mid-swing."""
    gait = Gait.named("walk", period=0.6, step_height=0.04)
    trace = sf.Simulator(ground, DT).rollout(ground.home(), foot_walker(ground, Command(0.05), gait).policy(), 2.4)
    model, heights = ground.model, []
    data, foot = mujoco.MjData(model), model.geom("LF_FOOT").id
    for q in trace.q[1200:]:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        heights.append(data.geom_xpos[foot, 2] - model.geom_size[foot, 0])
    sag = 9.81 * model.body_subtreemass[1] / 3e3
    assert 0.04 * 1.25 - 1.5 * sag < max(heights) < 0.04 * 1.25


@pytest.mark.parametrize("feed_forward", [False, True])
def test_it_walks_and_turns(ground, feed_forward):
    gait = Gait.named("walk", period=0.3, step_height=0.03)
    pipeline = foot_walker(ground, Command(0.2, turn=-0.5), gait, feed_forward=feed_forward)
    plant = sf.Simulator(ground, DT)
    trace = plant.rollout(ground.home(), pipeline.policy(), 2.0)
    w, x, y, z = trace.q[:, 3:7].T
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    assert trace.ok
    assert (1.0 - 2.0 * (x * x + y * y)).min() > 0.97
    assert -1.3 < yaw[-1] < -0.7  # commanded: -1
    assert trace.q[-1, 0] > 0.2
    assert trace.q[-1, 1] < -0.1
    again = plant.rollout(ground.home(), pipeline.policy(), 2.0)
    assert np.array_equal(trace.q, again.q)


def test_a_command_must_be_a_stage(ground):
    with pytest.raises(sf.InputError, match=r"^command: expected a stage such as Command\(forward=0.2\), got 0.2$"):
        foot_walker(ground, 0.2)
