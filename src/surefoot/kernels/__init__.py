"""Compiled code: arrays and scalars in, status out. Nothing here knows a robot, a law or an error class."""

from surefoot.kernels.cache import kernel

__all__ = ["kernel"]
