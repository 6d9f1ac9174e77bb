import numpy as np
import pytest

from surefoot.kernels.spring_basis import factor_basis, lead_shares, metric_project, refine, solve_basis, spring_work
from tests.kernels.door import door


def basis(seed, *, contacts=6, nu=5, ties=2):
    """Random contacts with two edges, all but the last loaded, the first few tied."""
    rng = np.random.default_rng(seed)
    V, b = rng.standard_normal((2 * contacts, nu)), rng.standard_normal(2 * contacts)
    R, owner = 10.0 ** rng.uniform(-2, 1, contacts), np.repeat(np.arange(contacts), 2)
    work = spring_work(contacts, 2 * contacts, nu)
    work.lead[:-1] = 2 * np.arange(contacts - 1)
    work.ties[:ties] = 2 * np.arange(ties) + 1
    work.counts[0] = ties
    work.stiffness[:] = 1.0 / R
    return V, b, owner, R, work


@pytest.mark.parametrize("ties", [0, 1, 3, 5])
def test_the_minimum_on_a_basis(ties):
    """As the stationary point of the Lagrangian, with a variable for every load and tie, by plain NumPy."""
    for seed in range(20):
        V, b, owner, R, work = basis(seed, ties=ties)
        assert door(factor_basis)(V, owner, R, work)
        door(solve_basis)(V, b, owner, R, work)
        door(refine)(V, b, owner, R, work)
        leads, tied = work.lead[:-1], work.ties[:ties]
        A, D = V[leads], V[tied] - V[work.lead[owner[tied]]]
        nu, n = V.shape[1], len(leads)
        K = np.block(
            [
                [np.eye(nu), -A.T, -D.T],
                [A, np.diag(R[:-1]), np.zeros((n, ties))],
                [D, np.zeros((ties, n + ties))],
            ]
        )
        wanted = np.linalg.solve(K, np.concatenate([np.zeros(nu), -b[leads], b[work.lead[owner[tied]]] - b[tied]]))
        found = np.concatenate([work.u, work.load[:-1], work.tied[:ties]])
        np.testing.assert_allclose(found, wanted, atol=1e-10 * max(1.0, np.abs(wanted).max()))
        door(lead_shares)(owner, len(R), work)
        total = work.share[:-1] @ A + work.tied[:ties] @ V[tied]
        np.testing.assert_allclose(total, work.u, atol=1e-10 * max(1.0, np.abs(wanted).max()))


def test_a_push_moves_u_but_no_tie():
    V, _, owner, R, work = basis(1, ties=2)
    door(factor_basis)(V, owner, R, work)
    push = np.random.default_rng(2).standard_normal(5)
    move = push.copy()
    door(metric_project)(5, work, move)
    A, D = V[work.lead[:-1]], V[work.ties[:2]] - V[work.lead[owner[work.ties[:2]]]]
    H = np.eye(5) + A.T @ np.diag(1.0 / R[:-1]) @ A
    wanted = np.linalg.solve(np.block([[H, -D.T], [D, np.zeros((2, 2))]]), np.append(push, [0.0, 0.0]))[:5]
    np.testing.assert_allclose(move, wanted, atol=1e-12)
    np.testing.assert_allclose(D @ move, 0.0, atol=1e-12)


def test_a_tie_that_says_nothing_new_leaves():
    V, _, owner, R, work = basis(3, ties=2)
    V[3] = V[2] + V[1] - V[0]  # contact 1's tie is contact 0's
    work.member[work.ties[:2]] = True
    assert door(factor_basis)(V, owner, R, work)
    assert (work.counts[0], work.ties[0]) == (1, 1)
    assert not work.member[3]


def test_a_metric_that_is_no_number_is_said():
    V, _, owner, R, work = basis(4)
    V[0, 0] = np.nan
    assert not door(factor_basis)(V, owner, R, work)
