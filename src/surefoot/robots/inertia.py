"""Whether a mass and an inertia matrix can belong to a body, and the nearest repair when they cannot.

A rigid body has mass m > 0 and principal inertias a <= b <= c with a > 0 and the triangle inequality a + b >= c
(the three are sums of the same three second moments, none of them negative).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A violation of a + b >= c below this fraction of c is a rounding of printed digits, not a wrong model.
ROUNDING = 1e-6
# What `balance_inertia=True` gives to a moving link without mass: kg, kg m^2.
TINY_MASS = 1e-6
TINY_INERTIA = 1e-9


def defect(mass: float, inertia: NDArray[np.float64]) -> str | None:
    """Say what is impossible about a body, or None.

    Args:
        mass: in kg.
        inertia: (3, 3) about the centre of mass, in kg m^2.
    """
    if not np.isfinite(mass) or not np.isfinite(inertia).all():
        return "its mass or inertia is not finite"
    if mass < 0:
        return f"its mass is negative ({mass:g} kg)"
    a, b, c = np.linalg.eigvalsh(inertia)
    listed = f"principal inertias {a:.4g}, {b:.4g}, {c:.4g} kg m^2"
    if a < -ROUNDING * abs(c):
        return f"its {listed} include a negative one"
    if a + b < c * (1 - ROUNDING):
        return f"its {listed} break the triangle inequality: {a:.4g} + {b:.4g} < {c:.4g}"
    return None


def needs_rounding(inertia: NDArray[np.float64]) -> bool:
    """Whether the triangle inequality fails, be it by a rounding (MuJoCo's own check knows no tolerance)."""
    a, b, c = np.linalg.eigvalsh(inertia)
    return bool(a + b < c)


def rounded(inertia: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same inertia with its largest principal value lowered just below the sum of the other two."""
    (a, b, c), axes = np.linalg.eigh(inertia)
    a, b = max(a, 0.0), max(b, 0.0)
    return axes @ np.diag([a, b, min(c, (a + b) * (1 - 1e-9))]) @ axes.T


def balanced(inertia: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """MuJoCo's repair: all three principal inertias become their mean; None if that is not positive."""
    mean = float(np.trace(inertia)) / 3
    return mean * np.eye(3) if np.isfinite(mean) and mean > 0 else None
