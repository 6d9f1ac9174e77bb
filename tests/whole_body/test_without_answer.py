"""A whole-body controller that has no answer, or nothing to stand on: what it says, and that nothing old is left."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.whole_body import Acceleration, CentreOfMass, Orientation, Posture, WholeBody
from tests.whole_body.standing import FEET

DT = 1e-3


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


@pytest.fixture(scope="module")
def home(robot):
    return robot.home()


def test_a_state_out_of_all_bounds_gives_no_torque(robot, home):
    controller = WholeBody(robot, DT)
    controller(home)
    v = home.v.copy()
    v[3] = 1e13
    torque = controller(robot.state(v=v))
    assert controller.status is sf.Status.NOT_FINITE
    assert (torque == 0.0).all()
    with pytest.raises(sf.SolveError, match="not finite"):
        controller(robot.state(v=v), throw=True)
    controller(home)
    assert controller.status is sf.Status.SOLVED


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_goals_that_are_not_finite_are_named(robot, home, wrong):
    controller = WholeBody(robot, DT)
    controller(home)
    assert controller.forces.any()
    controller.goals["com"][7] = wrong
    assert (controller(home) == 0.0).all()
    assert controller.status is sf.Status.NOT_FINITE
    assert not controller.forces.any(), "nothing of the call before is left"
    assert not controller.acceleration.any()
    assert controller.violations() == controller.foresight() == ()
    text = (
        "links: not finite: a NaN, an infinity or a number over 1e12 has come in; look at the steps before it (a gain "
        "too high for this dt is the usual cause); goals['com'] is not finite"
    )
    assert controller.table() == text
    with pytest.raises(sf.SolveError) as error:
        controller(home, throw=True)
    assert str(error.value) == text
    with pytest.raises(sf.InputError) as error:
        controller.build(home)
    assert str(error.value) == f"goals['com']: expected finite numbers, got {wrong} at index 7"
    controller.hold(home)
    controller(home)
    assert controller.status is sf.Status.SOLVED


def test_without_feet_it_says_so(robot, home):
    controller = WholeBody(robot, DT)
    controller(home, contacts=[])
    assert controller.table().splitlines()[:2] == [
        "links: solved",
        "  nothing touches: torques change the shape, and the robot falls",
    ]


def test_what_is_corrected_has_an_answer_if_what_is_told_has(robot):
    """Strict levels on ice: a round of correction without an answer is not the last word."""
    ice = sf.scene(robot, terrain=sf.Plane(mu=0.05))
    tasks = [CentreOfMass(name="com"), Orientation(level=1), Posture(level=2), Acceleration(level=2)]
    told, corrected = (
        WholeBody(ice, DT, tasks, mu=0.7, settle=0.02, torque_limits=1.5, check=check) for check in ("tell", "correct")
    )
    rng = np.random.default_rng(0)
    for _ in range(200):
        state = ice.state(v=rng.choice([0.05, 0.5]) * rng.normal(size=18))
        for controller in (told, corrected):
            controller.goals["com"][6:9] = rng.choice([0.0, 2.0, 30.0]) * rng.normal(size=3)
            assert np.isfinite(controller(state)).all()
            assert controller.status.is_answer


def test_a_planned_foot_must_be_near_the_ground(robot, home):
    q = home.q.copy()
    q[2] += 0.1
    with pytest.raises(sf.InputError, match=r"^contacts: 'LF_FOOT' is not within 4.5 mm of the ground"):
        WholeBody(robot, DT)(robot.state(q=q), contacts=FEET)
