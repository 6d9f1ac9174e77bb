"""Every solution of a small contact problem with Coulomb friction, and the one nearest to given impulses.

Rigid contact with friction may have several solutions, a continuum of them, or none. A contact is off, sticks, slides
on an edge of its pyramid (the slip is nearest to opposite that edge), or slides on a face (the slip is exactly
opposite the face, friction anywhere between its two edges):

    off       f = 0                               c_n + gap_rate > 0
    stick     f in the pyramid                    c_n + gap_rate = 0, c_t = 0
    edge j    f = f_n (1, mu d_j)                 c_n + gap_rate = 0, d_j'c_t < d_i'c_t for the edges i beside j
    face j    f_t in mu f_n conv(d_j, d_j+1)      c_n + gap_rate = 0, d_j'c_t = d_j+1'c_t < 0

The velocities of these modes do not overlap, so every solution has exactly one tuple of modes, and all solutions with
the same modes form one polyhedron. [Zapolsky2015], Algorithm 3 tries all 2^(6n) bases of the complementarity problem
with four edges; there are at most 10^n tuples of modes, and few survive the tests on the way.

All solutions lie in a ball: for any a with `c0 + gap_rate e_n - W a` in the dual of the friction cones (if there is
one), dissipation `f'(c + gap_rate e_n) <= 0` gives `|y + a/2| <= |a|/2` with `y = W'f`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels.mode_enumeration import enumerate_modes, enumeration_work
from surefoot.kernels.mode_leaf import POINT, WIDE, ModeOptions, Modes
from surefoot.solvers.contact_problem import ContactProblem, edge_directions
from surefoot.solvers.principal_pivoting import solve_low_rank
from surefoot.solvers.status import Status

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Branch:
    """All solutions with the same modes: one point, or a polyhedron `f = point + basis t` with `rows f + offset >= 0`.

    Attributes:
        modes: per contact "off", "load" (without friction), "stick", "edge j" or "face j" (between edges j and j + 1).
        point: (3n,) one solution; of a polyhedron the one with the smallest |f| [N s].
        basis: (3n, d) orthonormal directions of the affine hull; d = 0 if the solution is unique.
        rows: (q, 3n) inequalities, none if d = 0.
        offset: (q,).
    """

    modes: tuple[str, ...]
    point: Array
    basis: Array
    rows: Array
    offset: Array

    @property
    def dimension(self) -> int:
        """Dimension of the set of solutions, 0 for a point."""
        return self.basis.shape[1]

    def nearest(self, reference: Any) -> Array:
        """Return the solution (3n,) on this branch that is nearest to impulses `reference` (3n,), in |f| [N s]."""
        reference = checks.array("reference", reference, (len(self.point),))
        if self.dimension == 0:
            return self.point.copy()
        f = self.point + self.basis @ (self.basis.T @ (reference - self.point))
        for _ in range(2):  # the second time is a refinement
            slack = self.rows @ f + self.offset
            slack[np.abs(slack) <= 1e-13 * (np.abs(self.rows) @ np.abs(f) + np.abs(self.offset))] = 0.0
            f = f + self.basis @ solve_low_rank(self.rows @ self.basis, slack).u
        return f


class Nearest(NamedTuple):
    """The solution nearest to a reference: impulses f (3n,) [N s], its modes, and |f - reference| [N s]."""

    f: Array
    modes: tuple[str, ...]
    distance: float


def all_solutions(
    problem: ContactProblem, *, limit_contacts: int = 4, edges: int = 4, tolerance: float = 1e-9
) -> list[Branch]:
    """Find every solution of a small contact problem.

    Args:
        problem: the problem; friction may be zero or infinite.
        limit_contacts: most contacts that may carry load; work grows about tenfold with each (for four edges).
        edges: edges of the friction pyramid.
        tolerance: largest `problem.residual` of a solution, and the width of the border between two modes.

    Returns:
        Branches with different modes and without common inner points; empty if there is no solution.

    Raises:
        InputError: too many contacts.
    """
    limit = int(checks.number("limit_contacts", limit_contacts, at_least=1))
    tolerance = checks.number("tolerance", tolerance, above=0)
    edge_directions(edges)
    if problem.size == 0:
        return [Branch((), np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0))]
    search = _Search(problem, edges, tolerance)
    if len(search.loaded) > limit:
        raise InputError(
            f"problem: expected at most {limit} contacts that may carry load (limit_contacts), got "
            f"{len(search.loaded)}; each one more takes about {2 + 2 * edges} times as long. For more contacts use a "
            'solver that returns one solution: lemke, or the law Coulomb without select="nearest"'
        )
    return search.run()


def nearest_solution(
    problem: ContactProblem, reference: Any, *, limit_contacts: int = 4, edges: int = 4, tolerance: float = 1e-9
) -> Nearest | None:
    """Return the solution nearest to impulses `reference` (3n,) in |f - reference|, or None if there is no solution.

    Args:
        problem: the problem.
        reference: (3n,) impulses, say those of the last step [N s].
        limit_contacts: see `all_solutions`.
        edges: see `all_solutions`.
        tolerance: see `all_solutions`.
    """
    reference = checks.array("reference", reference, (3 * problem.size,))
    best = None
    for branch in all_solutions(problem, limit_contacts=limit_contacts, edges=edges, tolerance=tolerance):
        f = _pulled(problem, branch.nearest(reference), branch.point, edges, tolerance)
        distance = float(np.linalg.norm(f - reference))
        if best is None or distance < best.distance:
            best = Nearest(f, branch.modes, distance)
    return best


class _Mode(NamedTuple):
    """One mode of a contact: `f = C x`, `F x >= 0`, `R c = 0`, `V c >= 0` (the gap counts as normal velocity)."""

    name: str
    C: Array  # (3, m)
    R: Array  # (m, 3)
    F: Array  # (s, m)
    V: Array  # (v, 3)


def _contact_modes(mu: float, closed: bool, edges: int) -> tuple[list[_Mode], Array]:
    """Return the modes of a contact and the (g, 3) generators of its cone of impulses."""
    normal, none = np.eye(3)[:1], np.zeros((0, 3))
    off = _Mode("off", np.zeros((3, 0)), none, np.zeros((0, 0)), normal)
    if not closed or mu == 0.0:
        return [off, _Mode("load", normal.T, normal, np.eye(1), none)], normal
    if np.isinf(mu):
        sides = np.array([[0.0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
        stick = _Mode("stick", np.eye(3), np.eye(3), normal + _LEAST_NORMAL * sides, none)
        return [off, stick], np.concatenate([normal, sides])
    D = edge_directions(edges)
    sides = np.roll(D, -1, axis=0) - D
    sides = np.pad(sides / np.linalg.norm(sides, axis=1)[:, None], ((0, 0), (1, 0)))
    outward = np.stack([0 * sides[:, 0], sides[:, 2], -sides[:, 1]], axis=1)
    cone = np.pad(mu * D, ((0, 0), (1, 0)), constant_values=1.0) / np.hypot(1.0, mu)
    faces = (mu * np.cos(np.pi / edges) * normal - outward) / np.hypot(1.0, mu)
    modes = [off, _Mode("stick", np.eye(3), np.eye(3), faces, none)]
    for j in range(edges):
        beside = np.stack([sides[j], -sides[j - 1]])
        modes.append(_Mode(f"edge {j}", cone[j : j + 1].T, normal, np.eye(1), beside))
    for j in range(edges):
        between = cone[[j, (j + 1) % edges]].T
        modes.append(_Mode(f"face {j}", between, np.stack([normal[0], sides[j]]), np.eye(2), -outward[j : j + 1]))
    return modes, cone


class _Search:
    """One problem without units: impulses over sqrt(m_i), velocities times sqrt(m_i), largest |c0| equal to 1."""

    def __init__(self, problem: ContactProblem, edges: int, tolerance: float) -> None:
        self.problem, self.edges, self.tolerance = problem, edges, tolerance
        root = np.repeat(np.sqrt(problem.effective_mass), 3)
        scale = float(np.abs(problem.c0 * root).max()) or 1.0
        self.unit = root * scale  # impulse of one unit
        self.W = problem.W * root[:, None]
        self.c0 = problem.c0 * root / scale
        self.c0[::3] += problem.gap_rate * root[::3] / scale
        kinds = [_contact_modes(float(mu), bool(c), edges) for mu, c in zip(problem.mu, problem.closed, strict=True)]
        self.modes = [modes for modes, _ in kinds]
        self.centre, self.radius = self._ball([generators for _, generators in kinds])
        lowest = (self.W @ self.centre + self.c0)[::3]
        with np.errstate(invalid="ignore"):
            lowest = lowest - np.nan_to_num(self.radius * np.linalg.norm(self.W[::3], axis=1), posinf=np.inf)
        self.loaded = np.flatnonzero(lowest <= tolerance)

    def _ball(self, generators: list[Array]) -> tuple[Array, float]:
        """Centre and radius of a ball that holds y = W'f of every solution; the radius is infinite if none is known."""
        P = scipy.linalg.block_diag(*generators)
        answer = solve_low_rank(-P @ self.W, P @ self.c0)
        if answer.status is not Status.SOLVED:
            return np.zeros(self.W.shape[1]), np.inf
        return -0.5 * answer.u, 0.5 * float(np.linalg.norm(answer.u)) * (1 + 1e-6) + 1e-6

    def run(self) -> list[Branch]:
        """Return all branches."""
        if len(self.loaded) == 0:
            return self._branch(np.zeros(0, dtype=np.int64), POINT)
        leaves, inside, kinds = self._enumerate()
        sure = (kinds == WIDE) | (leaves == inside).all(axis=1)
        branches, known = [], set()
        # A solution on the border of its modes belongs to others; it counts only if those were not found.
        for i in (*np.flatnonzero(sure), *np.flatnonzero(~sure)):
            home = tuple(leaves[i] if sure[i] else inside[i])
            if home not in known and (found := self._branch(leaves[i], kinds[i])):
                known.add(home)
                branches += found
        result: list[Branch] = []
        for branch in branches:
            if not any(self._same(branch, other) for other in result):
                result.append(branch)
        return result

    def _same(self, branch: Branch, other: Branch) -> bool:
        """Whether a branch is a point of another one."""
        gap = (other.nearest(branch.point) - branch.point) / self.unit
        return branch.dimension == 0 and bool(np.abs(gap).max() <= 100 * self.tolerance)

    def _enumerate(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return modes of the leaves, modes inside which they lie, and their kinds."""
        rows = (3 * self.loaded[:, None] + np.arange(3)).ravel()
        W, centre, radius = self.W[rows], self.centre, self.radius
        if W.shape[1] > len(rows):  # the impulses reach fewer dimensions than there are free velocities
            Q = np.linalg.qr(W.T)[0]
            W, inner = W @ Q, Q.T @ centre
            radius = np.sqrt(max(radius**2 - centre @ centre + inner @ inner, 0.0)) + 1e-6
            centre = inner
        modes = _tables(
            [self.modes[i] for i in self.loaded], W.reshape(len(self.loaded), 3, -1), self.c0[rows].reshape(-1, 3)
        )
        n = len(self.loaded)
        options = ModeOptions(tolerance=self.tolerance)
        work = enumeration_work(n, W.shape[1], modes.F.shape[2])
        capacity = 4096
        while True:
            leaves, inside = np.zeros((capacity, n), dtype=np.int64), np.zeros((capacity, n), dtype=np.int64)
            kinds = np.zeros(capacity, dtype=np.int64)
            found, _ = enumerate_modes(modes, centre, radius, options, work, leaves, inside, kinds)
            if found <= capacity:
                return leaves[:found], inside[:found], kinds[:found]
            capacity = found

    def _branch(self, leaf: NDArray[np.int64], kind: int) -> list[Branch]:
        """Return the branch of a leaf, none if it holds no solution after all."""
        chosen = [modes[0] for modes in self.modes]
        for i, m in zip(self.loaded, leaf, strict=True):
            chosen[i] = self.modes[i][m]
        names = tuple(mode.name for mode in chosen)
        C, R, F, V = (scipy.linalg.block_diag(*[mode[k] for mode in chosen]) for k in range(1, 5))
        left, right, rest = R @ self.W, self.W.T @ C, R @ self.c0
        U, sizes, N = np.linalg.svd(left @ right)
        rank = len(sizes) if kind == POINT else int((sizes > max(1e-10 * sizes.max(initial=0.0), 1e-13)).sum())
        x = np.zeros(C.shape[1])
        for _ in range(3):  # the second and third are refinements
            x -= N[:rank].T @ ((U[:, :rank].T @ (left @ (right @ x) + rest)) / sizes[:rank])
        N = N[rank:].T
        A, b = F, np.zeros(len(F))
        if kind == WIDE:
            A, b = np.concatenate([F, V @ self.W @ right]), np.concatenate([b, V @ self.c0])
        if rank < len(sizes):
            margin = np.where(np.arange(len(A)) < len(F), -0.1, 2.0) * self.tolerance
            inner = A @ N
            inner[np.linalg.norm(inner, axis=1) <= 1e-8] = 0.0
            answer = solve_low_rank(inner, A @ x + b - margin)
            if answer.status is not Status.SOLVED:
                return []
            x = x + N @ answer.u
        f, rows, Z = C @ x, A @ np.linalg.pinv(C), np.linalg.qr(C @ N)[0]
        rows, b = _binding(rows, b, Z)
        inner, directions = _affine_hull(rows @ Z, rows @ f + b)
        f, Z = f + Z @ inner, Z @ directions
        rows, b = _binding(rows, b, Z)
        branch = Branch(names, self.unit * f, np.linalg.qr(self.unit[:, None] * Z)[0], rows / self.unit, b)
        if branch.dimension > 0:
            least = branch.nearest(np.zeros(len(f)))
            branch = replace(branch, point=_pulled(self.problem, least, branch.point, self.edges, self.tolerance))
        return [branch] if self.problem.residual(branch.point, self.edges) <= self.tolerance else []


_LEAST_NORMAL = 1e-6
"""Normal impulse over tangent impulse at infinite friction: without load there is no friction, however large mu."""

_WIDEST = 1e4
"""Polyhedra whose sides meet at an angle below one over this count as flat."""


def _tables(modes: list[list[_Mode]], W: Array, c0: Array) -> Modes:
    """Return the modes of contacts with rows W (n, 3, nu) and velocities c0 (n, 3) as the kernel takes them."""
    n, most, nu = len(modes), max((len(m) for m in modes), default=1), W.shape[2]
    signs = max((len(mode.F) for block in modes for mode in block), default=1)
    count = np.array([len(block) for block in modes], dtype=np.int64)
    sizes = np.zeros((3, n, most), dtype=np.int64)
    C, R, V = np.zeros((n, most, 3, nu)), np.zeros((n, most, 3, nu)), np.zeros((n, most, 2, nu))
    r, v, F = np.zeros((n, most, 3)), np.zeros((n, most, 2)), np.zeros((n, most, signs, 3))
    for i, block in enumerate(modes):
        for k, mode in enumerate(block):
            m, s, b = len(mode.R), len(mode.F), len(mode.V)
            sizes[:, i, k] = m, s, b
            C[i, k, :m], R[i, k, :m], V[i, k, :b] = mode.C.T @ W[i], mode.R @ W[i], mode.V @ W[i]
            r[i, k, :m], v[i, k, :b], F[i, k, :s, :m] = mode.R @ c0[i], mode.V @ c0[i], mode.F
    return Modes(count, sizes[0], sizes[1], sizes[2], C, R, r, F, V, v)


def _binding(rows: Array, offset: Array, basis: Array) -> tuple[Array, Array]:
    """Return the inequalities that are not constant along the basis."""
    changes = np.linalg.norm(rows @ basis, axis=1) > 1e-8
    return rows[changes], offset[changes]


def _affine_hull(V: Array, slack: Array) -> tuple[Array, Array]:
    """Return t inside `V t + slack >= 0` (slack >= 0) and the directions (d, r) in which there is room.

    Only the rows without slack matter. One linear program makes as many of them positive as it can.
    """
    d = V.shape[1]
    size = np.linalg.norm(V, axis=1)
    V, slack = V / size[:, None], slack / size
    tight = slack < 1e-9
    q = int(tight.sum())
    if q == 0:
        return np.zeros(d), np.eye(d)
    answer = scipy.optimize.linprog(
        np.append(np.zeros(d), -np.ones(q)),
        A_ub=np.hstack([-V[tight], np.eye(q)]),
        b_ub=np.zeros(q),
        bounds=[(-_WIDEST, _WIDEST)] * d + [(0.0, 1.0)] * q,
    )
    if answer.x is None:
        return np.zeros(d), np.eye(d)
    never = V[tight][answer.x[d:] < 0.5]
    directions = scipy.linalg.null_space(never, rcond=1e-7) if len(never) else np.eye(d)
    t = directions @ (directions.T @ answer.x[:d])
    fall = np.maximum(-V @ t, 0.0)[~tight]
    return t / max(1.0, float(np.linalg.norm(t)), 2.0 * (fall / slack[~tight]).max(initial=0.0)), directions


def _pulled(problem: ContactProblem, f: Array, inside: Array, edges: int, tolerance: float) -> Array:
    """Return f, or if rounding put it beyond the border, or friction came without load, the next point further in."""
    for part in (0.0, 1e-9, 1e-6, 1e-3):
        g = f + part * (inside - f)
        if problem.residual(g, edges) <= tolerance:
            return g
    return inside
