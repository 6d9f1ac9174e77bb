import numpy as np
import pytest

import surefoot as sf
from surefoot.gait import GAITS, Gait, Legs, Planner

DT = 1e-3


@pytest.fixture(scope="module")
def legs():
    return Legs(sf.load("links"))


def run(planner, command, duration, sensed=None, start=0.0):
    """Plans of every step; command and sensed may be functions of time."""
    plans = []
    for k in range(1, round(duration / planner.dt) + 1):
        t = start + k * planner.dt
        wanted = command(t) if callable(command) else command
        plans.append(planner(t, wanted, sensed(t) if sensed else None))
    return plans


@pytest.mark.parametrize("name", GAITS)
@pytest.mark.parametrize("duty", [0.4, 0.6, 0.75])
@pytest.mark.parametrize("command", [(0.2, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.8), (0.1, 0.05, -0.5)])
def test_goals_are_smooth_and_stance_feet_stay_on_the_ground(legs, name, duty, command):
    """Put together with a base that moves as commanded, no foot slips while it stands."""
    planner = Planner(legs, Gait.named(name, duty=duty, period=0.4), DT)
    plans = run(planner, command, 2.0)
    x = np.array([plan.position for plan in plans])
    v = np.array([plan.velocity for plan in plans])
    a = np.array([plan.acceleration for plan in plans])
    stands = np.array([plan.stance for plan in plans])
    assert np.abs(np.diff(x, axis=0) - DT * 0.5 * (v[1:] + v[:-1])).max() <= 1e-4
    both = (stands[1:] == stands[:-1]).all(axis=1)[:, None] & np.ones((1, 4), dtype=bool)
    smooth = np.abs(np.diff(v, axis=0) - DT * 0.5 * (a[1:] + a[:-1])).max(axis=2)
    assert smooth[both].max() <= 2e-2
    over = v + np.array([command[0], command[1], 0.0]) + np.cross([0, 0, command[2]], x)
    horizontal = np.abs(over[..., :2]).max(axis=2)
    assert horizontal[stands].max() <= 1e-9
    assert stands.mean(axis=0) == pytest.approx(duty, abs=0.05)


def test_the_foot_is_at_its_place_when_half_of_its_stance_is_over(legs):
    planner = Planner(legs, Gait.named("trot", duty=0.6, period=0.4), DT)
    plans = run(planner, (0.2, 0.05, 0.4), 2.0)
    since = np.array([[(plan.phase - td) % 1.0 for td in planner.gait.touchdown] for plan in plans])
    late = np.arange(len(plans)) > 800
    for foot in range(4):
        middle = np.flatnonzero(late & (np.abs(since[:, foot] - 0.3) < 2e-3))
        assert len(middle) >= 3
        for k in middle:
            assert plans[k].position[foot] == pytest.approx(planner.places[foot], abs=1e-3)


def test_feet_are_lifted_by_the_step_height_and_overshoot(legs):
    planner = Planner(legs, Gait.named("trot", step_height=0.03, overshoot=0.3), DT)
    x = np.array([plan.position for plan in run(planner, (0.2, 0.0, 0.0), 1.5)])[600:]
    rise = x[:, :, 2].max(axis=0) - planner.places[:, 2]
    assert (rise >= 0.03).all()
    assert (rise <= 0.04).all()
    half = 0.5 * 0.2 * 0.75 * 0.3
    assert (x[:, :, 0].max(axis=0) > planner.places[:, 0] + half + 1e-3).all()


def test_a_running_trot_throws_the_base_up(legs):
    gait = Gait.named("trot", duty=0.4, period=0.3)
    planner = Planner(legs, gait, DT)
    plans = run(planner, (0.2, 0.0, 0.0), 1.2)
    up = 0.5 * 9.81 * gait.flight()
    stands = np.array([plan.stance for plan in plans])[300:]
    v = np.array([plan.velocity[:, 2] for plan in plans])[300:]
    for foot in range(4):
        speeds = v[stands[:, foot], foot]
        assert speeds.max() == pytest.approx(up, abs=0.05 * up)
        assert speeds.min() == pytest.approx(-up, abs=0.05 * up)
    assert not stands.any(axis=1).all()


def test_zero_command_stands_and_a_stop_brings_the_feet_back(legs):
    planner = Planner(legs, "trot", DT)
    assert all(plan.stance.all() for plan in run(planner, (0, 0, 0), 0.5))
    run(planner, (0.2, 0.0, 0.0), 0.613, start=0.5)
    plans = run(planner, (0, 0, 0), 1.0, start=1.113)
    assert plans[-1].stance.all()
    assert np.abs(plans[-1].velocity).max() == 0.0
    stepping = Planner(legs, Gait.named("trot", stand=False), DT)
    assert not all(plan.stance.all() for plan in run(stepping, (0, 0, 0), 0.5))


def test_a_change_of_command_makes_no_jump(legs):
    planner = Planner(legs, Gait.named("trot", duty=0.6, period=0.4), DT)
    plans = run(planner, lambda t: (0.2 * np.sin(5 * t), 0.1 * np.cos(7 * t), 0.3 * t), 2.0)
    x = np.array([plan.position for plan in plans])
    assert np.abs(np.diff(x, axis=0)).max() <= 3e-3  # 3 m/s


def test_a_foot_that_misses_the_ground_reaches_down_and_others_wait(legs):
    planner = Planner(legs, Gait.named("trot", duty=0.6, period=0.4, reach_speed=0.1), DT)
    run(planner, (0.1, 0, 0), 0.8)
    missing = 0

    def sensed(t):
        return [0.0 if foot == missing else 1.0 for foot in range(4)]

    plans = run(planner, (0.1, 0, 0), 0.6, sensed, start=0.8)
    depth = min(plan.position[missing, 2] for plan in plans)
    assert depth < planner.places[missing, 2] - 0.01
    reaching = [k for k, plan in enumerate(plans) if plan.stance[missing] and plan.velocity[missing, 2] < 0.0]
    assert len(reaching) > 100
    for k in reaching[1:]:
        assert not (plans[k - 1].stance & ~plans[k].stance).any()  # nobody lifts off meanwhile
    plans = run(planner, (0.1, 0, 0), 0.8, lambda t: np.ones(4), start=1.4)
    assert plans[-1].position[missing, 2] == pytest.approx(planner.places[missing, 2], abs=0.04)


def test_the_same_calls_give_the_same_bits(legs):
    planner = Planner(legs, "walk", DT)
    first = run(planner, (0.1, 0.0, 0.2), 0.7)
    planner.reset()
    again = run(planner, (0.1, 0.0, 0.2), 0.7)
    assert all(np.array_equal(a.position, b.position) for a, b in zip(first, again, strict=True))


def test_bad_input_is_named(legs):
    planner = Planner(legs, "trot", DT)
    far = legs.home - np.array([0.0, 0.0, 0.2])
    for make, text in (
        (lambda: Planner(legs, "gallop", DT), "gait: expected one of 'trot', 'walk', 'pace', 'bound', got 'gallop'"),
        (lambda: Planner(legs, 3, DT), "gait: expected a Gait or the name of one, got int"),
        (
            lambda: Planner(legs, Gait((0.0, 0.5)), DT),
            "gait: expected touchdowns of 4 feet (LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT), got 2",
        ),
        (lambda: Planner(legs, "trot", 0.0), "dt: expected a number above 0, got 0"),
        (lambda: Planner(legs, "trot", DT, places=far), "places: LF_FOOT cannot reach (0.155, 0.0672, -0.372) m"),
        (lambda: planner(0.0, (1.0, 2.0)), "command: expected shape (3,), got (2,)"),
        (lambda: planner(np.nan, (0, 0, 0)), "t: expected a finite number, got nan"),
        (lambda: planner(0.0, (0, 0, 0), [1.0]), "sensed: expected shape (4,), got (1,)"),
    ):
        with pytest.raises(sf.InputError) as error:
            make()
        assert text in str(error.value)
