"""Whether a mass and an inertia matrix can belong to a body, and the nearest repair when they cannot.

A rigid body has mass m > 0 and principal inertias a <= b <= c with a > 0 and the triangle inequality a + b >= c
(the three are sums of the same three second moments, none of them negative).
"""

from __future__ import annotations

import re

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robots.scene import Note

# A violation of a + b >= c below this fraction of c is a rounding of printed digits, not a wrong model.
ROUNDING = 1e-6
# MuJoCo refuses principal inertias below this, in kg m^2.
SMALLEST = 1e-14
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
    slack = max(ROUNDING * abs(c), SMALLEST)
    if a < -slack:
        return f"its {listed} include a negative one"
    if a + b < c - slack:
        return f"its {listed} break the triangle inequality: {a:.4g} + {b:.4g} < {c:.4g}"
    return None


def needs_rounding(inertia: NDArray[np.float64]) -> bool:
    """Whether MuJoCo would refuse an inertia that is a rounding away from a good one: a rod, a disc, a point."""
    a, b, c = np.linalg.eigvalsh(inertia)
    return bool(a + b < c * (1 + 1e-13) or a < max(SMALLEST, 1e-12 * c))


def rounded(inertia: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest inertia that MuJoCo takes: none too small, and the largest below the sum of the others."""
    values, axes = np.linalg.eigh(inertia)
    a, b, c = np.maximum(values, max(2 * SMALLEST, 1e-12 * values[2]))
    return axes @ np.diag([a, b, min(c, a + b - 1e-13 * c)]) @ axes.T


def balanced(inertia: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """MuJoCo's repair: all three principal inertias become their mean; None if that is not positive."""
    mean = float(np.trace(inertia)) / 3
    return mean * np.eye(3) if np.isfinite(mean) and mean > 0 else None


def balance_spec(spec: mujoco.MjSpec, notes: list[Note]) -> None:
    """Repair the impossible inertias of an MJCF, and note each.

    Principal inertias that break the triangle inequality become their mean; a moving body without mass gets
    `TINY_MASS` and `TINY_INERTIA`.
    """
    for body in spec.bodies[1:]:
        full = np.array(body.fullinertia)
        matrix = np.diag(body.inertia)
        if np.isfinite(full).all():
            xx, yy, zz, xy, xz, yz = full
            matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        problem = defect(body.mass, matrix) if body.explicitinertial else None
        repaired = balanced(matrix) if problem and body.mass >= 0 else None
        if repaired is not None:
            body.fullinertia = np.full(6, np.nan)
            body.inertia = np.diag(repaired)
            notes.append(Note("repaired", body.name, f"{problem}; all three set to {repaired[0, 0]:.4g} kg m^2"))
    for _ in range(len(spec.bodies)):
        try:
            spec.compile()
            return
        except (ValueError, mujoco.FatalError) as error:
            named = re.search(r"moving bodies.*Element name '([^']+)'", str(error), re.DOTALL)
        body = spec.body(named.group(1)) if named else None
        if body is None:
            return  # another error, which the caller's compilation reports
        body.explicitinertial = True
        body.mass = max(body.mass, TINY_MASS)
        body.inertia = np.maximum(np.nan_to_num(body.inertia), TINY_INERTIA)
        body.ipos = np.nan_to_num(body.ipos)
        detail = f"moves but lacks mass or inertia; given at least {TINY_MASS:g} kg and {TINY_INERTIA:g} kg m^2"
        notes.append(Note("repaired", body.name, detail))
