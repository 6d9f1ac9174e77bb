"""Plants: rigid contact in a compiled loop, or MuJoCo's own physics."""

from surefoot.simulate.joint_motion import JointMotion, joint_motion
from surefoot.simulate.mujoco_plant import MujocoPlant
from surefoot.simulate.policy import Policy, policy
from surefoot.simulate.push import Push
from surefoot.simulate.simulator import Simulator
from surefoot.simulate.trace import Trace

__all__ = ["JointMotion", "MujocoPlant", "Policy", "Push", "Simulator", "Trace", "joint_motion", "policy"]
