import numpy as np
import pytest

from surefoot.traces.findings import comparisons, deciding, findings, ways_told
from surefoot.traces.groups import groups
from surefoot.traces.result import Result
from surefoot.traces.run_folder import RunFolder

NAMES = ("mass", "law", "length")


@pytest.fixture
def folder(tmp_path):
    """A function that writes results into the folder of a run and opens it."""

    def written(results, policies=("a",)):
        header = {
            "scenario": "made", "parameters": [{"name": name} for name in NAMES], "policies": list(policies),
            "particles": 1000, "seed": 0, "method": "random",
        }  # fmt: skip
        with RunFolder.create(tmp_path / "run", header) as made:
            made.append(list(results))
        return RunFolder.open(tmp_path / "run")

    return written


def result(particle, outcome="success", requirement="", policy="a", margin=1.0, feature="foot/ground", end=0.0, **more):
    """A trace whose parameters depend on its number alone."""
    rng = np.random.default_rng(particle)
    drawn = {"mass": rng.normal(), "law": ("coulomb", "soft")[particle % 2], "length": rng.normal()}
    events = {"t": np.array([0.1, 0.2]), "kind": ["touchdown", "touchdown"], "feature": [feature, "hand/wall"]}
    known = {"time": 0.5, "margins": {"upright": margin}, "final": {"x": end}, "events": events, "values": drawn}
    return Result(policy, particle, outcome, requirement, **{**known, **more})


def mass(particle):
    return np.random.default_rng(particle).normal()


def by_mass(particle, policy="a", limit=0.5):
    """Fails where the mass is large."""
    fails = mass(particle) > limit
    outcome = ("known failure", "upright") if fails else ("success", "")
    return result(
        particle,
        *outcome,
        policy=policy,
        margin=limit - mass(particle),
        feature="knee/ground" if fails else "foot/ground",
    )


def test_the_parameter_that_decides_is_named(folder):
    results = [by_mass(k) for k in range(60)]
    [found] = findings(folder(results))
    failed = sum(mass(k) > 0.5 for k in range(60))
    assert found.policy == "a"
    assert found.verdict.word == "brittle"
    assert found.decides == found.influences[0].name == "mass"
    assert (found.rate.successes, found.rate.n) == (60 - failed, 60)
    assert found.by == "success"
    assert found.row() == ("a", "brittle", str(found.rate), f"upright {failed}", "mass")
    assert found.verdict.because.endswith("mass decides.")
    assert found.parting is not None
    assert "knee/ground" in str(found.parting)
    assert [len(signature) for signature in found.signatures] == [2] * 60
    assert found.ways() == [(60 - failed, 60 - failed), (failed, 0)]  # who fails meets the ground with a knee
    assert found.behaviours is found.behaviours
    assert ways_told([found]) == [
        f"a: 2 behaviours by their impacts: {60 - failed} traces (100 % succeed), {failed} (0 %)."
    ]


def test_without_a_failure_parameters_are_ranked_by_the_nearest_margin(folder):
    [found] = findings(folder([result(k, margin=3.0 - mass(k)) for k in range(60)]))
    assert found.verdict.word == "robust"
    assert found.by == "upright"
    assert found.influences[0].name == "mass"
    assert found.decides == ""  # nothing fails
    assert found.parting is None
    assert found.row()[3:] == ("-", "-")
    assert ways_told([found]) == []


def test_success_that_ends_in_two_places_is_unpredictable(folder):
    rng = np.random.default_rng(0)
    ends = np.where(np.arange(80) % 2, 1.0, -1.0) + 0.01 * rng.standard_normal(80)
    [found] = findings(folder([result(k, end=float(ends[k])) for k in range(80)]))
    assert found.verdict.word == "unpredictable"
    assert found.scatter.word == "bifurcates"


def test_traces_without_an_answer_count_as_failures_and_are_told_apart(folder):
    lost = [Result("a", k, "broken", message="no") for k in range(40, 60)]
    [found] = findings(folder([*(result(k) for k in range(40)), *lost]))
    assert (found.rate.successes, found.rate.n) == (40, 60)
    assert found.row()[3] == "broken 20"
    assert found.parting is None


def test_all_lost(folder):
    [found] = findings(folder([Result("a", k, "crashed", message="no") for k in range(60)]))
    assert found.verdict.word == "fails"
    assert (found.by, found.influences, found.decides) == ("", [], "")


def test_one_trace_and_none(folder):
    one, none = findings(folder([result(0)], ("a", "b")))
    assert one.verdict.word == "brittle"
    assert len(none.group) == 0
    assert (none.rate.successes, none.rate.n) == (0, 0)
    assert none.row()[0] == "b"
    assert (one.ways(), none.ways()) == ([(1, 1)], [])
    assert comparisons([one, none]) == []


def test_policies_are_compared_on_the_particles_that_both_met(folder):
    good = [result(k, policy="b") for k in range(80)]
    found = findings(folder([*(by_mass(k) for k in range(60)), *good], ("a", "b")))
    [sentence] = comparisons(found)
    failed = sum(mass(k) > 0.5 for k in range(60))
    assert str(failed) in sentence
    assert comparisons(found[:1]) == []
    assert comparisons([]) == []


def test_policies_that_do_as_well_are_not_told_apart(folder):
    results = [by_mass(k, policy) for k in range(40) for policy in ("a", "b")]
    assert comparisons(findings(folder(results, ("a", "b")))) == []


def test_a_choice_can_decide(folder):
    results = [
        result(k, *(("known failure", "upright") if k % 2 else ("success", ""))) for k in range(60)
    ]  # fmt: skip
    [found] = findings(folder(results))
    assert found.decides == "law"


def test_deciding_of_nothing():
    assert deciding([]) == ""


# Groups


def test_groups_are_the_columns_of_a_policy(folder):
    opened = folder(
        [
            result(1, "known failure", "upright", time=0.25),
            result(0),
            result(0, policy="b"),
            result(2, "hung", time=np.nan),
        ],
        ("a", "b", "c"),
    )
    a, b, c = groups(opened.particles(), opened.policies)
    assert [(group.policy, group.place, len(group)) for group in (a, b, c)] == [("a", 0, 3), ("b", 1, 1), ("c", 2, 0)]
    assert a.particle.tolist() == [0, 1, 2]
    assert a.outcome.tolist() == ["success", "known failure", "hung"]
    assert a.success.tolist() == [True, False, False]
    assert a.answered.tolist() == [True, True, False]
    assert a.values["law"].tolist() == ["coulomb", "soft", "coulomb"]
    assert a.values["mass"].tolist() == [mass(0), mass(1), mass(2)]
    assert a.margins["upright"].tolist() == [1.0, 1.0, 1.0]
    assert a.causes() == [("upright", 1, 0.25)]
    assert c.causes() == []
    assert c.success.dtype == bool


def test_causes_come_by_how_often(folder):
    results = [result(k, "known failure", "lean", time=0.1 * k) for k in range(1, 4)]
    results += [result(4, "unknown failure", "there", time=2.0), result(5), result(6, "broken", "lean")]
    [group] = groups(folder(results).particles(), ["a"])
    assert group.causes() == [("lean", 3, pytest.approx(0.2)), ("there", 1, 2.0)]


def test_a_run_without_a_trace(folder):
    opened = folder([])
    [group] = groups(opened.particles(), opened.policies)
    assert len(group) == 0
    [found] = findings(opened)
    assert found.row()[0] == "a"
