"""Terrains are where they say they are, rub as they say, and are the same again for the same seed."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.robots.terrains import Curb, HeightMap, Plane, Slope, Terrain

SMALL = HeightMap(seed=4, size=(0.6, 0.4), cell=0.05, hills=40)
TERRAINS = [Plane(), Plane(z=-0.3), Slope(0.4, yaw=1.1), Slope(-0.2), Curb(yaw=0.3), Curb(position=(0.1, 0.05)), SMALL]
coordinate = st.floats(-0.19, 0.19)


def compiled(terrain, *balls):
    """A world of the terrain and balls (x, y, z, radius), with all computed."""
    spec = mujoco.MjSpec()
    surfaces = terrain.add_to(spec)
    for x, y, z, radius in balls:
        body = spec.worldbody.add_body(pos=[x, y, z])
        body.add_freejoint()
        body.add_geom(size=[radius, 0, 0], mass=1.0, friction=[0.5, 0.01, 0.01])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data, surfaces


@pytest.mark.parametrize("terrain", TERRAINS, ids=str)
@settings(max_examples=20, deadline=None)
@given(x=coordinate, y=coordinate)
def test_elevation_is_where_a_ray_from_above_meets_the_ground(terrain, x, y):
    x, y = x + 1.1e-4, y + 2.3e-4  # off the lines between facets, through which MuJoCo's rays slip
    model, data, _ = compiled(terrain)
    depth = mujoco.mj_ray(model, data, np.array([x, y, 2.0]), np.array([0.0, 0, -1]), None, True, -1, None)
    assert terrain.elevation(x, y) == pytest.approx(2.0 - depth, abs=1e-7)


@pytest.mark.parametrize("terrain", TERRAINS, ids=str)
def test_elevation_of_arrays(terrain):
    x, y = np.linspace(-0.2, 0.2, 5)[None, :], np.linspace(-0.1, 0.1, 3)[:, None]
    wanted = [[terrain.elevation(a, b) for a in x[0]] for b in y[:, 0]]
    np.testing.assert_allclose(terrain.elevation(x, y), wanted, atol=1e-15)
    assert isinstance(terrain, Terrain)


@pytest.mark.parametrize("terrain", TERRAINS, ids=str)
def test_every_geom_has_its_surface(terrain):
    model, _, surfaces = compiled(terrain)
    assert sorted(surface.geom for surface in surfaces) == sorted(model.geom(i).name for i in range(model.ngeom))


@settings(max_examples=30, deadline=None)
@given(angle=st.floats(0.001, 1.4), yaw=st.floats(-4, 4), sign=st.sampled_from([-1, 1]))
def test_slope_rises_along_its_yaw(angle, yaw, sign):
    angle *= sign  # MuJoCo takes tilts below 1e-7 rad for none
    slope = Slope(angle, yaw)
    assert slope.elevation(math.cos(yaw), math.sin(yaw)) == pytest.approx(math.tan(angle))
    assert slope.elevation(-math.sin(yaw), math.cos(yaw)) == pytest.approx(0, abs=1e-12)
    _, data, _ = compiled(slope)
    frame = data.geom("ground").xmat.reshape(3, 3)
    np.testing.assert_allclose(frame[:, 2], slope.normal, atol=1e-12)
    np.testing.assert_allclose(frame[2, 0], math.sin(angle), atol=1e-12)  # x of the slope points uphill
    assert np.linalg.norm(slope.quaternion) == pytest.approx(1, abs=1e-15)


def test_curb_stands_three_centimetres_out_of_the_ground():
    curb = Curb(position=(0.5, -0.2))
    model, _, _ = compiled(curb)
    np.testing.assert_allclose(model.geom("curb").size, [0.005, 0.5, 0.03])
    assert curb.elevation(0.5, -0.2) == 0.03
    assert curb.elevation(0.504, 0.29) == 0.03
    assert curb.elevation(0.506, -0.2) == 0
    assert curb.elevation(0.5, 0.31) == 0


def test_height_map_is_like_that_of_the_paper():
    """Zapolsky and Drumwright's sample: 151 x 151 points, 0 to 0.030 m, mean 0.0109, sd 0.0045, slope to 0.19."""
    maps = [HeightMap(seed=seed).heights for seed in range(6)]
    for heights in maps:
        assert heights.shape == (151, 151)
        assert heights.min() == 0
        assert heights.max() == pytest.approx(0.03)
    assert np.mean([heights.mean() for heights in maps]) == pytest.approx(0.0109, abs=0.003)
    assert np.mean([heights.std() for heights in maps]) == pytest.approx(0.0045, abs=0.0012)
    slopes = [np.hypot(*np.gradient(heights, 0.02)).max() for heights in maps]
    assert np.mean(slopes) == pytest.approx(0.19, abs=0.06)


def test_height_map_is_a_sum_of_gaussian_hills():
    one = HeightMap(hills=1, size=(2.0, 2.0), cell=0.01, covariance=0.02, variability=0.0, seed=3)
    row, column = np.unravel_index(one.heights.argmax(), one.heights.shape)
    # One hill falls to exp(-1/2) of its height one standard deviation from its top.
    step = round(math.sqrt(0.02) / 0.01)
    inward = step if column < 100 else -step
    assert one.heights[row, column + inward] == pytest.approx(0.03 * math.exp(-0.5), rel=0.02)


def test_seed_decides_and_the_mean_of_the_friction_is_that_of_its_range():
    ground = HeightMap(seed=7, mu=(0.1, 1.5))
    again, other = HeightMap(seed=7, mu=(0.1, 1.5)), HeightMap(seed=8, mu=(0.1, 1.5))
    np.testing.assert_array_equal(ground.heights, again.heights)
    np.testing.assert_array_equal(ground.friction, again.friction)
    assert np.abs(ground.heights - other.heights).max() > 1e-3
    np.testing.assert_array_equal(ground.heights, HeightMap(seed=7).heights)  # friction does not move the hills
    assert ground.friction.shape == (150, 150)
    assert ground.friction.min() >= 0.1
    assert ground.friction.max() <= 1.5
    assert ground.friction.mean() == pytest.approx(0.8, abs=0.02)


def test_height_map_need_not_be_square_and_carries_its_friction_map():
    ground = HeightMap(seed=1, size=(0.6, 0.4), cell=0.05, hills=40, mu=(0.2, 0.9))
    model, _, (surface,) = compiled(ground)
    assert (model.hfield_nrow[0], model.hfield_ncol[0]) == (9, 13)
    np.testing.assert_allclose(model.hfield_size[0, :3], [0.3, 0.2, 0.03])
    np.testing.assert_allclose(model.hfield_data.reshape(9, 13) * 0.03, ground.heights, atol=1e-15)
    assert surface.grid.shape == (8, 12)
    assert (surface.mu, surface.origin, surface.cell) == (None, (-0.3, -0.2), (0.05, 0.05))
    assert model.geom("ground").friction[0] == pytest.approx(surface.grid.mean())


@pytest.mark.parametrize("mu", [0.1, 0.7, 2.0])
@pytest.mark.parametrize("kind", [Plane, lambda mu: Slope(0.0, mu=mu), lambda mu: Curb(mu=mu)])
def test_mujocos_own_engine_rubs_as_the_terrain_says(kind, mu):
    terrain = kind(mu=mu)
    _, data, surfaces = compiled(terrain, (0, 0, 0.05 - 1e-6, 0.05))
    assert data.contact.friction[0, 0] == pytest.approx(mu)
    assert surfaces[0].mu == mu


def test_friction_not_given_leaves_mujocos_rule():
    _, data, surfaces = compiled(Plane(), (0, 0, 0.05 - 1e-6, 0.05))
    assert data.contact.friction[0, 0] == 1.0  # the larger of the ball's 0.5 and MuJoCo's default
    assert surfaces[0].mu is None


def test_infinite_friction_is_infinite_for_us_and_large_for_mujoco():
    model, data, surfaces = compiled(Plane(mu=math.inf), (0, 0, 0.05 - 1e-6, 0.05))
    assert math.isinf(surfaces[0].mu)
    assert data.contact.friction[0, 0] == 100.0
    for _ in range(20):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all()


def test_curb_has_its_own_friction_or_that_of_the_plane():
    model, _, surfaces = compiled(Curb(mu=0.5, curb_mu=10.0))
    assert {surface.geom: surface.mu for surface in surfaces} == {"ground": 0.5, "curb": 10.0}
    assert model.geom("curb").friction[0] == 10.0
    assert {surface.mu for surface in compiled(Curb(mu=0.5))[2]} == {0.5}


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Plane(mu=-0.1), r"Plane.mu: expected a friction coefficient of at least 0 \(inf allowed\), got -0.1"),
        (lambda: Plane(z=math.nan), "Plane.z: expected a finite number, got nan"),
        (lambda: Slope(30.0), r"Slope.angle: expected rad below pi/2, got 30 \(degrees\? use math.radians\)"),
        (lambda: Slope(-1.6), "Slope.angle: expected a number above -1.5708, got -1.6"),
        (lambda: Slope(0.1, mu=math.nan), "Slope.mu: expected a friction coefficient"),
        (lambda: Curb(height=0.0), "Curb.height: expected a number above 0, got 0"),
        (lambda: Curb(curb_mu=-1), "Curb.curb_mu: expected a friction coefficient"),
        (lambda: Curb(position=(1, 2, 3)), r"Curb.position: expected shape \(2,\), got \(3,\)"),
        (lambda: HeightMap(seed=-1), "HeightMap.seed: expected a whole number of at least 0, got -1"),
        (lambda: HeightMap(hills=0), "HeightMap.hills: expected a whole number of at least 1, got 0"),
        (lambda: HeightMap(cell=0.07), "HeightMap.size: expected whole numbers of cells of 0.07 m, got 3 m"),
        (lambda: HeightMap(height=0), "HeightMap.height: expected a number above 0, got 0"),
        (lambda: HeightMap(variability=1.5), "HeightMap.variability: expected a number of at most 1, got 1.5"),
        (lambda: HeightMap(mu=(1.0, 0.1)), r"HeightMap.mu: expected \(low, high\), got \(1, 0.1\)"),
        (lambda: HeightMap(mu=(-1.0, 0.1)), "HeightMap.mu: expected a friction coefficient of at least 0"),
        (lambda: HeightMap(mu="rough"), "HeightMap.mu: expected a friction coefficient of at least 0"),
    ],
)
def test_bad_terrain_is_refused(make, text):
    with pytest.raises(InputError, match=text):
        make()
