"""`surefoot reproduce 004-figure-19`: a walk becomes a trot at four moments."""

import re

from tests.cli.test_reproduce import _cells

MOMENTS = ["0 %", "25 %", "50 %", "75 %"]


def test_moments_of_the_change_beside_the_papers(run, tmp_path):
    result = run("reproduce", "004-figure-19", "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    rows = _cells(result.output)
    assert [row[1] for row in rows] == [*MOMENTS, "0 %", "25 %", "33 %", "50 %", "75 %"]
    assert [row[2] for row in rows[4:]] == ["1.200", "1.275", "1.000", "1.050", "1.125"]
    assert [row[4] for row in rows[:4]] == ["0 of 4", "0 of 4", "0 of 4", "4 of 4"]
    assert all(re.match(r"[012] of [12], ", row[3]) for row in rows)
    leans = {row[1]: float(row[8]) for row in rows[4:]}
    assert leans["33 %"] > 1.5 * max(leans[moment] for moment in MOMENTS)  # degrees: a foot stays in mid-air
    assert (tmp_path / "004-figure-19.png").stat().st_size > 10_000
