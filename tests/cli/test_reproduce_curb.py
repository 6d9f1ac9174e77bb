"""`surefoot reproduce 004-figure-16` and `004-figure-17`: a quadruped turns into a curb."""

import re

import numpy as np
import pytest

from surefoot.cli import reproduce as command
from tests.cli.test_reproduce import _cells

STEPS = ["1 cm", "2 cm", "3 cm", "4 cm"]


@pytest.fixture(scope="module")
def study():
    """What both experiments share."""
    return command.load(command.experiments()["004-figure-16"].with_name("curb_study.py"))


def _rows(output):
    """Lines of the table, those of a cell joined."""
    rows = []
    for cells in _cells(output):
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [f"{one} {more}".strip() for one, more in zip(rows[-1], cells, strict=True)]
    return rows


def test_high_steps_get_over_and_low_ones_do_not(run, tmp_path):
    result = run("reproduce", "004-figure-16", "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    rows = _rows(result.output)
    assert [row[:2] for row in rows] == [
        *(["as bundled", steps] for steps in STEPS),
        *(["curb exactly 3 cm", steps] for steps in STEPS[2:]),
        *(["no strike allowed", steps] for steps in STEPS),
    ]
    over = [int(re.match(r"(\d) of 3: ", row[2])[1]) for row in rows]
    assert over[:2] == [0, 0]
    assert over[3] == over[5] == 3
    assert over[6:] == 4 * [0]  # feet brush the curb, however high they are lifted
    assert [row[5] for row in rows[6:]] == 4 * ["no strike 3"]
    assert rows[3][6] == "4.0 of 4"  # all feet of all robots that got over
    assert float(rows[0][6].split()[0]) < 2.0
    assert "Here 12 of 12 traces touch the curb" in result.output
    assert "springs of 2600 N/m with 30 N s/m under a robot of 3.8 kg" in result.output
    assert (tmp_path / "004-figure-16.png").stat().st_size > 50_000


def test_who_is_over_the_curb_turns_and_the_graze_is_found_to_a_micrometre(run, tmp_path):
    result = run("reproduce", "004-figure-17", "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    rows = {row[0]: row[1:4] for row in _rows(result.output)}
    over = [int(cell.split()[0]) for cell in rows["over the curb"]]
    assert over[0] == 0
    assert 3 <= over[1] <= over[2]
    assert over[2] >= 10
    low, _, high = (float(cell.split()[0]) for cell in rows["their final yaw, degrees"])
    assert high < low - 30.0  # to the right
    assert rows["of those over the curb"][0] == "-"
    below, above = map(float, rows["bracket, mm"][1].split(" to "))
    assert 0.0 < above - below <= 1.01e-3  # of rounded ends
    assert below <= float(rows["graze of ground.height, mm"][1].split()[0]) <= above + 1e-4
    sides = rows["below against above it"][1].split(" against ")
    assert sides[0] != sides[1]
    assert "success" in sides
    assert (tmp_path / "004-figure-17.png").stat().st_size > 20_000


def test_the_scenario_without_the_ruler_and_without_strikes(study):
    bundled, exact, strict = study.curb(), study.curb(ruler=False), study.curb(strikes=False)
    assert set(bundled.uncertainty) - set(exact.uncertainty) == {"ground.height"}
    assert exact.values(5) == {name: x for name, x in bundled.values(5).items() if name != "ground.height"}
    names = [witness.name for witness in bundled.requirements]
    assert [witness.name for witness in strict.requirements] == [*names, "no strike"]


def test_feet_over_counts_those_beyond_the_curb(study):
    scenario = study.curb()
    q = scenario.nominal().home().q.copy()
    assert study.feet_over(scenario, q) == 0
    q[1] -= 0.2  # the base above the curb: the right feet are beyond it
    assert study.feet_over(scenario, q) == 2
    q[1] -= 0.5
    assert study.feet_over(scenario, q) == 4


def test_yaw_does_not_jump_by_a_turn(study):
    angle = np.linspace(0.0, -400.0, 50)
    half = np.radians(angle) / 2
    q = np.zeros((50, 19))
    q[:, 3], q[:, 6] = np.cos(half), np.sin(half)
    np.testing.assert_allclose(study.yaw(q), angle, atol=1e-9)
