import pytest

from tests.robots.files import from_mjcf, noted

HINGE = '<body name="b"><joint name="j"/><geom name="g" size="0.1"/><site name="s"/></body>'
IGNORED = {
    "position": (HINGE, '<actuator><position name="p" joint="j" kp="5"/></actuator>', "p", "a position servo"),
    "velocity": (HINGE, '<actuator><velocity name="v" joint="j" kv="5"/></actuator>', "v", "a velocity servo"),
    "general": (
        HINGE,
        '<actuator><general name="servo" joint="j" dyntype="integrator"/></actuator>',
        "servo",
        "an actuator with its own dynamics",
    ),
    "muscle": (HINGE, '<actuator><muscle name="m" joint="j" lengthrange="0 1"/></actuator>', "m", "a muscle"),
    "site motor": (HINGE, '<actuator><motor name="t" site="s"/></actuator>', "t", "an actuator on a site"),
    "tendon": (HINGE, '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>', "t", "a tendon"),
    "mocap": (HINGE + '<body name="hand" mocap="true"/>', "", "hand", "a mocap body"),
    "gravity": (HINGE.replace('name="j"', 'name="j" actuatorgravcomp="true"'), "", "j", "gravity compensation by"),
    "rolling": (HINGE.replace('size="0.1"', 'size="0.1" condim="6"'), "", "g", "torsional and rolling friction"),
    "adhesion": (
        HINGE, '<actuator><adhesion name="a" body="b" ctrlrange="0 1"/></actuator>', "a", "an actuator on a body",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IGNORED)
def test_what_is_not_modelled_is_listed(tmp_path, case):
    world, rest, what, text = IGNORED[case]
    scene = from_mjcf(tmp_path, world, rest)
    assert any(detail.startswith(text) for detail in noted(scene, "ignored", what)), scene.notes


def test_fluids_are_listed(tmp_path):
    scene = from_mjcf(tmp_path, HINGE, before='<option density="1.2" viscosity="0.01"/>')
    wanted = "density 1.2 kg/m^3, viscosity 0.01 Pa s: no law knows of drag"
    assert noted(scene, "ignored", "medium") == [wanted]


def test_motors_are_not_listed(tmp_path):
    assert not from_mjcf(tmp_path, HINGE, '<actuator><motor joint="j" gear="3"/></actuator>').notes
