"""Convex polygons against known areas, and against points that are counted one by one."""

import numpy as np
import pytest

from surefoot.modes import polygons

WHOLE = polygons.rectangle(np.array([-1.0, -2.0]), np.array([3.0, 1.0]))
TRIANGLE = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])


def inside(polygon, points):
    """Which points (n, 2) are inside a convex polygon."""
    along = np.roll(polygon, -1, axis=0) - polygon
    apart = points[:, None] - polygon
    return (along[:, 0] * apart[..., 1] - along[:, 1] * apart[..., 0] > 0).all(axis=1)


def random_polygon(rng):
    """Corners of a convex polygon within the whole."""
    angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 8)))
    corners = rng.uniform([-1, -2], [3, 1]) + rng.uniform(0.3, 2.0) * np.column_stack([np.cos(angles), np.sin(angles)])
    for row, offset in (([1, 0], -1), ([-1, 0], -3), ([0, 1], -2), ([0, -1], -1)):
        corners = polygons.clip(corners, np.array(row, dtype=float), offset)
    return corners


def test_area_and_centre():
    assert polygons.area(WHOLE) == 12.0
    assert polygons.area(TRIANGLE) == 1.0
    assert polygons.area(TRIANGLE[:2]) == 0.0
    np.testing.assert_allclose(polygons.centre(WHOLE), [1.0, -0.5], atol=1e-15)
    np.testing.assert_allclose(polygons.centre(TRIANGLE + 1e3), [1e3 + 2 / 3, 1e3 + 1 / 3], atol=1e-12)


def test_clip_keeps_one_side():
    right = polygons.clip(TRIANGLE, np.array([1.0, 0.0]), 1.0)
    np.testing.assert_allclose(polygons.area(right), 0.25)
    assert right[:, 0].min() == 1.0
    assert polygons.clip(TRIANGLE, np.array([1.0, 0.0]), -1.0) is TRIANGLE
    assert len(polygons.clip(TRIANGLE, np.array([1.0, 0.0]), 3.0)) == 0
    assert len(polygons.clip(np.zeros((0, 2)), np.array([1.0, 0.0]), 3.0)) == 0


def test_split_loses_nothing():
    within, outside = polygons.split(WHOLE, TRIANGLE, 0.0)
    assert polygons.area(within) == pytest.approx(1.0)
    assert sum(polygons.area(piece) for piece in outside) == pytest.approx(11.0)
    within, outside = polygons.split(TRIANGLE, TRIANGLE + 5.0, 0.0)
    assert len(within) == 0
    assert sum(polygons.area(piece) for piece in outside) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(8))
def test_cells_know_who_covers_them(seed):
    rng = np.random.default_rng(seed)
    shapes = [random_polygon(rng) for _ in range(6)]
    cells = polygons.cells(WHOLE, shapes)
    assert sum(polygons.area(cell.polygon) for cell in cells) == pytest.approx(12.0, rel=1e-9)
    for cell in cells:
        assert polygons.area(cell.polygon) > 0
    points = rng.uniform([-1, -2], [3, 1], (500, 2))
    covered = np.array([inside(shape, points) if len(shape) > 2 else np.zeros(500, bool) for shape in shapes])
    for cell in cells:
        for point in np.flatnonzero(inside(cell.polygon, points)):
            assert tuple(np.flatnonzero(covered[:, point])) == cell.members


def test_what_has_no_area_covers_nothing():
    line = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert [cell.members for cell in polygons.cells(WHOLE, [line, TRIANGLE[:1], WHOLE])] == [(2,)]
    assert [cell.members for cell in polygons.cells(WHOLE, [])] == [()]
