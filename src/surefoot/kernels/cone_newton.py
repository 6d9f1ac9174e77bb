"""Newton's method for impulses in cones: the unique minimum of a strictly convex problem, in the space of velocities.

    min_f 1/2 f'(V V' + diag(R)) f + f'b   over f in K        <=>        min_u 1/2 |u|^2 + sum_i env_i(V_i u + b_i)

With x = sqrt(R) f and A = V / sqrt(R) every cone is circular, |x_t| <= mu_hat x_0, and the block's own minimiser for
a given u is the Euclidean projection x = P(y), y = -(A u + b / sqrt(R)). So the right problem has the gradient
u - A'x, continuous, and the Hessian I + A' P'(y) A, positive definite: Newton with an exact line search converges from
anywhere and ends in few steps.

For small R the difference in y leaves few digits of x. The linearised x + P'(y) dy of the last step does not suffer:
it fulfils u = A'x to rounding. Its projection is the answer, and is judged as such: with u = A'x, how far the law

    f = Proj_K(f - (V u + b + R f) / g)

is violated, times g (so in units of velocity), relative to the largest |b|.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import inlined, kernel, part
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve, dot, row_dot
from surefoot.kernels.status import CAPACITY, NOT_FINITE, SOLVED, UNSOLVED

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
    """Work arrays, all in scaled variables; rows are packed block after block."""

    A: ndarray  # (rows, nu)
    d: ndarray  # (rows,) b / sqrt(R)
    shift: ndarray  # (rows,) what the multipliers of the round add to y
    pull: ndarray  # (rows,)
    own: ndarray  # (rows,) of a block: R / softened R
    root: ndarray  # (rows,) sqrt(softened R)
    first: ndarray  # (rows,) int64: first packed row of a block
    limit: ndarray  # (rows,) of a block: mu_hat, or the bound of an INTERVAL
    weight: ndarray  # (rows,) of a block: g / R of the law above
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
    vectors = [np.zeros(rows) for _ in range(15)]
    return NewtonWork(
        np.zeros((rows, nu)),
        *vectors[:5],
        np.zeros(rows, dtype=np.int64),
        *vectors[5:],
        np.zeros((rows + 3, nu)),
        np.zeros((nu, nu)),
        *(np.zeros(nu) for _ in range(3)),
    )


def run_soft(p: Cones, tolerance: float, work: NewtonWork, u: ndarray, f: ndarray) -> tuple[int, float, int]:
    """`solve_soft` for Python."""
    return _run(p, False, tolerance, work, u, f)


def run_rigid(p: Cones, tolerance: float, work: NewtonWork, u: ndarray, f: ndarray) -> tuple[int, float, int]:
    """`solve_rigid` for Python."""
    return _run(p, True, tolerance, work, u, f)


@kernel
def _run(p, rigid, tolerance, work, u, f):
    return _solve(p, rigid, tolerance, work, u, f)


@inlined
def solve_soft(p, tolerance, work, u, f):
    """The minimum for R as given.

    Args:
        p: the problem.
        tolerance: largest violation of the law that counts as solved, relative to the largest |b|.
        work: arrays of `newton_work`.
        u: (>= nu,) start (zeros if unknown); V'f on return.
        f: (>= rows,) start (zeros if unknown); impulses on return. Rows of no block are left alone.

    Returns:
        (status, residual, iterations). NOT_FINITE (also for R <= 0) and CAPACITY leave zeros. UNSOLVED leaves the
        last attempt.
    """
    return _solve(p, False, tolerance, work, u, f)


@inlined
def solve_rigid(p, tolerance, work, u, f):
    """The limit R -> 0; of R only the ratios within a block count.

    A problem without a minimum makes the impulses run away: UNSOLVED then leaves their direction in f, which tends to
    V'f = 0, b'f < 0.

    Args and Returns: as of `solve_soft`.
    """
    return _solve(p, True, tolerance, work, u, f)


@part
def _solve(p, rigid, tolerance, work, u, f):
    """The proximal method of multipliers, each round by Newton's method.

    A round solves the problem with the softness raised to `soften` times diag(V V'), about the impulses of the round
    before, and the next one raises it less. Where R itself is larger there is nothing to raise.
    """
    status, rows, scale = _scale(p, rigid, work)
    if status != SOLVED:
        _clear(p, u, f)
        return status, math.inf, int64(0)
    allowed = tolerance * scale
    forgiven = max(9.0 * allowed, 0.0 if rigid else 1e-6 * scale)
    for j in range(p.nu):
        work.u[j] = u[j]
    warm = False
    for i in range(p.blocks):
        for j in range(p.size[i]):
            r = work.first[i] + j
            start = work.root[r] * f[p.first[i] + j]
            work.answer[r] = start if math.isfinite(start) else 0.0
            warm = warm or work.answer[r] != 0.0
    soften, iterations, limit = 1e-2, int64(0), 100
    residual, violation, before = math.inf, math.inf, math.inf
    while iterations < limit:
        _soften(p, rigid, soften, work)
        for i in range(p.blocks):
            for r in range(work.first[i], work.first[i] + p.size[i]):
                work.shift[r] = (1.0 - work.own[i]) * work.answer[r]
        residual, violation, count = _newton(p, rows, allowed, forgiven, work)
        iterations += count
        if violation <= allowed:
            break
        if iterations >= limit or not math.isfinite(violation) or (soften <= 1e-10 and violation > 0.5 * before):
            if not warm:
                break
            warm, soften, before = False, 1e-2, math.inf  # the start was bad: once more without it
            limit = iterations + 100
            for j in range(p.nu):
                work.u[j] = 0.0
            for r in range(rows):
                work.answer[r] = 0.0
            continue
        soften = max(1e-2 * soften, 1e-10 if rigid else 0.0)
        before = violation
    if not math.isfinite(violation):
        _clear(p, u, f)
        return UNSOLVED, math.inf, iterations
    for j in range(p.nu):
        u[j] = work.u[j]
    for i in range(p.blocks):
        for j in range(p.size[i]):
            r = work.first[i] + j
            f[p.first[i] + j] = work.answer[r] / work.root[r]
    residual = residual / scale if scale > 0.0 else residual
    return (SOLVED if violation <= allowed else UNSOLVED), residual, iterations


@inlined
def _clear(p, u, f):
    for j in range(p.nu):
        u[j] = 0.0
    for i in range(p.blocks):
        for r in range(p.first[i], p.first[i] + p.size[i]):
            f[r] = 0.0


@part
def _scale(p, rigid, work):
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
def _soften(p, rigid, soften, work):
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


@inlined
def _newton(p, rows, allowed, forgiven, work):
    """Minimise from work.u; the answer goes to `answer` and `u_answer`. Returns (violation, iterations)."""
    u, y, dy, x, dx, du = work.u, work.y, work.dy, work.x, work.dx, work.du
    _choose_start(p, rows, work)
    raw, violation, steps = math.inf, math.inf, int64(0)
    near = True  # whether the start may be the answer already
    while steps < 50:
        for r in range(rows):
            y[r] = work.shift[r] - work.d[r] - row_dot(work.A, r, u, p.nu)
        _evaluate(p, work, y, y, 0.0, x, dx)
        _gather(p, rows, work, x, du)
        missing = 0.0
        for j in range(p.nu):
            du[j] -= u[j]
            missing += du[j] * du[j]
        near = near and missing <= 1e-12 * dot(u, u, p.nu)
        if not near:
            steps += 1
            _hessian(p, work)
            if not cholesky(work.H, p.nu):
                return math.inf, math.inf, steps
            cholesky_solve(work.H, p.nu, du)
            for r in range(rows):
                dy[r] = -row_dot(work.A, r, du, p.nu)
            _evaluate(p, work, y, dy, 0.0, x, dx)
        slope = dot(u, du, p.nu) + dot(x, dy, rows)
        for r in range(rows):
            work.trial[r] = x[r] if near else x[r] + dx[r]
        raw, violation, inner = _judge(p, rows, forgiven, work)
        if violation <= allowed or (inner <= 0.3 * violation and not near):
            for j in range(p.nu):
                u[j] += du[j]
            break
        if not near:
            step = _line_search(p, rows, work, slope)
            for j in range(p.nu):
                u[j] += step * du[j]
        near = False
    return raw, violation, steps


@part
def _choose_start(p, rows, work):
    """Leave work.u as it is, or zero if that is better."""
    u, y, x = work.u, work.y, work.x
    size = dot(u, u, p.nu)
    if size == 0.0:
        return
    cost = 0.0
    for trial in range(2):
        for r in range(rows):
            y[r] = work.shift[r] - work.d[r] - (0.0 if trial == 0 else row_dot(work.A, r, u, p.nu))
        _evaluate(p, work, y, y, 0.0, x, work.dx)
        total = 0.0 if trial == 0 else 0.5 * size
        for r in range(rows):
            total += x[r] * (y[r] - 0.5 * x[r])
        if trial == 1 and not total <= cost:
            for j in range(p.nu):
                u[j] = 0.0
        cost = total


@part
def _line_search(p, rows, work, slope):
    """Step to the minimum along du, by safeguarded Newton on the slope; `slope` is that of step 0."""
    linear = dot(work.u, work.du, p.nu)
    square = dot(work.du, work.du, p.nu)
    low, high, step = 0.0, math.inf, 1.0
    for _ in range(30):
        _evaluate(p, work, work.y, work.dy, step, work.x, work.dx)
        here = linear + step * square + dot(work.x, work.dy, rows)
        if abs(here) <= 1e-2 * abs(slope):
            break
        if here < 0.0:
            low = step
        else:
            high = step
        step -= here / (square + dot(work.dx, work.dy, rows))
        if not low < step < high:
            step = 0.5 * (low + high) if math.isfinite(high) else 2.0 * low
    return step


@part
def _evaluate(p, work, y, dy, step, x, dx):
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
def _hessian(p, work):
    """H = I + A' P'(y) A, lower triangle."""
    H, active, nu = work.H, work.active, p.nu
    count = _active_rows(p, work)
    for r in range(count, count + 3):  # rows are taken by fours
        for k in range(nu):
            active[r, k] = 0.0
    for i in range(nu):
        for j in range(i):
            H[i, j] = 0.0
        H[i, i] = 1.0
    for r in range(0, count, 4):
        for i in range(nu):
            a, b, c, d = active[r, i], active[r + 1, i], active[r + 2, i], active[r + 3, i]
            for j in range(i + 1):
                H[i, j] += a * active[r, j] + b * active[r + 1, j] + c * active[r + 2, j] + d * active[r + 3, j]


@part
def _active_rows(p, work):
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
def _gather(p, rows, work, x, u):
    """U = A'x."""
    for j in range(p.nu):
        u[j] = 0.0
    for r in range(rows):
        if x[r] != 0.0:
            for j in range(p.nu):
                u[j] += x[r] * work.A[r, j]


@part
def _judge(p, rows, forgiven, work):
    """Take the projection of `trial` as the answer; returns its violation of the law, and of the law of this round.

    What the rounding of the answer causes does not count: it is out of reach where impulses are large and cancel.
    """
    answer, trial, image = work.answer, work.trial, work.image
    _evaluate(p, work, trial, trial, 0.0, answer, work.spare)
    _gather(p, rows, work, answer, work.u_answer)
    for r in range(rows):
        work.pull[r] = work.d[r] + row_dot(work.A, r, work.u_answer, p.nu)
    noise = 0.0
    for i in range(p.blocks):
        size = 0.0
        for r in range(work.first[i], work.first[i] + p.size[i]):
            size += abs(answer[r])
        noise += 1e-15 * size * math.sqrt(1.0 + work.weight[i])
    raw, outer, inner = 0.0, 0.0, 0.0
    for law in range(2):
        for i in range(p.blocks):
            own = work.own[i] if law == 0 else 1.0
            for r in range(work.first[i], work.first[i] + p.size[i]):
                pull = work.pull[r] + own * answer[r] - (work.shift[r] if law == 1 else 0.0)
                trial[r] = answer[r] - pull / (1.0 + work.weight[i])
        _evaluate(p, work, trial, trial, 0.0, image, work.spare)
        worst, total = 0.0, 0.0
        for i in range(p.blocks):
            for r in range(work.first[i], work.first[i] + p.size[i]):
                g = 1.0 + work.weight[i]
                violation = work.root[r] * g * abs(answer[r] - image[r])
                total += violation
                raw = max(raw, violation) if law == 0 else raw
                worst = max(worst, violation - min(forgiven, work.root[r] * noise * math.sqrt(g)))
        worst = worst if math.isfinite(total) else math.inf
        if law == 0:
            outer = worst
        else:
            inner = worst
    return raw, outer, inner
