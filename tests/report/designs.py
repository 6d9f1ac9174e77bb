"""Small improvements for the tests of their figures and pages."""

import numpy as np

from surefoot.design import Step, Violation, improve, script
from surefoot.design.improvement import Improvement
from tests.design.small import part, trotting


def problem(**kwargs):
    """`links` at a trot of few samples, with hobby servos, two lengths and a mass."""
    parameters = [part(end, "thigh.length", 0.05, 0.2) for end in ("front", "hind")]
    return trotting([*parameters, part("hind", "shank.mass", 0.05, 0.2)], motors="hobby servo", **kwargs)


def improved(answers=None, updates=3, speeds=(0.1, 0.2)):
    """A few real updates, said yes to or answered by a script."""
    return improve(problem(), list(speeds), updates=updates, ask=None if answers is None else script(answers))


def by_hand(steps, p=None, start=None, reached=True):
    """An improvement of `problem` from steps."""
    found = problem()
    start = found.morphology.start if start is None else np.array(start)
    p = start if p is None else np.array(p)
    return Improvement(
        found, start, p, 0.2 if reached else np.nan, 0.2, 0.01, tuple(steps), "that is how it ended",
        max([step.number for step in steps], default=0),
    )  # fmt: skip


def step(number, before, change=(0.0, 0.0, 0.0), *, because=(), difficulty=0.1, worst=-0.3, **more):
    """A step of `problem`."""
    names = problem().morphology.names
    violations = (Violation("torque-speed LF_Y2", worst, 0.1, 0.25),) if worst < 0.0 else ()
    applied = dict(zip(names, change, strict=True))
    answers = more.pop("answers", ("accept",) if number else ())
    share = more.pop("progress", 0.25)
    return Step(
        number, difficulty, dict(zip(names, before, strict=True)), share, worst, violations, applied,
        answers, applied, because=dict(zip(names, because, strict=False)), **more,
    )  # fmt: skip
