import mujoco
import numpy as np
import pytest

from surefoot.cli.fall import let_go
from surefoot.errors import InputError
from surefoot.report.camera import bounds
from surefoot.robots.families import build
from tests.report.soft_trace import quadruped


def _lowest(scene, state):
    data = mujoco.MjData(scene.model)
    state.to_mujoco(data)
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
    start = let_go(scene, 0.05, tilt)
    assert _lowest(scene, start) >= 0.05 - 1e-6
    w, x, y, z = start.q[3:7]
    assert np.degrees(2 * np.arctan2(x, w)) == pytest.approx(tilt)
    np.testing.assert_allclose([y, z], 0, atol=1e-12)


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
