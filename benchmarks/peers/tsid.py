"""TSID: task-space inverse dynamics as a quadratic program, in C++ [Del Prete], in an environment of its own."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
from pathlib import Path

from benchmarks.harness import Absent, Laps, Method, Problem, Setting, Task, Verdict
from benchmarks.solo12 import urdf

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


def interpreter() -> Path:
    """The Python that has TSID: $TSID_PYTHON, else the one that `make bench` sets up."""
    path = Path(os.environ.get("TSID_PYTHON") or ROOT / ".venv-tsid" / "bin" / "python")
    if not path.exists():
        raise Absent(NAME, f"no interpreter at {path} (set TSID_PYTHON to one that has it)", REMEDY)
    return path


class Worker:
    """A child process that runs `tsid_worker.py`; it ends with this one."""

    def __init__(self, python: Path, urdf: Path) -> None:
        # Isolated: nothing of our own environment, nor this folder's file names, may get in its way.
        run = [str(python), "-I", str(WORKER), str(urdf)]
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
