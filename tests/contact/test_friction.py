import numpy as np

import surefoot as sf
from surefoot.contact.friction import friction_tables
from surefoot.robots.scene import Surface
from tests.contact.scenes import block, compiled

WORLD = """
<geom name="ground" type="plane" size="5 5 1"/><geom name="wall" type="box" size="1 1 1" pos="9 0 0"/>
<body name="b" pos="0 0 1"><freejoint/><geom name="b" type="sphere" size="0.1"/></body>
"""


def test_a_plane_without_friction_of_its_own_leaves_no_entry():
    scene = sf.scene(None, terrain=sf.Plane(), objects=[sf.Ball(radius=0.1, mass=1, position=(0, 0, 0.1))])
    tables = friction_tables(scene, scene.model)
    assert np.isnan(tables.surface_mu).all()
    assert (tables.surface_map == -1).all()
    assert tables.map_mu.size == 0
    assert tables.map_shape.shape == (0, 2)
    assert tables.map_frame.shape == (0, 4)


def test_each_terrain_geom_has_its_own():
    scene = sf.scene(None, terrain=sf.Curb(mu=0.2, curb_mu=0.9), objects=[])
    tables = friction_tables(scene, scene.model)
    assert tables.surface_mu[scene.model.geom("ground").id] == 0.2
    assert tables.surface_mu[scene.model.geom("curb").id] == 0.9


def test_infinity_and_zero_stay():
    for mu in (0.0, np.inf):
        scene = block(mu=mu)
        assert friction_tables(scene, scene.model).surface_mu[scene.model.geom("ground").id] == mu


def test_several_maps_stand_one_behind_the_other():
    first, second = np.array([[0.1, 0.2, 0.3]]), np.array([[0.5], [0.6]])
    surfaces = [
        Surface("ground", 1.0, first, (-1.0, -2.0), (0.5, 0.25)),
        Surface("wall", None, second, (3.0, 4.0), (1.0, 2.0)),
    ]
    scene = compiled(WORLD, surfaces=surfaces)
    tables = friction_tables(scene, scene.model)
    assert tables.surface_map.tolist() == [0, 1, -1]
    assert tables.map_start.tolist() == [0, 3]
    assert tables.map_mu.tolist() == [0.1, 0.2, 0.3, 0.5, 0.6]
    assert tables.map_shape.tolist() == [[1, 3], [2, 1]]
    assert tables.map_frame.tolist() == [[-1.0, -2.0, 0.5, 0.25], [3.0, 4.0, 1.0, 2.0]]


def test_explicit_pairs():
    scene = compiled(WORLD, '<contact><pair geom1="b" geom2="wall" friction="0.3 0.3 0 0 0"/></contact>')
    tables = friction_tables(scene, scene.model)
    pair = [scene.model.geom("b").id, scene.model.geom("wall").id]
    assert sorted(tables.pair_geoms[0].tolist()) == sorted(pair)
    assert tables.pair_mu.tolist() == [0.3]
