import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ndtr, ndtri
from scipy.stats import kstest

from surefoot.kernels import imperfect as kernel
from surefoot.kernels.imperfect import CHANNEL, HEAD, act, memory_size, normal_score, seen_place, sense, share

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(x):
    """SplitMix64's finisher in Python's whole numbers."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def unmixed(x):
    """The inverse of `mixed`."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        part = x
        for _ in range(64 // shift):
            part = x ^ part >> shift
        x = part * pow(factor, -1, 2**64) & MASK
    return x


def bits(number):
    return np.array([number & MASK], dtype=np.uint64).view(np.float64)[0]


def channel(place, constant=0.0, deviation=0.0, low=0.0, high=1.0, key=0):
    return [place, constant, deviation, low, high, bits(key)]


def given(nq=3, nv=2, joints=2, *, channels=(), strength=None, held=(), turned=-1, rows=(0, 0), dt=1.0, **lags):
    """(memory, params) for a robot of this size; `lags`: sensors, torque as a channel without its place."""
    head = np.zeros(HEAD)
    head[[kernel.NQ, kernel.NV, kernel.JOINTS, kernel.TURNED, kernel.DT]] = nq, nv, joints, turned, dt
    head[[kernel.SENSOR_ROWS, kernel.TORQUE_ROWS, kernel.CHANNELS]] = *rows, len(channels)
    places = {"sensors": kernel.SENSOR_LAG, "torque": kernel.TORQUE_LAG}
    for name, lag in lags.items():
        head[places[name] : places[name] + CHANNEL - 1] = channel(0, *lag)[1:]
    flags = np.isin(np.arange(nq + nv + joints), held).astype(float)
    parts = [head, np.ravel(channels), np.ones(joints) if strength is None else strength, flags]
    return np.zeros(memory_size(nq, nv, joints, *rows, 0) + 1), np.concatenate([np.asarray(p, float) for p in parts])


def seen(memory, nq=3, nv=2, joints=2):
    """q, v and torque as the policy sees them."""
    first = seen_place(nq, nv, joints)
    return memory[first : first + nq + nv + joints].copy()


def call(q, v, torque, memory, params, gave=None):
    """One call: q and v that the policy sees, and what the motors give; `gave`: what they gave in the last."""
    out = np.empty(len(torque))
    gave = np.full(len(torque), np.nan) if gave is None else np.array(gave, float)
    sense(np.array(q, float), np.array(v, float), gave, memory, params)
    looked = seen(memory, len(q), len(v), len(torque))[: len(q) + len(v)]
    act(np.array(torque, float), out, memory, params)
    return looked, out


def test_the_normal_score_is_scipys():
    tails = 10.0 ** -np.arange(0.31, 300.0, 0.37)
    p = np.concatenate([tails, 1.0 - tails[tails > 1e-16], np.linspace(0.001, 0.999, 997), [0.075, 0.925, 0.5]])
    z = np.array([normal_score(x) for x in p])
    assert z == pytest.approx(ndtri(p), rel=2e-14, abs=1e-16)


def test_the_normal_score_is_odd():
    p = np.linspace(0.0625, 0.5, 29)  # 1 - p is exact
    assert [normal_score(x) for x in p] == [-normal_score(1.0 - x) for x in p]
    assert normal_score(0.5) == 0.0


@pytest.mark.parametrize(("key", "number"), [(0, 0), (1, 0), (2**63, 5), (MASK, 10**6), (123456789, 1)])
def test_a_share_is_the_published_hash(key, number):
    x = mixed(mixed(key + GOLDEN & MASK) + GOLDEN * (number + 1) & MASK)
    signed = key - 2**64 if key >= 2**63 else key
    assert share(np.int64(signed), number) == ((x >> 12) + 0.5) * 2.0**-52


@pytest.mark.parametrize("hashed", [0, MASK, MASK - 1, 2**63])
def test_a_share_is_never_0_nor_1(hashed):
    key = unmixed(unmixed(hashed) - GOLDEN & MASK) - GOLDEN & MASK
    assert mixed(mixed(key + GOLDEN & MASK) + GOLDEN & MASK) == hashed
    number = share(np.array([key], dtype=np.uint64).view(np.int64)[0], 0)
    assert 0.0 < number < 1.0
    assert np.isfinite(normal_score(number))


def test_shares_are_even_and_independent_of_one_another():
    draws = np.array([[share(key, k) for k in range(2000)] for key in range(8)])
    assert kstest(draws.ravel(), "uniform").pvalue > 0.01
    assert np.abs(np.corrcoef(draws) - np.eye(8)).max() < 0.1
    assert np.abs(np.corrcoef(draws[:, 1:].ravel(), draws[:, :-1].ravel())[0, 1]) < 0.05
    assert len(np.unique(draws)) == draws.size


def test_what_has_no_errors_passes_untouched():
    memory, params = given()
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, v, torque = rng.normal(size=3), rng.normal(size=2), rng.normal(size=2)
        looked, out = call(q, v, torque, memory, params)
        assert np.array_equal(looked, [*q, *v])
        assert np.array_equal(out, torque)


def test_constants_are_added_in_their_places_and_to_each_other():
    channels = [channel(1, 0.5), channel(1, 0.25), channel(4, -1.0), channel(7 + 3 + 1, 3.0)]
    memory, params = given(channels=channels, strength=[1.0, 0.5])
    for _ in range(3):
        looked, out = call([1, 2, 3], [4, 5], [10, 20], memory, params)
        assert looked.tolist() == [1.0, 2.75, 3.0, 4.0, 4.0]
        assert out.tolist() == [10.0, 11.5]


def test_a_draw_is_the_truncated_normal_of_its_key_and_call():
    low, high = ndtr(-0.5), ndtr(2.0)
    memory, params = given(channels=[channel(0, 0.1, 0.2, low, high, key=77)])
    values = [call([0, 0, 0], [0, 0], [0, 0], memory, params)[0][0] for _ in range(2000)]
    shares = np.array([share(77, k) for k in range(2000)])
    assert values == pytest.approx(0.1 + 0.2 * ndtri(low + (high - low) * shares), abs=1e-13)
    assert min(values) >= 0.1 - 0.1 - 1e-12
    assert max(values) <= 0.1 + 0.4 + 1e-12


@pytest.mark.parametrize("turn", [(0.3, -0.2, 1.4), (0.0, 0.0, 0.0), (1e-9, 0, 0), (0, 3.0, 0)])
def test_a_turn_is_put_on_in_the_bodys_frame(turn):
    channels = [channel(7 + 6 + 1 + i, angle) for i, angle in enumerate(turn)]
    memory, params = given(7, 6, 1, channels=channels, turned=3)
    true = Rotation.from_rotvec([0.4, 0.5, -2.0])
    x, y, z, w = true.as_quat()
    looked, _ = call([1, 2, 3, w, x, y, z], np.zeros(6), [0], memory, params)
    wanted = true * Rotation.from_rotvec(turn)
    assert (Rotation.from_quat(looked[[4, 5, 6, 3]]) * wanted.inv()).magnitude() < 1e-15 * 4
    assert np.linalg.norm(looked[3:7]) == pytest.approx(1.0, abs=1e-15)
    assert looked[:3].tolist() == [1, 2, 3]


@pytest.mark.parametrize("late", [0, 1, 3, 7])
def test_torques_come_late_by_so_many_calls(late):
    memory, params = given(rows=(0, 7), torque=[float(late)])
    rng = np.random.default_rng(1)
    torques = rng.normal(size=(40, 2))
    out = [call([0, 0, 0], [0, 0], torques[k], memory, params)[1] for k in range(40)]
    assert np.array_equal(out, torques[np.maximum(np.arange(40) - late, 0)])  # at first the first torque


@pytest.mark.parametrize("late", [0, 1, 4])
def test_readings_come_late_by_so_many_calls_and_with_the_errors_of_now(late):
    memory, params = given(rows=(4, 0), sensors=[float(late)], channels=[channel(2, 0.5)])
    values = np.random.default_rng(2).normal(size=(30, 5))
    looked = [call(values[k, :3], values[k, 3:], [0, 0], memory, params)[0] for k in range(30)]
    assert np.array_equal(looked, values[np.maximum(np.arange(30) - late, 0)] + [0, 0, 0.5, 0, 0])


@pytest.mark.parametrize(("lag", "late"), [(1.5, 1.5), (0.25, 0.25), (2.75, 2.75), (3.0, 3.0), (9.0, 3.0), (-2.0, 0.0)])
def test_a_lag_may_be_a_part_of_a_call_and_is_no_longer_than_the_ring(lag, late):
    memory, params = given(rows=(3, 3), torque=[lag], sensors=[lag])
    both = [call([k, 0, 0], [0, -k], [k, k], memory, params) for k in range(12)]
    wanted = np.interp(np.arange(12) - late, np.arange(12), np.arange(12))  # at first that of the first call
    assert [looked[0] for looked, _ in both] == wanted.tolist()
    assert [looked[4] for looked, _ in both] == (-wanted).tolist()
    assert [out[1] for _, out in both] == wanted.tolist()


def test_the_jitter_of_a_lag_is_truncated_too():
    low, high = ndtr(-1.0), ndtr(0.5)
    memory, params = given(rows=(0, 9), torque=[4.0, 2.0, low, high, 9])
    out = np.array([call([0, 0, 0], [0, 0], [k, k], memory, params)[1][0] for k in range(400)])
    late = np.arange(400) - out
    drawn = [4.0 + 2.0 * ndtri(low + (high - low) * share(9, k)) for k in range(400)]
    assert late[10:] == pytest.approx(drawn[10:], abs=1e-9)
    assert 2.0 - 1e-9 < late[10:].min() < 2.1
    assert 4.9 < late[10:].max() < 5.0 + 1e-9


def test_what_is_held_stays_as_it_was_last_seen():
    memory, params = given(channels=[channel(1, 0.5)])
    held = HEAD + CHANNEL + 2
    assert call([1, 2, 3], [4, 5], [0, 0], memory, params)[0].tolist() == [1, 2.5, 3, 4, 5]
    params[held + 1] = params[held + 4] = 1.0
    assert call([6, 7, 8], [9, 10], [0, 0], memory, params)[0].tolist() == [6, 2.5, 8, 9, 5]
    params[held + 1] = 0.0
    assert call([6, 7, 8], [9, 10], [0, 0], memory, params)[0].tolist() == [6, 7.5, 8, 9, 5]


def test_what_is_held_from_the_start_has_one_reading():
    memory, params = given(7, 6, 1, held=range(13), turned=3, channels=[channel(14 + 2, np.pi)])
    first = call([1, 2, 3, 1, 0, 0, 0], np.ones(6), [0], memory, params)[0]
    assert first == pytest.approx([1, 2, 3, 0, 0, 0, 1, *np.ones(6)], abs=1e-15)
    second = call([4, 5, 6, 0, 1, 0, 0], np.zeros(6), [0], memory, params)[0]
    assert np.array_equal(second, first)


def test_memory_holds_every_part():
    # calls, errors (readings, turn, torque), what is seen, the policy's torque, two rings, the policy's own
    assert memory_size(3, 2, 2, 4, 6, 5) == 1 + (7 + 3 + 2) + 7 + 2 + 5 * 7 + 7 * 2 + 5


def test_torque_sensors_err_come_late_and_fail_like_all_others():
    memory, params = given(rows=(2, 0), sensors=[2.0], channels=[channel(5, 0.5), channel(6, -1.0)])
    held = HEAD + 2 * CHANNEL + 2
    for k in range(6):
        params[held + 6] = float(k >= 4)
        call([0, 0, 0], [0, 0], [0, 0], memory, params, gave=[k, 10 * k])
        late = max(k - 2, 0)
        assert seen(memory)[5:].tolist() == [late + 0.5, 10 * min(late, 1) - 1.0]
