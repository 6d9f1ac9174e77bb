"""One answer of Coulomb's law at the level of accelerations, by QuantEcon's Lemke.

Contacts at rest: a = G f + a0 with G = J M^-1 J', a0 = J M^-1 (S tau - bias) + Jdot qd, and

    0 <= f_n   perp  a_n                >= 0
    0 <= beta  perp  D'a_t + e lam      >= 0      f_t = beta_1 - beta_2
    0 <= lam   perp  mu f_n - e'beta    >= 0

in the order (f_n, beta, lam). Its matrix is copositive and the drift of resting contacts is zero: an answer exists.
"""

import numpy as np
from quantecon.optimize import lcp_lemke

from tests.modes.conditions import Plain


def one_answer(system, torque):
    """(qdd, f) of a planar system whose contacts all rest, with finite friction and no further constraints."""
    p = Plain(system)
    assert p.edges is None
    assert not p.slip.any()
    assert np.isfinite(p.friction).all()
    k, free = p.contacts, np.linalg.solve(p.inertia, p.inputs @ torque - p.bias)
    # Rows f_n, beta_1, beta_2 as combinations of f = (n, t, n, t, ...).
    normal, tangent = np.eye(2 * k)[::2], np.eye(2 * k)[1::2]
    D = np.vstack([normal, np.stack([tangent, -tangent], axis=1).reshape(2 * k, 2 * k)])
    G = p.jacobian @ np.linalg.solve(p.inertia, p.jacobian.T)
    E = np.kron(np.eye(k), np.ones((2, 1)))
    M = np.zeros((4 * k, 4 * k))
    M[: 3 * k, : 3 * k] = D @ G @ D.T
    M[k : 3 * k, 3 * k :] = E
    M[3 * k :, :k], M[3 * k :, k : 3 * k] = np.diag(p.friction), -E.T
    q = np.concatenate([D @ (p.jacobian @ free + p.drift), np.zeros(k)])
    force = D.T @ _solution(M, q)[: 3 * k]
    return free + np.linalg.solve(p.inertia, p.jacobian.T @ force), force


def _solution(M, q):
    """z of the problem; redundant contacts may end in a ray, which another covering vector avoids."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        found = lcp_lemke(M, q, d=rng.uniform(0.5, 2.0, len(q)), max_iter=10_000)
        w = M @ found.z + q
        if found.success and max(-w.min(), -found.z.min(), np.abs(w * found.z).max()) < 1e-9 * max(
            1.0, np.abs(q).max()
        ):
            return found.z
    raise AssertionError(f"no answer by Lemke's method, status {found.status}")
