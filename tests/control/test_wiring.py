"""Wiring mistakes: each is found when the pipeline is built, in these words."""

import re

import pytest

import surefoot as sf
from surefoot.control import Stage, Value

PERCEPTION, PLANNING, CONTROL = "perception", "planning", "control"


def nothing(board, t):
    pass


def made(name, phase=CONTROL, reads=(), writes=(), adds=()):
    return Stage(name, phase, reads=reads, writes=writes, adds=adds, function=nothing)


GOALS = made("goals", PLANNING, writes=("joint_position", "joint_velocity"))
GAIT = made("gait", PLANNING, writes=(Value("lift", ("feet",), "m"),))
FEEDBACK = made("feedback", reads=("joint_position", "q"), adds=("torque",))
LIMITS = made("limits", reads=("torque",), writes=("torque",))

FINE = {
    "nothing": [],
    "a goal and its feedback": [GOALS, FEEDBACK],
    "two that add": [GOALS, FEEDBACK, made("push", adds=("torque",))],
    "two that change the sum": [GOALS, FEEDBACK, LIMITS, made("late", reads=("torque",), writes=("torque",))],
    "a noisy sensor": [made("noise", PERCEPTION, reads=("q", "v"), writes=("q", "v"))],
    "a value by name that another declares": [GAIT, made("look", reads=("lift",))],
    "the same value in full": [GAIT, made("look", reads=(Value("lift", (4,), "m"),))],
    "a value of its own that adds up": [
        made("wind", adds=(Value("force", (3,), "N"),)),
        made("rain", adds=("force",)),
        made("body", reads=("force",), adds=("torque",)),
    ],
}

MISTAKES = {
    "order of phases": (
        [FEEDBACK, GOALS],
        "stages: 'goals' (planning) stands after 'feedback' (control); the order is perception, planning, control",
    ),
    "read, never written": (
        [FEEDBACK],
        "stages: 'feedback' reads 'joint_position', which no stage before it writes",
    ),
    "read before it is written": (
        [made("look", PLANNING, reads=("joint_position",)), GOALS],
        "stages: 'look' reads 'joint_position', which no stage before it writes; 'goals' does so after it",
    ),
    "a sum that nobody adds to": ([LIMITS], "stages: 'limits' reads 'torque', which no stage before it writes"),
    "two writers": (
        [GOALS, made("more", PLANNING, writes=("joint_position",))],
        "stages: 'goals' and 'more' both write 'joint_position'; "
        "leave one out, or name it in reads as well to change it",
    ),
    "over what is given": (
        [made("estimate", PERCEPTION, writes=("v",))],
        "stages: the pipeline and 'estimate' both write 'v'; leave one out, or name it in reads as well to change it",
    ),
    "shape of a known value": (
        [made("push", adds=(Value("torque", (3,), "N m"),))],
        "stages: 'torque' is (12,) in N m for the blackboard of 'links', but (3,) in N m for 'push'",
    ),
    "unit of a known value": (
        [made("degrees", PLANNING, writes=(Value("joint_position", ("joints",), "deg"),))],
        "stages: 'joint_position' is (12,) in rad for the blackboard of 'links', but (12,) in deg for 'degrees'",
    ),
    "shape of another stage's value": (
        [GAIT, made("look", reads=(Value("lift", (2,), "m"),))],
        "stages: 'lift' is (4,) in m for 'gait', but (2,) in m for 'look'",
    ),
    "unit of another stage's value": (
        [GAIT, made("look", reads=(Value("lift", (4,), "mm"),))],
        "stages: 'lift' is (4,) in m for 'gait', but (4,) in mm for 'look'",
    ),
    "written in a wrong phase": (
        [made("late", CONTROL, writes=("joint_position",))],
        "stages: 'late' (control) writes 'joint_position', which is for planning",
    ),
    "added in a wrong phase": (
        [made("early", PLANNING, adds=("torque",))],
        "stages: 'early' (planning) adds to 'torque', which is for control",
    ),
    "written in neither of two phases": (
        [made("late", CONTROL, writes=("command",))],
        "stages: 'late' (control) writes 'command', which is for perception or planning",
    ),
    "a sum is written": (
        [made("push", writes=("torque",))],
        "stages: 'push' writes 'torque', which is added to; name it in adds, or in reads and writes to change the sum",
    ),
    "another stage's sum is written": (
        [GOALS, FEEDBACK, made("push", writes=("torque",))],
        "stages: 'push' writes 'torque', which is added to by 'feedback'; "
        "name it in adds, or in reads and writes to change the sum",
    ),
    "what is written is added to": (
        [GOALS, made("more", PLANNING, adds=("joint_position",))],
        "stages: 'more' adds to 'joint_position', which is written by 'goals' and does not add up",
    ),
    "what is known as written is added to": (
        [made("more", PLANNING, adds=("joint_position",))],
        "stages: 'more' adds to 'joint_position', which is written and does not add up",
    ),
    "a stage's own value, written and added": (
        [GAIT, made("more", PLANNING, adds=("lift",))],
        "stages: 'more' adds to 'lift', which is written by 'gait' and does not add up",
    ),
    "added after it was read": (
        [GOALS, FEEDBACK, LIMITS, made("push", adds=("torque",))],
        "stages: 'push' adds to 'torque' after 'limits' has read it; put it before",
    ),
    "one name twice": ([GOALS, GOALS], "stages: two stages are called 'goals'; give one another name"),
    "no stage": ([GOALS, 3], "stages: expected Stages (see sf.control.stage), got int"),
}


@pytest.mark.parametrize("name", FINE)
def test_is_in_order(links, name):
    assert sf.control.Pipeline(links, 1e-3, FINE[name]).stages == tuple(FINE[name])


@pytest.mark.parametrize("name", MISTAKES)
def test_is_refused_in_these_words(links, name):
    stages, text = MISTAKES[name]
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        sf.control.Pipeline(links, 1e-3, stages)


def test_a_name_that_nobody_declares_has_a_hint(links):
    with pytest.raises(sf.InputError) as error:
        sf.control.Pipeline(links, 1e-3, [made("push", adds=("torqe",))])
    text = "stages: 'push': no value is called 'torqe'; did you mean 'torque'? The choices are: torque, time, q, v, "
    assert str(error.value).startswith(text)


def test_a_stage_made_for_another_robot_is_refused(links):
    arm = sf.load("arm")
    text = "stages: 'joint_position' is (12,) in rad for the blackboard of 'links', but "
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}.* for 'hold'$"):
        sf.control.Pipeline(links, 1e-3, [sf.control.Hold(arm)])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((None, 1e-3, []), "robot: expected a robot or scene (see sf.load), got NoneType"),
        (("robot", 1e-3, GOALS), "stages: expected a list of Stages, got Stage"),
        (("robot", 1e-3, 3), "stages: expected a list of Stages, got int"),
    ],
)
def test_arguments(links, arguments, text):
    robot = links if arguments[0] == "robot" else arguments[0]
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        sf.control.Pipeline(robot, *arguments[1:])
