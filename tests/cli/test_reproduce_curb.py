"""`surefoot reproduce 004-figure-16` and `004-figure-17`: a quadruped turns into a curb."""

import pytest

from surefoot.cli import reproduce as command


@pytest.fixture(scope="module")
def study():
    file = command.experiments()["004-figure-16"]
    command.load(file)
    return command.load(file.with_name("curb_study.py"))


def test_high_steps_get_over_low_ones_do_not(run, tmp_path):
    result = run("reproduce", "004-figure-16", "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    print(result.output)
    assert (tmp_path / "004-figure-16.png").stat().st_size > 50_000


def test_the_yaw_and_the_graze(run, tmp_path):
    result = run("reproduce", "004-figure-17", "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    print(result.output)
    assert (tmp_path / "004-figure-17.png").stat().st_size > 20_000
