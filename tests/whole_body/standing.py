"""Robots that stand, for the tests of this folder."""

import mujoco
import numpy as np

from surefoot.robots.scene import Foot, Scene, Surface
from surefoot.whole_body import dynamics_space

FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
STANCES = (FEET[:1], (FEET[0], FEET[3]), FEET[:3], FEET)

_LEG = """
<body name="{s}_thigh" pos="0 {y} 0"><joint name="{s}_hip" axis="0 1 0"/><joint name="{s}_roll" axis="1 0 0"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="1" contype="0" conaffinity="0"/>
  <body name="{s}_shin" pos="0 0 -0.3"><joint name="{s}_knee" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="1" contype="0" conaffinity="0"/>
    <body name="{s}_foot" pos="0 0 -0.3"><joint name="{s}_ankle" axis="0 1 0"/>
      <joint name="{s}_twist" axis="1 0 0"/>
      <geom name="{s}_sole" type="box" size="0.08 0.04 0.01" pos="0 0 -0.01" mass="0.3"/></body></body></body>
"""
JOINTS = tuple(f"{s}_{joint}" for s in ("left", "right") for joint in ("hip", "roll", "knee", "ankle", "twist"))


def biped(bend=0.5, *, mu=0.8, flag=""):
    """A walker on two flat feet: four points each, and five joints a leg."""
    legs = _LEG.format(s="left", y=0.1) + _LEG.format(s="right", y=-0.1)
    spec = mujoco.MjSpec.from_string(
        f'<mujoco><option>{flag}</option><worldbody><geom name="ground" type="plane" size="5 5 1"/>'
        '<body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.15" pos="0 0 0.15" mass="8" '
        f'contype="0" conaffinity="0"/>{legs}</body></worldbody></mujoco>'
    )
    q = np.zeros(17)
    q[2], q[3] = 0.02 + 0.6 * np.cos(bend), 1.0
    for first in (7, 12):
        q[[first, first + 2, first + 3]] = -bend, 2 * bend, -bend
    feet = tuple(Foot(f"{s}_FOOT".upper(), f"{s}_foot", (f"{s}_sole",)) for s in ("left", "right"))
    return Scene(spec, name="biped", joints=JOINTS, base="trunk", feet=feet, surfaces=(Surface("ground", mu),), home=q)


def space_on(robot, feet, v=None):
    """The space of a robot at home that stands on these feet."""
    return dynamics_space(robot, robot.state(v=v), list(feet))


def equations(space):
    """The matrix and the right side of all equations, [Ratliff2014] (12)."""
    n, joints = len(space.rate), len(space.robot.joints)
    S = np.eye(space.robot.nv)[:, space.robot.dofs]
    B = np.block([[space.inertia, -S, -space.jacobian.T], [space.jacobian, np.zeros((n, joints + n))]])
    return B, np.concatenate([-space.bias, space.rate])
