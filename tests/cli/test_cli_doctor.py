import pytest

from surefoot.report import health
from surefoot.report.health import Fact


@pytest.fixture
def facts(monkeypatch):
    """Let the doctor find what a test wants."""
    return lambda *found: monkeypatch.setattr(health, "examine", lambda: list(found))


def test_a_real_examination(run):
    result = run("doctor")
    assert result.exit_code == 0, result.output
    for name in ("python", "surefoot", "mujoco", "numba", "struct layout", "renderer", "kernel cache", "extra robots"):
        assert name in result.output
    assert "Surefoot is ready." in result.output


def test_what_is_merely_missing_is_no_fault(run, facts):
    facts(Fact("python", True, "3.12"), Fact("renderer", None, "none [here]"))
    result = run("doctor")
    assert result.exit_code == 0
    assert [line.split() for line in result.output.splitlines() if line][:2] == [
        ["ok", "python", "3.12"],
        ["--", "renderer", "none", "[here]"],
    ]


def test_what_must_be_mended_ends_in_code_1(run, facts):
    facts(Fact("struct layout", False, "kernels would misread MuJoCo"), Fact("python", True, "3.12"))
    result = run("doctor")
    assert result.exit_code == 1
    assert "To mend: struct layout" in result.output
