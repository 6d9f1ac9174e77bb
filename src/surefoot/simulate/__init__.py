"""Rigid-contact simulation."""

from surefoot.simulate.policy import Policy, policy
from surefoot.simulate.simulator import Simulator
from surefoot.simulate.trace import Trace

__all__ = ["Policy", "Simulator", "Trace", "policy"]
