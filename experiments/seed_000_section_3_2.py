"""[Zapolsky2015], section 3.2 and figure 2: a contact that the controller assumes too early or too late.

A quadruped sets down its left front foot and lifts the right one at that moment: the weight goes from one to the other.
Inverse dynamics knows all contacts by their distances, except for k milliseconds before or after the touchdown, in
which it is told that the foot stands already, or not yet.

    surefoot reproduce 000-section-3-2
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from surefoot.gait import Legs
from surefoot.report.comparison import Comparison

Array = NDArray[np.float64]

DT = 1e-3  # s
MU = 0.8
SHIFTS = tuple(range(-10, 11))  # ms: negative is early
LIFT = 0.01  # m
STEP_TIME = 0.1  # s to set the foot down, and to lift the other
LEAD, AFTER = 0.02, 0.06  # s before the foot moves, and after the touchdown
BACK = 0.03  # m by which the base stands back, so that either front foot can be spared
GAINS = 400.0, 40.0  # 1/s^2, 1/s
NEAR = 0.004  # m: a foot higher than that is beyond belief
SEEN = 12  # ms before touchdown from which on is measured

TOUCHDOWN = round((LEAD + STEP_TIME) / DT)  # step at whose start the foot is on the ground


@dataclass(frozen=True)
class Landing:
    """What happened, step by step.

    Attributes:
        error: (n,) rad: largest of |q - q wanted| over the joints.
        predicted, felt: (n,) N: sum of the normal forces that the controller expected, and that came.
        foot: (n,) N: normal force on the foot that lands.
        torque: (n,) N m: largest of the joints.
        height: (n,) m of the base over where it began.
        pitch: (n,) degrees of the base, forward.
    """

    error: Array
    predicted: Array
    felt: Array
    foot: Array
    torque: Array
    height: Array
    pitch: Array


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: fewer shifts. Nothing is random."""
    shifts = SHIFTS[::2] if quick else SHIFTS
    step = Step()
    found = {}
    for k, shift in enumerate(shifts):
        found[shift] = step.land(shift)
        if progress is not None:
            progress(k + 1, len(shifts))
    rows = tuple(_row(shift, landing) for shift, landing in found.items() if shift % 2 == 0 or abs(shift) == 1)
    notes = (
        "Early: the joints are prescribed, so a foot that still comes down onto assumed ground would have to lift the "
        "base, by a force that is not there. The torque made for it kicks the leg to the ground and up again. A few "
        "milliseconds early the robot then pitches forward over the missing foot, as in the paper; earlier still the "
        "kick throws it back.",
        "Late: the foot lands on a leg that expects no load and gives way, so its impact is no harder than on time. "
        "But until the controller knows of it nothing holds the front: it sinks and pitches forward, the more the "
        "later, and takes twice the torque. That the impact hits loaded actuators, as the paper has it, does not show: "
        "this robot has neither gears nor rotors that could be hit.",
        "By its distance: phi is a part of the law, 0 <= f perp c + phi/dt >= 0 (the paper's equation 35), so the foot "
        "lands in the step in which it would go through the ground, and not before. Prediction and simulation agree to "
        f"{np.abs(found[0].predicted - found[0].felt).max():.0e} N.",
        f"The plan sets the foot down without speed. Controller: sf.Coulomb(smooth=True); simulation: sf.Coulomb(); "
        f"step {1e3 * DT:g} ms; the robot weighs {9.81 * step.scene.mass:.1f} N. The paper describes a biped in words "
        "and a drawing, without numbers.",
    )
    return Comparison(rows, notes, _draw(folder / "000-section-3-2.png", found))


class Step:
    """The quadruped, its plan, and one controller on one plant."""

    def __init__(self) -> None:
        self.scene = sf.scene(sf.load("links"), terrain=sf.Plane(mu=MU))
        self.feet = [foot.name for foot in self.scene.feet]  # left front, right front, left hind, right hind
        self.legs = Legs(self.scene)
        self.places = self.legs.home + np.array([BACK, 0.0, 0.0])
        self.data = mujoco.MjData(self.scene.model)
        self.plant = sf.Simulator(self.scene, DT, sf.Coulomb())
        self.plan = [self._joints(DT * k) for k in range(-1, TOUCHDOWN + round(AFTER / DT) + 1)]

    def _joints(self, t: float) -> Array:
        """(12,) rad: the left front foot comes down until touchdown, then the right one lifts."""
        places = self.places.copy()
        down = np.clip((t - LEAD) / STEP_TIME, 0.0, 1.0)
        up = np.clip((t - LEAD - STEP_TIME) / STEP_TIME, 0.0, 1.0)
        places[0, 2] += LIFT * (1.0 - _eased(down))
        places[1, 2] += LIFT * _eased(up)
        return self.legs.angles(places)

    def _height(self, state: sf.State, foot: str) -> float:
        """Distance in m from the ground."""
        state.to_mujoco(self.data)
        mujoco.mj_kinematics(self.scene.model, self.data)
        return float(self.data.geom(foot).xpos[2] - self.scene.model.geom(foot).size[0])

    def _start(self) -> sf.State:
        """At rest on three feet."""
        q = self.scene.home().q.copy()
        q[self.scene.joint_positions] = self.plan[1]
        q[2] -= self._height(self.scene.state(q), self.feet[3]) + 1e-7
        return self.scene.state(q)

    def _belief(self, k: int, shift: int, state: sf.State) -> list[str] | None:
        """Feet that the controller takes to stand in step k; None: those that do, by their distances."""
        lands, lifts, *hind = self.feet
        if TOUCHDOWN + shift <= k < TOUCHDOWN and self._height(state, lands) < NEAR:
            return self.feet
        if shift > 0 and TOUCHDOWN - 1 <= k < TOUCHDOWN + shift:  # in the step before, its distance would tell
            return hind if k >= TOUCHDOWN else [lifts, *hind]
        return None

    def land(self, shift: int) -> Landing:
        """One touchdown that the controller assumes `shift` ms after it happens."""
        controller = sf.InverseDynamics(self.scene, DT, sf.Coulomb(smooth=True))
        positions, dofs = self.scene.joint_positions, self.scene.dofs
        state = self._start()
        height, rows = state.q[2], []
        for k in range(len(self.plan) - 2):
            before, now, after = self.plan[k : k + 3]
            speed = (now - before) / DT
            acceleration = (after - 2 * now + before) / DT**2
            acceleration += GAINS[0] * (now - state.q[positions]) + GAINS[1] * (speed - state.v[dofs])
            torque = controller(state, acceleration, contacts=self._belief(k, shift, state), throw=True)
            expected = controller.answer()
            state, answer = self.plant.step(state, torque)
            foot = sum(
                force[0]
                for name, force in zip(answer.contacts.names, answer.forces, strict=True)
                if name.startswith(self.feet[0])
            )
            rows.append(
                (
                    np.abs(state.q[positions] - after).max(),
                    expected.forces[:, 0].sum(),
                    answer.forces[:, 0].sum(),
                    foot,
                    np.abs(torque).max(),
                    state.q[2] - height,
                    np.degrees(2 * np.arcsin(state.q[5])),
                )
            )
        return Landing(*np.array(rows).T)


def _eased(u: float) -> float:
    """From 0 to 1, at rest at both ends."""
    return 3 * u**2 - 2 * u**3


def _worst(landing: Landing) -> tuple[float, ...]:
    """Largest load error N, foot force N, torque N m, joint error mrad, pitch back and forward in degrees."""
    seen = slice(TOUCHDOWN - SEEN, None)
    return (
        np.abs(landing.predicted - landing.felt)[seen].max(),
        landing.foot[seen].max(),
        landing.torque[seen].max(),
        1e3 * landing.error[seen].max(),
        landing.pitch[seen].min(),
        landing.pitch[seen].max(),
    )


def _row(shift: int, landing: Landing) -> dict[str, str]:
    load, foot, torque, error, back, forward = _worst(landing)
    sunk = 1e3 * max(0.0, -landing.height.min())
    paper = "load wrong, pitches forward" if shift < 0 else "impact on loaded actuators" if shift > 0 else ""
    return {
        "contact assumed": f"{abs(shift)} ms {'early' if shift < 0 else 'late'}" if shift else "by its distance",
        "load error, N": f"{load:.1f}",
        "force on the foot, N": f"{foot:.0f}",
        "torque, N m": f"{torque:.1f}",
        "joint error, mrad": f"{error:.1f}",
        "pitch, degrees": f"{round(back, 2) + 0.0:.2f} to {forward:.2f}",
        "sinks, mm": f"{sunk:.2f}",
        "the paper": f"{paper}; not given" if paper else "not given",
    }


def _draw(path: Path, found: dict[int, Landing]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7.5), layout="constrained")
    (across, below) = figure.subplots(2, 3)
    shifts = np.array(list(found))
    worst = np.array([_worst(landing) for landing in found.values()])
    parts = (
        (0, "load error, N", "Predicted load against real", 1.0),
        (2, "largest torque, N m", "Torque", 1.0),
        (3, "largest joint error, mrad", "Joint tracking", 1.0),
    )
    for axis, (column, label, title, least) in zip(across, parts, strict=True):
        axis.axvspan(shifts.min() - 1, 0, color="tab:red", alpha=0.07, linewidth=0)
        axis.axvspan(0, shifts.max() + 1, color="tab:blue", alpha=0.07, linewidth=0)
        axis.plot(shifts, worst[:, column], "o-", color="0.25", markersize=4)
        axis.plot(0, worst[shifts == 0, column], "o", color="tab:green", markersize=9)
        axis.set_yscale("symlog", linthresh=least)
        axis.set(xlabel="contact assumed, ms after touchdown", ylabel=label, title=title, ylim=(-0.3 * least, None))
        axis.set_xlim(shifts.min() - 0.5, shifts.max() + 0.5)
        axis.text(0.03, 0.05, "early", transform=axis.transAxes, color="tab:red")
        axis.text(0.97, 0.05, "late", transform=axis.transAxes, color="tab:blue", ha="right")
        axis.grid(alpha=0.25)
    early, late = -4, int(shifts.max())
    shown = (
        (early, "tab:red", f"{-early} ms early"),
        (late, "tab:blue", f"{late} ms late"),
        (0, "tab:green", "on time"),
    )
    t = np.arange(1, len(found[0].felt) + 1) - TOUCHDOWN
    for shift, colour, name in shown:
        landing = found[shift]
        below[0].plot(t, landing.felt, color=colour, label=name)
        below[0].plot(t, landing.predicted, color=colour, linestyle=":", linewidth=2)
        below[1].plot(t, landing.foot, color=colour, label=name)
        below[2].plot(t, landing.pitch, color=colour, label=name)
    below[0].plot([], [], "k:", linewidth=2, label="predicted")
    below[0].set(ylabel="sum of normal forces, N", title="Load")
    below[1].set(ylabel="normal force, N", title="Foot that lands", yscale="symlog")
    below[2].set(ylabel="degrees, forward", title="Pitch of the base")
    for axis in below:
        axis.axvline(0, color="black", linewidth=0.8, linestyle="--")
        axis.set(xlabel="time after touchdown, ms", xlim=(-15, 58))
        axis.grid(alpha=0.25)
        axis.legend(fontsize="small")
    figure.savefig(path, dpi=110)
    return path
