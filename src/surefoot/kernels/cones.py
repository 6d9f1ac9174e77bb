"""Impulses in cones, in the variables in which every cone is circular.

    min_f 1/2 f'(V V' + diag(R)) f + f'b   over f in K

K is a product of blocks: equalities, half-lines, intervals and elliptic cones. With x = sqrt(R) f and A = V / sqrt(R)
an elliptic cone becomes |x_t| <= mu_hat x_0, mu_hat = mu_1 sqrt(R_1 / R_0), and the block's own minimiser for a given
u = A'x is the Euclidean projection x = P(y), y = -(A u + b / sqrt(R)), with a closed form and a closed derivative.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import part
from surefoot.kernels.status import CAPACITY, NOT_FINITE, SOLVED

# Kinds of blocks.
FREE = 0  # one row, any impulse: an equality
HALF = 1  # one row, f >= 0
INTERVAL = 2  # one row, |f| <= bound
ELLIPTIC = 3  # f_0 >= sqrt(sum_j (f_j / mu_j)^2); f_j = 0 where mu_j = 0


class Cones(NamedTuple):
    """One problem; arrays may be longer than its blocks and wider than `nu`.

    Attributes:
        V: (rows, nu).
        nu: number of columns in use.
        blocks: number of blocks.
        b: (rows,) velocities without impulses in m/s.
        R: (rows,) > 0, softness in 1/kg. In an ELLIPTIC block R_j mu_j^2 must be the same for all j >= 1 with mu_j > 0.
        first: (blocks,) int64. First row of a block.
        size: (blocks,) int64. Number of its rows.
        kind: (blocks,) int64. FREE, HALF, INTERVAL or ELLIPTIC.
        mu: (rows,) friction of the rows j >= 1 of ELLIPTIC blocks, finite.
        bound: (blocks,) largest impulse of an INTERVAL, inf allowed.
    """

    V: ndarray
    nu: int
    blocks: int
    b: ndarray
    R: ndarray
    first: ndarray
    size: ndarray
    kind: ndarray
    mu: ndarray
    bound: ndarray


class NewtonWork(NamedTuple):
    """Work arrays, all in the variables of the module's text; rows are packed block after block."""

    A: ndarray  # (rows, nu)
    d: ndarray  # (rows,) b / sqrt(R)
    shift: ndarray  # (rows,) what the multipliers of the round add to y
    pull: ndarray  # (rows,) A u + d of the answer
    own: ndarray  # (rows,) of a block: R / softened R
    root: ndarray  # (rows,) sqrt(softened R)
    first: ndarray  # (rows,) int64: first packed row of a block
    limit: ndarray  # (rows,) of a block: mu_hat, or the bound of an INTERVAL
    weight: ndarray  # (rows,) of a block: largest |A_j|^2
    y: ndarray  # (rows,)
    dy: ndarray  # (rows,) along the step
    x: ndarray  # (rows,)
    dx: ndarray  # (rows,) P'(y) dy
    answer: ndarray  # (rows,) the x that is judged
    trial: ndarray  # (rows,)
    image: ndarray  # (rows,)
    spare: ndarray  # (rows,)
    active: ndarray  # (rows + 3, nu) the rows a of the Hessian I + sum a a'
    H: ndarray  # (nu, nu)
    u: ndarray  # (nu,)
    du: ndarray  # (nu,)
    u_answer: ndarray  # (nu,) A' answer


def newton_work(rows: int, nu: int) -> NewtonWork:
    """Work arrays for up to `rows` rows and `nu` columns."""
    shapes = {"A": (rows, nu), "active": (rows + 3, nu), "H": (nu, nu), "u": nu, "du": nu, "u_answer": nu}
    arrays = {name: np.zeros(shapes.get(name, rows)) for name in NewtonWork._fields}
    return NewtonWork(**{**arrays, "first": np.zeros(rows, dtype=np.int64)})


@part
def scale_rows(p, rigid, work):
    """Fill A, d and what belongs to them for R as given; returns (status, rows, largest |b|)."""
    nu = p.nu
    rows, scale = int64(0), 0.0
    if nu > work.A.shape[1]:
        return CAPACITY, rows, scale
    for i in range(p.blocks):
        size, at = p.size[i], p.first[i]
        work.first[i] = rows
        if rows + size > len(work.d):
            return CAPACITY, rows, scale
        largest, ratio = 0.0, 0.0
        for j in range(size):
            R, b = p.R[at + j], p.b[at + j]
            root = math.sqrt(R)
            used = 1.0 / root
            if p.kind[i] == ELLIPTIC and j > 0:
                mu = abs(p.mu[at + j])
                if not math.isfinite(mu):
                    return NOT_FINITE, rows, scale
                if mu == 0.0:
                    used = 0.0
                elif ratio == 0.0:
                    ratio = mu * root / work.root[rows]
            length = 0.0
            for k in range(nu):
                work.A[rows + j, k] = used * p.V[at + j, k]
                length += work.A[rows + j, k] ** 2
            if not (R > 0.0 and math.isfinite(R) and math.isfinite(length) and math.isfinite(b)):
                return NOT_FINITE, rows, scale
            work.root[rows + j] = root
            work.d[rows + j] = used * b
            if used > 0.0:
                scale = max(scale, abs(b))
            largest = max(largest, length)
        work.limit[i] = ratio
        if p.kind[i] == INTERVAL:
            work.limit[i] = work.root[rows] * p.bound[i]
            if math.isnan(p.bound[i]):
                return NOT_FINITE, rows, scale
        work.weight[i] = largest
        work.own[i] = 0.0 if rigid else 1.0
        rows += size
    return SOLVED, rows, scale


@part
def soften_rows(p, rigid, soften, work):
    """Raise R to `soften` times diag(V V'), block by block."""
    for i in range(p.blocks):
        ratio = soften * work.weight[i]  # by which R must grow
        if not rigid:
            ratio = max(ratio, work.own[i])
        if not ratio > 0.0:
            continue
        work.own[i] /= ratio
        work.weight[i] /= ratio
        root = math.sqrt(ratio)
        if p.kind[i] == INTERVAL:
            work.limit[i] *= root
        for r in range(work.first[i], work.first[i] + p.size[i]):
            work.root[r] *= root
            work.answer[r] *= root
            work.d[r] /= root
            for k in range(p.nu):
                work.A[r, k] /= root


@part
def project(p, work, y, dy, step, x, dx):
    """X = P(y + step dy) and dx = P'(y + step dy) dy, block by block; x may be y if dy and dx are not."""
    for i in range(p.blocks):
        r = work.first[i]
        top = y[r] + step * dy[r]
        limit = work.limit[i]
        kind = p.kind[i]
        if kind != ELLIPTIC:
            x[r] = top
            dx[r] = dy[r]
            if (kind == HALF and top <= 0.0) or (kind == INTERVAL and abs(top) > limit):
                x[r] = 0.0 if kind == HALF else math.copysign(limit, top)
                dx[r] = 0.0
            continue
        last = r + p.size[i]
        size, along = 0.0, 0.0
        for k in range(r + 1, last):
            side = y[k] + step * dy[k]
            x[k] = side
            dx[k] = dy[k]
            size += side * side
            along += side * dy[k]
        size = math.sqrt(size)
        x[r] = top
        dx[r] = dy[r]
        if limit * size <= -top:
            for k in range(r, last):
                x[k] = 0.0
                dx[k] = 0.0
        elif size > limit * top:
            along /= size
            x[r] = (top + limit * size) / (1.0 + limit * limit)
            dx[r] = (dy[r] + limit * along) / (1.0 + limit * limit)
            shrink = limit * x[r] / size
            radial = (limit * dx[r] - shrink * along) / size
            for k in range(r + 1, last):
                dx[k] = radial * x[k] + shrink * dy[k]
                x[k] *= shrink


@part
def active_rows(p, work):
    """Rows a with sum a a' = A' P'(y) A, from y and x; returns their number.

    A sliding block of direction n has P' = w w' / (1 + mu_hat^2) + shrink (1 - n n') with w = (1, mu_hat n). The
    second part is that of the columns of a Householder reflection which maps n to the first axis: no difference of
    large numbers spoils its sign.
    """
    A, active, nu, x, y = work.A, work.active, p.nu, work.x, work.y
    count = 0
    for i in range(p.blocks):
        r = work.first[i]
        size, limit = p.size[i], work.limit[i]
        if p.kind[i] != ELLIPTIC:
            if x[r] == y[r]:
                for k in range(nu):
                    active[count, k] = A[r, k]
                count += 1
            continue
        if x[r] <= 0.0:
            continue
        side = 0.0
        for k in range(r + 1, r + size):
            side += y[k] * y[k]
        side = math.sqrt(side)
        if side <= limit * y[r]:
            for j in range(size):
                for k in range(nu):
                    active[count + j, k] = A[r + j, k]
            count += size
            continue
        shrink = math.sqrt(limit * x[r] / side)
        head = math.copysign(1.0, y[r + 1])
        base = 1.0 + abs(y[r + 1]) / side
        top = 1.0 / math.sqrt(1.0 + limit * limit)
        for k in range(nu):
            mixed = head * A[r + 1, k]  # v'A with v = n + head e_1
            for j in range(1, size):
                mixed += y[r + j] / side * A[r + j, k]
            active[count, k] = top * (A[r, k] + limit * (mixed - head * A[r + 1, k]))
            for j in range(2, size):
                active[count + j - 1, k] = shrink * (A[r + j, k] - y[r + j] / side / base * mixed)
        count += size - 1
    return count


@part
def gather(p, rows, work, x, u):
    """U = A'x."""
    for j in range(p.nu):
        u[j] = 0.0
    for r in range(rows):
        if x[r] != 0.0:
            for j in range(p.nu):
                u[j] += x[r] * work.A[r, j]
