"""[Todorov2014], figure 3: time of forward and inverse dynamics of a humanoid against its number of impulses.

A humanoid of 27 degrees of freedom is dragged about, lifted and pressed down, which makes many contact
configurations. In every step forward and inverse dynamics are timed on the same state.

    surefoot reproduce 002-figure-3
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from surefoot.kernels import status as codes
from surefoot.kernels.cache import kernel
from surefoot.kernels.plant import CONE, TURN
from surefoot.kernels.step import advance, find_rows, solve_rows
from surefoot.motion.workspace import Workspace
from surefoot.report.comparison import Comparison

Array = NDArray[np.float64]

MODEL = Path(__file__).with_name("humanoid.xml")
DT = 0.01  # s, the paper's step
STEPS = 5000
REPEATS = 5  # calls in a compiled loop whose mean is one sample
TRIES = 3  # samples of which the quickest counts
GRIP_TIME = 1.0  # s between two grips
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
            lifted = rng.random() < 0.4  # by one body; else four are pressed to the ground
            names = rng.choice(BODIES, 1 if lifted else 4, replace=False)
            bodies = [robot.model.body(str(name)).id for name in names]
            heights = rng.uniform(0.5, 2.5, 1) if lifted else rng.uniform(-0.6, 0.0, 4)
            goals = np.column_stack([rng.uniform(-1.0, 1.0, (len(names), 2)), heights])
        samples.append(bench.step(bodies, goals))
        if progress is not None:
            progress(k + 1, steps)
    found = np.array(samples)
    notes = (
        f"{steps} steps of {1e3 * DT:g} ms under sf.Soft(), median times. Impulses are rows of the Jacobian: 6 for a "
        "closed contact (all friction directions), 1 for a candidate still open, 1 for a joint limit.",
        "A time is a whole call, state in, answer out, without integration: kinematics, inertia, collision and rows "
        "(`up to the rows`, the same both ways), then the law and what leads to it (`after the rows`: its speed-up). "
        f"Quickest of {TRIES} means over {REPEATS} calls in a compiled loop, each from a cold start.",
        "MuJoCo's columns are mj_forward (Newton, cold start) and mj_inverse at the same states, called from Python, "
        "with its own fewer rows.",
        f"Forward and inverse agree: the inverse returns the drag's force to {found[:, 6].max():.0e} of its size.",
        "The paper: 10 us without impulses, 30 us with 100, forward slower by an order of magnitude; one core of an "
        "i7-3930K, 5 or 50 sweeps of projected Gauss-Seidel. Our forward pass goes to the minimum itself.",
    )
    return Comparison(_table(found), notes, _draw(folder / "002-figure-3.png", found))


class Bench:
    """A humanoid, dragged and timed.

    A sample: impulses; seconds up to the rows, forward, inverse, mj_forward, mj_inverse; error of the round trip.
    """

    def __init__(self, robot: sf.Scene) -> None:
        self.model, self.peer = robot.model, mujoco.MjData(robot.model)
        self.space = Workspace(robot, DT, law=sf.Soft().numbers(), capacity=128)
        self.space.complete()
        self.space.load(robot.home())
        self.zeros = np.zeros(robot.nv)

    def step(self, bodies: list[int], goals: Array) -> tuple[float, ...]:
        """Drag for one step; returns a sample."""
        space, step = self.space, self.space.step
        drag = self._drag(bodies, goals)
        step.torque[:] = drag
        step.prescribed[:] = False
        before, _ = self._timed(self.zeros, whole=False)
        forward, count = self._timed(self.zeros)
        impulses, v_next, f = self._impulses(count), step.v_next.copy(), step.f.copy()
        step.torque[:] = 0.0
        step.prescribed[:] = True
        inverse, _ = self._timed(v_next)
        error = np.abs(step.force - drag).max() / max(1.0, np.abs(drag).max())
        peers = self._timed_peer(drag, (v_next - space.data.qvel) / DT)
        step.prescribed[:] = False
        step.v_next[:], step.f[:] = v_next, f
        advance(space.box, count, len(v_next))
        return (impulses, before, forward, inverse, *peers, error)

    def _drag(self, bodies: list[int], goals: Array) -> Array:
        """Generalised force (nv,) of springs and dampers from points to bodies; 1000 N each at most."""
        model, data = self.model, self.peer
        data.qpos[:], data.qvel[:] = self.space.data.qpos, self.space.data.qvel
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        total, J = np.zeros(model.nv), np.zeros((3, model.nv))
        for body, goal in zip(bodies, goals, strict=True):
            mujoco.mj_jac(model, data, J, None, data.xipos[body], body)
            force = 1500.0 * (goal - data.xipos[body]) - 200.0 * J @ data.qvel
            total += J.T @ force * min(1.0, 1000.0 / np.linalg.norm(force))
        return total

    def _timed(self, v_next: Array, whole: bool = True) -> tuple[float, int]:
        """Seconds of one call, or of its part up to the rows; and the blocks found."""
        best, count = np.inf, 0
        for _ in range(TRIES):
            began = time.perf_counter()
            code, count = repeat(self.space.box, v_next, REPEATS, whole)
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


@kernel
def repeat(step, v_next, repeats, whole):
    """Solve the state in mjData again and again, each time from scratch. Returns (status, blocks)."""
    code, n = 0, 0
    for _ in range(repeats):
        for i in range(v_next.shape[0]):
            step.v_next[i] = v_next[i]
        code, n = find_rows(step, -1)
        if whole and code == codes.SOLVED:
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
    paper = {0: "10", 91: "30"}
    rows = []
    for first, steps, (_, before, forward, inverse, mj_forward, mj_inverse, _) in _medians(found):
        rows.append(
            {
                "impulses": f"{first}" if first == 0 else f"{first} to {first + WIDTH - 1}",
                "steps": f"{steps}",
                "forward, us": f"{1e6 * forward:.1f}",
                "inverse, us": f"{1e6 * inverse:.1f}",
                "paper's inverse": paper.get(first, ""),
                "up to the rows, us": f"{1e6 * before:.1f}",
                "speed-up": f"{forward / inverse:.1f}",
                "after the rows": f"{(forward - before) / (inverse - before):.1f}",
                "mj_forward, us": f"{1e6 * mj_forward:.1f}",
                "mj_inverse, us": f"{1e6 * mj_inverse:.1f}",
            }
        )
    return tuple(rows)


def _draw(path: Path, found: Array) -> Path:
    from matplotlib.figure import Figure

    groups = _medians(found)
    size = np.array([middle[0] for _, _, middle in groups])
    middle = 1e6 * np.array([middle[2:6] for _, _, middle in groups])
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(found[:, 0], 1e6 * found[:, 2], ".", color="tab:blue", markersize=2, alpha=0.2)
    left.plot(found[:, 0], 1e6 * found[:, 3], ".", color="tab:orange", markersize=2, alpha=0.2)
    for k, (name, style) in enumerate(
        (("forward", "tab:blue"), ("inverse", "tab:orange"), ("mj_forward", "0.6"), ("mj_inverse", "0.3"))
    ):
        left.plot(size, middle[:, k], color=style, marker="o" if k < 2 else None, markersize=4, label=name)
    left.plot([0, 100], [10, 30], "k--", marker="x", label="the paper's inverse")
    left.set(yscale="log", xlabel="impulses", ylabel="time of a call, us", title="Time: medians, and every step")
    left.legend(fontsize="small", loc="upper left")
    right.plot(size, middle[:, 0] / middle[:, 1], color="tab:blue", marker="o", markersize=4, label="ours")
    right.plot(size, middle[:, 2] / middle[:, 3], color="0.6", label="MuJoCo's")
    right.axhline(10.0, color="black", linestyle="--", label='the paper: "an order of magnitude"')
    right.set(xlabel="impulses", ylabel="forward / inverse", title="Speed-up", ylim=(0.0, None))
    right.legend(fontsize="small")
    figure.savefig(path, dpi=110)
    return path
