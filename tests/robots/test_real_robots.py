import mujoco
import numpy as np
import pytest

from surefoot.errors import InputError, ModelError
from surefoot.robots.load import example_robot, load

REAL = {
    # name: degrees of freedom, actuated joints, base, feet, mass in kg (sum of the file's own <mass> values)
    "a1": (18, 12, "base", 4),
    "solo12": (18, 12, "base_link", 4),
    "go1": (18, 12, "base", 4),
    "go2": (18, 12, "base", 4),
    "anymal": (18, 12, "base", 4),
    "talos": (38, 32, "base_link", 2),
    "ur5": (6, 6, None, 0),
    "panda": (9, 8, None, 0),
}


@pytest.mark.real
@pytest.mark.parametrize("name", REAL)
def test_real_robots_load_with_their_roles(name):
    scene = load(f"example:{name}")
    nv, actuated, base, feet = REAL[name]
    assert (scene.nv, len(scene.joints), scene.base, len(scene.feet)) == (nv, actuated, base, feet)


@pytest.mark.real
@pytest.mark.parametrize("name", [name for name, row in REAL.items() if row[2]])
def test_real_robots_stand_on_the_ground_and_touch_nothing_else(name):
    scene = load(f"example:{name}")
    data = mujoco.MjData(scene.model)
    scene.home().to_mujoco(data)
    mujoco.mj_forward(scene.model, data)
    touching = [k for k in range(data.ncon) if data.contact.dist[k] < 1e-9]
    assert len(touching) >= 3
    assert np.abs(data.contact.dist[touching]).max() < 1e-9
    ground = scene.model.geom("ground").id
    feet = {scene.model.geom(geom).id for foot in scene.feet for geom in foot.geoms}
    for k in range(data.ncon):
        first, second = data.contact.geom[k]
        assert {int(first), int(second)} <= feet | {ground}


@pytest.mark.real
def test_solo12_on_spheres_has_four_contacts():
    scene = load("example:solo12", meshes="spheres")
    data = mujoco.MjData(scene.model)
    scene.home().to_mujoco(data)
    mujoco.mj_forward(scene.model, data)
    assert data.ncon == 4
    assert np.abs(data.contact.dist).max() < 1e-9
    assert scene.model.geom(scene.feet[0].geoms[0]).size[0] == pytest.approx(0.016, abs=2e-4)


@pytest.mark.real
def test_panda_has_its_mimic_finger():
    scene = load("example:panda")
    assert scene.model.neq == 1
    assert "panda_finger_joint2" not in scene.joints


@pytest.mark.real
def test_anymal_c_is_refused_by_the_name_of_its_link():
    with pytest.raises(ModelError, match="link 'depth_camera_front_camera': its principal inertias"):
        load("example:anymal_c")
    assert len(load("example:anymal_c", balance_inertia=True).feet) == 4


@pytest.mark.real
def test_unknown_example_robots():
    with pytest.raises(
        InputError, match=r"robot: no robot of example-robot-data is called 'solo13'; did you mean 'solo12'\?"
    ):
        example_robot("solo13")
