"""Conditions of the laws with round cones and of the energy form, recomputed with plain linear algebra."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.kernels.plant import BOX, CONE, TURN

Array = NDArray[np.float64]


def project_on_round_cone(point: Array, mu: float) -> Array:
    """Nearest point of the cone {|p_1, p_2, ...| <= mu p_0}."""
    top, side = point[0], float(np.linalg.norm(point[1:]))
    if side <= mu * top:
        return point
    if mu * side <= -top:
        return np.zeros_like(point)
    push = (top + mu * side) / (1.0 + mu * mu)
    return np.r_[push, mu * push * point[1:] / side]


def soft_conditions(problem: Mapping[str, Any]) -> dict[str, float]:
    """Distance in m/s of every impulse from its own projection, relative to the largest |c0 - c*|.

    The soft law holds exactly where f is the projection of R^-1 (c* - c+) in the metric R, contact by contact.

    Args:
        problem: W, c0, f, kind, offset, mu, bound as for `law_conditions`; R and aim c* (3n,); turn (n,).
    """
    W, f, R = problem["W"], problem["f"], problem["R"]
    pull = problem["aim"] - W @ (W.T @ f) - problem["c0"]  # R y
    scale = np.abs(problem["c0"] - problem["aim"]).max(initial=0.0) or 1.0
    worst = {"normal": 0.0, "friction": 0.0, "joints": 0.0}
    for i in range(len(problem["kind"])):
        kind, mu, r = problem["kind"][i], problem["mu"][i], 3 * i
        if kind == TURN:
            continue
        if kind == BOX:
            right = np.clip(pull[r + 1] / R[r + 1], -problem["bound"][i], problem["bound"][i])
            worst["joints"] = max(worst["joints"], R[r + 1] * abs(f[r + 1] - right))
            continue
        rows, slopes = [r], []
        if kind == CONE and 0 < mu < np.inf:
            rows, slopes = [r, r + 1, r + 2], [mu, mu]
            for t in np.flatnonzero(problem["turn"] == i):
                for k, slope in enumerate((problem["mu"][t], problem["bound"][t], problem["bound"][t])):
                    if slope > 0:
                        rows.append(3 * int(t) + k)
                        slopes.append(slope)
        elif kind == CONE and np.isinf(mu):
            for k in (r + 1, r + 2):
                worst["friction"] = max(worst["friction"], abs(R[k] * f[k] - pull[k]))
        root = np.sqrt(R[rows])
        if problem["offset"][i] > 0:
            right = np.zeros(len(rows))
        elif slopes:
            right = project_on_round_cone(pull[rows] / root, slopes[0] * root[1] / root[0]) / root
        else:
            right = np.maximum(pull[rows] / R[rows], 0.0)
        miss = R[rows] * np.abs(f[rows] - right)
        worst["normal"] = max(worst["normal"], miss[0])
        worst["friction"] = max(worst["friction"], miss[1:].max(initial=0.0))
    return {name: float(value / scale) for name, value in worst.items()}


def energy_conditions(problem: Mapping[str, Any]) -> dict[str, float]:
    """Normals that close in, and impulses outside their pyramids, relative to the largest velocity max |c0|."""
    W, n = problem["W"], len(problem["kind"])
    c = (W @ (W.T @ problem["f"]) + problem["c0"]).reshape(n, 3)
    f, mobility = problem["f"].reshape(n, 3), (W**2).sum(axis=1).reshape(n, 3)
    scale = np.abs(problem["c0"]).max(initial=0.0) or 1.0
    edges = problem["edges"][:, :2]
    normal, friction = 0.0, 0.0
    for i in np.flatnonzero(problem["kind"] != BOX):
        normal = max(normal, -(c[i, 0] + problem["offset"][i]), -mobility[i, 0] * f[i, 0])
        slope = problem["mu"][i] if problem["kind"][i] == CONE else 0.0
        if np.isfinite(slope):
            middles = edges + np.roll(edges, -1, axis=0)
            reach = (middles @ f[i, 1:]).max() / (middles[0] @ edges[0])
            friction = max(friction, mobility[i, 1:].max() * (reach - slope * f[i, 0]))
    return {"normal": normal / scale, "friction": friction / scale, "joints": 0.0}
