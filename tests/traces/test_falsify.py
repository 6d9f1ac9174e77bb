import os
import re
import time

import pytest

from surefoot.errors import EngineError, InputError
from surefoot.traces import engine_local
from surefoot.traces.falsify import falsify
from surefoot.traces.run import Run
from surefoot.traces.run_folder import RunFolder
from tests.traces.fakes import Fake, content, rows

TROUBLE = {3: "raise", 4: "abort", 5: "hang", 6: "none", 7: "exit", 8: "lambda"}


def exact(text):
    return f"^{re.escape(text)}$"


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A run in this process, the others are compared with."""
    return falsify(Fake(), 40, seed=7, out=tmp_path_factory.mktemp("runs") / "here", workers=0)


@pytest.mark.parametrize("workers", [1, 2])
def test_tables_are_the_same_on_any_number_of_workers(here, workers):
    assert content(falsify(Fake(), 40, seed=7, workers=workers).folder) == content(here.folder)


def test_a_trace_that_raises_crashes_or_hangs_is_recorded_and_the_rest_go_on(here):
    run = falsify(Fake(trouble=TROUBLE), 40, seed=7, workers=2, limit=0.5, policies=["loose"])
    table = run.particles
    troubled = {row["particle"]: (row["outcome"], row["message"]) for row in table.to_pylist()[3:9]}
    assert troubled == {
        3: ("broken", "ValueError: particle 3 has no answer"),
        4: ("crashed", "the process died twice on this trace"),
        5: ("hung", "took longer than 0.5 s"),
        6: ("broken", "TypeError: expected the Result of particle 6 under loose, got 'not a result'"),
        7: ("broken", "SystemExit: 3"),
        8: (
            "broken",
            "the result cannot be sent to another process: AttributeError: Can't pickle local object "
            "'Fake._trouble.<locals>.<lambda>'",
        ),
    }
    expected = here.particles.slice(0, 40)
    assert table["p:mass"].to_pylist() == expected["p:mass"].to_pylist(), "of troubled particles too"
    others = [i for i in range(40) if i not in TROUBLE]
    assert rows(table.take(others), "seconds") == rows(expected.take(others), "seconds")


def test_a_crash_that_comes_once_leaves_no_trace(tmp_path, here):
    scenario = Fake(trouble={2: "abort", 9: "abort"}, once=tmp_path)
    assert content(falsify(scenario, 40, seed=7, workers=2).folder) == content(here.folder)


def test_run_tells_rates_verdicts_and_replays(here):
    assert here.table() == (
        "policy  success                            known failure\n"
        f"loose   {here.rates()['loose']}  {here.counts()['loose']['known failure']}\n"
        f"firm    {here.rates()['firm']}  {here.counts()['firm']['known failure']}"
    )
    assert here.rates()["firm"].n == 40
    assert here.verdicts()["loose"].word == "brittle"
    again = here.replay("firm", 9)
    stored = here.folder.telemetry("firm", 9)
    assert len(again.telemetry["t"]) == 2 * stored.num_rows
    assert {**again.values} == {
        "mass": here.particles["p:mass"][49].as_py(),
        "law": here.particles["p:law"][49].as_py(),
    }
    with pytest.raises(InputError, match=exact("replay: expected a run with its scenario, got the folder alone")):
        Run(here.folder).replay("firm", 9)
    with pytest.raises(InputError, match=exact("policy: expected one of 'loose', 'firm', got 'bold'")):
        here.replay("bold", 9)


def test_without_a_folder_named_it_lives_as_long_as_the_run():
    folder = falsify(Fake(), 2, workers=0).folder
    path = folder.path
    assert len(folder.done()) == 4
    del folder
    assert not path.exists()


def test_progress_counts_every_trace():
    calls = []
    falsify(Fake(seconds=0.02), 30, workers=2, progress=lambda *call: calls.append(call))
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert len(calls) >= 2
    last = calls[-1]
    assert last[:2] == (60, 60)
    assert [n for _, n in last[2].values()] == [30, 30]
    assert list(last[2]) == ["loose", "firm"]


def test_policies_are_chosen_by_name_and_keep_their_order():
    run = falsify(Fake(), 3, workers=0, policies=["firm", "loose"])
    assert run.particles["policy"].to_pylist() == ["firm"] * 3 + ["loose"] * 3


def test_more_particles_leave_the_first_as_they_are(here, tmp_path):
    falsify(Fake(), 10, seed=7, out=tmp_path / "run", workers=0)
    run = falsify(Fake(), 40, seed=7, out=tmp_path / "run", workers=0, resume=True)
    assert content(run.folder) == content(here.folder)
    assert run.folder.header["particles"] == 40
    assert run.folder.header["finished"] >= run.folder.header["started"]


def test_resume_of_a_finished_run_does_nothing(tmp_path):
    scenario = Fake(log=tmp_path / "log")
    first = falsify(scenario, 5, out=tmp_path / "run", workers=0)
    assert len(scenario.log.read_text().splitlines()) == 10
    again = falsify(scenario, 5, out=tmp_path / "run", workers=2, resume=True)
    assert len(scenario.log.read_text().splitlines()) == 10
    assert content(again.folder) == content(first.folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 8}, "resume: the run in {path} has seed 7, got 8"),
        ({"method": "sobol"}, "resume: the run in {path} has method 'random', got 'sobol'"),
        ({"policies": ["firm"]}, "resume: the run in {path} has policies ['loose', 'firm'], got ['firm']"),
        ({"scenario": Fake(name="other")}, "resume: the run in {path} has scenario 'fake', got 'other'"),
        ({"particles": 39}, "particles: the run in {path} is of 40, expected at least as many, got 39"),
    ],
)
def test_another_run_is_not_resumed(here, changes, said):
    arguments = {"scenario": Fake(), "particles": 40, "seed": 7, "workers": 0, **changes}
    before = content(here.folder)
    with pytest.raises(InputError, match=exact(said.format(path=here.folder.path))):
        falsify(**arguments, out=here.folder.path, resume=True)
    assert content(RunFolder.open(here.folder.path)) == before


def test_a_scenario_of_the_same_name_that_differs_is_not_resumed(here, monkeypatch):
    header = Fake().header()
    monkeypatch.setattr(Fake, "header", lambda _: {**header, "parameters": header["parameters"][:1]})
    said = f"resume: the run in {here.folder.path} was of another scenario: it differs in parameters"
    with pytest.raises(InputError, match=exact(said)):
        falsify(Fake(), 40, seed=7, out=here.folder.path, resume=True, workers=0)


def test_other_versions_are_not_resumed(tmp_path):
    folder = falsify(Fake(), 2, out=tmp_path / "run", workers=0).folder
    file = folder.path / "run.json"
    version = folder.header["versions"]["mujoco"]
    file.write_text(file.read_text().replace(f'"mujoco": "{version}"', '"mujoco": "3.9"'))
    said = (
        f"resume: the run in {folder.path} was begun with mujoco 3.9, this is {version}; results would not be those of"
    )
    with pytest.raises(InputError, match=exact(f"{said} one run")):
        falsify(Fake(), 4, out=tmp_path / "run", resume=True, workers=0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"scenario": 3}, "scenario: expected a Scenario, got int"),
        ({"particles": 0}, "particles: expected a whole number of at least 1, got 0"),
        ({"particles": 2.0}, "particles: expected a whole number of at least 1, got 2.0"),
        ({"seed": -1}, "seed: expected a whole number of at least 0, got -1"),
        ({"seed": True}, "seed: expected a whole number of at least 0, got True"),
        ({"method": "halton"}, "method: expected one of 'random', 'sobol', got 'halton'"),
        ({"workers": -1}, "workers: expected a whole number of at least 0, got -1"),
        ({"workers": 1, "cluster": "tcp://x"}, "workers, cluster: expected one of them, got both"),
        ({"resume": True}, "resume: expected out, the folder of the run to go on with, got none"),
        ({"stop": 0.05}, "stop: expected a Stop, such as Stop(width=0.05), got 0.05"),
        ({"limit": 0.0}, "limit: expected a number above 0, got 0"),
        ({"limit": float("nan")}, "limit: expected a finite number, got nan"),
        ({"policies": []}, "policies: expected one or more different names, got []"),
        ({"policies": ["firm", "firm"]}, "policies: expected one or more different names, got ['firm', 'firm']"),
        ({"policies": "firm"}, "policies: expected a list of names, got 'firm'"),
        ({"policies": 5}, "policies: expected a list of names, got 5"),
        ({"out": 5}, "out: expected a folder, got 5"),
        ({"out": "a\0b"}, "out: expected a folder, got 'a\\x00b'"),
        ({"progress": 3}, "progress: expected a function of (done, wanted, rates), got 3"),
        (
            {"policies": ["frim"]},
            "policies: no policy is called 'frim'; did you mean 'firm'? The choices are: loose, firm",
        ),
    ],
)
def test_wrong_arguments_are_named(arguments, said):
    with pytest.raises(InputError, match=exact(said)):
        falsify(**{"scenario": Fake(), **arguments})


def test_a_scenario_that_cannot_be_sent_is_refused_before_anything_starts():
    scenario = Fake(policies={"firm": lambda: 0})
    said = (
        "scenario: cannot be sent to another process: {}; functions of a scenario must stand at the top of a module, "
        "or use workers=0"
    )
    name = "test_a_scenario_that_cannot_be_sent_is_refused_before_anything_starts.<locals>.<lambda>"
    with pytest.raises(InputError, match=exact(said.format(f"AttributeError: Can't pickle local object '{name}'"))):
        falsify(scenario, 2, workers=1)
    assert falsify(scenario, 2, workers=0).rates()["firm"].n == 2


class Unfit(Fake):
    def prepare(self):
        raise RuntimeError("no such robot")


class Stillborn(Fake):
    def __setstate__(self, state):
        os._exit(3)


class Frail(Fake):
    def prepare(self):
        os._exit(3)


class Slow(Fake):
    def prepare(self):
        time.sleep(60.0)


def test_a_scenario_that_no_process_can_load_ends_the_run():
    said = (
        "workers: a process could not load the scenario: RuntimeError: no such robot. Functions of a scenario must "
        "stand at the top of a module that can be imported; or use workers=0"
    )
    with pytest.raises(EngineError, match=exact(said)):
        falsify(Unfit(), 2, workers=1)
    said = (
        "workers: a process ended before its first trace (exit code 3). A script that runs traces needs "
        'if __name__ == "__main__": around what it does; or use workers=0'
    )
    with pytest.raises(EngineError, match=exact(said)):
        falsify(Stillborn(), 2, workers=1)


def test_a_scenario_that_does_not_survive_its_preparation_is_run_without_it(here, monkeypatch):
    monkeypatch.setattr(engine_local, "PREPARING", 0.5)
    for kind in (Frail, Slow):
        assert content(falsify(kind(), 40, seed=7, workers=2).folder) == content(here.folder)


class Environment(Fake):
    def trace(self, policy, particle, seed=0, method="random", full=False):
        result = super().trace(policy, particle, seed, method, full)
        result.values["law"] = os.environ.get("OMP_NUM_THREADS", "none")
        return result


def test_workers_have_one_thread_each_and_our_environment_stays():
    before = dict(os.environ)
    run = falsify(Environment(), 2, workers=1)
    assert set(run.particles["p:law"].to_pylist()) == {"1"}
    assert dict(os.environ) == before
