"""The laws' conditions, recomputed with plain linear algebra from a problem and its impulses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import ENERGY, EXACT, SOFT
from surefoot.laws.cone_conditions import energy_conditions, project_on_round_cone, soft_conditions
from surefoot.solvers.contact_problem import project_on_pyramid


def law_conditions(problem: Mapping[str, Any]) -> dict[str, float]:
    """Violations of contact, friction and dry joint friction, relative to the largest velocity max(|c0|, -offset).

    Each is the distance of an impulse from the projection of (impulse - velocity) on what the law allows, with
    impulses turned into velocities by the block's own mobility; zero exactly where the law holds.

    Args:
        problem: W (3n, nu), c0 (3n,), f (3n,), kind, offset, mu, bound (n,), edges (k, 2), dissipative (bool),
            form (see kernels/problem.py; standard if absent).
    """
    if problem.get("form") == SOFT:
        return soft_conditions(problem)
    if problem.get("form") == ENERGY:
        return energy_conditions(problem)
    W, f = problem["W"], problem["f"]
    n = len(problem["kind"])
    c = (W @ (W.T @ f) + problem["c0"]).reshape(n, 3)
    f = f.reshape(n, 3)
    mobility = (W**2).sum(axis=1).reshape(n, 3)
    scale = max(np.abs(problem["c0"]).max(initial=0.0), -problem["offset"].min(initial=0.0)) or 1.0
    worst = {"normal": 0.0, "friction": 0.0, "joints": 0.0}
    for i in range(n):
        m, mu = mobility[i, 1:].max(), problem["mu"][i]
        tangent, slip = m * f[i, 1:], c[i, 1:]
        if problem["kind"][i] == BOX:
            limit = m * problem["bound"][i]
            miss = abs(tangent[0] - np.clip(tangent[0] - slip[0], -limit, limit))
            worst["joints"] = max(worst["joints"], miss)
            continue
        opening = c[i, 0] + problem["offset"][i]
        if problem["dissipative"] and problem["kind"][i] == CONE and 0 < mu < np.inf:
            impulse = mobility[i].max() * f[i]
            target = impulse - [opening, *slip]
            exact = problem.get("form") == EXACT
            nearest = (
                project_on_round_cone(target, mu) if exact else project_on_cone(target, mu, problem["edges"][:, :2])
            )
            miss = np.abs(impulse - nearest)
            worst["normal"] = max(worst["normal"], miss[0])
            worst["friction"] = max(worst["friction"], miss[1], miss[2])
            continue
        push = mobility[i, 0] * f[i, 0]
        worst["normal"] = max(worst["normal"], abs(min(push, opening)))
        if problem["kind"][i] != CONE or mu == 0:
            miss = np.abs(tangent).max()
        elif problem["dissipative"]:
            miss = np.abs(slip).max()
        elif np.isinf(mu):
            miss = min(max(push, np.abs(tangent).max()), np.abs(slip).max())
            if push <= 1e-12 * scale:
                miss = max(miss, np.abs(tangent).max())
        elif m == 0:
            # No impulse changes this slip: friction lies at the edge of the pyramid most against it.
            against = -(problem["edges"][:, :2] @ slip)
            edge = problem["edges"][against.argmax(), :2] if against.max() > 0 else np.zeros(2)
            miss = mobility[i, 0] * np.abs(f[i, 1:] - mu * f[i, 0] * edge).max()
        else:
            radius = min(m * mu * max(f[i, 0], 0.0), 1e6 * np.abs(tangent - slip).max())  # beyond, it does not bind
            miss = np.abs(tangent - project_on_pyramid(tangent - slip, radius, len(problem["edges"]))).max()
        worst["friction"] = max(worst["friction"], float(miss))
    return {name: float(value / scale) for name, value in worst.items()}


def project_on_cone(point: Any, mu: float, edges: Any) -> Any:
    """Nearest point (3,) of the cone of impulses with edges (1, mu D_j), D (k, 2): the best of all edges and faces."""
    best, inside = np.zeros(3), True
    for edge, after in zip(edges, np.roll(edges, -1, axis=0), strict=True):
        ray = np.array([1.0, *(mu * edge)]) / np.hypot(1.0, mu)
        candidates = [max(ray @ point, 0.0) * ray]
        middle, along = (edge + after) / 2, after - edge  # the face between two edges
        size = np.linalg.norm(middle)
        outward = np.array([-mu * size, *(middle / size)]) / np.hypot(mu * size, 1.0)
        beyond = outward @ point
        foot = point - beyond * outward
        if 2 * size * size * abs(along @ foot[1:]) <= (along @ along) * (middle @ foot[1:]):
            candidates.append(foot)
        inside &= beyond <= 0
        # The nearest is the longest: |point|^2 = |candidate|^2 + distance^2, and the candidates are told better apart.
        best = max(best, *candidates, key=np.linalg.norm)
    return point if inside else best
