"""How the base (of a bolted robot: its object) moved in some traces, from the telemetry of a run folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.simulate.plot import roll_pitch_yaw
from surefoot.traces.groups import Group

PLACES, ANGLES = ("x", "y", "z"), ("roll", "pitch", "yaw")
FIRST, FURTHER = 48, 16
"""Traces of a policy that are drawn: the first ones, and further failures."""


@dataclass(frozen=True, eq=False)
class Motion:
    """One trace.

    Attributes:
        kind: its place in `KINDS`.
        t: (n,) s.
        channels: (n,) each, by name: x, y, z in m; roll, pitch, yaw in degrees; and all columns of the telemetry.
    """

    kind: int
    t: NDArray[np.float64]
    channels: dict[str, NDArray[np.float64]]


def motions(folder: Any, group: Group) -> list[Motion]:
    """Traces of one policy that are worth drawing: the first ones, and failures among the later ones."""
    chosen = [*range(min(FIRST, len(group))), *(FIRST + np.flatnonzero(~group.success[FIRST:])[:FURTHER])]
    found = []
    for k in chosen:
        table = folder.telemetry(policy=group.policy, particle=int(group.particle[k]))
        names = [name for name in table.column_names if name not in ("policy", "particle")]
        columns = {name: np.asarray(table.column(name), dtype=np.float64) for name in names}
        columns = {name: values for name, values in columns.items() if np.isfinite(values).any()}
        if "t" in columns:
            found.append(Motion(int(group.kind[k]), columns["t"], {**columns, **free_body(columns)}))
    return found


def free_body(columns: dict[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """Place and turn of the first body that moves freely: where four numbers of q are a unit quaternion throughout."""
    addresses = sorted(int(name[1:]) for name in columns if re.fullmatch(r"q\d+", name))
    q = np.array([columns[f"q{k}"] for k in addresses]).T
    if addresses != list(range(len(addresses))) or not len(columns["t"]):
        return {}
    for start in range(len(addresses) - 6):
        quaternion = q[:, start + 3 : start + 7]
        if (np.abs((quaternion**2).sum(axis=1) - 1.0) < 1e-6).all():
            found = dict(zip(PLACES, q[:, start : start + 3].T, strict=True))
            return found | dict(zip(ANGLES, np.degrees(roll_pitch_yaw(quaternion)).T, strict=True))
    return {}
