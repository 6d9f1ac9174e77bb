"""Torques as measured: what policies and pipelines are told of what the motors gave."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

import surefoot as sf
from surefoot.control import Pipeline
from surefoot.traces.distributions import Jitter
from surefoot.traces.imperfect import Errors, Imperfect
from tests.traces import small
from tests.traces.small import DT

STEPS = 40


@sf.policy
def adds_up(t, q, v, torque_out, memory, params):
    """Torque: what was measured, and params[0]."""
    for i in range(torque_out.shape[0]):
        torque_out[i] = params[0] * (i + 1) + params[1] * torque_out[i]
    return 0


@sf.policy
def leaves_alone(t, q, v, torque_out, memory, params):
    """Sets the torque of the first joint once."""
    if t == 0.0:
        torque_out[0] = 0.25
    return 0


def listening(robot, share=0.5):
    return adds_up.bind([0.01, share], senses_torque=True)


def pipelines(robot, share=0.5):
    """The same as a pipeline: compiled, and with a stage in Python."""

    def compiled(t, board, where, memory, params):
        for i in range(2):
            board[where[1] + i] += 0.01 * (i + 1) + params[0] * board[where[0] + i]
        return 0

    def python(board, t):
        board["torque"][:] += 0.01 * np.arange(1, 3) + share * board["torque_now"]

    wiring = {"phase": "control", "reads": ("torque_now",), "adds": ("torque",)}
    stages = sf.control.stage(**wiring, params=[share])(compiled), sf.control.stage(**wiring)(python)
    return tuple(Pipeline(robot, DT, [stage]) for stage in stages)


@pytest.fixture(scope="module")
def rod():
    return small.rod()


def run(robot, policy, values=None, noise=None, steps=STEPS, **given):
    traced = small.traced(robot, policy, steps * DT, values=values or {}, noise=noise or {}, **given)
    return traced.full_trace().torque


def wanted(strength=1.0, bias=(0.0, 0.0), share=0.5):
    """The same recursion by hand."""
    rows, last = [], np.zeros(2)
    for _ in range(STEPS):
        last = strength * (0.01 * np.array([1.0, 2.0]) + share * (last + bias))
        rows.append(last)
    return np.array(rows)


def test_at_first_there_is_none_and_then_that_of_the_last_call(rod):
    plain = sf.Simulator(rod, DT).rollout(rod.home(), listening(rod), STEPS * DT).torque
    assert plain == pytest.approx(wanted(), abs=1e-15)
    assert np.array_equal(run(rod, listening(rod)), plain)
    wrapped = Imperfect(listening(rod), Errors(rod, DT, {}, {}, 0, 1))
    again = sf.Simulator(rod, DT).rollout(rod.home(), wrapped, STEPS * DT).torque
    assert np.array_equal(again, plain)
    assert np.array_equal(sf.MujocoPlant(rod, DT).rollout(rod.home(), listening(rod), STEPS * DT).torque, plain)


def test_what_is_measured_is_what_the_motors_gave_with_the_sensors_errors(rod):
    values = {f"motor.{joint}.strength": 0.8 for joint in rod.joints}
    assert run(rod, listening(rod), values) == pytest.approx(wanted(0.8), abs=1e-15)
    values |= {"torque_sensor.shoulder.bias": 0.03, "torque_sensor.elbow.bias": -0.07}
    assert run(rod, listening(rod), values) == pytest.approx(wanted(0.8, [0.03, -0.07]), abs=1e-15)


def test_noise_is_in_the_reading_and_not_in_the_motor(rod):
    noise = {"torque_sensor.elbow": Jitter(0.02)}
    policy = adds_up.bind([0.0, 1.0], senses_torque=True)  # gives what it measured: the noise adds up
    torque = run(rod, policy, noise=noise, steps=1000)
    assert kstest(np.diff(torque[:, 1]), norm(0, 0.02).cdf).pvalue > 0.01
    assert not torque[:, 0].any()
    deaf = adds_up.bind([0.01, 0.0])
    assert np.array_equal(run(rod, deaf, noise=noise), run(rod, deaf))


def test_who_does_not_ask_for_it_finds_what_it_gave(rod):
    values = {"motor.shoulder.strength": 0.5, "torque_sensor.shoulder.bias": 0.1, "lag.torque": 0.002}
    held = run(rod, leaves_alone, values, {"torque_sensor.elbow": Jitter(0.1)})
    assert held[:, 0] == pytest.approx(np.full(STEPS, 0.125), abs=1e-16)
    assert not held[:, 1].any()


@pytest.mark.parametrize("which", [0, 1])
def test_a_pipeline_reads_it_from_the_blackboard(rod, which):
    pipeline = pipelines(rod)[which]
    values = {"motor.shoulder.strength": 0.8, "motor.elbow.strength": 0.8, "torque_sensor.shoulder.bias": 0.03}
    trace = sf.Simulator(rod, DT).rollout(rod.home(), pipeline.policy(), STEPS * DT)
    assert trace.torque == pytest.approx(wanted(), abs=1e-15)
    found = run(rod, pipeline.policy(), values)
    assert found == pytest.approx(wanted(0.8, [0.03, 0.0]), abs=1e-15)
    seen = pipeline.replay(trace, "torque_now")["torque_now"]
    assert np.array_equal(seen, [np.zeros(2), *trace.torque[:-1]])


def test_a_pipeline_called_by_hand_takes_the_reading_or_its_own_torques(rod):
    pipeline, state = pipelines(rod)[1], rod.home()
    assert pipeline(state) == pytest.approx([0.01, 0.02])
    assert pipeline(state.replace(t=DT)) == pytest.approx([0.015, 0.03])
    assert pipeline(state.replace(t=2 * DT), torque=[1.0, 0.0]) == pytest.approx([0.51, 0.02])
    with pytest.raises(sf.InputError, match=r"^torque: expected shape \(2,\), got \(3,\)$"):
        pipeline(state, torque=np.zeros(3))


def test_a_sensor_that_drops_out_repeats_itself(rod):
    fault = sf.Fault("dropout", "torque_sensor.shoulder", time=0.01)
    torque = run(rod, adds_up.bind([0.01, 1.0], senses_torque=True), faults=[fault])
    assert torque[:10, 0] == pytest.approx(0.01 * np.arange(1, 11))
    assert torque[10:, 0] == pytest.approx(np.full(STEPS - 10, 0.1))  # the last reading was 0.09
    assert torque[:, 1] == pytest.approx(0.02 * np.arange(1, STEPS + 1))


def test_a_scenario_names_it(rod):
    scenario = sf.Scenario(
        "made", rod, {"listens": lambda scene, dt: listening(scene)}, 0.01,
        uncertainty={"torque_sensor.*": Jitter(0.01), "torque_sensor.elbow.bias": sf.Normal(0.1)},
    )  # fmt: skip
    names = [parameter.name for parameter in scenario.parameters()]
    assert names == ["torque_sensor.shoulder", "torque_sensor.elbow", "torque_sensor.elbow.bias"]
    nominal, one = (scenario.trace("listens", particle) for particle in (0, 1))
    assert nominal.telemetry["torque elbow"][-1] != one.telemetry["torque elbow"][-1]


def test_senses_torque_is_yes_or_no():
    with pytest.raises(sf.InputError, match=r"^senses_torque: expected True or False, got 1$"):
        adds_up.bind(senses_torque=1)
    assert adds_up.bind([1.0, 1.0], senses_torque=True).senses_torque
    assert not adds_up.senses_torque
