"""Robots of real files trot with the stages and gains of `links`; only gait numbers and motor limits differ.

The controller believes in the ground that is there: rigid ground under a Simulator, soft ground under MuJoCo's own
physics.
"""

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Command, walker
from surefoot.gait import Gait
from tests.control.test_walking import DT, heading

SPEED = {"solo12": 0.3, "a1": 0.4}  # m/s
MOTORS = {"solo12": 3.0, "a1": 33.5}  # N m; Solo12's file says 1000
SECONDS = 10.0


def trot(name, mu, plant, law):
    """A trot of 10 s; also the codes with which the inverse dynamics ended."""
    robot = sf.load(f"example:{name}", meshes="spheres")
    ground = sf.scene(robot, terrain=sf.Plane(mu=mu))
    gait = Gait.named("trot", period=0.4, step_height=0.04)
    pipeline = walker(ground, Command(SPEED[name]), gait, DT, law=law, torque_limits=MOTORS[name])
    codes = []

    def tick(state):
        torque = pipeline(state)
        codes.append(int(pipeline.value("follow_status")))
        return torque

    return plant(ground, DT).rollout(ground.home(), tick, duration=SECONDS), codes


@pytest.mark.real
@pytest.mark.parametrize("mu", [0.3, 0.5])
@pytest.mark.parametrize(("plant", "law"), [(sf.Simulator, "coulomb"), (sf.MujocoPlant, "soft")])
@pytest.mark.parametrize("name", SPEED)
def test_it_trots(name, plant, law, mu):
    trace, codes = trot(name, mu, plant, law)
    turned, upright = heading(trace)
    assert trace.ok
    assert set(codes) == {sf.Status.SOLVED.code}
    assert upright.min() >= 0.99
    assert trace.q[-1, 0] / SECONDS == pytest.approx(SPEED[name], rel=0.15)
    assert np.abs(turned).max() <= 0.4
    assert np.abs(trace.q[:, 2] - trace.q[0, 2]).max() <= 0.02
    assert np.abs(trace.torque).max() <= MOTORS[name] + 1e-9
