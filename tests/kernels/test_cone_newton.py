import math

import clarabel
import daqp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from surefoot.kernels import status
from surefoot.kernels.cone_newton import run_rigid, run_soft
from surefoot.kernels.cones import ELLIPTIC, FREE, HALF, INTERVAL
from tests.kernels.cone_problems import (
    MENU,
    TOLERANCE,
    Answer,
    cones,
    contact,
    objective,
    point,
    projection,
    sample,
    solved,
)


def by_clarabel(p, soft=1.0):
    """Impulses by a conic interior-point solver."""
    rows = len(p.b)
    parts = {"zero": [], "half": [], "cone": []}
    right = {"zero": [], "half": [], "cone": []}
    sizes = []
    for i in range(p.blocks):
        r = p.first[i]
        unit = np.zeros((p.size[i], rows))
        unit[np.arange(p.size[i]), np.arange(r, r + p.size[i])] = 1.0
        if p.kind[i] == HALF:
            parts["half"].append(-unit)
            right["half"].append([0.0])
        elif p.kind[i] == INTERVAL and math.isfinite(p.bound[i]):
            parts["half"].append(np.vstack([unit, -unit]))
            right["half"].append([p.bound[i], p.bound[i]])
        elif p.kind[i] == ELLIPTIC:
            used = np.append(True, p.mu[r + 1 : r + p.size[i]] > 0)
            parts["zero"].append(unit[~used])
            right["zero"].append(np.zeros((~used).sum()))
            scaled = unit[used] / np.append(1.0, p.mu[r + 1 : r + p.size[i]][used[1:]])[:, None]
            parts["cone"].append(-scaled)
            right["cone"].append(np.zeros(used.sum()))
            sizes.append(int(used.sum()))
    count = {key: sum(map(len, value)) for key, value in right.items()}
    A = np.vstack([np.zeros((0, rows)), *parts["zero"], *parts["half"], *parts["cone"]])
    b = np.concatenate([[], *right["zero"], *right["half"], *right["cone"]])
    kinds = [clarabel.ZeroConeT(count["zero"]), clarabel.NonnegativeConeT(count["half"])]
    kinds += [clarabel.SecondOrderConeT(size) for size in sizes]
    P = p.V @ p.V.T + soft * np.diag(p.R)
    g = p.R * (np.diag(P) / p.R).max()
    found = []
    for fraction, tolerance in (
        (0.6, 1e-16),
        (0.99, 1e-12),
    ):  # rounding ends its progress, sometimes early: take the better end
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        settings.max_step_fraction, settings.min_terminate_step_length, settings.max_iter = fraction, 1e-12, 500
        matrices = sparse.csc_matrix(np.triu(P)), p.b, sparse.csc_matrix(A), b
        found.append(np.array(clarabel.DefaultSolver(*matrices, kinds, settings).solve().x))
    return min(found, key=lambda f: np.abs(g * (f - projection(p, f - (P @ f + p.b) / g, g))).max())


def law_violation(p, answer):
    """How far f is from Proj(-c / R), in m/s; and what the rounding of f alone makes of it."""
    c = p.V @ (p.V.T @ answer.f) + p.b
    noise = 1e-14 * np.sqrt((p.V**2).sum(axis=1)).max() * (np.sqrt((p.V**2).sum(axis=1)) @ np.abs(answer.f))
    used = ~((p.mu == 0.0) & (answer.f == 0.0))
    return np.abs(p.R * (answer.f - projection(p, -c / p.R, p.R)))[used].max(initial=0.0), noise


def test_a_contact_that_sticks():
    """v+ = v + f and v+ = -R f row by row."""
    answer = solved(run_soft, point([-1.0, 0.1, -0.2], R=0.25))
    assert answer.status == status.SOLVED
    np.testing.assert_allclose(answer.f, [0.8, -0.08, 0.16], rtol=1e-14)
    np.testing.assert_allclose(answer.u, answer.f, rtol=1e-14)


def test_a_contact_that_slides():
    """mu 0.5, velocity (-1, 3): the answer is on the cone against the slip, f_t = -f_n / 2; minimise over f_n."""
    answer = solved(run_soft, point([-1.0, 3.0, 0.0], R=0.25))
    f_n = (1.0 + 1.5) / (1.25 * 1.25)
    np.testing.assert_allclose(answer.f, [f_n, -0.5 * f_n, 0.0], rtol=1e-12, atol=1e-14)


def test_a_contact_that_opens():
    answer = solved(run_soft, point([1.0, 2.0, 0.0]))
    assert (answer.status, answer.residual, answer.iterations) == (status.SOLVED, 0.0, 0)
    assert not answer.f.any()
    assert not answer.u.any()


@pytest.mark.parametrize(("v", "f"), [(-0.2, 0.16), (1.0, -0.3), (-9.0, 0.3)])
def test_dry_friction(v, f):
    answer = solved(run_soft, cones([[1.0]], [v], [0.25], [(INTERVAL, (), 0.3)]))
    assert answer.status == status.SOLVED
    assert answer.f[0] == pytest.approx(f, rel=1e-14)


@pytest.mark.parametrize(("kind", "v", "f"), [(HALF, -1.0, 0.8), (HALF, 1.0, 0.0), (FREE, 1.0, -0.8)])
def test_limits_and_equalities(kind, v, f):
    answer = solved(run_soft, cones([[1.0]], [v], [0.25], [(kind, (), 0.0)]))
    assert answer.status == status.SOLVED
    assert answer.f[0] == pytest.approx(f, rel=1e-14)


def test_a_rigid_block_is_stopped():
    answer = solved(run_rigid, point([-1.0, 0.3, 0.0], mass=2.0, mu=0.5))
    assert answer.status == status.SOLVED
    np.testing.assert_allclose(answer.f, [2.0, -0.6, 0.0], atol=1e-10)


@pytest.mark.parametrize("soft", [1.0, 1e-2, 1e-3])
@pytest.mark.parametrize("name", MENU)
def test_against_a_conic_solver(name, soft):
    for seed in range(4):
        rng = np.random.default_rng([7, seed])
        p = sample(rng, name, int(rng.integers(1, 9)), int(rng.integers(1, 14)), soft)
        answer, f = solved(run_soft, p), by_clarabel(p)
        assert answer.status == status.SOLVED
        np.testing.assert_allclose(answer.f, f, rtol=0.0, atol=1e-8 * max(np.abs(f).max(), 1e-4))
        assert objective(p, answer.f) == pytest.approx(objective(p, f), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("name", MENU)
def test_rigid_against_a_conic_solver(name):
    for seed in range(6):
        rng = np.random.default_rng([8, seed])
        p = sample(rng, name, int(rng.integers(1, 9)), int(rng.integers(2, 14)), 1.0, escape=True)
        answer, f = solved(run_rigid, p), by_clarabel(p, soft=0.0)
        assert answer.status == status.SOLVED
        u = p.V.T @ f
        np.testing.assert_allclose(answer.u, u, rtol=0.0, atol=1e-8 * max(np.abs(u).max(), 1e-4))
        np.testing.assert_allclose(p.V.T @ answer.f, answer.u, rtol=0.0, atol=1e-9 * max(np.abs(u).max(), 1e-4))


def test_rigid_limits_against_a_quadratic_solver():
    """min |u|^2 / 2 subject to V u + b >= 0, with more rows than unknowns and with copies."""
    for seed in range(20):
        rng = np.random.default_rng([9, seed])
        count, nu, copies = int(rng.integers(1, 30)), int(rng.integers(1, 19)), int(rng.integers(1, 4))
        V = np.repeat(rng.normal(size=(count, nu)), copies, axis=0)
        b = np.repeat(rng.exponential(size=count) * rng.integers(2, size=count), copies) - V @ rng.normal(size=nu)
        answer = solved(run_rigid, cones(V, b, np.ones(len(b)), [(HALF, (), 0.0)] * len(b)))
        assert answer.status == status.SOLVED
        high, sense = np.full(len(b), 1e30), np.zeros(len(b), dtype=np.int32)
        u, _, flag, _ = daqp.solve(np.eye(nu), np.zeros(nu), V, high, -b, sense)
        assert flag == 1
        np.testing.assert_allclose(answer.u, u, rtol=0.0, atol=1e-8 * np.abs(u).max())


def test_a_rigid_problem_without_an_answer_shows_why():
    """Two plates close on a ball: the impulses run away along a direction that moves nothing."""
    V = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0], [0, 0, 1]])
    p = cones(V, [-1.0, 0.1, 0, -0.5, 0, 0], np.ones(6), [contact(0.5, 0.5)] * 2)
    answer = solved(run_rigid, p)
    assert answer.status == status.UNSOLVED
    assert answer.residual > 0.1
    f = answer.f / np.abs(answer.f).max()
    assert np.abs(V.T @ f).max() <= 1e-6
    assert p.b @ f < -0.1
    np.testing.assert_allclose(projection(p, f, p.R), f, atol=1e-12)


PROBLEMS = st.builds(
    lambda seed, name, count, nu, soft, masses, copies: sample(
        np.random.default_rng(seed), name, count, nu, 10.0**soft, masses, copies
    ),
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(MENU)),
    st.integers(1, 12),
    st.integers(1, 40),
    st.integers(-8, 2),
    st.sampled_from([0.0, 6.0]),
    st.sampled_from([1, 3]),
)


@given(PROBLEMS, st.integers(0, 2**32 - 1))
def test_the_law_holds_and_nothing_is_better(p, seed):
    answer = solved(run_soft, p)
    assert answer.status == status.SOLVED
    violation, noise = law_violation(p, answer)
    assert violation <= 2 * TOLERANCE * np.abs(p.b).max() + noise
    rng = np.random.default_rng(seed)
    best = objective(p, answer.f)
    slack = 1e-9 * (abs(p.b) @ abs(answer.f))
    for size in (1e-6, 1e-2, 1.0):
        other = projection(p, answer.f * (1 + size * rng.normal(size=len(p.b))), p.R)
        assert objective(p, other) >= best - slack


@given(PROBLEMS, st.integers(0, 2**32 - 1))
def test_the_order_of_blocks_does_not_matter(p, seed):
    order = np.random.default_rng(seed).permutation(p.blocks)
    shuffled = p._replace(first=p.first[order], size=p.size[order], kind=p.kind[order], bound=p.bound[order])
    one, two = solved(run_soft, p), solved(run_soft, shuffled)
    assert one.status == two.status == status.SOLVED
    np.testing.assert_allclose(two.u, one.u, rtol=0.0, atol=1e-8 * np.abs(one.u).max(initial=1e-300))


@given(PROBLEMS)
def test_a_start_at_the_answer_ends_at_once(p):
    answer = solved(run_soft, p)
    again = solved(run_soft, p, start=answer)
    assert again.status == status.SOLVED
    assert again.iterations <= 1


@given(PROBLEMS, st.integers(0, 2**32 - 1), st.sampled_from([1e-6, 1.0, 1e6, 1e300, math.inf, math.nan]))
def test_any_start_leads_to_the_answer(p, seed, size):
    rng = np.random.default_rng(seed)
    answer = solved(run_soft, p)
    start = answer._replace(u=size * rng.normal(size=p.nu), f=size * rng.normal(size=len(p.b)))
    other = solved(run_soft, p, start=start)
    assert other.status == status.SOLVED
    np.testing.assert_allclose(other.u, answer.u, rtol=0.0, atol=1e-8 * np.abs(answer.u).max(initial=1e-300))


@pytest.mark.parametrize("mass", [1e-9, 1e9])
@pytest.mark.parametrize("run", [run_soft, run_rigid])
def test_mass_only_scales_the_impulses(run, mass):
    one = solved(run, point([-1.0, 3.0, 1.0], R=1e-3))
    other = solved(run, point([-1.0, 3.0, 1.0], mass=mass, R=1e-3 / mass))
    assert one.status == other.status == status.SOLVED
    np.testing.assert_allclose(other.f, mass * one.f, rtol=1e-9)


@pytest.mark.parametrize("run", [run_soft, run_rigid])
def test_copies_share_the_load(run):
    copies = 80
    answer = solved(run, point([-1.0, 0.2, 0.0], R=1e-6, copies=copies))
    assert answer.status == status.SOLVED
    f = answer.f.reshape(copies, 3)
    np.testing.assert_allclose(f, np.broadcast_to(f[0], f.shape), atol=1e-8 * f[0, 0])
    np.testing.assert_allclose(f.sum(axis=0), [1.0, -0.2, 0.0], atol=1e-6)


@pytest.mark.parametrize("run", [run_soft, run_rigid])
def test_no_blocks(run):
    nothing = cones(np.zeros((0, 3)), [], [], [])._replace(mu=np.zeros(0))
    answer = solved(run, nothing, start=Answer(0, 0, 0, np.ones(3), np.ones(0)))
    assert (answer.status, answer.residual) == (status.SOLVED, 0.0)
    assert not answer.u.any()


@pytest.mark.parametrize("run", [run_soft, run_rigid])
def test_rest_stays_rest_from_any_start(run):
    answer = solved(run, point([0.0, 0.0, 0.0]), start=Answer(0, 0, 0, np.ones(3), np.ones(3)))
    assert (answer.status, answer.residual, answer.iterations) == (status.SOLVED, 0.0, 0)
    assert not answer.f.any()
