"""Scenarios that cannot be: each is refused with a sentence, and a particle that fails says why."""

import re
from dataclasses import replace

import numpy as np
import pytest

import surefoot as sf
from surefoot.traces.distributions import Uniform
from surefoot.traces.disturbances import Fault, Push
from surefoot.traces.requirements import FeetBeyond, Upright
from surefoot.traces.result import BROKEN
from surefoot.traces.witness import witness
from tests.traces.test_scenario import plain, scenario


@pytest.fixture(scope="module")
def study():
    return scenario()


@sf.policy
def bad_index(t, q, v, torque_out, memory, params):
    """Reaches too far."""
    torque_out[99] = 1.0
    return 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda scene, dt: bad_index,
            "InputError: policy: bad_index raised IndexError: index 99 is out of bounds for axis 0 with size 12, "
            "at t = 0 s",
        ),
        (
            lambda scene, dt: lambda state: np.zeros(3),
            "InputError: the policy's torque: expected shape (12,), got (3,)",
        ),
        (
            lambda scene, dt: lambda state: None,
            "InputError: the policy's torque: expected an array of numbers, got NoneType",
        ),
        (
            lambda scene, dt: lambda state: np.full(12, np.nan),
            "at t = 0 s: not finite: a NaN, an infinity or a number over 1e12 has come in; look at the steps before it "
            "(a gain too high for this dt is the usual cause)",
        ),
    ],
)
def test_policies_that_break_are_told(make, message):
    result = plain(policies={"bad": make}).trace("bad", 0)
    assert (result.outcome, result.message) == (BROKEN, message)


def test_a_python_policys_own_error_breaks_the_trace():
    study = plain(policies={"bad": lambda scene, dt: lambda state: 1 / 0})
    result = study.trace("bad", 0)
    assert (result.outcome, result.message) == ("broken", "ZeroDivisionError: division by zero")


def test_a_particle_that_cannot_be_built_is_broken():
    result = plain().trace("compiled", 1, values={"lag.torque": 11.0})
    assert (result.outcome, result.message) == (
        BROKEN,
        "InputError: lag.torque: expected a number of at most 10, got 11",
    )
    thin = plain(uncertainty={"robot.lf.thigh.length": Uniform(-2.0, -1.0)}).trace("compiled", 1)
    assert thin.outcome == BROKEN
    assert thin.message.startswith("InputError: ")
    assert thin.values["robot.lf.thigh.length"] < -1.0


def test_a_witness_that_fails_is_told():
    @witness
    def beyond(t, q, v, torque, params):
        return params[5]

    result = plain(requirements=[beyond]).trace("compiled", 0)
    text = "InputError: witness 'beyond': raised IndexError: index is out of bounds"
    assert (result.outcome, result.message) == (BROKEN, text)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"name": ""}, "name: expected a short name, got ''"),
        ({"name": 3}, "name: expected a short name, got 3"),
        ({"policies": {}}, "policies: expected functions of (scene, dt) by name, got {}"),
        ({"policies": [1]}, "policies: expected functions of (scene, dt) by name, got [1]"),
        ({"policies": {"a": 3}}, "policies: expected functions of (scene, dt) by name, got 3 as 'a'"),
        ({"policies": {"": 3}}, "policies: expected functions of (scene, dt) by name, got 3 as ''"),
        ({"duration": 0.0}, "duration: expected a number above 0, got 0"),
        ({"duration": 1e-4}, "duration: expected at least one step of 0.001 s, got 0.0001"),
        ({"duration": np.nan}, "duration: expected a finite number, got nan"),
        ({"dt": 0.0}, "dt: expected a number above 0, got 0"),
        ({"telemetry_dt": 0}, "telemetry_dt: expected a number above 0, got 0"),
        (
            {"requirements": [3]},
            "requirements: expected a requirement such as Upright(), or a function of a Span, got 3",
        ),
        (
            {"requirements": Upright()},
            "requirements: expected a list of requirements, got Upright(limit=1.5707963267948966, name='upright')",
        ),
        (
            {"requirements": [Upright(), Upright(1.0)]},
            "requirements, objective: two are called 'upright'; give one another name",
        ),
        (
            {"requirements": [Upright()], "objective": [Upright(1.0)]},
            "requirements, objective: two are called 'upright'; give one another name",
        ),
        ({"pushes": [3]}, "pushes: expected a list of Push, got [3]"),
        ({"faults": 3}, "faults: expected a list of Fault, got 3"),
        ({"start": [0.0]}, "start: expected a State, got [0.0]"),
        ({"objects": 3}, "objects: expected a list of Loose, got 3"),
        ({"duration": 1e9}, "duration: expected at most 5000000 steps of 0.001 s, got 1e+09 s"),
        ({"dt": 2.0, "duration": 10.0}, "dt: expected a number of at most 1, got 2"),
        ({"policies": {"a": lambda s: 3}}, "policies: 'a': expected a function of (scene, dt), got <lambda>(s)"),
        (
            {"requirements": [Upright(name="")]},
            "requirements, objective: expected a name for each, got ''",
        ),
    ],
)
def test_is_refused_in_these_words(changes, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        plain(**changes)


def few(span):
    """Not as many numbers as there are steps."""
    return np.ones(2)


def slow(scene, dt):
    """A pipeline that does not fit into the steps."""
    return sf.control.Pipeline(scene, 1.5 * dt, [sf.control.Hold(scene)])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda study: study.trace("lipm", 0),
            "policy: no policy is called 'lipm'; did you mean 'limp'? The choices are: compiled, python, limp",
        ),
        (lambda study: study.trace("limp", -1), "particle: expected a whole number of at least 0, got -1"),
        (lambda study: study.trace("limp", 1.5), "particle: expected a whole number of at least 0, got 1.5"),
        (lambda study: study.trace("limp", 1, seed=-1), "seed: expected a whole number of at least 0, got -1"),
        (lambda study: study.trace("limp", 1, method="grid"), "method: expected one of 'random', 'sobol', got 'grid'"),
        (
            lambda study: replace(study, policies={"none": lambda scene, dt: None}).trace("none", 0),
            "policies: 'none': expected a Pipeline, an @sf.policy or a function of a State, got None",
        ),
        (
            lambda study: replace(study, policies={"odd": lambda scene, dt: lambda: 0}).trace("odd", 0),
            "policies: 'odd': policy: expected a function of one State, got <lambda>()",
        ),
        (
            lambda study: replace(study, policies={"slow": slow}).trace("slow", 0),
            "policies: 'slow': control_dt: expected a multiple of dt = 0.001 s, got 0.0015",
        ),
        (
            lambda study: replace(study, pushes=[Push((1, 0, 0), 0.0, body="BAS")], uncertainty={}).check(),
            "pushes[0]: Push.body: no body is called 'BAS'; did you mean 'BASE'? "
            "The choices are: BASE, LF_HIP, LF_THIGH, "
            "LF_SHANK, RF_HIP, RF_THIGH, RF_SHANK, LH_HIP, LH_THIGH, LH_SHANK, RH_HIP, RH_THIGH, RH_SHANK",
        ),
        (
            lambda study: replace(study, faults=[Fault("dead", "Z*", 0.0)]).check(),
            "faults[0]: Fault.part: no joint is called 'Z*'; "
            "The choices are: LF_X1, LF_Y2, LF_Y3, RF_X1, RF_Y2, RF_Y3, "
            "LH_X1, LH_Y2, LH_Y3, RH_X1, RH_Y2, RH_Y3",
        ),
        (
            lambda study: replace(study, start=sf.State([0.0], np.zeros(18))).check(),
            "start.q: expected shape (19,), got (1,)",
        ),
        (
            lambda study: replace(study, objective=[FeetBeyond((0, 0), feet=("TOE",))]).check(),
            "objective: 'feet beyond': FeetBeyond.feet: no foot is called 'TOE'; The choices are: LF_FOOT, RF_FOOT, "
            "LH_FOOT, RH_FOOT",
        ),
        (
            lambda study: replace(study, requirements=[few]).check(),
            "requirements: 'few': witness 'few': expected shape (1,), got (2,)",
        ),
        (
            lambda study: replace(study, policies={"slow": slow}).check(),
            "policies: 'slow': control_dt: expected a multiple of dt = 0.001 s, got 0.0015",
        ),
    ],
)
def test_what_a_scenario_has_not(study, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(study)


@pytest.mark.parametrize(
    ("name", "near"),
    [("ground.my", "ground.mu"), ("encoder.LF_X1", "encoder.LF_X1.bias"), ("lag.torques", "lag.torque")],
)
def test_values_of_what_is_not_known_are_refused(study, name, near):
    for call in (study.trace, study.replay):
        text = f"^values: no parameter is called {name!r}; did you mean {near!r}\\? The choices are: robot"
        with pytest.raises(sf.InputError, match=text):
            call("limp", 1, values={name: 0.5})
