import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.solvers import ContactProblem, lemke, samples
from surefoot.solvers.contact_problem import edge_directions


def block(speed, mu=0.5, fall=1.0, mass=2.0, **changes):
    """A point mass on a plane, moving along the first tangent."""
    fields = {
        "W": np.eye(3) / np.sqrt(mass),
        "c0": np.array([-fall, speed, 0.0]),
        "gap_rate": np.zeros(1),
        "mu": np.array([mu]),
        "closed": np.array([True]),
    }
    return ContactProblem(**{**fields, **changes})


def test_a_sliding_and_a_sticking_block():
    problem = block(3.0)
    f = problem.impulses(lemke(problem.lcp()).z)
    np.testing.assert_allclose(f, [2.0, -1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(problem.velocity(f), [0.0, 2.5, 0.0], atol=1e-15)
    assert problem.residual(f) < 1e-15
    assert problem.residual(f, None) < 1e-15
    stuck = block(0.3)
    f = stuck.impulses(lemke(stuck.lcp()).z)
    np.testing.assert_allclose(f, [2.0, -0.6, 0.0], atol=1e-15)
    assert stuck.residual(f) < 1e-15


@pytest.mark.parametrize(
    ("f", "violation"),
    [
        ([0.0, 0.0, 0.0], 1.0),  # the plane is entered
        ([2.2, -1.1, 0.0], 0.1),  # it bounces off under force
        ([2.0, -1.2, 0.0], 0.1),  # outside the cone
        ([2.0, -0.8, 0.0], 0.1),  # too little friction for a slip
        ([2.0, -0.9, 0.1], 0.05),  # friction across the slip
        ([-1e-3, 0.0, 0.0], 1.0),  # pulls
    ],
)
def test_each_violation_is_seen(f, violation):
    problem = block(3.0)
    assert problem.residual(f) * 3.0 >= 0.99 * violation
    assert problem.residual(f, None) * 3.0 >= 0.5 * violation


def test_nan_impulses_have_infinite_residual():
    assert block(1.0).residual([np.nan, 0.0, 0.0]) == np.inf


def test_an_open_contact_has_no_friction():
    problem = block(3.0, gap_rate=np.array([0.4]), closed=np.array([False]))
    assert problem.lcp().size == 1
    f = problem.impulses(lemke(problem.lcp()).z)
    np.testing.assert_allclose(f, [1.2, 0.0, 0.0], atol=1e-15)
    assert problem.residual(f) < 1e-15
    assert problem.residual(f + np.array([0.0, 0.3, 0.0])) == pytest.approx(0.05)


def test_infinite_friction_is_judged_but_has_no_lcp():
    problem = block(3.0, mu=np.inf)
    assert problem.residual([2.0, -6.0, 0.0]) < 1e-15
    assert problem.residual([2.0, -5.0, 0.0]) > 0.1
    lifting = block(3.0, mu=np.inf, fall=-1.0)
    assert lifting.residual([0.0, 0.0, 0.0]) == 0.0
    assert lifting.residual([0.0, -6.0, 0.0]) > 0.1
    text = r"^mu\[0\]: expected a finite number, infinite friction has no linear complementarity form$"
    with pytest.raises(InputError, match=text):
        problem.lcp()


@given(st.integers(0, 2**32 - 1), st.sampled_from(samples.KINDS), st.sampled_from([4, 8]))
@settings(max_examples=40, deadline=None)
def test_lcp_and_law_agree(seed, kind, edges):
    """What solves the LCP satisfies the law; a disturbed solution does not."""
    rng = np.random.default_rng(seed)
    problem = samples.random_contact(rng, int(rng.integers(1, 7)), kind)
    solution = lemke(problem.lcp(edges), throw=False)
    if solution.is_solved:
        f = problem.impulses(solution.z, edges)
        assert problem.residual(f, edges) <= 1e-8
        root = np.sqrt(np.repeat(problem.effective_mass, 3))
        scale = np.abs(problem.c0 * root).max()
        disturbed = f + [0.1, 0.0, 0.0] * problem.size * root * scale
        assert scale == 0.0 or problem.residual(disturbed, edges) > 1e-6


def test_the_matrix_is_that_of_the_equations():
    problem = samples.random_contact(np.random.default_rng(0), 3, "forward")
    object.__setattr__(problem, "closed", np.array([True, False, True]))
    lcp = problem.lcp(4)
    D = np.zeros((9, 8))
    for i, contact in enumerate((0, 2)):
        D[3 * contact + 1 : 3 * contact + 3, 4 * i : 4 * i + 4] = edge_directions(4).T
    N, G = np.eye(9)[:, ::3], problem.G
    E = np.kron(np.eye(2), np.ones((4, 1)))
    mu = np.diag(problem.mu)[[0, 2]]
    Z = np.zeros
    wanted = np.block([[N.T @ G @ N, N.T @ G @ D, Z((3, 2))], [D.T @ G @ N, D.T @ G @ D, E], [mu, -E.T, Z((2, 2))]])
    np.testing.assert_allclose(lcp.M, wanted, atol=1e-14)
    np.testing.assert_allclose(lcp.q, np.concatenate([N.T @ problem.c0 + problem.gap_rate, D.T @ problem.c0, Z(2)]))


def test_edges_lie_on_the_circle_and_opposite_ones_cancel():
    for k in (4, 6, 8, 16):
        D = edge_directions(k)
        angle = 2 * np.pi * np.arange(k) / k
        np.testing.assert_allclose(D, np.stack([np.cos(angle), np.sin(angle)], axis=1), atol=1e-15)
        np.testing.assert_array_equal(D[: k // 2], -D[k // 2 :])
    np.testing.assert_array_equal(edge_directions(4), [[1, 0], [0, 1], [-1, 0], [0, -1]])


def test_no_contacts_and_immobile_contacts():
    none = ContactProblem(np.empty((0, 6)), np.empty(0), np.empty(0), np.empty(0), np.empty(0, dtype=bool))
    assert none.lcp().size == 0
    assert none.residual(np.empty(0)) == 0.0
    still = block(1.0, W=np.zeros((3, 6)))
    assert still.effective_mass.tolist() == [1.0]
    assert still.residual(np.zeros(3)) == 1.0


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"mu": -0.1}, r"mu\[0\]: expected a friction coefficient of at least 0 \(inf allowed\), got -0.1"),
        ({"gap_rate": [-1.0]}, r"gap_rate\[0\]: expected a number of at least 0, got -1"),
        ({"closed": [1]}, r"closed: expected 1 booleans, got int64 of shape \(1,\)"),
        ({"closed": [True, False]}, r"closed: expected 1 booleans, got bool of shape \(2,\)"),
        ({"W": np.zeros((2, 6))}, r"W: expected shape \(3, any\), got \(2, 6\)"),
        ({"c0": np.array([0.0, np.nan, 0.0])}, "c0: expected finite numbers, got nan at index 1"),
    ],
)
def test_bad_problems(changes, text):
    with pytest.raises(InputError, match=f"^{text}$"):
        block(1.0, **changes)


@pytest.mark.parametrize("edges", [3, 2, 5, 4.0, True, "4"])
def test_bad_edges(edges):
    with pytest.raises(InputError, match=f"^edges: expected an even number of at least 4, got {edges!r}$"):
        block(1.0).lcp(edges)
