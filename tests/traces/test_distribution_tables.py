"""Distributions from tables and back."""

import json
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.laws import Coulomb
from surefoot.traces.distribution_tables import from_table, to_table
from surefoot.traces.distributions import Choice, Constant, Jitter, Normal, Uniform, measured

numbers = st.floats(-1e6, 1e6)
positive = st.floats(1e-6, 1e6)
maybe = st.none() | numbers


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{normal = 0.0025}", Normal(0.0025)),
        ("{normal = {sd = 1, mean = 2.5, low = 0, high = 3, factor = true}}", Normal(1, 2.5, 0, 3, True)),
        ("{uniform = [0.5, 1]}", Uniform(0.5, 1)),
        ("{uniform = {low = 0.5, high = 1.5, factor = true}}", Uniform(0.5, 1.5, factor=True)),
        ('{choice = ["coulomb", "soft"]}', Choice("coulomb", "soft")),
        ("{measured = {value = 0.077, resolution = 5e-4}}", measured(0.077, 5e-4)),
        ("{jitter = 0.003}", Jitter(0.003)),
        ("{jitter = {sd = 0.003, low = -0.01, high = 0.02}}", Jitter(0.003, -0.01, 0.02)),
        ("{constant = 3}", Constant(3)),
    ],
)
def test_tables_of_a_toml_file(text, wanted):
    assert from_table("x", tomllib.loads(f"x = {text}")["x"]) == wanted


@settings(max_examples=60, deadline=None)
@given(sd=positive, mean=maybe, low=maybe, width=positive, limits=st.booleans(), factor=st.booleans())
def test_a_table_and_back_is_exact(sd, mean, low, width, limits, factor):
    low = 0.0 if low is None and limits else low
    high = low + width if limits else None
    for made in (
        Normal(sd, mean, low, high, factor),
        Uniform(low or 0.0, (low or 0.0) + width, factor),
        Choice(sd, "soft", 3, True),
        Jitter(sd, None if not limits else -width, high and abs(high) + width),
        Constant(sd),
    ):
        assert from_table("x", json.loads(json.dumps(to_table(made)))) == made


def test_short_forms_where_they_do():
    assert to_table(Normal(0.5)) == {"normal": 0.5}
    assert to_table(Normal(0.5, mean=1.0)) == {"normal": {"sd": 0.5, "mean": 1.0}}
    assert to_table(Uniform(1.0, 2.0)) == {"uniform": [1.0, 2.0]}
    assert to_table(Choice(Coulomb(), "soft"))["choice"][1] == "soft"
    assert to_table(Choice(Coulomb()))["choice"] == [repr(Coulomb())]


def test_a_distribution_stays_itself():
    assert from_table("x", Normal(1.0)) == Normal(1.0)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (3, "mass: expected a distribution such as {normal = 0.01}, got 3"),
        ({}, "mass: expected a distribution such as {normal = 0.01}, got {}"),
        (
            {"gauss": 1},
            "mass: distribution: expected one of 'normal', 'uniform', 'jitter', 'choice', 'measured', 'constant', "
            "got 'gauss'",
        ),
        ({"normal": "wide"}, "mass: Normal.sd: expected a finite number, got 'wide'"),
        ({"normal": {"mean": 1}}, "mass: normal: sd is missing"),
        (
            {"normal": {"sd": 1, "men": 1}},
            "mass: normal: no entry is called 'men'; did you mean 'mean'? The choices are: sd, mean, low, high, factor",
        ),
        ({"uniform": [1]}, "mass: uniform: expected [low, high], got [1]"),
        ({"uniform": 1}, "mass: uniform: expected a table with low, high, got 1"),
        ({"choice": "soft"}, "mass: choice: expected a list of values, got 'soft'"),
        ({"choice": []}, "mass: Choice: expected at least one value, got none"),
        ({"measured": 0.1}, "mass: measured: expected a table with value, resolution, got 0.1"),
        ({"measured": {"value": 0.1}}, "mass: measured: resolution is missing"),
        ({"jitter": [1, 2]}, "mass: Jitter.sd: expected a finite number, got [1, 2]"),
    ],
)
def test_what_is_no_distribution_is_refused(table, text):
    with pytest.raises(InputError) as error:
        from_table("mass", table)
    assert str(error.value) == text
