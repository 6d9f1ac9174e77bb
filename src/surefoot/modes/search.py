"""The tree of contact modes: from a system to linear inequalities, and down the tree with the compiled search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from surefoot.errors import SolveError
from surefoot.kernels import mode_search as kernel
from surefoot.kernels import simplex
from surefoot.kernels import status as codes
from surefoot.kernels.simplex import SimplexOptions
from surefoot.modes.blocks import STRICT, Block, planar_block, spatial_block
from surefoot.modes.scaling import Scaled, scaled
from surefoot.modes.system import ContactSystem
from surefoot.solvers.linear_program import LinearProgram

Array = NDArray[np.float64]

ROOM = 1e-5
"""Room of strict rows, without units, with which a combination is beyond doubt."""

RANK, ROUNDING = 1e-10, 1e-13
"""Singular values and products of rows that count as zero."""

BUDGET = 20_000
"""Nodes between two looks at the clock."""


INSIDE = 1e-7
"""Room, without units, within further rows: what only touches them does not count."""


class Inequalities(NamedTuple):
    """Forces, torques and massless accelerations as columns, forms and constraints as rows, all without units."""

    A: Array  # (m, nf + t + massless)
    b: Array  # (m,)
    low: Array  # (nf + t + massless + m,) bounds of columns and rows that belong to no contact
    high: Array
    torques: slice  # columns of the torques
    blocks: kernel.Blocks
    tokens: tuple[tuple[str, ...], ...]  # modes of each contact

    def with_rows(self, rows: Array, equal: Array, bounds: Array) -> Inequalities:
        """The same with `rows tau > bounds` and `equal tau = bounds` (the last ones) for the torques tau."""
        more = np.zeros((len(bounds), self.A.shape[1]))
        more[:, self.torques] = np.vstack([rows, equal])
        size = np.abs(more).max(axis=1, initial=0.0)
        size = np.where(size > 0, size, 1.0)
        above = np.concatenate([np.full(len(rows), np.inf), np.zeros(len(equal))])
        return self._replace(
            A=np.vstack([self.A, more / size[:, None]]),
            b=np.concatenate([self.b, -bounds / size]),
            low=np.concatenate([self.low, np.full(len(rows), INSIDE), np.zeros(len(equal))]),
            high=np.concatenate([self.high, above]),
        )


class Found(NamedTuple):
    """Combinations of modes: (N, k) numbers of tokens, and how many nodes of the tree were looked at."""

    leaves: NDArray[np.int64]
    nodes: int


def contact_blocks(system: ContactSystem, low: Array, high: Array) -> list[Block]:
    """The modes of each contact, for friction between low and high (k,); equal ones are a known friction."""
    blocks = []
    for i, velocity in enumerate(system.contact_velocity):
        mu = (float(low[i]), float(high[i]))
        if system.edges is None:
            blocks.append(planar_block(mu, velocity, system.threshold[i]))
        else:
            blocks.append(spatial_block(mu, velocity, system.threshold[i], system.edges))
    return blocks


def inequalities(system: ContactSystem, blocks: list[Block], units: Scaled | None = None) -> Inequalities:
    """Write a system as linear inequalities with the modes of its contacts."""
    units = scaled(system) if units is None else units
    d, (_, nf, t) = system.dimension, system.sizes
    heavy, light = units.weighs, ~units.weighs
    # a = W q + rate with q = W' f + S tau + q0 for coordinates that weigh: (4) and (5).
    given = np.hstack([units.W[:, heavy].T, units.S[heavy], np.zeros((heavy.sum(), light.sum()))])
    motion = units.W[:, heavy] @ given
    motion[:, nf + t :] = units.W[:, light]
    at_rest = units.W[:, heavy] @ units.q0[heavy] + units.rate
    n = motion.shape[1]
    parts, rest = [], []
    for i, block in enumerate(blocks):
        here = slice(i * d, (i + 1) * d)
        forms = np.zeros((len(block.force), n))
        forms[:, here] = block.force
        parts += [forms, block.motion @ motion[here]]
        rest += [np.zeros(len(block.force)), block.motion @ at_rest[here]]
    Q, F, T, bound = units.rows(system.physical_rows)
    parts.append(np.hstack([F, T, Q[:, light]]) + Q[:, heavy] @ given)
    rest.append(Q[:, heavy] @ units.q0[heavy] - bound)
    # What pushes on massless coordinates is in balance: (36).
    parts.append(np.hstack([units.W[:, light].T, units.S[light], np.zeros((light.sum(), light.sum()))]))
    rest.append(units.q0[light])
    A, b = np.vstack([np.zeros((0, n)), *parts]), np.concatenate([np.zeros(0), *rest])
    low, high = np.full(n + len(A), -np.inf), np.full(n + len(A), np.inf)
    torques = slice(nf, nf + t)
    low[torques], high[torques] = (system.torque_limits / units.torque[:, None]).T
    last = n + len(A) - len(bound) - light.sum()
    low[last:], high[last:] = 0.0, 0.0
    high[last : last + len(bound)][~system.physical_rows.equality] = np.inf
    return Inequalities(A, b, low, high, torques, _tables(blocks, n), tuple(block.tokens for block in blocks))


def _tables(blocks: list[Block], first: int) -> kernel.Blocks:
    """The blocks as the kernel takes them; their forms are rows in order, the first of them variable `first`."""
    k = len(blocks)
    most = max((len(block.tokens) for block in blocks), default=0)
    width = max((block.low.shape[1] for block in blocks), default=0)
    variable = np.zeros((k, width), dtype=np.int64)
    low, high = np.zeros((k, most, width)), np.zeros((k, most, width))
    strict = np.zeros((k, most, width), dtype=np.int64)
    free_low, free_high = np.zeros((k, width)), np.zeros((k, width))
    for i, block in enumerate(blocks):
        n, m = block.low.shape[1], len(block.tokens)
        variable[i, :n] = first + np.arange(n)
        first += n
        low[i, :m, :n] = np.where(block.strict & (block.low == 0), STRICT, block.low)
        high[i, :m, :n] = np.where(block.strict & (block.high == 0), -STRICT, block.high)
        strict[i, :m, :n] = block.strict * (1 * (block.low == 0) - 1 * (block.high == 0))
        free_low[i, :n] = low[i, :m, :n].min(axis=0, initial=np.inf)
        free_high[i, :n] = high[i, :m, :n].max(axis=0, initial=-np.inf)
        if block.always is not None:
            p = block.always.shape[1]
            free_low[i, :p], free_high[i, :p] = block.always
    return kernel.Blocks(
        count=np.array([len(block.tokens) for block in blocks], dtype=np.int64),
        size=np.array([block.low.shape[1] for block in blocks], dtype=np.int64),
        variable=variable,
        low=low,
        high=high,
        strict=strict,
        free_low=free_low,
        free_high=free_high,
    )


def search(problem: Inequalities, *, torque: Array | None = None, progress: bool = False) -> Found:
    """Find every combination of modes with a solution, at this torque (t,) (without units) or at any."""
    k = len(problem.tokens)
    if any(not tokens for tokens in problem.tokens):  # an impact: no mode at all
        return Found(np.zeros((0, k), dtype=np.int64), 0)
    s = simplex.simplex(problem.A, problem.b)
    s.low[:], s.high[:] = problem.low, problem.high
    if torque is not None:
        columns = problem.torques
        slack = 1e-9 * np.maximum(1.0, np.abs(torque))  # an optimum at a limit of zero may be off by rounding
        if ((torque < s.low[columns] - slack) | (torque > s.high[columns] + slack)).any():
            return Found(np.zeros((0, k), dtype=np.int64), 0)
        s.low[columns] = s.high[columns] = torque
    low, high = s.low.copy(), s.high.copy()
    state = kernel.search_state(k)
    leaves, sure = np.zeros((1024, k), dtype=np.int64), np.zeros(1024, dtype=np.int64)
    with _bar(progress) as show:
        while True:
            code = kernel.search(s, problem.blocks, simplex.SimplexOptions(), ROOM, state, BUDGET, leaves, sure)
            show(kernel.progress(state, problem.blocks))
            if code == codes.SOLVED:
                break
            if code == codes.CAPACITY:
                leaves, sure = np.vstack([leaves, np.zeros_like(leaves)]), np.append(sure, np.zeros_like(sure))
    _, found, nodes = state.counts.tolist()
    kept = [bool(sure[i]) or _thin(problem, leaves[i], low, high) for i in range(found)]
    return Found(leaves[:found][np.array(kept, dtype=bool)], nodes)


def _thin(problem: Inequalities, leaf: NDArray[np.int64], low: Array, high: Array) -> bool:
    """Whether a combination has solutions that are strict by a little: with its equations solved beforehand.

    In the search equations may be missed by as much as such a solution has room.
    """
    n = problem.A.shape[1]
    low, high, strict = low.copy(), high.copy(), np.zeros(len(low))
    for i, m in enumerate(leaf):
        forms = problem.blocks.variable[i, : problem.blocks.size[i]]
        bounds = (x[i, m, : len(forms)] for x in (problem.blocks.low, problem.blocks.high, problem.blocks.strict))
        low[forms], high[forms], strict[forms] = bounds
    low[strict > 0], high[strict < 0] = 0.0, 0.0
    rows, rest = np.vstack([np.eye(n), problem.A]), np.concatenate([np.zeros(n), problem.b])
    fixed = low == high
    U, sizes, V = np.linalg.svd(rows[fixed])
    rank = int((sizes > RANK).sum())
    miss = U.T @ (low[fixed] - rest[fixed])
    if np.abs(miss[rank:]).max(initial=0.0) > SimplexOptions().checked:
        return False
    start, N = V[:rank].T @ (miss[:rank] / sizes[:rank]), V[rank:].T
    above, below = ~fixed & np.isfinite(low), ~fixed & np.isfinite(high)
    A, b = np.vstack([rows[above], -rows[below]]), np.concatenate([rest[above] - low[above], high[below] - rest[below]])
    inner, slack = A @ N, A @ start + b
    inner[np.abs(inner) <= ROUNDING * np.linalg.norm(A, axis=1)[:, None]] = 0.0
    room = 1.0 * (np.concatenate([strict[above], strict[below]]) != 0)
    # Largest room t <= 1 of the strict rows, with y free: inner y + slack >= t room.
    wide = np.vstack([np.column_stack([inner, -room]), -np.eye(N.shape[1] + 1)[-1:]])
    offset = np.append(np.where(np.abs(slack) > ROUNDING, -slack, 0.0), -1.0)
    nothing = np.zeros((0, wide.shape[1]))
    found = LinearProgram(wide, offset, nothing, nothing[:, 0]).maximise(np.eye(wide.shape[1])[-1])
    if found.status == "undecided":
        raise SolveError(
            "a combination of modes could not be decided: the rows of the system are nearly dependent; remove contacts "
            "that are almost the same, or give their common row once"
        )
    return found.value > STRICT


def kinematic_modes(system: ContactSystem) -> tuple[str, ...]:
    """Modes whose accelerations fit together, whatever the forces: accelerations are the unknowns."""
    units, blocks = scaled(system), contact_blocks(system, system.friction, system.friction)
    bare = []
    for b in blocks:
        p = len(b.force)
        bare.append(Block(b.force[:0], b.motion, b.tokens, b.low[:, p:], b.high[:, p:], b.strict[:, p:]))
    d = system.dimension
    A = [b.motion @ units.W[i * d : (i + 1) * d] for i, b in enumerate(bare)]
    rest = [b.motion @ units.rate[i * d : (i + 1) * d] for i, b in enumerate(bare)]
    A, rest = np.vstack([np.zeros((0, system.nv)), *A]), np.concatenate([np.zeros(0), *rest])
    free = np.full(system.nv + len(A), np.inf)
    problem = Inequalities(A, rest, -free, free, slice(0, 0), _tables(bare, system.nv), tuple(b.tokens for b in bare))
    return names_of(system, problem, search(problem).leaves)


def name_of(system: ContactSystem, tokens: Iterable[str]) -> str:
    """The name of a combination: "FFS" in the plane, "F 3 S" in space."""
    return ("" if system.edges is None else " ").join(tokens)


def names_of(system: ContactSystem, problem: Inequalities, found: NDArray[np.int64]) -> tuple[str, ...]:
    """The names of combinations (N, k)."""
    return tuple(name_of(system, (problem.tokens[i][m] for i, m in enumerate(leaf))) for leaf in found.tolist())


class _bar:
    """A progress bar that appears if it is asked for; calling it moves it."""

    def __init__(self, wanted: bool) -> None:
        columns = (
            TextColumn("contact modes"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
        )
        self.bar = Progress(*columns, transient=True) if wanted else None

    def __enter__(self):
        if self.bar is None:
            return lambda done: None
        bar = self.bar
        bar.start()
        task = bar.add_task("", total=1.0)
        return lambda done: bar.update(task, completed=done)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
