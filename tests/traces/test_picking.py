"""The bundled scenario `picking`."""

import pickle
from dataclasses import replace

import pytest

import surefoot as sf
from surefoot.control import PICKS, picker
from surefoot.traces.contact_requirements import NoSelfCollision
from surefoot.traces.scenario_file import load_scenario


@pytest.fixture(scope="module")
def picking():
    return load_scenario("picking")


@pytest.fixture(scope="module")
def arms(picking):
    """The arm alone is not as modelled, as in the files of the dissertation."""
    uncertainty = {name: how for name, how in picking.uncertainty.items() if name.startswith("robot.")}
    return replace(picking, uncertainty=uncertainty)


@pytest.mark.parametrize("policy", ["direct", "indirect"])
def test_the_nominal_arm_succeeds(picking, policy):
    result = picking.trace(policy, 0)
    assert (result.outcome, result.requirement, result.message) == ("success", "", "")
    assert result.margins == {"no self-collision": 1.0, "held": 1.0}
    assert result.final["ball.z"] > -0.06  # it lay at -0.125 m


def test_all_of_figure_10_is_uncertain(picking):
    parameters = picking.parameters()
    assert sum(p.per_step for p in parameters) == 34  # encoders, their rates and motors of 11 joints; lag
    heads = {p.name.partition(".")[0] for p in parameters}
    assert heads == {"robot", "ground", "restitution", "law", "start", "lag", "encoder", "encoder_rate", "motor"}
    assert len(parameters) >= 115


def test_direct_beats_indirect(arms):
    held = {way: {i for i in range(1, 25) if arms.trace(way, i).outcome == "success"} for way in PICKS}
    assert len(held["direct"]) >= 16
    assert len(held["indirect"]) <= 14
    assert len(held["direct"] - held["indirect"]) >= len(held["indirect"] - held["direct"]) + 6


def test_a_copy_gives_the_same_bits(picking):
    one, other = picking.trace("indirect", 3, seed=7), pickle.loads(pickle.dumps(picking)).trace("indirect", 3, seed=7)
    assert one.final == other.final
    assert one.values == other.values
    assert (one.telemetry["q3"] == other.telemetry["q3"]).all()


def test_from_farther_aside_the_arm_would_pass_through_itself(picking):
    pick = replace(PICKS["indirect"], beside=0.15)
    result = replace(picking, policies={"far": lambda scene, dt: picker(scene, pick, dt)}).trace("far", 0)
    assert (result.outcome, result.requirement) == ("known failure", "no self-collision")


def test_the_last_link_comes_near_the_fingers_which_is_ignored(picking):
    bare = replace(picking, requirements=[NoSelfCollision()])
    assert 0.0 < bare.trace("direct", 0).margins["no self-collision"] < 0.2


def test_lists_will_do(picking):
    pairs = [["FINGER_00", "LINK_6"], ["FINGER_01", "LINK_6"], ["LINK_6", "FINGER_10"], ["LINK_6", "FINGER_11"]]
    found = replace(picking, requirements=[NoSelfCollision(ignored=pairs)]).trace("direct", 0)
    assert found.margins["no self-collision"] == 1.0


@pytest.mark.parametrize("ignored", ["LINK_6", [("LINK_6",)], [("LINK_6", 6)], ["LINK_6", "HAND"], 3, None])
def test_what_is_ignored_are_pairs_of_names(ignored):
    with pytest.raises(sf.InputError) as found:
        NoSelfCollision(ignored=ignored)
    assert str(found.value) == f"NoSelfCollision.ignored: expected pairs of names of links, got {ignored!r}"


def test_what_is_ignored_must_be_there(picking):
    broken = replace(picking, requirements=[NoSelfCollision(ignored=(("LINK_6", "FINGER_02"),))])
    result = broken.trace("direct", 0)
    assert result.outcome == "broken"
    assert result.message.startswith("InputError: NoSelfCollision.ignored: no link is called 'FINGER_02'; did you mean")
