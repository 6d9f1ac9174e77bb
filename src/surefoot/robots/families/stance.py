"""How a body rests on a level plane on spherical feet."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

LEVEL = 1e-12  # m; feet whose lowest points differ by less need no tilt


def rest(
    feet: NDArray[np.float64], radii: NDArray[np.float64], com: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Height and tilt at which the feet rest on z = 0.

    If all feet touch with the body level, it stays level. Else it tilts, without turning, onto three feet with the
    others above the ground: of all such planes the one that leaves the centre of mass lowest.

    Args:
        feet: (n, 3) centres of the feet in the body's frame, in m.
        radii: (n,) radii in m.
        com: (3,) centre of mass in the body's frame, in m.

    Returns:
        Height of the body's origin in m, and its quaternion (4,).
    """
    lowest = feet[:, 2] - radii
    level = float(-lowest.min()), np.array([1.0, 0.0, 0.0, 0.0])
    if np.ptp(lowest) < LEVEL or len(feet) < 3:
        return level
    planes = [plane for three in itertools.combinations(range(len(feet)), 3) if (plane := _under(feet, radii, three))]
    if not planes:
        return level
    normal, offset = min(planes, key=lambda plane: plane[0] @ com - plane[1])
    # The shortest turn that takes `normal` to the vertical: half-way between the two.
    quaternion = np.array([1.0 + normal[2], normal[1], -normal[0], 0.0])
    return -offset, quaternion / np.linalg.norm(quaternion)


def _under(
    feet: NDArray[np.float64], radii: NDArray[np.float64], three: tuple[int, ...]
) -> tuple[NDArray[np.float64], float] | None:
    """The plane n . x = c that touches three feet from below, as (n, c); None if a foot is beneath it."""
    i, j, k = three
    edges = np.array([feet[j] - feet[i], feet[k] - feet[i]])
    (a, b, c), (d, e, f) = edges.tolist()
    across = np.array([b * f - c * e, c * d - a * f, a * e - b * d])  # np.cross takes much longer
    if np.linalg.norm(across) < LEVEL:
        return None
    across /= np.linalg.norm(across) * np.sign(across[2] or 1.0)
    # n . (p_j - p_i) = r_j - r_i, and the same for k; what is left of the unit normal points up.
    within = np.linalg.lstsq(edges, radii[[j, k]] - radii[i], rcond=None)[0]
    rest_of = 1.0 - within @ within
    if rest_of <= 0:
        return None
    normal = within + np.sqrt(rest_of) * across
    offset = float(normal @ feet[i] - radii[i])
    if (feet @ normal - radii - offset).min() < -LEVEL:
        return None
    return normal, offset
