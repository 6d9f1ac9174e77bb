import pytest
from typer.testing import CliRunner

from surefoot.cli import app
from surefoot.cli import reproduce as command


@pytest.fixture
def run(monkeypatch):
    """Run a command line on a wide screen; returns click's result."""
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Quick runs by name, each made once."""
    made = {}

    def run(name):
        if name not in made:
            told = []
            experiment = command.load(command.experiments()[name])
            found = experiment.reproduce(
                tmp_path_factory.mktemp(name), quick=True, progress=lambda *now: told.append(now)
            )
            assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))
            made[name] = found
        return made[name]

    return run
