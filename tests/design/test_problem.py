import pickle
import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.design import Crowd, GaitTask, Look, Morphology, Problem, Reach, improve
from surefoot.design.studies import bundled
from surefoot.errors import InputError
from surefoot.traces import TorqueSpeed
from tests.design import small


@pytest.fixture(scope="module")
def problem():
    return small.trotting()


@pytest.fixture(scope="module")
def start(problem):
    return problem.morphology.start


def made(values):
    """A look with given values (n, w)."""
    values = np.array(values, dtype=float)
    return Look(np.zeros(1), 0.1, ("a", "b"), values, np.zeros(values.shape, dtype=np.int64), ())


# Known answers


def test_a_look_tells_the_worst_the_first_and_the_progress():
    look = made([[1.0, 0.5], [0.0, 0.1], [-0.1, 0.2], [0.3, -0.4]])
    assert look.worst == -0.4
    assert look.first == 2
    assert look.progress == 0.5
    assert look.merit == (0.0, -0.4)


def test_a_look_without_violations_has_all_of_the_course_behind_it():
    look = made([[0.0, 0.5], [0.2, 0.1]])
    assert (look.first, look.progress, look.worst) == (2, 1.0, 0.0)


def test_what_is_out_of_reach_counts_before_all_else():
    """Of two designs the one whose reach is better is better, though its other witnesses are worse."""
    near, far = made([[-0.1, np.inf], [0.3, -9.0]]), made([[-0.2, np.inf], [0.3, -1.0]])
    assert near.merit == (-0.1, -9.0)
    assert near.merit > far.merit
    assert made([[0.1, 0.1], [0.1, -9.0]]).merit > near.merit


def test_witnesses_are_all_limits_with_those_of_the_motors(problem, start):
    look = problem.look(start, 0.1)
    rehearsal = look.rehearsals[0]
    k = look.names.index("torque-speed LH_Y2")
    load = np.abs(rehearsal.torque[:, 7]) / 2.6 + np.abs(rehearsal.v[:, 13]) / 13.195
    assert look.values[:, k] == pytest.approx(1.0 - load)
    assert look.values.shape == (20, len(look.names))
    assert not look.whose.any()


@pytest.mark.parametrize("bare", [TorqueSpeed(), TorqueSpeed(name="motors"), TorqueSpeed(speed=float("inf"))])
def test_a_bare_torque_speed_takes_the_limits_of_the_motors(bare):
    problem = small.trotting(witnesses=[bare, Reach()])
    found = problem.witnesses[0]
    assert found.torque.tolist() == [2.6] * 12
    assert found.speed.tolist() == [13.195] * 12
    assert found.name == bare.name


@pytest.mark.parametrize(
    "own", [TorqueSpeed(np.full(12, 2.0)), TorqueSpeed(speed=np.full(12, 9.0)), TorqueSpeed(speed={"LF_X1": 9.0})]
)
def test_limits_of_ones_own_stay(own, start):
    problem = small.trotting(witnesses=[own])
    assert problem.witnesses[0] is own
    assert np.isfinite(problem.look(start, 0.1).values).all()


# Properties


def test_looks_are_the_same_bit_for_bit(problem, start):
    assert (problem.look(start, 0.2).values == problem.look(start, 0.2).values).all()
    assert (problem.look(start, 0.2).values == small.trotting().look(start, 0.2).values).all()


def test_it_travels(start):
    problem = small.trotting(width=3, crowd=Crowd({"robot.base.mass": sf.Normal(0.1)}, 2))
    again = pickle.loads(pickle.dumps(problem))
    assert again.width == 3
    assert (again.look(start, 0.1).values == problem.look(start, 0.1).values).all()


def test_stronger_motors_leave_more_room(problem, start):
    strong = problem.with_morphology(problem.morphology.with_motor("*", sf.design.Motor("strong", 9.0, 30.0, 0.067)))
    assert (strong.look(start, 0.2).values >= problem.look(start, 0.2).values - 1e-12).all()
    assert strong.look(start, 0.2).worst > problem.look(start, 0.2).worst


# Edge cases


def test_windows_bring_the_lean_and_the_footing(start):
    look = small.trotting(width=4).look(start, 0.1)
    assert {"roll", "pitch", "footing LF_FOOT"} <= set(look.names)
    assert np.isfinite(look.values).all()


def test_windows_of_a_course_out_of_reach_can_be_looked_at(start):
    """Every sample is there, so that rows of slopes are those of the course."""
    problem = small.trotting(width=3, task=GaitTask(small.TROT, height=0.19, dt=2e-2))
    look = problem.look(start, 0.3)
    assert len(look.values) == 20
    assert look.worst < 0.0


def test_a_task_is_anything_with_a_course_and_parts(start):
    class Stand:
        def course(self, scene, difficulty):
            return GaitTask(small.TROT, dt=4e-2).course(scene, 0.0)

        def parts(self, scene):
            return tuple(foot.name for foot in scene.feet)

    problem = Problem(Morphology("links", [], {"*": "RX-24F"}), Stand())
    assert problem.look([], 1.0).worst > 0.0


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "target"), [("example:a1", "robot.*_thigh.length"), ("example:solo12", "robot.*_UPPER_LEG.length")]
)
def test_a_robot_of_a_urdf_can_be_looked_at(name, target):
    morphology = Morphology(name, [sf.design.Parameter("thighs", target, 0.8, 1.3)])
    look = Problem(morphology, GaitTask(small.TROT, dt=4e-2)).look([1.05], 0.1)
    assert len(look.values) == 10
    assert np.isfinite(look.values).all() or look.worst < 0.0


# Error texts


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"morphology": "links"}, "morphology: expected a Morphology, got 'links'"),
        ({"task": "trot"}, "task: expected a GaitTask or HandTask, got 'trot'"),
        ({"task": None}, "task: expected a GaitTask or HandTask, got None"),
        ({"law": "ice"}, "law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'ice'"),
        ({"law": None}, "law: expected a law such as sf.Coulomb() or its name, got None"),
        ({"width": 0}, "width: expected a whole number of at least 1, got 0"),
        ({"width": 1.5}, "width: expected a whole number of at least 1, got 1.5"),
        ({"crowd": 32}, "crowd: expected a Crowd, got 32"),
        ({"witnesses": 5}, "witnesses: expected a list of them, got 5"),
        ({"witnesses": "reach"}, "witnesses: expected a list of them, got 'reach'"),
    ],
)
def test_bad_problems_are_refused(problem, arguments, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        Problem(**{"morphology": problem.morphology, "task": problem.task, **arguments})


@pytest.mark.parametrize("difficulty", [None, "fast", np.nan, np.inf, [0.1]])
def test_bad_difficulties_are_refused(problem, start, difficulty):
    with pytest.raises(InputError, match=r"^difficulty: expected a finite number, got "):
        problem.look(start, difficulty)


def test_what_cannot_be_done_does_not_pass_because_nobody_looks():
    """Reach and the law's answer are looked at, whatever witnesses are given; slopes of reach lead back."""
    study = bundled()["reconfigurable-small"]
    problem = study.problem(witnesses=[TorqueSpeed()])
    look = problem.look(problem.morphology.start, 0.1)
    assert look.names[0] == "torque-speed LF_X1"
    assert look.worst < 0.0
    assert look.names[int(look.values.min(axis=0).argmin())].startswith("reach ")
    assert improve(problem, [0.1], updates=1).difficulty != 0.1
