import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from surefoot import checks
from surefoot.errors import EngineError, InputError, ModelError, SolveError, SurefootError


def refused(text):
    """The error's whole text, literally."""
    return pytest.raises(InputError, match=f"^{re.escape(text)}$")


# Known answers


def test_a_list_becomes_contiguous_doubles():
    result = checks.array("q", [1, 2, 3], (3,))
    assert result.dtype == np.float64
    assert result.flags.c_contiguous
    assert result.tolist() == [1.0, 2.0, 3.0]


def test_a_transposed_matrix_becomes_contiguous():
    value = np.arange(6.0).reshape(2, 3).T
    result = checks.array("J", value, (None, 2))
    assert result.flags.c_contiguous
    assert np.array_equal(result, value)


def test_numbers_come_back_as_floats():
    for value in (2, 2.0, np.float32(2), np.int64(2)):
        assert checks.number("dt", value, above=0) == 2.0
        assert type(checks.number("dt", value)) is float


def test_friction_may_be_infinite_or_zero():
    assert checks.friction("mu", np.inf) == np.inf
    assert checks.friction("mu", 0) == 0.0


def test_places_of_names():
    assert checks.indices("torque", ["b", "a"], ("a", "b", "c"), "joint") == [1, 0]
    assert checks.indices("torque", [], ("a",), "joint") == []


def test_a_choice_comes_back():
    assert checks.choice("edges", 8, (4, 8, 16)) == 8


# Properties


@given(hnp.arrays(np.float64, hnp.array_shapes(max_dims=3), elements=st.floats(-1e9, 1e9)))
def test_any_finite_array_of_the_right_shape_passes_unchanged(value):
    assert np.array_equal(checks.array("x", value, value.shape), value)
    assert np.array_equal(checks.array("x", value, (None,) * value.ndim), value)


@given(st.floats(allow_nan=True, allow_infinity=True), st.floats(-10, 10))
def test_a_bound_is_never_crossed(value, bound):
    try:
        result = checks.number("x", value, at_least=bound)
    except InputError:
        assert not (np.isfinite(value) and value >= bound)
    else:
        assert np.isfinite(result)
        assert result >= bound


# Literal errors


@pytest.mark.parametrize(
    ("value", "shape", "text"),
    [
        ([1, 2], (3,), "q: expected shape (3,), got (2,)"),
        ([[1, 2]], (2,), "q: expected shape (2,), got (1, 2)"),
        (1.0, (1,), "q: expected shape (1,), got ()"),
        ([1, 2], (None, 3), "q: expected shape (any, 3), got (2,)"),
        (np.zeros((2, 2)), (None, 3), "q: expected shape (any, 3), got (2, 2)"),
        ("abc", (3,), "q: expected an array of numbers, got str"),
        ([1, [2]], (2,), "q: expected an array of numbers, got list"),
        (None, (None,), "q: expected an array of numbers, got NoneType"),
        ([0, np.nan], (2,), "q: expected finite numbers, got nan at index 1"),
        ([[0, 1], [-np.inf, 1]], (2, 2), "q: expected finite numbers, got -inf at index (1, 0)"),
    ],
)
def test_arrays_are_refused_by_name(value, shape, text):
    with refused(text):
        checks.array("q", value, shape)


def test_infinity_passes_where_it_is_allowed():
    assert checks.array("mu", [np.inf], (1,), finite=False)[0] == np.inf


@pytest.mark.parametrize(
    ("value", "bounds", "text"),
    [
        ("1", {}, "dt: expected a finite number, got '1'"),
        (None, {}, "dt: expected a finite number, got None"),
        (True, {}, "dt: expected a finite number, got True"),
        (np.nan, {}, "dt: expected a finite number, got nan"),
        (np.inf, {}, "dt: expected a finite number, got inf"),
        (0, {"above": 0}, "dt: expected a number above 0, got 0"),
        (-0.5, {"at_least": 0}, "dt: expected a number of at least 0, got -0.5"),
        (1.5, {"at_least": 0, "at_most": 1}, "dt: expected a number of at most 1, got 1.5"),
    ],
)
def test_numbers_are_refused_by_name(value, bounds, text):
    with refused(text):
        checks.number("dt", value, **bounds)


@pytest.mark.parametrize(("value", "shown"), [(-0.1, "-0.1"), (np.nan, "nan"), ("a", "'a'"), (True, "True")])
def test_friction_is_refused_by_name(value, shown):
    with refused(f"mu: expected a friction coefficient of at least 0 (inf allowed), got {shown}"):
        checks.friction("mu", value)


def test_a_choice_lists_the_choices():
    with refused("edges: expected one of 4, 8, 16, got 5"):
        checks.choice("edges", 5, (4, 8, 16))


def test_an_unknown_name_is_told_its_neighbour_and_the_choices():
    with refused("torque: no joint is called 'kne'; did you mean 'knee'? The choices are: hip, knee"):
        checks.indices("torque", ["kne"], ("hip", "knee"), "joint")
    with refused("torque: no joint is called 'xyz'; The choices are: hip, knee"):
        checks.indices("torque", ["hip", "xyz"], ("hip", "knee"), "joint")
    with refused("contacts: no foot is called 'LF'; There are none"):
        checks.indices("contacts", ["LF"], (), "foot")


def test_a_long_list_of_choices_is_cut():
    known = [f"joint{i:02d}" for i in range(40)]
    with pytest.raises(InputError, match=r"joint29, \.\.\.$"):
        checks.indices("torque", ["zzz"], known, "joint")


# Errors


@pytest.mark.parametrize("kind", [InputError, ModelError, EngineError, SolveError])
def test_every_error_is_a_surefoot_error(kind):
    assert issubclass(kind, SurefootError)
    assert str(kind("what went wrong")) == "what went wrong"


def test_bad_input_is_a_value_error_too():
    assert issubclass(InputError, ValueError)


def test_a_failed_solve_carries_its_result():
    assert SolveError("no", 42).result == 42
    assert SolveError("no").result is None


@pytest.mark.parametrize(
    ("value", "came"), [(["1", "2"], "list"), (None, "NoneType"), ([1j, 2j], "list"), ([10**400, 1], "list")]
)
def test_arrays_are_of_real_numbers(value, came):
    with pytest.raises(InputError, match=rf"^q: expected an array of numbers, got {came}$"):
        checks.array("q", value, (2,))


def test_a_number_fits_a_float():
    with pytest.raises(InputError, match=r"^dt: expected a finite number, got 1000"):
        checks.number("dt", 10**400)


def test_an_array_is_no_choice():
    with pytest.raises(InputError, match=r"^law: expected one of 'a', 'b', got array"):
        checks.choice("law", np.zeros(3), ["a", "b"])


def test_integers_beyond_64_bits_are_numbers():
    assert checks.number("mass", 10**22) == 1e22
    assert checks.friction("mu", 10**22) == 1e22
