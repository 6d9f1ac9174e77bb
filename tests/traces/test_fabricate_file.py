"""Particles of robots from files: names, nominal bit for bit, and what each value does."""

import math
import pickle

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.robots.load import load
from surefoot.traces.distributions import Normal
from surefoot.traces.draws import Draws
from surefoot.traces.fabricate import Parts, build
from surefoot.traces.parameters import Uncertainty, values
from tests.robots.files import mjcf, walker, write
from tests.traces.test_design import inertia
from tests.traces.test_fabricate import same_models
from tests.traces.test_start import deepest, touches

LEG = """
<body name="trunk" pos="0 0 0.5"><freejoint name="root"/><geom name="trunk" type="box" size="0.2 0.1 0.05" mass="3"/>
  <body name="{0}" pos="0 0.1 0"><joint name="{0}_hip" axis="0 1 0" range="-40 80" ref="10" damping="0.2"/>
    <geom name="{0}_rod" type="cylinder" pos="0 0 -0.2" size="0.02 0.2" density="800"/>
    <site name="{0}_end" pos="0 0 -0.4"/>
    <body name="{0}_foot" pos="0 0 -0.4"><joint name="{0}_ankle" axis="1 0 0" armature="0.01" frictionloss="0.3"/>
      <geom name="{0}_ball" size="0.03" pos="0 0 -0.1" mass="0.1"/>
    </body></body></body>"""


@pytest.fixture
def one_leg(tmp_path):
    return write(tmp_path, mjcf(LEG.format("leg")), "hopper.xml")


def moved(path, values, terrain="keep"):
    return build(Parts(path, terrain), values).scene.model


def test_names_and_nominal_values(one_leg):
    names = {name: value for name, value in Parts(one_leg).names.items() if name.startswith("robot.")}
    leg = 800 * math.pi * 0.02**2 * 0.4
    assert names.pop("robot.leg.mass") == pytest.approx(leg, rel=1e-12)
    assert names == {
        "robot.trunk.mass": pytest.approx(3.0),
        "robot.trunk.length": 1.0,
        "robot.leg.length": 1.0,
        "robot.leg_foot.mass": pytest.approx(0.1),
        "robot.leg_foot.length": 1.0,
        "robot.leg.place.0": 0.0,
        "robot.leg.place.1": 0.1,
        "robot.leg.place.2": 0.0,
        "robot.leg_foot.place.0": 0.0,
        "robot.leg_foot.place.1": 0.0,
        "robot.leg_foot.place.2": -0.4,
        "robot.trunk.size.0": 0.4,
        "robot.trunk.size.1": 0.2,
        "robot.trunk.size.2": 0.1,
        "robot.leg_rod.radius": 0.02,
        "robot.leg_ball.radius": 0.03,
        "robot.leg_hip.axis.tilt1": 0.0,
        "robot.leg_hip.axis.tilt2": 0.0,
        "robot.leg_hip.tare": 0.0,
        "robot.leg_hip.damping": 0.2,
        "robot.leg_hip.friction": 0.0,
        "robot.leg_hip.armature": 0.0,
        "robot.leg_ankle.axis.tilt1": 0.0,
        "robot.leg_ankle.axis.tilt2": 0.0,
        "robot.leg_ankle.tare": 0.0,
        "robot.leg_ankle.damping": 0.0,
        "robot.leg_ankle.friction": 0.3,
        "robot.leg_ankle.armature": 0.01,
    }


@pytest.mark.parametrize("terrain", ["keep", sf.Plane(mu=0.8), None], ids=["keep", "plane", "none"])
def test_particle_0_is_the_nominal_plant_bit_for_bit(one_leg, terrain):
    parts = Parts(one_leg, terrain)
    built = build(parts, parts.names)
    wanted = load(one_leg) if terrain == "keep" else sf.scene(load(one_leg), terrain=terrain)
    assert same_models(built.scene.model, wanted.model)
    assert built.state == wanted.home()


def test_a_heavier_body_has_more_inertia_of_the_same_shape(one_leg):
    before, after = load(one_leg).model, moved(one_leg, {"robot.leg.mass": 1.0, "robot.trunk.mass": 4.5})
    for name, mass in (("leg", 1.0), ("trunk", 4.5)):
        factor = mass / before.body(name).mass[0]
        assert after.body(name).mass[0] == pytest.approx(mass, rel=1e-14)
        np.testing.assert_allclose(inertia(after, name), factor * inertia(before, name), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(after.body(name).ipos, before.body(name).ipos, atol=1e-15)
    np.testing.assert_array_equal(after.body("leg_foot").inertia, before.body("leg_foot").inertia)


def test_a_longer_cylinder_is_that_of_the_formula(one_leg):
    model = moved(one_leg, {"robot.leg.length": 1.5})
    length, mass = 0.6, 800 * math.pi * 0.02**2 * 0.6
    assert model.body("leg").mass[0] == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(model.body("leg").ipos, [0, 0, -0.3], atol=1e-12)
    across, along = mass * (3 * 0.02**2 + length**2) / 12, mass * 0.02**2 / 2
    np.testing.assert_allclose(inertia(model, "leg"), np.diag([across, across, along]), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(model.geom("leg_rod").size, [0.02, 0.3, 0], atol=1e-15)
    np.testing.assert_allclose(model.geom("leg_rod").pos, [0, 0, -0.3], atol=1e-15)
    np.testing.assert_allclose(model.body("leg_foot").pos, [0, 0, -0.6], atol=1e-15)
    np.testing.assert_allclose(model.site("leg_end").pos, [0, 0, -0.6], atol=1e-15)


def test_a_longer_body_is_the_one_that_mujoco_makes_of_the_longer_file(one_leg, tmp_path):
    text = LEG.format("leg").replace('pos="0 0 -0.2" size="0.02 0.2"', 'pos="0 0 -0.24" size="0.02 0.24"')
    longer = load(write(tmp_path, mjcf(text.replace('"0 0 -0.4"', '"0 0 -0.48"')), "longer.xml")).model
    model = moved(one_leg, {"robot.leg.length": 1.2})
    for field in ("body_mass", "body_pos", "body_ipos", "geom_size", "geom_pos", "site_pos"):
        np.testing.assert_allclose(getattr(model, field), getattr(longer, field), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(inertia(model, "leg"), inertia(longer, "leg"), rtol=1e-10, atol=1e-15)


def test_a_length_and_a_mass_together(one_leg):
    model = moved(one_leg, {"robot.leg.mass": 1.0, "robot.leg.length": 1.5})
    across, along = (3 * 0.02**2 + 0.6**2) / 12, 0.02**2 / 2
    np.testing.assert_allclose(inertia(model, "leg"), np.diag([across, across, along]), rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize(
    ("geom", "size"),
    [
        ('type="box" pos="0.2 0 0" size="0.2 0.03 0.01"', [0.4, 0.03, 0.01]),
        ('type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"', [0.02, 0.4, 0]),
        ('type="capsule" pos="0.2 0 0" euler="0 90 0" size="0.02 0.2"', [0.02, 0.4, 0]),
        ('type="ellipsoid" pos="0.2 0 0" size="0.2 0.03 0.01"', [0.4, 0.03, 0.01]),
        ('type="cylinder" pos="0.2 0 0" size="0.02 0.03"', [0.02, 0.03, 0]),
        ('type="sphere" pos="0.2 0 0" size="0.02"', [0.02, 0, 0]),
    ],
)
def test_what_lies_along_the_length_grows(tmp_path, geom, size):
    inside = f'<body name="arm"><joint name="j" axis="0 0 1"/><geom name="g" {geom}/></body>'
    model = moved(write(tmp_path, mjcf(inside), "arm.xml"), {"robot.arm.length": 2.0})
    np.testing.assert_allclose(model.geom("g").size, size, atol=1e-12)
    np.testing.assert_allclose(model.geom("g").pos, [0.4, 0, 0], atol=1e-12)


@pytest.mark.parametrize("kind", ["box", "ellipsoid"])
def test_a_stretched_brick_is_that_of_mujoco(tmp_path, kind):
    def file(name, half):
        geom = f'<geom name="g" type="{kind}" pos="{half} 0 0" size="{half} 0.03 0.01" density="500"/>'
        return write(tmp_path, mjcf(f'<body name="arm"><joint name="j" axis="0 0 1"/>{geom}</body>'), name)

    model = moved(file("short.xml", 0.2), {"robot.arm.length": 1.25})
    longer = load(file("long.xml", 0.25)).model
    np.testing.assert_allclose(inertia(model, "arm"), inertia(longer, "arm"), rtol=1e-10, atol=1e-15)
    assert model.body("arm").mass[0] == pytest.approx(longer.body("arm").mass[0], rel=1e-12)


def test_a_placement_moves_a_body_and_what_hangs_on_it(one_leg):
    before = load(one_leg, ground=None).model
    after = moved(one_leg, {"robot.leg.place.0": 0.05, "robot.leg.place.2": -0.02}, None)
    np.testing.assert_array_equal(after.body("leg").pos, [0.05, 0.1, -0.02])
    fields = ("body_mass", "body_ipos", "body_iquat", "body_inertia", "geom_pos", "geom_size", "jnt_range", "site_pos")
    for field in fields:
        np.testing.assert_array_equal(getattr(after, field), getattr(before, field), err_msg=field)
    places = []
    for model in (before, after):
        data = mujoco.MjData(model)
        data.qpos[7:] = [0.4, -0.3]
        mujoco.mj_kinematics(model, data)
        places.append(data.xpos - data.xpos[1])
    np.testing.assert_allclose(places[1][2:] - places[0][2:], [[0.05, 0, -0.02]] * 2, atol=1e-15)


def test_a_placement_counts_before_its_parent_is_stretched(one_leg):
    model = moved(one_leg, {"robot.leg_foot.place.2": -0.5, "robot.leg_foot.place.0": 0.1, "robot.leg.length": 1.2})
    np.testing.assert_allclose(model.body("leg_foot").pos, [0.1, 0, -0.6], atol=1e-15)


def test_bodies_without_a_placement(tmp_path):
    world = LEG.format("leg").replace('<body name="leg_foot"', '<frame pos="0 0 0.1"><body name="leg_foot"')
    world = world.replace("</body></body></body>", "</body></frame></body></body>")
    names = Parts(write(tmp_path, mjcf(world), "framed.xml")).names
    assert {name for name in names if ".place." in name} == {f"robot.leg.place.{k}" for k in range(3)}
    fused = write(tmp_path, mjcf(LEG.format("leg"), before='<compiler fusestatic="true"/>'), "fused.xml")
    assert not [name for name in Parts(fused).names if ".place." in name]
    ball = sf.Ball(radius=0.1, mass=1.0, position=(1, 0, 1))
    names = Parts(sf.scene(load(write(tmp_path, walker())), objects=[ball])).names
    assert {name.split(".")[1] for name in names if ".place." in name} == {
        f"{side}_{part}" for side in ("left", "right", "hind") for part in ("leg", "foot")
    }


def test_a_bolted_base_and_links_without_mass_have_placements(tmp_path):
    arm = '<body name="base" pos="0 0 1"><geom size="0.1"/><body name="arm"><joint name="j"/><geom size="0.1"/>'
    path = write(tmp_path, mjcf(arm + '<body name="tip" pos="1 0 0"/></body></body>'), "arm.xml")
    model = moved(path, {"robot.base.place.2": 1.5, "robot.tip.place.0": 0.9})
    np.testing.assert_array_equal([model.body("base").pos[2], model.body("tip").pos[0]], [1.5, 0.9])


def test_inertia_follows_sizes_where_it_comes_from_shapes(one_leg, tmp_path):
    """A box and a rod of some density, by their formulae; what the file weighs stays."""
    model, before = moved(one_leg, {"robot.trunk.size.1": 0.3, "robot.leg_rod.radius": 0.03}), load(one_leg).model
    np.testing.assert_array_equal(model.geom("trunk").size, [0.2, 0.15, 0.05])
    assert model.geom("leg_rod").size[0] == 0.03
    assert model.body("trunk").mass[0] == before.body("trunk").mass[0]  # of a given mass
    box = 3.0 / 12 * np.array([0.3**2 + 0.1**2, 0.4**2 + 0.1**2, 0.4**2 + 0.3**2])
    np.testing.assert_allclose(np.sort(model.body("trunk").inertia), np.sort(box), rtol=1e-12)
    rod = before.geom("leg_rod")
    more = 800 * np.pi * (0.03**2 - 0.02**2) * 2 * rod.size[1]  # of a given density
    assert model.body("leg").mass[0] - before.body("leg").mass[0] == pytest.approx(more, rel=1e-12)
    ends = '<body name="arm"><joint name="j"/><geom name="g" type="box" fromto="0 0 0 1 0 0" size="0.1"/></body>'
    assert not [name for name in Parts(write(tmp_path, mjcf(ends), "ends.xml")).names if ".size." in name]


def test_a_size_and_a_mass_together(one_leg):
    model = moved(one_leg, {"robot.trunk.size.1": 0.3, "robot.trunk.mass": 6.0})
    wider = moved(one_leg, {"robot.trunk.size.1": 0.3})
    np.testing.assert_allclose(inertia(model, "trunk"), 2 * inertia(wider, "trunk"), rtol=1e-12, atol=1e-15)


def test_radius_axis_and_losses(one_leg):
    values = {"robot.leg_ball.radius": 0.04, "robot.leg_hip.axis.tilt1": 0.1, "robot.leg_ankle.friction": 0.5}
    values |= {"robot.leg_hip.damping": 0.7, "robot.leg_hip.armature": 0.02, "robot.leg_ankle.axis.tilt2": -0.2}
    model, before = moved(one_leg, values), load(one_leg).model
    assert model.geom("leg_ball").size[0] == 0.04
    np.testing.assert_array_equal(model.body_mass, before.body_mass)
    np.testing.assert_allclose(model.joint("leg_hip").axis, np.array([0, 1, 0.1]) / math.hypot(1, 0.1))
    np.testing.assert_allclose(model.joint("leg_ankle").axis, np.array([1, 0, -0.2]) / math.hypot(1, 0.2))
    assert model.joint("leg_hip").damping[0] == 0.7
    assert model.joint("leg_hip").armature[0] == 0.02
    assert model.joint("leg_ankle").frictionloss[0] == 0.5


def test_a_tare_turns_the_leg_and_leaves_the_stops_where_they_are(one_leg):
    before, after = load(one_leg).model, moved(one_leg, {"robot.leg_hip.tare": 0.1, "robot.leg_ankle.tare": -0.2})
    np.testing.assert_allclose(after.joint("leg_hip").range, before.joint("leg_hip").range - 0.1, rtol=1e-12)
    assert not after.jnt_limited[after.joint("leg_ankle").id]
    turned = []
    for model, hip in ((before, 0.3), (after, 0.2)):  # the same true angle
        data = mujoco.MjData(model)
        data.qpos[7:] = [hip, 0.0 if model is before else 0.2]
        mujoco.mj_kinematics(model, data)
        turned.append(data.xpos.copy() - data.xpos[1])
    np.testing.assert_allclose(turned[0], turned[1], atol=1e-12)


def test_a_longer_leg_stands_on_the_ground(one_leg):
    for terrain in ("keep", sf.Plane(mu=0.5, z=0.1), sf.Curb(height=0.02, position=(0.0, 0.0))):
        built = build(Parts(one_leg, terrain), {"robot.leg.length": 1.3})
        assert touches(built.scene, built.state.q)
    lowered = build(Parts(one_leg), {"start.z": -0.1, "start.roll": 0.05})
    assert deepest(lowered.scene, lowered.state.q) > -1e-12


def test_its_own_plane_has_names(one_leg):
    parts = Parts(one_leg)
    assert {name for name in parts.names if name.startswith("ground.")} == {"ground.mu", "ground.z"}
    assert build(parts, {"ground.mu": 0.3}).scene.surfaces[0].mu == 0.3


def test_a_ground_that_is_no_terrain_of_ours_is_kept(tmp_path):
    world = '<geom name="table" type="box" size="1 1 0.1"/>' + LEG.format("leg")
    path = write(tmp_path, mjcf(world), "hopper.xml")
    parts = Parts(path)
    assert not [name for name in parts.names if name.startswith("ground.")]
    built = build(parts, {"robot.leg.length": 1.3})
    assert touches(built.scene, built.state.q, tolerance=1e-10)
    assert build(parts, {"start.z": -0.01}).state.q[2] == parts.scene.home().q[2] - 0.01


@pytest.mark.filterwarnings("ignore:compiler attribute 'settotalmass' is deprecated")
def test_masses_of_files_that_set_a_total_or_count_geoms_alone(tmp_path):
    for compiler in ('settotalmass="7"', 'inertiafromgeom="true"'):
        path = write(tmp_path, mjcf(LEG.format("leg"), before=f"<compiler {compiler}/>"), "hopper.xml")
        before, after = load(path).model, moved(path, {"robot.leg.mass": 2.0})
        assert after.body("leg").mass[0] == pytest.approx(2.0, rel=1e-12)
        np.testing.assert_allclose(after.body("trunk").mass, before.body("trunk").mass, rtol=1e-12)
        np.testing.assert_allclose(inertia(after, "trunk"), inertia(before, "trunk"), rtol=1e-10, atol=1e-15)


def test_bodies_with_frames_or_fused_have_no_length(tmp_path):
    framed = LEG.format("leg").replace(
        '<site name="leg_end"', '<frame pos="0 0 0"><geom size="0.01"/></frame><site name="leg_end"'
    )
    names = Parts(write(tmp_path, mjcf(framed), "framed.xml")).names
    assert "robot.leg.length" not in names
    assert "robot.leg_foot.length" in names
    fused = write(tmp_path, mjcf(LEG.format("leg"), before='<compiler fusestatic="true"/>'), "fused.xml")
    assert not [name for name in Parts(fused).names if name.endswith((".mass", ".length")) and "robot" in name]


def test_a_urdf(tmp_path):
    path = write(tmp_path, walker())
    parts = Parts(path, sf.Plane(mu=0.9))
    built = build(parts, {"robot.left_leg.length": 1.1, "robot.left_leg.mass": 0.6, "robot.left_hip.tare": 0.01})
    model = built.scene.model
    np.testing.assert_allclose(model.body("left_foot").pos, [0, 0, -0.33], atol=1e-12)
    assert model.body("left_leg").mass[0] == pytest.approx(0.6)
    assert model.joint("left_hip").range[0] == pytest.approx(-1.01)
    assert touches(built.scene, built.state.q)


def test_a_scene_with_objects_keeps_them(one_leg):
    ball = sf.Ball(radius=0.1, mass=1.0, position=(1, 0, 1))
    own = sf.scene(load(one_leg), objects=[ball])
    parts = Parts(own, objects=(sf.Box(size=(0.1, 0.1, 0.1), mass=1.0, position=(2, 0, 1)),))
    assert not [name for name in parts.names if name.startswith("robot.ball")]
    built = build(parts, {"robot.leg.length": 1.1, "object.box.position.0": 2.5})
    assert built.scene.objects == ("ball", "box")
    np.testing.assert_allclose(built.state.q[-7], 2.5)
    np.testing.assert_allclose(built.state.q[-14:-11], [1, 0, 1])


def test_keyframes_stay(tmp_path):
    key = '<keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2"/></keyframe>'
    parts = Parts(write(tmp_path, mjcf(LEG.format("leg"), key), "hopper.xml"), sf.Plane())
    state = build(parts, {"robot.leg.length": 1.1}).state
    np.testing.assert_allclose(state.q[7:], [0.1, 0.2])


def test_draws_of_everything_build(one_leg):
    parts = Parts(one_leg, sf.Plane(mu=0.8))
    spread = {"robot.*.mass": Normal(0.1, factor=True), "robot.*.length": Normal(0.05), "robot.*.axis": Normal(0.01)}
    spread |= {"robot.*.place.*": Normal(0.002), "robot.*.size.*": Normal(0.02, factor=True)}
    spread |= {"robot.*.radius": Normal(0.05, factor=True), "robot.*.tare": Normal(0.025), "start.*": Normal(0.003)}
    resolved = Uncertainty(spread).resolve(parts.names)
    masses = [build(parts, values(resolved, p, Draws(0))).scene.mass for p in range(1, 6)]
    assert len(set(masses)) == 5


def test_the_same_values_give_the_same_bits_after_a_pickle(one_leg):
    parts = Parts(one_leg, sf.Plane(mu=0.8))
    drawn = {"robot.leg.length": 1.1, "robot.leg_hip.tare": 0.01, "ground.mu": 0.3, "start.roll": 0.02}
    first, again = build(parts, drawn), build(pickle.loads(pickle.dumps(parts)), drawn)
    assert same_models(first.scene.model, again.scene.model)
    assert first.state == again.state


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"robot.leg.length": 0.0}, "robot.leg.length: expected a number above 0, got 0"),
        ({"robot.leg.mass": -1.0}, "robot.leg.mass: expected a number above 0, got -1"),
        ({"robot.leg.place.1": math.inf}, "robot.leg.place.1: expected a finite number, got inf"),
        ({"robot.trunk.size.2": 0.0}, "robot.trunk.size.2: expected a number above 0, got 0"),
        ({"robot.leg_ball.radius": math.nan}, "robot.leg_ball.radius: expected a finite number, got nan"),
        ({"robot.leg_hip.tare": math.inf}, "robot.leg_hip.tare: expected a finite number, got inf"),
        ({"robot.leg_hip.damping": -0.1}, "robot.leg_hip.damping: expected a number of at least 0, got -0.1"),
    ],
)
def test_what_makes_no_sense_is_refused(one_leg, values, text):
    with pytest.raises(InputError) as error:
        build(Parts(one_leg), values)
    assert str(error.value) == text
