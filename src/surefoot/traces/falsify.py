"""Falsify a controller: run the particles of a scenario under its policies and keep what comes of them."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces import run_json
from surefoot.traces.engine import Ledger, Progress
from surefoot.traces.engine_local import run_here, run_local
from surefoot.traces.run import Run
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.stop import Stop
from surefoot.traces.worker import Job, told

METHODS = ("random", "sobol")
LEAST_LIMIT = 300.0  # s that a trace may take at least, unless told
MOST_PARTICLES = 10_000_000
SLOWNESS = 20.0  # and for each second of the robot's time


def falsify(
    scenario: Any,
    particles: int = 128,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    method: str = "random",
    workers: int | None = None,
    cluster: Any = None,
    resume: bool = False,
    stop: Stop | None = None,
    limit: float | None = None,
    progress: Progress | None = None,
    policies: Sequence[str] | None = None,
) -> Run:
    """Run particles 0 to `particles` - 1 under every policy and write what comes of them.

    The tables are the same on any number of workers, and after any interruption. A trace that raises is broken, one
    whose process dies twice crashed, one that takes too long hung; the others go on.

    Args:
        scenario: what to try; see `sf.Scenario`.
        particles: how many; number 0 is the nominal robot.
        seed: of all draws, at least 0.
        out: folder of the run, to be made; None: one that is removed with `Run.folder`.
        method: of the draws, "random" or "sobol".
        workers: processes on this machine, one for each core unless given; 0: this process, which then shares the fate
            of a trace that crashes or hangs.
        cluster: address of a Dask scheduler, such as "tcp://10.0.0.1:8786", or a Client, instead of workers here.
        resume: go on with the run in `out`, which must be of the same scenario, policies, seed and method.
        stop: end early, once the rates of success are known well enough.
        limit: time in s that a trace may take; 20 s for each second of the scenario and at least 300 s unless given.
        progress: called with traces done, traces wanted and (successes, done) by policy, a few times a second.
        policies: names of those to try, all unless given.

    Raises:
        InputError: an argument is not what it should be, or `out` is not the folder of the same run.
        EngineError: no worker can run the scenario.
        KeyboardInterrupt: on Ctrl-C, after all that is finished was written.
    """
    header = _header(scenario, particles, seed, method, policies)
    limit = _limit(scenario, limit)
    if workers is not None:
        checks.whole("workers", workers)
    if workers is not None and cluster is not None:
        raise InputError("workers, cluster: expected one of them, got both")
    if stop is not None and not isinstance(stop, Stop):
        raise InputError(f"stop: expected a Stop, such as Stop(width=0.05), got {stop!r}")
    if resume and out is None:
        raise InputError("resume: expected out, the folder of the run to go on with, got none")
    if progress is not None and not callable(progress):
        raise InputError(f"progress: expected a function of (done, wanted, rates), got {progress!r}")
    if out is not None and (not isinstance(out, str | os.PathLike) or "\0" in str(out)):
        raise InputError(f"out: expected a folder, got {out!r}")
    if hasattr(scenario, "check"):
        scenario.check()  # before there is a folder
    path = Path(tempfile.mkdtemp(prefix="surefoot-run-") if out is None else out)
    try:
        with _folder(path, header, resume, stop) as folder:
            ledger = Ledger(folder, scenario, particles, stop, progress)
            _run(scenario, ledger, Job(b"", seed, method, limit), workers, cluster, out)
            folder.update(stopped=ledger.stopped)
            folder.compact()
            folder.update(finished=run_json.now())
    except BaseException:
        if out is None:
            shutil.rmtree(path, ignore_errors=True)
        raise
    folder = RunFolder.open(path)
    if out is None:
        weakref.finalize(folder, shutil.rmtree, path, ignore_errors=True)
    return Run(folder, scenario)


def _header(scenario: Any, particles: Any, seed: Any, method: Any, policies: Any) -> dict[str, Any]:
    """What `run.json` tells of the run, checked."""
    if not all(hasattr(scenario, name) for name in ("policies", "trace", "header")):
        raise InputError(f"scenario: expected a Scenario, got {type(scenario).__name__}")
    known = list(scenario.policies)
    if isinstance(policies, str) or not isinstance(policies, Iterable | None):
        raise InputError(f"policies: expected a list of names, got {policies!r}")
    chosen = known if policies is None else list(policies)
    checks.indices("policies", chosen, known, "policy")
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(f"policies: expected one or more different names, got {chosen!r}")
    own = {
        "policies": chosen,
        "particles": _count(particles),
        "seed": checks.whole("seed", seed),
        "method": checks.choice("method", method, METHODS),
    }
    return run_json.plain({**scenario.header(), **own})


def _count(particles: Any) -> int:
    checks.whole("particles", particles, at_least=1)
    return int(checks.number("particles", particles, at_most=MOST_PARTICLES))


def _limit(scenario: Any, limit: Any) -> float:
    if limit is None:
        return max(LEAST_LIMIT, SLOWNESS * float(getattr(scenario, "duration", 0.0)))
    return checks.number("limit", limit, above=0.0)


def _folder(path: Path, header: Mapping[str, Any], resume: bool, stop: Stop | None) -> RunFolder:
    """The folder of a new run, or of one that can go on as told."""
    header = {**header, "stop": None if stop is None else stop.table()}
    if not resume:
        return RunFolder.create(path, header)
    folder = RunFolder.open(path, write=True)
    try:
        _check_same(folder, header)
        folder.update(particles=header["particles"], stop=header["stop"], stopped=None, finished=None)
    except BaseException:
        folder.close()
        raise
    return folder


def _check_same(folder: RunFolder, header: Mapping[str, Any]) -> None:
    """Refuse to mix two runs in one folder."""
    there = folder.header
    for key in dict.fromkeys(["scenario", "policies", "seed", "method", *header]):
        if key in ("particles", "stop") or there.get(key) == header[key]:
            continue
        if key in ("scenario", "policies", "seed", "method"):
            raise InputError(f"resume: the run in {folder.path} has {key} {there.get(key)!r}, got {header[key]!r}")
        raise InputError(f"resume: the run in {folder.path} was of another scenario: it differs in {key}")
    if there["particles"] > header["particles"]:
        raise InputError(
            f"particles: the run in {folder.path} is of {there['particles']}, expected at least as many, "
            f"got {header['particles']}"
        )
    versions = run_json.versions()
    for name in run_json.PACKAGES:
        if there["versions"].get(name) != versions[name]:
            raise InputError(
                f"resume: the run in {folder.path} was begun with {name} {there['versions'].get(name)}, this is "
                f"{versions[name]}; results would not be those of one run"
            )


def _run(scenario: Any, ledger: Ledger, job: Job, workers: int | None, cluster: Any, out: Any) -> None:
    """Do what is left to do; whatever happens, what is finished is written."""
    try:
        if cluster is not None:
            from surefoot.traces.engine_dask import run_dask

            run_dask(scenario, ledger, job, cluster)
        elif workers == 0:
            run_here(scenario, ledger, job)
        else:
            run_local(ledger, job._replace(scenario=_sendable(scenario)), workers or _cores())
    except KeyboardInterrupt:
        rest = f"go on with out={str(out)!r}, resume=True" if out is not None else "no folder was named to keep them"
        raise KeyboardInterrupt(f"{ledger.done} of {ledger.total} traces are finished; {rest}") from None
    finally:
        ledger.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _sendable(scenario: Any) -> bytes:
    try:
        return pickle.dumps(scenario)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"scenario: cannot be sent to another process: {told(error)}; functions of a scenario must stand at the "
            "top of a module, or use workers=0"
        ) from None
