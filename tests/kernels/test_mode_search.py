import itertools

import numpy as np
import pytest

from surefoot.kernels import status as codes
from surefoot.kernels.mode_search import Blocks, progress, search, search_state
from surefoot.kernels.simplex import SimplexOptions, feasible, simplex

OPTIONS = SimplexOptions()


def random_tree(seed, k=4, modes=3):
    """k blocks of two rows each; a mode puts them into intervals."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(2 * k, 4)), rng.normal(size=2 * k)
    low = np.round(rng.normal(size=(k, modes, 2)), 1)
    high = low + rng.choice([0.0, 1.0, 4.0], size=low.shape)
    variable = 4 + np.arange(2 * k).reshape(k, 2)
    count = rng.integers(1, modes + 1, k)
    mask = np.arange(modes)[None, :, None] < count[:, None, None]
    free_low = np.where(mask, low, np.inf).min(axis=1)
    free_high = np.where(mask, high, -np.inf).max(axis=1)
    strict = np.zeros(low.shape, dtype=np.int64)
    return A, b, Blocks(count, np.full(k, 2), variable, low, high, strict, free_low, free_high)


def by_trying(A, b, blocks):
    found = []
    for modes in itertools.product(*(range(n) for n in blocks.count)):
        s = simplex(A, b)
        for i, m in enumerate(modes):
            s.low[blocks.variable[i]], s.high[blocks.variable[i]] = blocks.low[i, m], blocks.high[i, m]
        if feasible(s, OPTIONS) == codes.SOLVED:
            found.append(modes)
    return found


def run(A, b, blocks, budget=10**6, capacity=200):
    s, state = simplex(A, b), search_state(len(blocks.count))
    leaves, sure = np.zeros((capacity, len(blocks.count)), dtype=np.int64), np.zeros(capacity, dtype=np.int64)
    seen = []
    while True:
        code = search(s, blocks, OPTIONS, 1e-5, state, budget, leaves, sure)
        seen.append(progress(state, blocks))
        if code == codes.SOLVED:
            break
        if code == codes.CAPACITY:
            leaves, sure = np.vstack([leaves, np.zeros_like(leaves)]), np.append(sure, np.zeros_like(sure))
    assert sure[: state.counts[1]].all()
    return [tuple(leaf) for leaf in leaves[: state.counts[1]].tolist()], state, seen


@pytest.mark.parametrize("seed", range(20))
def test_exactly_the_combinations_that_trying_finds(seed):
    A, b, blocks = random_tree(seed)
    found, _, _ = run(A, b, blocks)
    assert found == by_trying(A, b, blocks)


def test_a_search_that_stops_and_goes_on_finds_the_same():
    A, b, blocks = random_tree(14)
    whole, _, _ = run(A, b, blocks)
    parts, _, seen = run(A, b, blocks, budget=3, capacity=1)
    assert parts == whole
    assert len(whole) > 1
    assert seen == sorted(seen)
    assert 0 <= seen[0] < seen[-1] == 1.0


def test_few_nodes_are_looked_at_where_the_first_block_has_no_solution():
    A, b, blocks = random_tree(0, k=5)
    blocks.low[0], blocks.high[0] = 1e3, 1e3 + 1
    blocks.free_low[0], blocks.free_high[0] = 1e3, 1e3 + 1
    A[:2] = 0.0
    found, state, _ = run(A, b, blocks)
    assert found == []
    assert state.counts[2] == blocks.count[0]


def test_a_strict_bound_without_room_is_doubtful():
    """One row that is between 0 and 1e-7, and has to be positive."""
    one = np.ones((1, 1, 1))
    for most, sure in ((1e-7, 0), (1.0, 1)):
        blocks = Blocks(
            count=np.array([1]),
            size=np.array([1]),
            variable=np.array([[1]]),
            low=1e-9 * one,
            high=most * one,
            strict=np.ones((1, 1, 1), dtype=np.int64),
            free_low=1e-9 * one[0],
            free_high=most * one[0],
        )
        s, state, leaves = simplex(np.eye(1), np.zeros(1)), search_state(1), np.zeros((2, 1), dtype=np.int64)
        flags = np.full(2, -1)
        assert search(s, blocks, OPTIONS, 1e-5, state, 10, leaves, flags) == codes.SOLVED
        assert (state.counts[1], flags[0]) == (1, sure)
        assert s.low[1] == blocks.free_low[0, 0]


def test_no_blocks():
    s, state = simplex(np.zeros((0, 1)), np.zeros(0)), search_state(0)
    counts, table = np.zeros(0, dtype=np.int64), np.zeros((0, 0, 0))
    whole = table.astype(np.int64)
    empty = Blocks(counts, counts, whole.reshape(0, 0), table, table, whole, table.reshape(0, 0), table.reshape(0, 0))
    flags = np.zeros(1, dtype=np.int64)
    assert search(s, empty, OPTIONS, 1e-5, state, 10, np.zeros((1, 0), dtype=np.int64), flags) == codes.SOLVED
    assert state.counts.tolist() == [0, 1, 1]
