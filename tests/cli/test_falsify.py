import html

import pytest

from surefoot.errors import EngineError
from surefoot.traces import RunFolder, load_scenario
from surefoot.traces.scenario_file import SCENARIOS, text
from tests.cli.test_cli_drop import _rows
from tests.traces.mcap_reader import read
from tests.traces.scenario_texts import SMALL, changed, folder, write


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in, with a small scenario."""
    monkeypatch.chdir(tmp_path)
    write(folder(tmp_path), SMALL)
    return tmp_path


@pytest.fixture
def small(run, place):
    """Run the small scenario in this process, without a page."""
    here = ("--workers", 0)
    return lambda *words: run("falsify", "made.toml", *(() if "--adaptive" in words else here), "--no-report", *words)


def told(result):
    """The one line of a command that failed."""
    assert result.exit_code == 1, result.output
    assert result.stdout.strip() == "", result.stdout  # a bar that has gone
    line = result.stderr
    assert line.startswith("error: ")
    assert line.count("\n") == 1
    return line.removeprefix("error: ").removesuffix("\n")


def test_help_teaches(run):
    result = run("falsify", "--help")
    assert result.exit_code == 0
    for words in (
        "surefoot falsify --list", "surefoot falsify curb", "--replay 7", "--show > my_scenario.toml", "--resume",
        "--adaptive", "--particles", "number 0 is the robot as modelled", "TOML",
    ):  # fmt: skip
        assert words in result.output, words


def test_list_names_every_bundled_scenario_with_its_title(run):
    result = run("falsify", "--list")
    assert result.exit_code == 0
    for name in SCENARIOS:
        assert name in result.output
        assert load_scenario(name).title[:40] in result.output


@pytest.mark.parametrize("name", SCENARIOS)
def test_show_prints_the_file(run, name, tmp_path):
    shown = run("falsify", name, "--show")
    assert shown.exit_code == 0
    assert shown.stdout == text(name)


def test_show_prints_a_file_that_is_wrong_too(run, place):
    write(place, "robot = 3\n", "wrong.toml")
    assert run("falsify", "wrong.toml", "--show").stdout == "robot = 3\n"


def test_show_of_what_cannot_be_read(run, place):
    assert told(run("falsify", "none.toml", "--show")) == "none.toml: cannot be read: No such file or directory"
    assert told(run("falsify", place, "--show")) == f"{place}: expected a TOML file, got a folder"
    write(place, b"\xff", "bytes.toml")
    assert told(run("falsify", "bytes.toml", "--show")).startswith("bytes.toml: not readable as text: 'utf-8' codec")


def test_scenarios_that_are_not_there(run):
    names = ", ".join(SCENARIOS)
    assert told(run("falsify")) == (
        f"SCENARIO: expected a bundled name or a TOML file, got none. The bundled ones are: {names}"
    )
    assert told(run("falsify", "crub")) == (
        f"scenario: no file or bundled scenario is called 'crub'; did you mean 'curb'? The choices are: {names}"
    )
    assert told(run("falsify", "crub.toml")) == "crub.toml: cannot be read: No such file or directory"


def test_an_error_in_the_file_is_one_line(run, place):
    write(place, changed(SMALL, duration="long"), "wrong.toml")
    assert told(run("falsify", "wrong.toml")) == "wrong.toml: duration: expected a finite number, got 'long'"
    assert not (place / "runs").exists()


def test_a_run_tells_and_keeps_what_comes_of_it(small, place):
    result = small()
    assert result.exit_code == 0, result.output
    assert "hold" in result.output
    assert "limp" in result.output
    assert "2 of 2 traces succeed" in result.output
    kept = RunFolder.open(place / "runs" / "made")
    assert kept.header["particles"] == 2  # as the file says
    assert kept.header["source"] == SMALL
    assert kept.particles().num_rows == 4


def test_options_reach_the_run(small, place):
    result = small("-n", 3, "--seed", 5, "--sobol", "--policy", "limp", "--out", "elsewhere", "--limit", 50)
    assert result.exit_code == 0, result.output
    header = RunFolder.open(place / "elsewhere").header
    wanted = {"particles": 3, "seed": 5, "method": "sobol", "policies": ["limp"]}
    assert {key: header[key] for key in wanted} == wanted


def test_a_run_that_is_there_is_not_written_over_but_resumed(small, place):
    assert small().exit_code == 0
    folder = "runs/made"
    assert told(small()) == f"out: {folder} holds a run already; resume it, or name another folder"
    result = small("--resume", "-n", 3)
    assert result.exit_code == 0, result.output
    assert RunFolder.open(place / folder).particles().num_rows == 6
    assert told(small("--resume", "-n", 3, "--seed", 1)) == f"resume: the run in {folder} has seed 0, got 1"
    assert told(small("--resume", "-n", 2)) == (
        f"particles: the run in {folder} is of 3, expected at least as many, got 2"
    )
    assert small("--resume").exit_code == 0  # as many as it was begun with, though the file proposes 2
    assert RunFolder.open(place / folder).particles().num_rows == 6
    write(place, changed(SMALL, duration=0.06))
    assert told(small("--resume", "-n", 3)) == (
        f"resume: the run in {folder} was of another scenario: it differs in source"
    )
    write(place, SMALL, "other.toml")
    assert told(small("--resume", "--out", "nothing")).startswith("nothing: ")


def test_another_scenario_is_not_resumed(run, small, place):
    assert small().exit_code == 0
    write(place, SMALL, "other.toml")
    result = run("falsify", "other.toml", "--workers", 0, "--no-report", "--resume", "--out", "runs/made")
    assert told(result) == "resume: the run in runs/made has scenario 'made', got 'other'"


def test_folders_that_cannot_be_used(small, place):
    (place / "full").mkdir()
    (place / "full" / "mine.txt").write_text("")
    (place / "file").write_text("")
    assert told(small("--out", "full")) == "out: full holds other files; name an empty folder or a new one"
    assert told(small("--out", "file")) == "out: file cannot be made: File exists"
    assert told(small("--out", "file/deeper")) == "out: file/deeper cannot be made: Not a directory"
    assert told(small("--replay", 1, "--policy", "hold", "--out", "file")) == "--out: file cannot be made: File exists"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-n", 0], "particles: expected a whole number of at least 1, got 0"),
        (["-n", 10**9], "particles: expected a number of at most 1e+07, got 1e+09"),
        (["--seed", -1], "seed: expected a whole number of at least 0, got -1"),
        (["--policy", "hop"], "policies: no policy is called 'hop'; The choices are: hold, limp"),
        (["-p", "hold", "-p", "hold"], "policies: expected one or more different names, got ['hold', 'hold']"),
        (["--limit", "nan"], "limit: expected a finite number, got nan"),
        (["--cluster", "tcp://localhost:1"], "workers, cluster: expected one of them, got both"),
        (["--replay", 1, "--adaptive", 9], "--replay, --adaptive: expected one of them, got both"),
        (["--replay", 1], "--policy: expected the one policy to replay, got none. The choices are: hold, limp"),
        (
            ["--replay", 1, "-p", "hold", "-p", "limp"],
            "--policy: expected the one policy to replay, got 2. The choices are: hold, limp",
        ),
        (["--replay", 1, "-p", "hop"], "policy: no policy is called 'hop'; The choices are: hold, limp"),
        (["--mcap", "x.mcap"], "--mcap: expected with --replay, which says whose trace to write"),
        (
            ["--replay", 1, "-p", "hold", "--mcap", "x.txt"],
            "--mcap: expected a file name ending in .mcap, got 'x.txt'",
        ),
        (["--replay", 1, "-p", "hold", "--mcap", "no/x.mcap"], "--mcap: the folder 'no' does not exist"),
        (["--replay", -1, "-p", "hold"], "particle: expected a whole number of at least 0, got -1"),
        (
            ["--replay", 1, "-p", "hold", "-n", 5, "--resume"],
            "--particles, --resume: expected without --replay, which takes no run of particles",
        ),
        (
            ["--adaptive", 5, "-n", 0, "--stop-width", 0.1, "-o", "x", "--sobol", "--graze"],
            "--particles, --stop-width, --graze, --out, --sobol: expected without --adaptive, "
            "which takes no run of particles",
        ),
        (
            ["--adaptive", 5, "--workers", 2],
            "--workers: expected without --adaptive, which traces one by one, in this process",
        ),
        (["--adaptive", 0], "most: expected a whole number of at least 1, got 0"),
        (["--adaptive", 5, "-p", "hop"], "policy: no policy is called 'hop'; The choices are: hold, limp"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(small, place, words, line):
    assert told(small(*words)) == line
    assert not (place / "runs").exists()


@pytest.mark.parametrize("width", [-1, 0, "nan"])
def test_a_width_that_is_none(small, width):
    assert told(small("--stop-width", width)).startswith("stop.width: expected ")


def test_adaptive_searches_every_policy(small):
    result = small("--adaptive", 8)
    assert result.exit_code == 0, result.output
    for name in ("hold", "limp"):
        assert f"made, {name}: 8 traces" in result.output
    assert result.output.count("0 of 8 traces") == 2


def test_grazes_are_told_and_shown_on_the_page(run, place):
    """The small scenario with a planted failure: it must start before x = 2 mm."""
    (place / "line.py").write_text("def before(span):\n    return 2e-3 - span.q[:, 0] + (span.t > 0.0)\n")
    table = '[[requirements]]\nkind = "python"\nfunction = "line.py:before"\n'
    file = place / "made.toml"
    head, uncertain = file.read_text().split("[uncertainty]")
    file.write_text(f'{head}{table}[uncertainty]\n"start.x" = {{normal = 0.01}}{uncertain}')
    result = run("falsify", "made.toml", "--workers", 0, "-n", 24, "-p", "limp", "--graze", "--no-pictures")
    assert result.exit_code == 0, result.output
    [line] = [line.strip() for line in result.output.splitlines() if "grazes at" in line]
    assert line.startswith("limp: behaviour splits (")
    value = float(line.split("start.x grazes at ")[1].split()[0])
    assert value == pytest.approx(2e-3, abs=1e-6)
    assert "below success, above known failure (before); direction: start.x " in line
    page = (place / "runs" / "made" / "report.html").read_text()
    assert "<h3>Grazes</h3>" in page
    assert line in html.unescape(page)
    calm = run("falsify", "made.toml", "--workers", 0, "-n", 1, "-p", "limp", "--graze", "--no-report", "-o", "one")
    assert "limp: no graze: its traces behave alike, or no parameter alone changes them" in calm.output


def test_replay_tells_what_became_of_a_particle(small, place, monkeypatch):
    drawn = []
    monkeypatch.setattr("surefoot.report.animation.animate", lambda trace, file, **_: drawn.append((len(trace), file)))
    result = small("--replay", 1, "--policy", "hold", "--out", "pictures")
    assert result.exit_code == 0, result.output
    rows = _rows(result.output)
    assert list(rows) == ["outcome", "ends at", "margins", "farthest out", "strikes"]
    expected = load_scenario("made.toml").trace("hold", 1)
    assert rows["outcome"] == expected.outcome == "success"
    assert rows["ends at"] == "0.0500 s"
    assert "upright: " in rows["margins"]
    [(steps, file)] = drawn
    assert steps == 50
    assert str(file) == "pictures/made-hold-1.webp"


def test_replay_writes_the_trace_for_a_log_viewer(small, place, monkeypatch):
    result = small("--replay", 1, "--policy", "hold", "--mcap", "trace.mcap", "--no-pictures")
    assert result.exit_code == 0, result.output
    assert "Wrote trace.mcap" in result.output
    assert not list(place.rglob("*.webp"))
    messages, _, metadata = read(place / "trace.mcap")
    trace = load_scenario("made.toml").replay("hold", 1)
    assert [data["q2"] for _, data in messages["/q"]] == trace.q[:, 2].tolist()  # every step
    assert (metadata["trace"]["policy"], metadata["trace"]["particle"]) == ("hold", "1")
    again = small("--replay", 1, "--policy", "hold", "--mcap", "again.mcap", "--no-pictures", "--seed", 1)
    assert again.exit_code == 0, again.output
    assert read(place / "again.mcap")[2]["trace"]["seed"] == "1"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    line = told(small("--replay", 1, "--policy", "hold", "--mcap", "third.mcap"))
    assert line == "--mcap: needs the MCAP library; pip install 'surefoot[mcap]'"


def test_replay_of_the_particle_as_modelled(small, monkeypatch):
    def no_renderer(*_, **__):
        raise EngineError("no renderer [/here]")

    monkeypatch.setattr("surefoot.report.animation.animate", no_renderer)
    result = small("--replay", 0, "--policy", "limp")
    assert result.exit_code == 0, result.output
    assert _rows(result.output)["farthest out"] == "as modelled"
    assert "no animation: no renderer [/here]" in result.output


def test_replay_of_a_trace_that_breaks_tells_why(run, place):
    table = {"start.z": {"constant": 0.1}, "ground.mu": {"uniform": [-2.0, -1.0]}}
    write(place, changed(SMALL, uncertainty=table), "breaks.toml")
    result = run("falsify", "breaks.toml", "--replay", 1, "--policy", "hold")
    assert result.exit_code == 0, result.output
    assert "broken" in result.output
    assert "InputError: ground: Plane.mu: expected a friction coefficient of at least 0" in result.output
    assert "no animation: ground: Plane.mu: " in result.output


def test_names_that_look_like_markup(run, place):
    policies = {"[/red] [bold]a/b": {"kind": "stand"}}
    write(place, changed(SMALL, policies=policies, title="[/oops]"), "[x].toml")
    words = ("falsify", "[x].toml", "--no-report")
    result = run(*words, "--workers", 0)
    assert result.exit_code == 0, result.output
    assert "[/red] [bold]a/b" in result.output
    assert "[/oops]" in result.output
    assert run(*words, "--adaptive", 2).exit_code == 0


def test_a_policy_that_raises_is_told_in_a_line(run, place):
    (place / "loud.py").write_text("def shouts(scene, dt):\n    return lambda state: 1 / 0\n")
    policies = {"loud": {"kind": "python", "function": "loud.py:shouts"}}
    write(place, changed(SMALL, policies=policies), "loud.toml")
    result = run("falsify", "loud.toml", "--workers", 0, "--no-report")
    assert result.exit_code == 0, result.output
    line = "loud: 2 of 2 traces gave no answer; particle 0: ZeroDivisionError: division by zero"
    assert line in result.output
    result = run("falsify", "loud.toml", "--replay", 1)
    assert result.exit_code == 0, result.output
    assert "broken  ZeroDivisionError: division by zero" in result.output
    assert "no animation: ZeroDivisionError: division by zero" in result.output


def test_ctrl_c_says_how_to_go_on(small, place, monkeypatch):
    from surefoot.traces.scenario import Scenario

    whole = Scenario.trace
    count = []

    def interrupted(self, *given, **named):
        count.append(1)
        if len(count) == 3:
            raise KeyboardInterrupt
        return whole(self, *given, **named)

    monkeypatch.setattr(Scenario, "trace", interrupted)
    line = told(small())
    assert line == "stopped: 2 of 4 traces are finished; go on with --out runs/made --resume"
    assert RunFolder.open(place / "runs" / "made").particles().num_rows == 2
    result = small("--resume")
    assert result.exit_code == 0, result.output
    assert RunFolder.open(place / "runs" / "made").particles().num_rows == 4
