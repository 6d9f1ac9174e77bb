"""What compiled code reads from a Box is what was put in."""

import gc
import math
import pickle
import weakref
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types
from numba.core.errors import TypingError

from surefoot.kernels.box import Box, box_type
from surefoot.kernels.cache import Pointer


class Inner(NamedTuple):
    count: int
    weights: np.ndarray


class Outer(NamedTuple):
    first: float
    yes: bool
    matrix: np.ndarray
    inner: Inner
    flags: np.ndarray
    cube: np.ndarray
    twice: Pointer
    other: Any
    last: int


def _twice(x):
    return 2.0 * x


TWICE = Pointer(_twice, types.float64(types.float64))


def outer(first=0.5, yes=True, last=7, rows=2, columns=3) -> Outer:
    rng = np.random.default_rng(rows + 10 * columns)
    return Outer(
        first=first,
        yes=yes,
        matrix=rng.normal(size=(rows, columns)),
        inner=Inner(-3, rng.normal(size=columns)),
        flags=rng.random(5) > 0.5,
        cube=rng.normal(size=(2, 3, 4)),
        twice=TWICE,
        other=Box(Inner(11, rng.normal(size=2))),
        last=last,
    )


@numba.njit
def numbers(box):
    return box.first, box.yes, box.inner.count, box.other.count, box.last, box.twice(box.first)


@numba.njit
def sums(box):
    total = 0.0
    for i in range(box.matrix.shape[0]):
        for j in range(box.matrix.shape[1]):
            total += (1 + i + 10 * j) * box.matrix[i, j]
    flags = 0
    for k in range(box.flags.size):
        flags += (1 << k) * box.flags[k]
    return total, flags, box.cube[1, 2, 3] + 10.0 * box.cube[0, 1, 2], box.inner.weights[-1], box.other.weights[1]


@numba.njit
def write(box, value):
    box.inner.weights[0] = value
    box.other.weights[0] = value


@given(
    first=st.floats(allow_nan=False),
    yes=st.booleans(),
    last=st.integers(min_value=-(2**63), max_value=2**63 - 1),
)
def test_numbers(first, yes, last):
    assert numbers(Box(outer(first, yes, last))) == (first, yes, -3, 11, last, 2.0 * first)


def test_what_is_not_a_number():
    assert math.isnan(numbers(Box(outer(math.nan)))[0])


@pytest.mark.parametrize("rows", [0, 1, 4])
@pytest.mark.parametrize("columns", [1, 5])
def test_arrays(rows, columns):
    value = outer(rows=rows, columns=columns)
    weight = 1 + np.arange(rows)[:, None] + 10 * np.arange(columns)
    expected = (
        np.sum(weight * value.matrix),
        np.sum((1 << np.arange(5)) * value.flags),
        value.cube[1, 2, 3] + 10.0 * value.cube[0, 1, 2],
        value.inner.weights[-1],
        value.other.value.weights[1],
    )
    np.testing.assert_allclose(sums(Box(value)), expected, rtol=1e-14)


def test_arrays_are_the_owners_not_copies():
    value = outer()
    write(Box(value), 42.0)
    assert value.inner.weights[0] == value.other.value.weights[0] == 42.0


def test_all_of_one_kind_share_machine_code():
    assert Box(outer(rows=1)).type == Box(outer(rows=9, first=-1.0)).type == box_type(outer())
    assert Box(Inner(1, np.zeros(2))).type != Box(Inner(1, np.zeros((2, 2)))).type
    numbers(Box(outer()))
    before = len(numbers.signatures)
    numbers(Box(outer(rows=30)))
    assert len(numbers.signatures) == before


def test_a_box_keeps_what_it_holds_alive():
    array = np.ones(3)
    gone = weakref.ref(array)
    box = Box(Inner(1, array))
    del array
    gc.collect()
    assert gone() is not None
    del box
    gc.collect()
    assert gone() is None


def test_a_copy_has_its_own_memory():
    box = Box(Inner(5, np.arange(3.0)))
    copy = pickle.loads(pickle.dumps(box))
    assert copy.address != box.address
    assert copy.value.count == 5
    copy.value.weights[0] = -1.0
    assert box.value.weights[0] == 0.0


def test_arrays_with_gaps_are_refused():
    with pytest.raises(TypeError, match=r"^a Box holds contiguous arrays, got strides \(16,\) for shape \(3,\)$"):
        Box(Inner(1, np.zeros(6)[::2]))


def test_an_unknown_name_does_not_compile():
    with pytest.raises(TypingError, match="Unknown attribute 'weight'"):
        numba.njit(lambda box: box.weight)(Box(Inner(1, np.zeros(2))))
