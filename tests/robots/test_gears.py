import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError


def inertia(robot):
    data = mujoco.MjData(robot.model)
    robot.home().to_mujoco(data)
    mujoco.mj_forward(robot.model, data)
    M = np.zeros((robot.nv, robot.nv))
    mujoco.mj_fullM(robot.model, data, M)
    return M


def test_a_rotor_is_felt_with_the_square_of_its_gear():
    robot = sf.load("links")
    strong = sf.geared(robot, {"LF_Y2": (50.0, 1e-6), "RH_Y3": (-100.0, 2e-6)})
    added = np.zeros(robot.nv)
    added[robot.dofs[robot.joints.index("LF_Y2")]] = 2.5e-3
    added[robot.dofs[robot.joints.index("RH_Y3")]] = 2e-2
    assert inertia(strong) - inertia(robot) == pytest.approx(np.diag(added), abs=1e-12)
    assert not robot.model.dof_armature.any()


def test_it_adds_to_the_files_armature_and_keeps_the_rest(tmp_path):
    path = tmp_path / "hinge.xml"
    path.write_text("""<mujoco model="hinge"><option gravity="0 0 0"/><worldbody><body>
      <joint name="j" axis="0 0 1" armature="0.5"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
      <keyframe><key qpos="0.3" qvel="0.2"/></keyframe></mujoco>""")
    plain = sf.load(path)
    strong = sf.geared(plain, {"j": (10.0, 0.01)})
    for robot, whole in ((plain, 1.5), (strong, 2.5)):
        answer = sf.inverse_dynamics(robot, robot.home(), [2.0], dt=1e-3)
        assert answer.torque == pytest.approx([2.0 * whole])
    assert (strong.joints, strong.base, strong.notes) == (plain.joints, plain.base, plain.notes)
    assert strong.home().q == pytest.approx(plain.home().q)
    assert strong.home().v == pytest.approx(plain.home().v)


def test_roles_stay():
    robot = sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.3), objects=[sf.Ball(radius=0.05, mass=1.0)])
    strong = sf.geared(robot, {"LF_X1": (2.0, 1e-3)})
    assert (strong.feet, strong.objects, strong.surfaces) == (robot.feet, robot.objects, robot.surfaces)
    assert strong.home().q == pytest.approx(robot.home().q)


@pytest.mark.parametrize(
    ("gears", "text"),
    [
        ({"LF_Y9": (1.0, 1.0)}, "gears: no actuated joint is called 'LF_Y9'; did you mean 'LF_Y3'?"),
        ({"LF_Y2": 3.0}, r"gears\['LF_Y2'\]: expected \(gear, rotor inertia\), got 3.0"),
        ({"LF_Y2": (1.0, -1.0)}, r"gears\['LF_Y2'\] rotor inertia: expected a number of at least 0, got -1"),
        ({"LF_Y2": (np.nan, 1.0)}, r"gears\['LF_Y2'\] gear: expected a finite number, got nan"),
        ([1.0], r"gears: expected a dict of joint name to \(gear, rotor inertia\), got list"),
    ],
)
def test_what_is_no_gear(gears, text):
    with pytest.raises(InputError, match=f"^{text}"):
        sf.geared(sf.load("links"), gears)


def test_what_is_no_robot():
    with pytest.raises(InputError, match=r"^robot: expected a robot or scene \(see sf.load\), got str$"):
        sf.geared("links", {})
