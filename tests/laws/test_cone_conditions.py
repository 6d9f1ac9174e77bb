import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.laws.conditions import law_conditions
from surefoot.laws.cone_conditions import project_on_round_cone

NUMBERS = st.floats(-10, 10)


def test_known_projections():
    assert project_on_round_cone(np.array([2.0, 1.0, 0.0]), 1.0).tolist() == [2.0, 1.0, 0.0]
    assert project_on_round_cone(np.array([-2.0, 1.0, 0.0]), 1.0).tolist() == [0.0, 0.0, 0.0]
    assert project_on_round_cone(np.array([0.0, 2.0, 0.0]), 1.0) == pytest.approx([1.0, 1.0, 0.0])


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS), st.floats(0.01, 5))
def test_moreau(point, mu):
    """What is left is in the polar cone and orthogonal to the projection."""
    point = np.array(point)
    inside = project_on_round_cone(point, mu)
    left = point - inside
    assert np.linalg.norm(inside[1:]) <= mu * inside[0] + 1e-9
    assert mu * np.linalg.norm(left[1:]) <= -left[0] + 1e-7 * (1 + mu)
    assert abs(inside @ left) <= 1e-7 * (1 + point @ point)


@pytest.mark.parametrize(
    "law", [sf.Soft(), sf.Dissipative(cone="exact", mu=0.3), sf.Dissipative(form="energy", mu=0.3)], ids=str
)
def test_an_answer_violates_nothing_and_another_impulse_does(law):
    robot = sf.load("links")
    home = robot.home()
    state = home.replace(q=home.q - np.r_[0, 0, 1e-4, np.zeros(16)], v=0.1 * np.ones(18))
    answer = sf.forward_dynamics(robot, state, dt=1e-3, law=law)
    problem = answer._problem
    assert max(law_conditions(problem).values()) <= 1e-9
    pulled = {**problem, "f": problem["f"] - np.tile([1.0, 0.0, 0.0], len(problem["kind"]))}
    assert law_conditions(pulled)["normal"] > 1e-3
