import numpy as np
import pytest
from numba import typeof

from surefoot.kernels.problem import PROBLEM_TYPE, prepare, with_friction
from tests.kernels.known import KNOWN
from tests.kernels.problems import point_mass, ready


def test_row_sizes_and_scale():
    problem = KNOWN["different friction at each"].problem
    p, s = ready(problem)
    G = problem.W @ problem.W.T
    assert s.g[:, 0] == pytest.approx(np.diag(G)[::3])
    assert s.g[:, 1] == pytest.approx(np.maximum(np.diag(G)[1::3], np.diag(G)[2::3]))
    assert p.scale == np.abs(problem.c0).max() == 2.0


@pytest.mark.parametrize(("offset", "scale"), [(0.5, 0.25), (-0.1, 0.25), (-3.0, 3.0)])
def test_what_pushes_from_rest_sets_the_scale(offset, scale):
    """An open gap moves nothing; a spring pressed together does."""
    assert ready(point_mass([0.25, 0, 0], offset=offset))[0].scale == scale


def test_unused_blocks_and_columns_do_not_count():
    g = np.full((2, 2), np.nan)
    W = np.array([[1.0, 9.0], [2.0, 9.0], [0.0, 9.0], [7.0, 7.0], [7.0, 7.0], [7.0, 7.0]])
    assert prepare(W, 1, 1, np.array([0, 0, -2.0, 5.0, 5.0, 5.0]), np.array([0.0, -9.0]), g) == 2.0
    assert g[0].tolist() == [1.0, 4.0]
    assert np.isnan(g[1]).all()


def test_no_blocks():
    assert prepare(np.zeros((0, 3)), 3, 0, np.zeros(0), np.zeros(0), np.zeros((0, 2))) == 0.0


@pytest.mark.parametrize("dissipative", [False, True])
def test_a_problem_from_python_is_of_the_type_that_pointers_are_compiled_for(dissipative):
    p, _ = ready(KNOWN["at rest"].problem._replace(dissipative=dissipative))
    assert typeof(p) == PROBLEM_TYPE


def test_other_friction_leaves_the_rest():
    p, _ = ready(KNOWN["at rest"].problem._replace(dissipative=True))
    mu = np.array([7.0])
    same = with_friction(p, mu)
    assert same.mu.tolist() == [7.0]
    for name, value in p._asdict().items():
        if name != "mu":
            assert np.array_equal(getattr(same, name), value), name
