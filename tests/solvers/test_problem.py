import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.solvers import LinearComplementarity


def test_slack():
    problem = LinearComplementarity([[1, 2], [3, 4]], [5, 6])
    assert problem.size == 2
    assert problem.M.dtype == np.float64
    assert problem.slack([1, 1]).tolist() == [8.0, 13.0]


@pytest.mark.parametrize(
    ("M", "q", "text"),
    [
        ([[1.0]], [1.0, 2.0], r"M: expected shape \(2, 2\), got \(1, 1\)"),
        ([[1.0]], [[1.0]], r"q: expected shape \(any,\), got \(1, 1\)"),
        ([[np.inf]], [1.0], r"M: expected finite numbers, got inf at index \(0, 0\)"),
        ([[1.0]], [np.nan], "q: expected finite numbers, got nan at index 0"),
        ([[1.0]], "a", "q: expected an array of numbers, got str"),
    ],
)
def test_bad_problems(M, q, text):
    with pytest.raises(InputError, match=f"^{text}$"):
        LinearComplementarity(M, q)
