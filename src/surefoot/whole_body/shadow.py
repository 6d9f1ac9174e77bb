"""The shadow of a convex set in few dimensions, from its outermost points: exact, facet by facet."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot.errors import SolveError

Array = NDArray[np.float64]
Outermost = Callable[[Array], Array]

SAME = 1e-9
"""Distance, relative to the size of the set, below which a point lies on a plane."""
MOST_POINTS = 2000


class Hull(NamedTuple):
    """A convex set of dimension k in n dimensions, by its corners and by its sides.

    Attributes:
        corners: (p, n); around the set if k is 2.
        origin: (n,) a point of it.
        axes: (n, k) orthonormal directions along which it extends.
        normals: (m, k) of its sides, outwards, along `axes`.
        offsets: (m,) normals axes'(x - origin) <= offsets.
        sides: (m, k) corners of each side.
    """

    corners: Array
    origin: Array
    axes: Array
    normals: Array
    offsets: Array
    sides: NDArray[np.int64]

    @property
    def dimension(self) -> int:
        """0: a point, 1: a line, and so on."""
        return self.axes.shape[1]

    def excess(self, x: Array) -> float:
        """How far x is outside, the larger of the distances from its sides and from the plane it lies in."""
        inside = self.axes.T @ (x - self.origin)
        beside = float(np.linalg.norm(x - self.origin - self.axes @ inside))
        return max(beside, float((self.normals @ inside - self.offsets).max(initial=0.0)))


def shadow(outermost: Outermost, n: int, size: float) -> Hull:
    """The convex set whose outermost point in any direction (n,) is known.

    A side of the hull of some of its points is one of the set if the set reaches no farther along the side's normal;
    otherwise there is a new point [Bretl2008].

    Args:
        outermost: direction (n,) to a point (n,) of the set.
        n: 2 or 3.
        size: how large the set is, about.
    """
    near = SAME * size
    points, axes = [outermost(np.eye(n)[0])], np.zeros((n, 0))
    across = np.eye(n)
    while across.shape[1]:  # directions of which we do not know yet whether the set extends along them
        u = across[:, 0]
        ends = [outermost(u), outermost(-u)]
        far = max((p - points[0] for p in ends), key=lambda d: abs(float(u @ d)))
        if abs(u @ far) > near:
            points.extend(ends)
            new = far - axes @ (axes.T @ far)
            axes = np.column_stack([axes, new / np.linalg.norm(new)])
            rest = across - axes @ (axes.T @ across)
        else:
            rest = across[:, 1:]
        U, lengths, _ = np.linalg.svd(rest, full_matrices=False) if rest.size else (rest, np.zeros(0), rest)
        across = U[:, lengths > 1e-6]
    origin = np.mean(points, axis=0)
    return _filled(outermost, points, origin, axes, near)


def _filled(outermost: Outermost, points: list[Array], origin: Array, axes: Array, near: float) -> Hull:
    k = axes.shape[1]
    flat = (np.array(points) - origin) @ axes
    if k == 0:
        return Hull(points[0][None], points[0], axes, np.zeros((0, 0)), np.zeros(0), np.zeros((0, 0), dtype=np.int64))
    if k == 1:
        ends = np.array([np.argmin(flat[:, 0]), np.argmax(flat[:, 0])])
        offsets = np.array([-flat[ends[0], 0], flat[ends[1], 0]])
        sides = np.array([[0], [1]])
        return Hull(np.array(points)[ends], origin, axes, np.array([[-1.0], [1.0]]), offsets, sides)
    hull = scipy.spatial.ConvexHull(flat)
    done: set[tuple[float, ...]] = set()
    while True:
        new = []
        for equation in hull.equations:
            key = tuple(equation.round(9))
            if key in done:
                continue
            done.add(key)
            point = axes.T @ (outermost(axes @ equation[:-1]) - origin)
            if equation[:-1] @ point + equation[-1] > near:
                new.append(point)
        if not new:
            break
        flat = np.concatenate([flat[hull.vertices], new])
        if len(flat) > MOST_POINTS:
            raise SolveError(f"the set has more than {MOST_POINTS} corners; take fewer edges or contacts")
        hull = scipy.spatial.ConvexHull(flat)
    order = hull.vertices  # counterclockwise in two dimensions
    place = np.full(len(flat), -1)
    place[order] = np.arange(len(order))
    return Hull(
        origin + flat[order] @ axes.T,
        origin,
        axes,
        hull.equations[:, :-1],
        -hull.equations[:, -1],
        place[hull.simplices],
    )
