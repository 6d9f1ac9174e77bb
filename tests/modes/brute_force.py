"""All contact modes of a system, each decided by linear programs of its own (SciPy's HiGHS).

The unknowns of a program are (qdd, f, tau) as they stand; nothing is eliminated, nothing is shared between modes.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from tests.modes.conditions import Plain, Table, mode_name, mode_tokens, modes

NOTHING = 1e-9
"""A margin up to this is none."""
CLEAR = 1e-6
"""Margins of strict demands from here on are no accident of rounding."""


class Judged(NamedTuple):
    """What the programs say of one mode, in the units of its rows [N, m/s^2].

    strict: largest t <= 1 with strict demands >= t and closed ones >= 0; -inf: there is no such t.
    depth: largest t <= 1 with every inequality >= t; asked only where `strict` is small, the same elsewhere. A mode
    whose domain has no inside (fixed without friction, say) has none, and exists nevertheless.
    """

    strict: float
    depth: float

    @property
    def verdict(self):
        """True: the mode exists; False: it does not; None: too close to call."""
        if self.strict <= NOTHING:
            return False
        if self.strict < CLEAR and self.depth <= NOTHING:
            return None
        return True


def brute_force(system, torque=None, names=None):
    """`Judged` of every mode that the contacts' velocities leave, by name.

    Args:
        system: a `ContactSystem`, or plain arrays with its attributes.
        torque: fixed, if it is given.
        names: of the modes to judge; None for all.
    """
    plain = Plain(system)
    table = Table(plain)
    torque = None if torque is None else np.asarray(torque, float)
    judged = {}
    for mode in modes(plain) if names is None else [mode_tokens(plain, name) for name in names]:
        ways = [_judge(rows, torque) for rows in table.demands(mode)]
        judged[mode_name(plain, mode)] = max(ways, key=lambda way: (RANK[way.verdict], way.strict))
    return judged


RANK = {False: 0, None: 1, True: 2}


def existing(judged):
    """Names of the modes that exist, and of those too close to call."""
    names = [{name for name, way in judged.items() if way.verdict is verdict} for verdict in (True, None)]
    return names[0], names[1]


def disagreements(names, judged):
    """Names that the programs contradict: (not there though they should be, there though they should not)."""
    names = set(names)
    there, doubtful = existing(judged)
    return sorted(there - names), sorted(names - there - doubtful)


def _judge(rows, torque):
    if torque is not None:
        rows = [_fixed(part, torque) for part in rows]
    equal, closed, strict = rows
    above = np.vstack([closed, strict])
    margin = _largest(equal, above, np.repeat([0.0, 1.0], [len(closed), len(strict)]))
    unclear = NOTHING < margin < CLEAR
    return Judged(margin, _largest(equal, above, np.ones(len(above))) if unclear else margin)


def _fixed(rows, torque):
    """Torques moved to the numbers."""
    t = len(torque)
    x, tau, number = rows[:, : -1 - t], rows[:, -1 - t : -1], rows[:, -1]
    return np.column_stack([x, tau @ torque + number])


def _largest(equal, above, weights):
    """The largest t <= 1 with equal(x) = 0 and above(x) >= weights t; -inf if there is none."""
    found = largest(equal, above, weights)
    return -np.inf if found is None else float(found[-1])


def largest(equal, above, weights):
    """(x, t) with the largest t <= 1 such that equal(x) = 0 and above(x) >= weights t, or None."""
    n = equal.shape[1] - 1
    cost = np.zeros(n + 1)
    cost[-1] = -1.0
    program = {
        "A_ub": np.column_stack([-above[:, :-1], weights]),
        "b_ub": above[:, -1],
        "A_eq": np.column_stack([equal[:, :-1], np.zeros(len(equal))]),
        "b_eq": -equal[:, -1],
        "bounds": [(None, None)] * n + [(None, 1.0)],
    }
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    for presolve in (True, False):
        found = linprog(cost, **program, method="highs", options=options | {"presolve": presolve})
        if found.status == 0:
            return found.x
        if found.status == 2:
            return None
    raise RuntimeError(found.message)
