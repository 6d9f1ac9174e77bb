"""Stage II by Clarabel: of all impulses that keep the motion and the law, those of least torque.

Every face of a friction pyramid is the cone of some of its edges, so the unknowns are weights of edges, at least zero.
"""

import numpy as np

from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import ENERGY, EXACT
from surefoot.solvers.contact_problem import edge_directions
from tests.laws.conic_oracle import Block, least


def directions(p, c, i, tol):
    """(m, 3) impulses whose cone is what the law allows contact i at its velocity."""
    mu, edges = p["mu"][i], p["edges"][:, :2]
    opening = c[i, 0] + p["offset"][i]
    if p["kind"][i] != CONE or mu == 0:
        return np.eye(3)[:1] if opening <= tol else np.zeros((0, 3))
    if np.isinf(mu):
        tangents = np.vstack([np.eye(3)[1:], -np.eye(3)[1:]])
        if p["dissipative"]:
            return np.vstack([np.eye(3)[:1] if opening <= tol else np.zeros((0, 3)), tangents])
        holds = opening <= tol and np.abs(c[i, 1:]).max() <= tol
        return np.vstack([np.eye(3)[:1], tangents + 1e-3 * np.eye(3)[0]]) if holds else np.zeros((0, 3))
    if p["form"] == EXACT:
        slip = np.hypot(*c[i, 1:])
        if opening - mu * slip > tol:
            return np.zeros((0, 3))
        if slip > tol:
            return np.array([[1.0, *(-mu * c[i, 1:] / slip)]])
        edges = edge_directions(16)  # a round cone that sticks is smoothed within this pyramid
    rays = np.column_stack([np.ones(len(edges)), mu * edges])
    if p["form"] == ENERGY or (p["form"] == EXACT and slip <= tol):
        return rays
    if p["dissipative"]:  # f in K, orthogonal to the velocity with its offset, which is in K*
        return rays[rays @ np.array([opening, *c[i, 1:]]) <= tol]
    if opening > tol:
        return np.zeros((0, 3))
    against = -(edges @ c[i, 1:])
    return rays if against.max() <= tol else rays[against >= against.max() - tol]


def least_torque(answer, goal=None, tol=1e-8):
    """(torques, impulses) of the stage II optimum for an answer of stage I; `goal`: torques to come near to."""
    p, dt, dofs = answer._problem, answer.dt, answer.robot.dofs
    P = _places(p, tol)
    J_a, force = p["J"][:, dofs], p["f"] / dt
    wanted = answer.torque + J_a.T @ force - (0.0 if goal is None else goal)  # less J_a'F is what is to be small
    T = J_a.T @ P
    x = least(T.T @ T, -T.T @ wanted, *_kept(p, P, dt))
    return wanted - T @ x + (0.0 if goal is None else goal), P @ x * dt


def least_load(answer, tol=1e-8):
    """(3n,) impulses of least sum of squares."""
    P = _places(answer._problem, tol)
    return P @ least(P.T @ P, np.zeros(P.shape[1]), *_kept(answer._problem, P, answer.dt)) * answer.dt


def _places(p, tol):
    """(3n, m): the impulses of each unknown."""
    n = len(p["kind"])
    c = (p["W"] @ (p["W"].T @ p["f"]) + p["c0"]).reshape(n, 3)
    places = []
    for i in np.flatnonzero(p["kind"] != BOX):
        for ray in directions(p, c, i, tol):
            place = np.zeros(3 * n)
            place[3 * i : 3 * i + 3] = ray
            places.append(place)
    return np.array(places).reshape(-1, 3 * n).T


def _kept(p, P, dt):
    """Unknowns of at least zero, and the independent ones of the equations that keep the motion."""
    left, size, right = np.linalg.svd(p["W"].T @ P, full_matrices=False)
    rank = int((size > 1e-10 * size.max(initial=1e-300)).sum())
    return (
        [Block(list(range(P.shape[1])), "half")],
        right[:rank],
        left[:, :rank].T @ p["W"].T @ p["f"] / dt / size[:rank],
    )
