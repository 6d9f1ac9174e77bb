import mujoco
import numpy as np
import pytest

from surefoot.cli.fall import let_go
from surefoot.errors import InputError
from surefoot.report.camera import bounds
from surefoot.robots.families import build
from tests.report.soft_trace import quadruped


def _lowest(scene, q):
    data = mujoco.MjData(scene.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(scene.model, data)
    return bounds(scene.model, data)[0][2]


def test_upright_it_is_lifted_by_the_height_alone():
    scene = quadruped()
    start, home = let_go(scene, 0.25), scene.home()
    assert start.q[2] == pytest.approx(home.q[2] + 0.25)
    np.testing.assert_array_equal(np.delete(start.q, 2), np.delete(home.q, 2))
    assert not start.v.any()


@pytest.mark.parametrize("tilt", [-170, -30, -5, 5, 30, 90, 180])
@pytest.mark.parametrize("name", ["links", "links-light"])
def test_tilted_no_part_starts_lower_than_the_height(name, tilt):
    scene = build(name)
    start, home = let_go(scene, 0.05, tilt), scene.home()
    assert _lowest(scene, start.q) - _lowest(scene, home.q) >= 0.05 - 1e-9
    feet = [scene.model.geom(name).id for foot in scene.feet for name in foot.geoms]
    data = mujoco.MjData(scene.model)
    start.to_mujoco(data)
    mujoco.mj_kinematics(scene.model, data)
    assert (data.geom_xpos[feet, 2] - scene.model.geom_size[feet, 0]).min() > 0.05 - 1e-3
    turn = np.empty(3)
    mujoco.mju_subQuat(turn, start.q[3:7], home.q[3:7])  # in the frame of `home`
    world = np.empty(3)
    mujoco.mju_rotVecQuat(world, turn, home.q[3:7])
    sign = np.sign(world[0]) if tilt == 180 else 1.0  # half a turn is the same either way
    np.testing.assert_allclose(np.degrees(sign * world), [tilt, 0, 0], atol=1e-6)


def test_what_is_bolted_down_cannot_fall():
    expected = r"^robot: 'arm' is bolted down and cannot fall; `surefoot robots` lists those that can$"
    with pytest.raises(InputError, match=expected):
        let_go(build("arm"), 0.1)


@pytest.mark.parametrize(
    ("height", "tilt", "text"),
    [
        (-0.1, 0, "height: expected a number of at least 0, got -0.1"),
        (float("nan"), 0, "height: expected a finite number, got nan"),
        (0.1, 200, "tilt: expected a number of at most 180, got 200"),
    ],
)
def test_wrong_numbers(height, tilt, text):
    with pytest.raises(InputError) as caught:
        let_go(quadruped(), height, tilt)
    assert str(caught.value) == text
