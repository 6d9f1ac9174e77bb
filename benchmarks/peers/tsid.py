"""TSID: task-space inverse dynamics as a quadratic program, in C++ [Del Prete], in an environment of its own."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
from pathlib import Path

from benchmarks.harness import Absent, Laps, Method, Problem, Setting, Task, Verdict
from benchmarks.solo12 import urdf
from benchmarks.stances import COM, LEAST, MOST, MU, POSTURE, TURN, Stance, Sway, to_pinocchio

NAME = "tsid"
ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).with_name("tsid_worker.py")
REMEDY = (
    "python3 -m venv .venv-tsid && .venv-tsid/bin/pip install tsid==1.7.1 pin==3.4.0 'cmeel-urdfdom<4.1' "
    "'cmeel-tinyxml2<10.1' numpy"
)


def cycle() -> Method:
    """One cycle of a whole-body controller: CoM and posture tasks over four point contacts."""
    worker = Worker(interpreter(), urdf())

    def prepare(problem: Problem, setting: Setting) -> Task:
        wish = {"seed": [len(problem.name), *problem.name.encode()], "count": len(problem.data.states)}

        def judge(told: dict) -> Verdict:
            return Verdict(told["solved"], told["residual"])

        def call() -> Laps:
            told = worker.ask(wish)
            return Laps(told["seconds"], told)

        return Task(call, judge)

    note = (
        "Timed: `computeProblemData`, `SolverHQuadProgFast.solve`, `getActuatorForces` from Python, in a process of "
        "its own that waits while others are timed, on Solo12 (18 degrees of freedom), references set beforehand"
    )
    law = "rigid contacts that neither slip nor lift, forces in a pyramid; tasks weighed against each other"
    return Method(NAME, law, prepare, note=note, sizes=("4 contacts",))


def whole_body() -> Method:
    """The same with the base's orientation held too, at given states, on several robots."""
    python, workers = interpreter(), {}

    def prepare(problem: Problem, setting: Setting) -> Task:
        motion: Sway = problem.data
        name = motion.stance.name
        if name not in workers:
            workers[name] = controller(python, motion.stance)
        wish = {"states": [to_pinocchio(state) for state in motion.states]}

        def judge(told: dict) -> Verdict:
            return Verdict(told["solved"], told["residual"])

        def call() -> Laps:
            told = workers[name].ask(wish)
            return Laps(told["seconds"], told)

        return Task(call, judge)

    note = (
        "Timed: `computeProblemData`, `SolverHQuadProgFast.solve`, `getActuatorForces` from Python, in a process of "
        "its own that waits while others are timed, references set beforehand"
    )
    law = "rigid contacts that neither slip nor lift, forces in a pyramid; tasks weighed against each other"
    return Method(NAME, law, prepare, note=note)


def controller(python: Path, stance: Stance, torque: float | None = None) -> Worker:
    """A worker that controls a robot with the tasks of `stances`; `torque`: the largest of a joint, in N m."""
    robot = stance.robot
    feet = [foot.body for foot in robot.feet]
    return Worker(
        python,
        stance.urdf,
        {
            "joints": list(robot.joints),
            "q": to_pinocchio(stance.home)[0],
            "feet": feet,
            "corners": [list(corner) for corner in stance.corners],
            "base": robot.base,
            "com": list(COM),
            "orientation": list(TURN),
            "posture": list(POSTURE),
            "mu": MU,
            "force": [LEAST * stance.points / len(feet), MOST * robot.mass * 9.81],
            "torque": torque,
        },
    )


def interpreter() -> Path:
    """The Python that has TSID: $TSID_PYTHON, else the one that `make bench` sets up."""
    path = Path(os.environ.get("TSID_PYTHON") or ROOT / ".venv-tsid" / "bin" / "python")
    if not path.exists():
        raise Absent(NAME, f"no interpreter at {path} (set TSID_PYTHON to one that has it)", REMEDY)
    return path


class Worker:
    """A child process that runs `tsid_worker.py`; it ends with this one."""

    def __init__(self, python: Path, urdf: Path, robot: dict | None = None) -> None:
        # Isolated: nothing of our own environment, nor this folder's file names, may get in its way.
        run = [str(python), "-I", str(WORKER), str(urdf), *([] if robot is None else [json.dumps(robot)])]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(run, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        atexit.register(self.close)
        try:
            self.ask({"seed": [0], "count": 1})
        except Absent:
            self.close()
            raise

    def ask(self, wish: dict) -> dict:
        """Send one line, wait for one."""
        to, back, errors = self._process.stdin, self._process.stdout, self._process.stderr
        assert to is not None
        assert back is not None
        assert errors is not None
        try:
            to.write(json.dumps(wish) + "\n")
            to.flush()
            line = back.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            said = errors.read().strip().splitlines() or ["it said nothing"]
            raise Absent(NAME, f"the process ended: {said[-1]}", REMEDY)
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        atexit.unregister(self.close)
        self._process.communicate()
