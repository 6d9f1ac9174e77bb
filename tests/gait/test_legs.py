import numpy as np
import pytest

import surefoot as sf
from surefoot.gait import Legs, Planner
from surefoot.kernels import legs as kernel


@pytest.fixture(scope="module")
def legs():
    return Legs(sf.load("links"))


def test_feet_of_the_quadruped_at_home(legs):
    """The places that its planner's stance of 0.31 m x 0.134 m comes from."""
    assert legs.feet == ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
    assert legs.home[0] == pytest.approx([0.155, 0.0672, -0.1717], abs=1e-4)
    assert legs.home[3] == pytest.approx([-0.166, -0.0672, -0.1717], abs=1e-4)
    assert legs.hips[0] == pytest.approx([0.115, 0.05, 0.0], abs=1e-9)
    assert legs.reach[0] == pytest.approx(0.95 * (0.04 + 0.077 + 0.129), abs=1e-9)


def test_angles_bring_the_feet_to_their_places(legs):
    rng = np.random.default_rng(0)
    robot = legs.robot
    for _ in range(50):
        state = robot.home()
        q = state.q.copy()
        q[robot.joint_positions] += 0.3 * rng.standard_normal(12)
        wanted = legs.places(robot.state(q=q))
        found = legs.angles(wanted)
        again = state.q.copy()
        again[robot.joint_positions] = found
        np.testing.assert_allclose(legs.places(robot.state(q=again)), wanted, atol=1e-9)


def test_the_base_may_be_anywhere(legs):
    robot = legs.robot
    q = robot.home().q.copy()
    q[:7] = [1.0, -2.0, 3.0, 0.5, 0.5, -0.5, 0.5]
    np.testing.assert_allclose(legs.places(robot.state(q=q)), legs.home, atol=1e-12)


def test_velocities_are_the_change_of_the_angles(legs):
    rng = np.random.default_rng(1)
    velocity = 0.1 * rng.standard_normal((4, 3))
    h = 1e-6
    there, here = legs.angles(legs.home + h * velocity), legs.angles(legs.home - h * velocity)
    legs.angles(legs.home)
    np.testing.assert_allclose(legs.velocities(velocity), (there - here) / (2 * h), atol=1e-5)


def test_what_is_out_of_reach_is_named(legs):
    places = legs.home.copy()
    places[2] += [-0.3, 0.0, 0.0]
    with pytest.raises(sf.InputError) as error:
        legs.angles(places)
    text = str(error.value)
    assert text.startswith("places: LH_FOOT cannot reach (-0.466, 0.0672, -0.172) m in the base's frame, ")
    assert text.endswith("its leg reaches 0.244 m from its hip")


@pytest.mark.parametrize("rounds", [20, 50, 51])
@pytest.mark.parametrize("depth", [0.2065, 0.21, 0.23, 0.3, 0.4])
def test_out_of_reach_a_foot_goes_to_the_nearest_place(legs, depth, rounds):
    """Thigh and shank are 0.206 m long; the hip's axis is at 0.05 m to the side, and the feet are under the knees'."""
    goal = np.column_stack([legs.home[:, :2], np.full(4, -depth)])
    legs._load(legs.robot.home().q[7:])
    missing = kernel.reach_places(legs.box, goal, 1e-10, rounds)
    assert missing == pytest.approx(np.hypot(depth, legs.home[0, 1] - 0.05) - 0.206, abs=2e-5)


def test_bad_input_is_named(legs):
    for make, text in (
        (lambda: Legs("links"), "robot: expected a robot or scene (see sf.load), got str"),
        (lambda: Legs(sf.load("arm")), "robot: expected a floating base, but arm is bolted down"),
        (lambda: Legs(legs.robot, feet=["LF"]), "feet: "),
        (lambda: Legs(legs.robot, feet="LF_FOOT"), "feet: expected a list of names, got 'LF_FOOT'"),
        (lambda: Legs(legs.robot, feet=4), "feet: expected a list of names, got 4"),
        (lambda: Legs(legs.robot, feet=[]), "feet: expected at least one, got none"),
        (lambda: Legs(legs.robot, feet=["LF_FOOT", "LF_FOOT"]), "feet: 'LF_FOOT' stands there twice"),
        (lambda: legs.places(None), "state: expected a State (see robot.home()), got NoneType"),
        (lambda: legs.places(sf.load("arm").home()), "state.q: expected shape (19,), got (11,)"),
        (lambda: legs.angles(legs.home, [1.0]), "start: expected shape (12,), got (1,)"),
        (lambda: Planner(None, "trot", 1e-3), "legs: expected Legs (see sf.gait), got NoneType"),
        (lambda: legs.angles(np.zeros((3, 3))), "places: expected shape (4, 3), got (3, 3)"),
        (lambda: legs.angles(np.full((4, 3), np.nan)), "places: "),
    ):
        with pytest.raises(sf.InputError) as error:
            make()
        assert text in str(error.value)


def test_feet_that_no_joint_moves_stay(tmp_path):
    path = tmp_path / "sledge.xml"
    path.write_text(
        "<mujoco><worldbody><body name='sledge'><freejoint/><geom size='.1' mass='1'/><geom name='left' size='.02' "
        "pos='.1 .1 -.2'/><geom name='right' size='.02' pos='.1 -.1 -.2'/></body></worldbody></mujoco>"
    )
    legs = Legs(sf.load(path, feet=["left", "right"]))
    assert np.array_equal(legs.home, [[0.1, 0.1, -0.2], [0.1, -0.1, -0.2]])
    assert legs.angles(legs.home).shape == (0,)
