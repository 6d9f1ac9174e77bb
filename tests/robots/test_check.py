import pytest

from surefoot.errors import InputError
from surefoot.robots.check import check
from surefoot.robots.load import load
from tests.robots.files import TWO_HINGES, from_mjcf, joint, link, robot, shape, walker, write


def test_a_clean_robot_says_so():
    found = check(load("links"))
    assert found.rows == ()
    assert str(found).splitlines()[0] == "links: 18 degrees of freedom, floating on 'BASE', 4.8 kg"
    assert "nothing was ignored, excluded, repaired or assumed" in str(found)


def test_every_note_is_a_row(tmp_path):
    scene = load(write(tmp_path, walker()))
    found = check(scene)
    assert set(scene.notes) <= set(found.rows)
    assert all(note.what in str(found).replace("\n", " ") for note in scene.notes)


def test_rows_are_sorted_by_kind(tmp_path):
    servo = '<actuator><position name="p" joint="elbow"/></actuator>'
    found = check(from_mjcf(tmp_path, TWO_HINGES.replace('name="elbow"', 'name="elbow" range="1 1"'), servo))
    kinds = [row.kind for row in found.rows]
    assert kinds == sorted(kinds, key=["suspicious", "ignored", "excluded", "repaired", "assumed"].index)
    assert found.of("ignored")[0].what == "p"


def suspicious(scene):
    return {row.what: row.detail for row in check(scene).of("suspicious")}


def test_needles_and_millimetres_are_suspicious(tmp_path):
    needle = '<body name="needle"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1e-5"/></body>'
    assert suspicious(from_mjcf(tmp_path, needle)) == {"needle": "its principal inertias differ by a factor of 1e+05"}
    large = '<body name="large"><joint/><inertial pos="0 0 0" mass="1" diaginertia="9 9 9"/></body>'
    wanted = "its radius of gyration is 3 m; are its lengths in m and its masses in kg?"
    assert suspicious(from_mjcf(tmp_path, large)) == {"large": wanted}


def test_light_bodies_and_idle_joints_are_suspicious(tmp_path):
    dust = '<inertial pos="0 0 0" mass="1e-6" diaginertia="1e-9 1e-9 1e-9"/>'
    found = suspicious(from_mjcf(tmp_path, f'<body name="dust"><joint/>{dust}</body>'))
    assert found == {"dust": "it and all it carries weigh 1e-06 kg"}
    motor = '<actuator><motor joint="elbow" gear="0" ctrlrange="-1 1"/></actuator>'
    assert suspicious(from_mjcf(tmp_path, TWO_HINGES, motor)) == {"elbow": "the file allows it no torque"}


def test_a_walker_without_feet_is_suspicious(tmp_path):
    scene = load(write(tmp_path, walker(foot="", base=None)), floating=True, feet=[])
    assert suspicious(scene)["base"] == "a floating robot without feet; name them by load(..., feet=[...])"


def test_a_keyframe_in_the_ground_is_suspicious(tmp_path):
    body = '<body name="b"><freejoint/><geom name="g" size="0.1"/></body>'
    scene = from_mjcf(tmp_path, body, '<keyframe><key qpos="0 0 0.05 1 0 0 0"/></keyframe>')
    assert suspicious(scene) == {"ground and g": "at home they overlap by 0.05 m"}


def test_long_texts_are_wrapped(tmp_path):
    unseen = link("visual_only", shape('<mesh filename="none.stl"/>', "visual"))
    text = robot(link("a"), unseen, joint("j", "a", "visual_only", "fixed"))
    table = check(load(write(tmp_path, text))).table(width=70)
    assert max(len(line) for line in table.splitlines()) <= 70


def test_only_robots_are_checked():
    with pytest.raises(InputError, match=r"robot: expected a robot from load\(\), got str"):
        check("links")
