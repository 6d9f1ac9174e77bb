"""Runs on a Dask cluster whose scheduler and workers are processes of their own."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import distributed
import psutil
import pytest

from surefoot.errors import EngineError, InputError
from surefoot.traces import chunk, engine_dask
from surefoot.traces.engine import Ledger
from surefoot.traces.falsify import falsify
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.stop import Stop
from surefoot.traces.worker import Job, Work, attempt
from tests.traces.fakes import Fake, content

ROOT = Path(__file__).parents[2]
WHERE = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])}


class Cluster:
    """A scheduler on a free port, and workers."""

    def __init__(self, folder):
        self.folder, self.file = folder, folder / "scheduler.json"
        self.processes = []
        self.scheduler = self.start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self.file)
        )
        end = time.monotonic() + 60.0
        while not self.file.exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        self.address = re.search(r"tcp://[\d.:]+", self.file.read_text())[0]

    def start(self, what, *arguments):
        code = f"from distributed.cli.dask_{what} import main; main()"
        with (self.folder / "log").open("a") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", code, "--no-dashboard", *arguments], env=WHERE, stdout=log, stderr=log
            )
        self.processes.append(process)
        return process

    def worker(self, *arguments):
        where = ("--local-directory", str(self.folder), "--nthreads", "1")
        return self.start("worker", self.address, *where, *arguments)

    def end(self):
        for process in self.processes:
            for child in [*psutil.Process(process.pid).children(recursive=True)] if process.poll() is None else []:
                child.kill()
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.workers = [made.worker(), made.worker()]
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def expected():
    return content(falsify(Fake(), 40, workers=0).folder)


def test_tables_are_those_of_one_machine(cluster, expected):
    run = falsify(Fake(), 40, cluster=cluster.address)
    assert content(run.folder) == expected


def test_traces_that_crash_or_hang_end_as_on_one_machine(cluster):
    scenario = Fake(trouble={3: "raise", 4: "abort", 5: "hang", 6: "none", 7: "exit"})
    there = falsify(scenario, 12, cluster=cluster.address, limit=0.5, policies=["firm"])
    here = falsify(scenario, 12, workers=2, limit=0.5, policies=["firm"])
    assert content(there.folder) == content(here.folder)
    assert there.counts()["firm"] == {**here.counts()["firm"], "broken": 3, "crashed": 1, "hung": 1}


def test_an_early_stop_is_that_of_one_machine(cluster):
    stop = Stop(width=0.4)
    there = falsify(Fake(seconds=0.002), 200, cluster=cluster.address, stop=stop)
    here = falsify(Fake(), 200, workers=0, stop=stop)
    assert there.folder.header["stopped"] == here.folder.header["stopped"]
    assert content(there.folder) == content(here.folder)


def test_killing_a_worker_loses_nothing(cluster, expected, tmp_path):
    killed = []

    def kill(done, _, __):
        if not killed and done > 10:
            for child in psutil.Process(cluster.workers[0].pid).children():  # its nanny starts another
                child.kill()
                killed.append(child.pid)

    scenario = Fake(seconds=0.03, log=tmp_path / "log")
    run = falsify(scenario, 40, cluster=cluster.address, progress=kill)
    assert killed
    assert content(run.folder) == expected


def test_killing_the_driver_loses_nothing_that_was_written(cluster, expected, tmp_path):
    log, out = tmp_path / "log", tmp_path / "run"
    code = (
        "from pathlib import Path\nfrom surefoot.traces import engine\nfrom surefoot.traces.falsify import falsify\n"
        "from tests.traces.fakes import Fake\nengine.WRITE_SECONDS = 0.2\n"
        f"falsify(Fake(seconds=0.03, log=Path({str(log)!r})), 40, out={str(out)!r}, cluster={cluster.address!r})"
    )
    driver = subprocess.Popen([sys.executable, "-c", code], env=WHERE)
    try:
        end = time.monotonic() + 60.0
        while not any((out / "particles").glob("*.parquet")):
            assert time.monotonic() < end
            assert driver.poll() is None
            time.sleep(0.02)
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    written = RunFolder.open(out).done()
    assert 0 < len(written) < 80
    again = Fake(log=tmp_path / "again")
    assert content(falsify(again, 40, out=out, workers=1, resume=True).folder) == expected
    lines = [line.split() for line in again.log.read_text().splitlines()]
    assert not written & {(policy, int(particle)) for policy, particle in lines}


def test_ctrl_c_writes_what_is_finished_and_frees_the_cluster(cluster, tmp_path):
    code = (
        "from surefoot.traces.falsify import falsify\nfrom tests.traces.fakes import Fake\n"
        f"falsify(Fake(seconds=0.03), 400, out={str(tmp_path / 'run')!r}, cluster={cluster.address!r}, "
        "progress=lambda *told: print(told[0], flush=True))"
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", code], env=WHERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while int(driver.stdout.readline() or 99) < 10:
        pass
    driver.send_signal(signal.SIGINT)
    _, said = driver.communicate(timeout=30)
    told = re.search(r"KeyboardInterrupt: (\d+) of 800 traces are finished; go on with out='.*', resume=True\n$", said)
    assert told, said
    assert len(RunFolder.open(tmp_path / "run").done()) == int(told[1])
    with distributed.Client(cluster.address, set_as_default=False) as client:
        assert list(client.run(waiting).values()) == [0, 0], "no process is left behind"


def waiting():
    return len(chunk._IDLE)


def test_a_client_may_be_given_and_stays_open(cluster, expected):
    with distributed.Client(cluster.address, set_as_default=False) as client:
        assert content(falsify(Fake(), 40, cluster=client).folder) == expected
        assert client.status == "running"
        assert list(client.run(waiting).values()) == [0, 0], "no process is left behind"


def test_functions_of_a_script_travel_by_value(cluster):
    code = (
        "from dataclasses import dataclass\nfrom surefoot.traces.falsify import falsify\n"
        "from tests.traces.fakes import Fake\n"
        "class Own(Fake):\n    def values(self, particle, seed, method):\n        return {'mass': 42.0}\n"
        f"print(falsify(Own(), 3, cluster={cluster.address!r}).particles['p:mass'].to_pylist())"
    )
    done = subprocess.run([sys.executable, "-c", code], env=WHERE, capture_output=True, text=True, check=True)
    assert done.stdout == "[42.0, 42.0, 42.0, 42.0, 42.0, 42.0]\n"


class Unfit(Fake):
    def prepare(self):
        raise RuntimeError("no such robot")


def test_what_a_worker_cannot_do_is_told(cluster, monkeypatch):
    said = "cluster: a process could not load the scenario: RuntimeError: no such robot. Functions of a scenario must "
    said += "stand at the top of a module that can be imported; or use workers=0"
    with pytest.raises(EngineError, match=f"^{re.escape(said)}$"):
        falsify(Unfit(), 2, cluster=cluster.address)
    here = engine_dask.run_json.versions()
    monkeypatch.setattr(engine_dask.run_json, "versions", lambda: {**here, "mujoco": "3.9"})
    said = (
        f"cluster: a worker has mujoco {here['mujoco']}, the run was begun with 3.9; results would not be those of one"
    )
    with pytest.raises(EngineError, match=f"^{re.escape(said)} run$"):
        falsify(Fake(), 2, cluster=cluster.address)


def test_a_cluster_without_workers_or_whose_scheduler_goes_is_told_and_what_was_finished_is_kept(tmp_path, monkeypatch):
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    try:
        monkeypatch.setattr(engine_dask, "JOIN", 0.5)
        said = f"cluster: no worker has joined the scheduler at {cluster.address} within 0.5 s"
        with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
            falsify(Fake(), 2, cluster=cluster.address)
        monkeypatch.undo()
        monkeypatch.setattr(engine_dask, "ANSWER", 2.0)
        cluster.worker("--no-nanny")

        def kill(done, _, __):
            if done > 5:
                cluster.scheduler.kill()

        said = "cluster: the scheduler is gone; what is finished is written, resume it"
        with pytest.raises(EngineError, match=f"^{re.escape(said)}$"):
            falsify(Fake(seconds=0.03), 40, cluster=cluster.address, out=tmp_path / "run", progress=kill)
        assert len(RunFolder.open(tmp_path / "run").done()) > 5
    finally:
        cluster.end()


def test_wrong_clusters_are_named(monkeypatch):
    monkeypatch.setattr(engine_dask, "ANSWER", 0.5)
    with pytest.raises(InputError, match=r"^cluster: no Dask scheduler answers at tcp://127\.0\.0\.1:9$"):
        falsify(Fake(), 2, cluster="tcp://127.0.0.1:9")
    with pytest.raises(InputError, match=r"^cluster: no Dask scheduler answers at nonsense://x$"):
        falsify(Fake(), 2, cluster="nonsense://x")
    said = "cluster: expected the address of a Dask scheduler or a Client, got 3"
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        falsify(Fake(), 2, cluster=3)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"^cluster: needs Dask; pip install 'surefoot\[cluster\]'$"):
        falsify(Fake(), 2, cluster="tcp://127.0.0.1:9")


class Inline:
    """Stands for `distributed` and its client: runs chunks at once; any with a given trace in it kills its worker."""

    KilledWorker = type("KilledWorker", (Exception,), {})
    status = "running"

    def __init__(self, deadly, cancelled=0):
        self.deadly, self.cancelled, self.sizes = deadly, cancelled, []

    def nthreads(self):
        return {"tcp://only": 1}

    def submit(self, function, run, job, works, versions, **_):
        self.sizes.append(len(works))
        return InlineFuture(self, [attempt(Fake(), work, job.seed, job.method) for work in works], works)

    def cancel(self, *_, **__):
        pass

    run = cancel


class InlineFuture:
    def __init__(self, client, results, works):
        self.client, self.results, self.works, self.status = client, results, works, "finished"

    def add_done_callback(self, call):
        call(self)

    def result(self):
        if self.client.cancelled:
            self.client.cancelled -= 1
            self.status = "cancelled"
            raise distributed.client.FutureCancelledError("x", "y")
        if self.client.deadly in self.works:
            raise self.client.KilledWorker
        return self.results

    def release(self):
        pass


@pytest.mark.parametrize("cancelled", [0, 3])
def test_a_chunk_that_kills_every_worker_is_halved_until_one_trace_is_left(tmp_path, cancelled):
    header = {**Fake().header(), "policies": ["loose", "firm"], "particles": 100, "seed": 0, "method": "random"}
    client = Inline(Work("firm", 60), cancelled)
    with RunFolder.create(tmp_path / "run", header) as folder:
        ledger = Ledger(folder, Fake(), 100, None, None)
        engine_dask._Run(client, client, ledger, Job(b"", 0, "random")).go(lambda: None)
        ledger.close()
        folder.compact()
        assert max(client.sizes) > 8
        outcomes = folder.particles().to_pylist()
    assert [(r["policy"], r["particle"]) for r in outcomes if r["outcome"] == "crashed"] == [("firm", 60)]
    expected = falsify(Fake(), 100, workers=0).particles.to_pylist()
    for row, other in zip(outcomes, expected, strict=True):
        assert row["p:mass"] == other["p:mass"]
        assert row["outcome"] in (other["outcome"], "crashed")
