import mujoco
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surefoot.report.camera import MARGIN, aim, bounds, moving_geoms, sight_axes
from tests.report.soft_trace import quadruped

size = st.floats(0.01, 5)
angle = st.floats(-180, 180)


def _placed(model):
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return data


def test_bounds_of_a_turned_box():
    # A box 2 x 1 x 1 turned by 45 degrees about z reaches (1 + 0.5) / sqrt(2) along x and y.
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><geom type="plane" size="9 9 1"/><body pos="1 2 3" euler="0 0 45">'
        '<geom type="box" size="1 .5 .5" mass="1"/></body></worldbody></mujoco>'
    )
    low, high = bounds(model, _placed(model))
    reach = 1.5 / np.sqrt(2)
    np.testing.assert_allclose(low, [1 - reach, 2 - reach, 2.5], atol=1e-9)
    np.testing.assert_allclose(high, [1 + reach, 2 + reach, 3.5], atol=1e-9)


def test_the_ground_is_not_looked_at():
    model = quadruped().model
    assert model.geom("ground").id not in moving_geoms(model)
    assert len(moving_geoms(model)) == model.ngeom - 1


def test_a_world_of_terrain_only_still_has_bounds():
    model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
    low, high = bounds(model, _placed(model))
    assert (low < high).all()


@given(st.tuples(size, size, size), st.tuples(angle, angle, angle), angle, st.floats(-89, 89), st.floats(0.5, 2))
def test_every_corner_is_inside_the_picture_and_the_box_fills_it(half, centre, azimuth, elevation, aspect):
    half, centre, fovy = np.array(half), np.array(centre), 45.0
    camera = aim(centre - half, centre + half, fovy=fovy, aspect=aspect, azimuth=azimuth, elevation=elevation)
    right, up, forward = sight_axes(azimuth, elevation)
    eye = camera.lookat - camera.distance * forward
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    rays = centre + signs * half - eye
    depth = rays @ forward
    tangent = np.tan(np.radians(fovy / 2))
    used = max(np.abs(rays @ up / depth).max() / tangent, np.abs(rays @ right / depth).max() / (tangent * aspect))
    assert (depth > 0).all()
    np.testing.assert_allclose(used, 1 / MARGIN, rtol=1e-6)


def test_sight_axes_are_mujocos():
    """MuJoCo's own view of the same free camera."""
    model = quadruped().model
    camera = aim(np.zeros(3), np.ones(3), fovy=45, aspect=1.5, azimuth=37, elevation=-21)
    view = mujoco.MjvScene(model, 100)
    everything = mujoco.mjtCatBit.mjCAT_ALL.value
    mujoco.mjv_updateScene(model, _placed(model), mujoco.MjvOption(), None, camera, everything, view)
    _, up, forward = sight_axes(37, -21)
    np.testing.assert_allclose(view.camera[0].forward, forward, atol=1e-6)
    np.testing.assert_allclose(view.camera[0].up, up, atol=1e-6)
