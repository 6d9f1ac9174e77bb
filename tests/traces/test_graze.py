from dataclasses import replace

import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.traces.graze import cloud, ended, find_split, locate_graze, met
from surefoot.traces.result import Result
from surefoot.traces.scatter import scatter
from tests.traces.planted import beyond, idles, throw
from tests.traces.small import flyer

UNCERTAIN = {
    "start.x": sf.Normal(0.02),
    "start.y": sf.Normal(0.02),
    "start.yaw": sf.Uniform(-0.1, 0.1),
    "ground.mu": sf.Choice(0.5, 1.0),  # numbers that cannot be moved, nor can the next
    "restitution": sf.traces.Constant(0.1),
    "law": sf.Choice("coulomb", "soft"),
    "gps.x": sf.Jitter(0.1),
}


@pytest.fixture(scope="module")
def planted():
    scenario = throw(requirements=[beyond], uncertainty=UNCERTAIN)
    [finding] = sf.falsify(scenario, 40, seed=3, workers=0).findings()
    return scenario, finding


def test_a_planted_graze_is_located(planted):
    scenario, finding = planted
    split = locate_graze(scenario, finding, seed=3)
    assert split is not None
    assert (split.policy, split.name, split.nominal) == ("idle", "start.x", 0.0)
    assert split.graze.value == pytest.approx(12.34567e-3, abs=1e-6)
    assert 0.0 < split.graze.high - split.graze.low <= 1e-6
    assert (split.graze.before, split.graze.after) == (("success", ""), ("known failure", "beyond"))
    assert split.influences[0].name == split.direction.names[0] == "start.x"
    failed = float((~finding.group.success).mean())
    assert split.shares == (1.0 - failed, failed)
    assert str(split).startswith("idle: behaviour splits (")
    assert "start.x grazes at 0.01234" in str(split)


def test_finer_and_by_another_behaviour(planted):
    scenario, finding = planted
    split = locate_graze(scenario, finding, seed=3, behaviour=met, tolerance=1e-9)
    assert split is not None
    assert split.graze.value == pytest.approx(12.34567e-3, abs=1e-9)


def test_only_traces_of_the_search_are_run_again(planted, monkeypatch):
    """How the traces of the run ended is in its table."""
    scenario, finding = planted
    traced = []
    whole = type(scenario).trace

    def counted(self, *given, **named):
        traced.append(given)
        return whole(self, *given, **named)

    monkeypatch.setattr(type(scenario), "trace", counted)
    split = locate_graze(scenario, finding, seed=3)
    assert split is not None
    assert len(traced) == split.graze.evaluations < 40


def test_traces_without_an_answer_are_left_alone(planted):
    """One that crashed would take this process with it."""
    scenario, finding = planted
    group = finding.group
    outcome = group.outcome.astype(object)
    outcome[group.particle % 5 == 0] = "crashed"
    broken = replace(finding, group=replace(group, outcome=outcome.astype(str)))
    split = locate_graze(scenario, broken, seed=3)
    assert split is not None
    assert split.particle % 5
    assert split.graze.value == pytest.approx(12.34567e-3, abs=1e-6)
    nothing = replace(finding, group=replace(group, outcome=np.full(len(group), "hung")))
    assert locate_graze(scenario, nothing, seed=3) is None


def test_where_all_behave_alike_there_is_none(planted):
    scenario, _ = planted
    calm = replace(scenario, requirements=[])
    [same] = sf.falsify(calm, 4, seed=3, workers=0).findings()
    assert locate_graze(calm, same, seed=3) is None


def test_nothing_to_move(planted):
    scenario, _ = planted
    fixed = replace(scenario, uncertainty={"ground.mu": sf.Choice(0.5, 1.0), "law": sf.Choice("coulomb", "soft")})
    [finding] = sf.falsify(fixed, 4, workers=0).findings()
    with pytest.raises(InputError) as caught:
        locate_graze(fixed, finding)
    assert str(caught.value) == "scenario: 'throw' has no uncertain numbers that could be moved"


def test_a_ball_that_just_misses_the_edge_of_a_box():
    """It falls past a box whose side is at x = 1.1 m and touches it if its centre is nearer than its radius.

    In steps of dt, a contact is one that would come within the next step, at the speed v = 1.4 m/s that it passes the
    edge with: up to (v dt)^2 / (2 x 5 cm) = 0.2 um farther out.
    """
    scenario = sf.Scenario(
        "edge",
        flyer(),
        {"idle": idles},
        duration=0.16,
        dt=1e-4,
        terrain=sf.Plane(mu=0.5),
        objects=[
            sf.Box(size=(0.2, 0.2, 0.2), mass=5.0, position=(1.0, 0.0, 0.1), name="box"),
            sf.Ball(radius=0.05, mass=0.1, position=(1.15, 0.0, 0.3)),
        ],
        requirements=[sf.traces.NoBodyContact(("ball",))],
        uncertainty={"object.ball.position.0": sf.Uniform(1.13, 1.17), "object.ball.position.1": sf.Normal(0.01)},
    )
    [finding] = sf.falsify(scenario, 24, workers=0).findings()
    split = locate_graze(scenario, finding)
    assert split is not None
    assert split.name == "object.ball.position.0"
    assert split.graze.value == pytest.approx(1.15, abs=1.2e-6)
    assert split.graze.high - split.graze.low <= 1e-6


def test_behaviours():
    events = {"t": np.array([0.1, 0.5]), "kind": np.array(["touchdown", "strike"]), "feature": np.array(["a/b", "a/c"])}
    good = Result("p", 1, "success", events=events)
    assert ended(good) == ("success", "")
    assert met(good) == ("success", ("strike a/c", "touchdown a/b"))
    assert met(Result("p", 1, "broken")) == ("broken", ())


def test_a_policy_of_which_no_trace_fails_is_told_apart_by_what_it_meets():
    """A ball that falls touches the ground before the end, and stays for the 5 ms that make an event, or does not."""
    fall = 0.155
    scenario = sf.Scenario(
        "fall",
        flyer(),
        {"idle": idles},
        duration=fall + 5e-3,
        terrain=sf.Plane(mu=0.5),
        objects=[sf.Ball(radius=0.05, mass=0.1, position=(1.0, 0.0, 0.17))],
        uncertainty={"object.ball.position.2": sf.Uniform(0.15, 0.19), "object.ball.position.1": sf.Normal(0.01)},
    )
    [finding] = sf.falsify(scenario, 24, workers=0).findings()
    assert finding.group.success.all()
    split = find_split(scenario, finding)
    assert split is not None
    assert split.name == "object.ball.position.2"
    assert split.graze.value == pytest.approx(0.05 + 0.5 * 9.81 * fall**2, abs=3e-3), "to some steps"
    assert 0.0 < split.graze.high - split.graze.low <= 1e-6
    for place, seen in ((split.graze.low, split.graze.before), (split.graze.high, split.graze.after)):
        assert met(scenario.trace("idle", split.particle, values={split.name: place})) == seen
    assert split.graze.before[0] == split.graze.after[0] == "success"
    assert set(split.graze.before[1]) - set(split.graze.after[1]) == {"touchdown ball/ground"}
    again = locate_graze(scenario, finding, behaviour=lambda result: met(result))
    assert again is not None
    assert again.graze == split.graze, "from the run's events as from traces"


def test_clouds_are_told_apart_between_them(planted):
    _, finding = planted
    n = len(finding.group)
    x = np.where(np.arange(n) % 2 == 0, 0.0, 1.0) + 1e-3 * np.arange(n)
    group = replace(finding.group, outcome=np.full(n, "success"), requirement=np.full(n, ""), final={"x": x})
    two = replace(finding, group=group, scatter=scatter(x[:, None]))
    assert two.scatter.word == "bifurcates"
    which = cloud(two)
    told = [which(Result("p", 1, "success", final={"x": each})) for each in (0.2, 0.9, -5.0, 5.0)]
    assert told[0] == told[2] != told[1] == told[3]
    assert which(Result("p", 1, "known failure", "upright", final={"x": 0.2})) == ("known failure", "upright")
    middle = 0.5 * (x[x < 0.5].max() + x[x > 0.5].min())
    assert which(Result("p", 1, "success", final={"x": middle - 1e-6})) == told[0]
    assert which(Result("p", 1, "success", final={"x": middle + 1e-6})) == told[1]


def test_a_split_is_found_by_how_traces_end_first(planted):
    scenario, finding = planted
    split, same = find_split(scenario, finding, seed=3), locate_graze(scenario, finding, seed=3)
    assert split is not None
    assert same is not None
    assert split.graze == same.graze
