import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.kernels import status
from surefoot.kernels.cone_newton import run_rigid, run_soft
from surefoot.kernels.cones import INTERVAL, newton_work
from tests.kernels.cone_problems import MENU, TOLERANCE, Answer, cones, point, projection, sample, solved


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(MENU)), st.integers(-8, 2))
def test_projections(seed, name, soft):
    """Where nothing can move the answer is the projection of -b / R."""
    p = sample(np.random.default_rng(seed), name, 8, 5, 10.0**soft)
    p = p._replace(V=np.zeros((len(p.b), 0)), nu=0)
    answer = solved(run_soft, p)
    assert (answer.status, answer.iterations) == (status.SOLVED, 0)
    f = projection(p, -p.b / p.R, p.R)
    np.testing.assert_allclose(answer.f, f, rtol=1e-13, atol=1e-14 * np.abs(f).max())


def test_nothing_is_free_to_move():
    p = point([-1.0, 3.0, 0.0], R=0.25)._replace(V=np.zeros((3, 0)), nu=0)
    answer = solved(run_soft, p)
    assert answer.status == status.SOLVED
    np.testing.assert_allclose(answer.f, projection(p, -p.b / p.R, p.R), rtol=1e-14)
    assert solved(run_rigid, p).status == status.UNSOLVED
    assert solved(run_rigid, p._replace(b=-p.b * [1.0, 0.1, 0.0])).status == status.SOLVED


@pytest.mark.parametrize("run", [run_soft, run_rigid])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["V", "b", "R", "mu"])
def test_what_is_not_finite_is_refused(run, value, field):
    p = point([-1.0, 3.0, 0.0])
    getattr(p, field)[1] = value
    answer = solved(run, p, start=Answer(0, 0, 0, np.ones(3), np.ones(3)))
    assert (answer.status, answer.residual) == (status.NOT_FINITE, math.inf)
    assert not answer.u.any()
    assert not answer.f.any()


def test_a_bound_that_is_no_number_and_softness_that_is_none_are_refused():
    p = cones([[1.0]], [1.0], [0.25], [(INTERVAL, (), math.nan)])
    assert solved(run_soft, p).status == status.NOT_FINITE
    assert solved(run_soft, point([-1.0, 3.0, 0.0], R=0.0)).status == status.NOT_FINITE


@pytest.mark.parametrize("run", [run_soft, run_rigid])
@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
def test_extreme_velocities_never_give_a_nan(run, size):
    answer = solved(run, point(size * np.array([-1.0, 3.0, 0.0])))
    assert np.isfinite(answer.f).all()
    assert np.isfinite(answer.u).all()
    assert not math.isnan(answer.residual)


def test_work_arrays_that_are_too_small_are_refused():
    p = point([-1.0, 3.0, 0.0])
    for work in (newton_work(2, 3), newton_work(3, 2)):
        assert run_soft(p, TOLERANCE, work, np.zeros(3), np.zeros(3))[0] == status.CAPACITY


def test_rows_may_be_wider_and_longer_than_the_problem():
    p = point([-1.0, 3.0, 0.0])
    wide = p._replace(V=np.pad(p.V, ((0, 2), (0, 4)), constant_values=9.0), b=np.append(p.b, [9.0, 9.0]))
    f = np.append(np.zeros(3), [7.0, 7.0])
    code, _, _ = run_soft(wide, TOLERANCE, newton_work(9, 9), np.zeros(9), f)
    assert code == status.SOLVED
    np.testing.assert_array_equal(f, [*solved(run_soft, p).f, 7.0, 7.0])
