"""`surefoot improve`."""

import json

import mujoco
import pytest

from surefoot.cli.designer import Designer
from surefoot.design.history import Step, Violation
from tests.design.test_study_file import STUDY

QUICK = ("--updates", 2, "--no-prove", "--speed", 0.1)


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_list(run):
    result = run("improve", "--list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == [
        "printed", "reconfigurable-small", "reconfigurable-large",
    ]  # fmt: skip


def test_automatic_run_writes_robot_log_and_page(run, study, tmp_path):
    out = tmp_path / "design"
    result = run("improve", study, "--auto", "--falsify", 2, *QUICK, "--out", out)
    assert result.exit_code == 0, result.output
    assert "update 1 at 0.1 m/s" in result.output
    mujoco.MjModel.from_xml_path(str(out / "robot.xml"))
    assert "<robot" in (out / "robot.urdf").read_text()
    steps = [json.loads(line) for line in (out / "steps.jsonl").read_text().splitlines()]
    assert steps[0]["violations"]
    assert "torque-speed" in (out / "report.html").read_text()
    assert "as built, after:" in result.output
    assert not (out / "answers.txt").exists()  # nobody was asked
    again = run("improve", study, "--auto", *QUICK, "--out", out)
    assert again.exit_code == 1
    assert again.stderr == f"error: out: {out} has a run already; resume it, or choose another folder\n"
    assert run("improve", study, "--auto", *QUICK, "--out", out, "--resume").exit_code == 0


def test_a_script_is_played_again(run, study, tmp_path):
    """What was answered once makes the same robot of the same start."""
    script = tmp_path / "answers.txt"
    script.write_text("scale 0.5  # gently\naccept\nquit\n")
    first = run("improve", study, "--script", script, *QUICK, "--out", tmp_path / "a")
    assert first.exit_code == 0, first.output
    assert "stopped by the designer" in first.output
    second = run("improve", study, "--script", tmp_path / "a" / "answers.txt", *QUICK, "--out", tmp_path / "b")
    assert second.exit_code == 0, second.output
    assert (tmp_path / "a" / "robot.xml").read_text() == (tmp_path / "b" / "robot.xml").read_text()


def test_a_designer_at_the_keyboard(run, study, tmp_path, monkeypatch):
    """An answer that cannot be understood is asked for again."""
    said = iter(["undo", "squash", "zero front thigh length", "quit"])
    monkeypatch.setattr("rich.prompt.Prompt.ask", lambda *args, **kwargs: next(said))
    result = run("improve", study, *QUICK, "--out", tmp_path / "c")
    assert result.exit_code == 0, result.output
    assert "answer 'undo': there is no update to take back" in result.output
    assert "answer 'squash': expected one of accept, scale, zero, symmetrise, motor, undo, quit" in result.output
    assert "stopped by the designer" in result.output
    assert next(said, None) is None


def test_end_of_input_quits(monkeypatch):
    from rich.console import Console

    def end(*args, **kwargs):
        raise EOFError

    monkeypatch.setattr("rich.prompt.Prompt.ask", end)
    step = Step(1, 0.1, {"a": 1.0}, 0.5, -0.1, (Violation("reach", -0.1, 0.01, 0.1),), {"a": 0.1})
    assert Designer(Console(), ("a",))(step) == "quit"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "ROBOT: expected a study, a bundled quadruped or a TOML file, got none. See --list"),
        (("printed", "--auto", "--script", "x"), "auto, script: expected one of them, got both"),
        (("printed", "--auto", "--robust", 1), "robust: expected 0 or at least 2 robots, got 1"),
        (("printed", "--auto", "--falsify", -1), "falsify: expected a whole number of at least 0, got -1"),
        (("printed", "--script", "nowhere.txt"), "script: 'nowhere.txt' cannot be read: No such file or directory"),
    ],
)
def test_errors(run, words, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("improve", *words)
    assert (result.exit_code, result.stderr) == (1, f"error: {text}\n")


def test_a_malformed_script_names_its_line(run, study, tmp_path):
    script = tmp_path / "bad.txt"
    script.write_text("accept\n\nscale twice\n")
    result = run("improve", study, "--script", script, "--out", tmp_path / "d")
    text = "script: line 3: answer 'scale twice': expected a number after 'scale', got 'twice'"
    assert (result.exit_code, result.stderr) == (1, f"error: {text}\n")
