"""Particle traces of a crowd: by the engine, by processes without one, and the roll-outs that they are made of."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import surefoot as sf
from benchmarks import crowd
from benchmarks.crowd import Crowd
from benchmarks.harness import Laps, Method, Problem, Setting, Task, Verdict
from benchmarks.workers import Worker, together
from surefoot.control import Walk
from surefoot.traces.result import Result
from surefoot.traces.scenario import Scenario

ONE, TWO, EACH = "1 worker", "2 workers", "one by one"
MOST = 2  # workers
AGAIN = 8  # roll-outs of the nominal robot

_RIGID = "rigid contact, Coulomb's law with 4 edges"
_WALK = "the gait's feet on springs"
_PD = f"joint PD, {crowd.KP:g} N m/rad and {crowd.KD:g} N m s/rad"
_TRACE = "`Scenario.trace`: the robot built, simulated under the compiled policy and judged, telemetry and events kept"


class Clocked:
    """A scenario whose results say when they began and ended, in s on the clock that all processes share."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.name, self.policies, self.duration = scenario.name, scenario.policies, scenario.duration

    def prepare(self) -> None:
        """Load the machine code, before a process calls itself ready."""
        self.scenario.prepare()

    def trace(self, policy: str, particle: int, seed: int = 0, method: str = "random") -> Result:
        """One trace."""
        began = time.monotonic()
        result = self.scenario.trace(policy, particle, seed, method)
        when = {"began": began, "ended": time.monotonic(), "process": float(os.getpid())}
        return replace(result, final={**result.final, **when})

    def values(self, *draw: Any) -> dict[str, Any]:
        """What is drawn."""
        return self.scenario.values(*draw)

    def header(self) -> dict[str, Any]:
        """What the run's folder says of it."""
        return self.scenario.header()


def engine() -> Method:
    """`falsify`, from its first trace to its last."""

    def prepare(problem: Problem, setting: Setting) -> Task:
        one: Crowd = problem.data
        both = crowd.scenario(one.duration)
        clocked = Clocked(replace(both, policies={"walk": both.policies["walk"]}))

        def call() -> Laps:
            began = time.monotonic()
            run = sf.falsify(clocked, one.robots, one.seed, workers=one.workers)
            ended = time.monotonic()
            columns = {name: run.particles[name].to_numpy() for name in _COLUMNS}
            first, last = columns["f:began"].min(), columns["f:ended"].max()
            seconds = columns["seconds"] / one.duration if one.one_by_one else [(last - first) / problem.work]
            counts = {
                "ms in traces": columns["seconds"].sum(),
                "ms of workers": one.workers * (last - first),
                "ms of its processes": _spans(columns["f:process"], columns["f:began"], columns["f:ended"]),
                "ms before the first": first - began,
                "ms after the last": ended - last,
            }
            return Laps(list(seconds), (columns, {name: round(1e3 * value) for name, value in counts.items()}))

        def judge(answer: tuple[Mapping[str, Any], dict[str, int]]) -> Verdict:
            columns, counts = answer
            done = np.isin(columns["outcome"], ["success", "known failure", "unknown failure"])
            return crowd.verdict(done & _stand(*(columns[f"f:{name}"] for name in ("z", "roll", "pitch"))), **counts)

        return Task(call, judge)

    note = f"Timed: `sf.falsify` from its first trace to its last, its tables written meanwhile. A trace is {_TRACE}"
    return Method("surefoot", f"{_RIGID}; {_WALK}", prepare, ours=True, note=note)


_COLUMNS = ("outcome", "seconds", "f:z", "f:roll", "f:pitch", "f:began", "f:ended", "f:process")


def _spans(process: Any, began: Any, ended: Any) -> float:
    """Time in s from the first trace of a process to its last, summed over the processes."""
    mine = [process == number for number in np.unique(process)]
    return float(sum(ended[rows].max() - began[rows].min() for rows in mine))


def processes() -> Method:
    """The same traces in processes that know nothing of each other."""
    return _in_processes("surefoot-processes", "walk", _WALK)


def joint_pd() -> Method:
    """The same with the controller that MuJoCo's loops have."""
    return _in_processes("surefoot-pd", "pd", _PD)


def _in_processes(name: str, policy: str, text: str) -> Method:
    workers = [Worker(traced) for _ in range(MOST)]

    def prepare(problem: Problem, setting: Setting) -> Task:
        one: Crowd = problem.data
        mine = workers[: one.workers]
        together(mine, [(policy, *share) for share in one.shares()])

        def call() -> Any:
            told = [trace for share in together(mine, [None] * len(mine)) for trace in share]
            return Laps([seconds / one.duration for seconds, _ in told], told) if one.one_by_one else told

        return Task(call, lambda told: crowd.verdict(np.array([upright for _, upright in told])))

    note = f"Timed: independent processes, each with its share of the robots. A trace is {_TRACE}"
    return Method(name, f"{_RIGID}; {text}", prepare, ours=True, note=note)


def traced(share: tuple[str, int, int, tuple[int, ...]]) -> list[tuple[float, bool]]:
    """Trace some robots: of each its s, and whether it stands at the end."""
    policy, duration, seed, numbers = share
    scenario, told = crowd.scenario(duration), []
    for number in numbers:
        result = scenario.trace(policy, number, seed)
        pose = [result.final.get(name, np.nan) for name in ("z", "roll", "pitch")]
        told.append((result.seconds, not result.message and bool(_stand(*np.array(pose)))))
    return told


def walk() -> Method:
    """The loop of `surefoot walk links-light`."""

    def prepare(problem: Problem, setting: Setting) -> Task:
        one: Crowd = problem.data
        chosen = Walk("links-light")
        scene = chosen.stand_on(sf.Plane(mu=crowd.MU))
        policy = chosen.pipeline(scene, crowd.DT, "coulomb").policy()
        return _rollout(scene, policy, one)

    text = f"{_RIGID}; a trot by inverse dynamics with contact"
    note = "Timed: what `surefoot walk links-light` times, `Simulator.rollout` of the nominal robot, its log included"
    return Method("surefoot-walk", text, prepare, ours=True, note=note, sizes=(ONE,))


def alone() -> Method:
    """The nominal robot under the policy of the traces, without anything around it."""

    def prepare(problem: Problem, setting: Setting) -> Task:
        one: Crowd = problem.data
        scenario = crowd.scenario(one.duration)
        return _rollout(scenario.nominal(), scenario.controller("walk")[0], one)

    note = "Timed: `Simulator.rollout` of the nominal robot under the policy of surefoot, its log included"
    return Method("surefoot-rollout", f"{_RIGID}; {_WALK}", prepare, ours=True, note=note, sizes=(ONE,))


def _rollout(scene: sf.Scene, policy: Any, one: Crowd) -> Task:
    """One robot, a few times."""
    plant = sf.Simulator(scene, crowd.DT)

    def call() -> Laps:
        seconds, ends = [], []
        for _ in range(min(one.robots, AGAIN)):
            began = time.perf_counter()
            ends.append(plant.rollout(scene.home(), policy, one.duration).q[-1])
            seconds.append((time.perf_counter() - began) / one.duration)
        return Laps(seconds, ends)

    return Task(call, lambda ends: crowd.verdict(crowd.standing(ends)))


def _stand(z: Any, roll: Any, pitch: Any) -> Any:
    """Whether robots stand, by height in m and angles in rad; a NaN does not."""
    return (np.cos(roll) * np.cos(pitch) >= crowd.UPRIGHT) & (z >= crowd.HEIGHT)
