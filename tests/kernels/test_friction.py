import numpy as np
import pytest

import surefoot as sf
from surefoot.robots.scene import Surface
from tests.contact.scenes import compiled, found

BALL = (
    '<body name="{0}" pos="{1} 0 0.1"><freejoint/><geom name="{0}" type="sphere" size="0.1" friction="{2}" {3}/></body>'
)
GROUND = '<geom name="ground" type="plane" size="5 5 1" friction="0.4" {0}/>'


def mu_of(world, rest="", **settings):
    return found(compiled(world, rest, **settings)).contacts().mu


# The order: explicit pair > friction map > terrain > MuJoCo's rule


@pytest.mark.parametrize(("ball", "expected"), [("0.2", 0.4), ("0.9", 0.9)])
def test_mujocos_rule_is_the_larger_of_the_two(ball, expected):
    assert mu_of(GROUND.format("") + BALL.format("b", 0, ball, "")).tolist() == [expected]


@pytest.mark.parametrize(
    ("ground", "ball", "expected"), [("", 'priority="1"', 0.2), ('priority="2"', 'priority="1"', 0.4)]
)
def test_or_that_of_the_higher_priority(ground, ball, expected):
    assert mu_of(GROUND.format(ground) + BALL.format("b", 0, "0.2", ball)).tolist() == [expected]


def test_a_terrains_friction_beats_mujocos_rule():
    world = GROUND.format("") + BALL.format("b", 0, "0.9", 'priority="5"')
    for mu in (0.05, 0.0, np.inf):
        assert mu_of(world, surfaces=[Surface("ground", mu)]).tolist() == [mu]


def test_a_map_beats_its_terrain_and_is_read_at_the_point():
    world = GROUND.format("") + "".join(BALL.format(f"b{x}", x, "0.9", "") for x in (-1, 0, 1))
    grid = np.array([[0.1, 0.2, 0.3]])
    surface = Surface("ground", 0.7, grid, origin=(-1.5, -0.5), cell=(1.0, 1.0))
    assert mu_of(world, surfaces=[surface]).tolist() == [0.1, 0.2, 0.3]


def test_rows_of_a_map_run_along_y_and_beyond_its_edge_the_nearest_cell_counts():
    grid = np.array([[0.1, 0.2], [0.3, 0.4]])
    surface = Surface("ground", None, grid, origin=(0.0, 0.0), cell=(1.0, 1.0))
    world = '<body name="b{0}" pos="{1} {2} 0.1"><freejoint/><geom type="sphere" size="0.1"/></body>'
    places = [(0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5), (-3, -3), (4, 0.5), (4, 4)]
    balls = "".join(world.format(i, *place) for i, place in enumerate(places))
    assert mu_of(GROUND.format("") + balls, surfaces=[surface]).tolist() == [0.1, 0.2, 0.3, 0.4, 0.1, 0.2, 0.4]


def test_a_map_turns_with_its_geom():
    grid = np.array([[0.1, 0.2]])  # 0.2 lies towards the geom's x, here world y
    surface = Surface("ground", None, grid, origin=(-1.0, -0.5), cell=(1.0, 1.0))
    world = GROUND.format('euler="0 0 90"')
    world += '<body name="b" pos="0 0.5 0.1"><freejoint/><geom type="sphere" size="0.1"/></body>'
    assert mu_of(world, surfaces=[surface]).tolist() == [0.2]


def test_an_explicit_pair_beats_all():
    grid = np.array([[0.1]])
    world = GROUND.format("") + BALL.format("b", 0, "0.9", "")
    for geoms in ('geom1="b" geom2="ground"', 'geom1="ground" geom2="b"'):
        rest = f'<contact><pair {geoms} friction="0.33 0.33 0 0 0"/></contact>'
        assert mu_of(world, rest, surfaces=[Surface("ground", 0.7, grid)]).tolist() == [0.33]


def test_a_contact_of_one_dimension_has_no_friction():
    world = GROUND.format('condim="1"') + BALL.format("b", 0, "0.9", 'condim="1"')
    assert mu_of(world).tolist() == [0.0]


def test_objects_rub_as_they_say():
    boxes = [
        sf.Box(size=(0.2, 0.2, 0.2), mass=1, position=(0, 0, 0.1), name="low", mu=0.25),
        sf.Box(size=(0.1, 0.1, 0.1), mass=1, position=(0, 0, 0.25), name="high"),
    ]
    contacts = found(sf.scene(None, terrain=sf.Plane(mu=0.6), objects=boxes)).contacts()
    mu = {pair: m for pair, m in zip(contacts.bodies, contacts.mu.tolist(), strict=True)}
    assert mu[("low", "world")] == 0.6
    assert {m for (a, b), m in mu.items() if {a, b} == {"low", "high"}} == {0.25}


def test_a_height_maps_friction_is_read_where_it_touches():
    terrain = sf.HeightMap(seed=3, size=(1.0, 1.0), mu=(0.2, 0.8))
    places = [(-0.31, 0.27), (0.1, 0.13), (0.33, -0.41)]
    balls = [
        sf.Ball(radius=0.03, mass=1, position=(x, y, float(terrain.elevation(x, y)) + 0.03), name=f"b{i}")
        for i, (x, y) in enumerate(places)
    ]
    contacts = found(sf.scene(None, terrain=terrain, objects=balls)).contacts()
    assert len(contacts) >= 3
    for point, mu in zip(contacts.points, contacts.mu, strict=True):
        column, row = ((point[:2] + 0.5) / terrain.cell).astype(int)
        assert mu == terrain.friction[row, column]
