"""Studies in TOML files."""

import pytest

import surefoot as sf
from surefoot.design import read_study
from surefoot.errors import InputError

STUDY = """
robot = "links"
note = "short thighs"
[task]
gait = "trot"
duty = 0.6
step_height = 0.02
dt = 0.01
speed = 0.3
first = 0.1
[motors]
"*" = "RX-24F"
"?H_Y2" = {torque = 5.0, speed = 7.0, mass = 0.1}
[choices]
"?H_Y2" = ["MX-64"]
[[parameter]]
name = "front thigh length"
targets = ["robot.lf.thigh.length", "robot.rf.thigh.length"]
low = 0.05
high = 0.2
"""
ROBOT = """
<mujoco><worldbody><body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0"/>
<geom name="upper" type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="1"/>
<body name="lower" pos="0.3 0 0"><joint name="b" axis="0 1 0"/>
<geom name="lower" type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="1"/>
<geom name="tip" type="sphere" pos="0.3 0 0" size="0.02" mass="0.1"/></body></body></worldbody></mujoco>
"""
HAND = """
robot = "arm.xml"
[task]
part = "tip"
points = [[0.45, 0, 1.1], [0.45, 0, 0.9]]
duration = 1.0
speed = 2.0
first = 1.0
step = 1.0
[motors]
"*" = {torque = 5.5, speed = 12.0}
[[parameter]]
name = "lower mass"
targets = "robot.lower.mass"
low = 0.2
high = 1.5
"""


def written(folder, text, name="study.toml"):
    path = folder / name
    path.write_text(text)
    return path


def test_a_bundled_robot(tmp_path):
    found = read_study(written(tmp_path, STUDY))
    assert (found.name, found.note, found.speed) == ("study", "short thighs", 0.3)
    assert found.difficulties() == [0.1, 0.2, 0.3]
    morphology = found.problem().morphology
    assert morphology.motor("LF_X1").name == "RX-24F"
    assert (morphology.motor("LH_Y2").torque, morphology.motor("LH_Y2").mass) == (5.0, 0.1)
    assert found.choices == {"?H_Y2": ["MX-64"]}
    assert found.task.gait.duty == 0.6


def test_a_robot_of_ones_own_and_its_hand(tmp_path):
    """It is improved like any other."""
    written(tmp_path, ROBOT, "arm.xml")
    found = read_study(written(tmp_path, HAND))
    problem = found.problem()
    assert found.difficulties() == [1.0, 2.0]
    assert problem.look(problem.morphology.start, 1.0).names[0] == "reach tip"
    before = problem.look(problem.morphology.start, 2.0)
    assert before.worst < 0.0
    result = sf.design.improve(problem, [2.0], updates=5)
    assert problem.look(result.p, 2.0).merit > before.merit


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('robot = "links"', "robot = 3", "robot: expected a bundled name or the path of a robot's file, got 3"),
        (
            "note = ",
            "nothing = ",
            "nothing: no such key; expected one of robot, feet, floating, task, motors, choices, ",
        ),
        ("duty = 0.6", "dutty = 0.6", "task.dutty: no such key; expected one of gait, period, duty, "),
        ("[[parameter]]", "[parameter]", "parameter: expected one or more [[parameter]] tables, got none"),
        ("low = 0.05", "low = 0.5", "parameter 'front thigh length': expected low below high, got 0.5 and 0.2"),
        ("low = 0.05", "", "parameter 1: expected 'low', got name, targets, high"),
        ('"RX-24F"', '"RX-25"', "motors.*: expected one of 'RX-24F', 'MX-64', 'MX-64 at 14.8 V', 'hobby servo', got "),
        ("torque = 5.0, ", "", "motors.?H_Y2: expected torque and speed, got speed, mass"),
        ('["MX-64"]', '"MX-64"', "choices.?H_Y2: expected a list of motors, got 'MX-64'"),
        ("speed = 0.3", "speed = -0.3", "task.speed: expected a number above 0, got -0.3"),
        ('gait = "trot"', 'gait = "hop"', "gait: expected one of 'trot', 'walk', 'pace', 'bound', got 'hop'"),
    ],
)
def test_errors_name_the_key(tmp_path, old, new, text):
    with pytest.raises(InputError) as error:
        read_study(written(tmp_path, STUDY.replace(old, new, 1)))
    assert str(error.value).startswith(f"study.toml: {text}")


def test_a_hand_without_points(tmp_path):
    written(tmp_path, ROBOT, "arm.xml")
    with pytest.raises(InputError, match=r"study\.toml: task\.duration: expected it beside task\.part, got none"):
        read_study(written(tmp_path, HAND.replace("duration = 1.0\n", "")))


def test_no_file(tmp_path):
    with pytest.raises(InputError):
        read_study(tmp_path / "none.toml")
