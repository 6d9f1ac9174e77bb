import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.traces.online import safe_to_switch
from tests.traces.planted import idles, throw
from tests.traces.small import flyer, tells


def lifts(scene, dt):
    """A controller that pushes the leg round: the base turns the other way."""
    return tells.bind(np.r_[1.0, 1000.0, np.zeros(1 + scene.nq + scene.nv)], memory=1)


def level(span):
    """Negative once the trunk pitches."""
    return 0.03 - np.abs(span.base[:, 5])


@pytest.fixture(scope="module")
def scenario():
    """Two controllers, of which the second leaves the trunk level for as long as is asked for."""
    return throw(
        policies={"turns": lifts, "idles": idles},
        requirements=[level],
        uncertainty={"robot.leg.mass": sf.Normal(0.05, factor=True), "start.velocity.x": sf.Normal(0.1)},
        duration=0.03,
    )


@pytest.fixture(scope="module")
def state(scenario):
    return scenario.nominal().home()


class Clock:
    """Every look takes so long."""

    def __init__(self, tick):
        self.now, self.tick = 0.0, tick

    def __call__(self):
        self.now += self.tick
        return self.now


def test_the_best_is_found_and_safe(scenario, state):
    decision = safe_to_switch(scenario, state, particles=5, budget=60.0)
    assert decision.best == "idles"
    assert decision.safe
    assert decision
    assert decision.complete
    assert (decision.rates["idles"].successes, decision.rates["idles"].n) == (5, 5)
    assert (decision.rates["turns"].successes, decision.rates["turns"].n) == (0, 5)
    assert 0.0 < decision.seconds < 60.0


def test_the_budget_is_kept(scenario, state):
    """With a clock of 1 s a look, the budget of 3.5 s is over at the fourth look after the first: three particles."""
    decision = safe_to_switch(scenario, state, particles=8, budget=3.5, clock=Clock(1.0), least=3)
    assert [rate.n for rate in decision.rates.values()] == [3, 3]
    assert not decision.complete
    assert decision.seconds == 5.0
    assert decision.best == "idles"
    assert decision.safe  # three are as many as were asked for
    assert not safe_to_switch(scenario, state, particles=8, budget=3.5, clock=Clock(1.0), least=4).safe


def test_no_time_no_answer(scenario, state):
    decision = safe_to_switch(scenario, state, budget=0.5, clock=Clock(1.0))
    assert decision.best is None
    assert not decision
    assert not decision.complete
    assert [rate.n for rate in decision.rates.values()] == [0, 0]


def test_equals_are_told_in_their_order(scenario, state):
    calm = throw(policies={"b": idles, "a": idles}, requirements=[])
    decision = safe_to_switch(calm, calm.nominal().home(), particles=4, budget=60.0)
    assert decision.best == "b"


def test_it_starts_where_the_robot_is(scenario, state):
    """A trunk that already pitches is level under no policy."""
    q = np.array(state.q)
    q[3:7] = np.cos(0.1), 0.0, np.sin(0.1), 0.0
    decision = safe_to_switch(scenario, state.replace(q=q, t=3.0), particles=4, budget=60.0)
    assert not decision
    assert [rate.successes for rate in decision.rates.values()] == [0, 0]


def test_the_scenario_is_left_as_it_was(scenario, state):
    before = scenario.trace("idles", 1)
    safe_to_switch(scenario, state.replace(q=state.q + np.r_[0.1, np.zeros(scenario.nominal().nq - 1)]), budget=60.0)
    after = scenario.trace("idles", 1)
    assert (before.margins, before.final) == (after.margins, after.final)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"scenario": "curb"}, "scenario: expected a Scenario, got str"),
        ({"state": None}, "state: expected a State, got NoneType"),
        ({"state": sf.State(np.zeros(3), np.zeros(3))}, "state.q: expected shape (8,), got (3,)"),
        ({"state": sf.State(flyer().home().q, np.zeros(3))}, "state.v: expected shape (7,), got (3,)"),
        ({"budget": 0.0}, "budget: expected a number above 0, got 0"),
        ({"budget": np.nan}, "budget: expected a finite number, got nan"),
        ({"particles": 0}, "particles: expected a whole number of at least 1, got 0"),
        ({"least": 0}, "least: expected a whole number of at least 1, got 0"),
        ({"least": 1.5}, "least: expected a whole number of at least 1, got 1.5"),
        ({"particles": 2}, "least: expected at most particles = 2, got 4"),
        ({"seed": -1}, "seed: expected a whole number of at least 0, got -1"),
    ],
)
def test_errors(scenario, state, changes, text):
    given = {"scenario": scenario, "state": state, **changes}
    with pytest.raises(InputError) as caught:
        safe_to_switch(given.pop("scenario"), given.pop("state"), **given)
    assert str(caught.value) == text
