import re

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import kstest, norm, truncnorm

import surefoot as sf
from surefoot.traces.distributions import Jitter
from surefoot.traces.imperfect import Errors, Imperfect, ImperfectPython, base_places, readings
from surefoot.traces.loop_names import is_noise, loop_names
from tests.traces import small
from tests.traces.small import DT

NONE = {}


@pytest.fixture(scope="module")
def flyer():
    return small.flyer()


@pytest.fixture(scope="module")
def rod():
    return small.rod()


class Recorder:
    """A policy in Python that keeps what it sees."""

    def __init__(self, joints):
        self.joints, self.seen = joints, []

    def __call__(self, state):
        self.seen.append(state)
        return np.zeros(self.joints)

    @property
    def q(self):
        return np.array([state.q for state in self.seen])

    @property
    def v(self):
        return np.array([state.v for state in self.seen])


def look(robot, values=NONE, noise=NONE, calls=1, state=None, dt=DT, seed=0, particle=1):
    """What a policy sees of a robot that stays where it is."""
    recorder = Recorder(len(robot.joints))
    wrapped = ImperfectPython(recorder, Errors(robot, dt, values, noise, seed, particle))
    state = robot.home() if state is None else state
    for k in range(calls):
        wrapped(state.replace(t=state.t + k * dt))
    return recorder


def run(robot, policy, values=NONE, noise=NONE, duration=0.03, **given):
    return small.traced(robot, policy, duration, values=values, noise=noise, **given).full_trace()


def tilted(robot):
    rng = np.random.default_rng(3)
    q = robot.home().q.copy()
    mujoco.mj_integratePos(robot.model, q, rng.normal(size=robot.nv), 1.0)
    return robot.state(q, rng.normal(size=robot.nv))


def test_every_reading_of_a_floating_robot_is_where_mujoco_has_it(flyer):
    assert list(readings(flyer)) == [
        "encoder.hip", "encoder_rate.hip", "torque_sensor.hip", "gps.x", "gps.y", "estimate.z",
        "magnetometer.roll", "magnetometer.pitch", "magnetometer.yaw", "imu.roll", "imu.pitch", "imu.yaw",
        "estimate.velocity.x", "estimate.velocity.y", "estimate.velocity.z",
        "estimate.velocity.roll", "estimate.velocity.pitch", "estimate.velocity.yaw",
    ]  # fmt: skip
    state = tilted(flyer)
    hip = flyer.model.joint("hip")
    wanted = {"encoder.hip": ("q", int(hip.qposadr[0])), "encoder_rate.hip": ("v", int(hip.dofadr[0]))}
    wanted |= {"gps.x": ("q", 0), "gps.y": ("q", 1), "estimate.z": ("q", 2)}
    wanted |= {f"imu.{turn}": ("v", 3 + i) for i, turn in enumerate(("roll", "pitch", "yaw"))}
    wanted |= {f"estimate.velocity.{axis}": ("v", i) for i, axis in enumerate(("x", "y", "z", "roll", "pitch", "yaw"))}
    for name, (vector, place) in wanted.items():
        seen = look(flyer, {f"{name}.bias": 0.125}, state=state).seen[0]
        for which in ("q", "v"):
            error = getattr(seen, which) - getattr(state, which)
            assert error == pytest.approx(0.125 * ((which == vector) & (np.arange(len(error)) == place)), abs=1e-15)


@pytest.mark.parametrize(("turn", "axis"), [("roll", 0), ("pitch", 1), ("yaw", 2)])
def test_the_magnetometer_turns_about_the_bases_axes(flyer, turn, axis):
    state = tilted(flyer)
    seen = look(flyer, {f"magnetometer.{turn}.bias": 0.3}, state=state).seen[0]
    between = Rotation.from_quat(state.q[[4, 5, 6, 3]]).inv() * Rotation.from_quat(seen.q[[4, 5, 6, 3]])
    assert between.as_rotvec() == pytest.approx(0.3 * np.eye(3)[axis], abs=1e-14)
    assert np.array_equal(np.delete(seen.q, [3, 4, 5, 6]), np.delete(state.q, [3, 4, 5, 6]))
    assert np.array_equal(seen.v, state.v)


def test_a_bolted_robot_has_encoders_and_torque_sensors_only(rod):
    assert readings(rod) == {
        "encoder.shoulder": 0, "encoder.elbow": 1, "encoder_rate.shoulder": 2, "encoder_rate.elbow": 3,
        "torque_sensor.shoulder": 4, "torque_sensor.elbow": 5,
    }  # fmt: skip


def test_every_reading_has_its_names_and_every_name_its_reading(flyer, rod):
    for robot in (flyer, rod):
        motors = [f"motor.{joint}.{what}" for joint in robot.joints for what in ("strength", "noise")]
        lags = ["lag.sensors", "lag.sensors.jitter", "lag.torque", "lag.torque.jitter"]
        wanted = {*readings(robot), *(f"{reading}.bias" for reading in readings(robot)), *motors, *lags}
        assert set(loop_names(robot)) == wanted


def test_a_base_without_a_free_joint_is_refused():
    robot = small.scene('<body name="trunk"><joint name="j"/><geom size="0.1"/></body>', joints=("j",), base="trunk")
    with pytest.raises(sf.InputError, match=r"^robot: the base 'trunk' of 'made' has no free joint$"):
        base_places(robot)


@pytest.mark.parametrize(
    ("jitter", "distribution"),
    [
        (Jitter(0.02), norm(0, 0.02)),
        (Jitter(0.02, low=-0.01, high=0.03), truncnorm(-0.5, 1.5, 0, 0.02)),
        (Jitter(0.02, high=0.0), truncnorm(-np.inf, 0.0, 0, 0.02)),
        (Jitter(0.02, low=-1e-6, high=1e-6), truncnorm(-5e-5, 5e-5, 0, 0.02)),
    ],
)
def test_noise_has_its_distribution(rod, jitter, distribution):
    noise = look(rod, noise={"encoder.elbow": jitter}, calls=3000).q[:, 1]
    assert kstest(noise, distribution.cdf).pvalue > 0.01
    low, high = distribution.support()
    assert low - 1e-15 <= noise.min() <= noise.max() <= high + 1e-15
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 0.06


def test_noise_depends_on_seed_particle_and_name_alone(rod):
    one = {"encoder.elbow": Jitter(0.1)}
    base = look(rod, noise=one, calls=300).q[:, 1]
    more = {"motor.elbow.noise": Jitter(1.0), "encoder.shoulder": Jitter(0.1), **one, "lag.torque.jitter": Jitter(0.01)}
    assert np.array_equal(look(rod, noise=more, calls=300).q[:, 1], base)
    assert np.array_equal(look(rod, noise=dict(reversed(more.items())), calls=300).q[:, 1], base)
    # a bias adds to it, a sharper sensor scales it
    biased = look(rod, {"encoder.elbow.bias": 0.5}, one, calls=300).q[:, 1]
    assert biased == pytest.approx(base + 0.5, abs=1e-15)
    sharp = look(rod, noise={"encoder.elbow": Jitter(0.05)}, calls=300).q[:, 1]
    assert sharp == pytest.approx(0.5 * base, abs=1e-15)
    others = [look(rod, noise=more, calls=300).q[:, 0]]
    others += [look(rod, noise=one, calls=300, seed=1).q[:, 1], look(rod, noise=one, calls=300, particle=2).q[:, 1]]
    for other in others:
        assert abs(np.corrcoef(base, other)[0, 1]) < 0.2
        assert (other != base).all()


def test_noise_of_motors_is_added_before_their_strength(rod):
    noise = {"motor.shoulder.noise": Jitter(0.5)}
    policy = small.telling(rod, factor=0.0)
    full = run(rod, policy, noise=noise, duration=0.5).torque[:, 0]
    assert kstest(full, norm(0, 0.5).cdf).pvalue > 0.01
    half = run(rod, policy, {"motor.shoulder.strength": 0.5}, noise, duration=0.5).torque[:, 0]
    assert np.array_equal(half, 0.5 * full)


@pytest.mark.parametrize("make", [small.telling, small.telling_python])
@pytest.mark.parametrize(("lag", "calls"), [(0.0, 0), (0.001, 1), (0.005, 5), (0.01, 10), (-0.01, 0), (9.9, 30)])
def test_torques_are_late_by_exactly_so_many_calls(rod, make, lag, calls):
    torque = run(rod, make(rod, calls=1.0, factor=1e-3), {"lag.torque": lag}).torque[:, 0]
    assert np.array_equal(torque, 1e-3 * np.maximum(np.arange(30) - calls + 1, 1))


@pytest.mark.parametrize("make", [small.telling, small.telling_python])
def test_readings_are_late_by_exactly_so_many_calls(rod, make):
    values = {"lag.sensors": 0.004, "encoder.elbow.bias": 0.25}
    trace = run(rod, make(rod, q=[1], factor=0.1), values)
    assert trace.torque[:, 0] == pytest.approx(0.1 * (trace.q[np.maximum(np.arange(30) - 4, 0), 1] + 0.25), abs=1e-16)
    assert np.ptp(trace.q[:, 1]) > 1e-3


def test_the_clock_is_right(rod):
    start = rod.state(t=2.0)
    trace = run(rod, small.telling(rod, clock=1.0), {"lag.sensors": 0.01}, state=start)
    assert trace.torque[:, 0] == pytest.approx(trace.t[:-1], abs=1e-15)


def test_a_late_turn_is_still_a_turn(flyer):
    start = flyer.state(v=[0, 0, 0, 20.0, -10.0, 15.0, 0])
    trace = run(flyer, small.telling(flyer, q=[3], factor=1e-3), {"lag.sensors": 0.0025}, state=start)
    seen = 1e3 * trace.torque[5:, 0]
    assert seen == pytest.approx(0.5 * (trace.q[3:28, 3] + trace.q[2:27, 3]), abs=1e-4)


def test_lags_count_calls_of_the_policy_not_steps(rod):
    trace = run(rod, small.telling(rod, calls=1.0), {"lag.torque": 0.01}, control_dt=5e-3)
    assert trace.torque[:, 0].tolist() == [max(k // 5 - 2, 0) + 1 for k in range(30)]


def test_the_jitter_of_a_lag_stays_within_its_limits(rod):
    noise = {"lag.torque.jitter": Jitter(0.004, low=-0.002, high=0.003)}
    torque = run(rod, small.telling(rod, calls=1.0), {"lag.torque": 0.005}, noise, duration=0.4).torque[:, 0]
    late = 1 + np.arange(400) - torque
    assert 3.0 - 1e-9 < late[20:].min() < 3.2
    assert 7.8 < late[20:].max() < 8.0 + 1e-9


def test_a_jitter_beyond_all_measure_costs_no_memory(rod):
    errors = Errors(rod, DT, NONE, {"lag.torque.jitter": Jitter(1e9), "lag.sensors.jitter": Jitter(1e300)}, 0, 1)
    assert errors.rows("lag.torque") == errors.rows("lag.sensors") == 10_000


def test_all_errors_together_are_the_same_compiled_and_in_python(rod):
    values = {"lag.torque": 0.003, "lag.sensors": 0.0024, "motor.shoulder.strength": 0.7}
    values |= {"encoder.shoulder.bias": 0.1, "encoder_rate.elbow.bias": -0.2}
    noise = {name: Jitter(0.001) for name in loop_names(rod) if is_noise(name)}
    weights = {"factor": 0.3, "clock": 1.0, "calls": 0.01, "q": [0, 1], "v": [0, 1]}
    first = run(rod, small.telling(rod, **weights), values, noise, duration=0.2)
    second = run(rod, small.telling_python(rod, **weights), values, noise, duration=0.2)
    assert first.q == pytest.approx(second.q, abs=1e-12)
    assert first.torque == pytest.approx(second.torque, abs=1e-12)
    again = run(rod, small.telling(rod, **weights), values, dict(reversed(noise.items())), duration=0.2)
    assert again.q.tobytes() == first.q.tobytes()


def test_the_wrapper_alone_changes_no_bit(flyer):
    policy = small.telling(flyer, factor=0.1, clock=1.0, calls=0.1, q=[7], v=[6])
    plain = sf.Simulator(flyer, DT).rollout(flyer.home(), policy, 0.05)
    errors = Errors(flyer, DT, NONE, NONE, 0, 1)
    assert errors.none
    wrapped = sf.Simulator(flyer, DT).rollout(flyer.home(), Imperfect(policy, errors), 0.05)
    assert wrapped.q.tobytes() == plain.q.tobytes()
    assert wrapped.torque.tobytes() == plain.torque.tobytes()


@pytest.mark.parametrize(
    ("values", "noise"),
    [
        ({"encoder.hip.bias": 0.1}, NONE),
        ({"motor.hip.strength": 0.9}, NONE),
        ({"lag.torque": 0.1}, NONE),
        (NONE, {"gps.x": Jitter(0.1)}),
        (NONE, {"lag.sensors.jitter": Jitter(0.1)}),
    ],
)
def test_something_is_not_none(flyer, values, noise):
    assert not Errors(flyer, DT, values, noise, 0, 1).none


def test_roll_outs_under_one_wrapped_policy_do_not_know_of_each_other(rod):
    values = {"lag.torque": 0.01, "encoder.elbow.bias": 0.1}
    policy = Imperfect(small.telling(rod, calls=1.0, q=[1]), Errors(rod, DT, values, NONE, 0, 1))
    sim = sf.Simulator(rod, DT)
    first, second = (sim.rollout(rod.home(), policy, 0.03) for _ in range(2))
    assert first.q.tobytes() == second.q.tobytes()


@sf.policy
def breaks(t, q, v, torque_out, memory, params):
    """Reaches too far after a while."""
    if t > 0.0035:
        torque_out[9] = q[0]
    return 0


@sf.policy
def stops(t, q, v, torque_out, memory, params):
    """Ends the roll-out."""
    return 3 if t > 0.0035 else 0


def test_the_policys_own_error_is_told(rod):
    text = "policy: breaks raised IndexError: index 9 is out of bounds for axis 0 with size 2, at t = 0.004 s"
    with pytest.raises(sf.InputError, match=f"^{text}$"):
        run(rod, breaks, {"lag.sensors": 0.002})


def test_a_code_of_the_policy_passes_through(rod):
    trace = run(rod, stops, {"lag.sensors": 0.002})
    assert trace.end is sf.Status.POLICY
    assert len(trace) == 4


def test_a_python_policys_torque_is_checked(rod):
    text = "the policy's torque: expected shape (2,), got (3,)"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        run(rod, lambda state: np.zeros(3), {"lag.sensors": 0.002})


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"lag.torque": 11.0}, "lag.torque: expected a number of at most 10, got 11"),
        ({"lag.torque": np.nan}, "lag.torque: expected a finite number, got nan"),
        ({"lag.sensors": np.inf}, "lag.sensors: expected a finite number, got inf"),
    ],
)
def test_lags_that_are_none(rod, values, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        Errors(rod, DT, values, NONE, 0, 1)
