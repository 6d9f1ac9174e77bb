"""Gauss-Seidel sweeps: they suggest modes for `active_modes` to start from. A guess, never an answer."""

from __future__ import annotations

import math

from surefoot.kernels.active_modes import contact_velocities
from surefoot.kernels.cache import kernel
from surefoot.kernels.plant import BOX, CONE, NORMAL
from surefoot.kernels.pyramid import EDGE, OFF, STICK, boundary_mode, gauge, project


@kernel
def read_modes(W, nu, n, c0, kind, mu, bound, D, s, f):
    """Set the modes that impulses f suggest: those of the projection of f - c / g on the law's set."""
    contact_velocities(W, nu, n, c0, f, s.y, s.c)
    for i in range(n):
        gt = s.g[i, 1]
        if kind[i] == BOX:
            if gt > 0.0:
                y = f[3 * i + 1] - s.c[3 * i + 1] / gt
                s.mode[i] = STICK if abs(y) <= bound[i] else (EDGE if y > 0.0 else EDGE + 1)
        elif f[3 * i] <= 0.0:
            s.mode[i] = OFF
        elif kind[i] == NORMAL or mu[i] == 0.0 or math.isinf(mu[i]) or gt == 0.0:
            s.mode[i] = STICK
        else:
            x, y = f[3 * i + 1] - s.c[3 * i + 1] / gt, f[3 * i + 2] - s.c[3 * i + 2] / gt
            radius = mu[i] * f[3 * i]
            s.mode[i] = STICK if gauge(x, y, D) <= radius else boundary_mode(x, y, radius, D)


@kernel
def sweep(W, nu, n, c0, offset, kind, mu, bound, D, sweeps, s, f):
    """Projected Gauss-Seidel from f, block by block, then `read_modes`."""
    contact_velocities(W, nu, n, c0, f, s.y, s.c)
    for _ in range(sweeps):
        for i in range(n):
            gn, gt = s.g[i, 0], s.g[i, 1]
            if kind[i] != BOX:
                if gn == 0.0:
                    continue
                old = f[3 * i]
                opening = c0[3 * i] + offset[i]
                for j in range(nu):
                    opening += W[3 * i, j] * s.y[j]
                push = max(0.0, old - opening / gn)
                if push != old:
                    f[3 * i] = push
                    for j in range(nu):
                        s.y[j] += W[3 * i, j] * (push - old)
                if push == 0.0 and old == 0.0:
                    continue
            if gt == 0.0 or kind[i] == NORMAL or (kind[i] == CONE and mu[i] == 0.0):
                continue
            cx, cy = c0[3 * i + 1], c0[3 * i + 2]
            for j in range(nu):
                cx += W[3 * i + 1, j] * s.y[j]
                cy += W[3 * i + 2, j] * s.y[j]
            x, y = f[3 * i + 1] - cx / gt, f[3 * i + 2] - cy / gt
            if kind[i] == BOX:
                x, y = min(max(x, -bound[i]), bound[i]), 0.0
            elif f[3 * i] == 0.0:
                x, y = 0.0, 0.0
            elif not math.isinf(mu[i]):
                x, y = project(x, y, mu[i] * f[3 * i], D)
            dx, dy = x - f[3 * i + 1], y - f[3 * i + 2]
            f[3 * i + 1], f[3 * i + 2] = x, y
            for j in range(nu):
                s.y[j] += W[3 * i + 1, j] * dx + W[3 * i + 2, j] * dy
    read_modes(W, nu, n, c0, kind, mu, bound, D, s, f)
