"""Runs that are killed, interrupted, or large: nothing finished is lost, and no result changes."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from surefoot.errors import InputError
from surefoot.traces.falsify import falsify
from surefoot.traces.run_folder import RunFolder
from tests.traces.fakes import Fake, content

ROOT = Path(__file__).parents[2]
WHERE = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])}
PRELUDE = """
from pathlib import Path
from surefoot.traces import engine
from surefoot.traces.falsify import falsify
from tests.traces.fakes import Fake
engine.WRITE_SECONDS = 0.2
"""


def wait_until(holds, seconds=30.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def expected():
    """What a run of 60 particles holds that nobody disturbs."""
    return content(falsify(Fake(), 60, workers=0).folder)


@pytest.fixture
def driver(tmp_path):
    """A process of its own that runs 60 particles into tmp_path / "run" and has written some."""
    log, run = str(tmp_path / "log"), str(tmp_path / "run")
    code = f"{PRELUDE}falsify(Fake(seconds=0.02, log=Path({log!r})), 60, out={run!r}, workers=2)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=WHERE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_until(lambda: process.poll() is not None or any((tmp_path / "run" / "particles").glob("*.parquet")))
    yield process
    process.kill()
    process.communicate()


def logged(tmp_path):
    """Traces begun, as (policy, particle)."""
    lines = (line.split() for line in (tmp_path / "log").read_text().splitlines())
    return [(policy, int(particle)) for policy, particle in lines]


def test_killing_a_worker_changes_nothing(expected, tmp_path):
    killed = []

    def kill(done, total, _):
        if len(killed) < 2 and done > 10 * (len(killed) + 1):
            victim = multiprocessing.active_children()[0]
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim.pid)

    run = falsify(Fake(seconds=0.02, log=tmp_path / "log"), 60, workers=2, progress=kill)
    assert len(killed) == 2
    assert content(run.folder) == expected
    assert 120 <= len(logged(tmp_path)) <= 122, "only what the dead were at was done again"


def test_killing_the_driver_loses_nothing_that_was_written(driver, expected, tmp_path):
    workers = psutil.Process(driver.pid).children(recursive=True)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    gone, alive = psutil.wait_procs(workers, timeout=10.0)
    assert not alive, "workers end by themselves"
    assert len(gone) >= 2
    written = RunFolder.open(tmp_path / "run").done()
    assert 0 < len(written) < 120
    first = logged(tmp_path)
    run = falsify(Fake(log=tmp_path / "log"), 60, out=tmp_path / "run", workers=2, resume=True)
    assert content(run.folder) == expected
    again = logged(tmp_path)[len(first) :]
    assert not written & set(again), "nothing that was written is done again"
    assert written | set(again) == {(policy, i) for policy in ("loose", "firm") for i in range(60)}


def test_ctrl_c_writes_what_is_finished_and_says_how_to_go_on(driver, expected, tmp_path):
    os.killpg(driver.pid, signal.SIGINT)  # as a terminal does: to all processes of the group
    _, said = driver.communicate(timeout=20)
    assert driver.returncode == -signal.SIGINT
    told = re.fullmatch(
        rf"KeyboardInterrupt: (\d+) of 120 traces are finished; go on with out='{tmp_path / 'run'}', resume=True",
        said.splitlines()[-1],
    )
    assert told, said
    assert said.count("Traceback") == 1, "workers say nothing"
    written = RunFolder.open(tmp_path / "run").done()
    assert len(written) == int(told[1])
    assert len(logged(tmp_path)) - len(written) <= 2 + 2, "but for those that were being done"
    assert content(falsify(Fake(), 60, out=tmp_path / "run", workers=1, resume=True).folder) == expected


def test_two_runs_into_one_folder_are_refused(driver, tmp_path):
    said = f"out: another run is writing to {tmp_path / 'run'}; wait for it, or name another folder"
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        falsify(Fake(), 60, out=tmp_path / "run", resume=True, workers=0)
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        falsify(Fake(), 60, out=tmp_path / "run", workers=0)
    assert driver.wait(timeout=20) == 0


def test_memory_does_not_grow_with_telemetry(tmp_path):
    """A particle has 2.4 MB of telemetry, so 40 more have 96 MB."""

    def peak(particles):
        code = f"{PRELUDE}engine.WRITE_BYTES = 4e6\nfalsify(Fake(rows=25_000), {particles}, workers=1)"
        code += "\nimport resource\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)"
        return float(subprocess.run([sys.executable, "-c", code], env=WHERE, capture_output=True, check=True).stdout)

    assert peak(55) < peak(15) + 50.0


def test_a_script_without_a_guard_is_told_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"{PRELUDE}falsify(Fake(), 2, workers=1, out={str(tmp_path / 'run')!r})\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=60, env=WHERE)
    assert done.returncode == 1
    assert 'needs if __name__ == "__main__": around what it does' in done.stderr.splitlines()[-1]
