import mujoco
import numpy as np
import pytest

from surefoot.errors import ModelError
from surefoot.robots.load import load
from tests.robots.files import diagonal, inertial, joint, link, robot, shape, walker, write


def loaded(folder, text, **wishes):
    return load(write(folder, text), **wishes)


# Known answers


def test_numbers_of_joints_are_kept(tmp_path):
    text = robot(
        link("a"),
        link("b"),
        joint("j", "a", "b", inside='<limit lower="-1" upper="2" effort="5"/><dynamics damping="0.3" friction="0.2"/>'),
    )
    scene = loaded(tmp_path, text)
    assert scene.model.jnt_range[0] == pytest.approx([-1, 2])
    assert scene.torque_limits[0] == pytest.approx([-5, 5])
    assert scene.model.dof_damping[0] == 0.3
    assert scene.model.dof_frictionloss[0] == 0.2


def test_every_link_stays_a_body(tmp_path):
    scene = loaded(tmp_path, walker())
    names = {scene.model.body(b).name for b in range(1, scene.model.nbody)}
    assert {"base", "left_leg", "left_foot", "right_foot", "hind_foot"} <= names


def test_a_link_without_inertial_is_massless_whatever_its_shape(tmp_path):
    scene = loaded(tmp_path, walker())
    assert scene.model.body("left_foot").mass[0] == 0
    assert scene.mass == pytest.approx(2.0 + 3 * 0.5)


def test_mimic_joints_become_equalities(tmp_path):
    text = robot(
        link("a"),
        link("b"),
        link("c"),
        joint("lead", "a", "b"),
        joint(
            "tail",
            "a",
            "c",
            inside='<limit effort="1" velocity="1"/><mimic joint="lead" multiplier="-2" offset="0.1"/>',
        ),
    )
    scene = loaded(tmp_path, text, floating=False)
    assert scene.model.neq == 1
    assert scene.model.eq_data[0, :5] == pytest.approx([0.1, -2, 0, 0, 0])
    assert scene.joints == ("lead",)  # the follower has no motor
    q = scene.home().q
    assert q[scene.model.joint("tail").qposadr[0]] == pytest.approx(0.1)  # home honours the equality


def test_a_floating_joint_from_the_world_makes_a_floating_base(tmp_path):
    text = robot('<link name="world"/>', link("base"), joint("free", "world", "base", "floating", inside=""))
    scene = loaded(tmp_path, text)
    assert scene.base == "base"
    assert scene.nv == 6


def test_a_root_called_world_is_bolted_unless_asked(tmp_path):
    text = robot('<link name="world"/>', link("base"), joint("bolt", "world", "base", "fixed"))
    assert loaded(tmp_path, text).base is None
    assert loaded(tmp_path, text, floating=True).base == "base"


def test_a_world_that_holds_two_robots_cannot_float(tmp_path):
    text = robot(
        '<link name="world"/>',
        link("a"),
        link("b"),
        joint("x", "world", "a", "fixed"),
        joint("y", "world", "b", "fixed"),
    )
    with pytest.raises(ModelError, match="floating=True, but the root link 'world' is the world and does not hold"):
        loaded(tmp_path, text, floating=True)


def test_an_impossible_placeholder_is_counted_with_its_neighbour_exactly(tmp_path):
    """Go1 and ANYmal: a root of 1e-6 kg with an inertia matrix of ones."""
    ones = '<inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="1e-6" ixz="1e-6" iyz="1e-6"/>'
    dummy = f'<inertial><origin xyz="0.1 0.2 0.3"/><mass value="1e-6"/>{ones}</inertial>'
    mount = joint("mount", "root", "trunk", "fixed", xyz='0 0.1 0" rpy="0.3 -0.4 1.2')
    scene = loaded(tmp_path, robot(link("root", dummy), link("trunk", inertial(3.0, 0.05)), mount), floating=True)
    matrix = np.zeros((6, 6))
    data = mujoco.MjData(scene.model)
    mujoco.mj_forward(scene.model, data)
    mujoco.mj_fullM(scene.model, data, matrix)
    # By hand: mass, first moment and inertia about the root's origin.
    r, s = np.array([0.1, 0.2, 0.3]), np.array([0, 0.1, 0])
    wanted = 3.0 * (s @ s * np.eye(3) - np.outer(s, s)) + 0.05 * np.eye(3)
    wanted += 1e-6 * (r @ r * np.eye(3) - np.outer(r, r)) + 1e-6 * np.ones((3, 3))
    assert matrix[3:, 3:] == pytest.approx(wanted, abs=1e-14)
    assert scene.mass == pytest.approx(3.000001, abs=1e-15)
    assert any(note.kind == "repaired" and note.what == "root" for note in scene.notes)


def test_balance_inertia_takes_the_mean(tmp_path):
    scene = loaded(
        tmp_path, robot(link("a"), link("b", diagonal(0.1, 0.1, 0.4)), joint("j", "a", "b")), balance_inertia=True
    )
    assert scene.model.body("b").inertia == pytest.approx([0.2, 0.2, 0.2])
    note = next(note for note in scene.notes if note.kind == "repaired")
    assert note.what == "b"
    assert "0.1 + 0.1 < 0.4" in note.detail


def test_balance_inertia_gives_a_massless_moving_link_a_tiny_mass(tmp_path):
    text = robot(link("a"), '<link name="mid"/>', link("b"), joint("j", "a", "mid"), joint("k", "mid", "b"))
    scene = loaded(tmp_path, text, balance_inertia=True)
    assert scene.model.body("mid").mass[0] == pytest.approx(1e-6)


@pytest.mark.parametrize(
    "principal", [(0.1, 0.1, 0.2), (0, 0.1, 0.1), (0.1, 0.1, 0.2 + 1e-9)], ids=["disc", "rod", "rounded"]
)
def test_limiting_inertias_are_accepted(tmp_path, principal):
    scene = loaded(tmp_path, robot(link("a"), link("b", diagonal(*principal)), joint("j", "a", "b")))
    assert sorted(scene.model.body("b").inertia) == pytest.approx(sorted(principal), abs=1e-8)


# Error messages

CASES = {
    "not a tree": (robot(link("a"), link("b")), "a URDF has one root link, this has 2: 'a', 'b'"),
    "no links": (robot(), "a URDF needs at least one <link>, this has none"),
    "loop": (
        robot(link("a"), link("b"), joint("j", "a", "b", "fixed"), joint("k", "b", "a", "fixed")),
        "the joints form a loop through link 'a'; a URDF is a tree",
    ),
    "two parents": (
        robot(link("a"), link("b"), joint("j", "a", "b", "fixed"), joint("k", "a", "b", "fixed")),
        "link 'b' has two parent joints, 'j' and 'k'",
    ),
    "unknown link": (robot(link("a"), joint("j", "a", "b")), "joint 'j' has the child 'b', but no link is called so"),
    "no child": (
        robot(link("a"), '<joint name="j" type="fixed"><parent link="a"/></joint>'),
        "joint 'j' has no <child link=...>",
    ),
    "same name": (robot(link("a"), link("a")), "two links are called 'a'"),
    "no name": (robot("<link/>"), "a <link> has no name"),
    "joint type": (
        robot(link("a"), link("b"), joint("j", "a", "b", "ball")),
        "joint 'j' has type 'ball'; expected one of revolute, continuous, prismatic, fixed, floating, planar",
    ),
    "xacro": (
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="x"/></robot>',
        "this is a xacro file; run `xacro robot.urdf > robot.urdf` and load the result",
    ),
    "no inertia": (
        robot(link("a"), '<link name="b"/>', joint("j", "a", "b")),
        "link 'b' moves but has no mass; give it a full <inertial>, or pass balance_inertia=True to give it 1e-06 kg "
        "and 1e-09 kg m^2",
    ),
    "point mass": (
        robot(link("a"), link("b", inertial(1, 0)), joint("j", "a", "b")),
        "link 'b' moves and has mass, but no rotational inertia; give it a full <inertial>, or pass balance_inertia",
    ),
    "triangle": (
        robot(
            link("a"),
            link("thigh", diagonal(1.083e-5, 1.233e-4, 1.275e-3)),
            joint("j", "a", "thigh"),
        ),
        "link 'thigh': its principal inertias 1.083e-05, 0.0001233, 0.001275 kg m^2 break the triangle inequality: "
        "1.083e-05 + 0.0001233 < 0.001275; correct the file, or pass balance_inertia=True to replace them by their "
        "mean",
    ),
    "negative inertia": (
        robot(
            link("a"),
            link("b", diagonal(-1, 1, 1)),
            joint("j", "a", "b"),
        ),
        "link 'b': its principal inertias -1, 1, 1 kg m^2 include a negative one",
    ),
    "negative mass": (
        robot(link("a"), link("b", inertial(-1)), joint("j", "a", "b")),
        "link 'b': its mass is negative (-1 kg); correct the file",
    ),
    "mass is text": (
        robot(link("a", inertial("heavy"))),
        "link 'a': <mass value=...> must be a number, got 'heavy'",
    ),
    "nan": (robot(link("a", inertial("nan"))), "link 'a': its mass or inertia is not finite; correct the file"),
    "mimics nobody": (
        robot(link("a"), link("b"), joint("j", "a", "b", inside='<limit effort="1" velocity="1"/><mimic joint="x"/>')),
        "joint 'j' mimics 'x', but no joint is called so",
    ),
    "limits upside down": (
        robot(link("a"), link("b"), joint("j", "a", "b", inside='<limit lower="1" upper="-1" effort="1"/>')),
        "joint 'j': its lower limit 1 is above its upper limit -1",
    ),
    "bad shape": (
        robot(link("a", inertial() + shape('<sphere radius="-1"/>'))),
        "MuJoCo cannot compile this model: size 0 must be positive in geom",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_bad_files_are_refused_by_name(tmp_path, case):
    text, message = CASES[case]
    file = write(tmp_path, text)
    with pytest.raises(ModelError) as caught:
        load(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)


def test_equal_limits_are_dropped_with_a_note(tmp_path):
    text = robot(
        link("a"), link("b"), joint("j", "a", "b", inside='<limit lower="0" upper="0" effort="1" velocity="1"/>')
    )
    scene = loaded(tmp_path, text)
    assert not scene.model.jnt_limited[0]
    assert any(note.kind == "ignored" and note.what == "j" and "equal" in note.detail for note in scene.notes)
