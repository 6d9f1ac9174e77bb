"""Scenarios with failures planted where we know."""

import numpy as np

import surefoot as sf
from tests.traces.small import DT, flyer, idle

RARE = 3.0902323  # standard deviations beyond which one in a thousand lies


def idles(scene, dt):
    """A controller that does nothing."""
    return idle


def too_fast(span):
    """Negative if it starts faster along x than three standard deviations of 0.1 m/s, however it goes on."""
    return np.where(span.t == 0.0, 1.0 - span.v[:, 0] / (0.1 * RARE), np.inf)


def beyond(span):
    """Negative if it starts beyond x = 12.34567 mm."""
    return np.where(span.t == 0.0, 12.34567e-3 - span.q[:, 0], np.inf)


def throw(**changes):
    """A trunk with a leg in the air; much is uncertain, one velocity matters."""
    uncertain = {
        "start.velocity.y": sf.Normal(0.1), "robot.*.mass": sf.Normal(0.01, factor=True), "start.hip": sf.Normal(0.05),
        "start.velocity.x": sf.Normal(0.1), "start.yaw": sf.Uniform(-0.1, 0.1), "ground.mu": sf.Choice(0.5, 1.0),
        "encoder.hip.bias": sf.Normal(0.01), "motor.hip.strength": sf.Normal(0.1), "gps.x": sf.Jitter(0.1),
        "start.velocity.z": sf.Normal(0.1), "start.velocity.hip": sf.Normal(0.1),
        "restitution": sf.traces.Constant(0.1),
    }  # fmt: skip
    given = {
        "policies": {"idle": idles},
        "requirements": [too_fast],
        "uncertainty": uncertain,
        "duration": 2 * DT,
        "terrain": sf.Plane(),
    }
    return sf.Scenario("throw", flyer(), **{**given, **changes})
