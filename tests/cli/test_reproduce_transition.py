"""`surefoot reproduce 004-figure-19`: a walk becomes a trot at four moments."""

import re

from tests.cli.test_reproduce import _cells


def test_moments_of_the_change_beside_the_papers(run, tmp_path):
    result = run("reproduce", "004-figure-19", "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    rows = _cells(result.output)
    assert [row[1] for row in rows] == ["0 %", "25 %", "33 %", "50 %", "75 %", "33 %", "75 %"]
    assert [row[2] for row in rows[:5]] == ["1.200", "1.275", "1.000", "1.050", "1.125"]
    assert [row[4] for row in rows[:5]] == ["0 of 4", "0 of 4", "-", "0 of 4", "4 of 4"]
    assert all(re.match(r"[012] of [12], ", row[3]) for row in rows)
    aloft, down = (float(row[9]) for row in rows[5:])
    assert aloft > 1.5 * down  # degrees soon after the change: a foot stays in mid-air
    assert (tmp_path / "004-figure-19.png").stat().st_size > 10_000
