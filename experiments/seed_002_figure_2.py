"""[Todorov2014], figure 2: impulses of a single joint by forward and by inverse dynamics, which must be the same.

A hinge with dry friction swings a link whose tip can touch the ground, while a random torque perturbs it. Each step is
computed forward (torque in, motion and impulses out) and then inverted (motion in, torque and impulses out).

    surefoot reproduce 002-figure-2
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import surefoot as sf
from surefoot.report.comparison import Comparison

MODEL = Path(__file__).with_name("single_joint.xml")
DT = 0.01  # s, the paper's step
LAW = sf.Soft()
STEPS = 1000
WITHIN = 1e-5  # "The two curves in each plot are within 1E-5 of each other"
TORQUE = 2.5  # N m, standard deviation of the random torque
MEMORY = 0.15  # s, after which it has forgotten itself


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: fewer steps."""
    robot = sf.load(MODEL)
    plant = sf.Simulator(robot, DT, LAW)
    state, torque = robot.home(), 0.0
    rng = np.random.default_rng(seed)
    found = []
    steps = 150 if quick else STEPS
    for k in range(steps):
        torque += -torque * DT / MEMORY + TORQUE * np.sqrt(2.0 * DT / MEMORY) * rng.standard_normal()
        after, forward = plant.step(state, [torque])
        inverse = sf.inverse_dynamics(robot, state, dt=DT, velocity_next=forward.velocity, law=LAW)
        found.append([*_impulses(forward), *_impulses(inverse), torque, inverse.torque[0]])
        state = after
        if progress is not None:
            progress(k + 1, steps)
    friction, contact, friction_back, contact_back, torque, torque_back = np.array(found).T
    rows = (
        _row("friction impulse, N m s", friction, friction_back),
        _row("contact impulse, N s", contact, contact_back),
        _row("control torque, N m", torque, torque_back, paper="not given"),
    )
    notes = (
        f"{steps} steps of {1e3 * DT:g} ms under sf.Soft(); the tip touched the ground in {np.mean(contact > 0):.0%} "
        f"of them, and dry friction held the joint (less than its bound) in "
        f"{np.mean(np.abs(friction) < 0.999 * np.abs(friction).max()):.0%}.",
        "The paper names neither the mechanism's sizes nor its torques: ours are in single_joint.xml and in this file.",
    )
    figure = _draw(folder / "002-figure-2.png", (friction, friction_back), (contact, contact_back))
    return Comparison(rows, notes, figure)


def _impulses(answer: sf.Answer) -> tuple[float, float]:
    """Impulses of the joint's dry friction (N m s) and of the contact (N s)."""
    friction = sum(row.force for row in answer.joint_rows if row.kind == "dry friction")
    return DT * friction, DT * float(answer.forces[:, 0].sum())


def _row(what: str, forward: Any, inverse: Any, paper: str = f"within {WITHIN:.0e}") -> dict[str, str]:
    return {
        "forward against inverse": what,
        "largest value": f"{np.abs(forward).max():.3g}",
        "largest difference": f"{np.abs(forward - inverse).max():.1e}",
        "the paper's": paper,
    }


def _draw(path: Path, friction: Any, contact: Any) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6), layout="constrained")
    t = DT * np.arange(len(friction[0]))
    axes = figure.subplots(3, 1, sharex=True)
    for axis, (forward, inverse), name in zip(
        axes, (friction, contact), ("friction impulse, N m s", "contact impulse, N s"), strict=False
    ):
        axis.plot(t, forward, color="black", linewidth=2.5, label="forward")
        axis.plot(t, inverse, color="tab:orange", linewidth=1.0, label="inverse")
        axis.set_ylabel(name)
    axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes[0].set_title("Single joint with dry friction and ground contact, random torque")
    for (forward, inverse), name in ((friction, "friction"), (contact, "contact")):
        axes[2].semilogy(t, np.maximum(np.abs(forward - inverse), 1e-18), ".", markersize=3, label=name)
    axes[2].axhline(WITHIN, color="black", linestyle="--", linewidth=1, label="the paper's 1e-5")
    axes[2].set(ylabel="difference (none: 1e-18)", xlabel="time, s")
    axes[2].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.savefig(path, dpi=110)
    return path
