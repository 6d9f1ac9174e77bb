"""A thousand malformed scenario files: each is read or told off in one line, and none runs, hangs or fills memory."""

import time
import tracemalloc

import pytest

from surefoot.errors import InputError, ModelError
from surefoot.simulate.simulator import Simulator
from surefoot.traces.scenario_file import LONGEST, read
from tests.traces import fuzz
from tests.traces.scenario_texts import SMALL, changed, folder, write

MANY = 1000


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch):
    """A simulation ends the test."""

    def refuse(*given, **named):
        pytest.fail("reading a file has run a simulation")

    monkeypatch.setattr(Simulator, "begin", refuse)
    monkeypatch.setattr(Simulator, "rollout", refuse)


def test_each_of_a_thousand_mutations_is_read_or_told_off_in_one_line(tmp_path):
    fuzz.folder(folder(tmp_path))
    told, good, slowest = set(), 0, 0.0
    for number in range(MANY):
        file = write(tmp_path, fuzz.mutated(number))
        began = time.perf_counter()
        try:
            read(file)
            good += 1
        except (InputError, ModelError) as error:
            text = str(error)
            start = f"{file}: "
            assert text.startswith(start), number
            assert text.isprintable(), (number, text)
            assert len(start) + 10 < len(text) <= len(start) + LONGEST + 60, (number, text)
            told.add(text.removeprefix(start))
        slowest = max(slowest, time.perf_counter() - began)
    assert len(told) > 0.3 * MANY  # hostile in many ways
    assert 0.02 * MANY < good < 0.3 * MANY  # but not so far off that all is refused at the door
    assert slowest < 10.0


def test_mutations_are_the_same_every_time():
    assert fuzz.mutated(7) == fuzz.mutated(7) != fuzz.mutated(8)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"duration": 1e9}, "duration: expected at most 5000000 steps of 0.001 s, got 1e+09 s"),
        ({"dt": 1e-12}, "dt: expected a number of at least 1e-07, got 1e-12"),
        ({"duration": 1e300, "dt": 1e-7}, "duration: expected at most 5000000 steps of 1e-07 s, got 1e+300 s"),
        ({"particles": 10**9}, "particles: expected a number of at most 1e+07, got 1e+09"),
        (
            {"terrain": {"kind": "height map", "size": [1e4, 1e4]}},
            "terrain: HeightMap.size: expected at most 10000000 points, got 500001 x 500001",
        ),
        (
            {"terrain": {"kind": "height map", "hills": 10**9}},
            "terrain: HeightMap.hills: expected at most 331125 on 151 x 151 points, got 1000000000",
        ),
        (
            {"robot": "arm", "objects": {"b": {"kind": "ball", "radius": 0.1, "mass": 1.0, "position": [1e6, 0, 0]}},
             "policies": {"p": {"kind": "picking", "way": "direct"}}, "uncertainty": {}, "faults": [], "pushes": [],
             "requirements": [], "objective": []},
            "policies: 'p': ball: expected it within 10 m of the hand, got 1e+06 m",
        ),
    ],
)  # fmt: skip
def test_huge_numbers_take_neither_time_nor_memory(tmp_path, keys, text):
    file = write(folder(tmp_path), changed(SMALL, **keys))
    tracemalloc.start()
    began = time.perf_counter()
    try:
        with pytest.raises(InputError) as caught:
            read(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(caught.value) == f"{file}: {text}"
    assert peak < 100e6
    assert time.perf_counter() - began < 30.0  # the first to build a policy may compile it


@pytest.mark.parametrize("telemetry_dt", [1e-300, 1e300])
def test_any_telemetry_step_is_taken(tmp_path, telemetry_dt, monkeypatch):
    monkeypatch.undo()
    made, _ = read(write(folder(tmp_path), changed(SMALL, telemetry_dt=telemetry_dt)))
    rows = len(made.trace("hold", 1).telemetry["t"])
    assert rows == (51 if telemetry_dt < 1.0 else 2)


def test_what_is_read_can_be_traced(tmp_path, monkeypatch):
    """However odd its numbers: a trace is broken at worst, and says why."""
    monkeypatch.undo()
    fuzz.folder(folder(tmp_path))
    traced = 0
    for number in range(150):
        try:
            made, _ = read(write(tmp_path, fuzz.mutated(number)))
        except (InputError, ModelError):
            continue
        if made.duration / made.dt > 1000:
            continue
        for policy in made.policies:
            result = made.trace(policy, 1)
            assert (result.outcome == "broken") == bool(result.message), number
            traced += 1
    assert traced > 10
