"""`surefoot reproduce 004-figure-11`: an arm picks up a ball in two ways."""

import re

from tests.cli.test_reproduce import _cells


def test_direct_beats_indirect_on_the_same_particles(run, tmp_path):
    result = run("reproduce", "004-figure-11", "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    rows = _cells(result.output)
    assert [row[1] for row in rows] == 4 * ["direct", "indirect"]
    rates = [float(re.match(r"(\d+) %", row[2])[1]) for row in rows]
    assert all(direct > indirect for direct, indirect in zip(rates[::2], rates[1::2], strict=True))
    assert [row[3] for row in rows[:2]] == ["88 %", "63 %"]
    assert [row[8] for row in rows] == 7 * ["held"] + ["lost"]  # plain control cannot do the indirect way
    for row in rows:
        assert 0 <= int(row[7]) <= int(row[6]) <= 8
    assert "as modelled: direct held, indirect unknown failure (held)" in result.output
    assert "as modelled: known failure (no self-collision)" in result.output
    assert (tmp_path / "004-figure-11.png").stat().st_size > 10_000
