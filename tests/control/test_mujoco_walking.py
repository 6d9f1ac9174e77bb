"""`links` walks in MuJoCo's own physics, if its controller believes in a ground as soft or as hard as there is."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Command, Follow, walker
from tests.control.test_walking import DT, heading

SECONDS = 5.0
MOTORS = 4.0  # N m


def hardened(ground):
    """MuJoCo's ground as hard as a step allows."""
    plant = sf.MujocoPlant(ground, DT)
    plant.model.geom_solref[:] = [2 * DT, 1.0]
    plant.model.geom_solimp[:, :2] = 0.99
    return plant


def check(trace, speed, upright=0.99, within=0.2):
    assert trace.ok
    assert heading(trace)[1].min() >= upright
    assert trace.q[-1, 0] / SECONDS == pytest.approx(speed, rel=within)
    assert np.abs(trace.q[:, 2] - trace.q[0, 2]).max() <= 0.02


@pytest.mark.parametrize(("gait", "speed", "mu"), [("trot", 0.2, 0.1), ("trot", 0.2, 0.5), ("walk", 0.1, 0.1)])
def test_on_soft_ground_with_belief_in_soft_ground(links, gait, speed, mu):
    ground = sf.scene(links, terrain=sf.Plane(mu=mu))
    pipeline = walker(ground, Command(speed), gait, DT, law="soft", torque_limits=MOTORS)
    check(sf.MujocoPlant(ground, DT).rollout(ground.home(), pipeline.policy(), duration=SECONDS), speed)


@pytest.mark.parametrize(("gait", "speed"), [("trot", 0.2), ("walk", 0.1)])
def test_one_walker_on_rigid_and_on_hard_ground(links, gait, speed):
    """Inverse dynamics over two steps: MuJoCo's ground needs two to stop a foot.

    There the walk is 10 to 25 % too fast, depending on the last digits of the start.
    """
    ground = sf.scene(links, terrain=sf.Plane(mu=0.5))
    pipeline = walker(ground, Command(speed), gait, DT)
    pipeline.swap("follow", Follow(ground, 2 * DT, torque_limits=MOTORS))
    policy = pipeline.policy()
    for plant in (sf.Simulator(ground, DT), hardened(ground)):
        check(plant.rollout(ground.home(), policy, duration=SECONDS), speed, within=0.35)


def test_belief_in_rigid_ground_falls_where_ground_is_soft(links, tmp_path, monkeypatch):
    """A foot that sinks in shall be stopped within a step, by a force that soft ground has not: it sinks in faster."""
    monkeypatch.chdir(tmp_path)  # MuJoCo writes of its end
    ground = sf.scene(links, terrain=sf.Plane(mu=0.5))
    policy = walker(ground, Command(0.2), "trot", DT, torque_limits=MOTORS).policy()
    assert heading(sf.Simulator(ground, DT).rollout(ground.home(), policy, duration=2.0))[1].min() >= 0.99
    assert heading(sf.MujocoPlant(ground, DT).rollout(ground.home(), policy, duration=SECONDS))[1].min() < 0.0
