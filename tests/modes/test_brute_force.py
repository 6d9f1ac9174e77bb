"""The oracle itself on systems whose modes are known from mechanics."""

import numpy as np
import pytest

from tests.modes.brute_force import Judged, brute_force, disagreements, existing
from tests.modes.conditions import Plain, modes, tokens, violation
from tests.modes.lemke_oracle import one_answer
from tests.modes.mechanisms import Sample, chain_forces, chain_rows, linear
from tests.modes.random_systems import KINDS, at_rest, planar, some_torque, spatial

MASS, GRAVITY, MU = 2.0, 9.81, 0.5
WEIGHT = MASS * GRAVITY
UP_AND_RIGHT = np.array([[0.0, 1.0], [1.0, 0.0]])


def block(mu=MU, **rest):
    """A point mass on the floor, pushed sideways; coordinates (x, y)."""
    push = np.array([[1.0], [0.0]])
    floor = {"friction": mu, "inputs": push, **rest}
    return Sample("block", MASS * np.eye(2), np.array([0.0, WEIGHT]), UP_AND_RIGHT, **floor)


def table(half=0.5, height=0.4, mu=MU, **rest):
    """A table on two legs; coordinates (x, y, angle), pushed sideways at its centre."""
    rows = np.concatenate([[[0.0, 1.0, x], [1.0, 0.0, height]] for x in (-half, half)])
    inertia, bias = np.diag([MASS, MASS, 0.1]), np.array([0.0, WEIGHT, 0.0])
    return Sample("table", inertia, bias, rows, mu, **{"inputs": np.eye(3)[:, :1], **rest})


def names(system, torque=None):
    """Modes that exist; none may be too close to call."""
    there, doubtful = existing(brute_force(system, torque))
    assert not doubtful
    return sorted(there)


@pytest.mark.parametrize(
    ("push", "mode"), [(0.0, "F"), (0.99, "F"), (-0.99, "F"), (1.01, "R"), (-1.01, "L"), (1.0, "F"), (-1.0, "F")]
)
def test_a_block_slides_where_the_push_exceeds_friction(push, mode):
    assert names(block(), [push * MU * WEIGHT]) == [mode]


def test_a_block_with_any_push_may_slide_or_stay_but_never_lifts():
    assert names(block()) == ["F", "L", "R"]
    assert names(block(torque_limits=0.9 * MU * WEIGHT)) == ["F"]
    assert names(block(torque_limits=[[0.0, 2 * WEIGHT]])) == ["F", "R"]


def test_a_block_that_is_pulled_up_flies():
    lift = np.array([[0.0], [1.0]])
    assert names(block(inputs=lift), [1.01 * WEIGHT]) == ["S"]
    assert names(block(inputs=lift), [0.99 * WEIGHT]) == ["F"]
    assert names(block(inputs=lift), [WEIGHT]) == ["F"]


@pytest.mark.parametrize(("mu", "expected"), [(0.0, ["R"]), (np.inf, ["F"])])
def test_no_friction_and_endless_friction(mu, expected):
    assert names(block(mu), [3.0]) == expected
    assert names(block(mu), [0.0]) == ["F"]


def test_endless_friction_holds_nothing_without_a_load():
    """A mass beside a wall falls along it: friction without normal force is none."""
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    wall = Sample("wall", MASS * np.eye(2), np.array([0.0, WEIGHT]), rows, np.inf, np.eye(2)[:, :1])
    assert names(wall, [0.0]) == ["L"]
    assert names(wall, [-1.0]) == ["F"]
    assert names(wall, [1.0]) == ["S"]


def test_a_body_that_moves_keeps_its_way():
    right, left = np.array([1.0, 0.0]), np.array([-1.0, 0.0])
    assert names(block(velocity=right), [0.0]) == ["R"]
    assert names(block(velocity=left), [100.0]) == ["L"]
    assert names(block(velocity=np.array([0.0, 1.0])), [0.0]) == ["S"]
    assert brute_force(block(velocity=np.array([0.0, -1.0]))) == {}
    assert set(brute_force(block(velocity=right))) == {"S", "R"}


def test_a_threshold_keeps_the_modes_of_a_slow_body():
    slow = block(velocity=np.array([1e-3, 0.0]), threshold=1e-2)
    assert set(brute_force(slow)) == {"S", "L", "R", "F"}
    assert names(slow, [0.0]) == ["F"]  # it counts as one at rest
    assert names(slow, [1.01 * MU * WEIGHT]) == ["R"]


def test_free_fall_opens_everything():
    rows = np.concatenate([table().jacobian, [[1.0, 0.0, 0.3], [0.0, 1.0, 0.0]]])  # a wall: no acceleration towards it
    falling = Sample("fall", np.eye(3), np.array([-WEIGHT, -GRAVITY, 0.0]), rows, MU, np.zeros((3, 0)))
    assert names(falling) == ["SSS"]


def test_a_table_stands_or_slides_on_both_legs_and_tips_when_pushed_high():
    assert names(table(), [0.0]) == ["FF"]
    assert names(table(), [1.2 * MU * WEIGHT]) == ["RR"]
    tall = table(half=0.1, height=1.0, mu=2.0)
    assert names(tall, [WEIGHT]) == ["SF"]
    assert names(tall, [-WEIGHT]) == ["FS"]


def test_a_ball_squeezed_between_walls_may_spin_or_not():
    """Figure 6: no force is fixed by the motion, so a squeezed ball may brake however it likes."""
    turn = np.pi / 2 * np.arange(4)
    frames = [np.array([[-np.sin(a), np.cos(a), 0.0], [np.cos(a), np.sin(a), 1.0]]) for a in turn]
    ball = Sample("ball", np.eye(3), np.zeros(3), np.concatenate(frames), MU, np.zeros((3, 0)))
    assert names(ball) == ["FFFF"]
    spinning = Sample("ball", *(ball.inertia, ball.bias, ball.jacobian), MU, np.zeros((3, 0)), velocity=np.eye(3)[2])
    assert names(spinning) == ["RRRR"]


def test_painleve_rod_has_two_answers_or_none():
    """A rod that slides on one end: friction may turn it into the ground faster than the normal force lifts it."""
    angle, mu, half = np.radians(60), 1.5, 0.5
    lever = half * np.array([np.cos(angle), np.sin(angle)])  # the centre as seen from the foot
    rows = np.array([[0.0, 1.0, -lever[0]], [1.0, 0.0, lever[1]]])
    inertia = np.diag([1.0, 1.0, half**2 / 3])
    slope = rows[0] @ np.linalg.solve(inertia, rows.T @ [1.0, mu])
    assert slope < 0  # sliding left, the normal force pulls its own contact together
    rod = Sample("rod", inertia, np.array([0.0, GRAVITY, 0.0]), rows, mu, np.zeros((3, 0)))
    left = {"velocity": np.array([-1.0, 0.0, 0.0])}
    falls = Sample("rod", *(rod.inertia, rod.bias, rows), mu, rod.inputs, **left)
    assert names(falls) == []
    turning = Sample("rod", *(rod.inertia, rod.bias, rows), mu, rod.inputs, jacobian_rate=np.array([20.0, 0.0]), **left)
    assert names(turning) == ["L", "S"]


def test_physical_constraints_hold_in_every_mode():
    floor = linear(force=[[1.0, 0.0]], at_least=[2 * WEIGHT])
    assert names(block(physical=(floor,))) == []
    weak = linear(force=[[0.0, 1.0]], torque=[[1.0]], equals=[0.0])  # friction is minus the push: no slide
    assert names(block(physical=(weak,))) == ["F"]


def spatial_block(edges, mu=MU, **rest):
    """A point mass on the floor in space, pushed along the floor."""
    rows = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    bias = np.array([0.0, 0.0, WEIGHT])
    return Sample("block", MASS * np.eye(3), bias, rows, mu, np.eye(3)[:, :2], edges=edges, **rest)


@pytest.mark.parametrize("edges", [4, 8])
def test_a_spatial_block_slides_in_the_sector_of_the_push(edges):
    for sector in range(edges):
        angle = 2 * np.pi * sector / edges
        push = MU * WEIGHT * np.array([np.cos(angle), np.sin(angle)])
        assert names(spatial_block(edges), 1.1 * push) == [str(sector)]
        assert names(spatial_block(edges), 0.9 * push) == ["F"]


@pytest.mark.parametrize("edges", [4, 8])
def test_a_spatial_block_slides_on_the_border_where_the_pyramid_is_flat(edges):
    """Pushed towards the middle of a face, friction within the face lets it move straight out only."""
    holds = MU * WEIGHT * np.cos(np.pi / edges)
    middle = 2 * np.pi * (edges - 0.5) / edges
    out, along = np.array([[np.cos(middle), np.sin(middle)], [-np.sin(middle), np.cos(middle)]])
    assert names(spatial_block(edges), 1.01 * holds * out) == [f"{edges - 1}|0"]
    assert names(spatial_block(edges), 1.01 * holds * out + 0.1 * holds * along) == [f"{edges - 1}|0"]
    assert names(spatial_block(edges), 0.99 * holds * out) == ["F"]


def test_a_spatial_block_that_moves_keeps_its_sector():
    moving = spatial_block(8, velocity=np.array([np.cos(0.8), np.sin(0.8), 0.0]))
    assert tokens(Plain(moving)) == [["S", "1"]]
    assert names(moving, [0.0, 0.0]) == ["1"]


def test_counts_of_combinations():
    assert len(modes(Plain(table()))) == 16
    assert len(modes(Plain(spatial_block(4)))) == 2 + 2 * 4
    assert len(modes(Plain(spatial_block(8)))) == 2 + 2 * 8


def test_violation_measures_what_an_answer_misses():
    slides = ([1.5, 0.0], [WEIGHT, -MU * WEIGHT], [MASS * 1.5 + MU * WEIGHT])
    assert violation(block(), "R", *slides) < 1e-12
    assert violation(block(), "L", *slides) == pytest.approx(2 * MU * WEIGHT)
    assert violation(block(), "F", *slides) == pytest.approx(1.5)
    assert violation(block(), "S", *slides) == pytest.approx(WEIGHT)


def test_verdicts():
    assert Judged(0.5, 0.5).verdict is True
    assert Judged(1e-7, 1e-7).verdict is True
    assert Judged(1e-7, 1e-12).verdict is None
    assert Judged(1e-12, 1e-12).verdict is False
    assert Judged(-0.5, -0.5).verdict is False
    assert Judged(-np.inf, -np.inf).verdict is False
    judged = {"A": Judged(1, 1), "B": Judged(-1, -1), "C": Judged(1e-7, 0.0)}
    assert disagreements(["B", "C"], judged) == (["A"], ["B"])
    assert disagreements(["A"], judged) == ([], [])


def test_every_kind_of_sample_can_be_judged():
    for kind in KINDS:
        for motion in ("rest", "moving"):
            assert isinstance(brute_force(planar(3, 0, contacts=2, kind=kind, motion=motion)), dict)
    assert len(brute_force(spatial(3, 0, 1, 8))) <= 18
    assert at_rest(3, 0, 2).velocity is None or not at_rest(3, 0, 2).velocity.any()


def test_the_answer_that_lemke_finds_has_a_mode_that_exists():
    for index in range(20):
        sample = at_rest(4, index, 1 + index % 3)
        torque = some_torque(np.random.default_rng([4, index]), sample)
        qdd, force = one_answer(sample, torque)
        assert any(violation(sample, name, qdd, force, torque) < 1e-9 for name in names(sample, torque)), index


def test_samples_are_the_same_bit_for_bit():
    for index in range(20):
        one, other = planar(5, index), planar(5, index)
        assert one.kind == other.kind
        assert one.inertia.tobytes() == other.inertia.tobytes()
        assert one.jacobian.tobytes() == other.jacobian.tobytes()


def test_drift_of_achain_is_the_rate_of_its_jacobian():
    lengths, angles, rates = np.array([0.5, 0.7, 0.4]), np.array([0.3, -0.8, 1.9]), np.array([1.0, -2.0, 0.5])
    velocity = np.r_[0.3, -0.4, np.diff(rates, prepend=0.0)]
    point = (False, 2, 0.2, 0.1)
    drift = chain_rows(lengths, angles, rates, *point)[1]
    h = 1e-6
    after, before = (chain_rows(lengths, angles + s * h * rates, rates, *point)[0] for s in (1, -1))
    np.testing.assert_allclose((after - before) @ velocity / (2 * h), drift, atol=1e-8)


def test_forces_of_achain_do_the_work_that_its_energy_loses():
    """v'bias is what inertia gains along the motion, v' dM/dt v / 2, and the climb against gravity."""
    lengths, masses = np.array([0.5, 0.7, 0.4]), np.array([1.0, 2.0, 0.5])
    angles, velocity = np.array([0.3, -0.8, 1.9]), np.array([0.3, -0.4, 1.0, -3.0, 2.5])
    rates, h = np.cumsum(velocity[2:]), 1e-6
    inertia, bias = chain_forces(lengths, masses, angles, rates, False)
    after, before = (chain_forces(lengths, masses, angles + s * h * rates, rates, False)[0] for s in (1, -1))
    centres = [chain_rows(lengths, angles, rates, False, i, lengths[i] / 2, 0.0)[0] for i in range(3)]
    climb = sum(m * GRAVITY * (J @ velocity)[1] for m, J in zip(masses, centres, strict=True))
    gain = velocity @ ((after - before) / (2 * h)) @ velocity / 2
    assert velocity @ bias == pytest.approx(gain + climb, abs=1e-7)
    assert inertia[0, 0] == pytest.approx(masses.sum())
    assert np.linalg.eigvalsh(inertia).min() > 0
