"""Numbers that shape a step and tell the contact laws apart."""

from __future__ import annotations

import math
from typing import NamedTuple

from surefoot.kernels.problem import STANDARD


class LawNumbers(NamedTuple):
    """Numbers that tell the contact laws of one family apart.

    `mu`: friction the law believes in, NaN: ask the scene. `dissipative`, see Problem. `slip_offset`: whether the
    dissipative law makes room for the slip at the start of the step. `stiffness` (N/m) and `damping` (N s/m) of every
    contact; infinite stiffness: rigid. `epsilon` (dimensionless), `kappa` (s), `critical`: of the soft law, see
    softness.py. `form`, see Problem. `smooth`: what stage II aims at, see smooth.py. `edges` of the friction pyramid.
    """

    mu: float = math.nan
    dissipative: bool = False
    slip_offset: bool = False
    stiffness: float = math.inf
    damping: float = 0.0
    epsilon: float = 0.0
    kappa: float = 1.0
    critical: bool = False
    form: int = STANDARD
    smooth: int = 0
    edges: int = 4


class Settings(NamedTuple):
    """Numbers that shape a step.

    `touch`: a contact whose gap is larger enters with its normal row only (m). `bilateral_rate`: share of a loop's gap
    closed per step.
    `depth_rate`: share of the depth removed per step beyond `slop`. `restitution`: Newton's, for approach over
    `bounce`. `remembers`: whether the modes of the last step are this one's first guess.
    """

    dt: float
    touch: float
    law: LawNumbers
    tolerance: float
    bilateral_rate: float
    depth_rate: float
    slop: float
    restitution: float
    bounce: float
    remembers: bool
