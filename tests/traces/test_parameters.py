"""Patterns stand for parameters, in a fixed order, and say what is near where they match nothing."""

import pytest

from surefoot.errors import InputError
from surefoot.traces.distributions import Choice, Constant, Jitter, Normal, Uniform
from surefoot.traces.draws import Draws
from surefoot.traces.parameters import Parameter, Uncertainty, values

KNOWN = {
    "robot.lf.thigh.length": 0.077,
    "robot.lf.shank.length": 0.1,
    "robot.lf.thigh.radius": 0.0095,
    "robot.lf.x1.axis.tilt1": 0.0,
    "robot.lf.x1.axis.tilt2": 0.0,
    "ground.mu": None,
    "law": "coulomb",
    "encoder.LF_X1": 0.0,
    "encoder.LF_X1.bias": 0.0,
    "encoder.Lf_X1": 0.0,
    "motor.LF_X1.noise": 0.0,
    "motor.LF_X1.strength": 1.0,
}


def names(patterns):
    return [each.name for each in Uncertainty(patterns).resolve(KNOWN)]


def test_order_is_that_of_the_patterns_then_of_the_names():
    patterns = {"law": Choice("soft"), "robot.*.length": Normal(0.1), "ground.mu": Uniform(0, 1)}
    assert names(patterns) == ["law", "robot.lf.thigh.length", "robot.lf.shank.length", "ground.mu"]


def test_a_later_pattern_overrides_and_the_place_stays():
    resolved = Uncertainty({"robot.*.length": Normal(1), "law": Choice(1), "*shank*": Normal(2)}).resolve(KNOWN)
    assert resolved == [
        Parameter("robot.lf.thigh.length", Normal(1), 0.077),
        Parameter("robot.lf.shank.length", Normal(2), 0.1),
        Parameter("law", Choice(1), "coulomb"),
    ]


def test_an_axis_stands_for_its_two_tilts():
    both = ["robot.lf.x1.axis.tilt1", "robot.lf.x1.axis.tilt2"]
    assert names({"robot.*.axis": Normal(0.01)}) == names({"robot.lf.x1.axis": Normal(0.01)}) == both
    assert names({"robot.lf.x1.axis.tilt2": Normal(0.01)}) == both[1:]


def test_case_counts_and_only_the_star_is_special():
    assert names({"encoder.LF*": Jitter(0.1)}) == ["encoder.LF_X1"]
    known = {"robot.foot[0].radius": 1.0, "robot.foot0.radius": 1.0}
    assert [each.name for each in Uncertainty({"robot.foot[0]*": Normal(1)}).resolve(known)] == ["robot.foot[0].radius"]


def test_a_pattern_stands_for_what_its_distribution_suits():
    assert names({"encoder.*": Jitter(0.1)}) == ["encoder.LF_X1", "encoder.Lf_X1"]
    assert names({"encoder.*": Normal(0.1)}) == ["encoder.LF_X1.bias"]
    assert names({"motor.*": Uniform(0.9, 1.1)}) == ["motor.LF_X1.strength"]


def test_values_of_a_particle():
    patterns = {"robot.*.length": Normal(0.1), "law": Choice("soft", "coulomb"), "encoder.*": Jitter(0.1)}
    patterns["robot.lf.thigh.radius"] = Constant(3.0)
    resolved = Uncertainty(patterns).resolve(KNOWN)
    draws = Draws(4)
    nominal = values(resolved, 0, draws)
    assert nominal == {
        "robot.lf.thigh.length": 0.077,
        "robot.lf.shank.length": 0.1,
        "law": "coulomb",
        "robot.lf.thigh.radius": 3.0,
    }
    third = values(resolved, 3, draws)
    assert third["robot.lf.thigh.length"] == Normal(0.1).value(draws.uniform(3, "robot.lf.thigh.length"), 0.077)
    assert third["robot.lf.thigh.radius"] == 3.0


def test_a_value_depends_on_no_other_parameter():
    few = Uncertainty({"robot.lf.shank.length": Normal(0.1)}).resolve(KNOWN)
    many = Uncertainty({"law": Choice("soft", "rigid"), "robot.*.length": Normal(0.1)}).resolve(KNOWN)
    name = "robot.lf.shank.length"
    assert [values(few, p, Draws(1))[name] for p in range(9)] == [values(many, p, Draws(1))[name] for p in range(9)]


@pytest.mark.parametrize(
    ("patterns", "text"),
    [
        ([1], "uncertainty: expected distributions by name, got [1]"),
        ({3: Normal(1)}, "uncertainty: expected a name or a pattern such as 'robot.*.length', got 3"),
        ({"law": 0.1}, "uncertainty: 'law': expected a distribution such as Normal(0.01), got 0.1"),
        (
            {"robot.lf.thigh.lenght": Normal(1)},
            "uncertainty: no parameter matches 'robot.lf.thigh.lenght'; names that come near are: "
            "robot.lf.thigh.length, robot.lf.shank.length, robot.lf.thigh.radius",
        ),
        (
            {"robot.*.axes": Normal(1)},
            "uncertainty: no parameter matches 'robot.*.axes'; names that come near are: robot.lf.x1.axis, "
            "robot.lf.thigh.radius, robot.lf.thigh.length",
        ),
        (
            {"ground.mu": Normal(0.1)},
            "uncertainty: 'ground.mu': a normal distribution without a mean needs a finite nominal value, but that is "
            "None",
        ),
        (
            {"law": Uniform(0.5, 1, factor=True)},
            "uncertainty: 'law': a factor needs a finite nominal value, but that is 'coulomb'",
        ),
        (
            {"encoder.LF_X1": Normal(0.1)},
            "uncertainty: 'encoder.LF_X1': expected a Jitter, since this is noise, got Normal(sd=0.1, mean=None, "
            "low=None, high=None, factor=False); for an offset that stays, name 'encoder.LF_X1.bias'",
        ),
        (
            {"motor.LF_X1.noise": Uniform(0, 1)},
            "uncertainty: 'motor.LF_X1.noise': expected a Jitter, since this is noise, got Uniform(low=0, high=1, "
            "factor=False)",
        ),
        (
            {"robot.*.length": Jitter(0.1)},
            "uncertainty: 'robot.lf.thigh.length': expected a distribution that is drawn once a particle, got "
            "Jitter(sd=0.1, low=None, high=None)",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(patterns, text):
    with pytest.raises(InputError) as error:
        Uncertainty(patterns).resolve(KNOWN)
    assert str(error.value) == text


def test_where_nothing_can_be_uncertain():
    with pytest.raises(InputError, match=r"^uncertainty: no parameter matches 'a'; nothing can be uncertain here$"):
        Uncertainty({"a": Normal(1)}).resolve({})
