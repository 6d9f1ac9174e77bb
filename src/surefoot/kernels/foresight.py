"""What contacts will do by the law under torques just found, and how those that the program gives up come to rest."""

from __future__ import annotations

import math

from surefoot.kernels.cache import part
from surefoot.kernels.dynamics_space import OUT, SLIDES, STICKS
from surefoot.kernels.plant import CONE
from surefoot.kernels.status import REGULARISED, SOLVED
from surefoot.kernels.step import solve_rows

MOVES = 1e-4  # m/s: a contact that is faster slips or lifts, unless it comes to rest as planned
SAME = 1e-6  # m/s: rounding, in that
STAYS = 1e-2  # weight of accelerations in m/s^2 of contacts given up: free to move, but not for nothing


@part
def foresee(c, n):
    """Let the law say what the torques just found do; `rubs` is where friction will point."""
    step, contacts = c.step, c.sizes[0]
    for i in range(step.dofs.shape[0]):
        step.torque[step.dofs[i]] = c.torque[i]
    status, _, _, _, _ = solve_rows(step, n)
    c.law[0], c.law[1] = status, 0
    for i in range(step.dofs.shape[0]):
        step.reduced.kappa[step.dofs[i]] -= step.settings.dt * c.torque[i]  # as the program knows it
        step.torque[step.dofs[i]] = 0.0
    if status != SOLVED and status != REGULARISED:
        c.law[1] = contacts
        return
    left = 1.0 - step.settings.dt / c.settle  # of the velocity of a contact that comes to rest as planned
    for i in range(contacts):
        for k in range(3):
            before, after = 0.0, 0.0
            for j in range(step.v_next.shape[0]):
                before += step.rows.J[3 * i + k, j] * step.plant.qvel[j]
                after += step.rows.J[3 * i + k, j] * step.v_next[j]
            c.seen[3 * i + k], c.planned[k] = after, left * before
        push, slip = step.f[3 * i], math.hypot(c.seen[3 * i + 1], c.seen[3 * i + 2])
        if step.rows.kind[i] != CONE or c.seen[3 * i] > max(MOVES, SAME + c.planned[0]):
            c.foreseen[i] = OUT
        elif slip <= max(MOVES, SAME + math.hypot(c.planned[1], c.planned[2])):
            c.foreseen[i] = STICKS
        else:
            c.foreseen[i] = SLIDES
            grip = step.rows.mu[i] * push
            for k in range(2):
                c.rubs[i, k] = step.f[3 * i + 1 + k] / grip if grip > 0.0 else 0.0
        other = c.foreseen[i] != c.mode[i]
        if c.mode[i] == SLIDES and c.foreseen[i] == SLIDES:
            other = abs(c.rubs[i, 0] - c.rub[i, 0]) + abs(c.rubs[i, 1] - c.rub[i, 1]) > 1e-6
        if c.mode[i] != OUT and other:
            c.law[1] += 1


@part
def bring_to_rest(c, count, m):
    """Rows from m on that bring contacts given up to rest, as far as nothing else wants them to move."""
    work, space, rows, v, root = c.program, c.space, c.step.rows, c.step.plant.qvel, math.sqrt(STAYS)
    if c.given[0] == 0:
        return m
    for i in range(c.sizes[0]):
        first = 1 if c.mode[i] == SLIDES else 0
        if c.mode[i] == STICKS or c.chosen[i] == OUT:
            continue
        for row in range(3 * i + first, 3 * i + 3):
            total = 0.0
            for j in range(v.shape[0]):
                total -= rows.J[row, j] * (v[j] / c.settle + space.a0[j])
            work.e[m] = root * total
            for b in range(count):
                total = 0.0
                for j in range(v.shape[0]):
                    total += rows.J[row, j] * space.A[b, j]
                work.D[b, m] = root * total
            m += 1
    return m


@part
def copy_modes(c, mode, rub, mode_out, rub_out):
    """Keep what each contact is taken for."""
    for i in range(c.sizes[0]):
        mode_out[i] = mode[i]
        rub_out[i, 0], rub_out[i, 1] = rub[i, 0], rub[i, 1]
