"""Checks of answers and certificates of low-rank problems, against dense linear algebra."""

import numpy as np
import pytest

from surefoot.kernels.low_rank import is_certificate, low_rank_residual
from tests.kernels.door import door


def residual(W, b, x):
    u = np.full(W.shape[1], np.nan)
    return door(low_rank_residual)(W, b, x, np.linalg.norm(W, axis=1), u), u


def certifies(W, b, y, tolerance=1e-9):
    return door(is_certificate)(
        W, b, np.array(y, dtype=float), np.linalg.norm(W, axis=1), np.zeros(W.shape[1]), tolerance
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_residual_is_that_of_the_dense_matrix(seed):
    rng = np.random.default_rng(seed)
    W, b = rng.normal(size=(7, 3)), rng.normal(size=7)
    x = np.maximum(rng.normal(size=7), 0.0)
    size = np.linalg.norm(W, axis=1)
    expected = np.abs(np.minimum(x * size, (W @ W.T @ x + b) / size)).max()
    found, u = residual(W, b, x)
    assert found == pytest.approx(expected, rel=1e-13)
    assert u == pytest.approx(W.T @ x, rel=1e-13)


def test_an_answer_has_none():
    W = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert residual(W, np.array([-3.0, 1.0]), np.array([3.0, 0.0]))[0] == 0.0


def test_opposite_rows_that_both_demand_contradict():
    W = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert certifies(W, np.array([-1.0, 0.5]), [1.0, 1.0])
    assert not certifies(W, np.array([-1.0, 1.5]), [1.0, 1.0])  # there is room between them
    assert not certifies(W, np.array([-1.0, 0.5]), [1.0, 0.9])  # does not cancel
    assert not certifies(W, np.array([-1.0, 0.5]), [-1.0, -1.0])
    assert not certifies(W, np.array([-1.0, 0.5]), [np.nan, 1.0])
