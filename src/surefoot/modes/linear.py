"""Linear constraints on accelerations, contact forces and torques: what physics or a task adds to contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Linear:
    """`acceleration qdd + force f + torque tau = equals`, or `>= at_least`; blocks that are left out are zero.

    [Greenfield2005] (11)-(18), with its right-hand torques on the left.

    Attributes:
        acceleration: (r, nv), or (nv,) for one row.
        force: (r, 2k) in planar, (r, 3k) in spatial systems, in the order of the Jacobian's rows [N].
        torque: (r, t).
        equals: (r,) or one number.
        at_least: (r,) or one number.
        name: how errors call it.
    """

    acceleration: Any = None
    force: Any = None
    torque: Any = None
    equals: Any = None
    at_least: Any = None
    name: str = ""


class Rows(NamedTuple):
    """The rows of some constraints: `acceleration qdd + force f + torque tau - bound`, zero or not negative."""

    acceleration: Array  # (r, nv)
    force: Array  # (r, 2k or 3k)
    torque: Array  # (r, t)
    bound: Array  # (r,)
    equality: NDArray[np.bool_]  # (r,)
    names: tuple[str, ...]  # of each row


def rows_of(argument: str, constraints: Any, sizes: tuple[int, int, int]) -> Rows:
    """Return the rows of constraints for nv coordinates, nf contact forces and t torques; refuses what does not fit."""
    if isinstance(constraints, Linear):
        constraints = (constraints,)
    if not isinstance(constraints, tuple | list):
        raise InputError(f"{argument}: expected a list of sf.modes.Linear, got {type(constraints).__name__}")
    parts = [_rows(f"{argument}[{i}]", one, sizes) for i, one in enumerate(constraints)]
    nv, nf, t = sizes
    return Rows(
        acceleration=np.vstack([np.zeros((0, nv)), *(part.acceleration for part in parts)]),
        force=np.vstack([np.zeros((0, nf)), *(part.force for part in parts)]),
        torque=np.vstack([np.zeros((0, t)), *(part.torque for part in parts)]),
        bound=np.concatenate([np.zeros(0), *(part.bound for part in parts)]),
        equality=np.concatenate([np.zeros(0, dtype=bool), *(part.equality for part in parts)]),
        names=tuple(name for part in parts for name in part.names),
    )


def _rows(argument: str, one: Any, sizes: tuple[int, int, int]) -> Rows:
    if not isinstance(one, Linear):
        raise InputError(f"{argument}: expected a sf.modes.Linear, got {type(one).__name__}")
    given = [k for k in ("equals", "at_least") if getattr(one, k) is not None]
    if len(given) != 1:
        raise InputError(f"{argument}: expected one of equals and at_least, got {' and '.join(given) or 'neither'}")
    blocks = {k: getattr(one, k) for k in ("acceleration", "force", "torque")}
    axes = {k: checks.dimensions(f"{argument}.{k}", v) for k, v in blocks.items() if v is not None}
    count = max((len(blocks[k]) if number == 2 else 1 for k, number in axes.items()), default=0)
    if count == 0:
        raise InputError(f"{argument}: expected at least one of acceleration, force and torque, got none")
    matrices = {}
    for (key, value), size in zip(blocks.items(), sizes, strict=True):
        if value is None:
            matrices[key] = np.zeros((count, size))
        else:
            value = np.asarray(value)[None] if axes[key] == 1 else value
            matrices[key] = checks.array(f"{argument}.{key}", value, (count, size))
    bound = getattr(one, given[0])
    bound = np.full(count, bound) if checks.dimensions(f"{argument}.{given[0]}", bound) == 0 else bound
    bound = checks.array(f"{argument}.{given[0]}", bound, (count,))
    label = one.name or argument
    names = (label,) if count == 1 else tuple(f"{label} row {i}" for i in range(count))
    return Rows(**matrices, bound=bound, equality=np.full(count, given[0] == "equals"), names=names)
