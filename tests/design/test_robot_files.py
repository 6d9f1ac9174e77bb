"""Improved robots written as files: MuJoCo and Pinocchio read the same robot, with the limits of its motors."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from surefoot.design import Morphology, Problem
from surefoot.design.improvement import Improvement
from surefoot.design.robot_files import fitted, write_robots
from surefoot.errors import InputError
from surefoot.robots.load import load
from tests.design.small import arm, part, resting, trotting, upper
from tests.robots.twins import mujoco_error, pinocchio_error, poses
from tests.traces.small import scene

TOLERANCE = 1e-9
MOTORS = {"*": "RX-24F", "?H_Y2": "MX-64"}
SERVOS = """
<body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0" actuatorfrcrange="-1 1" actuatorfrclimited="true"/>
  <geom name="upper" type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.7"/>
  <body name="lower" pos="0.3 0 0"><joint name="b" axis="0 1 0"/>
    <geom name="lower" type="box" pos="0.11 0 0" size="0.09 0.015 0.01" mass="0.4"/></body></body>
"""


def ended(problem, p):
    """As if `improve` had come to `p`."""
    return Improvement(problem, problem.morphology.start, np.array(p), 0.2, 0.2, 0.0, (), "", 0)


@pytest.fixture
def walker():
    lengths = [part(end, "thigh.length", 0.05, 0.2) for end in ("front", "hind")]
    problem = trotting([*lengths, part("hind", "shank.mass", 0.05, 0.2)])
    problem = problem.with_morphology(Morphology("links", problem.morphology.parameters, MOTORS))
    return ended(problem, [0.0912, 0.1234, 0.0789])


def test_both_files_are_the_robot_to_every_digit(walker, tmp_path):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    notes = write_robots(walker, tmp_path / "new" / "folder")
    xml, urdf = (tmp_path / "new" / "folder" / name for name in ("robot.xml", "robot.urdf"))
    ours, morphology = walker.scene, walker.morphology
    # MuJoCo, MJCF
    theirs = mujoco.MjModel.from_xml_path(str(xml))
    assert mujoco_error(ours.model, theirs) < TOLERANCE
    assert np.array_equal(load(xml).torque_limits, np.stack([-morphology.torque, morphology.torque], axis=1))
    # MuJoCo, URDF
    names = [foot.name for foot in ours.feet]
    again = load(urdf, floating=True, ground=None, feet=names)
    assert mujoco_error(ours.model, again.model, armature=False) < TOLERANCE
    assert mujoco.MjModel.from_xml_path(str(urdf)).nv == ours.nv - 6
    # Pinocchio, URDF
    model = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer())
    assert pinocchio_error(ours, pin, model) < TOLERANCE
    data = model.createData()
    for q in poses(ours.model):
        pin.framesForwardKinematics(model, data, ours.to_pinocchio(q, np.zeros(ours.nv), pin_model=model)[0])
        mine = mujoco.MjData(ours.model)
        mine.qpos[:] = q
        mujoco.mj_kinematics(ours.model, mine)
        for foot in ours.feet:
            frame = data.oMf[model.getFrameId(foot.name)]
            np.testing.assert_allclose(frame.translation, mine.geom(foot.geoms[0]).xpos, atol=TOLERANCE, rtol=0)
    for name, torque, speed in zip(ours.joints, morphology.torque, morphology.speed, strict=True):
        place = model.joints[model.getJointId(name)].idx_v
        assert (model.effortLimit[place], model.velocityLimit[place]) == (torque, speed)
    assert [note.detail for note in notes if note.what == ", ".join(ours.joints)] == [
        "MJCF has no word for the largest speed of a motor"
    ]


def test_the_parameters_are_in_the_file(walker, tmp_path):
    write_robots(walker, tmp_path)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    for leg, length in (("LF", 0.0912), ("RF", 0.0912), ("LH", 0.1234), ("RH", 0.1234)):
        assert np.linalg.norm(model.body(f"{leg}_SHANK").pos) == pytest.approx(length, abs=1e-15)
    assert model.body("LH_SHANK").mass == pytest.approx(0.0789, abs=1e-15)


@pytest.mark.parametrize(
    "actuator",
    [
        "",
        '<motor name="m" joint="a" gear="-20" ctrlrange="-1 1" ctrllimited="true" forcerange="-3 3"/>',
        '<position name="m" joint="a" kp="30" gear="2"/>',
    ],
)
def test_every_kind_of_actuator_gets_the_motors_torque(actuator):
    robot = scene(SERVOS, f"<actuator>{actuator}</actuator>", joints=("a", "b"))
    morphology = Morphology(robot, [], {"a": "MX-64"}, terrain="keep")
    limits = fitted(robot, morphology).torque_limits
    np.testing.assert_allclose(limits[0], [-6.0, 6.0])
    assert np.isinf(limits[1]).all()
    assert not np.array_equal(robot.torque_limits[0], limits[0])  # and the scene is as it was


def test_an_arm_without_motors_is_written_as_it_is(tmp_path):
    problem = Problem(Morphology(arm(), [upper()]), resting())
    notes = write_robots(ended(problem, [0.35]), tmp_path)
    again = load(tmp_path / "robot.xml")
    assert mujoco_error(problem.morphology.scene([0.35]).model, again.model) < TOLERANCE
    assert not any("largest speed of a motor" in note.detail for note in notes)


def test_a_heavier_motor_is_in_the_file(walker, tmp_path):
    problem = walker.problem.with_morphology(walker.morphology.with_motor("LF_Y2", "MX-64"))
    write_robots(replace(walker, problem=problem), tmp_path)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    assert model.body_mass.sum() - walker.scene.mass == pytest.approx(0.126 - 0.067, abs=1e-12)


def test_a_folder_that_cannot_be_made(walker, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^folder: '.*file' cannot be made: File exists$"):
        write_robots(walker, tmp_path / "file")
