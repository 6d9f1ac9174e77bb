"""Modes of what takes part in a step: contacts, contacts that only push, and joints with a friction of their own.

The motion of a block is its velocity at the end of the step, and where there is a gap, how far that misses to close it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.modes.blocks import LESS, MORE, PUSH, ZERO, Block, planar_block, spatial_block

Array = NDArray[np.float64]


def contact_block(mu: float, edges: int, tangents: Array) -> Block:
    """A closed contact with friction mu; `tangents` (2, nu): what the free velocities do along each tangent.

    Where nothing moves it along one tangent, it cannot slide there, and friction along it is left out: no law tells how
    large it is.
    """
    size = np.abs(tangents).max(axis=1, initial=0.0)
    if not size.min() <= 1e-9 * size.max() or size.max() == 0.0:
        return spatial_block((mu, mu), np.zeros(3), np.zeros(2), edges)
    along = int(size.argmax())
    plane = planar_block((mu, mu), np.zeros(2), np.zeros(2))
    right = along * edges // 4  # its sector
    sectors = {"R": str(right), "L": str(right + edges // 2)}
    within = np.eye(3)[[0, 1 + along]]
    nothing = np.zeros((len(plane.tokens), 1))
    return Block(
        force=np.vstack([np.eye(3)[2 - along], plane.force @ within]),
        motion=plane.motion @ within,
        tokens=tuple(sectors.get(token, token) for token in plane.tokens),
        low=np.hstack([nothing, plane.low]),
        high=np.hstack([nothing, plane.high]),
        strict=np.hstack([nothing > 0, plane.strict]),
        always=None if plane.always is None else np.hstack([np.zeros((2, 1)), plane.always]),
    )


def normal_block() -> Block:
    """A contact that only pushes (N) or is apart (S): one that is still open, a limit of a joint or tendon."""
    modes = {"S": (ZERO, ZERO, ZERO, MORE), "N": (PUSH, ZERO, ZERO, ZERO)}
    return _block(np.eye(3), np.eye(3)[:1], modes)


def box_block() -> Block:
    """A joint that slips back (L) or forth (R) against a force of known size, or holds (F) with less.

    That force is the "normal" component of the block, and has no motion.
    """
    force = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    modes = {"L": (ZERO, PUSH, ZERO, LESS), "R": (PUSH, ZERO, ZERO, MORE), "F": (PUSH, PUSH, ZERO, ZERO)}
    return _block(force, np.eye(3)[1:2], modes)


def _block(force: Array, motion: Array, modes: dict[str, tuple[tuple[float, float, bool], ...]]) -> Block:
    table = np.array(list(modes.values()), dtype=float)
    return Block(force, motion, tuple(modes), table[:, :, 0], table[:, :, 1], table[:, :, 2] > 0)
