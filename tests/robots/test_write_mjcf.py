"""Robots written as MJCF come back as what they were."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError, ModelError
from surefoot.robots.families import FAMILIES, family, with_values
from surefoot.robots.load import load
from surefoot.robots.scene import Note
from tests.robots.files import BALL, TWO_HINGES, from_mjcf, mjcf, tetrahedron, walker, write
from tests.robots.test_packing import ODD
from tests.robots.trees import Grower
from tests.robots.twins import mujoco_error

TOLERANCE = 1e-9


def comes_back(robot, file):
    """Write, read in MuJoCo and in Surefoot, and compare all that a robot is."""
    notes = sf.write_mjcf(robot, file)
    bare = sf.scene(robot, terrain=None).model if not robot.objects else None
    again = load(file, ground=None)
    assert (again.name, again.joints, again.base, again.feet) == (robot.name, robot.joints, robot.base, robot.feet)
    assert np.array_equal(again.torque_limits, robot.torque_limits)
    size = again.nq
    np.testing.assert_allclose(again.home().q, robot.home().q[:size], atol=1e-15)
    for model in (mujoco.MjModel.from_xml_path(str(file)), again.model):
        if bare is not None:
            assert mujoco_error(bare, model) < TOLERANCE
            for field in (
                "jnt_range",
                "jnt_limited",
                "dof_damping",
                "dof_frictionloss",
                "dof_armature",
                "geom_friction",
            ):
                assert np.array_equal(getattr(bare, field), getattr(model, field)), field
    return again, notes


@pytest.mark.parametrize("name", FAMILIES)
def test_bundled_robots_come_back(name, tmp_path):
    _, notes = comes_back(load(name), tmp_path / "robot.xml")
    assert notes == (Note("ignored", "ground", "the ground: left out"),)
    assert os.listdir(tmp_path) == ["robot.xml"]


@settings(max_examples=10)
@given(
    length=st.floats(0.03, 0.3),
    mass=st.floats(0.01, 20.0),
    tare=st.floats(-0.3, 0.3),
    mount=st.floats(-0.05, 0.05),
    armature=st.floats(0.0, 0.1),
)
def test_random_quadrupeds_come_back(tmp_path_factory, length, mass, tare, mount, armature):
    values = {"lf.thigh.length": length, "base.mass": mass, "rh.y3.tare": tare, "rf.mount.1": mount}
    robot = with_values(family("links"), values | {"lh.x1.armature": armature}).scene()
    comes_back(robot, tmp_path_factory.mktemp("quadruped") / "robot.xml")


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_random_trees_come_back(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("tree")
    comes_back(load(write(folder, Grower(seed).tree(), "tree.xml"), ground=None), folder / "again.xml")


def test_a_written_file_says_every_bit(tmp_path):
    robot = from_mjcf(tmp_path, **ODD)
    sf.write_mjcf(robot, tmp_path / "again.xml")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    bare = sf.scene(robot, terrain=None).model
    for field in ("body_mass", "body_inertia", "body_ipos", "body_iquat", "body_pos", "qpos0", "jnt_range", "key_qpos"):
        assert np.array_equal(getattr(again, field), getattr(bare, field)), field
    assert (again.ntendon, again.neq, again.nu) == (1, 2, 2)


def test_ground_and_loose_objects_stay_behind(tmp_path):
    ground = sf.HeightMap(seed=3, size=(1.0, 1.0), cell=0.1, hills=20, mu=(0.1, 0.9))
    box = sf.Box(size=(0.1, 0.1, 0.1), mass=1.0, position=(1, 0, 1))
    robot = sf.load("links")
    again, notes = comes_back(sf.scene(robot, terrain=ground, objects=[box]), tmp_path / "robot.xml")
    assert [note.what for note in notes] == ["ground", "box"]
    assert (again.objects, again.nq, again.model.nhfield) == ((), robot.nq, 0)
    assert mujoco_error(sf.scene(robot, terrain=None).model, again.model) == 0.0


def test_a_second_writing_is_the_same_text(tmp_path):
    sf.write_mjcf(sf.load("links-light"), tmp_path / "one.xml")
    sf.write_mjcf(load(tmp_path / "one.xml"), tmp_path / "two.xml")
    assert (tmp_path / "one.xml").read_text() == (tmp_path / "two.xml").read_text()


def test_keyframes_follow_the_home_pose(tmp_path):
    key = '<keyframe><key name="home" qpos="0.3 0.4 0 0 9 1 0 0 0" time="2"/></keyframe>'
    robot = from_mjcf(tmp_path, TWO_HINGES + BALL.format("ball", 3), key)
    assert robot.objects == ("ball",)
    robot.rest_at([0.1, 0.2, 0, 0, 3, 1, 0, 0, 0])
    sf.write_mjcf(robot, tmp_path / "again.xml")
    again = load(tmp_path / "again.xml")
    np.testing.assert_array_equal(again.home().q, [0.1, 0.2])
    assert [again.model.key(k).name for k in range(2)] == ["home_", "home"]
    np.testing.assert_array_equal(again.model.key("home").qpos, [0.3, 0.4])
    assert again.model.key("home").time[0] == 2


def test_passive_joints_and_named_feet_are_told(tmp_path):
    robot = load(write(tmp_path, walker()), passive=["left_hip"], feet=["left_foot"])
    again, _ = comes_back(robot, tmp_path / "again.xml")
    assert again.joints == ("right_hip", "hind_hip")
    assert [foot.name for foot in load(tmp_path / "again.xml", feet=["hind_foot"]).feet] == ["hind_foot"]
    assert load(tmp_path / "again.xml", passive=["right_hip"]).joints == ("hind_hip",)


def test_odd_names_are_told(tmp_path):
    names = {'"shoulder"': '"a|b;c &lt;%3B&gt;"', '"elbow"': '"]]&gt;&quot;"', '"l"': '"ü 1"'}
    text = mjcf(TWO_HINGES)
    for old, new in names.items():
        text = text.replace(old, new)
    robot = load(write(tmp_path, text, "odd.xml"), feet=["ü 1"])
    assert robot.joints == ("a|b;c <%3B>", ']]>"')
    comes_back(robot, tmp_path / "again.xml")


def test_a_robot_without_motors_and_feet_has_none_again(tmp_path):
    robot = from_mjcf(tmp_path, TWO_HINGES, passive=["shoulder", "elbow"])
    again, _ = comes_back(robot, tmp_path / "again.xml")
    assert (again.joints, again.feet) == ((), ())


def test_meshes_go_along(tmp_path):
    home, away = tmp_path / "home", tmp_path / "away"
    write(home, tetrahedron(), "a/tetra.stl")
    write(home, tetrahedron(0.2), "b/tetra.stl")
    meshes = '<asset><mesh name="m" file="a/tetra.stl"/><mesh name="n" file="b/tetra.stl"/></asset>'
    arm = '<body name="arm"><joint name="j"/><geom type="mesh" mesh="m"/><geom type="mesh" mesh="n"/></body>'
    robot = from_mjcf(home, arm, before=meshes)
    away.mkdir()
    sf.write_mjcf(robot, away / "arm.xml")
    assert sorted(file.name for file in (away / "arm_files").iterdir()) == ["tetra.stl", "tetra_2.stl"]
    code = "import mujoco, sys; print(*mujoco.MjModel.from_xml_path(sys.argv[1]).body_inertia[1].tolist())"
    (home / "a" / "tetra.stl").unlink()
    run = [sys.executable, "-c", code, "arm.xml"]  # a new process: MuJoCo keeps files that it has read once
    shown = subprocess.run(run, cwd=away, capture_output=True, text=True, check=True).stdout
    np.testing.assert_array_equal([float(x) for x in shown.split()], robot.model.body_inertia[1])


@pytest.mark.real
@pytest.mark.parametrize("name", ["solo12", "a1", "talos", "panda"])
def test_real_robots_come_back(name, tmp_path):
    robot = load(f"example:{name}")
    again, _ = comes_back(robot, tmp_path / "robot.xml")
    assert np.array_equal(again.model.mesh_vert, robot.model.mesh_vert)


@pytest.mark.parametrize("write_it", [sf.write_mjcf, sf.write_urdf])
def test_bad_arguments(write_it, tmp_path, links):
    ball = sf.scene(objects=[sf.Ball(radius=0.1, mass=1.0, position=(0, 0, 1))])
    missing = tmp_path / "missing"
    cases = [
        (("links", "r.xml"), "robot: expected a robot from load(), got str"),
        ((ball, tmp_path / "r.xml"), f"robot: expected a scene with a robot in it, got {ball!r}"),
        ((links, None), "path: expected the path of a file, got None"),
        ((links, ""), "path: expected the path of a file, got ''"),
        ((links, "a\0b"), "path: expected the path of a file, got one with a null character in it"),
        ((links, tmp_path), f"path: expected a file, got the folder {str(tmp_path)!r}"),
        ((links, missing / "r.xml"), f"path: the folder {str(missing)!r} does not exist"),
    ]
    for arguments, text in cases:
        with pytest.raises(InputError) as error:
            write_it(*arguments)
        assert str(error.value) == text


@pytest.mark.parametrize("write_it", [sf.write_mjcf, sf.write_urdf])
def test_a_disk_that_refuses(write_it, tmp_path, links):
    target = tmp_path / ("r" * 300)
    with pytest.raises(InputError) as error:
        write_it(links, target)
    assert str(error.value) == f"path: {str(target)!r} cannot be written: File name too long"


def test_a_mesh_that_has_gone(tmp_path):
    write(tmp_path, tetrahedron(), "tetra.stl")
    arm = '<body name="arm"><joint name="j"/><geom type="mesh" mesh="tetra"/></body>'
    robot = from_mjcf(tmp_path, arm, before='<asset><mesh file="tetra.stl"/></asset>')
    (tmp_path / "tetra.stl").unlink()
    with pytest.raises(ModelError, match=r"^robot: MuJoCo cannot compile this model: Error opening file 'tetra.stl'$"):
        sf.write_mjcf(robot, tmp_path / "again.xml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('name="surefoot_joints" data="knee"', "its text 'surefoot_joints' names 'knee', but no joint is called so"),
        (
            'name="surefoot_joints" data="ball_free"',
            "its text 'surefoot_joints' names 'ball_free', a joint with several axes",
        ),
        ('name="surefoot_feet" data="a|b|c"', "its text 'surefoot_feet' names 'b', but no body is called so"),
        ('name="surefoot_feet" data="a|lower|c"', "its text 'surefoot_feet' names 'c', but no geom is called so"),
        ('name="surefoot_feet" data="a"', "its text 'surefoot_feet' needs NAME|BODY|GEOM|... for each foot, got 'a'"),
    ],
)
def test_texts_that_tell_nonsense(tmp_path, text, problem):
    with pytest.raises(ModelError) as error:
        from_mjcf(tmp_path, TWO_HINGES + BALL.format("ball", 3), f"<custom><text {text}/></custom>")
    assert str(error.value) == f"{tmp_path / 'robot.xml'}: {problem}"
