import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from surefoot.errors import InputError
from surefoot.solvers import samples


def every_solution(M, q):
    """All basic solutions, by trying each complementary basis."""
    n = len(q)
    for chosen in itertools.product([False, True], repeat=n):
        a = np.array(chosen, dtype=bool)
        z = np.zeros(n)
        if a.any():
            block = M[np.ix_(a, a)]
            if abs(np.linalg.det(block)) < 1e-12:
                continue
            z[a] = np.linalg.solve(block, -q[a])
        if z.min(initial=0.0) >= -1e-12 and (M @ z + q).min() >= -1e-12:
            yield z


@pytest.mark.parametrize("name", samples.TEXTBOOK)
def test_what_is_said_of_the_textbook_problems_is_true(name):
    sample = samples.TEXTBOOK[name]()
    problem = sample.problem
    assert samples.TEXTBOOK[name].__doc__
    feasible = linprog(np.zeros(problem.size), A_ub=-problem.M, b_ub=problem.q).status == 0
    assert sample.feasible == feasible
    found = list(every_solution(problem.M, problem.q))
    assert sample.solvable == bool(found)
    if sample.z is not None:
        assert all(np.allclose(z, sample.z) for z in found)


def test_number_i_of_a_set_depends_on_seed_and_i_only():
    cases = list(samples.contact_set(3, 14))
    assert [case.kind for case in cases[:6]] == list(samples.KINDS)
    again = samples.contact_case(3, 13)
    np.testing.assert_array_equal(again.problem.W, cases[13].problem.W)
    np.testing.assert_array_equal(again.problem.c0, cases[13].problem.c0)
    assert not np.array_equal(samples.contact_case(4, 13).problem.c0, again.problem.c0)
    assert {case.problem.size for case in samples.contact_set(0, 60, max_contacts=2)} == {1, 2}


def test_kinds_are_what_they_say():
    rng = np.random.default_rng(0)
    make = {kind: samples.random_contact(rng, 16, kind) for kind in samples.KINDS}
    assert make["forward"].W.shape == (48, 18)
    assert make["inverse"].W.shape == make["grasp"].W.shape == (48, 6)
    assert np.linalg.matrix_rank(make["redundant"].W) <= 18
    assert make["redundant"].closed.all()
    assert not make["forward"].closed.all()
    assert set(make["degenerate"].mu) <= {0.0, 0.5, 1.0}
    diagonal = np.diag(make["mass_ratio"].G)
    assert diagonal.max() > 3 * diagonal[diagonal > 0].min()
    for kind in ("forward", "mass_ratio", "degenerate"):  # c0 is a motion of the free velocities
        problem = make[kind]
        rest = problem.c0 - problem.W @ np.linalg.lstsq(problem.W, problem.c0, rcond=None)[0]
        assert np.abs(rest).max() <= 1e-9 * max(1e-12, np.abs(problem.c0).max())


def test_an_escape_exists_for_inverse_problems():
    """Straight up moves every contact into the interior of the dual cone."""
    for seed in range(20):
        problem = samples.random_contact(np.random.default_rng(seed), 10, "inverse")
        answer = linprog(
            np.zeros(6),
            A_ub=np.concatenate(
                [-problem.W[::3] + problem.mu[:, None] * s * problem.W[k::3] for k in (1, 2) for s in (-1, 1)]
            ),
            b_ub=np.full(40, -1.0),
            bounds=(None, None),
        )
        assert answer.status == 0


def test_bad_arguments():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match=r"^kind: expected one of 'forward', 'inverse', .* got 'backward'$"):
        samples.random_contact(rng, 3, "backward")
    with pytest.raises(InputError, match=r"^contacts: expected a number of at least 0, got -1$"):
        samples.random_contact(rng, -1)


@pytest.mark.parametrize("kind", samples.KINDS)
@pytest.mark.parametrize("contacts", [0, 1])
def test_few_contacts(kind, contacts):
    assert samples.random_contact(np.random.default_rng(0), contacts, kind).size == contacts
