"""A control pipeline as one policy: stages on one flat blackboard, each called through its address at its own rate.

A tick copies time, state and the torques of the last tick to the blackboard, clears the values that add up, and takes
the stages in order. A stage whose turn it is runs. One whose turn it is not gives again what it gave last: what it
wrote is written again, what it added is added again. So a slow stage's torque holds between its ticks, and the value of
a tick never depends on what another stage made of it in the tick before.

    memory   blackboard | one block a stage: ticks to wait, what it wrote last, its own memory
    board    values that add up, torque first | time | q | v | torque now | other values | what each stage adds
    params   table of int64 as bits: header, one row a stage, its offsets and copies | parameters of the stages
"""

from __future__ import annotations

import numpy as np
from numba import types

from surefoot.kernels.cache import caller, kernel

_VECTOR = types.float64[::1]
STAGE_SIGNATURE = types.int64(types.float64, _VECTOR, types.int64[::1], _VECTOR, _VECTOR)
"""int64 stage(t, board, where, memory, params)"""

# Codes of a tick that no stage returns by chance.
RAISED = -(2**62)  # a stage ended in an error
PYTHON = RAISED - 1  # it is the turn of a stage in Python

# The header of the table.
STAGES = 0  # how many
ADDING = 1  # length of the values that add up
BOARD = 2  # length of the blackboard
HEADER = 3

# A row of the table; places in the table, in params or in memory, and lengths.
ADDRESS = 0  # of the machine code; 0: a stage in Python
EVERY = 1  # ticks
WAIT = 2  # place in memory of the ticks to wait
WHERE = 3  # place in the table of the offsets (reads, writes, adds) on the board; its copies follow
WHERES = 4  # how many
WRITES = 5  # how many; one copy each: place of the value, place of what was written last, length
ADDS = 6  # how many; one copy each: place of the value, place of what the stage adds, length
OWN = 7  # place in memory of the stage's memory
OWN_SIZE = 8
GIVEN = 9  # place in params of the stage's parameters
GIVEN_SIZE = 10
WIDTH = 11


_call = caller(STAGE_SIGNATURE)


@kernel
def begin_tick(t, q, v, torque, memory, params):
    """Put time, state and the torques of the last tick, as measured, on the blackboard; zero where values add up."""
    adding = params.view(np.int64)[ADDING]
    place = adding + 1 + q.shape[0] + v.shape[0]
    for i in range(torque.shape[0]):  # first: it may be that on the blackboard
        memory[place + i] = torque[i]
    for i in range(adding):
        memory[i] = 0.0
    memory[adding] = t
    place = adding + 1
    for i in range(q.shape[0]):
        memory[place + i] = q[i]
    place += q.shape[0]
    for i in range(v.shape[0]):
        memory[place + i] = v[i]


@kernel
def run_stages(t, memory, params, first, resumed):
    """The stages of a tick from `first` on.

    Args:
        t: time in s.
        memory: see above.
        params: see above.
        first: number of a stage.
        resumed: True if Python has just run that stage.

    Returns:
        (0, stages) if all have run; (PYTHON, stage) if Python is to run one and resume there; else (code, stage) of the
        stage that ended it.
    """
    table = params.view(np.int64)
    board = memory[: table[BOARD]]
    for s in range(first, table[STAGES]):
        row = table[HEADER + WIDTH * s : HEADER + WIDTH * (s + 1)]
        writes = row[WHERE] + row[WHERES]
        adds = writes + 3 * row[WRITES]
        end = adds + 3 * row[ADDS]
        due = memory[row[WAIT]] == 0.0
        if due and not (resumed and s == first):
            for c in range(adds, end, 3):
                for i in range(table[c + 2]):
                    memory[table[c + 1] + i] = 0.0
            if row[ADDRESS] == 0:
                return PYTHON, s
            own = memory[row[OWN] : row[OWN] + row[OWN_SIZE]]
            given = params[row[GIVEN] : row[GIVEN] + row[GIVEN_SIZE]]
            code = _call(types.uintp(row[ADDRESS]), (t, board, table[row[WHERE] : writes], own, given))
            if code != 0:
                return code, s
        if due:
            memory[row[WAIT]] = row[EVERY] - 1.0
            if row[EVERY] > 1:
                for c in range(writes, adds, 3):
                    for i in range(table[c + 2]):
                        memory[table[c + 1] + i] = memory[table[c] + i]
        else:
            memory[row[WAIT]] -= 1.0
            for c in range(writes, adds, 3):
                for i in range(table[c + 2]):
                    memory[table[c] + i] = memory[table[c + 1] + i]
        for c in range(adds, end, 3):
            for i in range(table[c + 2]):
                memory[table[c] + i] += memory[table[c + 1] + i]
    return 0, table[STAGES]


@kernel
def run_ticks(times, Q, V, torques, every, memory, params, places, first, out):
    """Ticks over the states of a roll-out, from tick `first` on.

    Args:
        times, Q, V: (n,), (n, nq), (n, nv) states.
        torques: (n, joints) N m that the ticks gave then.
        every: a tick stands at every n-th state.
        memory, params: of the pipeline.
        places: (m,) places on the board of the numbers to keep.
        first: number of a tick.
        out: (ticks, m) result.

    Returns:
        (0, ticks) if all have run and given those torques; (0, tick) at one that gave others; (PYTHON, tick) at a
        stage in Python; else the code and the tick of the stage that ended it.
    """
    for tick in range(first, out.shape[0]):
        k = tick * every
        begin_tick(times[k], Q[k], V[k], memory[: torques.shape[1]], memory, params)
        code, _ = run_stages(times[k], memory, params, 0, False)
        if code != 0:
            return code, tick
        for i in range(torques.shape[1]):
            if memory[i] != torques[k, i]:
                return 0, tick
        for i in range(places.shape[0]):
            out[tick, i] = memory[places[i]]
    return 0, out.shape[0]


def run_pipeline(t, q, v, torque_out, memory, params):
    """One tick as a policy that senses torque: its reading is in `torque_out` at the start.

    An error in a stage sets the last number of `memory`, as in every policy.
    """
    begin_tick(t, q, v, torque_out, memory, params)
    code, _ = run_stages(t, memory, params, 0, False)
    if code == RAISED:
        memory[memory.size - 1] = 1.0
    if code == 0:
        for i in range(torque_out.shape[0]):
            torque_out[i] = memory[i]
    return code
