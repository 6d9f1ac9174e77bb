"""Copies of `links-light` that shall walk, none of them quite as modelled: for traces of ours and for peers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from benchmarks.harness import Verdict
from surefoot.traces.distributions import Normal, Uniform
from surefoot.traces.fabricate import Built, build
from surefoot.traces.policies import Steps
from surefoot.traces.scenario import Scenario

Array = NDArray[np.float64]

DT = 1e-3  # s
MU = 0.7
KP, KD = 20.0, 0.2  # N m / rad, N m s / rad: of the joint PD
LENGTH, DENSITY, FRICTION = 0.0025, 0.1, 0.2  # m; relative to the nominal
UPRIGHT, HEIGHT = 0.9, 0.1  # least cosine of the base's tilt, least height in m of the base (0.16 m nominally)


@dataclass(frozen=True)
class Crowd:
    """Robots that walk at the same time.

    Attributes:
        robots: how many; particles 0 to robots - 1.
        duration: s.
        seed: of the draws.
        workers: processes or threads.
        one_by_one: whether every robot is timed for itself.
    """

    robots: int
    duration: int
    seed: int
    workers: int
    one_by_one: bool = False

    def shares(self) -> list[tuple[int, int, tuple[int, ...]]]:
        """Duration, seed and particles of each worker."""
        return [(self.duration, self.seed, tuple(range(k, self.robots, self.workers))) for k in range(self.workers)]


@sf.policy
def track(t, q, v, torque_out, memory, params):
    """Joint PD towards a table; params: kp, kd, dt, rows, and rows of positions and velocities."""
    n = torque_out.shape[0]
    row = 4 + 2 * n * min(int(t / params[2] + 0.5), int(params[3]) - 1)
    for i in range(n):
        torque_out[i] = params[0] * (params[row + i] - q[7 + i]) + params[1] * (params[row + n + i] - v[6 + i])
    return 0


@dataclass(frozen=True)
class Track:
    """The joint PD along the nominal robot's walk."""

    duration: int

    def __call__(self, scene: sf.Scene, dt: float) -> Any:
        """The policy."""
        goals = np.hstack(reference(self.duration)[:2])
        return track.bind([KP, KD, dt, len(goals), *goals.ravel()])


@cache
def scenario(duration: int) -> Scenario:
    """Policies "walk", springs between the feet and where the gait wants them, and "pd"."""
    return Scenario(
        "traces",
        robot="links-light",
        policies={"walk": Steps(), "pd": Track(duration)},
        duration=float(duration),
        uncertainty={
            "robot.*.length": Normal(LENGTH),
            "robot.*.density": Uniform(1.0 - DENSITY, 1.0 + DENSITY, factor=True),
            "ground.mu": Uniform(1.0 - FRICTION, 1.0 + FRICTION, factor=True),
        },
        terrain=sf.Plane(mu=MU),
        dt=DT,
    )


@cache
def reference(duration: int) -> tuple[Array, Array, Array]:
    """(steps, joints) positions, velocities and torques of the nominal robot's walk, in rad, rad/s and N m."""
    trace = scenario(duration).replay("walk", 0)
    scene, steps = trace.scene, len(trace)
    return trace.q[:steps, scene.joint_positions], trace.v[:steps, scene.dofs], trace.torque


@lru_cache(maxsize=8)
def particles(duration: int, seed: int, numbers: tuple[int, ...]) -> list[Built]:
    """Some of the robots, as built."""
    here = scenario(duration)
    return [build(here.parts, here.values(number, seed)) for number in numbers]


def standing(poses: Any) -> NDArray[np.bool_]:
    """(n,) whether robots with these base poses (n, 7) stand; a NaN does not."""
    poses = np.asarray(poses)
    return (1.0 - 2.0 * (poses[:, 4] ** 2 + poses[:, 5] ** 2) >= UPRIGHT) & (poses[:, 2] >= HEIGHT)


def verdict(upright: NDArray[np.bool_], **counts: int) -> Verdict:
    """Claimed: all were simulated to the end. Residual: share that does not stand then."""
    return Verdict(
        True, 1.0 - float(np.mean(upright)), {"robots": len(upright), "upright": int(upright.sum())} | counts
    )
