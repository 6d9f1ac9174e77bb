"""Gauss-Seidel sweeps: they suggest modes for `active_modes` to start from. A guess, never an answer."""

from __future__ import annotations

import math

from surefoot.kernels.active_modes import contact_velocities
from surefoot.kernels.cache import part
from surefoot.kernels.plant import BOX, CONE, NORMAL
from surefoot.kernels.pyramid import EDGE, OFF, STICK, boundary_mode, cone_mode, gauge, project


@part
def read_modes(p, s, f):
    """Set the modes that impulses f suggest."""
    contact_velocities(p, f, s.y, s.c)
    project_modes(p, s, f)


@part
def project_modes(p, s, f):
    """Set the modes of the projection of f - c / g on the law's set, with the velocities c of f in `s.c`."""
    kind, mu, bound, D = p.kind, p.mu, p.bound, p.D
    for i in range(p.n):
        gt = s.g[i, 1]
        if kind[i] == BOX:
            if gt > 0.0:
                y = f[3 * i + 1] - s.c[3 * i + 1] / gt
                s.mode[i] = STICK if abs(y) <= bound[i] else (EDGE if y > 0.0 else EDGE + 1)
        elif p.dissipative and kind[i] == CONE and 0.0 < mu[i] < math.inf:
            g = max(s.g[i, 0], gt)
            s.mode[i] = OFF
            if g > 0.0:
                n = f[3 * i] - (s.c[3 * i] + p.offset[i]) / g
                s.mode[i] = cone_mode(n, f[3 * i + 1] - s.c[3 * i + 1] / g, f[3 * i + 2] - s.c[3 * i + 2] / g, mu[i], D)
        elif f[3 * i] <= 0.0:
            s.mode[i] = EDGE if p.dissipative and kind[i] == CONE and math.isinf(mu[i]) else OFF
        elif kind[i] == NORMAL or mu[i] == 0.0 or math.isinf(mu[i]) or gt == 0.0:
            s.mode[i] = STICK
        else:
            x, y = f[3 * i + 1] - s.c[3 * i + 1] / gt, f[3 * i + 2] - s.c[3 * i + 2] / gt
            radius = mu[i] * f[3 * i]
            s.mode[i] = STICK if gauge(x, y, D) <= radius else boundary_mode(x, y, radius, D)


@part
def sweep(p, sweeps, s, f):
    """Projected Gauss-Seidel from f, block by block, then `read_modes`."""
    W, nu, c0, kind, mu, bound = p.W, p.nu, p.c0, p.kind, p.mu, p.bound
    contact_velocities(p, f, s.y, s.c)
    for _ in range(sweeps):
        for i in range(p.n):
            gn, gt = s.g[i, 0], s.g[i, 1]
            if kind[i] != BOX:
                if gn == 0.0:
                    continue
                old = f[3 * i]
                opening = c0[3 * i] + p.offset[i]
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
                x, y = project(x, y, mu[i] * f[3 * i], p.D)
            dx, dy = x - f[3 * i + 1], y - f[3 * i + 2]
            f[3 * i + 1], f[3 * i + 2] = x, y
            for j in range(nu):
                s.y[j] += W[3 * i + 1, j] * dx + W[3 * i + 2, j] * dy
    read_modes(p, s, f)
