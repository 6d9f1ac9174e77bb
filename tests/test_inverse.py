import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError, SolveError
from surefoot.kernels.follow import follow_box
from surefoot.motion.workspace import Workspace
from tests.test_answer import plates


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


def test_a_controller_gives_the_torques_of_the_one_off_call(robot):
    controller = sf.InverseDynamics(robot, dt=1e-3, law=sf.Coulomb(mu=0.5))
    rng = np.random.default_rng(0)
    for _ in range(3):
        state = robot.state(v=0.1 * rng.normal(size=18))
        wanted = rng.normal(size=12)
        torque = controller(state, wanted)
        answer = sf.inverse_dynamics(robot, state, wanted, dt=1e-3, law=sf.Coulomb(mu=0.5))
        assert np.array_equal(torque, answer.torque)
        assert controller.status is sf.Status.SOLVED
        assert controller.residual <= 1e-9


def test_it_keeps_the_asked_accelerations(robot):
    controller = sf.InverseDynamics(robot, dt=1e-3)
    wanted = np.linspace(-1, 1, 12)
    controller(robot.home(), wanted)
    assert controller.answer().acceleration[robot.dofs] == pytest.approx(wanted)


def test_the_array_is_the_controllers_own(robot):
    controller = sf.InverseDynamics(robot, dt=1e-3)
    first = controller(robot.home(), np.zeros(12))
    kept = first.copy()
    second = controller(robot.home(), np.ones(12))
    assert first is second
    assert not np.array_equal(kept, second)


def test_calls_do_not_depend_on_those_before(robot):
    """But for their first guess, which matters only where forces are not determined: stage II determines them."""
    controller = sf.InverseDynamics(robot, dt=1e-3, law=sf.Coulomb(smooth=True))
    first = controller(robot.home(), np.zeros(12)).copy()
    controller(robot.state(v=np.ones(18)), np.full(12, 5.0))
    controller(robot.home(), np.zeros(12), contacts=["LF_FOOT"])
    assert controller(robot.home(), np.zeros(12)) == pytest.approx(first, abs=1e-7)


def test_any_array_of_numbers_does_without_compiling_anew(robot):
    controller = sf.InverseDynamics(robot, dt=1e-3)
    controller(robot.home(), np.arange(12.0))
    expected = controller(robot.home(), np.arange(12.0)).copy()  # from the same first guess as those below
    versions = len(follow_box.signatures)
    for wanted in (np.arange(12), np.arange(12, dtype=np.float32), np.arange(24.0)[::2] / 2, list(range(12))):
        assert np.array_equal(controller(robot.home(), wanted), expected)
    assert len(follow_box.signatures) == versions


def test_planned_and_given_contacts(robot):
    controller = sf.InverseDynamics(robot, dt=1e-3)
    controller(robot.home(), np.zeros(12), contacts=["LF_FOOT", "RH_FOOT"])
    assert controller.answer().contacts.names == ("LF_FOOT on ground", "RH_FOOT on ground")
    body = robot.feet[0].body
    given = sf.Contacts.from_points(robot, robot.home(), [[0.1, 0.1, 0]], [body])
    controller(robot.home(), np.zeros(12), contacts=given)
    assert controller.answer().contacts.names == (f"{body} on world",)


def test_an_internal_force_is_told_by_the_answer_and_costs_the_loop_nothing(robot, monkeypatch):
    scene = plates()
    controller = sf.InverseDynamics(scene, dt=1e-3)
    look = Workspace.forces_undetermined
    monkeypatch.setattr(Workspace, "forces_undetermined", lambda space: pytest.fail("looked at in a call"))
    controller(scene.home(), [0.0, 0.0])
    assert controller.status is sf.Status.SOLVED
    monkeypatch.setattr(Workspace, "forces_undetermined", look)
    assert controller.answer().status is sf.Status.INDETERMINATE
    assert controller.answer().status is sf.inverse_dynamics(scene, scene.home(), [0.0, 0.0], dt=1e-3).status
    standing = sf.InverseDynamics(robot, dt=1e-3)
    standing(robot.home(), np.zeros(12))
    assert standing.answer().status is sf.Status.SOLVED


def test_a_failed_solve_keeps_the_torques_and_says_so():
    scene = plates()
    controller = sf.InverseDynamics(scene, dt=1e-3)
    good = controller(scene.home(), [-1.0, -1.0]).copy()
    assert controller.status.is_answer
    kept = controller(scene.home(), [100.0, 100.0])
    assert controller.status is sf.Status.INFEASIBLE
    assert np.array_equal(kept, good)
    with pytest.raises(SolveError, match="made, coulomb law: infeasible") as error:
        controller(scene.home(), [100.0, 100.0], throw=True)
    assert error.value.result.status is sf.Status.INFEASIBLE


def test_a_diverged_state_does_not_stick(robot):
    controller = sf.InverseDynamics(robot, dt=1e-3)
    good = controller(robot.home(), np.zeros(12)).copy()
    controller(robot.state(v=np.full(18, 1e13)), np.zeros(12))
    assert controller.status is sf.Status.NOT_FINITE
    assert np.array_equal(controller(robot.home(), np.zeros(12)), good)
    assert controller.status is sf.Status.SOLVED


def test_the_controllers_model_is_its_own(robot):
    controller = sf.InverseDynamics(robot, dt=1e-3)
    sim = sf.Simulator(robot, dt=1e-3)
    assert controller._space.model is not sim.space.model
    assert controller._space.data is not sim.space.data


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda c, r: c(r.home(), np.zeros(11)), r"acceleration: expected shape \(12,\), got \(11,\)"),
        (lambda c, r: c(r.home(), np.full(12, np.nan)), "acceleration: expected finite numbers, got nan at index 0"),
        (
            lambda c, r: c(sf.State(np.ones(18), np.zeros(18)), np.zeros(12)),
            r"state.q: expected shape \(19,\), got \(18,\)",
        ),
        (
            lambda c, r: c(sf.State(r.home().q, np.zeros(19)), np.zeros(12)),
            r"state.v: expected shape \(18,\), got \(19,\)",
        ),
        (lambda c, r: c(r.home().q, np.zeros(12)), r"state: expected a State \(see robot.home\(\)\), got ndarray"),
        (lambda c, r: sf.InverseDynamics("links", 1e-3), r"robot: expected a robot or scene \(see sf.load\), got str"),
        (lambda c, r: sf.InverseDynamics(r, 0.0), "dt: expected a number above 0, got 0"),
        (lambda c, r: sf.InverseDynamics(r, 1e-3).answer(), "answer: call the controller first"),
    ],
)
def test_bad_input_is_refused(robot, call, text):
    with pytest.raises(InputError, match=text):
        call(sf.InverseDynamics(robot, dt=1e-3), robot)
