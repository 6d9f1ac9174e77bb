"""[Todorov2014], figure 3: time of forward and inverse dynamics of a humanoid against its number of impulses.

A humanoid of 27 degrees of freedom is dragged about by one limb after another, which makes many contact
configurations. In every step forward and inverse dynamics are timed on the same state.

    surefoot reproduce 002-figure-3
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from surefoot.kernels import status as codes
from surefoot.kernels.cache import kernel
from surefoot.kernels.plant import CONE, TURN
from surefoot.kernels.rollout import move
from surefoot.kernels.step import find_rows, solve_rows
from surefoot.motion.workspace import Workspace
from surefoot.report.comparison import Comparison

Array = NDArray[np.float64]

MODEL = Path(__file__).with_name("humanoid.xml")
DT = 0.01  # s, the paper's step
STEPS = 4000
REPEATS = 5  # calls in a compiled loop whose mean is one sample
TRIES = 3  # samples of which the quickest counts
GRIP_TIME = 0.8  # s between two grips
BODIES = ("pelvis", "torso", "left_forearm", "right_forearm", "left_foot", "right_shin")
WIDTH = 10  # impulses in one line of the table
ENOUGH = 5  # steps in it, at least


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: fewer steps."""
    robot = sf.load(MODEL)
    bench = Bench(robot)
    rng = np.random.default_rng(seed)
    steps, samples = (200 if quick else STEPS), []
    for k in range(steps):
        if k % round(GRIP_TIME / DT) == 0:
            body = robot.model.body(str(rng.choice(BODIES))).id
            goal = np.array([*rng.uniform(-1.0, 1.0, 2), rng.uniform(-0.5, 1.5)])
        samples.append(bench.step(body, goal))
        if progress is not None:
            progress(k + 1, steps)
    found = np.array(samples)
    notes = (
        f"{steps} steps of {1e3 * DT:g} ms under sf.Soft(), median times. Impulses are rows of the Jacobian: 6 for a "
        "closed contact (all friction directions), 1 for a candidate still open, 1 for a joint limit.",
        "A time is a whole call, state in, answer out: kinematics, inertia, collision, rows, contact (no integration). "
        f"Quickest of {TRIES} means over {REPEATS} calls in a compiled loop, each from a cold start.",
        "MuJoCo's columns are mj_forward (Newton, cold start) and mj_inverse at the same states, called from Python, "
        "with its own fewer rows.",
        f"Forward and inverse agree: the inverse returns the drag's force to {found[:, 5].max():.0e} of its size.",
        "The paper timed one core of an i7-3930K, projected Gauss-Seidel of 5 and of 50 sweeps (not converged); "
        "our forward pass goes to the minimum.",
    )
    return Comparison(_table(found), notes, _draw(folder / "002-figure-3.png", found))


class Bench:
    """A humanoid, dragged and timed. A sample: impulses, forward, inverse, mj_forward, mj_inverse (s), error."""

    def __init__(self, robot: sf.Scene) -> None:
        self.model, self.peer = robot.model, mujoco.MjData(robot.model)
        self.space = Workspace(robot, DT, law=sf.Soft().numbers(), capacity=128)
        self.space.complete()
        self.space.load(robot.home())
        self.zeros = np.zeros(robot.nv)

    def step(self, body: int, goal: Array) -> tuple[float, ...]:
        """Drag for one step; returns a sample."""
        space, step = self.space, self.space.step
        drag = self._drag(body, goal)
        step.torque[:] = drag
        step.prescribed[:] = False
        forward, count = self._timed(self.zeros)
        impulses, v_next, f = self._impulses(count), step.v_next.copy(), step.f.copy()
        step.torque[:] = 0.0
        step.prescribed[:] = True
        inverse, _ = self._timed(v_next)
        error = np.abs(step.force - drag).max() / max(1.0, np.abs(drag).max())
        peers = self._timed_peer(drag, (v_next - space.data.qvel) / DT)
        step.prescribed[:] = False
        step.v_next[:], step.f[:] = v_next, f
        move(space.box, count, len(v_next))
        return (impulses, forward, inverse, *peers, error)

    def _drag(self, body: int, goal: Array) -> Array:
        """Generalised force (nv,) of a spring and damper from a point to the body; 1000 N at most."""
        model, data = self.model, self.peer
        data.qpos[:], data.qvel[:] = self.space.data.qpos, self.space.data.qvel
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        J = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, J, None, data.xipos[body], body)
        force = 1500.0 * (goal - data.xipos[body]) - 200.0 * J @ data.qvel
        return J.T @ force * min(1.0, 1000.0 / np.linalg.norm(force))

    def _timed(self, v_next: Array) -> tuple[float, int]:
        """Seconds of one call, and the blocks found."""
        best, count = np.inf, 0
        for _ in range(TRIES):
            began = time.perf_counter()
            code, count = repeat(self.space.box, v_next, REPEATS)
            best = min(best, (time.perf_counter() - began) / REPEATS)
            if code != codes.SOLVED:
                raise sf.SolveError(f"humanoid: {sf.Status.from_code(code)}")
        return best, count

    def _timed_peer(self, drag: Array, acceleration: Array) -> tuple[float, float]:
        """Seconds of mj_forward and of mj_inverse."""
        model, data = self.model, self.peer
        data.qfrc_applied[:] = drag
        forward, inverse = np.inf, np.inf
        for _ in range(TRIES):
            data.qacc_warmstart[:] = 0.0
            began = time.perf_counter()
            mujoco.mj_forward(model, data)
            forward = min(forward, time.perf_counter() - began)
        data.qacc[:] = acceleration
        for _ in range(TRIES):
            began = time.perf_counter()
            mujoco.mj_inverse(model, data)
            inverse = min(inverse, time.perf_counter() - began)
        return forward, inverse

    def _impulses(self, count: int) -> int:
        """Rows of the Jacobian that carry an impulse."""
        rows = self.space.step.rows
        kind, mu, rolling = rows.kind[:count], rows.mu[:count], rows.bound[:count]
        size = np.where(kind == CONE, 1 + 2 * (mu > 0), 1)
        return int(np.where(kind == TURN, (mu > 0) + 2 * (rolling > 0), size).sum())


@kernel(_nrt=True)
def repeat(box, v_next, repeats):
    """Solve the state in mjData again and again, each time from scratch. Returns (status, blocks)."""
    step = box.value
    code, n = 0, 0
    for _ in range(repeats):
        for i in range(v_next.shape[0]):
            step.v_next[i] = v_next[i]
        code, n = find_rows(
            step.plant, step.rows, step.settings, step.torque, step.v_next, step.motor, step.planned, step.stance,
            step.warnings, -1,
        )  # fmt: skip
        if code == codes.SOLVED:
            code = solve_rows(step, n)[0]
    return code, n


def _medians(found: Array) -> list[tuple[int, int, Array]]:
    """(smallest size, steps, medians of a sample) for each group of sizes with enough steps; none is a group alone."""
    size = found[:, 0].astype(int)
    group = np.where(size == 0, -1, (size - 1) // WIDTH)
    result = []
    for g in np.unique(group):
        rows = found[group == g]
        if len(rows) >= ENOUGH:
            result.append((0 if g < 0 else int(g) * WIDTH + 1, len(rows), np.median(rows, axis=0)))
    return result


def _table(found: Array) -> tuple[dict[str, str], ...]:
    paper = {0: "10 us, about 10 x", 91: "30 us, about 10 x"}
    rows = []
    for first, steps, (_, forward, inverse, mj_forward, mj_inverse, _) in _medians(found):
        rows.append(
            {
                "impulses": f"{first}" if first == 0 else f"{first} to {first + WIDTH - 1}",
                "steps": f"{steps}",
                "forward, us": f"{1e6 * forward:.1f}",
                "inverse, us": f"{1e6 * inverse:.1f}",
                "speed-up": f"{forward / inverse:.1f} x",
                "paper's inverse, speed-up": paper.get(first, ""),
                "mj_forward, us": f"{1e6 * mj_forward:.1f}",
                "mj_inverse, us": f"{1e6 * mj_inverse:.1f}",
            }
        )
    return tuple(rows)


def _draw(path: Path, found: Array) -> Path:
    from matplotlib.figure import Figure

    groups = _medians(found)
    size = np.array([middle[0] for _, _, middle in groups])
    middle = 1e6 * np.array([middle[1:5] for _, _, middle in groups])
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(found[:, 0], 1e6 * found[:, 1], ".", color="tab:blue", markersize=2, alpha=0.2)
    left.plot(found[:, 0], 1e6 * found[:, 2], ".", color="tab:orange", markersize=2, alpha=0.2)
    for k, (name, style) in enumerate(
        (("forward", "tab:blue"), ("inverse", "tab:orange"), ("mj_forward", "0.6"), ("mj_inverse", "0.3"))
    ):
        left.plot(size, middle[:, k], color=style, marker="o" if k < 2 else None, markersize=4, label=name)
    left.plot([0, 100], [10, 30], "k--", marker="x", label="the paper's inverse")
    left.set(yscale="log", xlabel="impulses", ylabel="time of a call, us", title="Time: medians, and every step")
    left.legend(fontsize="small")
    right.plot(size, middle[:, 0] / middle[:, 1], color="tab:blue", marker="o", markersize=4, label="ours")
    right.plot(size, middle[:, 2] / middle[:, 3], color="0.6", label="MuJoCo's")
    right.axhline(10.0, color="black", linestyle="--", label='the paper: "an order of magnitude"')
    right.set(xlabel="impulses", ylabel="forward / inverse", title="Speed-up", ylim=(0.0, None))
    right.legend(fontsize="small")
    figure.savefig(path, dpi=110)
    return path


if __name__ == "__main__":
    from surefoot.cli import app

    app(["reproduce", "002-figure-3"])
