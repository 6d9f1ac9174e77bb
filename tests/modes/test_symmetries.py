"""What must not change, or change in a known way, when a system is written otherwise."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.random_systems import at_rest, planar, some_torque

SEEDS = st.integers(0, 10_000)


def names(sample):
    return [mode.name for mode in sample.system().response().modes]


def with_rows(sample, order, signs):
    """The contacts' rows in another order and with other signs."""
    rate = sample.jacobian_rate
    if rate is not None:
        rate = (rate[order].T * signs).T
    forces = [None if p.force is None else np.asarray(p.force)[:, order] * signs for p in sample.physical]
    physical = tuple(
        SimpleNamespace(**vars(p) | {"force": force}) for p, force in zip(sample.physical, forces, strict=True)
    )
    return replace(sample, jacobian=sample.jacobian[order] * signs[:, None], jacobian_rate=rate, physical=physical)


@settings(max_examples=40)
@given(SEEDS)
def test_a_mirrored_plane_swaps_left_and_right(index):
    sample = planar(7, index)
    rows = len(sample.jacobian)
    mirrored = with_rows(sample, np.arange(rows), np.tile([1.0, -1.0], rows // 2))
    swap = str.maketrans("LR", "RL")
    assert sorted(names(mirrored)) == sorted(name.translate(swap) for name in names(sample))


@settings(max_examples=40)
@given(SEEDS, st.randoms(use_true_random=False))
def test_contacts_in_another_order_give_tokens_in_that_order(index, random):
    sample = planar(8, index)
    k = sample.contacts
    order = random.sample(range(k), k)
    rows = np.array([2 * i + j for i in order for j in (0, 1)])
    shuffled = with_rows(sample, rows, np.ones(2 * k))
    per_contact = {name: np.broadcast_to(getattr(sample, name), k)[order] for name in ("friction",)}
    threshold = np.asarray(sample.threshold)
    shuffled = replace(shuffled, **per_contact, threshold=threshold[order] if threshold.ndim else sample.threshold)
    assert sorted(names(shuffled)) == sorted("".join(name[i] for i in order) for name in names(sample))


@settings(max_examples=40)
@given(SEEDS)
def test_a_contact_that_opens_far_away_only_separates(index):
    """A second body, which nothing joins to the first, flies off its own ground."""
    sample = planar(9, index)
    nv, t = len(sample.bias), sample.torques
    rows = len(sample.jacobian)
    velocity = np.zeros(nv) if sample.velocity is None else sample.velocity
    jacobian = np.zeros((rows + 2, nv + 1))
    jacobian[:rows, :nv], jacobian[rows, nv] = sample.jacobian, 1.0
    rate = sample.jacobian_rate
    if rate is not None:
        rate = np.concatenate([rate @ velocity if rate.ndim == 2 else rate, np.zeros(2)])
    inputs = np.vstack([np.eye(nv) if sample.inputs is None else sample.inputs, np.zeros((1, t))])
    threshold = np.asarray(sample.threshold)
    wider = {"acceleration": 1, "force": 2, "torque": 0}
    physical = tuple(
        SimpleNamespace(
            **vars(p)
            | {
                name: np.pad(block, ((0, 0), (0, n)))
                for name, n in wider.items()
                if (block := getattr(p, name)) is not None
            }
        )
        for p in sample.physical
    )
    both = replace(
        sample,
        inertia=np.block([[sample.inertia, np.zeros((nv, 1))], [np.zeros((1, nv)), 2.0]]),
        bias=np.append(sample.bias, 3.0),
        jacobian=jacobian,
        friction=np.append(np.broadcast_to(sample.friction, sample.contacts), 0.7),
        inputs=inputs,
        jacobian_rate=rate,
        velocity=np.append(velocity, 1.0),
        physical=physical,
        threshold=np.vstack([threshold, [0.1, 0.1]]) if threshold.ndim else sample.threshold,
    )
    assert sorted(names(both)) == sorted(name + "S" for name in names(sample))


@settings(max_examples=40)
@given(SEEDS, st.sampled_from([1e-3, 0.1, 7.0, 1e3]))
def test_heavier_by_a_factor_presses_by_that_factor(index, factor):
    rng = np.random.default_rng([10, index])
    sample = at_rest(10, index, int(rng.integers(1, 4)))
    torque = some_torque(rng, sample)
    heavy = replace(sample, inertia=factor * sample.inertia, bias=factor * sample.bias)
    light, scaled = sample.system().response().solutions(torque), heavy.system().response().solutions(factor * torque)
    assert [s.mode for s in light] == [s.mode for s in scaled]
    assert (light.kind, [s.dimension for s in light]) == (scaled.kind, [s.dimension for s in scaled])
    for one, other in zip(light, scaled, strict=True):
        if one.dimension == 0:
            size = max(1.0, np.abs(one.force).max(initial=0.0), np.abs(one.acceleration).max())
            np.testing.assert_allclose(other.acceleration, one.acceleration, atol=1e-7 * size)
            np.testing.assert_allclose(other.force / factor, one.force, atol=1e-7 * size)


@settings(max_examples=20)
@given(SEEDS)
def test_the_same_system_gives_the_same_bits(index):
    sample = planar(11, index)
    first, second = (sample.system().response() for _ in range(2))
    assert [mode.name for mode in first.modes] == [mode.name for mode in second.modes]
    for one, other in zip(first.modes, second.modes, strict=True):
        for a, b in zip(one.point, other.point, strict=True):
            assert a.tobytes() == b.tobytes()
