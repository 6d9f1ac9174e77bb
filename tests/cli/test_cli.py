"""The command line as a whole: help, version, start-up, errors."""

import subprocess
import sys
from importlib.metadata import version

import pytest
import typer

from surefoot.cli.console import Commands
from surefoot.errors import InputError


def test_version(run):
    result = run("--version")
    assert (result.exit_code, result.output) == (0, f"surefoot {version('surefoot')}\n")


def test_help_lists_the_commands_and_an_example(run):
    output = run("--help").output
    for command in ("robots", "show", "drop", "doctor"):
        assert command in output
    assert "surefoot drop links --mu 0.7 --plot drop.png --video drop.webp" in output


@pytest.mark.parametrize("command", ["robots", "show", "drop", "doctor"])
def test_each_command_has_help(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Usage: surefoot" in result.output


@pytest.mark.parametrize("command", ["show", "drop"])
def test_help_teaches_by_example(run, command):
    assert f"surefoot {command} links" in run(command, "--help").output


def test_no_command_shows_help(run):
    assert "Usage: surefoot" in run().output


def test_unknown_command(run):
    result = run("fly")
    assert result.exit_code == 2
    assert "No such command 'fly'" in result.output


def test_an_error_is_one_line_without_a_traceback(run):
    app = typer.Typer(cls=Commands)

    @app.command()
    def fails() -> None:
        raise InputError("mu: expected [bold] a number, got 'x'")

    @app.callback()
    def callback() -> None:
        pass

    from typer.testing import CliRunner

    result = CliRunner().invoke(app, ["fails"])
    assert result.exit_code == 1
    assert result.stderr == "error: mu: expected [bold] a number, got 'x'\n"
    assert result.stdout == ""


def test_a_bug_is_not_hidden():
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False)

    @app.command()
    def breaks() -> None:
        raise ZeroDivisionError("ours")

    @app.callback()
    def callback() -> None:
        pass

    from typer.testing import CliRunner

    assert isinstance(CliRunner().invoke(app, ["breaks"]).exception, ZeroDivisionError)


def test_help_loads_no_heavy_library():
    code = (
        "import sys\n"
        "from surefoot.cli import app\n"
        "heavy = {'numba', 'mujoco', 'numpy', 'matplotlib', 'scipy', 'PIL'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert child.stdout == "[]\n"


def test_the_installed_script_starts():
    child = subprocess.run(
        [sys.executable, "-c", "from surefoot.cli import main; main()", "--version"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (child.returncode, child.stderr) == (0, "")
