"""How large a step may be, after chapter 8 of [Zapolsky2017]: what its two experiments have in common.

A robot follows sinusoids, by several methods. For each the step is doubled from 1 ms until the run is unstable, then
the largest stable step is found by bisection; 0.1 s is the most.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from surefoot_experiments.sinusoids import Drive, Waves

import surefoot as sf

Array = NDArray[np.float64]

FIRST, LAST = 1e-3, 0.1  # s, the paper's first and largest step
SHARE = 0.02  # of the step, to which bisection finds it
STRAY = 1.0  # rad from its place, and a joint is lost
UPRIGHT = 0.9  # cosine of the base's tilt; below, it falls
GRID = 2.5e-4  # s between the times at which errors are looked at
SHOWN = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1)  # s, steps of the figure
LOST = 5.0  # rad, where the figure shows what is unstable
NONE = ("", "", "")

STABLE = (
    f"Stable: every step is solved, no joint is ever more than {STRAY:g} rad from where it shall be"
    f", and a base that floats stays upright (its z axis within {math.degrees(math.acos(UPRIGHT)):.0f} degrees of the "
    "world's)."
)
ERRORS = (
    f"Error: mean distance of the hinges from where they shall be, looked at every {1e3 * GRID:g} ms; between the ends "
    "of steps they go straight, as the simulator moves them. At the ends a prescribed joint has no error at all."
)


@dataclass(frozen=True)
class Method:
    """A way to follow the waves.

    Attributes:
        name: what the table calls it.
        waves: what to follow, and whose joints.
        law: contact law of the plant.
        drive: what drives the joints, given the step in s.
        paper: the paper's largest step in ms, error in rad and time in s, as text.
    """

    name: str
    waves: Waves
    law: sf.Law
    drive: Callable[[float], Drive]
    paper: tuple[str, str, str] = NONE

    def run(self, dt: float, duration: float) -> Run:
        """Follow the waves for `duration` s with steps of `dt` s."""
        return Run(self, self._rollout(dt, duration)())

    def timed(self, dt: float, duration: float) -> Callable[[], float]:
        """A function that runs it again and returns the seconds; whatever must be made first is made already."""
        roll = self._rollout(dt, duration)
        roll()

        def seconds() -> float:
            began = time.perf_counter()
            roll()
            return time.perf_counter() - began

        return seconds

    def _rollout(self, dt: float, duration: float) -> Callable[[], sf.Trace]:
        simulator, start = sf.Simulator(self.waves.robot, dt, self.law), self.waves.start()
        drive = self.drive(dt)
        return lambda: simulator.rollout(start, drive.policy, motion=drive.motion, duration=duration)


class Run:
    """What came of a method at one step.

    Attributes:
        trace: all of it.
        error: mean over time and hinges of |q - q*| in rad; see ERRORS.
        stable: see STABLE.
    """

    def __init__(self, method: Method, trace: sf.Trace) -> None:
        robot = method.waves.robot
        hinges = [robot.model.joint(name).type[0] == mujoco.mjtJoint.mjJNT_HINGE for name in robot.joints]
        t = GRID * np.arange(math.floor(trace.t[-1] / GRID + 1e-6) + 1)
        places = robot.joint_positions[hinges]
        q = np.column_stack([np.interp(t, trace.t, column) for column in trace.q[:, places].T])
        missed = np.abs(q - method.waves.at(t)[0][:, hinges])
        self.trace = trace
        self.error = float(missed.mean())
        upright = True if robot.base is None else 1.0 - 2.0 * (trace.q[:, 4] ** 2 + trace.q[:, 5] ** 2).max() > UPRIGHT
        self.stable = bool(trace.ok and missed.max() < STRAY and upright)


def largest_step(good: Callable[[float], bool]) -> float:
    """Largest step in s at which a run is `good`: doubled from the first one, then bisected."""
    low, high = FIRST, 2.0 * FIRST
    if not good(low):
        raise sf.SolveError(f"the first step, {1e3 * low:g} ms, is too large already")
    while good(min(high, LAST)):
        if high >= LAST:
            return LAST
        low, high = high, 2.0 * high
    high = min(high, LAST)
    while high - low > SHARE * low:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def tuned(waves: Waves, law: sf.Law, start: Any, groups: Any, duration: float, runs: int) -> tuple[Array, Array]:
    """Gains kp and kd (joints,) of least squared joint errors over a run at the first step, as in the paper.

    Nelder-Mead over the logarithms of two factors for each group of joints, from the gains `start` (2, joints).
    `groups` (joints,) counts from 0; the gains of a joint in group -1 stay.
    """
    simulator, state = sf.Simulator(waves.robot, FIRST, law), waves.start()
    wanted = waves.at(FIRST * np.arange(round(duration / FIRST) + 1))[0]
    kinds = 1 + max(groups)

    def gains(x: Array) -> Array:
        factors = np.append(x.reshape(2, kinds), np.zeros((2, 1)), axis=1)
        return np.asarray(start) * np.exp(factors[:, groups])

    def cost(x: Array) -> float:
        trace = simulator.rollout(state, waves.error_feedback(*gains(x)).policy, duration=duration)
        missed = trace.q[:, waves.robot.joint_positions] - wanted[: len(trace.q)]
        if not trace.ok or not np.abs(missed).max() < STRAY:
            return 100.0 - len(trace) / len(wanted)  # the longer it lasts the better
        return math.log(np.sum(missed**2))

    simplex = np.vstack([np.zeros(2 * kinds), np.eye(2 * kinds)])
    best = minimize(cost, simplex[0], method="Nelder-Mead", options={"maxfev": runs, "initial_simplex": simplex})
    kp, kd = gains(best.x)
    return kp, kd


def median_times(runs: list[Callable[[], float]], repeats: int) -> list[float]:
    """Median seconds of each; they take turns, so that all feel the same weather."""
    return list(np.median([[run() for run in runs] for _ in range(repeats)], axis=0))


class Study:
    """Largest stable steps of several methods: the first is PD, the last, prescribed motion, is measured against it.

    Attributes:
        steps: largest stable step of each method, s.
        errors: at that step, rad.
        times: at that step, s.
        fair: largest step (s) of prescribed motion at which it is as exact as PD is, at PD's largest and at the first
            step; error (rad) and time (s) there.
    """

    def __init__(
        self,
        methods: list[Method],
        duration: float,
        repeats: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Search and measure; `progress` is called with (methods done, methods in all)."""
        self.methods, self.duration = methods, duration
        self.steps: list[float] = []
        for k, method in enumerate(methods):
            self.steps.append(largest_step(lambda dt, method=method: method.run(dt, duration).stable))
            if progress is not None:
                progress(k + 1, len(methods))
        self.errors = [method.run(dt, duration).error for method, dt in zip(methods, self.steps, strict=True)]
        bar = min(self.errors[0], methods[0].run(FIRST, duration).error)

        def as_good(dt: float) -> bool:
            run = methods[-1].run(dt, duration)
            return run.stable and run.error <= bar

        fair = largest_step(as_good)
        timed = [method.timed(dt, duration) for method, dt in zip(methods, self.steps, strict=True)]
        *self.times, seconds = median_times([*timed, methods[-1].timed(fair, duration)], repeats)
        self.fair = (fair, methods[-1].run(fair, duration).error, seconds)

    @property
    def speed_up(self) -> float:
        """How much quicker prescribed motion is than PD, where it follows as well."""
        return self.times[0] / self.fair[2]

    def rows(self) -> tuple[dict[str, str], ...]:
        """The table."""
        last = self.methods[-1]
        found = [*zip(self.methods, self.steps, self.errors, self.times, strict=True)]
        found.append((replace(last, name=f"{last.name}, as exact as PD", paper=NONE), *self.fair))
        return tuple(
            {
                "method": method.name,
                "largest step, ms": f"{1e3 * dt:.3g}",
                "paper's step": method.paper[0],
                "error, rad": f"{error:.1e}",
                "paper's error": method.paper[1],
                "time, s": f"{seconds:.2g}",
                "paper's time": method.paper[2],
            }
            for method, dt, error, seconds in found
        )

    def fast_enough(self, bar: float) -> str:
        """Whether prescribed motion is `bar` times quicker than PD, in words."""
        step, _, seconds = self.fair
        quick = self.speed_up >= bar
        return (
            f"At {1e3 * step:.3g} ms prescribed motion follows as well as PD does, at {1e3 * FIRST:g} ms and at its "
            f"largest step, and takes {1e3 * seconds:.2g} ms instead of the latter's {1e3 * self.times[0]:.0f} ms: "
            f"{self.speed_up:.0f} times quicker ({'at least' if quick else 'less than'} {bar:.0f})."
        )

    def draw(self, axis: Any) -> None:
        """Errors over steps; hollow: unstable; crosses: the paper's."""
        for k, (method, largest) in enumerate(zip(self.methods, self.steps, strict=True)):
            steps = sorted({*SHOWN, largest})
            runs = [method.run(dt, self.duration) for dt in steps]
            stable = [(dt, run.error) for dt, run in zip(steps, runs, strict=True) if run.stable]
            lost = [dt for dt, run in zip(steps, runs, strict=True) if not run.stable]
            axis.plot(*zip(*stable, strict=True), color=f"C{k}", marker="o", markersize=5, label=method.name)
            axis.plot(lost, [LOST * 1.8**-k] * len(lost), "o", color=f"C{k}", markersize=5, fillstyle="none")
            if method.paper != NONE:
                axis.plot(1e-3 * float(method.paper[0]), float(method.paper[1]), "x", color=f"C{k}", markersize=9)
        axis.plot([], [], "kx", markersize=9, label="the paper's, at its largest step")
        axis.plot([], [], "ko", markersize=5, fillstyle="none", label="unstable")
        axis.set(xscale="log", yscale="log", ylim=(1e-7, 3 * LOST), xlabel="step, ms", ylabel="mean |q - q*|, rad")
        axis.set_xticks(SHOWN, [f"{1e3 * dt:g}" for dt in SHOWN])
        axis.minorticks_off()
        axis.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
