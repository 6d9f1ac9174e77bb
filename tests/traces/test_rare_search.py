import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.traces.rare_search import least_margin, rare_failures
from surefoot.traces.result import Result
from tests.traces.planted import RARE, throw


@pytest.fixture(scope="module")
def found():
    told = []
    result = rare_failures(throw(), "idle", most=500, progress=lambda *now: told.append(now))
    assert [done for done, _ in told] == list(range(1, result.evaluations + 1))
    assert {most for _, most in told} == {500}
    return result


def test_one_failure_in_a_thousand_is_found_and_its_parameter_named_first(found):
    """A plain sample of as many traces would miss it in three of five tries."""
    assert found.evaluations <= 500
    assert len(found.rare.failures) >= 10
    assert found.rare.low < 1e-3 < found.rare.high
    assert 1e-4 < found.rare.probability < 1e-2
    assert found.pulls[0].name == "start.velocity.x"
    assert found.pulls[0].mean > 2.5
    assert found.pulls[0].size > 2 * found.pulls[1].size


def test_the_worst_trace_can_be_had_again(found):
    assert found.margin < 0.0
    assert found.worst["start.velocity.x"] > 0.1 * RARE
    again = throw().trace("idle", 1, values=found.worst)
    assert again.outcome == "known failure"
    assert again.margins["too_fast"] == pytest.approx(found.margin, rel=1e-12)


def test_rows_tell_of_it(found):
    rows = dict(found.rows())
    assert list(rows) == ["failures met", "probability", "interval", "least margin", "pulled by"]
    assert rows["failures met"] == f"{len(found.rare.failures)} of {found.evaluations} traces"
    assert rows["pulled by"].splitlines()[0].startswith("start.velocity.x: +")


def test_the_same_seed_finds_the_same_and_another_does_not():
    one, same, other = (rare_failures(throw(), "idle", most=40, seed=seed) for seed in (1, 1, 2))
    assert (one.margin, one.worst) == (same.margin, same.worst)
    assert one.margin != other.margin


def test_nothing_near_failure():
    found = rare_failures(throw(requirements=[lambda span: np.ones(len(span))]), "idle", most=20)
    assert found.rare.probability == 0.0
    assert not found.rare.failures
    assert dict(found.rows())["pulled by"] == "nothing near failure was found"


def shouts(scene, dt):
    def shout(state):
        raise RuntimeError("boom")

    return shout


def test_traces_without_an_answer_are_told():
    found = rare_failures(throw(policies={"shouts": shouts}), "shouts", most=10)
    assert found.rare.missing == found.evaluations == 10
    assert dict(found.rows())["without an answer"] == "10 of 10 traces; counted as no failure"


@pytest.mark.parametrize(
    ("scenario", "policy", "most", "text"),
    [
        (throw(uncertainty={}), "idle", 9, "scenario: 'throw' has nothing uncertain that is drawn once for a particle"),
        (
            throw(uncertainty={"gps.x": sf.Jitter(0.1), "restitution": sf.traces.Constant(0.1)}), "idle", 9,
            "scenario: 'throw' has nothing uncertain that is drawn once for a particle",
        ),
        (throw(requirements=[]), "idle", 9, "scenario: 'throw' has no requirement and no objective to come near to"),
        (throw(), "idle", 0, "most: expected a whole number of at least 1, got 0"),
        (throw(), "idle", 2.5, "most: expected a whole number of at least 1, got 2.5"),
        (throw(), "no", 9, "policy: no policy is called 'no'; The choices are: idle"),
    ],
)  # fmt: skip
def test_errors(scenario, policy, most, text):
    with pytest.raises(InputError) as caught:
        rare_failures(scenario, policy, most=most)
    assert str(caught.value) == text


def test_what_is_no_scenario():
    with pytest.raises(InputError) as caught:
        rare_failures("curb", "idle")  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == "scenario: expected a Scenario, got str"


def test_least_margin():
    def result(outcome, **margins):
        return Result("p", 1, outcome, margins=margins)

    assert least_margin(result("success", a=0.5, b=0.2)) == 0.2
    assert least_margin(result("success", a=0.0)) == 0.0
    assert least_margin(result("known failure", a=-0.5, b=0.2)) == -0.5
    assert least_margin(result("unknown failure", a=0.0)) < 0.0
    assert least_margin(result("known failure", a=0.3, b=np.nan)) < 0.0
    assert least_margin(result("known failure", b=np.nan)) < 0.0
    assert np.isnan(least_margin(result("broken")))
    assert np.isnan(least_margin(result("broken", a=0.3)))
    assert np.isnan(least_margin(result("success", a=np.inf)))
