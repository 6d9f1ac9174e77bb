import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.kernels import pyramid
from surefoot.kernels.plant import BOX, CONE, NORMAL
from surefoot.kernels.problem import STANDARD, Problem
from surefoot.kernels.pyramid import EDGE, OFF, STICK, boundary_mode, gauge, pyramid_table
from surefoot.solvers.contact_problem import edge_directions
from tests.kernels.door import door

project, cone_mode, project_on_cone = door(pyramid.project), door(pyramid.cone_mode), door(pyramid.project_on_cone)

EDGES = (4, 8, 16)
POINTS = st.tuples(st.floats(-3, 3), st.floats(-3, 3))
RADII = st.floats(1e-3, 3)


def table(k):
    return pyramid_table(edge_directions(k))


def nearest(x, y, radius, k):
    """Nearest point of the polygon and where it lies, by looking at every side: (point, edge or face mode)."""
    corners = radius * edge_directions(k)
    best, mode, distance = None, None, np.inf
    for j in range(k):
        a, b = corners[j], corners[(j + 1) % k]
        t = np.dot(np.array([x, y]) - a, b - a) / np.dot(b - a, b - a)
        point = a + np.clip(t, 0, 1) * (b - a)
        if np.linalg.norm(point - [x, y]) < distance - 1e-12:
            distance, best = np.linalg.norm(point - [x, y]), point
            mode = EDGE + k + j if 0 < t < 1 else EDGE + (j if t <= 0 else (j + 1) % k)
    return best, mode


def inside(x, y, radius, k):
    corners = radius * edge_directions(k)
    sides = np.roll(corners, -1, axis=0) - corners
    return (sides[:, 0] * (y - corners[:, 1]) - sides[:, 1] * (x - corners[:, 0]) >= 0).all()


# Known answers


def test_the_table_of_four_edges():
    D = table(4)
    half = np.sqrt(0.5)
    assert D[:, :2].tolist() == [[1, 0], [0, 1], [-1, 0], [0, -1]]
    assert D[:, 2:4] == pytest.approx(half * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]))
    assert D[:, 4:] == pytest.approx(np.full((4, 2), half))


@pytest.mark.parametrize("k", EDGES)
def test_normals_of_faces_lie_between_their_edges(k):
    D = table(k)
    between = D[:, :2] + np.roll(D[:, :2], -1, axis=0)
    assert D[:, 2:4] == pytest.approx(between / np.linalg.norm(between, axis=1)[:, None], abs=1e-14)


def test_with_four_edges_the_gauge_is_the_sum_of_absolute_values():
    assert gauge(0.3, -0.4, table(4)) == pytest.approx(0.7, rel=1e-15)
    assert gauge(0.0, 0.0, table(4)) == 0.0


@pytest.mark.parametrize("k", EDGES)
def test_edges_have_gauge_one_and_mid_faces_the_inverse_cosine(k):
    D = table(k)
    for j in range(k):
        assert gauge(*D[j, :2], D) == pytest.approx(1.0, rel=1e-14)
        assert gauge(*D[j, 2:4], D) == pytest.approx(1 / np.cos(np.pi / k), rel=1e-14)


def test_four_edges_hold_less_at_45_degrees():
    x, y = project(1.0, 1.0, 1.0, table(4))
    assert (x, y) == pytest.approx((0.5, 0.5))  # 0.707 of the radius


def test_a_radius_of_zero_leaves_nothing():
    for k in EDGES:
        assert np.abs(project(0.3, -2.0, 0.0, table(k))).max() == 0.0


# Properties and brute force


@pytest.mark.parametrize("k", EDGES)
@given(point=POINTS, factor=st.floats(0, 5))
def test_the_gauge_is_a_norm(k, point, factor):
    D, (x, y) = table(k), point
    assert gauge(factor * x, factor * y, D) == pytest.approx(factor * gauge(x, y, D), rel=1e-12, abs=1e-12)
    assert gauge(-x, -y, D) == pytest.approx(gauge(x, y, D), rel=1e-12, abs=1e-12)
    assert np.hypot(x, y) <= gauge(x, y, D) * (1 + 1e-12)
    assert gauge(x, y, D) * np.cos(np.pi / k) <= np.hypot(x, y) * (1 + 1e-12)


@pytest.mark.parametrize("k", EDGES)
@given(point=POINTS, radius=RADII)
def test_the_gauge_says_what_is_inside(k, point, radius):
    size = gauge(*point, table(k))
    if abs(size - radius) > 1e-9:
        assert (size < radius) == inside(*point, radius, k)


@pytest.mark.parametrize("k", EDGES)
@given(point=POINTS, radius=RADII)
def test_the_projection_is_the_nearest_point(k, point, radius):
    found = project(*point, radius, table(k))
    if inside(*point, radius, k):
        assert found == pytest.approx(point, abs=1e-12)
    else:
        assert found == pytest.approx(tuple(nearest(*point, radius, k)[0]), abs=1e-9)


@pytest.mark.parametrize("k", EDGES)
@given(point=POINTS, radius=RADII)
def test_projecting_twice_changes_nothing(k, point, radius):
    D = table(k)
    once = project(*point, radius, D)
    assert project(*once, radius, D) == pytest.approx(once, abs=1e-12)
    assert gauge(*once, D) <= radius * (1 + 1e-12)


@pytest.mark.parametrize("k", EDGES)
@given(angle=st.floats(-np.pi, np.pi), distance=st.floats(1.1, 4), radius=RADII)
def test_the_boundary_mode_is_where_the_nearest_point_lies(k, angle, distance, radius):
    x, y = distance * radius * np.cos(angle), distance * radius * np.sin(angle)
    found = boundary_mode(x, y, radius, table(k))
    point, mode = nearest(x, y, radius, k)
    if found != mode:  # at a tie: both must lie at the nearest point
        assert found >= EDGE
        assert project(x, y, radius, table(k)) == pytest.approx(tuple(point), abs=1e-9 * radius)
        corner = radius * edge_directions(k)
        assert np.linalg.norm(corner - point, axis=1).min() < 1e-6 * radius


@pytest.mark.parametrize("k", EDGES)
def test_each_edge_and_each_face_is_its_own_mode(k):
    D = table(k)
    assert [boundary_mode(*(3 * D[j, :2]), 1.0, D) for j in range(k)] == [EDGE + j for j in range(k)]
    assert [boundary_mode(*(3 * D[j, 2:4]), 1.0, D) for j in range(k)] == [EDGE + k + j for j in range(k)]


# The cone of impulses


def nearest_on_cone(point, mu, k):
    """Nearest point of the cone and its mode, by looking at every edge and every face."""
    rays = np.column_stack([np.ones(k), mu * edge_directions(k)])
    candidates = [(np.zeros(3), OFF)]
    for a in range(k):
        candidates.append((rays[a] * max(rays[a] @ point, 0.0) / (rays[a] @ rays[a]), EDGE + a))
        face = rays[[a, (a + 1) % k]].T
        share = np.linalg.lstsq(face, point, rcond=None)[0]
        if (share >= 0).all():
            candidates.append((face @ share, EDGE + k + a))
    if inside(*point[1:], mu * point[0], k) and point[0] > 0:
        candidates.append((point, STICK))
    return min(candidates, key=lambda candidate: np.linalg.norm(candidate[0] - point))


def test_known_projections_on_the_cone():
    D = table(4)
    assert project_on_cone(2.0, 0.5, -0.5, 0.5, D) == (2.0, 0.5, -0.5)
    assert project_on_cone(-2.0, 0.5, -0.5, 0.5, D) == (0.0, 0.0, 0.0)
    assert project_on_cone(0.0, 2.0, 0.0, 1.0, D) == pytest.approx((1.0, 1.0, 0.0))
    assert project_on_cone(0.0, 3.0, 3.0, 1.0, D) == pytest.approx((2.0, 1.0, 1.0))  # the face |x| + |y| = n
    assert project_on_cone(-1.0, 0.0, -1.0, 1.0, D) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("k", EDGES)
@given(point=st.tuples(*[st.floats(-3, 3)] * 3), mu=st.one_of(st.floats(0.01, 5), st.just(1e3)))
def test_the_projection_on_the_cone_is_the_nearest_point(k, point, mu):
    found = np.array(project_on_cone(*point, mu, table(k)))
    best, mode = nearest_on_cone(np.array(point), mu, k)
    size = max(np.abs(point).max(), 1e-3)
    assert np.linalg.norm(found - point) <= np.linalg.norm(best - point) + 1e-9 * size
    assert found == pytest.approx(best, abs=1e-7 * size)
    if cone_mode(*point, mu, table(k)) != mode:  # at a tie: both must lie at the nearest point
        assert found == pytest.approx(best, abs=1e-9 * size)


@pytest.mark.parametrize("k", EDGES)
@given(point=st.tuples(*[st.floats(-3, 3)] * 3), mu=st.floats(0.01, 5))
def test_what_the_projection_takes_away_is_in_the_polar_cone(k, point, mu):
    """Moreau's decomposition: point = nearest + rest, at right angles, and no edge has a part along the rest."""
    nearest_point = np.array(project_on_cone(*point, mu, table(k)))
    rest = np.array(point) - nearest_point
    rays = np.column_stack([np.ones(k), mu * edge_directions(k)])
    assert abs(nearest_point @ rest) <= 1e-9 * max(np.dot(point, point), 1e-9)
    assert (rays @ rest).max() <= 1e-9 * max(np.abs(point).max(), 1e-6)
    assert gauge(*nearest_point[1:], table(k)) <= mu * nearest_point[0] * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("k", EDGES)
@pytest.mark.parametrize("mu", [0.01, 0.5, 2.0])
def test_each_edge_and_each_face_of_the_cone_is_its_own_mode(k, mu):
    D = table(k)
    outward = np.column_stack([np.full(k, -mu), D[:, :2]])  # at right angles to the edge, away from the cone
    at_edges = [np.array([1.0, *(mu * D[j, :2])]) + 1e-3 * outward[j] for j in range(k)]
    assert [cone_mode(*point, mu, D) for point in at_edges] == [EDGE + j for j in range(k)]
    at_faces = [np.array([1.0, *(1.001 * mu * D[j, 4] * D[j, 2:4])]) for j in range(k)]
    assert [cone_mode(*point, mu, D) for point in at_faces] == [EDGE + k + j for j in range(k)]
    assert cone_mode(1.0, 0.5 * mu, 0.0, mu, D) == STICK
    assert cone_mode(-1.0, 0.0, 0.0, mu, D) == OFF


# The law's residual


def residual(f, c, *, kind=CONE, offset=0.0, mu=0.5, bound=0.0, g=(1.0, 1.0), scale=1.0, k=4, dissipative=False):
    def one(value):
        return np.array([value], dtype=float)

    p = Problem(
        *(np.zeros((3, 1)), 1, 1, np.zeros(3), one(offset), np.array([kind]), one(mu), one(bound), table(k)),
        *(dissipative, STANDARD, scale, 1e-9),
    )
    return door(pyramid.law_residual)(p, np.array(f, dtype=float), np.array(c, dtype=float), np.array([g], dtype=float))


@pytest.mark.parametrize(
    ("f", "c", "settings"),
    [
        ((0, 0, 0), (1, 2, 3), {}),  # lifts off
        ((0, 0, 0), (-1, 2, 3), {"offset": 1.0}),  # reaches the ground at the end of the step
        ((2, 0.3, -0.4), (0, 0, 0), {}),  # sticks
        ((2, -1, 0), (0, 1, 0), {}),  # slides along an edge
        ((2, -1, 0), (0, 1, -0.5), {}),  # slides nearest to that edge
        ((2, -0.5, -0.5), (0, 1, 1), {}),  # slides across a face
        ((2, 0, 0), (0, 1, 1), {"mu": 0.0}),
        ((2, 0, 0), (0, 1, 1), {"kind": NORMAL}),
        ((2, 100, 100), (0, 0, 0), {"mu": np.inf}),
        ((0, 0, 0), (1, 2, 3), {"mu": np.inf}),
        ((0, 0.5, 0), (0, 0, 0), {"kind": BOX, "bound": 1.0}),  # dry friction holds
        ((0, -1, 0), (0, 3, 0), {"kind": BOX, "bound": 1.0}),  # dry friction is overcome
        ((2, 0.3, -0.4), (0, 0, 0), {"dissipative": True}),  # sticks
        ((2, -1, 0), (0.5, 1, 0), {"dissipative": True}),  # slides along an edge and opens
        ((2, -1, 0), (0.0, 1, 0), {"dissipative": True, "offset": 0.5}),  # the offset keeps it down
        ((2, -0.5, -0.5), (0.5, 1, 1), {"dissipative": True}),  # slides across a face
        ((0, 0, 0), (1, 2, -1), {"dissipative": True}),  # lifts off
        ((2, 100, 100), (0, 0, 0), {"dissipative": True, "mu": np.inf}),
        ((0, 3, 0), (1, 0, 0), {"dissipative": True, "mu": np.inf}),  # held while it lifts
        ((2, 0, 0), (0, 1, 1), {"dissipative": True, "mu": 0.0}),
        ((2, 0, 0), (0, 1, 1), {"dissipative": True, "kind": NORMAL}),
        ((0, -1, 0), (0, 3, 0), {"dissipative": True, "kind": BOX, "bound": 1.0}),
    ],
)
def test_the_residual_of_an_answer_is_exactly_zero(f, c, settings):
    assert residual(f, c, **settings) == 0.0


@pytest.mark.parametrize(
    ("f", "c", "settings", "size"),
    [
        ((-1, 0, 0), (0, 0, 0), {}, 1.0),  # pulls
        ((0, 0, 0), (-0.25, 0, 0), {}, 0.25),  # penetrates
        ((1, 0, 0), (0.5, 0, 0), {}, 0.5),  # pushes what has lifted off
        ((1, 0.75, 0), (0, 0, 0), {}, 0.25),  # leaves its pyramid
        ((1, 0.5, 0), (0, 0.25, 0), {}, 0.25),  # friction along the slip
        ((1, 0, 0), (0, 0.25, 0), {}, 0.25),  # slides without friction
        ((1, -0.2, 0), (0, 0, 0), {"mu": 0.0}, 0.2),
        ((1, 0, 0.2), (0, 0, 0), {"kind": NORMAL}, 0.2),
        ((1, 0, 0), (0, 0.25, 0), {"mu": np.inf}, 0.25),  # slips under load
        ((0, 0.5, 0), (0, 0.25, 0), {"kind": BOX, "bound": 1.0}, 0.25),
        ((0, 2, 0), (0, 0, 0), {"kind": BOX, "bound": 1.0}, 1.0),
        ((0, 0, 0.5), (0, 0, 0), {"kind": BOX, "bound": 1.0}, 0.5),
        ((2, -1, 0), (0, 1, 0), {"dissipative": True}, 0.4),  # stays down: (2, -2, 0) is nearest to (2.4, -1.2, 0)
        ((0, 0, 0), (0.5, 2, 0), {"dissipative": True}, 0.4),  # opens too slowly for its slip
        ((1, 0, 0), (1, 0, 0), {"dissipative": True}, 1.0),  # pushes what has lifted off
        ((0, 0, 0), (1, 0.25, 0), {"dissipative": True, "mu": np.inf}, 0.25),  # slips
    ],
)
def test_the_residual_of_a_violation_is_its_size(f, c, settings, size):
    assert residual(f, c, **settings) == pytest.approx(size, rel=1e-14)


def test_the_residual_is_relative_to_the_scale_and_weighs_impulses_by_mobility():
    assert residual((-1, 0, 0), (0, 0, 0), g=(3.0, 1.0), scale=6.0) == pytest.approx(0.5)
    assert residual((1, 0.75, 0), (0, 0, 0), g=(1.0, 4.0), scale=2.0) == pytest.approx(0.5)


@pytest.mark.parametrize("k", EDGES)
@given(
    push=st.floats(0.1, 3),
    mu=st.floats(0.05, 2),
    slip=st.tuples(st.floats(0.01, 2), st.floats(-np.pi, np.pi)),
    nudge=st.tuples(st.floats(1e-3, 1), st.floats(-np.pi, np.pi)),
)
def test_sliding_friction_is_right_only_opposite_to_the_slip(k, push, mu, slip, nudge):
    cx, cy = slip[0] * np.cos(slip[1]), slip[0] * np.sin(slip[1])
    D = edge_directions(k)
    fx, fy = mu * push * D[np.argmin(D @ [cx, cy])]
    assert residual((push, fx, fy), (0, cx, cy), mu=mu, k=k) < 1e-12
    moved = (push, fx + nudge[0] * np.cos(nudge[1]), fy + nudge[0] * np.sin(nudge[1]))
    if np.abs(D @ [cx, cy] - (D @ [cx, cy]).min()).min(initial=1, where=D @ [cx, cy] > (D @ [cx, cy]).min()) > 0.02:
        assert residual(moved, (0, cx, cy), mu=mu, k=k) > 1e-6


def test_no_blocks_no_residual():
    empty, none = np.zeros(0), np.zeros(0, dtype=np.int64)
    p = Problem(np.zeros((0, 1)), 1, 0, empty, empty, none, empty, empty, table(4), False, STANDARD, 1.0, 1e-9)
    assert door(pyramid.law_residual)(p, empty, empty, np.zeros((0, 2))) == 0.0


@pytest.mark.parametrize(
    ("settings", "speed"),
    [
        ({}, 1.5),
        ({"dissipative": True}, 1.5 - 0.5 * 2),  # less mu times the slip
        ({"dissipative": True, "mu": np.inf}, 1.5),
        ({"dissipative": True, "kind": NORMAL}, 1.5),
    ],
)
def test_how_fast_a_contact_opens(settings, speed):
    kind, mu = settings.get("kind", CONE), settings.get("mu", 0.5)
    one = np.ones(1)
    p = Problem(
        *(np.zeros((3, 1)), 1, 1, np.zeros(3), 0.5 * one, np.array([kind]), mu * one, one, table(4)),
        *(settings.get("dissipative", False), STANDARD, 1.0, 1e-9),
    )
    assert pyramid.opening(p, 0, np.array([1.0, -0.3, 2.0])) == pytest.approx(speed)
