import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quantecon.optimize import lcp_lemke
from scipy.linalg import block_diag
from scipy.optimize import linprog

from surefoot.errors import InputError
from surefoot.solvers import ContactProblem, lemke, refute, samples
from surefoot.solvers.all_solutions import all_solutions, nearest_solution
from surefoot.solvers.contact_problem import edge_directions

SEEDS = st.integers(0, 2**32 - 1)
PAINLEVE = np.array([[1.6, 1.2, 0.0], [1.2, 3.4, 0.0], [0.0, 0.0, 1.0]])  # rod at atan 2: 1 kg, half a length of 1 m


def contacts(W, c0, mu=0.5, gap_rate=0.0, closed=True):
    n = len(c0) // 3
    gap_rate, mu = np.full(n, gap_rate, dtype=float), np.broadcast_to(np.asarray(mu, dtype=float), n).copy()
    return ContactProblem(W, np.asarray(c0, dtype=float), gap_rate, mu, np.broadcast_to(closed, n).copy())


def rod(lift=0.4, slip=4.0, mu=2.0):
    """A rod that slides on its lower end; friction presses the end down more than the ground pushes it up."""
    return contacts(np.linalg.cholesky(PAINLEVE), [lift, slip, 0.0], mu)


def four_feet(velocity, mu=0.7):
    """A body on four feet, coplanar: one more than needed."""
    rows = []
    for x, y in itertools.product([0.2, -0.2], [0.15, -0.15]):
        arm = np.array([x, y, -0.3])
        rows += [[*axis, *np.cross(arm, axis)] for axis in np.eye(3)[[2, 0, 1]]]
    J = np.array(rows)
    return contacts(J / np.sqrt([2.5, 2.5, 2.5, 0.02, 0.03, 0.04]), J @ velocity, mu)


def distance(problem, branches, f):
    """Distance of impulses from the nearest solution, in units that do not depend on the masses."""
    unit = np.repeat(np.sqrt(problem.effective_mass), 3)
    unit *= np.abs(problem.c0 * unit).max() or 1.0
    return min([np.abs((b.nearest(f) - f) / unit).max() for b in branches], default=np.inf)


def basic_solutions(problem):
    """Impulses of all basic solutions of the complementarity problem: every one of the 2^N bases is tried."""
    lcp = problem.lcp()
    N = lcp.size
    basic = (np.arange(2**N)[:, None] >> np.arange(N)) & 1 == 1
    systems = np.where(basic[:, None, :], lcp.M, -np.eye(N))
    sizes = np.linalg.svd(systems, compute_uv=False)
    regular = sizes[:, -1] > 1e-11 * sizes[:, 0]
    x = np.linalg.solve(systems[regular], np.tile(-lcp.q[:, None], (regular.sum(), 1, 1)))[..., 0]
    good = (x >= -1e-10).all(axis=1)
    found = [problem.impulses(np.where(b, z, 0.0)) for b, z in zip(basic[regular][good], x[good], strict=True)]
    return [f for f in found if problem.residual(f) <= 1e-9]


def small_problem(rng):
    """One or two contacts on few free velocities, half of them with exact ties; any number of solutions."""
    n, nu = int(rng.integers(1, 3)), int(rng.integers(0, 7))
    if rng.random() < 0.5:
        W, c0 = rng.integers(-1, 2, (3 * n, nu)).astype(float), rng.integers(-1, 2, 3 * n).astype(float)
    else:
        W, c0 = rng.standard_normal((3 * n, nu)), rng.standard_normal(3 * n)
    closed = rng.random(n) < 0.85
    gap_rate = np.where(closed, 0.0, rng.choice([0.0, 0.5, 1.0], n))
    return ContactProblem(W, c0, gap_rate, rng.choice([0.0, 0.5, 1.0, 3.0], n), closed)


# Known answers


def test_painleves_rod_has_three_solutions():
    """It may lift off, go on sliding, or jam [Painleve1895]."""
    found = {b.modes: b.point for b in all_solutions(rod())}
    assert set(found) == {("off",), ("edge 2",), ("stick",)}
    np.testing.assert_allclose(found[("off",)], 0.0)
    np.testing.assert_allclose(found[("edge 2",)], [0.5, -1.0, 0.0], atol=1e-13)
    np.testing.assert_allclose(found[("stick",)], [0.86, -1.48, 0.0], atol=1e-13)


def test_the_nearest_of_three():
    for f, mode in (([0.1, 0, 0], "off"), ([0.5, -0.9, 0], "edge 2"), ([0.9, -1.5, 0.1], "stick")):
        near = nearest_solution(rod(), f)
        assert near.modes == (mode,)
        assert near.distance == pytest.approx(np.linalg.norm(near.f - f))


def test_two_rods_have_nine():
    L = np.linalg.cholesky(PAINLEVE)
    branches = all_solutions(contacts(block_diag(L, L), [0.4, 4.0, 0.0, 0.4, 4.0, 0.0], 2.0))
    assert len({b.modes for b in branches}) == len(branches) == 9


def test_below_the_critical_friction_there_is_one():
    assert [b.modes for b in all_solutions(rod(mu=1.2))] == [("off",)]


@pytest.mark.parametrize(
    ("speed", "mu", "mode", "f"),
    [
        ([3.0, 0.0], 0.5, "edge 2", [2, -1, 0]),
        ([0.3, 0.0], 0.5, "stick", [2, -0.6, 0]),
        ([3.0, 3.0], 0.5, "face 2", [2, -0.5, -0.5]),
        ([3.0, 2.9], 0.5, "face 2", [2, -0.6, -0.4]),
        ([3.0, 0.0], 0.0, "load", [2, 0, 0]),
        ([3.0, 0.0], np.inf, "stick", [2, -6, 0]),
    ],
)
def test_a_block_that_lands(speed, mu, mode, f):
    (branch,) = all_solutions(contacts(np.eye(3) / np.sqrt(2.0), [-1.0, *speed], mu))
    assert (branch.modes, branch.dimension) == ((mode,), 0)
    np.testing.assert_allclose(branch.point, f, atol=1e-14)


def test_an_open_contact_has_a_normal_row_only():
    problem = contacts(np.eye(3) / np.sqrt(2.0), [-1.0, 3.0, 0.0], gap_rate=0.4, closed=False)
    (branch,) = all_solutions(problem)
    assert branch.modes == ("load",)
    np.testing.assert_allclose(branch.point, [1.2, 0, 0], atol=1e-14)


@pytest.mark.parametrize("edges", [4, 8])
def test_four_feet_share_the_weight_in_many_ways(edges):
    problem = four_feet([0, 0, -0.1, 0, 0, 0])
    (branch,) = all_solutions(problem, edges=edges)
    assert branch.modes == ("stick",) * 4
    assert branch.dimension == 6
    np.testing.assert_allclose(branch.basis.T @ branch.basis, np.eye(6), atol=1e-13)
    np.testing.assert_allclose(problem.W.T @ branch.basis, 0.0, atol=1e-12)
    np.testing.assert_allclose(branch.point, np.tile([0.0625, 0, 0], 4), atol=1e-13)  # least |f|
    diagonal = np.zeros(12)
    diagonal[[0, 9]] = 0.125
    near = nearest_solution(problem, diagonal, edges=edges)
    assert near.distance < 1e-13
    near = nearest_solution(problem, 2 * diagonal, edges=edges)
    np.testing.assert_allclose(near.f, diagonal, atol=1e-13)


def test_feet_that_slide_share_it_in_one_way_less():
    problem = four_feet([1.0, 0, -0.1, 0, 0, 0], 0.1)
    (branch,) = all_solutions(problem)
    assert branch.modes == ("edge 2",) * 4
    assert branch.dimension == 1
    np.testing.assert_allclose(branch.point[1::3], -0.1 * branch.point[::3], atol=1e-15)


def test_at_rest_without_weight_nothing_happens():
    (branch,) = all_solutions(four_feet(np.zeros(6)))
    assert branch.dimension == 0
    assert not branch.point.any()


def test_a_squeeze_is_a_continuum_without_end():
    """Two fingers that close on a fixed point: any pressure will do, and friction follows the slip."""
    problem = contacts(np.array([[1.0], [0], [0], [-1], [0], [0]]), [0.0, 1, 0, 0, 1, 0], [0.5, 0.5])
    (branch,) = all_solutions(problem)
    assert (branch.modes, branch.dimension) == (("edge 2", "edge 2"), 1)
    np.testing.assert_allclose(branch.point, 0.0, atol=1e-13)
    np.testing.assert_allclose(branch.nearest([8.0, -4, 0, 8, -4, 0]), [8, -4, 0, 8, -4, 0], atol=1e-13)
    np.testing.assert_allclose(branch.nearest([-8.0, 4, 0, -8, 4, 0]), 0.0, atol=1e-13)


def test_no_solution():
    driven = contacts(np.zeros((3, 0)), [-1.0, 0, 0])
    assert all_solutions(driven) == []
    assert nearest_solution(driven, np.zeros(3)) is None


def test_infinite_friction_needs_load():
    """Pulled sideways while it lifts off, a contact holds nothing."""
    problem = contacts(np.eye(3), [0.0, 1.0, 0.0], np.inf)
    (branch,) = all_solutions(problem)
    assert branch.modes == ("off",)
    assert not branch.point.any()


def test_infinite_friction_without_load_holds_no_inner_force():
    """Two feet at rest without weight could pull at each other through the ground, if friction needed no load."""
    feet = four_feet(np.zeros(6), np.inf)
    two = ContactProblem(feet.W[:6], np.zeros(6), np.zeros(2), feet.mu[:2], feet.closed[:2])
    (branch,) = all_solutions(two)
    assert branch.dimension == 0
    np.testing.assert_allclose(branch.point, 0.0, atol=1e-15)


@pytest.mark.parametrize("mu", [1.0, 1e2, 1e4, 1e6, np.inf])
def test_a_foot_without_load_has_no_share_in_the_inner_force(mu):
    """The weight rests on the first and the last foot; these two can push at each other, along one line."""
    feet = four_feet([0, 0, -0.1, 0, 0, 0], mu)
    rows = np.r_[0:6, 9:12]
    three = ContactProblem(feet.W[rows], feet.c0[rows], np.zeros(3), feet.mu[:3], feet.closed[:3])
    (branch,) = all_solutions(three)
    assert (branch.modes, branch.dimension) == (("stick",) * 3, 1)
    np.testing.assert_allclose(
        branch.basis[:, 0], np.sign(branch.basis[1, 0]) * np.array([0, 4, 3, 0, 0, 0, 0, -4, -3]) / 50**0.5, atol=1e-9
    )


# Properties


@given(SEEDS, st.sampled_from(samples.KINDS), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_what_other_solvers_find_is_among_them(seed, kind, n):
    problem = samples.random_contact(np.random.default_rng(seed), n, kind)
    branches = all_solutions(problem)
    assert all(problem.residual(b.point) <= 1e-9 for b in branches)
    lcp = problem.lcp()
    solution = lemke(lcp, throw=False)
    if solution.status.is_solved and problem.residual(problem.impulses(solution.z)) <= 1e-10:
        assert distance(problem, branches, problem.impulses(solution.z)) <= 1e-6
    other = lcp_lemke(lcp.M, lcp.q)
    if other.success and problem.residual(problem.impulses(other.z)) <= 1e-10:
        assert distance(problem, branches, problem.impulses(other.z)) <= 1e-6
    if not branches:
        assert refute(lcp).z is None


@given(SEEDS, st.sampled_from(["forward", "inverse", "grasp"]))
@settings(max_examples=20, deadline=None)
def test_eight_edges(seed, kind):
    problem = samples.random_contact(np.random.default_rng(seed), 2, kind)
    branches = all_solutions(problem, edges=8)
    assert all(problem.residual(b.point, 8) <= 1e-9 for b in branches)
    solution = lemke(problem.lcp(8), throw=False)
    if solution.status.is_solved:
        assert distance(problem, branches, problem.impulses(solution.z, 8)) <= 1e-6


@given(SEEDS, st.sampled_from(["redundant", "degenerate", "grasp"]))
@settings(max_examples=30, deadline=None)
def test_the_nearest_solution_is_one_and_none_is_nearer(seed, kind):
    rng = np.random.default_rng(seed)
    problem = samples.random_contact(rng, int(rng.integers(2, 5)), kind)
    size = np.abs(problem.c0).max()
    reference = rng.standard_normal(3 * problem.size) * (size if size > 0 else 1.0)
    near = nearest_solution(problem, reference)
    branches = all_solutions(problem)
    assert (near is None) == (not branches)
    for branch in branches:
        f = branch.nearest(reference)
        assert problem.residual(f) <= 1e-9
        assert near.distance <= np.linalg.norm(f - reference) * (1 + 1e-9)
        if branch.dimension == 0:
            continue
        # No solution of the branch lies further along the way to the reference.
        way = branch.basis.T @ (reference - f)
        slack = branch.rows @ f + branch.offset
        room = linprog(-way, A_ub=-branch.rows @ branch.basis, b_ub=np.maximum(slack, 0.0), bounds=(-1, 1))
        assert -room.fun <= 1e-6 * (1.0 + np.linalg.norm(way))


# Oracle


@given(SEEDS)
@settings(max_examples=80, deadline=None)
def test_like_trying_every_basis(seed):
    problem = small_problem(np.random.default_rng(seed))
    branches = all_solutions(problem)
    oracle = basic_solutions(problem)
    for f in oracle:
        assert distance(problem, branches, f) <= 1e-6
    for branch in branches:
        assert problem.residual(branch.point) <= 1e-9
        if branch.dimension == 0:
            assert min(np.abs(branch.point - f).max() for f in oracle) <= 1e-6 * (1 + np.abs(branch.point).max())
    assert len({b.modes for b in branches}) == len(branches)


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_infinite_friction_like_trying_every_choice(seed):
    """Each contact holds or is off: 2^n linear systems."""
    rng = np.random.default_rng(seed)
    problem = samples.random_contact(rng, int(rng.integers(1, 4)), "forward")
    n = problem.size
    problem = ContactProblem(problem.W, problem.c0, np.zeros(n), np.full(n, np.inf), np.ones(n, dtype=bool))
    found = []
    for held in itertools.product([False, True], repeat=n):
        rows = np.repeat(held, 3)
        f = np.zeros(3 * n)
        f[rows] = np.linalg.lstsq(problem.G[np.ix_(rows, rows)], -problem.c0[rows], rcond=None)[0]
        if problem.residual(f) <= 1e-9:
            found.append(f)
    branches = all_solutions(problem)
    assert all(distance(problem, branches, f) <= 1e-6 for f in found)
    if all(b.dimension == 0 for b in branches):
        assert len(branches) == len(found)


# Edge cases


def test_no_contacts():
    problem = contacts(np.zeros((0, 6)), np.zeros(0))
    (branch,) = all_solutions(problem)
    assert (branch.modes, branch.point.shape, branch.dimension) == ((), (0,), 0)
    near = nearest_solution(problem, [])
    assert (near.modes, near.distance) == ((), 0.0)


def test_nothing_can_move_and_nothing_enters():
    """Any pressure on a contact that no free velocity moves."""
    (branch,) = all_solutions(contacts(np.zeros((3, 2)), [0.0, 0.0, 0.0]))
    assert (branch.modes, branch.dimension) == (("stick",), 3)
    np.testing.assert_allclose(branch.nearest([1.0, 0.2, 0.1]), [1.0, 0.2, 0.1])


def test_one_slip_in_two_tangents():
    """Tangents that move together: on a face friction may be anywhere between the edges."""
    problem = contacts(np.array([[1.0, -1], [-1, 0], [-1, 0]]), [-1.0, 1, 1], 1.0)
    (branch,) = all_solutions(problem)
    assert (branch.modes, branch.dimension) == (("face 2",), 1)
    for f in ([1, -1, 0], [1, 0, -1], [1, -0.5, -0.5]):
        np.testing.assert_allclose(branch.nearest(f), np.array(f) / 3, atol=1e-13)


def test_on_the_border_of_two_modes_there_is_one_solution():
    """Friction just suffices to stick: neither slides nor sticks twice."""
    (branch,) = all_solutions(contacts(np.eye(3), [-1.0, 0.5, 0.0], 0.5))
    assert branch.modes == ("stick",)
    np.testing.assert_allclose(branch.point, [1, -0.5, 0], atol=1e-14)


def test_a_contact_twice_is_a_continuum():
    (branch,) = all_solutions(contacts(np.tile(np.eye(3), (2, 1)), [-1.0, 3, 0] * 2))
    assert (branch.modes, branch.dimension) == (("edge 2", "edge 2"), 1)
    np.testing.assert_allclose(branch.point, [0.5, -0.25, 0] * 2, atol=1e-14)


def test_contacts_out_of_reach_do_not_count():
    feet = four_feet([0, 0, -0.1, 0, 0, 0])
    far = np.tile(np.random.default_rng(0).standard_normal((3, 6)), (3, 1))
    c0, gap_rate = np.append(feet.c0, np.zeros(9)), np.repeat([0.0, 20.0], [4, 3])
    problem = ContactProblem(np.vstack([feet.W, far]), c0, gap_rate, np.full(7, 0.7), gap_rate == 0.0)
    (branch,) = all_solutions(problem)
    assert branch.modes == ("stick",) * 4 + ("off",) * 3
    assert branch.dimension == 6


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_units_do_not_matter(scale):
    problem = rod()
    scaled = ContactProblem(problem.W * scale, problem.c0 / scale, problem.gap_rate, problem.mu, problem.closed)
    found = {b.modes: b.point * scale**3 for b in all_solutions(scaled)}
    for branch in all_solutions(problem):
        np.testing.assert_allclose(found[branch.modes], branch.point, rtol=1e-12, atol=1e-12)


# Error messages


def test_too_many_contacts():
    problem = samples.random_contact(np.random.default_rng(0), 6, "degenerate")
    text = (
        r"^problem: expected at most 4 contacts that may carry load \(limit_contacts\), got 6; each one more takes "
        r"about 10 times as long\. For more contacts use a solver that returns one solution: lemke, or the law Coulomb "
        r'without select="nearest"$'
    )
    with pytest.raises(InputError, match=text):
        all_solutions(problem)
    with pytest.raises(InputError, match=r"expected at most 5 contacts"):
        nearest_solution(problem, np.zeros(18), limit_contacts=5)


def test_bad_arguments():
    with pytest.raises(InputError, match=r"^reference: expected shape \(3,\), got \(6,\)$"):
        nearest_solution(rod(), np.zeros(6))
    with pytest.raises(InputError, match=r"^reference: expected shape \(3,\), got \(4,\)$"):
        all_solutions(rod())[0].nearest(np.zeros(4))
    with pytest.raises(InputError, match=r"^edges: expected an even number of at least 4, got 5$"):
        all_solutions(rod(), edges=5)
    with pytest.raises(InputError, match=r"^tolerance: expected a number above 0, got 0$"):
        all_solutions(rod(), tolerance=0.0)
    with pytest.raises(InputError, match=r"^limit_contacts: expected a number of at least 1, got 0$"):
        all_solutions(rod(), limit_contacts=0)


def test_edge_directions_are_those_of_the_names():
    """Sliding against edge j leaves friction along it."""
    D = edge_directions(8)
    for j in range(8):
        (branch,) = all_solutions(contacts(np.eye(3), [-1.0, *(-9.0 * D[j])]), edges=8)
        assert branch.modes == (f"edge {j}",)
        np.testing.assert_allclose(branch.point, [1.0, *(0.5 * D[j])], atol=1e-14)
