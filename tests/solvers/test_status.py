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
