"""The answer to a linear complementarity problem, which can judge itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SolveError
from surefoot.solvers.infeasibility import is_certificate
from surefoot.solvers.problem import LinearComplementarity
from surefoot.solvers.refutation import Refutation
from surefoot.solvers.scaling import natural_residual
from surefoot.solvers.status import Status


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver found; every residual is computed afresh from the problem.

    Attributes:
        problem: the problem as given.
        z: (n,) the solution; after a failure the best candidate found, or zeros.
        status: how the solve ended.
        pivots: number of pivots, over all attempts.
        certificate: if the status is INFEASIBLE its proof: (n,) y >= 0 with M'y <= 0, q'y < 0, or a proof by cases.
        regularisation: what was added to the scaled diagonal in the run that gave z; 0 unless all others failed.
    """

    problem: LinearComplementarity
    z: NDArray[np.float64]
    status: Status
    pivots: int = 0
    certificate: NDArray[np.float64] | Refutation | None = None
    regularisation: float = 0.0

    @property
    def w(self) -> NDArray[np.float64]:
        """(n,) M z + q."""
        return self.problem.slack(self.z)

    @property
    def residual(self) -> float:
        """Largest |min(z, w)| of the scaled problem, relative to its largest |q| (see `scaling.equilibrate`)."""
        return natural_residual(self.problem.M, self.problem.q, self.z)

    @property
    def negativity(self) -> float:
        """Largest violation of z >= 0, in the units of z."""
        return float(np.maximum(-self.z, 0.0).max(initial=0.0))

    @property
    def violation(self) -> float:
        """Largest violation of w >= 0, in the units of q."""
        return float(np.maximum(-self.w, 0.0).max(initial=0.0))

    @property
    def complementarity(self) -> float:
        """Largest |z_i w_i|."""
        return float(np.abs(self.z * self.w).max(initial=0.0))

    @property
    def is_solved(self) -> bool:
        """Whether the solver says that every condition holds."""
        return self.status.is_solved

    def check(self, tolerance: float = 1e-8) -> bool:
        """Return whether the status is borne out by the problem: a small residual, or a valid certificate.

        A status that claims nothing (unsolved, regularised, pivot limit) is never borne out.
        """
        if self.status is Status.SOLVED:
            return self.residual <= tolerance
        if self.status is not Status.INFEASIBLE or self.certificate is None:
            return False
        if isinstance(self.certificate, Refutation):
            return self.certificate.problem is self.problem and self.certificate.check()
        return is_certificate(self.problem, self.certificate)

    def require(self) -> Solution:
        """Return this solution, or raise SolveError with it if it is not solved."""
        if not self.is_solved:
            raise SolveError(f"linear complementarity problem of size {self.problem.size}: {self.status}", self)
        return self
