import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.kernels import status as codes
from surefoot.solvers import Status


def test_every_code_has_one_status_and_back():
    numbers = {value for name, value in vars(codes).items() if name.isupper()}
    assert {status.code for status in Status} == numbers
    assert len(Status) == len(numbers)
    for status in Status:
        assert Status.from_code(status.code) is status
        assert status.name == next(name for name, value in vars(codes).items() if value == status.code)


def test_the_value_is_a_sentence():
    for status in Status:
        assert str(status) == status.value
        assert ": " in status.value
    assert str(Status.PIVOT_LIMIT) == "pivot limit: stopped before an answer was found; raise max_pivots"


def test_only_solved_is_solved():
    assert [status for status in Status if status.is_solved] == [Status.SOLVED]


@pytest.mark.parametrize("code", [99, -1, 1.5, "a", None, []])
def test_a_code_of_no_status_is_refused(code):
    with pytest.raises(InputError, match=r"^code: expected a whole number from 0 to 15, got ") as error:
        Status.from_code(code)
    assert str(error.value).endswith(repr(code))


def test_codes_of_kernels_are_numpy_integers():
    assert Status.from_code(np.int64(2)) is Status.UNSOLVED
