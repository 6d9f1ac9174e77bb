import pytest
from typer.testing import CliRunner

from surefoot.cli import app


@pytest.fixture
def run(monkeypatch):
    """Run a command line on a wide screen; returns click's result."""
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])
