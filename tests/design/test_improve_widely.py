"""Improvement with simulated windows, of robots as built, and with other motors, from start to end."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.design import Crowd, improve
from surefoot.design.as_built import shapes
from tests.design.small import LEGS, part, trotting

THIGHS = [part(end, "thigh.length", 0.05, 0.2) for end in LEGS]


@pytest.mark.parametrize("width", [1, 4])
def test_an_update_raises_the_worst_witness(width):
    """With windows the base may lean and feet may miss, too; the update still helps."""
    problem = trotting(THIGHS, width=width)
    before = problem.look(problem.morphology.start, 0.3)
    assert ("footing LF_FOOT" in before.names) == (width > 1)
    found = improve(problem, [0.3], updates=2)
    assert problem.look(found.p, 0.3).merit > before.merit


def test_a_crowd_is_improved_at_its_quantile():
    """The design that counts is the worst of all robots as built, which is worse than the one drawn."""
    crowd = Crowd(shapes(trotting().morphology.parts.names), 3, 0.0)
    problem = trotting(THIGHS, crowd=crowd)
    before = problem.look(problem.morphology.start, 0.3)
    assert before.worst <= problem.as_drawn.look(problem.morphology.start, 0.3).worst
    found = improve(problem, [0.3], updates=2)
    after = problem.look(found.p, 0.3)
    assert after.merit > before.merit
    assert set(np.unique(after.whose)) <= {0, 1, 2}


def test_another_motor_is_fitted_where_nothing_else_helps(tmp_path):
    """Its mass rides on the link before; a run that goes on has it, too."""
    problem = trotting([part("front", "thigh.length", 0.0769, 0.0771)], motors="MX-64")
    found = improve(problem, [0.3], updates=30, choices={"*": ["RX-24F"]}, out=tmp_path / "run")
    assert any(step.motors == {"*": "RX-24F"} for step in found.steps)
    assert found.morphology.motor("LF_Y2").name == "RX-24F"
    assert found.scene.mass < problem.morphology.scene(found.start).mass
    again = improve(problem, [0.3], updates=30, choices={"*": ["RX-24F"]}, out=tmp_path / "run", resume=True)
    assert again.morphology.motor("LF_Y2").name == "RX-24F"
    assert again.p.tolist() == found.p.tolist()


def test_whoever_does_not_reach_the_last_speed_gets_what_keeps_its_limits_at_the_highest():
    problem = trotting([*THIGHS, sf.design.Parameter("base mass", "robot.base.mass", 1.0, 4.0)])
    found = improve(problem, [0.05, 3.0], updates=12)
    assert not found.reached
    assert found.difficulty == 0.05
    assert problem.look(found.p, 0.05).worst >= 0.0
    assert "at difficulty 3 " in found.reason
