"""Mathematics that knows no robot: linear complementarity problems, their solvers and sample problems."""

from surefoot.solvers.contact_problem import ContactProblem
from surefoot.solvers.infeasibility import find_certificate, is_certificate
from surefoot.solvers.lemke import lemke
from surefoot.solvers.principal_pivoting import LowRankAnswer, principal_pivoting, solve_low_rank
from surefoot.solvers.problem import LinearComplementarity
from surefoot.solvers.refutation import Refutation, refute
from surefoot.solvers.solution import Solution
from surefoot.solvers.status import Status

__all__ = [
    "ContactProblem",
    "LinearComplementarity",
    "LowRankAnswer",
    "Refutation",
    "Solution",
    "Status",
    "find_certificate",
    "is_certificate",
    "lemke",
    "principal_pivoting",
    "refute",
    "solve_low_rank",
]
