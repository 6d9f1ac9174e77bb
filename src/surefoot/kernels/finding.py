"""From the state in mjData to rows: MuJoCo's smooth terms and collision, then everything that may push."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import typeof, types
from numpy import ndarray

from surefoot.kernels.box import Box
from surefoot.kernels.cache import Pointer, part
from surefoot.kernels.engine import read_int, smooth_terms
from surefoot.kernels.plant import Plant, Rows
from surefoot.kernels.problem import SOFT
from surefoot.kernels.rows import gather_rows
from surefoot.kernels.settings import Settings
from surefoot.kernels.status import CAPACITY, CONTACTS_DROPPED, NOT_FINITE, SOLVED


class Finding(NamedTuple):
    """Parts of a Step that finding rows reads and writes; in a Box, for as arguments they cost more than the rows."""

    plant: Plant
    rows: Rows
    settings: Settings
    torque: ndarray
    v_next: ndarray
    motor: ndarray
    planned: ndarray
    stance: ndarray
    warnings: ndarray


@part
def _sane(values):
    """False for a NaN, an infinity, or a number that only a diverged simulation reaches."""
    for i in range(values.shape[0]):
        if not abs(values[i]) < 1e12:
            return False
    return True


def _find_rows(here, given):
    """Smooth terms and rows of the state in mjData. Returns (status, number of blocks).

    If `given` >= 0, that many contacts already stand in the rows and only joint rows are added.
    """
    plant, settings = here.plant, here.settings
    if not (_sane(plant.qpos) and _sane(plant.qvel) and _sane(here.torque) and _sane(here.v_next)):
        return NOT_FINITE, 0
    smooth_terms(plant.m, plant.d, plant.qfrc_bias)
    for k in range(2):  # mjWARN_INERTIA is 0, then the two that mean dropped rows
        number = read_int(plant.d + plant.layout.warning + (1 + k) * plant.layout.warning_size)
        if number != here.warnings[k]:
            here.warnings[k] = number
            return CONTACTS_DROPPED, 0
    law = settings.law
    n = gather_rows(
        plant, here.rows, settings.dt, settings.touch, law.mu, here.planned[0], here.stance, here.v_next, here.motor,
        law.form == SOFT, given,
    )  # fmt: skip
    return (CAPACITY, 0) if n < 0 else (SOLVED, n)


def row_finder(finding: Finding) -> tuple[Any, Pointer]:
    """Box of a Finding, and `_find_rows` as a pointer: every loop needs it."""
    box = Box(finding)
    return box, Pointer(_find_rows, types.UniTuple(types.int64, 2)(typeof(box), types.int64))
