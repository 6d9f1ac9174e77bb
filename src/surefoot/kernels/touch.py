"""Which feet touch: what a perfect sensor under each foot would say."""

from __future__ import annotations

from typing import Any

from numba import int64, typeof, types

from surefoot.kernels.cache import Pointer, caller, inlined
from surefoot.kernels.follow import load_state
from surefoot.kernels.status import SOLVED
from surefoot.kernels.step import find_rows

_VECTOR = types.float64[::1]
_CALL = types.int64(types.uintp, types.float64, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
_call = caller(_CALL)


def _touching(step, within, q, v, foot, contact_out):
    load_state(step, q, v)
    status, n = find_rows(step, int64(-1))
    for i in range(contact_out.shape[0]):
        contact_out[i] = 0.0
    if status != SOLVED:
        return status
    for i in range(n):
        if step.rows.source[i, 1] < 0 or step.rows.gap[i] > within:
            continue
        for side in range(2):
            number = int(foot[step.rows.source[i, side]])
            if number >= 0:
                contact_out[number] = 1.0
    return status


def toucher(box: Any) -> Pointer:
    """`_touching` as a pointer, for one kind of Box of a Step."""
    return Pointer(_touching, types.int64(typeof(box), *_CALL.args[1:]))


@inlined
def touching(function, box, within, q, v, foot, contact_out):
    """Which feet are nearer than `within` m to anything else in a state.

    Args:
        function: address of a `toucher`.
        box: address of its Box.
        within: m.
        q, v: (nq,), (nv,) state.
        foot: (ngeom,) number of the foot that a geom belongs to, -1 for none.
        contact_out: (feet,) result, 1 or 0.

    Returns:
        0, or the code of a Status.
    """
    return _call(types.uintp(function), (types.uintp(box), within, q, v, foot, contact_out))
