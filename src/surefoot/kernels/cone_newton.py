"""Newton's method for impulses in cones: the unique minimum of a strictly convex problem, in the space of velocities.

    min_f 1/2 f'(V V' + diag(R)) f + f'b   over f in K        <=>        min_u 1/2 |u|^2 + sum_i env_i(V_i u + b_i)

In the variables of cones.py the right problem has the gradient u - A'x, x = P(y), which is continuous, and the Hessian
I + A' P'(y) A, positive definite: Newton with an exact line search converges from anywhere. It takes few steps unless R
is small against diag(V V'), where the cones' curvature confines it to short ones; then the proximal method of
multipliers leads there in rounds, each with a moderate R, and as far as R = 0.

For small R the difference in y leaves few digits of x. The linearised x + P'(y) dy of the last step does not suffer:
it fulfils u = A'x to rounding. Its projection is the answer, and is judged as such: with u = A'x, how far the law

    f = Proj_K(f - (V u + b + R f) / g)

is violated, times g (so in units of velocity), relative to the largest |b|.
"""

from __future__ import annotations

import math

from numba import int64
from numpy import ndarray

from surefoot.kernels.cache import inlined, kernel, part
from surefoot.kernels.cones import Cones, NewtonWork, active_rows, gather, project, scale_rows, soften_rows
from surefoot.kernels.linear_algebra import cholesky, cholesky_solve, dot, row_dot
from surefoot.kernels.status import SOLVED, UNSOLVED


def run_soft(p: Cones, tolerance: float, work: NewtonWork, u: ndarray, f: ndarray) -> tuple[int, float, int]:
    """`solve_soft` for Python."""
    return _run(p, 0, tolerance, work, u, f)


def run_rigid(p: Cones, tolerance: float, work: NewtonWork, u: ndarray, f: ndarray) -> tuple[int, float, int]:
    """`solve_rigid` for Python."""
    return _run(p, 1, tolerance, work, u, f)


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
        (status, residual, iterations). The residual is that of the law, of which what the rounding of f causes is
        forgiven (up to 1e-6; in `solve_rigid` up to ten times the tolerance). NOT_FINITE (also for R <= 0) and
        CAPACITY leave zeros, UNSOLVED the last attempt.
    """
    return _solve(p, int64(0), tolerance, work, u, f)


@inlined
def solve_rigid(p, tolerance, work, u, f):
    """The limit R -> 0; of R only the ratios within a block count.

    A problem without a minimum makes the impulses run away: UNSOLVED then leaves their direction in f, which tends to
    V'f = 0, b'f < 0.

    Args and Returns: as of `solve_soft`.
    """
    return _solve(p, int64(1), tolerance, work, u, f)


@part
def _solve(p, rigid, tolerance, work, u, f):
    """The proximal method of multipliers, each round by Newton's method.

    A round solves the problem with the softness raised to `soften` times diag(V V'), about the impulses of the round
    before, and the next one raises it less. Where R itself is larger there is nothing to raise.

    `rigid` is 0 or 1, not a literal bool, for each of which numba would compile everything anew.
    """
    status, rows, scale = scale_rows(p, rigid, work)
    if status != SOLVED:
        _clear(p, u, f)
        return status, math.inf, int64(0)
    allowed = tolerance * scale
    forgiven = max(9.0 * allowed, 0.0 if rigid else 1e-6 * scale)
    for j in range(p.nu):
        work.u[j] = u[j] if scale > 0.0 else 0.0
    warm = False
    for i in range(p.blocks):
        for j in range(p.size[i]):
            r = work.first[i] + j
            start = work.root[r] * f[p.first[i] + j]
            work.answer[r] = start if scale > 0.0 and math.isfinite(start) else 0.0
            warm = warm or work.answer[r] != 0.0
    soften, iterations, limit = 1e-2, int64(0), 100
    residual, violation, before = math.inf, math.inf, math.inf
    while iterations < limit:
        soften_rows(p, rigid, soften, work)
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


@inlined
def _newton(p, rows, allowed, forgiven, work):
    """One round from work.u, until the law holds or the round's own law is nearer than it.

    Returns (violation, the same less what is forgiven to rounding, steps); the answer is in `answer` and `u`.
    """
    u, y, dy, x, dx, du = work.u, work.y, work.dy, work.x, work.dx, work.du
    _choose_start(p, rows, work)
    raw, violation, steps = math.inf, math.inf, int64(0)
    near = True  # whether the start may be the answer already
    while steps < 50:
        for r in range(rows):
            y[r] = work.shift[r] - work.d[r] - row_dot(work.A, r, u, p.nu)
        project(p, work, y, y, 0.0, x, dx)
        gather(p, rows, work, x, du)
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
            project(p, work, y, dy, 0.0, x, dx)
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
        project(p, work, y, y, 0.0, x, work.dx)
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
        project(p, work, work.y, work.dy, step, work.x, work.dx)
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
def _hessian(p, work):
    """H = I + A' P'(y) A, lower triangle."""
    H, active, nu = work.H, work.active, p.nu
    count = active_rows(p, work)
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
def _judge(p, rows, forgiven, work):
    """Take the projection of `trial` as the answer; returns its violation of the law, also less rounding, and inner.

    What the rounding of the answer causes, up to `forgiven`, is out of reach where impulses are large and cancel.
    Inner: the violation of this round's law, less rounding.
    """
    answer, trial, image = work.answer, work.trial, work.image
    project(p, work, trial, trial, 0.0, answer, work.spare)
    gather(p, rows, work, answer, work.u_answer)
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
        project(p, work, trial, trial, 0.0, image, work.spare)
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
