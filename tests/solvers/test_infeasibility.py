import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.solvers import LinearComplementarity, find_certificate, is_certificate, samples


@pytest.mark.parametrize("name", samples.TEXTBOOK)
def test_a_certificate_is_found_exactly_for_infeasible_problems(name):
    sample = samples.TEXTBOOK[name]()
    y = find_certificate(sample.problem)
    assert (y is None) == sample.feasible
    if y is not None:
        assert (y >= 0).all()
        assert (sample.problem.M.T @ y).max() <= 1e-9
        assert sample.problem.q @ y < 0


def test_squeezed_objects_have_certificates():
    found = 0
    for seed in range(20):
        problem = samples.random_contact(np.random.default_rng(seed), 20, "grasp").lcp()
        y = find_certificate(problem)
        found += y is not None
        assert y is None or is_certificate(problem, y)
    assert found > 5


def test_what_proves_nothing():
    problem = LinearComplementarity([[-1.0, 0.0], [0.0, 1.0]], [-1.0, 1.0])
    assert is_certificate(problem, [1.0, 0.0])
    assert not is_certificate(problem, [0.0, 0.0])
    assert not is_certificate(problem, [-1.0, 0.0])
    assert not is_certificate(problem, [1.0, 0.1])  # M'y > 0
    assert not is_certificate(LinearComplementarity([[-1.0]], [1.0]), [1.0])  # q'y > 0
    assert not is_certificate(LinearComplementarity(np.empty((0, 0)), np.empty(0)), np.empty(0))


def test_bad_certificates():
    problem = LinearComplementarity(np.eye(2), np.ones(2))
    with pytest.raises(InputError, match=r"^y: expected shape \(2,\), got \(1,\)$"):
        is_certificate(problem, [1.0])
