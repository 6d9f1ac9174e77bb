import re

import pytest

from surefoot.errors import InputError, ModelError
from surefoot.robots.families import FAMILIES
from surefoot.robots.load import load
from surefoot.robots.terrains import Plane
from tests.robots.files import BALL, TWO_HINGES, from_mjcf, mjcf, noted, walker, write

# Bundled robots and names


@pytest.mark.parametrize("name", FAMILIES)
def test_bundled_robots_load_by_name(name):
    assert load(name).name == name


def test_bundled_robots_take_a_ground():
    assert load("links", ground=None).surfaces == ()
    assert load("links", ground=Plane(mu=0.3)).surfaces[0].mu == 0.3


# MJCF: roles


def test_actuated_joints_follow_the_actuators(tmp_path):
    scene = from_mjcf(tmp_path, TWO_HINGES, '<actuator><motor joint="elbow"/><motor joint="shoulder"/></actuator>')
    assert scene.joints == ("elbow", "shoulder")
    assert list(scene.dofs) == [1, 0]


def test_without_actuators_every_hinge_is_driven_but_the_passive(tmp_path):
    assert from_mjcf(tmp_path, TWO_HINGES).joints == ("shoulder", "elbow")
    assert from_mjcf(tmp_path, TWO_HINGES, passive=["shoulder"]).joints == ("elbow",)


def test_a_free_body_beside_a_robot_is_an_object(tmp_path):
    scene = from_mjcf(tmp_path, BALL.format("ball", 1) + TWO_HINGES)
    assert scene.objects == ("ball",)
    assert scene.base is None


def test_a_free_body_alone_is_the_robot_and_the_next_an_object(tmp_path):
    scene = from_mjcf(tmp_path, BALL.format("one", 1) + BALL.format("two", 3))
    assert scene.base == "one"
    assert scene.objects == ("two",)


def test_names_are_given_to_what_has_none(tmp_path):
    scene = from_mjcf(tmp_path, '<body><joint/><geom size="0.1"/></body>')
    assert scene.joints == ("joint0",)
    assert noted(scene, "assumed", "joint0") == ["joints without a name were called so, in file order"]


def test_floating_adds_a_free_joint(tmp_path):
    assert from_mjcf(tmp_path, TWO_HINGES.replace('<joint name="shoulder" axis="0 1 0"/>', ""), floating=True).nv == 7


# Repairs of MJCF


def test_balance_inertia_of_mjcf(tmp_path):
    body = '<body name="b"><joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/></body>'
    scene = from_mjcf(tmp_path, body, balance_inertia=True)
    assert scene.model.body("b").inertia == pytest.approx([2, 2, 2])
    assert noted(scene, "repaired", "b")


def test_balance_inertia_of_a_massless_mjcf_body(tmp_path):
    body = '<body name="b"><joint name="j"/><body name="c"><joint name="k"/><geom size="0.1"/></body></body>'
    scene = from_mjcf(tmp_path, body, balance_inertia=True)
    assert scene.model.body("b").mass[0] == pytest.approx(1e-6)
    assert noted(scene, "repaired", "b")


# Error messages


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(InputError) as caught:
        load("link")
    assert str(caught.value).startswith(
        "robot: no bundled robot and no file is called 'link'; did you mean 'links'? The "
    )
    assert "The bundled robots are: links, links-light, links-feet, arm, ur10" in str(caught.value)


ARGUMENTS = {
    "number": ((3,), {}, "robot: expected a bundled name or a path, got int"),
    "floating": (("links",), {"floating": "yes"}, "floating: expected one of True, False, got 'yes'"),
    "meshes": (("links",), {"meshes": "all"}, "meshes: expected one of 'keep', 'drop', 'spheres', got 'all'"),
    "ground": (("links",), {"ground": "grass"}, "ground: expected a terrain such as Plane(), or None, got 'grass'"),
    "feet": (
        ("links",),
        {"feet": "LF_FOOT"},
        "feet: expected a list of link or geom names, or a dict of sphere radii in m, got 'LF_FOOT'",
    ),
    "radius": (("links",), {"feet": {"a": -1}}, "feet['a']: expected a number above 0, got -1"),
    "passive": (("links",), {"passive": "x"}, "passive: expected a list of names, got the string 'x'"),
    "bundled": (
        ("links",),
        {"floating": True},
        "floating: 'links' is a bundled robot and takes only ground=...; "
        "vary its dataclass in surefoot.robots.families instead, got True",
    ),
    "null": (("a\0b",), {}, "robot: expected a path, got one with a null character in it"),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_wrong_arguments_are_named(case):
    args, wishes, message = ARGUMENTS[case]
    with pytest.raises(InputError) as caught:
        load(*args, **wishes)
    assert str(caught.value) == message


def test_unknown_joints_links_and_feet_are_named(tmp_path):
    file = write(tmp_path, walker())
    with pytest.raises(InputError, match=r"passive: no joint is called 'left_hop'; did you mean 'left_hip'\?"):
        load(file, passive=["left_hop"])
    with pytest.raises(InputError, match=r"feet: no link or geom is called 'left_fot'; did you mean 'left_foot'\?"):
        load(file, feet=["left_fot"])
    with pytest.raises(InputError, match=r"feet: no link is called 'left_fot'; did you mean 'left_foot'\?"):
        load(file, feet={"left_fot": 0.1})


def test_floating_false_against_a_free_joint(tmp_path):
    with pytest.raises(InputError, match="floating: this MJCF has a free joint; remove it from the file to bolt"):
        from_mjcf(tmp_path, BALL.format("ball", 1), floating=False)


def test_example_robots_without_their_package(monkeypatch):
    monkeypatch.setattr("surefoot.robots.load.example_robot_data", lambda: None)
    with pytest.raises(InputError) as caught:
        load("example:solo12")
    assert str(caught.value) == (
        "robot: 'solo12' is in example-robot-data, which is not installed; pip install 'surefoot[robots]'"
    )


FILES = {
    "not XML": ("hello", "not readable as XML: syntax error: line 1, column 0"),
    "binary": (b"\x00\x01\x02", "not readable as XML: "),
    "empty": ("", "not readable as XML: no element found: line 1, column 0"),
    "SDF": ("<sdf/>", "SDF is not read; convert it to MJCF, for example with sdf2mjcf of gz-mujoco"),
    "other": ("<html/>", "expected <mujoco> (MJCF) or <robot> (URDF) as the outermost element, got <html>"),
    "schema": ("<mujoco><wurld/></mujoco>", "MuJoCo cannot read this file: XML Error: Schema violation: unrecog"),
    "negative friction": (
        mjcf('<body name="b"><freejoint/><geom name="sole" size="0.1" friction="-1 0 0"/></body>'),
        "geom 'sole' has friction -1, 0, 0; expected numbers of at least 0",
    ),
    "nan friction": (
        mjcf('<body name="b"><freejoint/><geom name="sole" size="0.1" friction="nan 0 0"/></body>'),
        "geom 'sole' has friction nan, 0, 0; expected numbers of at least 0",
    ),
    "negative pair friction": (
        mjcf(
            BALL.format("a", 1) + BALL.format("b", 2),
            '<contact><pair name="p" geom1="a_geom" geom2="b_geom" friction="-1 1 1 1 1"/></contact>',
        ),
        "pair 'p' has friction -1, 1, 1, 1, 1; expected numbers of at least 0",
    ),
    "negative damping": (
        mjcf('<body name="b"><joint name="j" damping="-1"/><geom size="0.1"/></body>'),
        "joint 'j' has damping -1; expected at least 0",
    ),
    "nan": (mjcf('<body name="b" pos="nan 0 0"><geom size="0.1"/></body>'), "body_pos of body 'b' is not finite"),
    "triangle": (
        mjcf('<body name="b"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>'),
        "body 'b': its principal inertias break the triangle inequality or are negative; correct the file, or pass "
        "balance_inertia=True to replace them by their mean",
    ),
    "no mass": (
        mjcf('<body name="b"><freejoint/></body>'),
        "body 'b' moves but has no mass or no rotational inertia; give it an inertial or a geom with mass, or pass "
        "balance_inertia=True to give it a tiny one",
    ),
    "gravity": (mjcf(before='<option gravity="nan 0 0"/>'), "gravity is not finite"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", FILES)
def test_bad_files_are_refused_by_name(tmp_path, case):
    text, message = FILES[case]
    file = write(tmp_path, text, "robot.xml")
    with pytest.raises(ModelError) as caught:
        load(file)
    assert str(caught.value).startswith(f"{file}: {message}")


def test_folders_and_unreadable_files(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match="expected a file, got a folder"):
        load(tmp_path)
    file = write(tmp_path, walker())

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    with pytest.raises(ModelError, match=re.escape(f"{file}: cannot be read: Permission denied")):
        load(file)


@pytest.mark.parametrize("robot", ["links", "file"])
@pytest.mark.parametrize(
    ("argument", "value", "text"),
    [
        ("passive", 3, "passive: expected a list of names, got 3"),
        ("passive", None, "passive: expected a list of names, got None"),
        ("passive", "hip", "passive: expected a list of names, got the string 'hip'"),
        ("ground", Plane, f"ground: expected a terrain such as Plane(), or None, got {Plane!r}"),
        ("ground", 3, "ground: expected a terrain such as Plane(), or None, got 3"),
    ],
)
def test_arguments_of_a_wrong_kind(tmp_path, robot, argument, value, text):
    with pytest.raises(InputError) as caught:
        load(write(tmp_path, walker()) if robot == "file" else robot, **{argument: value})
    assert str(caught.value) == text


def test_an_empty_name():
    with pytest.raises(InputError) as caught:
        load("")
    assert str(caught.value) == (
        "robot: expected a bundled name or a path, got an empty string; The bundled robots are: links, links-light, "
        "links-feet, arm, ur10; robots of example-robot-data are called 'example:NAME'"
    )
