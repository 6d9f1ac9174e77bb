"""Named linear complementarity problems with known outcomes, and sets of contact problems.

Each textbook problem is a function that returns a fresh `Sample`; `TEXTBOOK` lists them by name. Contact problems are
made by `random_contact`, `contact_case` and `contact_set`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.solvers.contact_samples import KINDS, ContactCase, contact_case, contact_set, random_contact
from surefoot.solvers.problem import LinearComplementarity

__all__ = [
    "KINDS",
    "TEXTBOOK",
    "ContactCase",
    "Sample",
    "contact_case",
    "contact_set",
    "random_contact",
]


class Sample(NamedTuple):
    """A problem with what is known of it.

    Attributes:
        problem: the problem.
        z: its solution if it is unique, else None.
        solvable: whether it has a solution at all.
        feasible: whether some z >= 0 has M z + q >= 0.
    """

    problem: LinearComplementarity
    z: NDArray[np.float64] | None
    solvable: bool = True
    feasible: bool = True


def _sample(
    M: list[list[float]], q: list[float], z: list[float] | None, *, solvable: bool = True, feasible: bool = True
) -> Sample:
    known = None if z is None else np.array(z, dtype=float)
    return Sample(LinearComplementarity(np.array(M, dtype=float), np.array(q, dtype=float)), known, solvable, feasible)


def murty_2_8() -> Sample:
    """[Murty1988], example 2.8: Lemke's method in four steps."""
    return _sample([[1, -1, -1, -1], [-1, 1, -1, -1], [1, 1, 2, 0], [1, 1, 0, 2]], [3, 5, -9, -5], [2, 1, 3, 1])


def murty_2_9() -> Sample:
    """[Murty1988], example 2.9: Lemke's method ends on a ray; there is no solution."""
    return _sample([[-1, 0, -3], [1, -2, -5], [-2, -1, -2]], [-3, -2, -1], None, solvable=False, feasible=False)


def zero_diagonal() -> Sample:
    """A matrix without diagonal, neither positive semidefinite nor a P-matrix, with one solution."""
    return _sample([[0, -1, 2], [2, 0, -2], [-1, 1, 0]], [-3, 6, -1], [0, 1, 3])


def murty_2_11() -> Sample:
    """[Murty1988], example 2.11: solved from a covering vector of ones, on a ray from others."""
    return _sample([[-1.5, 2], [-4, 4]], [-5, 17], None)


def kostreva_1() -> Sample:
    """[Kostreva1979], example 1: cycles under careless tie-breaking."""
    return _sample([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1], [1 / 3, 1 / 3, 1 / 3])


def kostreva_2() -> Sample:
    """[Kostreva1979], example 2: cycles under careless tie-breaking."""
    return _sample([[1, -1, 3], [2, -1, 3], [-1, -2, 0]], [-1, -1, -1], None, solvable=False, feasible=False)


def murty_exponential(n: int = 8) -> Sample:
    """The lower triangular problem of [Murty1988]: from ones the lexicographic path takes exponentially many pivots."""
    M = np.eye(n) + 2.0 * np.tril(np.ones((n, n)), -1)
    z = np.zeros(n)
    z[0] = 1.0
    return Sample(LinearComplementarity(M, -np.ones(n)), z)


def degenerate_ties(n: int = 6) -> Sample:
    """Every ratio ties: a rank-one matrix and equal demands; any z >= 0 with sum 1 solves it."""
    return Sample(LinearComplementarity(np.ones((n, n)), -np.ones(n)), None)


def ray_but_solvable() -> Sample:
    """From a covering vector of ones the path ends on a ray, from others at the only solution."""
    return _sample([[-1, 3], [-1, 1]], [-1, 2], [3.5, 1.5])


def beyond_lemke() -> Sample:
    """Every covering vector tried ends on a ray, although there is a solution: a ray proves nothing."""
    return _sample([[0, 3], [2, -2]], [-1, 2], [0, 1])


def infeasible_negative() -> Sample:
    """No z >= 0 makes M z + q >= 0."""
    return _sample([[-1, 0], [0, -1]], [-1, 1], None, solvable=False, feasible=False)


def feasible_unsolvable() -> Sample:
    """Some z >= 0 makes M z + q >= 0, yet none is complementary."""
    return _sample([[0, 1], [0, 0]], [-1, 1], None, solvable=False)


def subnormal() -> Sample:
    """Numbers below the smallest normal one: scaling must not divide by zero."""
    tiny = 5e-310
    return _sample([[2, 1], [1, 2]], [-3 * tiny, -3 * tiny], [tiny, tiny])


def zero() -> Sample:
    """The zero matrix with a non-negative q: z = 0 is a solution."""
    return _sample([[0, 0], [0, 0]], [0, 1], None)


TEXTBOOK: dict[str, Callable[[], Sample]] = {
    f.__name__: f
    for f in (
        murty_2_8,
        murty_2_9,
        zero_diagonal,
        murty_2_11,
        kostreva_1,
        kostreva_2,
        murty_exponential,
        degenerate_ties,
        ray_but_solvable,
        beyond_lemke,
        infeasible_negative,
        feasible_unsolvable,
        subnormal,
        zero,
    )
}
