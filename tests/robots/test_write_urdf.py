"""Robots written as URDF: Pinocchio is the oracle, MuJoCo's and Surefoot's own readers follow."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError, ModelError
from surefoot.robots import poses
from surefoot.robots.families import FAMILIES, family, with_values
from surefoot.robots.load import load
from tests.robots.files import BALL, TWO_HINGES, from_mjcf, inertial, robot, shape, tetrahedron, walker, write
from tests.robots.files import joint as urdf_joint
from tests.robots.files import link as urdf_link
from tests.robots.trees import Grower
from tests.robots.twins import mujoco_error, pinocchio_error, quantities

TOLERANCE = 1e-9
HEAVY = '<inertial pos="0.02 0.01 -0.1" mass="1.3" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>'


def in_pinocchio(scene, file):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    root = () if scene.base is None else (pin.JointModelFreeFlyer(),)
    return pin, pin.buildModelFromUrdf(str(file), *root)


def agrees(scene, file, **wishes):
    """Write it and read it thrice; return what Surefoot reads and the notes."""
    notes = sf.write_urdf(scene, file)
    pin, pin_model = in_pinocchio(scene, file)
    assert pinocchio_error(scene, pin, pin_model) < TOLERANCE
    for name, (low, high) in zip(scene.joints, scene.torque_limits, strict=True):
        place = pin_model.joints[pin_model.getJointId(name)]
        bounds = scene.model.joint(name)
        if -low == high < np.inf:
            assert pin_model.effortLimit[place.idx_v] == high
        if scene.model.jnt_limited[bounds.id]:
            stops = [pin_model.lowerPositionLimit[place.idx_q], pin_model.upperPositionLimit[place.idx_q]]
            np.testing.assert_array_equal(stops, bounds.range)
        assert pin_model.damping[place.idx_v] == scene.model.dof_damping[bounds.dofadr[0]]
        assert pin_model.friction[place.idx_v] == scene.model.dof_frictionloss[bounds.dofadr[0]]
    again = load(file, floating=scene.base is not None, ground=None, **wishes)
    assert mujoco_error(scene.model, again.model, armature=False) < TOLERANCE
    assert (again.base, again.joints) == (scene.base, scene.joints)
    theirs = mujoco.MjModel.from_xml_path(str(file))
    assert theirs.nv == scene.nv - (6 if scene.base is not None else 0)
    assert {theirs.body(b).name for b in range(theirs.nbody)} == {
        again.model.body(b).name for b in range(again.model.nbody)
    }
    return again, notes


@pytest.mark.parametrize("name", FAMILIES)
def test_bundled_robots(name, tmp_path):
    scene = load(name)
    feet = [foot.name for foot in scene.feet]
    again, _ = agrees(scene, tmp_path / "robot.urdf", feet=feet)
    assert np.array_equal(again.torque_limits, scene.torque_limits)
    assert [foot.name for foot in again.feet] == feet
    for q in (scene.home().q, scene.model.qpos0):
        data, other = mujoco.MjData(scene.model), mujoco.MjData(again.model)
        data.qpos[:], other.qpos[:] = q, q
        mujoco.mj_kinematics(scene.model, data)
        mujoco.mj_kinematics(again.model, other)
        for mine, theirs in zip(scene.feet, again.feet, strict=True):
            np.testing.assert_allclose(
                other.geom(theirs.geoms[0]).xpos, data.geom(mine.geoms[0]).xpos, atol=1e-12, rtol=0
            )


@settings(max_examples=10)
@given(
    length=st.floats(0.03, 0.3),
    mass=st.floats(0.01, 20.0),
    tare=st.floats(-0.3, 0.3),
    mount=st.floats(-0.05, 0.05),
    tilt=st.floats(-0.2, 0.2),
)
def test_random_quadrupeds(tmp_path_factory, length, mass, tare, mount, tilt):
    values = {"lf.thigh.length": length, "base.mass": mass, "rh.y3.tare": tare, "rf.mount.1": mount}
    scene = with_values(family("links-light"), values | {"lh.x1.axis.1": tilt}).scene()
    agrees(scene, tmp_path_factory.mktemp("quadruped") / "robot.urdf")


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_random_trees(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("tree")
    scene = load(write(folder, Grower(seed).tree(), "tree.xml"), ground=None)
    again, _ = agrees(scene, folder / "tree.urdf")
    assert np.array_equal(again.torque_limits, scene.torque_limits)
    for name in scene.joints:
        if scene.model.jnt_limited[scene.model.joint(name).id]:
            assert np.array_equal(again.model.joint(name).range, scene.model.joint(name).range)
    if scene.base is None:
        theirs = mujoco.MjModel.from_xml_path(str(folder / "tree.urdf"))
        assert mujoco_error(scene.model, theirs, armature=False) < TOLERANCE


@pytest.mark.real
@pytest.mark.parametrize("name", ["solo12", "a1", "talos", "panda", "ur5"])
def test_real_robots(name, tmp_path):
    scene = load(f"example:{name}")
    again, _ = agrees(scene, tmp_path / f"{name}.urdf")
    assert [foot.body for foot in again.feet] == [foot.body for foot in scene.feet]
    touching = [g for g in range(scene.model.ngeom) if scene.model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]
    if touching:
        np.testing.assert_allclose(mesh_points(again.model), mesh_points(scene.model), atol=1e-6)


def mesh_points(model):
    """Corners of the box around all vertices of each body's collision meshes, at zero, in the world."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    found = {}
    for g in range(model.ngeom):
        if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH and model.geom_contype[g]:
            m = model.geom_dataid[g]
            points = model.mesh_vert[model.mesh_vertadr[m] : model.mesh_vertadr[m] + model.mesh_vertnum[m]]
            world = points @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
            found.setdefault(model.body(model.geom_bodyid[g]).name, []).append([world.min(axis=0), world.max(axis=0)])
    return np.array([np.mean(found[name], axis=0) for name in sorted(found)])


def test_zeros_and_anchors_that_are_not_at_the_origin(tmp_path):
    world = (
        '<body name="one" pos="0.1 0.2 0.3" euler="10 90 -20"><joint name="a" axis="1 2 3" pos="0.05 0 -0.1" ref="25" '
        f'range="-30 60"/>{HEAVY}<body name="two" pos="0 0.1 0" quat="0.5 -0.5 0.5 0.5">'
        f'<joint name="b" type="slide" axis="0 1 1" ref="0.3" range="-1 1" pos="1 2 3"/>{HEAVY}'
        f'<body name="three" euler="0 -90 40"><joint name="c" axis="0 0 -1" ref="-70"/>{HEAVY}</body></body></body>'
    )
    scene = from_mjcf(tmp_path, world)
    again, notes = agrees(scene, tmp_path / "robot.urdf")
    assert [again.model.body(b).name for b in range(again.model.nbody)] == ["world", "one_of_a", "one", "two", "three"]
    assert "one_of_a" not in {note.what for note in notes}


def test_several_joints_of_one_body(tmp_path):
    joints = (
        '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0" pos="0 0 0.1" ref="20"/>'
        '<joint name="z" axis="0 0 1" pos="0.2 0 0"/>'
    )
    scene = from_mjcf(tmp_path, f'<body name="one" pos="0 0 1" euler="20 30 40">{joints}{HEAVY}</body>')
    again, notes = agrees(scene, tmp_path / "robot.urdf")
    between = [note.what for note in notes if "between two joints" in note.detail]
    assert between == ["one_of_x, one_of_y"]
    assert again.model.body("one_of_z").mass == 0


def test_shapes(tmp_path):
    shapes = (
        '<geom name="ball" size="0.1" pos="1 0 0"/><geom name="box" type="box" size="0.1 0.2 0.3" euler="10 20 30"/>'
        '<geom name="rod" type="cylinder" size="0.1 0.2" pos="0 0 1"/>'
        '<geom name="pill" type="capsule" fromto="0 0 0 0.3 0 0.4" size="0.05"/>'
        '<geom name="egg" type="ellipsoid" size="0.1 0.2 0.3" contype="0" conaffinity="0"/>'
    )
    scene = from_mjcf(tmp_path, f'<body name="one"><joint name="j"/>{HEAVY}{shapes}</body>')
    again, notes = agrees(scene, tmp_path / "robot.urdf")
    model = again.model
    colliding = np.flatnonzero(model.geom_contype)
    kinds = [mujoco.mjtGeom(int(model.geom_type[g])).name[7:] for g in colliding]
    assert kinds == ["SPHERE", "BOX", "CYLINDER", "CYLINDER", "SPHERE", "SPHERE"]
    np.testing.assert_allclose(model.geom_size[colliding[1]], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(model.geom_size[colliding[3]], [0.05, 0.25, 0])
    np.testing.assert_allclose(sorted(model.geom_pos[colliding[4:], 0]), [0.0, 0.3], atol=1e-15)
    assert len(model.geom_contype) == 12
    detail = "left out, though only to look at: URDF has no ellipsoid"
    assert [note.what for note in notes if note.detail == detail] == ["egg"]


def test_joints_without_bounds_have_none_again(tmp_path):
    world = TWO_HINGES.replace('name="elbow"', 'name="elbow" type="slide"').replace("/>", ' range="-1 1"/>', 1)
    scene = from_mjcf(tmp_path, world)
    again, notes = agrees(scene, tmp_path / "again.urdf")
    assert np.array_equal(again.torque_limits, scene.torque_limits)
    assert not np.isfinite(again.torque_limits).any()
    assert again.model.jnt_limited.tolist() == [True, False]
    detail = "a URDF must name its effort, velocity, lower, upper, and it has none; 1e+30 was written"
    assert [note.what for note in notes if note.detail == detail] == ["elbow"]


def test_speeds_and_efforts(tmp_path):
    motors = '<motor joint="elbow" gear="2" ctrllimited="true" ctrlrange="-3 5"/><motor joint="shoulder"/>'
    scene = from_mjcf(tmp_path, TWO_HINGES, f"<actuator>{motors}</actuator>")
    notes = sf.write_urdf(scene, tmp_path / "robot.urdf", speeds={"elbow": 4.5})
    _, pin_model = in_pinocchio(scene, tmp_path / "robot.urdf")
    elbow = pin_model.joints[pin_model.getJointId("elbow")].idx_v
    assert (pin_model.velocityLimit[elbow], pin_model.effortLimit[elbow]) == (4.5, 6.0)
    shown = {note.what: note.detail for note in notes}
    assert shown["elbow"] == "its torque lies between -6 and 10; the effort 6 was written for both sides"
    assert shown["order of joints"] == "torques were in the order elbow, shoulder"


@pytest.mark.parametrize(
    ("speeds", "text"),
    [
        ([1.0], "speeds: expected a dict of joint name to speed, got [1.0]"),
        ({"knee": 1.0}, "speeds: no joint is called 'knee'; The choices are: shoulder, elbow"),
        ({"elbow": 0.0}, "speeds['elbow']: expected a number above 0, got 0"),
    ],
)
def test_bad_speeds(tmp_path, speeds, text):
    scene = from_mjcf(tmp_path, TWO_HINGES)
    with pytest.raises(InputError) as error:
        sf.write_urdf(scene, tmp_path / "again.urdf", speeds=speeds)
    assert str(error.value) == text
    assert not (tmp_path / "again.urdf").exists()


def test_a_mimic_joint_follows_with_its_zeros(tmp_path):
    world = TWO_HINGES.replace('name="shoulder"', 'name="shoulder" ref="30"').replace(
        'name="elbow"', 'name="elbow" ref="9"'
    )
    equality = '<equality><joint joint1="elbow" joint2="shoulder" polycoef="0.2 -1.5 0 0 0"/></equality>'
    scene = from_mjcf(tmp_path, world, equality, passive=["elbow"])
    sf.write_urdf(scene, tmp_path / "again.urdf")
    again = load(tmp_path / "again.urdf")
    assert again.joints == ("shoulder",)
    a, b = again.model.eq_data[0, :2]
    x = 0.7
    wanted = np.radians(9) + 0.2 - 1.5 * (x - np.radians(30))
    assert a + b * x == pytest.approx(wanted, abs=1e-15)


def test_what_urdf_cannot_say_is_noted_in_the_file_too(tmp_path):
    world = TWO_HINGES.replace('name="elbow"', 'name="elbow" armature="0.1" stiffness="2"')
    world = world.replace('name="u"', 'name="u" friction="0.3" contype="2"').replace(
        'name="l"', 'name="l" condim="4" margin="0.01"'
    )
    rest = (
        '<equality><joint joint1="elbow" joint2="shoulder" polycoef="0 0 1 0 0" name="bend"/></equality>'
        '<tendon><fixed name="rope"><joint joint="elbow" coef="1"/></fixed></tendon>'
        '<actuator><position name="servo" joint="elbow" kp="3"/><motor name="pull" tendon="rope"/></actuator>'
        '<contact><exclude body1="upper" body2="lower"/></contact><sensor><jointpos joint="elbow"/></sensor>'
        '<keyframe><key qpos="0.1 0.2"/></keyframe>'
    )
    scene = from_mjcf(tmp_path, world, rest, before='<option gravity="0 0 -1.6" density="1.2"/>')
    notes = sf.write_urdf(scene, tmp_path / "again.urdf")
    said = {(note.what, note.detail) for note in notes}
    assert said >= {
        ("elbow", "URDF has no armature (rotor inertia)"),
        ("elbow", "URDF has no springs"),
        ("u", "URDF has no friction of geoms"),
        ("u", "URDF has no contact bits: whatever collides may touch everything"),
        ("bend", "URDF has no equality but the mimic joint"),
        ("1 tendons", "URDF has none"),
        ("1 sensors", "URDF has none"),
        ("1 keyframes", "URDF has none"),
        ("pull", "URDF has no actuators but those of joints"),
        ("l", "URDF has no torsional or rolling friction (condim above 3)"),
        ("l", "URDF has no softness of contacts (solref, solimp, margin, gap)"),
        ("servo", "URDF has no servos, only the effort that a joint can bear"),
        ("1 excluded pairs", "URDF has none"),
        ("shoulder", "URDF cannot say that a joint has no motor; its effort is 0"),
        ("gravity", "it is 0, 0, -1.6 m/s^2; readers of a URDF take their own"),
        ("medium", "URDF has no fluid"),
        ("home", "URDF has no resting pose; keep it in an SRDF beside the file"),
    }
    text = (tmp_path / "again.urdf").read_text()
    for note in notes:
        assert f"{note.what}: {note.detail}" in text.split("-->")[0]


def test_a_bodys_name_does_not_end_the_comment(tmp_path):
    scene = from_mjcf(tmp_path, TWO_HINGES.replace('name="elbow"', 'name="el--bow--" armature="1"'))
    sf.write_urdf(scene, tmp_path / "again.urdf")
    assert load(tmp_path / "again.urdf").joints == ("shoulder", "el--bow--")


@pytest.mark.parametrize(
    ("world", "before", "text"),
    [
        (
            '<body name="one"><joint name="j" type="ball"/><geom size="0.1"/></body>',
            "",
            "joint 'j' is a ball joint, which URDF cannot say",
        ),
        (
            '<body name="one"><joint name="j"/><geom name="egg" type="ellipsoid" size="0.1 0.2 0.3"/></body>',
            "",
            "geom 'egg': URDF has no ellipsoid",
        ),
        (
            '<body name="one"><joint name="j"/><geom name="g" type="mesh" mesh="tetra"/></body>',
            '<asset><mesh name="tetra" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset>',
            "geom 'g': URDF names meshes by their file, and the mesh 'tetra' has none",
        ),
        (
            BALL.format("ball", 1).replace("</body>", f"{TWO_HINGES}</body>")
            + '<body name="door"><joint name="d"/><geom size="0.1"/></body>',
            "",
            "URDF holds one tree of links, and 'door' moves outside it",
        ),
    ],
)
def test_what_must_not_be_left_out_is_refused(tmp_path, world, before, text):
    scene = from_mjcf(tmp_path, world, before=before)
    with pytest.raises(ModelError) as error:
        sf.write_urdf(scene, tmp_path / "again.urdf")
    assert str(error.value) == f"robot: {text}" or str(error.value) == f"MuJoCo Model: {text}"


def test_meshes_come_back_where_they_were(tmp_path):
    write(tmp_path, tetrahedron(), "parts/tetra.stl")
    mesh = shape('<mesh filename="parts/tetra.stl" scale="1 2 3"/>', xyz="0.1 0.2 0.3")
    parts = [urdf_link("base"), urdf_link("arm", inertial() + mesh)]
    scene = load(write(tmp_path, robot(*parts, urdf_joint("j", "base", "arm"))), floating=False)
    (tmp_path / "new").mkdir()
    again, _ = agrees(scene, tmp_path / "new" / "again.urdf")
    assert (tmp_path / "new" / "again_files" / "tetra.stl").is_file()
    np.testing.assert_allclose(mesh_points(again.model), mesh_points(scene.model), atol=1e-7)


def test_a_floating_robot_leaves_the_world_behind(tmp_path):
    table = '<geom name="table" type="box" size="1 1 0.1"/><body name="post"><geom name="p" size="0.1"/></body>'
    scene = from_mjcf(tmp_path, table + BALL.format("ball", 1).replace("</body>", f"{TWO_HINGES}</body>"))
    notes = sf.write_urdf(scene, tmp_path / "again.urdf")
    said = {note.what: note.detail for note in notes}
    assert said["table"] == "a URDF that floats has no world to hold this geom"
    assert said["post"] == "URDF holds one tree of links, and this is fixed to the world"


def test_a_walker_keeps_its_feet(tmp_path):
    scene = load(write(tmp_path, walker()))
    again, _ = agrees(scene, tmp_path / "again.urdf")
    assert [foot.name for foot in again.feet] == [foot.name for foot in scene.feet]


def test_a_robot_that_cannot_move(tmp_path):
    scene = from_mjcf(tmp_path, '<body name="post"><geom size="0.1"/><body name="top" pos="0 0 1"/></body>')
    sf.write_urdf(scene, tmp_path / "again.urdf")
    sf.write_mjcf(scene, tmp_path / "again.xml")
    for name in ("again.urdf", "again.xml"):
        again = load(tmp_path / name, floating=False if name.endswith("urdf") else None)
        assert (again.nv, again.model.body("top").pos[2]) == (0, 1.0)


def test_names_of_links_and_joints_that_are_taken(tmp_path):
    world = (
        '<body name="one"><joint name="two_fixed" pos="0.1 0 0"/><geom size="0.1"/><body name="one_of_two_fixed">'
        '<joint name="j"/><geom size="0.1"/><body name="two" pos="0 0 1"><geom size="0.1"/></body></body></body>'
    )
    again, _ = agrees(from_mjcf(tmp_path, world), tmp_path / "again.urdf")
    assert again.model.body("one_of_two_fixed_").id > 0


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1), st.booleans())
def test_roll_pitch_yaw_of_any_rotation(q, upright):
    quaternion = np.array(q) / np.linalg.norm(q)
    turn = poses.pose(quaternion, np.zeros(3)).turn
    if upright:  # pitch at a right angle, where roll and yaw are one
        turn = turn @ poses.turned([0, 1, 0], np.pi / 2 - poses.roll_pitch_yaw(turn)[1]).turn
    roll, pitch, yaw = poses.roll_pitch_yaw(turn)
    back = np.eye(3)
    for axis, angle in zip(np.eye(3)[::-1], (yaw, pitch, roll), strict=True):
        back = back @ poses.turned(axis, angle).turn
    np.testing.assert_allclose(back, turn, atol=1e-15)


def test_gravity_is_felt_where_mass_is(tmp_path):
    scene = from_mjcf(tmp_path, TWO_HINGES)
    sf.write_urdf(scene, tmp_path / "again.urdf")
    again = load(tmp_path / "again.urdf")
    for q in ([0.3, -0.4], [1.2, 0.5]):
        np.testing.assert_allclose(quantities(again.model, q)[2], quantities(scene.model, q)[2], atol=1e-12)
