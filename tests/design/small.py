"""Small robots, tasks and witnesses that the tests of design share."""

import multiprocessing
import os

import numpy as np

import surefoot as sf
from surefoot.design import GaitTask, HandTask, Morphology, Parameter, Problem
from surefoot.gait import Gait
from tests.traces.small import scene

GRAVITY = 9.81
# Two links in the x-z plane on a fixed shoulder; at zero the elbow is bent by 1.2 rad.
ARM = """
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/>
  <geom name="upper" type="capsule" size="0.02" fromto="0.02 0 0 0.28 0 0" mass="0.7"/>
  <body name="lower" pos="0.3 0 0" euler="0 1.2 0"><joint name="elbow" axis="0 1 0"/>
    <geom name="lower" type="box" pos="0.11 0 0" size="0.09 0.015 0.01" mass="0.4"/>
    <geom name="tip" type="sphere" pos="0.25 0 0" size="0.01" mass="0.05"/></body></body>
"""
LOWER = 0.25  # m from the elbow to the tip
GOAL = np.array([0.35, 0.0, 0.9])
TROT = Gait.named("trot", period=0.4, duty=0.6)
LEGS = {"front": ("lf", "rf"), "hind": ("lh", "rh")}


def arm():
    """The two links."""
    return scene(ARM, joints=("shoulder", "elbow"))


def resting(duration=0.2, **kwargs):
    """The tip stays where it is."""
    return HandTask("tip", [GOAL, GOAL], duration, **kwargs)


def upper(low=0.2, high=0.4, **kwargs):
    """Length of the upper link."""
    return Parameter("upper length", "robot.lower.place.0", low, high, **kwargs)


def lower_mass(low=0.1, high=2.0, **kwargs):
    """Mass of the lower link."""
    return Parameter("lower mass", "robot.lower.mass", low, high, **kwargs)


def part(end, name, low, high, **kwargs):
    """Of both legs of an end: part("front", "thigh.length", 0.05, 0.2)."""
    targets = tuple(f"robot.{leg}.{name}" for leg in LEGS[end])
    return Parameter(f"{end} {name.replace('.', ' ')}", targets, low, high, **kwargs)


def trotting(parameters=None, motors="RX-24F", dt=2e-2, task=None, **kwargs):
    """`links` at a trot, of few samples."""
    if parameters is None:
        parameters = [part(end, "thigh.length", 0.05, 0.2) for end in LEGS]
    return Problem(Morphology("links", parameters, {"*": motors}), task or GaitTask(TROT, dt=dt), **kwargs)


def elbow_angle(length):
    """Angle in rad between the two links, for the tip at GOAL: law of cosines."""
    d = np.hypot(GOAL[0], GOAL[2] - 1.0)
    return np.arccos((d**2 - length**2 - LOWER**2) / (2 * length * LOWER))


def upper_length(span):
    """(m) as built."""
    return float(span.scene.model.body("lower").pos[0])


def wave(span):
    """A smooth function of the upper length and of time."""
    return np.sin(9.0 * upper_length(span)) + span.t - 0.8


def elbow(span):
    """The elbow's angle."""
    return span.q[:, 1]


def mortal(span):
    """As `wave`, but it kills whatever process was started to look at it."""
    if multiprocessing.parent_process() is not None:
        os._exit(3)
    return wave(span)


@sf.witness
def slow(t, q, v, torque, params):
    """Joint speeds below a limit."""
    worst = 1.0
    for i in range(6, v.shape[0]):
        worst = min(worst, 1.0 - abs(v[i]) / params[0])
    return worst


def squared(number):
    """(1,) array; the process that is asked for 3 dies, unless it is the first one."""
    if number == 3 and multiprocessing.parent_process() is not None:
        os._exit(3)
    return np.array([number * number])


def looked(problem, p):
    """The worst witness."""
    return problem.look(p, 1.0).worst
