from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.simulate.policy import KEEP_TORQUE


@sf.policy
def spring(t, q, v, torque_out, memory, params):
    """Pull the first joint home."""
    torque_out[0] = -params[0] * q[0] - params[1] * v[0] + 0.0 * t
    memory[0] += 1.0
    return 0


def test_a_policy_is_called_like_plain_python():
    torque, memory = np.zeros(2), np.zeros(1)
    assert spring(0.5, np.array([0.2]), np.array([0.1]), torque, memory, np.array([10.0, 1.0])) == 0
    assert torque.tolist() == [-2.1, 0.0]
    assert memory[0] == 1.0


def test_binding_leaves_the_original_alone():
    bound = spring.bind([3.0, 0.5], memory=4)
    assert bound.params.tolist() == [3.0, 0.5]
    assert bound.memory_size == 4
    assert spring.params.size == 0
    assert spring.memory_size == 0
    assert isinstance(bound, sf.Policy)


def test_parameters_are_a_flat_copy():
    values = np.arange(4.0).reshape(2, 2)
    bound = spring.bind(values)
    assert bound.params.tolist() == [0, 1, 2, 3]
    assert bound.params.flags.c_contiguous


def test_the_same_torques_compiled_and_in_python():
    robot = sf.load("arm")
    sim = sf.Simulator(robot, dt=1e-3)
    compiled = sim.rollout(robot.home(), spring.bind([5.0, 0.1], memory=1), duration=0.05)

    def plain(state):
        torque = np.zeros(11)
        torque[0] = -5.0 * state.q[0] - 0.1 * state.v[0]
        return torque

    python = sim.rollout(robot.home(), plain, duration=0.05)
    assert compiled.q == pytest.approx(python.q, abs=1e-12)
    assert compiled.torque == pytest.approx(python.torque, abs=1e-12)


def test_memory_starts_at_zero_in_every_rollout():
    robot = sf.load("arm")
    sim = sf.Simulator(robot, dt=1e-3)

    @sf.policy
    def counting(t, q, v, torque_out, memory, params):
        memory[0] += 1.0
        torque_out[0] = memory[0]
        return 0

    for _ in range(2):
        trace = sim.rollout(robot.home(), counting.bind(memory=1), duration=0.003)
        assert trace.torque[:, 0].tolist() == [1.0, 2.0, 3.0]


def test_machine_code_is_shared_between_bindings():
    first = spring.bind([1.0, 0.0], memory=1)
    address = first.__wrapper_address__()
    assert first.bind([2.0, 0.0], memory=1).__wrapper_address__() == address
    assert KEEP_TORQUE.signature() == spring.signature()


def test_policies_bound_before_the_first_run_are_compiled_once():
    @sf.policy
    def fresh(t, q, v, torque_out, memory, params):
        return 0

    first, second = fresh.bind([1.0]), fresh.bind([2.0]).bind([3.0])
    addresses = {each.__wrapper_address__() for each in (second, first, fresh, fresh.bind())}
    assert len(addresses) == 1


def test_threads_that_start_together_share_the_machine_code():
    @sf.policy
    def fresh(t, q, v, torque_out, memory, params):
        return 0

    with ThreadPoolExecutor(4) as pool:
        addresses = set(pool.map(lambda k: fresh.bind([k]).__wrapper_address__(), range(4)))
    assert len(addresses) == 1


def test_a_function_of_other_arguments_is_refused():
    with pytest.raises(
        InputError, match=r"^policy: expected a function of \(t, q, v, torque_out, memory, params\), got f\(x\)$"
    ):

        @sf.policy
        def f(x):
            return 0


@pytest.mark.parametrize(
    ("memory", "text"),
    [
        (-1, "memory: expected a number of at least 0, got -1"),
        ("a", "memory: expected a finite number, got 'a'"),
        (1.5, "memory: expected a whole number, got 1.5"),
    ],
)
def test_bad_memory_is_refused(memory, text):
    with pytest.raises(InputError, match=text):
        spring.bind(memory=memory)


def test_bad_parameters_are_refused():
    with pytest.raises(InputError, match="params: expected an array of numbers"):
        spring.bind(["a"])


def test_what_numba_cannot_compile_is_named():
    @sf.policy
    def odd(t, q, v, torque_out, memory, params):
        return {"a": object()}

    robot = sf.load("arm")
    with pytest.raises(InputError, match="policy: numba cannot compile odd"):
        sf.Simulator(robot, dt=1e-3).rollout(robot.home(), odd, duration=0.01)


def test_what_is_no_policy_is_named():
    robot = sf.load("arm")
    with pytest.raises(InputError, match=r"policy: expected @sf.policy, a function of a State, or None, got int"):
        sf.Simulator(robot, dt=1e-3).rollout(robot.home(), 3, duration=0.01)
