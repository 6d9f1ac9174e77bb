"""Policies that do what they must not: each is stopped with a sentence, and none takes the process with it."""

import re
import subprocess
import sys

import numpy as np
import pytest

import surefoot as sf

DT = 1e-3
SIX = "(t, q, v, torque_out, memory, params)"


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


@pytest.fixture(scope="module")
def sim(robot):
    return sf.Simulator(robot, DT)


@sf.policy
def idle(t, q, v, torque_out, memory, params):
    return 0


@sf.policy
def beyond_the_torques(t, q, v, torque_out, memory, params):
    for i in range(1000):
        torque_out[i] = 1.0
    return 0


@sf.policy
def far_beyond_the_parameters(t, q, v, torque_out, memory, params):
    return int(params[100_000_000])


@sf.policy
def divides_by_zero(t, q, v, torque_out, memory, params):
    return int(1.0 / (t - t))


@sf.policy
def raises_later(t, q, v, torque_out, memory, params):
    if t > 0.0035:
        raise ValueError("enough")
    return 0


@sf.policy
def forgets_to_return(t, q, v, torque_out, memory, params):
    torque_out[0] = 1.0


@sf.policy
def calls_python(t, q, v, torque_out, memory, params):
    return len(dir(q))


POLICY = [
    (lambda sim: sf.policy(3), f"policy: expected a function of {SIX}, got 3"),
    (lambda sim: sf.policy(lambda t: 0), f"policy: expected a function of {SIX}, got <lambda>(t)"),
    (lambda sim: idle.bind("abc"), "params: expected an array of numbers, got str"),
    (lambda sim: idle.bind({}), "params: expected an array of numbers, got dict"),
    (lambda sim: idle.bind([[1, 2], [3]]), "params: expected an array of numbers, got list"),
    (lambda sim: idle.bind([1], memory=-1), "memory: expected a number of at least 0, got -1"),
    (lambda sim: idle.bind([1], memory=2.5), "memory: expected a whole number, got 2.5"),
    (lambda sim: idle.bind([1], memory=10**13), "memory: expected a number of at most 1e+09, got 1e+13"),
    (
        lambda sim: sim.rollout(sim.scene.home(), divides_by_zero),
        "policy: divides_by_zero raised ZeroDivisionError: float division by zero, at t = 0 s",
    ),
    (
        lambda sim: sim.rollout(sim.scene.home(), raises_later),
        "policy: raises_later raised ValueError: enough, at t = 0.004 s",
    ),
]


@pytest.mark.parametrize(("call", "text"), POLICY)
def test_is_refused_in_these_words(sim, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(sim)


@pytest.mark.parametrize(
    ("policy", "cause"),
    [(forgets_to_return, "No conversion from none to int64"), (calls_python, "Untyped global name 'dir'")],
)
def test_a_policy_that_does_not_compile_is_refused(sim, robot, policy, cause):
    name = policy.function.__name__
    with pytest.raises(sf.InputError) as error:
        sim.rollout(robot.home(), policy)
    assert str(error.value).startswith(f"policy: numba cannot compile {name}: {cause}")
    assert str(error.value).endswith("; it must be plain numeric code that returns 0")


@pytest.mark.parametrize(
    ("name", "index", "size"), [("beyond_the_torques", 12, 12), ("far_beyond_the_parameters", 100_000_000, 0)]
)
def test_a_policy_that_reaches_beyond_its_arrays_kills_nothing(name, index, size):
    code = (
        "import surefoot as sf\n"
        f"from tests.test_bad_policies import {name}\n"
        "robot = sf.load('links')\n"
        "try:\n"
        f"    sf.Simulator(robot).rollout(robot.home(), {name})\n"
        "except sf.InputError as error:\n"
        "    print(error)\n"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    text = f"policy: {name} raised IndexError: index {index} is out of bounds for axis 0 with size {size}, at t = 0 s\n"
    assert (child.returncode, child.stdout) == (0, text), child.stderr


def test_an_error_of_a_python_policy_is_its_own_and_spoils_nothing(sim, robot):
    def fails(state):
        if state.t > 0.003:
            raise RuntimeError("mine")
        return np.full(12, 5.0)

    before = sim.rollout(robot.home(), duration=5 * DT)
    with pytest.raises(RuntimeError, match="mine"):
        sim.rollout(robot.home(), fails)
    assert np.array_equal(sim.rollout(robot.home(), duration=5 * DT).q, before.q)


@sf.policy
def meddles(t, q, v, torque_out, memory, params):
    for i in range(q.shape[0]):
        q[i] = 7.0
    for i in range(v.shape[0]):
        v[i] = 7.0
    params[0] += 1.0
    memory[0] += 1.0
    return 0


def test_a_policy_that_writes_where_it_should_not_moves_nothing(sim, robot):
    bound = meddles.bind([0.0], memory=1)
    assert np.array_equal(sim.rollout(robot.home(), bound, 0.05).q, sim.rollout(robot.home(), None, 0.05).q)
    assert bound.params == [0.0]


@sf.policy
def stops(t, q, v, torque_out, memory, params):
    torque_out[0] = 1.0
    return -3 if t >= params[0] else 0


def test_a_code_ends_the_rollout_before_its_step(sim, robot):
    trace = sim.rollout(robot.home(), stops.bind([0.0035]), 0.01)
    assert trace.end is sf.Status.POLICY
    assert len(trace) == 4
    assert trace.message == (
        "stopped at step 4, t = 0.004 s: policy: the policy stopped the roll-out by returning a code other than 0"
    )
    assert trace.failed_torque is None
    assert np.array_equal(trace.replay().velocity, trace.v[4])  # nothing failed: the last step is replayed


def test_a_rollout_stopped_at_once_is_an_empty_trace(sim, robot):
    trace = sim.rollout(robot.home(), stops.bind([0.0]), 0.01)
    assert len(trace) == 0
    states, contacts = trace.to_pandas()
    assert len(states) == len(contacts) == 0
    assert np.array_equal(trace.state().q, robot.home().q)
    for call in (trace.replay, lambda: trace.contacts_of(0)):
        with pytest.raises(sf.InputError, match=r"^step: the trace has no steps to choose from, got "):
            call()


def test_parameters_may_be_infinite(sim, robot):
    assert sim.rollout(robot.home(), stops.bind([np.inf]), 0.01).ok
