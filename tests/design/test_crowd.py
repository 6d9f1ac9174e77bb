import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import surefoot as sf
from surefoot.design import Crowd, Row, jacobian
from surefoot.errors import InputError
from tests.design import small

MASS = {"robot.base.mass": sf.Uniform(3.0, 6.0)}


def crowd(quantile=0.0, particles=5, seed=3, uncertainty=None):
    return Crowd(MASS if uncertainty is None else uncertainty, particles, quantile, seed)


# Known answers


def test_quantile_0_is_the_worst():
    values, whose = crowd(0.0, 3).quantile_of(np.array([[[1.0, 2.0]], [[0.5, 3.0]], [[2.0, -1.0]]]))
    assert values.tolist() == [[0.5, -1.0]]
    assert whose.tolist() == [[1, 2]]


@pytest.mark.parametrize(("quantile", "rank"), [(0.0, 0), (0.09, 0), (0.1, 1), (0.25, 2), (0.5, 5), (0.99, 9)])
def test_a_quantile_is_the_share_that_may_do_worse(quantile, rank):
    stacked = np.arange(10.0)[::-1].reshape(10, 1, 1)
    values, whose = crowd(quantile, 10).quantile_of(stacked)
    assert values == [[rank]]
    assert whose == [[9 - rank]]


def test_particle_0_is_the_robot_as_drawn():
    problem = small.trotting(crowd=crowd())
    p = problem.morphology.start
    masses = [problem.scene(p, particle).model.body("BASE").mass[0] for particle in range(5)]
    assert masses[0] == 3.6
    assert len(set(masses)) == 5
    assert min(masses) >= 3.0
    assert max(masses) <= 6.0
    assert crowd().scene(problem.morphology.at(p), 0).model.body("BASE").mass[0] == 3.6


def test_a_look_has_the_worst_of_all_particles():
    problem = small.trotting(crowd=crowd())
    p = problem.morphology.start
    look = problem.look(p, 0.1)
    assert len(look.rehearsals) == 5
    alone = small.trotting().look(p, 0.1)
    assert (look.values <= alone.values + 1e-12).all()
    heaviest = int(np.argmax([one.scene.model.body("BASE").mass[0] for one in look.rehearsals]))
    k = look.names.index("torque-speed LF_Y3")
    i = int(look.values[:, k].argmin())
    assert look.whose[i, k] == heaviest


def test_draws_are_about_the_design_of_the_day():
    """A factor of uncertainty multiplies what the design has, not what the robot had at the start."""
    thighs = {"robot.*.thigh.length": sf.Uniform(0.9, 1.1, factor=True)}
    problem = small.trotting(crowd=crowd(uncertainty=thighs))
    one = problem.scene([0.1, 0.1], 2).model.body("LF_SHANK").pos
    other = problem.scene([0.2, 0.1], 2).model.body("LF_SHANK").pos
    assert np.linalg.norm(other) == pytest.approx(2.0 * np.linalg.norm(one))


# Properties


@given(hnp.arrays(float, (7, 3, 2), elements=st.floats(-5, 5)), st.floats(0.0, 0.99))
def test_not_more_than_the_quantile_do_worse(stacked, quantile):
    values, whose = crowd(quantile, 7).quantile_of(stacked)
    assert ((stacked < values).sum(axis=0) <= quantile * 7 + 1e-9).all()
    assert (np.take_along_axis(stacked, whose[None], axis=0)[0] == values).all()


def test_the_same_seed_is_the_same_crowd_bit_for_bit():
    looks = [small.trotting(crowd=crowd(seed=seed)).look([0.1, 0.1], 0.1) for seed in (3, 3, 4)]
    assert (looks[0].values == looks[1].values).all()
    assert (looks[0].whose == looks[1].whose).all()
    assert (looks[0].values != looks[2].values).any()


# Edge cases


def test_slopes_are_those_of_the_particle_that_has_the_quantile():
    """By differences of the crowd's looks: for a small step the same particle has the quantile."""
    problem = small.trotting(crowd=crowd())
    p, h = np.array([0.09, 0.08]), 1e-6
    look = problem.look(p, 0.1)
    k = look.names.index("torque-speed LF_Y3")
    i = int(look.values[:, k].argmin())
    found = jacobian(problem, look, [Row(i, k, int(look.whose[i, k]))])
    for j in range(2):
        up, down = (problem.look(p + sign * h * np.eye(2)[j], 0.1).values[i, k] for sign in (1, -1))
        assert found.matrix[0, j] == pytest.approx((up - down) / (2 * h), rel=1e-3)


def test_friction_of_the_ground_can_be_uncertain():
    problem = small.trotting(crowd=crowd(uncertainty={"ground.mu": sf.Uniform(0.2, 0.9)}))
    frictions = {problem.scene([0.1, 0.1], particle).surfaces[0].mu for particle in range(5)}
    assert len(frictions) == 5


# Error texts


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"uncertainty": None}, "uncertainty: expected distributions by name, got None"),
        (
            {"uncertainty": {"robot.base.mass": 5}},
            "uncertainty: 'robot.base.mass': expected a distribution such as Normal(0.01), got 5",
        ),
        (
            {"uncertainty": {"encoder.*": sf.Normal(1.0)}},
            "uncertainty: 'encoder.*' is nothing that a robot or its ground is built from",
        ),
        (
            {"uncertainty": {"restitution": sf.Uniform(0.0, 1.0)}},
            "uncertainty: 'restitution' is nothing that a robot or its ground is built from",
        ),
        ({"particles": 1}, "particles: expected a whole number of at least 2, got 1"),
        ({"particles": 2.5}, "particles: expected a whole number of at least 2, got 2.5"),
        ({"quantile": 1.0}, "quantile: expected a share from 0 to below 1, got 1"),
        ({"quantile": -0.1}, "quantile: expected a number of at least 0, got -0.1"),
        ({"quantile": "worst"}, "quantile: expected a finite number, got 'worst'"),
        ({"seed": -1}, "seed: expected a whole number of at least 0, got -1"),
    ],
)
def test_bad_crowds_are_refused(arguments, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        Crowd(**{"uncertainty": MASS, **arguments})


def test_unknown_parts_are_named_when_the_robot_is_known():
    problem = small.trotting(crowd=crowd(uncertainty={"robot.tail.mass": sf.Normal(0.1)}))
    with pytest.raises(InputError, match=r"^uncertainty: no parameter matches 'robot.tail.mass'"):
        problem.look(problem.morphology.start, 0.1)
