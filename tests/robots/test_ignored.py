import numpy as np
import pytest

import surefoot as sf
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


# What is listed does not act

TWO = "".join(
    f'<body name="{name}" pos="{3 * k} 0 0"><joint name="{name}" axis="0 0 1"/><geom size="0.1" mass="1"/></body>'
    for k, name in enumerate("ab")
)
TENDONS = "".join(f'<fixed name="t{name}"><joint joint="{name}" coef="1"/></fixed>' for name in "ab")
CLOTH = (
    '<flexcomp name="cloth" type="grid" dim="2" count="3 3 1" spacing="0.1 0.1 0.1" pos="0 0 {0}" radius="0.01" '
    'mass="1">{1}</flexcomp>'
)


def test_an_equality_of_tendons_is_listed_and_moves_nothing(tmp_path):
    rest = '<tendon>{0}</tendon><equality><tendon name="tie" tendon1="ta" tendon2="tb"/>{1}</equality>'
    scene = from_mjcf(tmp_path, TWO, rest.format(TENDONS, ""))
    assert noted(scene, "ignored", "tie") == ["an equality between tendons or on a flex is not modelled"]
    state = scene.state(v=[1.0, 0.0])
    answer = sf.forward_dynamics(scene, state, dt=1e-3)
    assert answer.velocity == pytest.approx([1.0, 0.0], abs=1e-12)
    assert len(answer._problem["bilateral"]) == 0
    # One that is modelled beside it goes on acting.
    scene = from_mjcf(tmp_path, TWO, rest.format(TENDONS, '<joint joint1="a" joint2="b"/>'))
    assert sf.forward_dynamics(scene, state, dt=1e-3).velocity == pytest.approx([0.5, 0.5], abs=1e-12)


@pytest.mark.parametrize("inside", ['<edge equality="true"/>', '<elasticity young="1e3" poisson="0.1" damping="0.1"/>'])
def test_a_flex_is_listed_and_its_points_fall_freely(tmp_path, inside):
    scene = from_mjcf(tmp_path, CLOTH.format(1.0, inside))
    assert noted(scene, "ignored", "cloth") == ["a flex: deformable bodies are not modelled"]
    rng = np.random.default_rng(0)
    state = scene.state(scene.home().q + 0.01 * rng.normal(size=scene.nq), rng.normal(size=scene.nv))
    answer = sf.forward_dynamics(scene, state, dt=1e-3)
    fall = np.tile([0, 0, -9.81], scene.nv // 3)
    assert answer.acceleration == pytest.approx(fall, abs=1e-9)


def test_a_flex_touches_nothing(tmp_path):
    """Its contacts have no geom: taken for those of another they would push on the wrong body."""
    floor = '<geom name="floor" type="plane" size="1 1 1"/>'
    scene = from_mjcf(tmp_path, floor + CLOTH.format(0.005, '<edge equality="true"/><contact selfcollide="auto"/>'))
    assert len(sf.forward_dynamics(scene, scene.home(), dt=1e-3).contacts) == 0
    assert not [row for row in sf.check(scene).rows if "overlap" in row.detail]


def test_the_scene_keeps_its_model_as_the_file_has_it(tmp_path):
    scene = from_mjcf(
        tmp_path, TWO, f'<tendon>{TENDONS}</tendon><equality><tendon tendon1="ta" tendon2="tb"/></equality>'
    )
    sf.Simulator(scene, dt=1e-3)
    assert scene.model.eq_active0.tolist() == [True]
