import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.kernels.bilateral import hold_bilateral
from surefoot.kernels.reduction import (
    Reduced,
    assemble,
    needed_force,
    reduce_to_contacts,
    velocities,
)
from tests.contact.scenes import dense_problem, found, four_bar, random_state
from tests.kernels.door import door

SEEDS = st.integers(0, 2**32 - 1)


def work(nv, rows, bilateral=0):
    """Work arrays, poisoned where a kernel must write."""

    def floats(*shape):
        return np.full(shape, np.nan)

    def ints(*shape):
        return np.zeros(shape, dtype=np.int64)

    return Reduced(
        M=floats(nv, nv),
        kappa=floats(nv),
        free=ints(nv),
        L=floats(nv, nv),
        rise=ints(nv),
        inverse_pivot=floats(nv),
        y0=floats(nv),
        W=floats(rows, nv),
        c0=floats(rows),
        Q=floats(bilateral + 1, nv),
        R_bilateral=floats(bilateral + 1, bilateral + 1),
        order=ints(bilateral + 1),
        particular=floats(nv),
        y=floats(nv),
    )


class Case:
    """A random inertia, Jacobian and prescribed set, reduced by the kernels."""

    def __init__(self, seed, nv, rows, chosen="some", bilateral=0, tree=False):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(nv, nv)) * 10.0 ** rng.uniform(-1, 1, nv)
        self.M = A @ A.T + np.eye(nv)
        if tree:  # two limbs that know nothing of each other but through the first three velocities
            half = 3 + (nv - 3) // 2
            self.M[3:half, half:] = 0.0
            self.M[half:, 3:half] = 0.0
            self.M += 2 * np.diag(np.abs(self.M).sum(axis=1))
        self.J = np.concatenate([rng.normal(size=(rows, nv)), rng.normal(size=(bilateral, nv))])
        self.J[: rows // 2, : nv // 2] = 0.0  # leading zeros, as those of another limb
        self.kappa, self.f = rng.normal(size=nv), rng.normal(size=rows)
        self.prescribed = {"none": np.zeros(nv, bool), "all": np.ones(nv, bool), "some": rng.random(nv) < 0.5}[chosen]
        self.v = rng.normal(size=nv)
        self.rows, self.bilateral, self.nv, self.rng = rows, bilateral, nv, rng

    def reduce(self):
        self.reduced = work(self.nv, self.rows + self.bilateral, self.bilateral)
        self.reduced.M[:], self.reduced.kappa[:] = self.M, self.kappa
        self.v_next = self.v.copy()
        self.nu = door(reduce_to_contacts)(
            self.J, self.rows + self.bilateral, self.prescribed, self.v_next, self.reduced
        )
        return self

    def dense(self, f, target=None):
        """(v+, force / dt on all rows, bilateral impulses) by one dense linear system."""
        u, a = ~self.prescribed, self.prescribed
        J, E = self.J[: self.rows], self.J[self.rows :]
        v = self.v.copy()
        nu, ne = int(u.sum()), len(E) if target is not None else 0
        K = np.zeros((nu + ne, nu + ne))
        K[:nu, :nu] = self.M[np.ix_(u, u)]
        right = np.zeros(nu + ne)
        right[:nu] = self.kappa[u] - self.M[np.ix_(u, a)] @ v[a] + J[:, u].T @ f
        if ne:
            K[:nu, nu:], K[nu:, :nu] = -E[:, u].T, E[:, u]
            right[nu:] = target - E[:, a] @ v[a]
        x = np.linalg.lstsq(K, right, rcond=None)[0]
        v[u] = x[:nu]
        impulse = x[nu:]
        force = self.M @ v - self.kappa - J.T @ f
        if ne:
            force -= E.T @ impulse
        return v, force


@pytest.mark.parametrize("chosen", ["none", "some", "all"])
@pytest.mark.parametrize("tree", [False, True])
@given(seed=SEEDS, nv=st.integers(4, 12), rows=st.integers(0, 9))
def test_contact_space_is_that_of_dense_algebra(chosen, tree, seed, nv, rows):
    case = Case(seed, nv, rows, chosen, tree=tree).reduce()
    u = ~case.prescribed
    assert case.nu == u.sum()
    W = case.reduced.W[:rows, : case.nu]
    G = case.J[:, u] @ np.linalg.solve(case.M[np.ix_(u, u)], case.J[:, u].T)
    scale = max(np.abs(G).max(initial=0.0), 1e-3)
    assert np.abs(W @ W.T - G).max(initial=0.0) <= 1e-10 * scale
    v, _ = case.dense(np.zeros(rows))
    assert case.reduced.c0[:rows] == pytest.approx(case.J @ v, abs=1e-9)


@pytest.mark.parametrize("chosen", ["none", "some", "all"])
@given(seed=SEEDS, nv=st.integers(4, 12), rows=st.integers(0, 9))
def test_velocities_and_forces_are_those_of_dense_algebra(chosen, seed, nv, rows):
    case = Case(seed, nv, rows, chosen).reduce()
    v, force = case.dense(case.f)
    door(velocities)(case.nu, rows, 0, case.f, case.v_next, case.reduced)
    assert case.v_next == pytest.approx(v, abs=1e-9)
    assert np.array_equal(case.v_next[case.prescribed], case.v[case.prescribed])
    W, c0 = case.reduced.W[:rows, : case.nu], case.reduced.c0[:rows]
    assert case.J @ case.v_next == pytest.approx(W @ (W.T @ case.f) + c0, abs=1e-9)
    out = np.full(nv, np.nan)
    door(needed_force)(case.J, rows, case.f, case.v_next, 0.01, case.reduced, out)
    size = np.abs(force).max(initial=1.0) / 0.01
    assert np.abs(out - force / 0.01).max() <= 1e-9 * size
    assert np.abs(out[~case.prescribed]).max(initial=0.0) <= 1e-9 * size


@pytest.mark.parametrize("chosen", ["none", "some"])
@given(
    seed=SEEDS, nv=st.integers(6, 12), rows=st.integers(0, 6), bilateral=st.integers(1, 3), repeats=st.integers(0, 3)
)
def test_bilateral_rows_are_held(chosen, seed, nv, rows, bilateral, repeats):
    case = Case(seed, nv, rows, chosen, bilateral + repeats)
    target = case.rng.normal(size=bilateral + repeats)
    if (~case.prescribed).sum() < bilateral + 1:
        case.prescribed[:] = False
    E = case.J[rows:]
    for k in range(repeats):  # rows that repeat others, and ask for the same
        mix = case.rng.normal(size=bilateral)
        E[bilateral + k] = mix @ E[:bilateral]
        target[bilateral + k] = mix @ target[:bilateral]
    case.reduce()
    rank = door(hold_bilateral)(
        case.J, case.v, case.v_next, rows, rows, bilateral + repeats, target, case.nu, 1e-7, case.reduced
    )
    assert rank == bilateral
    v, _ = case.dense(case.f, target)
    door(velocities)(case.nu, rows, rank, case.f, case.v_next, case.reduced)
    size = np.abs(v).max()
    assert np.abs(case.v_next - v).max() <= 1e-7 * size
    assert np.abs(E @ case.v_next - target).max() <= 1e-7 * size * np.abs(E).max()
    W, c0 = case.reduced.W[:rows, : case.nu], case.reduced.c0[:rows]
    assert np.abs(case.J[:rows] @ case.v_next - W @ (W.T @ case.f) - c0).max(initial=0.0) <= 1e-7 * size


def held(case, target):
    return door(hold_bilateral)(
        case.J, case.v, case.v_next, 3, 3, len(target), np.asarray(target, dtype=float), case.nu, 1e-9, case.reduced
    )


def test_a_row_of_nothing_but_prescribed_velocities_holds_or_contradicts():
    case = Case(6, 8, 3, "some", 1)
    case.J[3] = np.where(case.prescribed, 1.0, 0.0)
    first = np.flatnonzero(case.prescribed)[0]
    case.v[first] -= case.v[case.prescribed].sum()  # now they cancel
    case.reduce()
    assert held(case, [0.0]) == 0
    case.v[first] += 1e-6
    case.reduce()
    assert held(case, [0.0]) == -1


def test_a_gap_that_prescribed_joints_cannot_close_is_not_blamed_on_them():
    case = Case(6, 8, 3, "some", 1)
    case.J[3] = np.where(case.prescribed, 1.0, 0.0)
    case.v[np.flatnonzero(case.prescribed)[0]] -= case.v[case.prescribed].sum()
    case.reduce()
    assert held(case, [-2e-7]) == 0


def test_a_row_of_rounding_does_not_count():
    case = Case(6, 8, 3, "none", 2)
    case.J[4] = 1e-17 * case.J[4]
    case.reduce()
    assert held(case, [0.3, 0.0]) == 1


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan])
def test_an_inertia_that_is_not_positive_definite_is_refused(bad):
    case = Case(7, 5, 3, "none")
    case.M[2] = case.M[:, 2] = 0.0
    case.M[2, 2] = bad
    assert case.reduce().nu == -1


def test_the_last_velocity_comes_first():
    case = Case(8, 6, 3, "none").reduce()
    assert case.reduced.free.tolist() == [5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    "make", [lambda: sf.load("links"), lambda: sf.load("arm"), four_bar], ids=["links", "arm", "loop"]
)
def test_inertia_and_momentum_of_a_scene(make):
    scene = make()
    rng = np.random.default_rng(9)
    space = found(scene, random_state(scene, rng))
    space.step.torque[:] = rng.normal(size=scene.nv)
    space.data.qfrc_applied[:] = rng.normal(size=scene.nv)
    p, step = space.plant, space.step
    forces = (p.qfrc_passive, p.qfrc_applied, p.qfrc_bias, p.dof_damping)
    door(assemble)(p.m, p.d, p.qvel, *forces, space.dt, step.torque, step.reduced.M, step.reduced.kappa)
    M, kappa = dense_problem(space)
    assert pytest.approx(M, rel=1e-14, abs=1e-14) == step.reduced.M
    assert step.reduced.kappa == pytest.approx(kappa, rel=1e-10, abs=1e-12)
    # The envelope keeps the sparsity of the tree and loses nothing.
    J = rng.normal(size=(6, scene.nv))
    step.reduced.W[:] = np.nan
    case_rows = np.zeros((step.rows.J.shape[0], scene.nv))
    case_rows[:6] = J
    nu = door(reduce_to_contacts)(case_rows, 6, step.prescribed, step.v_next, step.reduced)
    W = step.reduced.W[:6, :nu]
    G = J @ np.linalg.solve(M, J.T)
    assert np.abs(W @ W.T - G).max() <= 1e-10 * np.abs(G).max()
