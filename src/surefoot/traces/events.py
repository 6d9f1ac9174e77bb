"""What happened in a trace, in order: feet touch down and lift off, stick and slip, and strike the side of things."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.kernels import contact_events as kernel
from surefoot.kernels.rollout import Log
from surefoot.robots.scene import Scene

STEADY = 5e-3  # s: what flickers for less is no event
SLOW = 0.01  # m/s: a contact that slips slower sticks
SIDE = math.cos(math.pi / 4)  # vertical part of the normal below which a foot has struck a side
KINDS = ("touchdown", "liftoff", "stick", "slip")
STRIKE = "strike"
_BOX = int(mujoco.mjtGeom.mjGEOM_BOX)


def events_of(scene: Scene, log: Log, t0: float, dt: float, done: int) -> dict[str, list[Any]]:
    """Columns t (s), kind and feature of all events in the first steps of a log.

    Kinds are "touchdown", "liftoff", "stick", "slip", and "strike": a touchdown on the side of something. A feature is
    what touched, then what it touched and with which part of it: "RF_FOOT/ground", "RF_FOOT/curb side".
    """
    pairs, pair_of = _pairs(scene, log.geoms[: log.start[done]])
    memory = np.zeros((len(pairs), kernel.PAIR), dtype=np.int64)
    memory[:, [kernel.ROW, kernel.SEEN]] = -1
    steady = max(1, round(STEADY / dt))
    out = np.empty((256, 3), dtype=np.int64)
    while True:
        begun = memory.copy()
        count = kernel.contact_events(
            log.start, log.geoms, log.forces, log.velocities, 0, done, steady, SLOW, pair_of, begun, out
        )
        if count >= 0:
            break
        out = np.empty((4 * len(out), 3), dtype=np.int64)
    found = out[:count][np.argsort(out[:count, 0], kind="stable")]
    columns: dict[str, list[Any]] = {"t": [], "kind": [], "feature": []}
    features = _Features(scene, log)
    for step, code, row in found.tolist():
        kind = KINDS[code]
        if row >= 0:
            feature, steep = features(row)
            kind = STRIKE if kind == KINDS[0] and steep else kind
        else:
            feature = "/".join(features.name(geom) for geom in pairs[-1 - row])
        columns["t"].append(t0 + step * dt)
        columns["kind"].append(kind)
        columns["feature"].append(feature)
    return columns


def _pairs(scene: Scene, geoms: NDArray[np.int64]) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
    """Pairs of geoms that came near, and (ngeom, ngeom) the number of each, -1 if it did not."""
    table = np.full((scene.model.ngeom, scene.model.ngeom), -1, dtype=np.int64)
    near = geoms[(geoms >= 0).all(axis=1)]
    seen = np.zeros(table.shape, dtype=bool)
    seen[near[:, 0], near[:, 1]] = True
    pairs = [(int(a), int(b)) for a, b in np.argwhere(seen)]
    for number, (a, b) in enumerate(pairs):
        table[a, b] = number
    return pairs, table


class _Features:
    """Names of what touches what."""

    def __init__(self, scene: Scene, log: Log) -> None:
        self.model, self.log = scene.model, log
        self._names: dict[int, str] = {}

    def name(self, geom: int) -> str:
        if geom not in self._names:
            model = self.model
            self._names[geom] = model.geom(geom).name or f"{model.body(model.geom_bodyid[geom]).name} geom {geom}"
        return self._names[geom]

    def __call__(self, row: int) -> tuple[str, bool]:
        """The feature of a contact, and whether it is a side."""
        a, b = (int(g) for g in self.log.geoms[row])
        normal = self.log.frames[row, 0]
        steep = abs(normal[2]) < SIDE
        part = ""
        if int(self.model.geom_type[b]) == _BOX and self.model.geom_bodyid[b] == 0:
            part = " " + self._box_part(b, row)
        return f"{self.name(a)}/{self.name(b)}{part}", steep

    def _box_part(self, box: int, row: int) -> str:
        """Top, side or edge of a box that does not move."""
        turn = np.empty(9)
        mujoco.mju_quat2Mat(turn, self.model.geom_quat[box])
        normal = turn.reshape(3, 3).T @ self.log.frames[row, 0]
        if np.abs(normal).max() < 1.0 - 1e-4:
            return "edge"
        return "top" if abs(normal[2]) > SIDE else "side"
