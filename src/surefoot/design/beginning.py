"""A design problem as it was before anything was changed."""

from __future__ import annotations

from surefoot.design.improvement import Improvement
from surefoot.design.morphology import Morphology
from surefoot.design.problem import Problem


def beginning(improvement: Improvement) -> Problem:
    """The problem with the motors that it began with.

    Args:
        improvement: whose problem has the motors that it ended with.
    """
    problem = improvement.problem
    now = problem.morphology
    first = now.first_motors
    if all(now.motor(joint) == motor for joint, motor in first.items()):
        return problem
    motors = {joint: motor for joint, motor in first.items() if motor is not None}
    return problem.with_morphology(Morphology(now.parts, now.parameters, motors))
