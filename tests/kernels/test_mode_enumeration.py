import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels.mode_enumeration import enumerate_modes, enumeration_work
from surefoot.kernels.mode_leaf import POINT, ModeOptions, Modes

OFF, LOAD = 0, 1


def pairs(R, C, q):
    """Pairs `0 <= x perp R C'x + q >= 0`: a block is off (x = 0, its row positive) or loaded (its row zero)."""
    n, nu = R.shape
    filled = {"C": (n, 2, 3, nu), "R": (n, 2, 3, nu), "r": (n, 2, 3), "F": (n, 2, 1, 3), "V": (n, 2, 2, nu)}
    modes = Modes(
        count=np.full(n, 2, dtype=np.int64),
        unknowns=np.tile(np.array([0, 1]), (n, 1)),
        signs=np.tile(np.array([0, 1]), (n, 1)),
        bounds=np.tile(np.array([1, 0]), (n, 1)),
        v=np.zeros((n, 2, 2)),
        **{name: np.zeros(shape) for name, shape in filled.items()},
    )
    modes.C[:, LOAD, 0], modes.R[:, LOAD, 0], modes.r[:, LOAD, 0] = C, R, q
    modes.F[:, LOAD, 0, 0] = 1.0
    modes.V[:, OFF, 0], modes.v[:, OFF, 0] = R, q
    return modes


def leaves(modes, centre=None, radius=np.inf, capacity=1024):
    """(modes of the leaf, modes inside which it lies, kind) of every leaf, and what the kernel returned."""
    n, nu = len(modes.count), modes.R.shape[-1]
    centre = np.zeros(nu) if centre is None else centre
    found, inside = np.full((capacity, n), -9), np.full((capacity, n), -9)
    kind = np.full(capacity, -9)
    work = enumeration_work(n, nu, 1)
    counted, visited = enumerate_modes(modes, centre, radius, ModeOptions(), work, found, inside, kind)
    kept = min(counted, capacity)
    rows = zip(found[:kept].tolist(), inside[:kept].tolist(), kind[:kept].tolist(), strict=True)
    return [(tuple(a), tuple(b), k) for a, b, k in rows], counted, visited


def complementary(M, q):
    """The supports of all solutions, by trying each."""
    n = len(q)
    for chosen in itertools.product([OFF, LOAD], repeat=n):
        a = np.array(chosen, dtype=bool)
        z = np.zeros(n)
        z[a] = np.linalg.solve(M[np.ix_(a, a)], -q[a])
        if z.min() >= 0 and (M @ z + q)[~a].min(initial=0.0) >= 0:
            yield chosen, z


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_like_trying_every_choice(seed, n):
    rng = np.random.default_rng(seed)
    M, q = rng.standard_normal((n, n)), rng.standard_normal(n)
    expected = {(chosen, chosen, POINT) for chosen, _ in complementary(M, q)}
    found, counted, _ = leaves(pairs(M, np.eye(n), q))
    assert set(found) == expected
    assert counted == len(expected)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_a_ball_cuts_only_what_lies_outside(seed, n):
    rng = np.random.default_rng(seed)
    M, q = rng.standard_normal((n, n)), rng.standard_normal(n)
    centre, radius = rng.standard_normal(n), 1.5
    within = {chosen for chosen, z in complementary(M, q) if np.linalg.norm(z - centre) <= radius}
    without, _, visited_without = leaves(pairs(M, np.eye(n), q))
    found, _, visited = leaves(pairs(M, np.eye(n), q), centre, radius)
    assert within <= {leaf for leaf, _, _ in found} <= {leaf for leaf, _, _ in without}
    assert visited <= visited_without


def test_branches_whose_rows_contradict_are_cut_at_once():
    """All pairs move one velocity: after the first is loaded, no second can be."""
    n = 8
    ones = np.ones((n, 1))
    found, _, visited = leaves(pairs(ones, ones, -np.arange(1.0, n + 1)))
    assert found == [((OFF,) * (n - 1) + (LOAD,),) * 2 + (POINT,)]
    assert visited <= n * (n + 3)


def test_more_leaves_than_fit_are_counted():
    n = 4
    modes = pairs(-np.eye(n), np.eye(n), np.ones(n))  # each of x = 0 and x = 1, independently
    found, counted, _ = leaves(modes)
    assert len(found) == counted == 2**n
    few, counted, _ = leaves(modes, capacity=3)
    assert (few, counted) == (found[:3], 2**n)


def test_no_free_velocity():
    empty = np.zeros((2, 0))
    assert leaves(pairs(empty, empty, np.array([1.0, 2.0])))[0] == [((OFF, OFF), (OFF, OFF), POINT)]
    assert leaves(pairs(empty, empty, np.array([1.0, -2.0])))[0] == []
