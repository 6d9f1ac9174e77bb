"""The dissertation's improved robots, by quick looks: three updates of each study."""

import re

import pytest


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("004-figure-39", ["automatic", "supervised"]),
        ("004-figure-45", ["initial large", "modified large"]),
        ("004-table-7", ["front hip length", "hind shank mass"]),
        ("004-table-9", ["front thigh length, cm", "limits hold up to, m/s"]),
    ],
)
def test_tables_and_figures(run, tmp_path, name, words):
    result = run("reproduce", name, "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    first = [line.split("│")[1].strip() for line in result.output.splitlines() if line.startswith("│")]
    assert [words[0], words[-1]] == [first[0], first[-1]]
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000


def test_large_start_crosses_its_motors_lines_and_updates_bring_it_nearer(run, tmp_path):
    result = run("reproduce", "004-figure-45", "--quick", "-o", tmp_path)
    before, after = (float(value) for value in re.findall(r"large +│ +([-+][\d.]+)", result.output))
    assert before < after
    assert before < -0.5
