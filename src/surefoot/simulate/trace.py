"""What a roll-out leaves behind: states, torques as applied, contacts and forces, statuses."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.contacts import contact_names
from surefoot.errors import InputError
from surefoot.kernels import status as codes
from surefoot.kernels.rollout import Log
from surefoot.laws import Law
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.solvers.status import Status

if TYPE_CHECKING:
    import pandas

    from surefoot.answer import Answer

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trace:
    """n steps. Contacts of step k stand in rows `contact_start[k]` to `contact_start[k + 1] - 1` of the contact arrays.

    Attributes:
        scene: robot or scene.
        law: contact law; None: MuJoCo's own physics, of `sf.MujocoPlant`.
        dt: step in s.
        t: (n + 1,) s.
        q: (n + 1, nq) positions.
        v: (n + 1, nv) velocities.
        torque: (n, joints) N m (N) as applied: given by the policy, or found for a prescribed joint.
        status: (n,) codes, see `Status.from_code`.
        residual: (n,) the law's violation in each step; NaN without a law.
        method: (n,) which solver found each step, see `surefoot.answer.METHODS`.
        contact_start: (n + 1,).
        contact_geoms: (k, 2) geom pushed, geom that pushes.
        contact_points: (k, 3) m.
        contact_frames: (k, 3, 3) rows normal, tangent 1, tangent 2.
        contact_gaps: (k,) m at the start of the step; negative: depth.
        contact_forces: (k, 3) N in the frame, on the first geom.
        contact_velocities: (k, 3) m/s in the frame, at the end of the step.
        end: how the roll-out ended.
        prescribed: names of the joints that followed a motion.
        wanted: (n, len(prescribed)) rad (m): where they should be at the end of each step.
        aim: (n, len(prescribed)) rad/s (m/s): the velocity by which they should get there.
        failed_torque: the torque of the step that failed, or None.
        failed_wanted, failed_aim: (len(prescribed),) of the step that failed, or None.
        torque_limits, restitution, speed: of the roll-out, for `replay`.
    """

    scene: Scene
    law: Law | None
    dt: float
    t: Array
    q: Array
    v: Array
    torque: Array
    status: NDArray[np.int64]
    residual: Array
    method: NDArray[np.int64]
    contact_start: NDArray[np.int64]
    contact_geoms: NDArray[np.int64]
    contact_points: Array
    contact_frames: Array
    contact_gaps: Array
    contact_forces: Array
    contact_velocities: Array
    end: Status
    prescribed: tuple[str, ...]
    wanted: Array
    aim: Array
    failed_torque: Array | None = None
    failed_wanted: Array | None = None
    failed_aim: Array | None = None
    torque_limits: Any = None
    restitution: float = 0.0
    speed: float = 3.0

    @classmethod
    def from_log(
        cls,
        scene: Scene,
        law: Law | None,
        dt: float,
        t0: float,
        log: Log,
        done: int,
        code: int,
        torque: Array,
        **more: Any,
    ) -> Trace:
        """Cut a log down to the steps that were done; `torque`: what the policy gave last; `more`: for `replay`."""
        used = int(log.start[done])
        failed = code not in (codes.SOLVED, codes.POLICY, codes.MOTION)
        return cls(
            scene=scene,
            law=law,
            dt=dt,
            t=np.asarray(t0 + dt * np.arange(done + 1), dtype=np.float64),
            q=log.q[: done + 1].copy(),
            v=log.v[: done + 1].copy(),
            torque=log.torque[:done].copy(),
            status=log.status[:done].copy(),
            residual=log.residual[:done].copy(),
            method=log.method[:done].copy(),
            contact_start=log.start[: done + 1].copy(),
            contact_geoms=log.geoms[:used].copy(),
            contact_points=log.points[:used].copy(),
            contact_frames=log.frames[:used].copy(),
            contact_gaps=log.gaps[:used].copy(),
            contact_forces=log.forces[:used].copy(),
            contact_velocities=log.velocities[:used].copy(),
            end=Status.from_code(code),
            wanted=log.wanted[:done].copy(),
            aim=log.aim[:done].copy(),
            failed_torque=torque.copy() if failed else None,
            failed_wanted=log.wanted[done].copy() if failed or code == codes.MOTION else None,
            failed_aim=log.aim[done].copy() if failed else None,
            **more,
        )

    def __len__(self) -> int:
        return len(self.torque)

    @property
    def ok(self) -> bool:
        """Whether every step was solved and the roll-out went to its end."""
        return self.end.is_solved

    @property
    def message(self) -> str:
        """How it ended, in a sentence."""
        if self.ok and self.law is None:
            return f"{len(self)} steps of MuJoCo"
        if self.ok:
            softened = int(np.count_nonzero(self.status == codes.REGULARISED))
            if softened:
                return f"{len(self)} steps, {softened} of them regularised, all others solved"
            return f"{len(self)} steps, all solved"
        hint = (
            "; trace.replay() runs that step again" if self.failed_torque is not None and self.law is not None else ""
        )
        if self.end is Status.MOTION and self.failed_wanted is not None:
            astray = zip(self.prescribed, self.failed_wanted, strict=True)
            named = [f"{joint} at {wanted:g}" for joint, wanted in astray if not np.isfinite(wanted)]
            hint = f": {', '.join(named)}" if named else ""
        return f"stopped at step {len(self)}, t = {self.t[-1]:.6g} s: {self.end}{hint}"

    @property
    def lag(self) -> Array:
        """(n, len(prescribed)) rad (m): how far prescribed joints are behind their motion at the end of each step.

        It is wanted - q: zero to rounding unless a torque limit holds a joint back.
        """
        places = [self.scene.joint_positions[self.scene.joints.index(joint)] for joint in self.prescribed]
        return self.wanted - self.q[1:, places]

    def state(self, step: int = -1) -> State:
        """State at the start of a step; -1: the last."""
        step = _index(step, -len(self.t), len(self.t) - 1)
        return State(self.q[step], self.v[step], float(self.t[step]))

    def contacts_of(self, step: int) -> slice:
        """Rows of the contact arrays that belong to a step."""
        step = _index(step, 0, len(self) - 1)
        return slice(int(self.contact_start[step]), int(self.contact_start[step + 1]))

    def replay(self, step: int | None = None) -> Answer:
        """Solve one step again and return its full Answer; default: the one that failed, else the last."""
        from surefoot.simulate.simulator import Simulator

        if self.law is None:
            raise InputError(
                "replay: the trace is of MuJoCo's own physics, which has no Answer; "
                "sf.Simulator(trace.scene, trace.dt).solve(trace.state(k), trace.torque[k]) has one of a law"
            )
        last = len(self) if self.failed_torque is not None else len(self) - 1
        step = _index(last if step is None else step, 0, last)
        torque = self.torque[step] if step < len(self) else self.failed_torque
        aim = self.aim[step] if step < len(self) else self.failed_aim
        plant = Simulator(self.scene, self.dt, self.law, restitution=self.restitution, speed=self.speed)
        given = np.where(np.isin(self.scene.joints, self.prescribed), 0.0, np.asarray(torque))
        velocity = dict(zip(self.prescribed, aim, strict=True)) if aim is not None else None
        return plant.solve(self.state(step), given, velocity=velocity, torque_limits=self.torque_limits)

    def to_pandas(self) -> tuple[pandas.DataFrame, pandas.DataFrame]:
        """(states, contacts): one row a step, one row a contact and step."""
        try:
            import pandas
        except ImportError:
            raise InputError("to_pandas: pandas is not installed; pip install pandas") from None
        n = len(self)
        columns: dict[str, Any] = {"t": self.t[:n], "status": [Status.from_code(c).name for c in self.status]}
        columns |= {f"q{i}": self.q[:n, i] for i in range(self.q.shape[1])}
        columns |= {f"v{i}": self.v[:n, i] for i in range(self.v.shape[1])}
        columns |= {f"torque {joint}": self.torque[:, i] for i, joint in enumerate(self.scene.joints)}
        counts = np.diff(self.contact_start)
        contacts: dict[str, Any] = {
            "step": np.repeat(np.arange(n), counts),
            "t": np.repeat(self.t[:n], counts),
            "name": [
                name for k in range(n) for name in contact_names(self.scene, self.contact_geoms[self.contacts_of(k)])
            ],
            "gap": self.contact_gaps,
        }
        for i, axis in enumerate("xyz"):
            contacts[axis] = self.contact_points[:, i]
        for i, part in enumerate(("normal", "tangent1", "tangent2")):
            contacts[f"force {part}"] = self.contact_forces[:, i]
            contacts[f"velocity {part}"] = self.contact_velocities[:, i]
        return pandas.DataFrame(columns), pandas.DataFrame(contacts)

    def plot(self, path: str | Path) -> Path:
        """Draw the roll-out into a figure; the ending of `path` says how (.png, .pdf, .svg)."""
        from surefoot.simulate.plot import plot_trace

        if not isinstance(path, str | os.PathLike):
            raise InputError(f"path: expected a file name, got {path!r}")

        return plot_trace(self, path)


def _index(step: Any, first: int, last: int) -> int:
    """`step` as a whole number from `first` to `last`."""
    if last < max(first, 0):
        raise InputError(f"step: the trace has no steps to choose from, got {step!r}")
    if not isinstance(step, int | np.integer) or isinstance(step, bool) or not first <= step <= last:
        raise InputError(f"step: expected {first} to {last}, got {step!r}")
    return int(step)
