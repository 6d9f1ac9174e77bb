import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.kernels.contact_events import (
    CLOSED,
    LIFTOFF,
    PAIR,
    ROW,
    SEEN,
    SLIP,
    STICK,
    TOUCHDOWN,
    contact_events,
)  # fmt: skip

SLOW = 0.01
TABLE = np.full((4, 4), -1, dtype=np.int64)
TABLE[1, 0], TABLE[2, 0] = 0, 1


def log(*steps):
    """Arrays of a log: each step is a list of (geom, other, normal force, slip speed)."""
    rows = [contact for step in steps for contact in step]
    start = np.cumsum([0, *(len(step) for step in steps)])
    geoms = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    forces, velocities = np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
    forces[:, 0] = [row[2] for row in rows]
    velocities[:, 1:] = [(0.6 * row[3], -0.8 * row[3]) for row in rows] if rows else np.zeros((0, 2))
    velocities[:, 0] = 9.0  # the normal velocity is no slip
    return start, geoms, forces, velocities


def remembered(pairs=2):
    memory = np.zeros((pairs, PAIR), dtype=np.int64)
    memory[:, [ROW, SEEN]] = -1
    return memory


def events(steps, steady=1, most=100):
    out = np.empty((most, 3), dtype=np.int64)
    count = contact_events(*log(*steps), 0, len(steps), steady, SLOW, TABLE, remembered(), out)
    return count if count < 0 else [tuple(row) for row in out[:count].tolist()]


ON, OFF, SLIDES = [(1, 0, 5.0, 0.0)], [], [(1, 0, 5.0, 0.5)]


def test_a_foot_that_comes_and_goes():
    assert events([OFF, ON, ON, OFF, OFF, ON]) == [(1, TOUCHDOWN, 0), (3, LIFTOFF, -1), (5, TOUCHDOWN, 2)]


def test_what_is_near_but_does_not_push_does_not_touch():
    assert events([[(1, 0, 0.0, 0.0)], [(1, 0, -1.0, 0.0)], OFF]) == []


def test_flicker_is_no_event():
    assert events([ON, OFF] * 20, steady=2) == []
    steps = [ON] * 5 + [OFF] * 2 + [ON] * 5 + [OFF] * 3 + [ON] * 2
    assert events(steps, steady=3) == [(0, TOUCHDOWN, 0), (12, LIFTOFF, -1)]


def test_slip_and_stick():
    steps = [ON] * 3 + [SLIDES] * 4 + [ON] * 2 + [SLIDES] + [ON] * 2
    assert events(steps, steady=2) == [(0, TOUCHDOWN, 0), (3, SLIP, 4), (7, STICK, 8)]


def test_a_touchdown_that_slips_is_told_to_stick_later():
    assert events([SLIDES] * 3 + [ON] * 3, steady=2) == [(0, TOUCHDOWN, 0), (3, STICK, 4)]


def test_the_limit_itself_sticks():
    slow = [(1, 0, 5.0, SLOW * (1 - 1e-12))]
    assert events([ON, slow, slow]) == [(0, TOUCHDOWN, 0)]


def test_more_points_of_one_pair_count_once():
    many = [(1, 0, 5.0, 0.0), (1, 0, 5.0, 0.5), (1, 0, 5.0, 0.5)]
    assert events([many] * 4, steady=3) == [(0, TOUCHDOWN, 0)]
    assert events([many] * 2, steady=3) == []


def test_pairs_do_not_disturb_each_other():
    other = [(2, 0, 5.0, 0.0)]
    steps = [ON, ON + other, other, other, ON]
    wanted = [(0, TOUCHDOWN, 0), (1, TOUCHDOWN, 2), (2, LIFTOFF, -1), (4, TOUCHDOWN, 5), (4, LIFTOFF, -2)]
    assert events(steps) == wanted


def test_what_is_not_watched_is_passed_over():
    assert events([[(3, 0, 5.0, 0.0), (0, 1, 5.0, 0.0), (-1, 0, 5.0, 0.0), (1, -3, 5.0, 0.0)]] * 3) == []


def test_no_steps_no_events():
    assert events([]) == []
    assert events([OFF] * 3) == []


@pytest.mark.parametrize("steps", [[ON], [ON, OFF], [ON, SLIDES]])
def test_says_when_the_list_is_too_short(steps):
    assert events(steps, most=len(steps) - 1) == -1
    assert len(events(steps, most=len(steps))) == len(steps)


def windows(flags, steady, state):
    """Where a steady change begins: the first window of `steady` equal flags other than the state, again and again."""
    found, k = [], 0
    while k + steady <= len(flags):
        if all(flag != state for flag in flags[k : k + steady]):
            state = not state
            found.append((k, state))
            k += steady
        else:
            k += 1
    return found


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 5))
def test_touchdowns_and_liftoffs_are_steady_changes(flags, steady):
    wanted = [(k, TOUCHDOWN if closed else LIFTOFF) for k, closed in windows(flags, steady, False)]
    assert [row[:2] for row in events([ON if flag else OFF for flag in flags], steady)] == wanted


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 5))
def test_slips_and_sticks_are_steady_changes(flags, steady):
    steps = [ON] * steady + [SLIDES if flag else ON for flag in flags]
    wanted = [(k + steady, SLIP if slips else STICK) for k, slips in windows(flags, steady, False)]
    assert [row[:2] for row in events(steps, steady)] == [(0, TOUCHDOWN), *wanted]


@given(st.lists(st.sampled_from([ON, OFF, SLIDES]), max_size=30), st.integers(1, 4), st.integers(1, 7))
def test_a_log_in_pieces_gives_the_same_events(steps, steady, piece):
    memory, out, found = remembered(), np.empty((100, 3), dtype=np.int64), []
    arrays = log(*steps)
    for first in range(0, len(steps), piece):
        last = min(first + piece, len(steps))
        count = contact_events(*arrays, first, last, steady, SLOW, TABLE, memory, out)
        found += [tuple(row) for row in out[:count].tolist()]
    assert found == events(steps, steady)
    told = [kind for _, kind, _ in found if kind in (TOUCHDOWN, LIFTOFF)]
    assert memory[0, CLOSED] == (1 if told and told[-1] == TOUCHDOWN else 0)
