"""The compiled quadrupeds carry the numbers of the Pacer models, mirrored, with inertias that follow from shapes."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.robots import families
from surefoot.robots.families import with_values
from surefoot.robots.families.links import LINKS, LINKS_LIGHT
from surefoot.robots.families.parts import Bar, Joint
from surefoot.robots.terrains import HeightMap, Plane, Slope

LEGS = ("LF", "RF", "LH", "RH")
SIDES = {"LF": (1, 1), "RF": (1, -1), "LH": (-1, 1), "RH": (-1, -1)}
ROBOTS = {"links": LINKS, "links-light": LINKS_LIGHT}

# Joint and foot centres at zero, base frame, as (x outward, y outward, z) in m: front, hind.
CENTRES = {
    "links": {
        "X1": [(0.115, 0.050, 0), (0.115, 0.050, 0)],
        "Y2": [(0.155, 0.050, 0), (0.166, 0.050, 0)],
        "Y3": [(0.232, 0.050, 0), (0.243, 0.050, 0)],
        "FOOT": [(0.361, 0.050, 0), (0.372, 0.050, 0)],
    },
    "links-light": {
        "X1": [(0.0775, 0.0625, 0), (0.0775, 0.0625, 0)],
        "Y2": [(0.1025, 0.0625, -0.0050), (0.1025, 0.0625, -0.0065)],
        "Y3": [(0.1795, 0.0625, -0.0050), (0.1795, 0.0625, -0.0065)],
        "FOOT": [(0.2795, 0.0625, -0.0050), (0.2795, 0.0625, -0.0065)],
    },
}
# Feet at home, base frame, (x outward, y outward, z) in m: front, hind.
FEET = {
    "links": [(0.1550, 0.0672, -0.1717), (0.1660, 0.0672, -0.1717)],
    "links-light": [(0.1145, 0.0925, -0.1482), (0.1145, 0.0928, -0.1496)],
}


def at(robot, q=None):
    """Model and data of a scene with kinematics at `q` (home if None)."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.home().q if q is None else q
    mujoco.mj_forward(robot.model, data)
    return robot.model, data


def in_base(data, point):
    return data.body("BASE").xmat.reshape(3, 3).T @ (point - data.body("BASE").xpos)


@pytest.mark.parametrize(("name", "mass"), [("links", 4.80), ("links-light", 3.80)])
def test_mass_of_the_whole_robot_and_of_its_links(name, mass):
    model = families.build(name).model
    assert model.body_mass.sum() == pytest.approx(mass, abs=1e-12)
    for leg in LEGS:
        for part in ("HIP", "THIGH", "SHANK"):
            assert model.body(f"{leg}_{part}").mass[0] == pytest.approx(0.10, abs=1e-15)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("leg", LEGS)
def test_joint_and_foot_centres_at_zero(name, leg):
    robot = families.build(name, None)
    _, data = at(robot, np.array([0, 0, 0, 1, 0, 0, 0] + [0] * 12, dtype=float))
    front, left = SIDES[leg]
    for joint, places in CENTRES[name].items():
        x, y, z = places[0 if front > 0 else 1]
        got = data.geom(f"{leg}_FOOT").xpos if joint == "FOOT" else data.joint(f"{leg}_{joint}").xanchor
        np.testing.assert_allclose(got, [front * x, left * y, z], atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("leg", LEGS)
def test_feet_at_home(name, leg):
    _, data = at(families.build(name))
    front, left = SIDES[leg]
    x, y, z = FEET[name][0 if front > 0 else 1]
    np.testing.assert_allclose(in_base(data, data.geom(f"{leg}_FOOT").xpos), [front * x, left * y, z], atol=5.1e-5)
    np.testing.assert_array_equal(data.site(f"{leg}_FOOT").xpos, data.geom(f"{leg}_FOOT").xpos)


def test_stance_of_links_is_the_planners():
    _, data = at(families.build("links"))
    feet = np.array([data.geom(f"{leg}_FOOT").xpos for leg in LEGS])
    # The planner's length is twice that from the base to the front feet; the hind feet are 11 mm further away.
    assert 2 * feet[0, 0] == pytest.approx(0.309926, abs=2e-6)
    assert feet[0, 1] - feet[1, 1] == pytest.approx(0.1344496, abs=2e-7)


@pytest.mark.parametrize("name", ROBOTS)
def test_feet_touch_the_ground_at_home(name):
    robot = families.build(name)
    model, data = at(robot)
    gaps = [data.geom(f"{leg}_FOOT").xpos[2] - model.geom(f"{leg}_FOOT").size[0] for leg in LEGS]
    np.testing.assert_allclose(gaps, 0, atol=1e-12)


def test_links_stands_level_and_the_light_one_leans_on_its_shorter_legs():
    np.testing.assert_array_equal(families.build("links").home().q[:2], [0, 0])
    np.testing.assert_array_equal(families.build("links").home().q[3:7], [1, 0, 0, 0])
    assert families.build("links").home().q[2] == pytest.approx(0.18167, abs=1e-5)
    lean = families.build("links-light").home().q[3:7]
    assert 2 * math.asin(lean[2]) == pytest.approx((0.1496 - 0.1482) / 0.229, abs=5e-4)
    np.testing.assert_allclose(lean[[1, 3]], 0, atol=1e-12)


def test_order_names_axes_and_signs():
    robot = families.build("links")
    assert robot.joints == tuple(f"{leg}_{joint}" for leg in LEGS for joint in ("X1", "Y2", "Y3"))
    np.testing.assert_array_equal(robot.dofs, np.arange(6, 18))
    assert [foot.name for foot in robot.feet] == ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"]
    assert robot.base == "BASE"
    axes = {"LF": [1, 1], "RF": [1, -1], "LH": [-1, 1], "RH": [-1, -1]}
    for leg, (x, y) in axes.items():
        np.testing.assert_array_equal(robot.model.joint(f"{leg}_X1").axis, [x, 0, 0])
        for joint in ("Y2", "Y3"):
            np.testing.assert_array_equal(robot.model.joint(f"{leg}_{joint}").axis, [0, y, 0])
    pattern = np.concatenate([sign * np.array([0.1, 0.8, 1.2]) for sign in (1, -1, -1, 1)])
    np.testing.assert_allclose(robot.home().q[7:], pattern, atol=1e-15)


def test_stops_of_links_and_none_of_the_light_one():
    model = families.build("links").model
    for name in ("LF_X1", "RH_X1"):
        np.testing.assert_allclose(model.joint(name).range, [-0.5236, 5.4105], atol=5e-5)
    for name in ("RF_X1", "LH_X1"):
        np.testing.assert_allclose(model.joint(name).range, [-5.4105, 0.5236], atol=5e-5)
    for leg in LEGS:
        for joint in ("Y2", "Y3"):
            np.testing.assert_allclose(model.joint(f"{leg}_{joint}").range, [-2.618, 2.618], atol=5e-5)
    assert not families.build("links-light").model.jnt_limited.any()


def test_motors():
    model = families.build("links").model
    assert [model.actuator(i).name for i in range(model.nu)] == list(families.build("links").joints)
    np.testing.assert_array_equal(model.actuator_gear[:, 0], np.ones(12))
    assert not model.actuator_ctrllimited.any()
    light = families.build("links-light").model
    assert light.actuator_ctrllimited.all()
    np.testing.assert_array_equal(light.actuator_ctrlrange, [[-7.3, 7.3]] * 12)
    assert {joint.speed for leg in (LINKS_LIGHT.lf, LINKS_LIGHT.rh) for joint in (leg.x1, leg.y2, leg.y3)} == {15.0}


def box_inertia(mass, x, y, z):
    return mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])


def test_inertias_follow_from_the_shapes_with_the_centre_of_mass_mid_limb():
    robot = families.build("links")
    wanted = {
        "BASE": box_inertia(3.6, 0.15, 0.08, 0.05),
        "LF_HIP": box_inertia(0.1, 0.040, 0.03, 0.03),
        "RH_HIP": box_inertia(0.1, 0.051, 0.03, 0.03),
        "RF_THIGH": box_inertia(0.1, 0.077, 0.03, 0.02),
        "LH_SHANK": 0.1 * np.array([0.005**2 / 2, *[0.005**2 / 4 + 0.129**2 / 12] * 2]),
    }
    middle = {"BASE": 0, "LF_HIP": 0.020, "RH_HIP": -0.0255, "RF_THIGH": 0.0385, "LH_SHANK": -0.0645}
    for name, inertia in wanted.items():
        body = robot.model.body(name)
        frame = np.empty(9)
        mujoco.mju_quat2Mat(frame, body.iquat)
        turn = frame.reshape(3, 3)
        np.testing.assert_allclose(turn @ np.diag(body.inertia) @ turn.T, np.diag(inertia), atol=1e-15)
        np.testing.assert_allclose(body.ipos, [middle[name], 0, 0], atol=1e-15)


@pytest.mark.parametrize("name", families.FAMILIES)
def test_every_inertia_is_one_that_a_body_can_have(name):
    model = families.build(name).model
    inertia = np.sort(model.body_inertia[1:], axis=1)
    assert (inertia[:, 0] > 0).all()
    assert (inertia[:, 0] + inertia[:, 1] >= inertia[:, 2] * (1 - 1e-12)).all()


def mirror():
    """Velocities of the robot in a mirror (y -> -y): left and right swap, and so do the signs of their joints."""
    flip = np.zeros((18, 18))
    flip[range(6), range(6)] = [1, -1, 1, -1, 1, -1]
    for left, right in ((6, 9), (12, 15)):
        for k in range(3):
            flip[left + k, right + k] = flip[right + k, left + k] = -1
    return flip


@pytest.mark.parametrize("name", ROBOTS)
@settings(max_examples=20, deadline=None)
@given(angles=st.lists(st.floats(-1.5, 1.5), min_size=12, max_size=12))
def test_the_robot_in_a_mirror_is_the_robot(name, angles):
    robot, flip = families.build(name, None), mirror()
    q = np.array([0, 0, 0, 1, 0, 0, 0, *angles])
    image = np.concatenate([q[:7], flip[6:, 6:] @ q[7:]])
    inertia, feet = [], []
    for pose in (q, image):
        model, data = at(robot, pose)
        full = np.zeros((18, 18))
        mujoco.mj_fullM(model, data, full)
        inertia.append(full)
        feet.append(np.array([data.geom(f"{leg}_FOOT").xpos for leg in LEGS]))
    np.testing.assert_allclose(inertia[1], flip @ inertia[0] @ flip.T, atol=1e-12)
    np.testing.assert_allclose(feet[1], feet[0][[1, 0, 3, 2]] * [1, -1, 1], atol=1e-12)


def test_it_touches_the_world_but_not_itself():
    robot = replace(LINKS, limbs_collide=True).scene()
    q = robot.home().q.copy()
    q[2] = 0.02
    q[7:] = 2.5 * np.sign(q[7:])  # legs folded through base and ground
    model, data = at(robot, q)
    ground = model.geom("ground").id
    assert data.ncon > 4
    assert all(ground in contact.geom for contact in data.contact)


def test_only_base_and_feet_touch_unless_asked():
    robot = families.build("links")
    q = robot.home().q.copy()
    q[2] = 0.02
    model, data = at(robot, q)
    touching = {model.geom(g).name for contact in data.contact for g in contact.geom}
    assert touching <= {"ground", "BASE", "FRONT_BAR", "HIND_BAR", *(f"{leg}_FOOT" for leg in LEGS)}
    assert "BASE" in touching


def test_tare_turns_the_link_and_moves_the_stops():
    robot = with_values(LINKS, {"lf.y3.tare": 0.2, "lf.y3.low": -1.0, "lf.y3.high": 2.0}).scene(None)
    plain = LINKS.scene(None)
    q = np.array([0, 0, 0, 1, 0, 0, 0] + [0.3] * 12)
    turned = q.copy()
    turned[9] += 0.2
    _, data = at(robot, q)
    _, expected = at(plain, turned)
    np.testing.assert_allclose(data.geom("LF_FOOT").xpos, expected.geom("LF_FOOT").xpos, atol=1e-14)
    np.testing.assert_allclose(robot.model.joint("LF_Y3").range, [-1.2, 1.8], atol=1e-15)


def test_hips_follow_the_base():
    robot = with_values(LINKS, {"base.size": (0.17, 0.10, 0.05)}).scene(None)
    np.testing.assert_allclose(robot.model.body("RF_HIP").pos, [0.125, -0.060, 0], atol=1e-15)
    np.testing.assert_allclose(robot.model.geom("FRONT_BAR").pos, [0.105, 0, 0], atol=1e-15)


def test_mass_from_density():
    robot = with_values(LINKS_LIGHT, {"rh.shank.mass": None, "rh.shank.density": 1100.0, "rh.foot.mass": 0.02})
    volume = math.pi * 0.0095**2 * 0.100
    assert robot.scene().model.body("RH_SHANK").mass[0] == pytest.approx(1100 * volume + 0.02, rel=1e-12)


def particle(seed):
    """A robot of Pacer's uncertainty.xml: densities, sizes, axes and zero offsets all a little off."""
    rng = np.random.default_rng(seed)
    values = {"base.mass": None, "base.density": rng.uniform(1200, 2712)}
    values |= {f"base.size.{i}": rng.normal(mean, 0.001) for i, mean in enumerate((0.15, 0.08, 0.05))}
    for leg in ("lf", "rf", "lh", "rh"):
        for limb, mean in (("hip", 0.025), ("thigh", 0.077), ("shank", 0.100)):
            values |= {
                f"{leg}.{limb}.mass": None,
                f"{leg}.{limb}.density": rng.uniform(1000, 1200),
                f"{leg}.{limb}.length": rng.normal(mean, 0.0025),
                f"{leg}.{limb}.radius": rng.normal(0.0095, 0.00083),
            }
        values |= {f"{leg}.foot.mass": None, f"{leg}.foot.density": rng.uniform(1000, 1200)}
        values[f"{leg}.foot.radius"] = rng.normal(0.0085, 0.0005)
        for joint in ("x1", "y2", "y3"):
            values[f"{leg}.{joint}.tare"] = rng.normal(0, 0.025)
            axis = np.array(getattr(getattr(LINKS_LIGHT, leg), joint).axis)
            values[f"{leg}.{joint}.axis"] = tuple(axis + np.where(axis == 0, rng.normal(0, 0.01, 3), 0))
    return with_values(LINKS_LIGHT, values)


@pytest.mark.parametrize("seed", range(8))
def test_a_perturbed_robot_stands_on_three_feet(seed):
    robot = particle(seed)
    model, data = at(robot.scene())
    gaps = np.sort([data.geom(f"{leg}_FOOT").xpos[2] - model.geom(f"{leg}_FOOT").size[0] for leg in LEGS])
    np.testing.assert_allclose(gaps[:3], 0, atol=1e-12)
    assert gaps[3] >= -1e-12
    assert 0.9 < model.body_mass.sum() < 2.1  # Pacer's particles weigh 1.0 to 1.9 kg
    assert np.linalg.norm(model.jnt_axis[1:], axis=1) == pytest.approx(np.ones(12))


@pytest.mark.parametrize("ground", [Slope(0.3, yaw=0.5), HeightMap(seed=2), Plane(z=-0.2)])
def test_home_on_other_ground_touches_without_penetrating(ground):
    robot = families.build("links", ground)
    q = robot.home().q.copy()
    q[2] -= 1e-8
    _, data = at(robot, q)
    assert data.ncon >= 1
    assert data.contact.dist.min() >= -1.01e-8
    q[2] += 1.1e-8
    _, data = at(robot, q)
    assert data.ncon == 0


def test_mujocos_own_engine_holds_it_up():
    robot = families.build("links")
    model, data = at(robot)
    model.opt.timestep = 1e-3
    for _ in range(1000):  # with the gains of Pacer's demonstrations
        data.ctrl[:] = 20 * (robot.home().q[7:] - data.qpos[7:]) - 0.1 * data.qvel[6:]
        mujoco.mj_step(model, data)
    assert data.qpos[2] == pytest.approx(robot.home().q[2], abs=0.02)
    assert data.body("BASE").xmat[8] > 0.99


def test_no_ground():
    robot = families.build("links", None)
    assert robot.surfaces == ()
    assert robot.model.ngeom == families.build("links").model.ngeom - 1


def test_errors():
    with pytest.raises(
        InputError, match="robot: expected one of 'links', 'links-light', 'links-feet', 'arm', 'ur10', got 'lynx'"
    ):
        families.build("lynx")
    with pytest.raises(InputError, match=r"ground: expected a terrain such as Plane\(\), None or 'default', got 0.7"):
        families.build("links", 0.7)
    with pytest.raises(InputError, match=r"Quadruped.base: expected a mass above 0 kg, got 0"):
        replace(LINKS, base=replace(LINKS.base, mass=0.0))
    with pytest.raises(InputError, match=r"Quadruped.lf.thigh: expected a mass above 0 kg, got 0"):
        with_values(LINKS, {"lf.thigh.mass": 0.0})
    with pytest.raises(InputError, match="leg: expected one of 'LF', 'RF', 'LH', 'RH', got 'FL'"):
        LINKS.leg("FL")
    with pytest.raises(InputError, match=r"Joint.axis: expected an axis of some length, got zeros"):
        Joint(axis=(0.0, 0.0, 0.0))
    with pytest.raises(InputError, match=r"Bar.length: expected a number above 0, got -1"):
        Bar(length=-1.0, width=1.0, depth=1.0, mass=1.0)
