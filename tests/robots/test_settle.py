import mujoco
import numpy as np
import pytest

from surefoot.robots.load import load
from tests.robots.files import walker, write


def heights(scene):
    data = mujoco.MjData(scene.model)
    scene.home().to_mujoco(data)
    mujoco.mj_kinematics(scene.model, data)
    return [data.geom(geom).xpos[2] - scene.model.geom(geom).size[0] for foot in scene.feet for geom in foot.geoms]


def short_legged(length):
    end = '<child link="hind_foot"/><origin xyz="0 0 -{}"/>'
    assert end.format(0.3) in walker()
    return walker().replace(end.format(0.3), end.format(length))


def test_a_level_robot_is_left_level(tmp_path):
    scene = load(write(tmp_path, walker()))
    assert heights(scene) == pytest.approx([0, 0, 0], abs=1e-9)
    assert np.array_equal(scene.home().q[3:7], [1, 0, 0, 0])


def test_a_short_leg_tilts_the_robot_onto_all_three(tmp_path):
    scene = load(write(tmp_path, short_legged(0.295)))
    assert heights(scene) == pytest.approx([0, 0, 0], abs=1e-9)
    tilt = 2 * np.arcsin(np.linalg.norm(scene.home().q[4:7]))
    assert tilt == pytest.approx(np.arctan(0.005 / 0.2), rel=1e-9)
    assert any(note.what == "home" and note.detail.startswith("tilted by 0.025 rad") for note in scene.notes)


def test_a_leg_that_is_far_too_short_is_left_in_the_air(tmp_path):
    scene = load(write(tmp_path, short_legged(0.2)))
    assert heights(scene) == pytest.approx([0, 0], abs=1e-9)  # and so it is no foot


def test_a_biped_on_points_is_lowered_and_not_tilted(tmp_path):
    scene = load(write(tmp_path, walker(legs=("left", "right"))))
    assert heights(scene) == pytest.approx([0, 0], abs=1e-9)
    assert np.array_equal(scene.home().q[3:7], [1, 0, 0, 0])
