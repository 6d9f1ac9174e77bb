import copy
import pickle
import shutil
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from PIL import Image

import surefoot as sf
from surefoot.errors import ModelError
from surefoot.robots import packing
from surefoot.robots.families import FAMILIES
from surefoot.robots.load import load
from tests.robots.files import from_mjcf, tetrahedron, write

ODD = {
    "before": (
        '<compiler angle="degree" eulerseq="zyx"/><default><geom friction="0.3333333333333"/><default class="leg">'
        '<geom size="0.0123456789012"/><joint damping="0.0123456789012"/></default></default>'
        '<asset><mesh name="tetra" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1234567890123"/></asset>'
    ),
    "world": (
        '<body name="base" pos="0 0 1.234567890123" euler="10 20 30.123456789"><freejoint/>'
        '<geom type="mesh" mesh="tetra" euler="1 2 3"/>'
        '<frame pos="0.0111111111111 0 0"><body name="one" childclass="leg">'
        '<joint name="a" axis="0 1 0" range="-33.33333333333 44.44444444"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 -.11111111111"/><site name="here" pos="0 0 -.1"/></body></frame>'
        '<body name="two" pos=".1 0 0"><inertial pos="0 0.001 0" mass=".1234567890123" '
        'fullinertia="0.0011 .0012 .0013 .0000111111111 0 0"/><joint name="b" axis="1 0.1234567890123 0"/>'
        '<geom size=".0222222222222"/><site name="there"/></body></body>'
    ),
    "rest": (
        '<tendon><spatial name="rope" springlength="0.1234567890123"><site site="here"/><site site="there"/></spatial>'
        '</tendon><equality><joint joint1="a" joint2="b" polycoef="0 .333333333333333 0 0 0"/>'
        '<connect body1="one" body2="two" anchor="0 0 .1111111111111"/></equality>'
        '<actuator><motor joint="a" gear="3.33333333333"/><position joint="b" kp="12.3456789012"/></actuator>'
        '<keyframe><key qpos="0 0 1.123456789012 1 0 0 0 .123456789 .1"/></keyframe>'
    ),
}


def same_bits(first: mujoco.MjModel, second: mujoco.MjModel) -> None:
    for name in dir(first):
        value = getattr(first, name)
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, getattr(second, name)), name


def through(scene):
    return pickle.loads(pickle.dumps(scene))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_bundled_robot_comes_back_bit_for_bit(name):
    robot = load(name)
    again = through(robot)
    same_bits(again.model, robot.model)
    same_bits(again.spec.compile(), robot.model)
    assert repr(again) == repr(robot)
    assert (again.joints, again.feet, again.notes) == (robot.joints, robot.feet, robot.notes)
    assert again.home() == robot.home()
    assert np.array_equal(again.dofs, robot.dofs)


def test_numbers_that_six_digits_would_spoil_come_back(tmp_path):
    scene = from_mjcf(tmp_path, **ODD)
    again = through(scene)
    same_bits(again.model, scene.model)
    same_bits(again.spec.compile(), scene.model)


def test_terrain_objects_and_friction_maps_come_back():
    ground = sf.HeightMap(seed=3, size=(1.0, 1.0), cell=0.1, hills=20, mu=(0.1, 0.9))
    box = sf.Box(size=(0.1, 0.2, 0.3), mass=1 / 3, rpy=(0.1, 0.2, 0.3))
    scene = sf.scene(sf.load("links"), terrain=ground, objects=[box])
    again = through(scene)
    same_bits(again.spec.compile(), scene.model)
    assert again.objects == ("box",)
    mine, other = scene.surfaces[0], again.surfaces[0]
    assert mine.grid is not None
    assert np.array_equal(mine.grid, other.grid)
    assert (mine.geom, mine.origin, mine.cell) == (other.geom, other.origin, other.cell)


def test_a_scene_that_came_back_takes_a_new_terrain_as_the_first_would():
    robot = sf.load("links")
    first, second = (sf.scene(one, terrain=sf.Plane(mu=1 / 3)) for one in (robot, through(robot)))
    same_bits(first.model, second.model)


@pytest.mark.parametrize(
    ("folders", "mesh", "field", "texture"),
    [
        ("", "meshes/tetra.stl", "meshes/hills.png", "pictures/grey.png"),
        ('meshdir="meshes" texturedir="pictures"', "tetra.stl", "hills.png", "grey.png"),
        ('assetdir="meshes"', "tetra.stl", "hills.png", "../pictures/grey.png"),
        ('strippath="true" meshdir="meshes" texturedir="pictures"', "lost/tetra.stl", "lost/hills.png", "x/grey.png"),
    ],
)
def test_a_scene_brings_its_files_to_a_place_that_lacks_them(tmp_path, folders, mesh, field, texture):
    home = tmp_path / "home"
    write(home, tetrahedron(), "meshes/tetra.stl")
    (home / "pictures").mkdir()
    Image.new("L", (4, 4), 77).save(home / "pictures" / "grey.png")
    Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4)).save(home / "meshes" / "hills.png")
    scene = from_mjcf(
        home,
        before=(
            f'<compiler {folders}/><asset><mesh file="{mesh}"/><hfield name="hills" file="{field}" size="1 1 .1 .1"/>'
            f'<texture name="grey" type="2d" file="{texture}"/><material name="paint" texture="grey"/></asset>'
        ),
        world=(
            '<geom type="hfield" hfield="hills" material="paint"/>'
            '<body name="rock" pos="0 0 1"><freejoint/><geom type="mesh" mesh="tetra"/></body>'
        ),
    )
    write(tmp_path, pickle.dumps(scene), "scene.pickle")
    shutil.rmtree(home)
    # A new process: MuJoCo keeps files that it has read once.
    code = (
        "import pickle, sys; scene = pickle.load(open(sys.argv[1], 'rb')); model = scene.spec.compile(); "
        "print(model.mesh_vert.tobytes() == scene.model.mesh_vert.tobytes(), "
        "model.hfield_data.tobytes() == scene.model.hfield_data.tobytes(), model.ntex)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "scene.pickle"], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["True", "True", "1"]


def test_a_scene_whose_files_went_away_says_so(tmp_path):
    write(tmp_path, tetrahedron(), "tetra.stl")
    scene = from_mjcf(
        tmp_path,
        before='<asset><mesh file="tetra.stl"/></asset>',
        world='<body name="rock"><freejoint/><geom type="mesh" mesh="tetra"/></body>',
    )
    (tmp_path / "tetra.stl").unlink()
    with pytest.raises(
        ModelError, match="cannot be copied or pickled: MuJoCo cannot compile this model: Error opening"
    ):
        pickle.dumps(scene)


def test_packing_leaves_the_spec_as_it_was():
    robot = sf.load("links")
    before = robot.spec.to_xml()
    packing.pack(robot.spec)
    assert robot.spec.to_xml() == before


def test_a_deep_copy_shares_nothing():
    robot = sf.load("arm")
    other = copy.deepcopy(robot)
    other.model.opt.gravity[2] = 0.0
    other.spec.option.gravity = [0, 0, -1.0]
    assert robot.model.opt.gravity[2] == -9.81
    assert robot.spec.option.gravity[2] == -9.81
    assert other.joints == robot.joints


@pytest.mark.real
@pytest.mark.parametrize("name", ["solo12", "panda", "talos"])
def test_real_robots_come_back_with_their_meshes(name):
    robot = load(f"example:{name}")
    again = through(robot)
    same_bits(again.model, robot.model)
    assert np.array_equal(again.spec.compile().mesh_vert, robot.model.mesh_vert)
