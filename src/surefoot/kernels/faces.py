"""What each block may push with its velocity fixed: a face of its cone, convex under every law."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import ENERGY, EXACT
from surefoot.kernels.working_set import VERY_ROUGH

# Kinds of faces.
NOTHING = 0
RAYS = 1  # sums of some rays, weighted by at least 0
PYRAMID = 2  # the whole friction pyramid
HELD = 3  # any friction, any push
TANGENTS = 4  # any friction, no push

AT_REST = 1e-7  # times the velocity scale: feet that slip less are free to choose their friction


class Faces(NamedTuple):
    """Faces of up to `capacity` blocks with k edges."""

    kind: ndarray  # (capacity,) int64
    slope: ndarray  # (capacity,) friction of a PYRAMID
    count: ndarray  # (capacity,) int64: rays of a block
    ray: ndarray  # (capacity, k, 3) impulse per unit weight


def make_faces(capacity: int, edges: int) -> Faces:
    """Work arrays."""
    return Faces(
        kind=np.zeros(capacity, dtype=np.int64),
        slope=np.zeros(capacity),
        count=np.zeros(capacity, dtype=np.int64),
        ray=np.zeros((capacity, edges, 3)),
    )


@part
def find_faces(p, c, faces):
    """Faces of the blocks of Problem p at velocities c (3n,); returns the number of blocks that may push."""
    pushing = int64(0)
    for i in range(p.n):
        faces.kind[i] = _face(p, c, i, faces)
        pushing += faces.kind[i] != NOTHING
    return pushing


@part
def _face(p, c, i, faces):
    tol = AT_REST * p.scale
    mu, cx, cy = p.mu[i], c[3 * i + 1], c[3 * i + 2]
    opens = c[3 * i] + p.offset[i]
    faces.count[i] = 0
    if p.kind[i] == BOX:
        return NOTHING
    if p.kind[i] != CONE or mu == 0.0:
        return _add_ray(i, 0.0, 0.0, faces) if opens <= tol else NOTHING
    if math.isinf(mu):
        if p.dissipative:  # held whether loaded or not
            return HELD if opens <= tol else TANGENTS
        if opens > tol or max(abs(cx), abs(cy)) > tol:
            return NOTHING
        faces.slope[i] = VERY_ROUGH  # no load, no friction
        return PYRAMID
    slip = 0.0
    for e in range(p.D.shape[0]):
        slip = max(slip, -(p.D[e, 0] * cx + p.D[e, 1] * cy))
    if p.form == EXACT:
        slip = math.sqrt(cx * cx + cy * cy)
    if p.form != ENERGY and opens - (mu * slip if p.dissipative else 0.0) > tol:
        return NOTHING
    if p.form == ENERGY or slip <= tol:
        faces.slope[i] = mu
        return PYRAMID
    if p.form == EXACT:
        return _add_ray(i, -mu * cx / slip, -mu * cy / slip, faces)
    for e in range(p.D.shape[0]):
        if -(p.D[e, 0] * cx + p.D[e, 1] * cy) >= slip - tol:
            _add_ray(i, mu * p.D[e, 0], mu * p.D[e, 1], faces)
    return RAYS


@part
def _add_ray(i, x, y, faces):
    place = faces.count[i]
    faces.ray[i, place, 0] = 1.0
    faces.ray[i, place, 1] = x
    faces.ray[i, place, 2] = y
    faces.count[i] += 1
    return RAYS
