"""The kernel alone, with a table written by hand: one joint, one position, one velocity."""

import numpy as np

from surefoot.kernels import pipeline as kernel
from surefoot.kernels.cache import Pointer
from surefoot.kernels.rollout import POLICY_SIGNATURE
from tests.kernels.door import call

# Blackboard: torque 0 | time 1 | q 2 | v 3 | torque now 4 | goal 5 | what the second and third stage add 6, 7.
# Blocks: 8: wait, goal, memory; 11: wait; 12: wait, memory.
RUN = Pointer(kernel.run_pipeline, POLICY_SIGNATURE)
TORQUE, TIME, Q, V, NOW, GOAL, FIRST, SECOND, SIZE = 0, 1, 2, 3, 4, 5, 6, 7, 14


def _count(t, board, where, memory, params):
    """Writes params[0] times the number of calls."""
    memory[0] += 1.0
    board[where[0]] = params[0] * memory[0]
    return 0


def _spring(t, board, where, memory, params):
    board[where[2]] += params[0] * (board[where[1]] - board[where[0]])
    return 0


def _clock(t, board, where, memory, params):
    """Adds the time, and ends it with a code when that comes."""
    memory[0] = t
    board[where[0]] += t
    return int(params[1]) if t >= params[0] else 0


def address(function):
    return Pointer(function, kernel.STAGE_SIGNATURE).__wrapper_address__()


def table(every=(1, 1, 1), python=(), stop=np.inf, code=3):
    """count (writes the goal), spring (reads q and goal, adds torque), clock (adds torque)."""
    where = ([GOAL], [Q, GOAL, FIRST], [SECOND])
    copies = ([GOAL, 9, 1], [TORQUE, FIRST, 1], [TORQUE, SECOND, 1])
    waits, own, writes, adds = (8, 11, 12), ((10, 1), (12, 0), (13, 1)), (1, 0, 0), (0, 1, 1)
    given = ([2.0], [10.0], [stop, code])
    lists = [number for pair in zip(where, copies, strict=True) for part in pair for number in part]
    start = kernel.HEADER + 3 * kernel.WIDTH
    behind = start + len(lists)
    rows = []
    for s, function in enumerate((_count, _spring, _clock)):
        row = [0 if s in python else address(function), every[s], waits[s], start, len(where[s]), writes[s], adds[s]]
        rows += [*row, *own[s], behind, len(given[s])]
        start += len(where[s]) + len(copies[s])
        behind += len(given[s])
    whole = np.array([3, 1, 8, *rows, *lists], dtype=np.int64)
    return np.concatenate([whole.view(np.float64), *given])


def tick(params, memory, t, q=0.5, v=-1.0, measured=np.nan):
    torque = np.full(1, measured)
    code = call(RUN, t, np.array([q]), np.array([v]), torque, memory, params)
    return code, torque[0]


def test_stages_run_in_order_and_torques_add_up():
    params, memory = table(), np.zeros(SIZE + 1)
    for k in range(5):
        t = 0.25 * k
        assert tick(params, memory, t, measured=7.0 + k) == (0, 10.0 * (2.0 * (k + 1) - 0.5) + t)
        assert memory[[TIME, Q, V, NOW]].tolist() == [t, 0.5, -1.0, 7.0 + k]
    assert memory[-1] == 0.0


def test_what_a_slow_stage_gave_holds():
    params, memory = table(every=(2, 3, 1)), np.zeros(SIZE + 1)
    torques = [tick(params, memory, float(k))[1] for k in range(7)]
    goals = [2.0, 2.0, 4.0, 4.0, 6.0, 6.0, 8.0]
    assert torques == [10.0 * (goals[k - k % 3] - 0.5) + k for k in range(7)]


def test_a_written_value_is_written_again():
    params, memory = table(every=(3, 1, 1)), np.zeros(SIZE + 1)
    for _ in range(3):
        tick(params, memory, 0.0)
        assert memory[GOAL] == 2.0
        memory[GOAL] = np.nan  # what another stage may have made of it
    tick(params, memory, 0.0)
    assert memory[GOAL] == 4.0


def test_python_runs_a_stage_in_the_middle():
    params, memory = table(every=(1, 2, 1), python=(1,)), np.zeros(SIZE + 1)
    for k in range(4):
        kernel.begin_tick(float(k), np.array([0.5]), np.array([-1.0]), np.zeros(1), memory, params)
        code, s = kernel.run_stages(float(k), memory, params, 0, False)
        if k % 2 == 0:
            assert (code, s, memory[FIRST]) == (kernel.PYTHON, 1, 0.0)
            memory[FIRST] = 100.0 * (k + 1)
            code, s = kernel.run_stages(float(k), memory, params, s, True)
        assert (code, s) == (0, 3)
        assert memory[TORQUE] == 100.0 * (k - k % 2 + 1) + k


def test_a_code_ends_the_tick_and_leaves_the_torques():
    params, memory = table(stop=1.0), np.zeros(SIZE + 1)
    assert tick(params, memory, 0.0)[0] == 0
    code, torque = tick(params, memory, 1.0)
    assert code == 3
    assert np.isnan(torque)
    assert memory[-1] == 0.0


def test_an_error_sets_the_last_number():
    params, memory = table(stop=0.0, code=kernel.RAISED), np.zeros(SIZE + 1)
    assert tick(params, memory, 0.0)[0] == kernel.RAISED
    assert memory[-1] == 1.0
