"""Timetables of the centre of mass and the feet: smooth, consistent, scaled to the robot; and what is refused."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Pipeline
from surefoot.whole_body import Choreography, Moves, WholeBody, standing
from surefoot.whole_body.balance import foot_tasks
from surefoot.whole_body.centre_of_mass import centre_of_mass
from surefoot.whole_body.crouch import crouched, ready
from surefoot.whole_body.moves import foot_middles, height, lifts, shifts, squats, stand, time_scale
from tests.whole_body.standing import biped


def played(robot, moves, times):
    """Goals of the centre of mass (n, 9), of the first foot (n, 9) and stance (n, feet) at times."""
    controller = WholeBody(robot, 1e-3, [*standing(), *foot_tasks(robot, moves)])
    plan = Choreography(controller, moves)
    pipeline = Pipeline(robot, 1e-3, [plan])
    names = ["com_goal", "stance", *(f"{foot}_goal" for foot in plan.follows[1:2])]
    found = {name: [] for name in names}
    for t in times:
        pipeline(sf.State(robot.home().q, np.zeros(robot.nv), t))
        for name in names:
            found[name].append(pipeline.value(name))
    return [np.array(found[name]) for name in names]


@pytest.mark.parametrize("make", [squats, shifts])
def test_velocities_and_accelerations_are_those_of_the_places(links, make):
    moves = make(links, 3.0)
    times = np.arange(0.0, 3.2, 1e-3)
    goal, stance, _ = played(links, moves, times)
    place, velocity, acceleration = goal[:, :3], goal[:, 3:6], goal[:, 6:]
    assert np.abs(np.diff(place, axis=0) / 1e-3 - 0.5 * (velocity[1:] + velocity[:-1])).max() < 1e-5
    assert np.abs(np.diff(velocity, axis=0) / 1e-3 - 0.5 * (acceleration[1:] + acceleration[:-1])).max() < 1e-3
    assert np.abs(np.diff(acceleration, axis=0)).max() < 0.05 * np.abs(acceleration).max()
    home = centre_of_mass(links, links.home())
    np.testing.assert_allclose(place[[0, -1]], [home, home], atol=1e-12)
    assert np.abs(goal[[0, -1], 3:]).max() < 1e-12
    assert stance.all()


def test_squats_go_down_by_a_share_of_the_height(links):
    moves = squats(links, 3.0, depth=0.2, period=1.0)
    assert moves.duration == pytest.approx(3.0)
    goal, *_ = played(links, moves, [0.5, 1.0, 1.5])
    down = centre_of_mass(links, links.home())[2] - goal[:, 2]
    np.testing.assert_allclose(down, [0.2 * height(links), 0.0, 0.2 * height(links)], atol=1e-12)


def test_the_centre_of_pressure_of_a_shift_stays_within_its_share(links):
    moves = shifts(links, 6.0, share=0.5, period=1.5)
    goal, *_ = played(links, moves, np.arange(1.5, 4.5, 0.01))
    pressure = goal[:, :2] - time_scale(links) ** 2 * goal[:, 6:8]
    region = sf.whole_body.support_region(sf.whole_body.dynamics_space(links, links.home()))
    edge = np.minimum(region.max(axis=0) - moves.centre[0, 0, :2], moves.centre[0, 0, :2] - region.min(axis=0))
    reach = np.abs(pressure - moves.centre[0, 0, :2]).max(axis=0)
    np.testing.assert_allclose(reach, 0.5 * edge, rtol=0.02)


def test_shifts_stay_within_the_friction_that_is_counted_on(links):
    for mu in (0.05, 0.1):
        goal, *_ = played(links, shifts(links, 4.0, share=0.6, mu=mu), np.arange(0.0, 4.0, 5e-3))
        wanted = np.linalg.norm(goal[:, 6:8], axis=1).max()
        assert 0.55 * mu * 9.81 < wanted * np.sqrt(2.0) < 0.9 * mu * 9.81


def test_feet_are_lifted_in_turn_when_the_others_can_carry(links):
    moves = lifts(links, lift=0.1)
    times = np.arange(0.0, moves.duration, 5e-3)
    goal, stance, foot = played(links, moves, times)
    assert (stance.sum(axis=1) >= 3).all()
    assert list(np.argmin(stance[stance.sum(axis=1) == 3], axis=1)[:: round(8 * time_scale(links) / 5e-3)])[:4] == [
        0, 1, 2, 3,
    ]  # fmt: skip
    assert foot[:, 2].max() - foot[0, 2] == pytest.approx(0.1 * height(links), rel=1e-3)
    assert np.abs(foot[stance[:, 0] > 0, :3] - foot[0, :3]).max() < 1e-9
    middles = foot_middles(links)[:, :2]
    for k in np.flatnonzero(stance.sum(axis=1) == 3)[::20]:
        corners = middles[stance[k] > 0]
        shares = np.linalg.solve(np.vstack([corners.T, np.ones(3)]), [*goal[k, :2], 1.0])
        assert shares.min() > 0.1


def test_moves_follow_each_other(links):
    both = squats(links, 2.0).then(lifts(links))
    assert both.duration == pytest.approx(2.0 + lifts(links).duration)
    assert both.stance.shape == (len(both.times), 4)
    assert both.stance[both.times < 2.0].all()


def test_a_biped_with_straight_legs_crouches():
    robot = biped(bend=0.0)
    bent = ready(robot)
    assert height(bent) == pytest.approx(0.92 * height(robot), rel=0.02)
    np.testing.assert_allclose(foot_middles(bent), foot_middles(robot), atol=1e-8)
    assert sf.forward_dynamics(bent, bent.home(), None, dt=1e-3).contacts is not None
    assert ready(bent) is bent


def test_links_needs_no_crouch(links):
    assert ready(links) is links


def test_what_is_refused(links):
    controller = WholeBody(links, 1e-3)
    for argument, wrong, text in (
        ("controller", (None, stand(links)), "controller: expected a WholeBody, got NoneType"),
        ("moves", (controller, None), "moves: expected Moves, got NoneType"),
        (
            "feet",
            (controller, stand(biped())),
            "moves: expected those of 4 feet as links has, got 2",
        ),
        (
            "lifts",
            (controller, lifts(links)),
            "moves: LF_FOOT shall lift, but the controller has no task of that name",
        ),
    ):
        with pytest.raises(sf.InputError) as error:
            Choreography(*wrong)
        assert str(error.value) == text, argument
    with pytest.raises(sf.InputError, match=r"^other: expected moves that begin where these end$"):
        stand(links).then(stand(biped()))
    with pytest.raises(sf.InputError, match=r"^Moves.times: expected times that increase$"):
        Moves(np.zeros(2), np.zeros((2, 3, 3)), np.zeros((2, 4, 3, 3)), np.ones((2, 4), dtype=bool))
    with pytest.raises(sf.InputError, match=r"^depth: expected a number above 0, got -0.1$"):
        squats(links, depth=-0.1)
    with pytest.raises(sf.InputError, match=r"^bend: links cannot go down by 0.153 m with LF_FOOT where it is$"):
        crouched(links, 0.9)
