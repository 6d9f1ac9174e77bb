"""What a fall did, in numbers: how hard it hit, when it came to rest, whether it then crept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks

REST_SPEED = 0.01  # m/s or rad/s: at rest once every velocity stays below this


@dataclass(frozen=True)
class Landing:
    """Numbers of one fall.

    Attributes:
        weight: of all that moves, in N.
        touch_time: s from the start to the first contact force, or None if nothing touched.
        peak_force: largest sum of normal forces in one step, in N.
        peak_time: when, in s.
        rest_time: s from the start until all velocities stay below 0.01 (m/s, rad/s), or None if they never do.
        drift: how far the base moved during the last `drift_window` seconds, in m.
        drift_window: s.
        slip: longest way in m that one contact pair slid under load.
        penetration: greatest depth in m.
        energy_start: kinetic and potential energy at the start, in J; zero of the latter as at the end.
        energy_end: kinetic energy at the end, in J.
        energy_most: greatest energy on the way, in J.
        peak_torque: largest torque in N m (N for sliding joints).
    """

    weight: float
    touch_time: float | None
    peak_force: float
    peak_time: float
    rest_time: float | None
    drift: float
    drift_window: float
    slip: float
    penetration: float
    energy_start: float
    energy_end: float
    energy_most: float
    peak_torque: float


def landing(trace: Any, window: float = 0.25) -> Landing:
    """Read a fall's numbers off its trace.

    Args:
        trace: a `Trace`.
        window: seconds at the end over which drift is measured.

    Returns:
        The numbers.
    """
    window = checks.number("window", window, above=0.0)
    scene, count = trace.scene, len(trace.torque)
    owner = np.repeat(np.arange(count), np.diff(trace.contact_start))
    normal = trace.contact_forces[:, 0]
    total = np.bincount(owner, normal, minlength=max(count, 1))
    peak = int(np.argmax(total))
    touching = np.flatnonzero(total > 0)
    start, end = trace.t[0], trace.t[-1]
    late = min(int(np.searchsorted(trace.t, end - window - 1e-9)), max(count - 1, 0))
    energy = energies(trace)
    return Landing(
        weight=float(scene.mass * np.linalg.norm(scene.model.opt.gravity)),
        touch_time=float(trace.t[touching[0]] - start) if touching.size else None,
        peak_force=float(total[peak]),
        peak_time=float(trace.t[peak] - start),
        rest_time=_rest_time(trace),
        drift=float(np.linalg.norm(_position(trace, -1) - _position(trace, late))),
        drift_window=float(end - trace.t[late]),
        slip=_longest_slip(trace),
        penetration=float(max(0.0, -trace.contact_gaps.min(initial=0.0))),
        energy_start=float(energy[0].sum()),
        energy_end=float(energy[-1, 0]),
        energy_most=float(np.nanmax(energy.sum(axis=1), initial=0.0)),
        peak_torque=float(np.abs(trace.torque).max(initial=0.0)),
    )


def energies(trace: Any) -> NDArray[np.float64]:
    """(n+1, 2) kinetic and potential energy in J; potential energy is zero at the last finite state."""
    model = trace.scene.model
    data = mujoco.MjData(model)
    result = np.full((len(trace.t), 2), np.nan)
    for k in np.flatnonzero(np.isfinite(trace.q).all(axis=1) & np.isfinite(trace.v).all(axis=1)):
        data.qpos[:], data.qvel[:] = trace.q[k], trace.v[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        result[k] = data.energy[1], data.energy[0]
    finite = np.flatnonzero(np.isfinite(result[:, 1]))
    result[:, 1] -= result[finite[-1], 1] if finite.size else 0.0
    return result


def _rest_time(trace: Any) -> float | None:
    moving = np.flatnonzero(np.abs(trace.v).max(axis=1, initial=0.0) > REST_SPEED)
    if not moving.size:
        return 0.0
    last = int(moving[-1])
    return None if last == len(trace.t) - 1 else float(trace.t[last + 1] - trace.t[0])


def _longest_slip(trace: Any) -> float:
    """The way slid under load by the pair of geoms that slid furthest, in m."""
    loaded = trace.contact_forces[:, 0] > 0
    if not loaded.any():
        return 0.0
    way = trace.dt * np.linalg.norm(trace.contact_velocities[loaded, 1:], axis=1)
    _, pair = np.unique(trace.contact_geoms[loaded], axis=0, return_inverse=True)
    return float(np.bincount(pair.reshape(-1), way).max())


def _position(trace: Any, state: int) -> NDArray[np.float64]:
    """Where the base is, in m; of a robot without one, all joints."""
    model = trace.scene.model
    if trace.scene.base is None:
        return trace.q[state]
    start = int(model.jnt_qposadr[model.body_jntadr[model.body(trace.scene.base).id]])
    return trace.q[state, start : start + 3]
