import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, HalfspaceIntersection

from surefoot.errors import InputError
from surefoot.solvers.polyhedron import Polyhedron


def box(*sides):
    """Intervals along each axis."""
    n = len(sides)
    low, high = np.array(sides, dtype=float).T
    return Polyhedron(np.vstack([np.eye(n), -np.eye(n)]), np.concatenate([low, -high]))


def random_polyhedron(seed, n=None):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5)) if n is None else n
    q = int(rng.integers(n + 1, 12))
    A, inside = rng.normal(size=(q, n)), rng.normal(size=n)
    return Polyhedron(A, A @ inside - rng.random(q)), rng


def test_bounds_of_a_box():
    low, high = box((-1, 2), (0, 3)).bounds()
    assert low == pytest.approx([-1, 0])
    assert high == pytest.approx([2, 3])


def test_half_space_has_infinite_bounds():
    low, high = Polyhedron([[1.0, 0.0]], [1.0]).bounds()
    assert low.tolist() == [1.0, -np.inf]
    assert (high == np.inf).all()


def test_reduced_keeps_supporting_rows_only():
    shape = box((0, 1), (0, 1)).intersect(Polyhedron([[1.0, 1.0], [-1.0, -1.0], [0.0, 1.0]], [-5.0, -2.0, 0.0]))
    assert len(shape.rows) == 7
    small = shape.reduced()
    assert len(small.rows) == 4  # x + y <= 2 touches in a corner only, y >= 0 was there twice
    assert small.bounds()[1] == pytest.approx([1, 1])


def test_reduced_finds_what_holds_with_equality():
    shape = Polyhedron([[1.0, 1.0], [-1.0, -1.0], [1.0, 0.0], [-1.0, 0.0]], [1.0, -1.0, 0.0, -1.0]).reduced()
    assert len(shape.equal) == 1
    assert shape.equal[0] / shape.value[0] == pytest.approx([1.0, 1.0])
    assert len(shape.rows) == 2
    assert shape.dimension == 1


@pytest.mark.parametrize(
    ("sides", "dimension"),
    [(((0, 1), (0, 1)), 2), (((0, 1), (2, 2)), 1), (((0, 0), (2, 2)), 0), (((1, 0), (0, 1)), -1)],
)
def test_dimension(sides, dimension):
    assert box(*sides).dimension == dimension


def test_no_rows_is_everything():
    everything = Polyhedron(np.zeros((0, 2)), np.zeros(0))
    assert not everything.is_empty
    assert everything.dimension == 2
    assert everything.contains([1e9, -1e9])


def test_a_point_in_no_dimensions():
    assert not Polyhedron(np.zeros((1, 0)), [-1.0]).is_empty
    assert Polyhedron(np.zeros((1, 0)), [1.0]).is_empty


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_reduced_and_shadow_have_the_same_extremes(seed):
    shape, rng = random_polyhedron(seed)
    keep = int(rng.integers(1, shape.space))
    small, shadow = shape.reduced(), shape.project(keep)
    assert len(small.rows) <= len(shape.rows)
    for _ in range(8):
        c = np.concatenate([rng.normal(size=keep), np.zeros(shape.space - keep)])
        found = [shape.maximise(c), small.maximise(c), shadow.maximise(c[:keep])]
        assert len({one.status for one in found}) == 1
        if found[0].status == "optimal":
            assert [one.value for one in found[1:]] == pytest.approx([found[0].value] * 2, rel=1e-7, abs=1e-7)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_shadow_of_a_bounded_set_is_that_of_its_corners(seed):
    """Oracle: Qhull's corners of the set, projected."""
    rng = np.random.default_rng(seed)
    A = np.vstack([rng.normal(size=(5, 3)), np.eye(3), -np.eye(3)])
    shape = Polyhedron(A, -1.0 - rng.random(len(A)))
    corners = HalfspaceIntersection(np.column_stack([-A, shape.offset]), np.zeros(3)).intersections
    hull = ConvexHull(corners[:, :2])
    shadow = shape.project(2)
    assert shadow.polygon(((-9, 9), (-9, 9))).shape[0] >= 3
    polygon = shadow.polygon(((-9, 9), (-9, 9)))
    area = 0.5 * abs(np.sum(polygon[:, 0] * np.roll(polygon[:, 1], 1) - polygon[:, 1] * np.roll(polygon[:, 0], 1)))
    assert area == pytest.approx(hull.volume, rel=1e-7)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_pieces_of_a_difference_cover_it(seed):
    a, rng = random_polyhedron(seed, n=2)
    b, _ = random_polyhedron(seed + 1, n=2)
    pieces = a.minus(b)
    for x in rng.normal(scale=2.0, size=(40, 2)):
        slack = np.abs(np.concatenate([a.rows @ x - a.offset, b.rows @ x - b.offset]))
        if slack.min() < 1e-6:
            continue
        wanted = a.contains(x) and not b.contains(x)
        assert sum(piece.contains(x) for piece in pieces) == wanted


def test_shadow_by_an_equality():
    shape = Polyhedron([[0.0, 1.0], [0.0, -1.0]], [0.0, -2.0], [[1.0, -2.0]], [1.0])  # x = 1 + 2 y, 0 <= y <= 2
    assert [float(v[0]) for v in shape.project(1).bounds()] == pytest.approx([1.0, 5.0])


def test_shadow_of_nothing_is_nothing():
    assert box((1, 0), (0, 1)).project(1).is_empty


def test_slice():
    shape = Polyhedron([[1.0, 1.0], [-1.0, -1.0]], [0.0, -1.0])
    assert [float(v[0]) for v in shape.at([0.25]).bounds()] == pytest.approx([-0.25, 0.75])


def test_polygon_of_half_a_box():
    corners = Polyhedron([[1.0, 1.0]], [0.0]).polygon(((-1, 1), (-1, 1)))
    assert len(corners) == 3
    assert {tuple(c) for c in corners.tolist()} == {(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)}


def test_difference_of_flat_sets():
    """What lies in a plane of the other set is not beyond it."""
    line = Polyhedron([[1.0, 0.0], [-1.0, 0.0]], [0.0, -3.0], [[0.0, 1.0]], [0.0])
    within = Polyhedron([[1.0, 0.0], [-1.0, 0.0]], [1.0, -2.0], [[0.0, 1.0]], [0.0])
    assert [np.round(piece.bounds(), 9)[:, 0].tolist() for piece in line.minus(within)] == [[0.0, 1.0], [2.0, 3.0]]
    assert line.minus(box((-1, 4), (0, 1))) == []
    assert line.minus(line) == []


def test_refusals():
    with pytest.raises(InputError, match=r"^offset: expected shape \(1,\), got \(2,\)$"):
        Polyhedron([[1.0, 0.0]], [1.0, 2.0])
    with pytest.raises(InputError, match=r"^rows: expected finite numbers, got nan at index \(0, 1\)$"):
        Polyhedron([[1.0, np.nan]], [1.0])
    with pytest.raises(InputError, match=r"^other: expected a polyhedron in 2 dimensions, got one in 1$"):
        box((0, 1), (0, 1)).intersect(box((0, 1)))
    with pytest.raises(InputError, match=r"^polygon: expected a set in the plane, got one in 1 dimensions$"):
        box((0, 1)).polygon(((0, 1), (0, 1)))
