"""Controllers that others are measured against [Zapolsky2015, section 7.3]."""

from surefoot.control.baselines import PID, ContactFree, SensedForce

__all__ = ["PID", "ContactFree", "SensedForce"]
