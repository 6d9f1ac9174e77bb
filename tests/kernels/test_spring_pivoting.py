import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels import status as codes
from surefoot.kernels.principal_pivoting import PivotingOptions, pivoting_work, run_principal_pivoting
from surefoot.kernels.spring_basis import spring_work
from surefoot.kernels.spring_pivoting import run_spring_pivoting, spring_pivoting
from tests.kernels.door import door


def solve(V, b, owner, R, start=None):
    V, b, R = (np.array(a, dtype=float) for a in (V, b, R))
    work = start if start is not None else spring_work(len(R), *V.shape)
    status, pivots = run_spring_pivoting(V, b, np.array(owner), R, work)
    return status, pivots, work


def random_case(seed, contacts, edges, nu):
    """Edges of random contacts, some of them copies of others; springs from soft to stiff."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((contacts, 1, nu)) + 0.7 * rng.standard_normal((contacts, edges, nu))
    V = np.where(rng.random(contacts)[:, None, None] < 0.3, V[rng.integers(0, contacts, contacts)], V)
    b = rng.standard_normal((contacts, 1)) - 0.5 + 0.5 * rng.standard_normal((contacts, edges))
    R = 10.0 ** rng.uniform(-3, 2, contacts)
    return V.reshape(-1, nu), b.ravel(), np.repeat(np.arange(contacts), edges), R


def on_springs_of_their_own(V, b, owner, R):
    """The same with a dimension for every spring: velocities and loads."""
    springs = np.zeros((len(b), len(R)))
    springs[np.arange(len(b)), owner] = np.sqrt(R[owner])
    W = np.ascontiguousarray(np.hstack([V, springs]))
    n, nu = W.shape
    u, x, y = np.zeros(nu), np.zeros(n), np.zeros(n)
    basis = np.zeros(nu + 1, dtype=np.int64)
    result = run_principal_pivoting(W, b, basis, 0, PivotingOptions(), pivoting_work(n, nu), u, x, y)
    assert result.status == codes.SOLVED
    return u[: V.shape[1]], np.bincount(owner, x, minlength=len(R))


def test_a_mass_on_one_spring_and_on_two():
    status, pivots, work = solve([[1.0]], [-1.0], [0], [1.0])
    assert (status, pivots) == (codes.SOLVED, 1)
    assert [work.u[0], work.load[0]] == pytest.approx([0.5, 0.5], rel=1e-15)
    status, _, work = solve([[1.0], [1.0]], [-1.0, -1.0], [0, 1], [1.0, 0.5])
    assert status == codes.SOLVED
    assert work.load == pytest.approx([0.25, 0.5])  # u = 3/4, the stiffer spring carries twice as much


def test_a_tie_holds_what_two_edges_push_apart():
    status, _, work = solve([[1.0, 0.5], [1.0, -0.5]], [-1.0, -1.0], [0, 0], [1.0])
    assert status == codes.SOLVED
    assert work.counts[0] == 1
    np.testing.assert_allclose(work.u, [0.5, 0.0], atol=1e-15)
    assert work.load[0] == pytest.approx(0.5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.sampled_from([1, 4, 8]), st.integers(1, 12))
@settings(max_examples=150, deadline=None)
def test_as_with_a_dimension_for_every_spring(seed, contacts, edges, nu):
    case = random_case(seed, contacts, edges, nu)
    V, b, owner, R = case
    status, _, work = solve(*case)
    assert status == codes.SOLVED
    u, load = on_springs_of_their_own(*case)
    scale = max(1.0, np.abs(b).max())
    np.testing.assert_allclose(work.u, u, atol=1e-8 * scale)
    np.testing.assert_allclose(R * np.where(work.lead >= 0, work.load, 0.0), R * load, atol=1e-8 * scale)
    slack = V @ work.u + b + (R * np.where(work.lead >= 0, work.load, 0.0))[owner]
    assert slack.min() >= -1e-9 * scale
    assert np.abs(slack[work.member[: len(b)]]).max(initial=0.0) <= 1e-9 * scale


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_any_start_gives_the_same_u_and_the_right_one_takes_no_pivot(seed, contacts, nu):
    case = random_case(seed, contacts, 4, nu)
    _, _, cold = solve(*case)
    u = cold.u.copy()
    rng = np.random.default_rng(seed)
    status, _, other = solve(*case, start=_random_start(rng, contacts, nu))
    assert status == codes.SOLVED
    np.testing.assert_allclose(other.u, u, atol=1e-8)
    status, pivots, warm = solve(*case, start=cold)
    assert (status, pivots) == (codes.SOLVED, 0)
    np.testing.assert_allclose(warm.u, u, atol=1e-12)


def _random_start(rng, contacts, nu):
    work = spring_work(contacts, 4 * contacts, nu)
    work.lead[:] = np.where(rng.random(contacts) < 0.6, 4 * np.arange(contacts) + rng.integers(0, 4, contacts), -1)
    loaded = np.flatnonzero(work.lead >= 0)[:nu]
    work.ties[: len(loaded)] = 4 * loaded + (work.lead[loaded] + 1) % 4
    work.counts[0] = len(loaded)
    return work


def test_nothing_to_do_and_numbers_that_are_none():
    status, pivots, work = solve([[1.0, 0.0]], [2.0], [0], [1.0])
    assert (status, pivots, work.u.tolist(), work.lead.tolist()) == (codes.SOLVED, 0, [0.0, 0.0], [-1])
    assert solve([[1.0, np.nan]], [2.0], [0], [1.0])[0] == codes.NOT_FINITE
    assert solve([[1.0, 0.0]], [-np.inf], [0], [1.0])[0] == codes.NOT_FINITE


def test_it_stops_at_the_limit():
    V, b, owner, R = random_case(3, 20, 4, 6)
    work = spring_work(20, *V.shape)
    assert door(spring_pivoting)(V, b, owner, R, False, 3, work) == (codes.PIVOT_LIMIT, 3)
