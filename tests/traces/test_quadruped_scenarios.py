"""The quadruped's bundled scenarios: what the robot as modelled does under each policy [Zapolsky2017, chapter 4]."""

import pytest

from surefoot.traces.scenario_file import load_scenario


@pytest.fixture(scope="module")
def curb():
    return load_scenario("curb")


@pytest.mark.parametrize(
    ("policy", "outcome"), [("1 cm", "unknown failure"), ("2 cm", "unknown failure"), ("4 cm", "success")]
)
def test_low_steps_do_not_cross_the_curb(curb, policy, outcome):
    result = curb.trace(policy, 0)
    assert result.outcome == outcome
    strikes = [f for k, f in zip(result.events["kind"], result.events["feature"], strict=True) if k == "strike"]
    assert outcome == "success" or strikes[0].startswith("RF_FOOT/curb")


@pytest.mark.parametrize(("height", "crosses"), [(0.022, True), (0.038, False)])
def test_steps_of_3_cm_cross_what_is_lower(curb, height, crosses):
    result = curb.trace("3 cm", 0, values={"ground.height": height})
    assert (result.outcome == "success") == crosses


def test_short_gait_periods_are_stable_and_long_ones_fall_the_sooner_the_longer():
    scenario = load_scenario("gait_period")
    results = {policy: scenario.trace(policy, 0) for policy in ("0.6 s", "1.0 s", "1.2 s", "1.5 s")}
    assert [r.outcome for r in results.values()] == ["success", "success", "known failure", "known failure"]
    assert 20.0 > results["1.2 s"].time > results["1.5 s"].time
    assert results["1.5 s"].requirement == "upright"


def test_every_transition_leaves_two_seconds_of_trot():
    scenario = load_scenario("transition")
    for name, policy in scenario.policies.items():
        switch = policy.policy().changeover()
        assert 1.0 <= switch <= scenario.duration - 2.0
        assert scenario.trace(name, 0).requirement in ("", "upright")
