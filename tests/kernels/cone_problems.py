"""Problems of impulses in cones, known and random, and the projection by plain NumPy."""

import math
from typing import NamedTuple

import numpy as np

from surefoot.kernels.cones import ELLIPTIC, FREE, HALF, INTERVAL, Cones, newton_work

TOLERANCE = 1e-11


class Answer(NamedTuple):
    status: int
    residual: float
    iterations: int
    u: np.ndarray
    f: np.ndarray


def cones(V, b, R, blocks):
    """A problem of `blocks`, each (kind, mu of its rows j >= 1, bound)."""
    V = np.atleast_2d(np.asarray(V, dtype=float))
    size = np.array([1 + len(mu) for _, mu, _ in blocks], dtype=np.int64)
    return Cones(
        V=V,
        nu=V.shape[1],
        blocks=len(blocks),
        b=np.asarray(b, dtype=float),
        R=np.asarray(R, dtype=float),
        first=np.cumsum(size) - size,
        size=size,
        kind=np.array([kind for kind, _, _ in blocks], dtype=np.int64),
        mu=np.array([value for _, mu, _ in blocks for value in (1.0, *mu)]),
        bound=np.array([bound for _, _, bound in blocks], dtype=float),
    )


def contact(*mu):
    return ELLIPTIC, mu, 0.0


def point(v, *, mass=1.0, R=0.01, mu=0.5, copies=1):
    """A point of `mass` on the ground with velocity v (normal first)."""
    V = np.tile(np.eye(3) / math.sqrt(mass), (copies, 1))
    return cones(V, np.tile(v, copies), np.full(3 * copies, R), [contact(mu, mu)] * copies)


def solved(run, p, tolerance=TOLERANCE, start=None):
    rows = len(p.b)
    u, f = (np.zeros(p.nu), np.zeros(rows)) if start is None else (start.u.copy(), start.f.copy())
    code, residual, iterations = run(p, tolerance, newton_work(rows, p.nu), u, f)
    return Answer(code, residual, iterations, u, f)


def projection(p, y, R):
    """Nearest f in K to y in the metric R, by plain NumPy in the variables sqrt(R) f."""
    f = np.zeros_like(y)
    for i in range(p.blocks):
        rows = np.arange(p.first[i], p.first[i] + p.size[i])
        if p.kind[i] == ELLIPTIC:
            used = rows[1:][p.mu[rows[1:]] > 0]
            top, side = math.sqrt(R[rows[0]]) * y[rows[0]], np.sqrt(R[used]) * y[used]
            slope = p.mu[used[0]] * math.sqrt(R[used[0]] / R[rows[0]]) if len(used) else 0.0
            t = np.linalg.norm(side)
            if slope * t <= -top:
                continue
            if t > slope * top:
                top = (top + slope * t) / (1 + slope**2)
                side = slope * top * side / t
            f[rows[0]] = top / math.sqrt(R[rows[0]])
            f[used] = side / np.sqrt(R[used])
        else:
            low, high = {FREE: (-np.inf, np.inf), HALF: (0, np.inf), INTERVAL: (-p.bound[i], p.bound[i])}[p.kind[i]]
            f[rows] = np.clip(y[rows], low, high)
    return f


def objective(p, f, soft=1.0):
    return 0.5 * np.sum((p.V.T @ f) ** 2) + soft * 0.5 * np.sum(p.R * f * f) + p.b @ f


MENU = {
    "contacts": [contact(0.7, 0.7)],
    "torsion": [contact(0.7, 0.7, 0.1)],
    "rolling": [contact(0.7, 0.7, 0.1, 0.02, 0.02)],
    "planar": [contact(0.4)],
    "unlike": [contact(0.9, 0.3), contact(0.0, 0.5), contact(0.5, 0.5, 0.0), contact(0.0, 0.0)],
    "scalars": [(FREE, (), 0.0), (HALF, (), 0.0), (INTERVAL, (), 0.3), (INTERVAL, (), math.inf)],
}
MENU["mixture"] = [block for blocks in MENU.values() for block in blocks]


def sample(rng, name, count, nu, soft, masses=0.0, copies=1, escape=False):
    """`count` blocks of the menu on bodies whose masses span 10^masses; `escape`: some motion opens every contact."""
    blocks = [MENU[name][k] for k in rng.integers(len(MENU[name]), size=count)]
    V, b, R = [], [], []
    mass = 10 ** rng.uniform(-masses / 2, masses / 2, size=nu)
    u = rng.normal(size=nu) * np.sqrt(mass)
    for kind, mu, _ in blocks:
        rows = rng.normal(size=(1 + len(mu), nu)) / np.sqrt(mass)
        away = rng.normal(size=1 + len(mu))
        if escape:
            one_sided = kind in (HALF, ELLIPTIC)
            away[0] = np.linalg.norm(away[1:] * mu) + abs(away[0]) * rng.integers(2) if one_sided else 0.0
            away -= rows @ u
        r = soft * max((rows[:3] ** 2).sum(axis=1).max(initial=0.0), 1e-12)
        used = [value for value in mu if value > 0]
        V.append(rows)
        b.append(away)
        R.append([r, *(r * (used[0] / value) ** 2 if value > 0 else r for value in mu)])
    V, b, R = (np.concatenate([value for value in values for _ in range(copies)]) for values in (V, b, R))
    return cones(V, b, R, [block for block in blocks for _ in range(copies)])
