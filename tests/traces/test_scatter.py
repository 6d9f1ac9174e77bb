import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.traces.scatter import scatter


def two_clouds(seed, n=128, share=0.3, apart=8.0):
    rng = np.random.default_rng(seed)
    second = rng.random(n) < share
    states = rng.standard_normal((n, 6)) * [0.1, 0.2, 0.01, 0.02, 0.03, 0.5]
    states[:, 5] += np.where(second, 0.5 * apart, 0.0)
    return states, second


@pytest.mark.parametrize("seed", range(4))
def test_two_clouds_are_told_apart(seed):
    states, second = two_clouds(seed)
    found = scatter(states)
    assert found.word == "bifurcates"
    assert np.mean(found.second == second) > 0.98
    assert found.separation == pytest.approx(8.0, abs=1.5)
    assert found.shares == pytest.approx((1 - second.mean(), second.mean()), abs=0.02)
    assert abs(found.direction[5]) > 0.9
    assert found.evidence > 10


def test_a_narrow_cloud_of_walkers_and_a_wide_one_of_the_fallen():
    rng = np.random.default_rng(3)
    states = np.concatenate([rng.normal(2.0, 0.02, (90, 1)), rng.uniform(0.0, 1.5, (38, 1))])
    found = scatter(states)
    assert found.word == "bifurcates"
    assert (found.second == (np.arange(128) < 90)).mean() > 0.97


def test_a_split_across_two_coordinates_shows_along_the_principal_direction():
    rng = np.random.default_rng(4)
    along = rng.standard_normal(300) + 7.0 * (rng.random(300) < 0.5)
    across = 6.0 * rng.standard_normal(300)
    states = np.stack([along + across, along - across, along], axis=1)
    assert scatter(states).word == "bifurcates"


def test_one_cloud_scatters_whatever_its_shape():
    makers = {
        "normal": lambda rng: rng.standard_normal((128, 6)),
        "uniform": lambda rng: rng.random((128, 2)),
        "skewed": lambda rng: rng.exponential(size=(128, 2)),
        "heavy": lambda rng: rng.standard_t(3, (128, 2)),
        "few": lambda rng: rng.standard_normal((20, 3)),
    }
    for name, make in makers.items():
        words = [scatter(make(np.random.default_rng(seed))).word for seed in range(12)]
        assert words.count("bifurcates") <= 1, name


def test_spread_and_bias_are_those_of_the_sample():
    states = np.random.default_rng(5).normal([1.0, -2.0], [0.1, 3.0], (400, 2))
    found = scatter(states, nominal=[1.0, -1.0])
    assert found.word == "scatters"
    assert found.bias == pytest.approx(states.mean(axis=0) - [1.0, -1.0])
    assert found.spread == pytest.approx(states.std(axis=0, ddof=1))
    assert (found.separation, found.shares, found.second.any()) == (0.0, (1.0, 0.0), False)
    assert not found.direction.any()


def test_a_handful_of_strays_is_no_cloud():
    states = np.random.default_rng(6).standard_normal((128, 1))
    states[:3] += 50.0
    assert scatter(states).word == "scatters"


def test_nan_constants_and_few_traces():
    states, second = two_clouds(7)
    states[:, 1] = 3.0
    states[::10] = np.nan
    found = scatter(states)
    assert found.word == "bifurcates"
    assert not found.second[::10].any()
    assert np.mean(found.second[1::10] == second[1::10]) > 0.9
    assert found.spread[1] == 0.0
    assert scatter(np.ones((40, 3))).word == "scatters"
    assert scatter(np.zeros((40, 0))).word == "scatters"
    assert scatter(states[:10]).word == ""
    for n in (0, 1):
        none = scatter(np.zeros((n, 2)))
        assert (none.word, none.second.tolist(), np.isnan(none.spread).all()) == ("", [False] * n, True)


def test_two_points_that_many_traces_share_are_two_clouds():
    found = scatter(np.repeat([[0.0], [1.0]], 20, axis=0))
    assert found.word == "bifurcates"
    assert found.shares == (0.5, 0.5)


@pytest.mark.parametrize(
    ("states", "nominal", "text"),
    [
        (np.zeros(4), None, "states: expected shape (any, any), got (4,)"),
        (np.zeros((4, 2)), [0.0], "nominal: expected shape (2,), got (1,)"),
    ],
)
def test_bad_shapes_are_named(states, nominal, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        scatter(states, nominal)
