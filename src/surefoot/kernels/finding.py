"""From the state in mjData to rows: MuJoCo's smooth terms and collision, then everything that may push."""

from __future__ import annotations

from numba import typeof, types

from surefoot.kernels.cache import Pointer, part
from surefoot.kernels.engine import read_int, smooth_terms
from surefoot.kernels.plant import Plant, Rows
from surefoot.kernels.problem import SOFT
from surefoot.kernels.rows import gather_rows
from surefoot.kernels.settings import Settings
from surefoot.kernels.status import CAPACITY, CONTACTS_DROPPED, NOT_FINITE, SOLVED


@part
def _sane(values):
    """False for a NaN, an infinity, or a number that only a diverged simulation reaches."""
    for i in range(values.shape[0]):
        if not abs(values[i]) < 1e12:
            return False
    return True


def _find_rows(plant, rows, settings, torque, v_next, motor, planned, stance, warnings, given):
    """Smooth terms and rows of the state in mjData. Returns (status, number of blocks).

    If `given` >= 0, that many contacts already stand in the rows and only joint rows are added. The other arguments
    are parts of a Step.
    """
    if not (_sane(plant.qpos) and _sane(plant.qvel) and _sane(torque) and _sane(v_next)):
        return NOT_FINITE, 0
    smooth_terms(plant.m, plant.d, plant.qfrc_bias)
    for k in range(2):  # mjWARN_INERTIA is 0, then the two that mean dropped rows
        number = read_int(plant.d + plant.layout.warning + (1 + k) * plant.layout.warning_size)
        if number != warnings[k]:
            warnings[k] = number
            return CONTACTS_DROPPED, 0
    law = settings.law
    n = gather_rows(
        plant, rows, settings.dt, settings.touch, law.mu, planned[0], stance, v_next, motor, law.form == SOFT, given
    )
    return (CAPACITY, 0) if n < 0 else (SOLVED, n)


def row_finder(plant: Plant, rows: Rows, settings: Settings) -> Pointer:
    """`_find_rows` as a pointer: every loop needs it."""
    vector, flags = types.float64[::1], types.boolean[::1]
    signature = types.UniTuple(types.int64, 2)(
        *(typeof(plant), typeof(rows), typeof(settings), vector, vector, vector, flags, flags, types.int64[::1]),
        types.int64,
    )
    return Pointer(_find_rows, signature)
