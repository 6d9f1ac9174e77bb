import numpy as np
import pytest

import surefoot as sf
from surefoot.kernels.height_field import NEAR, belongs_to_facet
from tests.contact.scenes import found

TERRAIN = sf.HeightMap(seed=1, size=(1.0, 1.0), height=0.06)


def normals_near(terrain, x, y, reach=1):
    """Upward unit normals of the facets of the cell at (x, y) and of its neighbours."""
    h, cell = terrain.heights, terrain.cell
    c, r = int((x + terrain.size[0] / 2) / cell), int((y + terrain.size[1] / 2) / cell)
    found = []
    for row in range(max(r - reach, 0), min(r + reach + 1, h.shape[0] - 1)):
        for column in range(max(c - reach, 0), min(c + reach + 1, h.shape[1] - 1)):
            a, b, d, e = h[row, column], h[row, column + 1], h[row + 1, column], h[row + 1, column + 1]
            for slope in (((b - a) / cell, (e - b) / cell), ((e - d) / cell, (d - a) / cell)):
                normal = np.array([-slope[0], -slope[1], 1.0])
                found.append(normal / np.linalg.norm(normal))
    return np.array(found)


@pytest.fixture(scope="module")
def balls():
    """Small balls that touch the ground at many places."""
    rng = np.random.default_rng(0)
    places = rng.uniform(-0.45, 0.45, (12, 2))
    things = [
        sf.Ball(radius=0.02, mass=1, position=(x, y, float(TERRAIN.elevation(x, y)) + 0.02), name=f"b{i}")
        for i, (x, y) in enumerate(places.tolist())
    ]
    return found(sf.scene(None, terrain=TERRAIN, objects=things))


def test_artefacts_are_dropped_and_the_rest_belongs_to_the_ground(balls):
    contacts = balls.contacts()
    assert 0 < len(contacts) < balls.data.ncon
    for point, frame in zip(contacts.points, contacts.frames, strict=True):
        assert (normals_near(TERRAIN, *point[:2]) @ frame[0]).max() >= NEAR - 1e-6


def test_what_was_dropped_belongs_to_no_facet(balls):
    contacts = balls.contacts()
    kept = np.concatenate([contacts.points, contacts.frames[:, 0]], axis=1)
    dropped = 0
    for contact in balls.data.contact:
        normal = contact.frame[:3] * (1 if contact.geom[0] == balls.model.geom("ground").id else -1)
        if np.abs(kept - np.append(contact.pos, normal)).max(axis=1).min() > 1e-9:
            dropped += 1
            assert (normals_near(TERRAIN, *contact.pos[:2]) @ normal).max() <= NEAR + 1e-6
    assert dropped > 10


def test_every_ball_keeps_a_contact(balls):
    assert {first for first, _ in balls.contacts().bodies} == set(balls.scene.objects)


def test_facets_and_sides(balls):
    plant = balls.plant
    ground = balls.model.geom("ground").id
    rng = np.random.default_rng(1)
    for x, y in rng.uniform(-0.49, 0.49, (50, 2)):
        point = np.array([x, y, float(TERRAIN.elevation(x, y))])
        for normal in normals_near(TERRAIN, x, y):
            assert belongs_to_facet(plant, ground, point, normal)
        assert not belongs_to_facet(plant, ground, point, np.array([1.0, 0.0, 0.0]))
        assert not belongs_to_facet(plant, ground, point, np.array([0.0, 0.0, -1.0]))


def test_at_the_edge_and_beyond(balls):
    plant, ground = balls.plant, balls.model.geom("ground").id
    up = np.array([0.0, 0.0, 1.0])
    assert belongs_to_facet(plant, ground, np.array([0.5, 0.5, 0.0]), up)
    assert belongs_to_facet(plant, ground, np.array([-0.5, -0.5, 0.0]), up)
    assert not belongs_to_facet(plant, ground, np.array([3.0, 0.0, 0.0]), up)
