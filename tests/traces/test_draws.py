"""Uniform numbers depend on seed, particle and name alone; Sobol's are even and do not mind new names."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import qmc

from surefoot.errors import InputError
from surefoot.traces.draws import MOST_DIMENSIONS, Draws, key, uniform

NAMES = tuple(f"robot.part{i}.length" for i in range(24))


def test_these_numbers_never_change():
    assert key(0, 1, "ground.mu") == 8091872123749397884
    assert uniform(0, 1, "ground.mu") == 0.4386612668021995
    assert Draws(0, "sobol", ("restitution", "ground.mu")).uniform(5, "ground.mu") == 0.5117201049526788


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**70), particle=st.integers(0, 2**70), name=st.text(max_size=20))
def test_a_draw_lies_within_and_comes_again(seed, particle, name):
    u = uniform(seed, particle, name)
    assert 0.0 < u < 1.0
    assert u == uniform(seed, particle, name) == Draws(seed).uniform(particle, name)
    assert u != uniform(seed + 1, particle, name) != uniform(seed, particle + 1, name)
    assert key(seed, particle, name) >> 64 == 0


def test_seed_and_particle_are_not_run_together():
    assert len({key(1, 23, "a"), key(12, 3, "a"), key(123, 0, "a"), key(1, 2, "3 a")}) == 4


def test_draws_are_uniform_and_uncorrelated():
    u = np.array([[uniform(0, particle, name) for name in NAMES[:8]] for particle in range(1, 2001)])
    assert min(stats.kstest(column, "uniform").pvalue for column in u.T) > 1e-3
    correlation = np.corrcoef(u.T) - np.eye(8)
    assert abs(correlation).max() < 0.1
    assert abs(np.corrcoef(u[1:, 0], u[:-1, 0])[0, 1]) < 0.1


def test_order_and_other_names_do_not_matter():
    forward, backward = Draws(3, "random", NAMES), Draws(3, "random", NAMES[::-1])
    a = {(p, name): forward.uniform(p, name) for p in range(5) for name in NAMES}
    b = {(p, name): backward.uniform(p, name) for p in reversed(range(5)) for name in reversed(NAMES)}
    assert a == b


def test_sobols_points_are_those_of_scipy_before_their_shift():
    draws = Draws(7, "sobol", NAMES)
    wanted = (qmc.Sobol(len(NAMES), scramble=False).random_base2(7) * 2.0**30).astype(np.uint64)
    for dimension, name in enumerate(NAMES):
        bits = [int(draws.uniform(p, name) * 2.0**30) for p in range(1, 128)]
        shift = bits[0] ^ int(wanted[1, dimension])
        assert [b ^ shift for b in bits] == wanted[1:, dimension].tolist()


def test_sobols_points_fill_every_part_of_the_interval_once():
    draws = Draws(1, "sobol", NAMES)
    for name in NAMES:  # 2^6 <= p < 2^7: a block that leaves out point 0, which is nominal
        parts = sorted(int(draws.uniform(p, name) * 64) for p in range(64, 128))
        assert parts == list(range(64))


def test_sobols_points_lie_more_evenly_than_random_ones():
    def discrepancy(method):
        draws = Draws(2, method, NAMES[:6])
        return qmc.discrepancy([[draws.uniform(p, name) for name in NAMES[:6]] for p in range(1, 257)])

    assert discrepancy("sobol") < 0.5 * discrepancy("random")


def test_new_names_at_the_end_change_no_sobol_point():
    few, many = Draws(5, "sobol", NAMES[:3]), Draws(5, "sobol", NAMES)
    particles = (1, 2, 3, 100, 5000, 70_000)
    assert [[few.uniform(p, n) for n in NAMES[:3]] for p in particles] == [
        [many.uniform(p, n) for n in NAMES[:3]] for p in particles
    ]


def test_seeds_shift_sobols_points():
    draws = [Draws(seed, "sobol", NAMES).uniform(1, NAMES[0]) for seed in range(100)]
    assert len(set(draws)) == 100
    assert stats.kstest(draws, "uniform").pvalue > 1e-3


def test_particles_may_be_asked_for_in_any_order():
    forward, backward = Draws(0, "sobol", NAMES), Draws(0, "sobol", NAMES)
    particles = [1, 9, 1000, 17]
    assert [forward.uniform(p, NAMES[4]) for p in particles] == [
        backward.uniform(p, NAMES[4]) for p in reversed(particles)
    ][::-1]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Draws(-1), "seed: expected a whole number of at least 0, got -1"),
        (lambda: Draws(True), "seed: expected a whole number of at least 0, got True"),
        (lambda: Draws(0.5), "seed: expected a whole number of at least 0, got 0.5"),
        (lambda: Draws(0, "halton"), "method: expected one of 'random', 'sobol', got 'halton'"),
        (
            lambda: Draws(0, "sobol", map(str, range(MOST_DIMENSIONS + 1))),
            "method: 'sobol' knows 21201 dimensions, got 21202 parameters; use 'random'",
        ),
        (
            lambda: Draws(0, "sobol", NAMES).uniform(1, "mass"),
            "name: 'mass' is none of the 24 names that were given in advance",
        ),
        (
            lambda: Draws(0, "sobol", NAMES).uniform(0, NAMES[0]),
            "particle: expected a whole number from 1 to 4294967295, got 0",
        ),
        (
            lambda: Draws(0, "sobol", NAMES).uniform(2**32, NAMES[0]),
            "particle: expected a whole number from 1 to 4294967295, got 4294967296",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, text):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == text
