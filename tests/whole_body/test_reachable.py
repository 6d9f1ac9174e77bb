"""Reachable forces and support regions: known shapes, and linear programs by other means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError, SolveError
from surefoot.whole_body import centre_of_mass_forces, dynamics_space, plot_reachable, reachable_forces, support_region
from surefoot.whole_body.reachable import around
from surefoot.whole_body.shadow import shadow
from tests.whole_body.standing import FEET, STANCES, biped, space_on

LINKS = sf.load("links")
QUADRUPED = space_on(LINKS, FEET)
WEIGHT = LINKS.mass * 9.81


# Shadows


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_a_shadow_is_the_hull(n, k):
    if k > n:
        pytest.skip("no such set")
    rng = np.random.default_rng(10 * n + k)
    points = 5 + rng.normal(size=(30, k)) @ rng.normal(size=(k, n)) if k else np.full((1, n), 5.0)
    found = shadow(lambda u: points[np.argmax(points @ u)], n, 10.0)
    assert found.dimension == k
    for u in rng.normal(size=(50, n)):
        assert (found.corners @ u).max() == pytest.approx((points @ u).max(), abs=1e-8)
    assert all(found.excess(p) <= 1e-8 for p in points)
    assert found.excess(points[0] + 100.0) > 10.0


def test_points_around():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]], dtype=float)
    assert len(around(square, 1e-9)) == 4
    assert around(square[[0, 2, 4]], 1e-9).tolist() == [[1, 1], [0, 0]] or len(around(square[[0, 2, 4]], 1e-9)) == 2
    assert len(around(square[:1], 1e-9)) == 1
    assert around(np.zeros((0, 2)), 1e-9).shape == (0, 2)


# Forces


def test_with_any_moment_it_is_the_friction_pyramid():
    found = reachable_forces(QUADRUPED, moment=None, mu=0.5, edges=4, largest=100.0)
    corners = {tuple(corner.round(6) + 0.0) for corner in found.corners}
    assert corners == {(0, 0, 0), (50, 0, 100), (-50, 0, 100), (0, 50, 100), (0, -50, 100)}


@pytest.mark.parametrize(("feet", "dimension"), [*zip(STANCES, (0, 2, 3, 3), strict=True)])
def test_how_many_feet_make_how_many_directions(feet, dimension):
    found = reachable_forces(space_on(LINKS, feet))
    assert found.dimension == dimension
    assert found.can_stand is (len(feet) >= 3)
    assert found.contains([0, 0, 0])
    assert len(found.support) == len(feet)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([FEET[:3], FEET]), st.sampled_from([None, 2.0]))
def test_a_force_is_reachable_if_the_feet_reach_it(seed, feet, limit):
    space, rng = space_on(LINKS, feet), np.random.default_rng(seed)
    found = reachable_forces(space, mu=0.6, torque_limits=limit, largest=1e3 if limit else None)
    force = WEIGHT * (np.array([0, 0, 1.0]) + rng.normal(size=3) * [0.5, 0.3, 0.5])
    inside = found.contains(force)
    reached = centre_of_mass_forces(space, force, cones=True, mu=0.6, torque_limits=limit)
    if abs(found.hull.excess(force)) > 1e-6 or inside:
        assert inside == (np.abs(reached.missing).max() < 1e-6)


def test_slices_and_extents():
    found = reachable_forces(QUADRUPED, mu=0.5)
    flat = found.at_height(WEIGHT)
    for corner in flat:
        assert found.contains([*corner, WEIGHT])
        assert not found.contains([*(1.01 * corner), WEIGHT])
    assert found.extent([0, 0, 2]) == pytest.approx(2 * WEIGHT)
    assert found.extent([0, 0, -1]) == pytest.approx(0.0, abs=1e-6)
    assert found.at_height(3 * WEIGHT).shape == (0, 2)
    assert found.table().splitlines()[0] == (
        "links: a body of forces at the centre of mass, with moment (0, 0, 0) N m, normal forces up to 94.18 N"
    )


def test_weak_motors_reach_less():
    strong, weak = (reachable_forces(QUADRUPED, torque_limits=limit) for limit in (None, 1.5))
    for u in np.random.default_rng(0).normal(size=(20, 3)):
        assert weak.extent(u) <= strong.extent(u) + 1e-6


# Where it can rest


def test_on_flat_ground_it_rests_over_the_polygon_of_its_feet():
    for mu in (0.1, 1.0, np.inf):
        found = support_region(QUADRUPED, mu=mu)
        points = QUADRUPED.contacts.points[:, :2]
        assert sorted(found.round(8).tolist()) == sorted(points.round(8).tolist())


def test_flat_feet_widen_it():
    robot = biped()
    found = support_region(dynamics_space(robot, robot.home()))
    assert np.ptp(found, axis=0) == pytest.approx([0.16, 0.28], abs=1e-6)


def test_walls_hold_with_friction_alone():
    state = LINKS.home()
    points = [[0.2, 0, 0.2], [-0.2, 0, 0.2]]
    bodies = [LINKS.feet[0].body, LINKS.feet[1].body]

    def between(mu):
        walls = sf.Contacts.from_points(LINKS, state, points, bodies, normals=[[-1, 0, 0], [1, 0, 0]], mu=mu)
        return support_region(dynamics_space(LINKS, state, walls))

    assert len(between(0.5)) == 2
    assert len(between(0.0)) == 0


def test_without_contact_it_rests_nowhere():
    assert support_region(space_on(LINKS, [])).shape == (0, 2)


# Pictures


@pytest.mark.parametrize("feet", STANCES, ids=len)
def test_pictures(feet, tmp_path):
    found = reachable_forces(space_on(LINKS, feet))
    figure = plot_reachable(found, tmp_path / "forces.png")
    assert (tmp_path / "forces.png").stat().st_size > 20_000
    assert [panel.get_title() for panel in figure.axes] == [
        "forces at the centre of mass; friction cones at the contacts",
        "from above",
        "horizontal force while the weight is carried",
    ]


def test_bad_input(tmp_path):
    with pytest.raises(InputError, match="largest: expected a number above 0, got -1"):
        reachable_forces(QUADRUPED, largest=-1)
    with pytest.raises(InputError, match="mu: expected finite friction, got inf at LF_FOOT on ground; give mu="):
        reachable_forces(QUADRUPED, mu=np.inf)
    with pytest.raises(InputError, match=r"moment: expected shape \(3,\), got \(2,\)"):
        reachable_forces(QUADRUPED, moment=(0, 0))
    with pytest.raises(SolveError, match="no forces within friction and torque limits do what was asked of them"):
        reachable_forces(QUADRUPED, moment=(1e3, 0, 0))
    found = reachable_forces(QUADRUPED)
    with pytest.raises(InputError, match="direction: expected a direction, got a zero vector"):
        found.extent([0, 0, 0])
    with pytest.raises(InputError, match=r"path: expected a file name ending in .png, .*, got 'a.txt'"):
        plot_reachable(found, "a.txt")
    with pytest.raises(InputError, match=r"path: the folder .* does not exist"):
        plot_reachable(found, tmp_path / "none" / "a.png")
    with pytest.raises(InputError, match=r"reachable: expected ReachableForces \(see reachable_forces\), got int"):
        plot_reachable(3)
    with pytest.raises(InputError, match="reachable: expected at least one contact, got none"):
        plot_reachable(reachable_forces(space_on(LINKS, [])))
