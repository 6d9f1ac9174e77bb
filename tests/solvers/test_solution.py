import numpy as np
import pytest

from surefoot.errors import SolveError
from surefoot.solvers import LinearComplementarity, Solution, Status

PROBLEM = LinearComplementarity([[4.0, 0.0], [0.0, 1.0]], [-8.0, 1.0])


def test_residuals_are_computed_from_the_problem():
    solution = Solution(PROBLEM, np.array([2.0, 0.0]), Status.SOLVED)
    assert solution.w.tolist() == [0.0, 1.0]
    assert (solution.residual, solution.negativity, solution.violation, solution.complementarity) == (0, 0, 0, 0)
    assert solution.check(0.0)
    assert solution.require() is solution


def test_a_wrong_solved_is_found_out():
    solution = Solution(PROBLEM, np.array([-1.0, 3.0]), Status.SOLVED)
    assert (solution.negativity, solution.violation, solution.complementarity) == (1.0, 12.0, 12.0)
    assert solution.residual > 0.1
    assert not solution.check()
    assert not Solution(PROBLEM, np.array([np.nan, 0.0]), Status.SOLVED).check()


def test_a_status_needs_its_proof():
    zeros = np.zeros(2)
    assert not Solution(PROBLEM, zeros, Status.INFEASIBLE, certificate=np.array([1.0, 0.0])).check()
    assert not Solution(PROBLEM, zeros, Status.INFEASIBLE).check()
    assert not Solution(PROBLEM, np.array([2.0, 0.0]), Status.REGULARISED).check()
    hopeless = LinearComplementarity([[-1.0, 0.0], [0.0, 1.0]], [-1.0, 1.0])
    assert Solution(hopeless, zeros, Status.INFEASIBLE, certificate=np.array([1.0, 0.0])).check()


def test_require_raises_with_the_solution():
    solution = Solution(PROBLEM, np.zeros(2), Status.PIVOT_LIMIT)
    with pytest.raises(SolveError, match=r"^linear complementarity problem of size 2: pivot limit: stopped") as error:
        solution.require()
    assert error.value.result is solution
