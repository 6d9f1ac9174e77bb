"""Rigid-contact simulation."""

from surefoot.simulate.joint_motion import JointMotion, joint_motion
from surefoot.simulate.policy import Policy, policy
from surefoot.simulate.simulator import Simulator
from surefoot.simulate.trace import Trace

__all__ = ["JointMotion", "Policy", "Simulator", "Trace", "joint_motion", "policy"]
