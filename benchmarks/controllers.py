"""Surefoot's inverse dynamics in a control loop, one method a law."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from experiments.stance import DT, Motion

import surefoot as sf
from benchmarks.harness import Laps, Method, Problem, Setting, Task, Verdict
from surefoot.laws import Law

LAWS: dict[str, Law] = {
    "coulomb": sf.Coulomb(),
    "coulomb-smooth": sf.Coulomb(smooth=True),
    "no-slip": sf.NoSlip(),
    "no-slip-held": sf.NoSlip(release=False),
    "dissipative": sf.Dissipative(),
    "dissipative-exact": sf.Dissipative(cone="exact"),
    "dissipative-energy": sf.Dissipative(form="energy"),
    "soft": sf.Soft(),
    "compliant": sf.Compliant(stiffness=1e4, damping=100.0),
}
TEXT = {
    "coulomb": "Coulomb's law with 4 edges",
    "coulomb-smooth": "Coulomb's law with 4 edges, then least torque",
    "no-slip": "no slip under load",
    "no-slip-held": "no slip, closed contacts held",
    "dissipative": "the dissipative law with 4 edges, then least torque",
    "dissipative-exact": "the dissipative law with round cones, then least torque",
    "dissipative-energy": "the dissipative law in its energy form, then least torque",
    "soft": "the soft law",
    "compliant": "springs, dampers and Coulomb friction with 4 edges",
}
LOOKS = 5  # states of a motion whose answers are judged


def controller(name: str) -> Callable[[], Method]:
    """A finder of the method for one law of `LAWS`."""

    def find() -> Method:
        note = "Timed: `controller(state, acceleration)` from Python, contacts found from the geometry"
        return Method(f"surefoot-{name}", TEXT[name], lambda *case: _prepare(name, *case), ours=True, note=note)

    return find


def _prepare(name: str, problem: Problem, setting: Setting) -> Task:
    motion: Motion = problem.data
    if setting.options["rest"] or (name.startswith("no-slip") and motion.contacts > 4):
        motion = motion.at_rest()
    calls = list(zip(motion.states, motion.accelerations, strict=True))[:: setting.options["every"]]
    cold = setting.options["cold"]
    control = sf.InverseDynamics(motion.robot, DT, LAWS[name])
    remembered = control._space  # its arrays may be made anew when they grow

    def forget() -> None:
        remembered.step.memory.count[0] = 0

    def call() -> Laps:
        clock, seconds, ok = time.perf_counter_ns, np.empty(len(calls)), True
        for k, (state, acceleration) in enumerate(calls):
            if cold:
                forget()
            start = clock()
            control(state, acceleration)
            seconds[k] = clock() - start
            ok = ok and control.status.is_answer
        return Laps((1e-9 * seconds).tolist(), ok)

    def judge(ok: bool) -> Verdict:
        worst = 0.0
        for state, acceleration in calls[:: max(1, len(calls) // LOOKS)]:
            control(state, acceleration)
            answer = control.answer()
            told = answer.residuals()
            imbalance = told["dynamics"] / (DT * 9.81 * motion.robot.mass)
            worst = max(worst, imbalance, told["normal"], told["friction"], told["joints"])
            ok = ok and len(answer.contacts) == motion.contacts and bool(answer.contacts.closed.all())
        return Verdict(ok, worst)

    return Task(call, judge, lambda: control(*calls[0]))
