"""The nearest consistent demand: prescribed velocities that contacts, limits and loops allow, nearest to those wanted.

    min |v_a - v_a*|^2   over (v_u, v_a)   with   J v + e_n phi/dt in K*,   J_E v = target

K* is the dual of the friction pyramid, c_n + phi/dt + mu D_j'c_t >= 0 for every edge j. At joint limits, open contacts
and where there is no friction it is c_n + phi/dt >= 0; infinite friction adds c_t = 0. To stand still is allowed, so
there is an answer; only a loop whose free joints must close its gap may contradict a contact. Where such v exist,
impulses in K that cancel on the free velocities do no work against the demand: then every law has an answer.
(Coulomb's may have one without; it is asked first.)

The free velocities cost nothing. In each round a weak spring holds them where the last one left them (the proximal
point method; a few rounds make it exact), and a round is a projection on a polyhedron, by principal pivoting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.kernels.plant import BOX, CONE, LIMIT
from surefoot.motion.loops import equality_rows
from surefoot.motion.workspace import Workspace
from surefoot.solvers.principal_pivoting import solve_low_rank

Array = NDArray[np.float64]

SPRING = 1e-2  # stiffness of the spring; one that is much weaker costs the pivoting some accuracy
ROUNDS = 100  # mostly 1 to 8, seldom over 20
FARTHEST = 1e9  # rad/s (m/s): fast enough to find every joint limit


class Allowed(NamedTuple):
    """Velocities v with E v = target and V v + b >= 0, all in m/s (rad/s).

    `E`: (k, nv) loops, and the tangents of contacts that may not slip. `V`: (m, nv) normals and edges of pyramids.
    """

    E: Array
    target: Array
    V: Array
    b: Array


def allowed_velocities(
    space: Workspace,
    loops: tuple[Array, Array],
    blocks: Iterable[int] | None = None,
    *,
    friction: bool = True,
    strict: bool = False,
) -> Allowed:
    """What contacts and limits found in a workspace, and its loops, allow at the end of the step.

    Args:
        space: after `find`.
        loops: rows and targets, see `equality_rows`.
        blocks: contacts and limits that count; None: all.
        friction: whether slip counts, else only the normals.
        strict: whether loops whose joints are all prescribed must close their gaps too, not only keep them as they are.
    """
    rows, law, nv = space.step.rows, space.settings.law, space.model.nv
    edges = space.step.edges[:, :2]
    E, V, b = [loops[0]], [np.zeros((0, nv))], [np.zeros(0)]
    for i in range(space.count) if blocks is None else blocks:
        springs = np.isfinite(law.stiffness) and rows.source[i, 1] != LIMIT
        if rows.kind[i] == BOX or springs:  # they give way to any motion
            continue
        normal, tangents = rows.J[3 * i], rows.J[3 * i + 1 : 3 * i + 3]
        mu = rows.mu[i] if friction and rows.kind[i] == CONE else 0.0
        offset = max(rows.gap[i], 0.0) / space.dt
        if law.slip_offset and np.isfinite(mu):
            offset += mu * np.linalg.norm(tangents @ space.data.qvel)
        if np.isinf(mu):
            E.append(tangents)
        cone = 0.0 < mu < np.inf
        V.append(normal + mu * edges @ tangents if cone else normal[None])
        b.append(np.full(len(V[-1]), offset))
    held = np.vstack(E)
    by_free = loops[0][:, ~space.step.prescribed]
    closing = loops[1] if strict else by_free @ np.linalg.lstsq(by_free, loops[1], rcond=1e-9)[0]
    target = np.concatenate([closing, np.zeros(len(held) - len(closing))])
    return Allowed(held, target, np.vstack(V), np.concatenate(b))


def nearest_demand(allowed: Allowed, prescribed: NDArray[np.bool_], wanted: Array) -> Array | None:
    """Allowed velocities (nv,) whose prescribed ones are nearest to those wanted; None if nothing is allowed.

    Args:
        allowed: which velocities are.
        prescribed: (nv,) which velocities count; the others cost nothing.
        wanted: (nv,) m/s (rad/s), read where prescribed.
    """
    start, N = _solutions(allowed.E, allowed.target)
    # v = start + T y + F s: y are the prescribed velocities in orthonormal axes, s moves free ones alone.
    turn, sizes, axes = np.linalg.svd(N[prescribed])
    rank = int(np.count_nonzero(sizes > 1e-9))
    T, F = N @ axes[:rank].T / sizes[:rank], N @ axes[rank:].T
    VF = allowed.V @ F
    T = T - F @ np.linalg.lstsq(VF, allowed.V @ T, rcond=1e-9)[0]  # free velocities give way where they can
    VT = allowed.V @ T
    weak = np.sqrt(SPRING)
    y, s = turn[:, :rank].T @ (wanted - start)[prescribed], np.zeros(F.shape[1])
    v, basis = None, ()
    for k in range(ROUNDS):
        softer = weak * 0.1 ** min(k // 10, 3)  # free velocities that must go far would take very many rounds
        b = allowed.V @ start + VT @ y + VF @ s + allowed.b
        answer = solve_low_rank(np.hstack([VT, VF / softer]), b, basis=basis)
        if not answer.status.is_solved:
            break
        basis, move = answer.basis, answer.u[rank:] / softer
        s = s + move
        v = start + T @ (y + answer.u[:rank]) + F @ s
        if np.abs(move).max(initial=0.0) <= 1e-12 * _speed(wanted[prescribed]):
            break
    return v


def _solutions(E: Array, target: Array) -> tuple[Array, Array]:
    """All v with E v = target, in the sense of least squares, as start + N z."""
    left, sizes, right = np.linalg.svd(E)
    rank = int(np.count_nonzero(sizes > 1e-9 * sizes.max(initial=0.0)))
    return right[:rank].T @ (left[:, :rank].T @ target / sizes[:rank]), right[rank:].T


def adjust(space: Workspace, contacts: Any, wanted: Array, *, strict: bool = False) -> Array:
    """Put the nearest consistent demand into a workspace; its rows are to be found anew.

    Args:
        space: after a solve that failed.
        contacts: what its rows were found with.
        wanted: (nv,) the demand, m/s (rad/s); zero where nothing is prescribed.
        strict: for a second try: contacts and limits open by 1e-9 of the demand's speed, so that rounding does not
            make impossible what just holds, and all loops close their gaps.

    Returns:
        (nv,) by how much each prescribed velocity was changed; zeros if it was consistent, or nothing is.
    """
    loops = equality_rows(space)
    space.step.v_next[:] = FARTHEST
    space.find(contacts)
    allowed = allowed_velocities(space, loops, strict=strict)
    if strict:
        allowed = allowed._replace(b=allowed.b - 1e-9 * _speed(wanted))
    change = _change(allowed, space.step.prescribed, wanted)
    space.step.v_next[:] = wanted + change
    return change


def joints_to_blame(space: Workspace, blocks: Iterable[int], *, friction: bool) -> tuple[str, ...]:
    """Prescribed joints that work against these contacts and limits, by name; against all, if these alone give way.

    The nearest consistent demand differs from the one asked for by J_a'y, where the weights y >= 0 of the rows push
    no free velocity, J_u'y = 0: they prove that the demand is impossible, and joints with J_a'y = 0 have no part in it.
    """
    fixed = space.step.prescribed
    wanted = np.where(fixed, space.step.v_next, 0.0)
    loops = equality_rows(space)
    for chosen in (blocks, None):
        change = np.abs(_change(allowed_velocities(space, loops, chosen, friction=friction), fixed, wanted))
        if change.any():
            joints = space.model.dof_jntid[change > 1e-6 * change.max()]
            return tuple(f"motion of {space.model.joint(int(j)).name}" for j in dict.fromkeys(joints.tolist()))
    return ()


def _change(allowed: Allowed, prescribed: NDArray[np.bool_], wanted: Array) -> Array:
    """(nv,) from the wanted velocities to the nearest allowed ones where prescribed; rounding does not count."""
    v = nearest_demand(allowed, prescribed, wanted)
    change = np.zeros(len(wanted)) if v is None else np.where(prescribed, v - wanted, 0.0)
    return np.where(np.abs(change) > 1e-11 * _speed(wanted), change, 0.0)


def _speed(v: Array) -> float:
    """The largest speed, at least 1 mm/s (1 mrad/s)."""
    return max(np.abs(v).max(initial=0.0), 1e-3)
