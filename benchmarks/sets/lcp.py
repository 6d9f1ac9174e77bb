"""Coulomb's law with 4 edges as a linear complementarity problem: 1 to 40 contacts, 18 degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks import ours
from benchmarks.harness import Problem, Setting, TestSet
from benchmarks.inertia import whiten
from benchmarks.peers import dart, drake, quantecon
from surefoot.solvers.contact_problem import ContactProblem

COUNTS = {1: 200, 4: 200, 8: 200, 16: 100, 40: 20}
QUICK = {1: 5, 4: 5, 8: 5, 16: 3, 40: 1}
DOFS = 18
SEED = 2015


def random_body(rng: np.random.Generator, contacts: int, mu: float = 0.5) -> ContactProblem:
    """A body of 18 degrees of freedom with a random inertia, touched at random points, moving at random."""
    A = rng.standard_normal((DOFS, DOFS))
    inertia = A @ A.T / DOFS + 0.1 * np.eye(DOFS)
    J = rng.standard_normal((3 * contacts, DOFS))
    W = whiten(J, inertia)
    closed = np.ones(contacts, dtype=bool)
    return ContactProblem(W, J @ rng.standard_normal(DOFS), np.zeros(contacts), np.full(contacts, mu), closed)


def problems(quick: bool) -> Sequence[Problem]:
    """All of one size, then the next."""
    return [
        Problem(f"{n}-contacts-{i}", f"{n} contact{'s' * (n > 1)}", random_body(np.random.default_rng([SEED, n, i]), n))
        for n, count in (QUICK if quick else COUNTS).items()
        for i in range(count)
    ]


TEST_SET = TestSet(
    name="lcp",
    title="Coulomb linear complementarity problems",
    about=(
        "Bodies with 18 degrees of freedom, random inertia and random contact Jacobian, every contact closed, mu = "
        "0.5, four edges a cone: 6 variables a contact (n = 6, 24, 48, 96, 240). From 8 contacts on the matrix is "
        "rank deficient. A solution always exists. The residual is the largest violation of Coulomb's law, in units "
        "of the largest contact velocity (`ContactProblem.residual`)."
    ),
    unit="solve",
    problems=problems,
    settings=[Setting("Default settings", tolerance=1e-8)],
    finders=[ours.coulomb, ours.lemke, drake.moby, quantecon.lemke, dart.dantzig],
    references=["drake-moby"],
    limitations=[
        "Ours is timed in a compiled loop, as in a simulation; a peer's time holds one call from Python, 1 to 5 us.",
        "Random Jacobians are harder than those of robots: normals point everywhere and about half of the contacts "
        "carry load.",
        "Lemke's methods get the matrix M; a structured method gets W and c0 and never forms M. Building M is not "
        "timed.",
    ],
)
