"""Scenes put together: terrain swapped, objects added, names kept apart, the robot on top of the ground."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.robots import families
from surefoot.robots.compose import scene
from surefoot.robots.objects import Ball, Box
from surefoot.robots.scene import Note, Scene, Surface
from surefoot.robots.terrains import Curb, HeightMap, Plane, Slope

XML = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <geom name="wall" type="box" size=".1 1 1" pos="3 0 1"/>
    <body name="lump" pos="0 0 1"><freejoint name="lump"/><geom name="lump" size=".1" mass="1"/></body>
  </worldbody>
  <contact>
    <pair name="rub" geom1="floor" geom2="lump" friction=".3 .3 .1 .1 .1"/>
    <pair name="scrape" geom1="wall" geom2="lump" friction=".2 .2 .1 .1 .1"/>
  </contact>
  <keyframe><key name="home" qpos="0 0 .1 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe>
</mujoco>
"""


def lump(*surfaces):
    """A robot as a file has it: with a floor, a wall, friction pairs and a keyframe."""
    return Scene(mujoco.MjSpec.from_string(XML), name="lump", joints=(), base="lump", surfaces=surfaces)


def gaps(made, q, reach=1e-4):
    """Distances of all contacts with the terrain at `q`, out to `reach`."""
    model = made.model.__copy__()
    model.geom_gap[[model.geom(surface.geom).id for surface in made.surfaces]] = reach
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    return data.contact.dist


def test_robot_terrain_and_objects():
    robot = families.build("links")
    box = Box(size=(0.1, 0.1, 0.1), mass=1, position=(0.5, 0, 0.2), rpy=(0, 0, 0.3))
    ball = Ball(radius=0.05, mass=1, position=(-0.5, 0, 0.3))
    made = scene(robot, terrain=Plane(mu=0.1), objects=[box, ball])
    assert (made.name, made.base, made.joints, made.feet) == ("links", "BASE", robot.joints, robot.feet)
    np.testing.assert_array_equal(made.dofs, robot.dofs)
    assert made.objects == ("box", "ball")
    assert (made.nq, made.nv) == (19 + 14, 18 + 12)
    assert made.surfaces == (Surface("ground", 0.1),)
    np.testing.assert_allclose(made.home().q, np.concatenate([robot.home().q, box.pose, ball.pose]), atol=1e-12)
    # The order in q is MuJoCo's own.
    assert made.model.joint("box").qposadr[0] == 19
    assert made.model.joint("ball").qposadr[0] == 26


def test_the_robot_itself_does_not_change():
    robot = families.build("links")
    before = robot.spec.to_xml()
    scene(robot, terrain=HeightMap(), objects=[Ball(radius=0.1, mass=1)])
    assert robot.spec.to_xml() == before
    assert robot.objects == ()


def test_keeping_and_removing_the_ground():
    robot = families.build("links", Plane(mu=0.3))
    kept = scene(robot, objects=[Ball(radius=0.1, mass=1)])
    assert kept.surfaces == robot.surfaces
    assert kept.model.ngeom == robot.model.ngeom + 1
    bare = scene(robot, terrain=None)
    assert bare.surfaces == ()
    assert bare.model.ngeom == robot.model.ngeom - 1
    np.testing.assert_array_equal(bare.home().q, robot.home().q)


def test_a_scene_can_be_built_upon():
    first = scene(families.build("links"), terrain=HeightMap(), objects=[Ball(radius=0.1, mass=1, position=(1, 1, 1))])
    second = scene(first, terrain=HeightMap(seed=1), objects=[Box(size=(0.1,) * 3, mass=1, position=(-1, -1, 1))])
    third = scene(second, terrain=Curb())
    assert third.objects == ("ball", "box")
    assert [surface.geom for surface in third.surfaces] == ["ground", "curb"]
    assert third.nq == 19 + 14
    np.testing.assert_allclose(third.home().q[19:22], [1, 1, 1])


@settings(max_examples=15, deadline=None)
@given(
    terrain=st.one_of(
        st.builds(Slope, st.floats(-0.9, 0.9), st.floats(-3, 3)),
        st.builds(HeightMap, st.integers(0, 50), height=st.floats(0.01, 0.1)),
        st.builds(Curb, height=st.floats(0.01, 0.1), position=st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))),
        st.builds(Plane, z=st.floats(-2, 2)),
    )
)
def test_a_floating_robot_just_touches(terrain):
    robot = families.build("links")
    made = scene(robot, terrain=terrain)
    q = made.home().q
    distances = gaps(made, q)
    assert distances.size
    assert distances.min() == pytest.approx(0, abs=1e-8)
    np.testing.assert_array_equal(np.delete(q, 2), np.delete(robot.home().q, 2))


def test_a_level_plane_is_touched_exactly_by_all_feet():
    made = scene(families.build("links"), terrain=Plane(mu=0.5, z=0.25))
    np.testing.assert_allclose(gaps(made, made.home().q), 0, atol=1e-12)
    assert len(gaps(made, made.home().q)) == 4


def test_a_bolted_robot_stays_where_it_is():
    robot = families.build("arm")
    made = scene(robot, terrain=Plane(z=-1.0), objects=[Ball(radius=0.1, mass=1)])
    np.testing.assert_array_equal(made.home().q[:11], robot.home().q)
    assert made.base is None


def test_robots_meet_objects_and_objects_each_other():
    robot = families.build("links", None)
    foot = np.array([0.15496347, 0.06722484, 0.01])
    balls = [
        Ball(radius=0.02, mass=1, position=tuple(foot - [0, 0, 0.029]), name="one"),
        Ball(radius=0.02, mass=1, position=tuple(foot - [0, 0, 0.068]), name="two"),
    ]
    made = scene(robot, objects=balls)
    data = mujoco.MjData(made.model)
    made.home().to_mujoco(data)
    mujoco.mj_forward(made.model, data)
    pairs = {frozenset(made.model.geom(g).name for g in contact.geom) for contact in data.contact}
    assert pairs == {frozenset({"LF_FOOT", "one"}), frozenset({"one", "two"})}


def test_objects_alone():
    slope = Slope(0.3, yaw=0.5, mu=0.7)
    block = Box(
        size=(0.2, 0.1, 0.08),
        mass=2,
        position=tuple(0.04 * slope.normal),
        quaternion=tuple(slope.quaternion),
        name="block",
    )
    made = scene(terrain=slope, objects=[block])
    assert (made.joints, made.base, made.feet, made.objects) == ((), None, (), ("block",))
    assert made.nv == 6
    distances = gaps(made, made.home().q)
    assert len(distances) == 4
    np.testing.assert_allclose(distances, 0, atol=1e-12)
    empty = scene(objects=[block])
    assert empty.model.ngeom == 1


def test_keyframes_and_friction_pairs_of_a_file_stay():
    ball = Ball(radius=0.1, mass=1, position=(1, 1, 1))
    made = scene(lump(Surface("floor")), objects=[ball])
    np.testing.assert_allclose(made.model.key_qpos[0], [0, 0, 0.1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0])
    np.testing.assert_allclose(made.model.key_qvel[0], [1] + [0] * 11)
    assert made.model.npair == 2
    np.testing.assert_allclose(made.home().q, made.model.key_qpos[0])


def test_friction_pairs_with_the_old_ground_go_and_are_noted():
    made = scene(lump(Surface("floor")), terrain=Plane(mu=0.4))
    assert made.model.npair == 1
    assert made.model.pair(0).name == "scrape"
    text = "This friction pair went with the terrain that was replaced."
    assert made.notes == (Note("ignored", "floor, lump", text),)
    assert {made.model.geom(i).name for i in range(made.model.ngeom)} == {"ground", "wall", "lump"}


def test_no_ground_under_the_robot_is_said():
    robot = families.build("links")
    q = robot.home().q.copy()
    q[0] = 40.0
    away = Scene(robot.spec.copy(), name="links", joints=robot.joints, base="BASE", surfaces=robot.surfaces, home=q)
    with pytest.raises(InputError, match="terrain: expected ground under the robot at x = 40 m, y = 0 m, found none"):
        scene(away, terrain=HeightMap())


def test_names_must_differ():
    ball = Ball(radius=0.1, mass=1)
    with pytest.raises(
        InputError, match="objects: a body is called 'ball' already; give each object a name of its own"
    ):
        scene(objects=[ball, ball])
    with pytest.raises(InputError, match="objects: a body is called 'LF_HIP' already"):
        scene(families.build("links"), objects=[Ball(radius=0.1, mass=1, name="LF_HIP")])
    with pytest.raises(InputError, match="objects: a geom is called 'ground' already"):
        scene(families.build("links"), objects=[Ball(radius=0.1, mass=1, name="ground")])
    spec = families.build("links").spec.copy()
    blind = Scene(spec, name="links", joints=(), base="BASE")  # it does not know that "ground" is its ground
    text = "terrain: it cannot stand beside what the robot's file holds: Error: repeated name 'ground' in geom"
    with pytest.raises(InputError, match=text):
        scene(blind, terrain=Plane())


def test_bad_input():
    with pytest.raises(InputError, match=r"robot: expected a robot from load\(\) or None, got 'links'"):
        scene("links")
    with pytest.raises(InputError, match=r"terrain: expected a terrain such as Plane\(\), None or 'keep', got 'mud'"):
        scene(families.build("links"), terrain="mud")
    with pytest.raises(InputError, match=r"objects: expected a list such as \[Box\(...\)\], got Ball"):
        scene(objects=Ball(radius=0.1, mass=1))
    with pytest.raises(InputError, match="objects: expected a Box, a Ball or the like, got 3"):
        scene(objects=[3])
    with pytest.raises(InputError, match="objects: expected a list"):
        scene(objects=math.pi)
