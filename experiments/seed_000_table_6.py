"""[Zapolsky2015], table 6: which inverse dynamics does which task, on legs and with an arm, at high and low friction.

A task is passed by a controller that neither falls (drops the box) nor chatters. The words of the table about contact
forces are numbers here, see `contact_marks.py`; a fifth controller has Coulomb's law with stage II.

    surefoot reproduce 000-table-6
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from surefoot_experiments import grasp, quadruped
from surefoot_experiments.contact_marks import Marks, forces_on, marks

import surefoot as sf
from surefoot.control import Follow
from surefoot.gait import Gait
from surefoot.report.comparison import Comparison
from surefoot.solvers import ContactProblem, lemke

Array = NDArray[np.float64]

WALK, QUICK_WALK = 6.0, 0.5  # s
GRASP, QUICK_GRASP = 1.5, 0.15  # s
CHATTER = 0.5  # N m from one step of 1 ms to the next: between 0.35 (passes) and 0.68 (chatters) in the paper's table 4
MOST, STRONG = 4.0, 12.0  # N m of the quadruped's motors, and of stronger ones
SPRING = 16.0  # N m/rad of the fingers: enough to hold the box at friction 1, which the paper's 10 are not
SHORT = Gait.named("trot", period=0.3, duty=0.5, step_height=0.015)  # two feet at a time
LONG = quadruped.GAIT  # two to four
STUCK, ICE = "rigid, mu inf", "rigid, mu 0.1"
GRIP = "grasp, high friction"

CONTROLLERS = {  # name in the table: names in quadruped.py and grasp.py
    "no-slip LCP": ("ID(t) LCP, inf", "ID(t_i) LCP inf"),
    "no-slip QP": ("ID(t) QP, inf", "ID(t_i) QP inf"),
    "Coulomb LCP": ("ID(t) LCP, mu", "ID(t_i) LCP mu"),
    "Coulomb QP": ("ID(t) QP, mu", "ID(t_i) QP mu"),
    "Coulomb LCP, stage II": ("ID(t) LCP, mu, stage II", "ID(t_i) LCP mu, stage II"),
}
TASKS: dict[str, tuple[Gait | None, Any]] = {  # gait and ground, or no gait and friction of the box
    "two-footed gait, high friction": (SHORT, STUCK),
    "two-footed gait, low friction": (SHORT, ICE),
    "walk on 2 to 4 feet, high friction": (LONG, STUCK),
    "walk on 2 to 4 feet, low friction": (LONG, ICE),
    GRIP: (None, math.inf),
    "grasp, low friction": (None, 1.0),
}
EVEN, UNEVEN, JUMPS = "continuous, distributed", "continuous, undistributed", "discontinuous, undistributed"
SLIPS = ("FAIL (slip and fall)", "excessive forces")
CHATTERS = ("FAIL (torque chatter)", JUMPS)
PAPER = {  # verdict and marks of the first four controllers; "best": the paper's dagger
    "two-footed gait, high friction": (("PASS, best", EVEN), ("PASS", EVEN), ("PASS", EVEN), ("PASS", EVEN)),
    "two-footed gait, low friction": (SLIPS, SLIPS, ("PASS, best", EVEN), ("PASS", EVEN)),
    "walk on 2 to 4 feet, high friction": (("PASS", UNEVEN), ("PASS, best", EVEN), CHATTERS, ("PASS", EVEN)),
    "walk on 2 to 4 feet, low friction": (SLIPS, SLIPS, CHATTERS, ("PASS, best", EVEN)),
    GRIP: (("PASS", UNEVEN), ("PASS, best", EVEN), CHATTERS, ("PASS", EVEN)),
    "grasp, low friction": (SLIPS, SLIPS, CHATTERS, ("PASS, best", EVEN)),
}


@dataclass(frozen=True)
class Cell:
    """One controller at one task.

    Attributes:
        lost: s after which it fell or dropped the box; infinite if it did not.
        chatter: mean of |tau_k - tau_(k-1)| over joints and steps, in N m.
        error: mean of |q - q wanted| over joints and time, in rad.
        forces: what it predicted.
        seconds: median time of the processor for a call.
        end: "falls" or "drops".
    """

    lost: float
    chatter: float
    error: float
    forces: Marks
    seconds: float
    end: str

    @property
    def verdict(self) -> str:
        """In words."""
        if not math.isinf(self.lost):
            return f"FAIL ({self.end} at {self.lost:.2f} s)"
        return "FAIL (torque chatter)" if self.chatter > CHATTER else "PASS"


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: short walks and grasps."""
    cells: dict[tuple[str, str], Cell] = {}
    total = len(TASKS) * len(CONTROLLERS)
    for task, (gait, place) in TASKS.items():
        for name, (legs, arm) in CONTROLLERS.items():
            if gait is None:
                cells[task, name] = grasping(arm, place, QUICK_GRASP if quick else GRASP)
            else:
                cells[task, name] = walking(legs, place, gait, QUICK_WALK if quick else WALK)
            if progress is not None:
                progress(len(cells), total)
    rows = tuple(_row(task, name, cells) for task, name in cells)
    strong = quadruped.walk(STUCK, CONTROLLERS["Coulomb QP"][0], QUICK_WALK if quick else WALK, gait=LONG, most=STRONG)
    notes = _notes(cells, indeterminate(seed), strong.numbers.chatter)
    return Comparison(rows, notes, _draw(folder / "000-table-6.png", cells))


def walking(name: str, ground: str, gait: Gait, seconds: float) -> Cell:
    """A walk between waypoints."""
    walk = quadruped.walk(ground, name, seconds, gait=gait, most=MOST)
    numbers = walk.numbers
    fell = numbers.seconds if walk.fell else math.inf
    forces, times = predicted(walk)
    return Cell(fell, numbers.chatter, numbers.position_error, marks(forces), float(np.median(times)), "falls")


def predicted(walk: quadruped.Walk) -> tuple[Array, Array]:
    """Forces (n, 4, 3) in N that a walk's controller expected, and seconds (n,): it is called again in every state."""
    wanted = walk.pipeline.replay(walk.trace, "acceleration")["acceleration"]
    controller = next(stage.controller for stage in walk.pipeline.stages if isinstance(stage, Follow))
    forces, times = [], []
    for k in range(round(walk.numbers.seconds / quadruped.DT)):
        state = walk.trace.state(k)
        began = time.thread_time()
        controller(state, wanted[k])
        times.append(time.thread_time() - began)
        forces.append(forces_on(controller.answer(), walk.numbers.names))
    return np.array(forces), np.array(times)


def grasping(name: str, mu: float, seconds: float) -> Cell:
    """An arm that swings with a box in its fingers."""
    run = grasp.run(name, mu, seconds, spring=SPRING, until_dropped=True)
    chatter = float(np.abs(np.diff(run.torque, axis=0)).mean())
    times = float(np.median(run.seconds))
    return Cell(run.held, chatter, float(run.error.mean()), marks(run.predicted), times, "drops")


def indeterminate(seed: int, steps: int = 100) -> dict[str, float]:
    """Change of torques in N m a step of a quadruped that stands still, whose contacts come in ever another order.

    Lemke's method starts anew in every step, as the paper's Coulomb controller does.
    """
    robot, rng, dt = sf.load("links"), np.random.default_rng(seed), quadruped.DT
    home, rest = robot.home(), np.zeros(len(robot.joints))
    data, M = mujoco.MjData(robot.model), np.zeros((robot.nv, robot.nv))
    home.to_mujoco(data)
    mujoco.mj_forward(robot.model, data)
    mujoco.mj_fullM(robot.model, data, M)
    feet = sf.inverse_dynamics(robot, home, rest, dt=dt).contacts
    torques: dict[str, list] = {"Lemke": [], "stage II": []}
    for _ in range(steps):
        order = rng.permutation(len(feet))
        contacts = sf.Contacts.from_points(robot, home, feet.points[order], [feet.bodies[i][0] for i in order], mu=0.4)
        answer = sf.inverse_dynamics(robot, home, rest, dt=dt, law=sf.Coulomb(smooth=True), contacts=contacts)
        torques["stage II"].append(answer.torque)
        J, f = answer.contacts.J.reshape(-1, robot.nv), dt * answer.forces.ravel()
        W = np.asarray(np.linalg.solve(np.linalg.cholesky(M[:6, :6]), J[:, :6].T).T, dtype=np.float64)
        c0 = answer.contact_velocity.ravel() - W @ (W.T @ f)
        problem = ContactProblem(W, c0, np.zeros(len(feet)), answer.contacts.mu, answer.contacts.closed)
        other = problem.impulses(lemke(problem.lcp()).z) - f
        torques["Lemke"].append(answer.torque - J[:, robot.dofs].T @ other / dt)
    return {name: float(np.abs(np.diff(values, axis=0)).mean()) for name, values in torques.items()}


def _paper(task: str, name: str) -> tuple[str, str]:
    return dict(zip(CONTROLLERS, PAPER[task], strict=False)).get(name, ("", ""))


def _row(task: str, name: str, cells: dict[tuple[str, str], Cell]) -> dict[str, str]:
    cell, (verdict, words) = cells[task, name], _paper(task, name)
    return {
        "task": task,
        "controller": name,
        "ours": cell.verdict,
        "the paper": verdict,
        "torque change, N m": f"{cell.chatter:.4f}",
        "joint error, mrad": f"{1e3 * cell.error:.2f}",
        "force change, N": f"{cell.forces.change:.2f} ({cell.forces.mean_change:.2f})",
        "largest share": f"{cell.forces.share:.2f}",
        "large force, N": f"{cell.forces.large:.0f}",
        "the paper's forces": words,
        "time": f"{cell.seconds / cells[task, 'no-slip LCP'].seconds:.1f}",
    }


def agrees(task: str, name: str, cell: Cell) -> bool:
    """Whether the paper has the same verdict, whatever the reason."""
    return _paper(task, name)[0][:4] == cell.verdict[:4]


def _notes(cells: dict[tuple[str, str], Cell], changes: dict[str, float], strong: float) -> tuple[str, ...]:
    judged = {key: cell for key, cell in cells.items() if _paper(*key)[0]}
    same = sum(agrees(*key, cell) for key, cell in judged.items())
    other = [
        f"{name}, {task} ({cell.verdict})" for (task, name), cell in judged.items() if not agrees(task, name, cell)
    ]
    return (
        f"FAIL: it falls, drops the box, or torques change by more than {CHATTER:g} N m from one millisecond to the "
        "next, in the mean over joints and steps: in the paper's table 4 a controller that passes is at 0.35, the one "
        f"that chatters at 0.68. The same verdict in {same} of {len(judged)} cells. Not in: "
        f"{'; '.join(other) or 'none'}.",
        "Forces are those predicted. Change: a step and foot, median over the steps (mean); share: that of the most "
        "loaded foot, where two or more bear load; large: exceeded in 1 % of the steps. Time: median of a call against "
        "that of the no-slip LCP; in grasps it is mostly Python.",
        "The torques of Coulomb's LCP do not chatter here: feet that slip, motors of limited torque and fingers with a "
        "given one leave nothing to choose. The paper's takes any answer where there are many. Forces that need no "
        "torque do jump in the grasp at high friction, as in the paper: "
        f"by {cells[GRIP, 'Coulomb LCP'].forces.change:.2g} N a step and finger, up to "
        f"{cells[GRIP, 'Coulomb LCP'].forces.large:.0f} N, and with stage II by "
        f"{cells[GRIP, 'Coulomb LCP, stage II'].forces.change:.2g}, up to "
        f"{cells[GRIP, 'Coulomb LCP, stage II'].forces.large:.0f} N. A quadruped that stands still, whose contacts "
        f"come in another order in every step: torques change by {changes['Lemke']:.2g} N m a step by Lemke's method, "
        f"started anew, and by {changes['stage II']:.0e} with stage II.",
        "On low friction a robot that trusts in no slip is not made to fall by motors of "
        f"{MOST:g} N m: it skids, and its torques jump between their limits.",
        f"High friction: infinite on the ground (trots of duty {SHORT.duty:g} and {LONG.duty:g}, motors of {MOST:g} N "
        "m), and of the box; low: 0.1 and 1. With the paper's fingers (10 N m/rad) no controller can hold the box at "
        f"1, even at rest: here they have {SPRING:g}.",
        f"The verdicts on 2 to 4 feet at high friction depend on the motors: with {STRONG:g} N m the torques "
        f"of the Coulomb QP change by {strong:.2f} N m a step.",
    )


def _draw(path: Path, cells: dict[tuple[str, str], Cell]) -> Path:
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    colours = {"PASS": "#b9dfb5", "FAIL": "#f2b3a6", "": "#eeeeee"}
    figure = Figure(figsize=(12, 7.6), layout="constrained")
    axis = figure.subplots()
    places = {name: j + 0.1 * (j > 3) for j, name in enumerate(CONTROLLERS)}  # the paper has four
    for name, x in places.items():
        axis.text(x + 0.5, -0.12, name, ha="center", va="center", fontsize=11.5, weight="bold")
    for i, task in enumerate(TASKS):
        axis.text(-0.05, i + 0.5, task.replace(", ", "\n"), ha="right", va="center", fontsize=10.5)
        for name, x in places.items():
            cell, (verdict, words) = cells[task, name], _paper(task, name)
            axis.add_patch(Rectangle((x + 0.02, i + 0.04), 0.96, 0.59, color=colours[cell.verdict[:4]], linewidth=0))
            axis.add_patch(Rectangle((x + 0.02, i + 0.65), 0.96, 0.31, color=colours[verdict[:4]], alpha=0.5, lw=0))
            if verdict and not agrees(task, name, cell):
                axis.add_patch(Rectangle((x + 0.02, i + 0.04), 0.96, 0.92, fill=False, edgecolor="0.15", linewidth=2))
            forces = cell.forces
            lines = (
                (0.17, cell.verdict, 10, "black"),
                (0.36, f"$\\Delta\\tau$ {cell.chatter:.2g} N m,  $\\Delta f$ {forces.change:.2g} N", 9, "black"),
                (0.53, f"share {forces.share:.2f},  up to {forces.large:.0f} N", 9, "black"),
                (0.75, f"paper: {verdict}" if verdict else "not in the paper", 8.5, "black" if verdict else "0.5"),
                (0.88, words, 8, "0.35"),
            )
            for y, text, size, colour in lines:
                weight = "bold" if text == cell.verdict else "normal"
                axis.text(x + 0.06, i + y, text, va="center", fontsize=size, color=colour, weight=weight)
    legend = (
        "Mean change a step and joint $\\Delta\\tau$. Of predicted forces: median change a step and foot $\\Delta f$, "
        "share of the most loaded foot,\nforce exceeded in 1 % of the steps. Framed: the verdicts differ."
    )
    axis.text(0.02, 6.06, legend, va="top", fontsize=9, color="0.3")
    axis.set(xlim=(-1.05, 5.12), ylim=(6.3, -0.3))
    axis.set_title("Who passes which task: ours above, the paper's below", fontsize=13)
    axis.set_axis_off()
    figure.savefig(path, dpi=100)
    return path
