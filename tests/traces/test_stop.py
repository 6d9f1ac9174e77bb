import re

import pytest

from surefoot.errors import InputError
from surefoot.traces.falsify import falsify
from surefoot.traces.rates import sequence
from surefoot.traces.stop import Stop
from tests.traces.fakes import Fake, content


@pytest.mark.parametrize("stop", [Stop(width=0.4), Stop(above=0.5, below=0.6), Stop(below=0.99, alpha=0.2)])
def test_an_early_stop_does_not_depend_on_the_workers(stop, tmp_path):
    runs = [
        falsify(Fake(seconds=0.002), 400, seed=1, workers=workers, stop=stop, out=tmp_path / f"{workers}")
        for workers in (0, 1, 2)
    ]
    stopped = {run.folder.header["stopped"] for run in runs}
    assert len(stopped) == 1
    n = stopped.pop()
    assert 5 < n < 400
    assert runs[0].rates()["firm"].n == runs[0].rates()["loose"].n == n
    assert content(runs[0].folder) == content(runs[1].folder) == content(runs[2].folder)
    won = {policy: rate.successes for policy, rate in runs[0].rates().items()}
    for policy, rate in runs[0].rates().items():
        assert (rate.low, rate.high) == pytest.approx(sequence(won[policy], n)), "holds at every look"
    assert stop.met(won.values(), n)
    firsts = [row for row in runs[0].particles.to_pylist() if row["particle"] < n - 1]
    before = [sum(r["policy"] == policy and r["outcome"] == "success" for r in firsts) for policy in won]
    assert not stop.met(before, n - 1), "it stops at the first particle at which it may"


def test_a_run_that_stopped_early_stops_there_again_or_goes_on(tmp_path):
    stop, path = Stop(width=0.5), tmp_path / "run"
    first = falsify(Fake(), 200, workers=0, stop=stop, out=path)
    n = first.folder.header["stopped"]
    assert falsify(Fake(), 200, workers=0, stop=stop, out=path, resume=True).folder.header["stopped"] == n
    whole = falsify(Fake(), 200, workers=0, out=path, resume=True)
    assert whole.folder.header["stopped"] is None
    assert content(whole.folder) == content(falsify(Fake(), 200, workers=0).folder)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "stop: expected width, above or below, got none of them"),
        ({"width": 0.0}, "stop.width: expected a number above 0, got 0"),
        ({"above": 1.5}, "stop.above: expected a number of at most 1, got 1.5"),
        ({"width": 0.1, "alpha": 1.0}, "stop.alpha: expected a number below 1, got 1"),
        ({"width": 0.1, "alpha": "x"}, "stop.alpha: expected a finite number, got 'x'"),
    ],
)
def test_a_stop_is_of_rates(arguments, said):
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        Stop(**arguments)
