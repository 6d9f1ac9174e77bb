"""The set on closed loops: every method keeps `links` upright, and every tick has its time."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks import walking
from benchmarks.harness import measure
from benchmarks.sets import walk
from benchmarks.summary import summarise

STEPS = 400


@pytest.fixture(scope="module")
def result():
    problem = walk.problems(True)[0]
    short = replace(problem, data=replace(problem.data, steps=STEPS), work=STEPS)
    return measure(replace(walk.TEST_SET, problems=lambda quick: [short]), repeats=1)


def test_all_stay_upright(result):
    assert len(result.records) == 2 * 5
    for record in result.records:
        assert record.error == ""
        assert record.claimed, record
        assert np.isfinite(record.residual)


def test_ticks_are_timed_one_by_one_and_add_up(result):
    whole = {record.method: record.seconds for record in result.records if record.setting == walk.WHOLE}
    for record in result.records:
        ticks = STEPS if record.method == "mujoco-step" else STEPS - 1
        assert len(record.laps) == (ticks if record.setting == walk.TICKS else 0)
        assert all(lap > 0.0 for lap in record.laps)
        if record.laps:
            assert 1e-6 < np.mean(record.laps) < 10 * whole[record.method] + 1e-3


def test_the_bar_is_the_speed_of_whole_runs(result):
    (bar,) = walk.TEST_SET.bars
    row = next(row for row in summarise(result) if (row.setting, row.method) == (walk.WHOLE, "surefoot"))
    assert bar.measure(summarise(result)) == pytest.approx(1e-3 / row.p50)


def test_a_robot_that_falls_or_dawdles_does_not_count():
    problem = walk.problems(True)[0]
    slow = replace(problem, data=replace(problem.data, steps=STEPS), work=STEPS)
    task = walking.compiled().prepare(slow, walk.TEST_SET.settings[0])
    trace = task.call()
    good = task.judge(trace)
    assert good.claimed
    fallen = trace.q.copy()
    fallen[-1, 3:7] = [np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]  # on its side
    assert not task.judge(replace(trace, q=fallen)).claimed
    still = trace.q.copy()
    still[-1, 0] = 0.0
    assert task.judge(replace(trace, q=still)).residual == pytest.approx(1.0)
