"""Table V and figures 10 to 15 of [Greenfield2005]: what they claim holds in a quick run."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from surefoot.cli import reproduce as command

FIGURES = ("001-figure-10", "001-figure-11", "001-figure-12", "001-figure-13", "001-figure-14", "001-figure-15")
NAMES = ("001-table-5", *FIGURES)


def _flips():
    command.load(command.experiments()["001-figure-12"])
    from surefoot_experiments import flip

    return flip


@pytest.mark.parametrize("name", NAMES)
def test_every_line_has_the_same_columns_and_the_figure_is_there(quick, name):
    found = quick(name)
    assert len({tuple(row) for row in found.rows}) == 1
    assert found.figure.name == f"{name}.png"
    with Image.open(found.figure) as image:
        assert min(image.size) > 400


def test_all_modes_foresee_better_than_blind_on_both_surfaces(quick):
    rows = {(row["choice"], row["mu_t"]): row for row in quick("001-table-5").rows}
    assert (rows["the paper", "0.39"]["of blind's"], rows["the paper", "0.6"]["of blind's"]) == ("0.59", "0.58")
    for mu in ("0.39", "0.6"):
        row = rows["as chosen", mu]
        assert float(row["of blind's"]) < 0.8
        assert float(row["of blind's "]) < 0.65
        assert float(row["of blind's"]) == pytest.approx(float(row["all modes"]) / float(row["blind"]), abs=0.006)


def test_on_the_rough_surface_all_modes_are_up_first(quick):
    rows = {row["controller"]: row for row in quick("001-figure-15").rows}
    blind, new = rows["blind"], rows["all modes"]
    assert float(new["up after, ms"]) < 0.92 * float(blind["up after, ms"])
    assert float(new["knows of the stuck toe, ms"]) < float(blind["knows of the stuck toe, ms"]) - 20
    assert (blind["quicker"], new["the paper's"]) == ("", "8%")


def test_the_film_shows_both_flips(quick):
    path = quick("001-figure-15").figure.with_name("001-flip.webp")
    assert f"The film is {path}" in quick("001-figure-15").notes[-1]
    with Image.open(path) as image:
        assert image.n_frames > 20
        first = np.asarray(image.convert("RGB"), dtype=int)
        image.seek(image.n_frames - 1)
        assert np.abs(np.asarray(image.convert("RGB"), dtype=int) - first).max() > 100


def test_only_the_rear_toe_needs_a_large_threshold(quick):
    """The paper's first toe, 0.08 m/s."""
    rows = {row["contact"]: row for row in quick("001-figure-12").rows}
    seems = {name: float(row["seems to slide by, m/s"]) for name, row in rows.items()}
    assert 0.03 < seems["rear"] < 0.1
    assert max(seems["middle"], seems["front"]) < 0.015
    assert rows["rear"]["the paper's threshold"] == "0.08"


def _modes(found, who):
    return [row[f"{who}, ms"].split()[::2] for row in found.rows]


def test_the_rear_toe_slides_again_towards_the_end_and_only_all_modes_know(quick):
    for name in ("001-figure-10", "001-figure-13"):
        assert _modes(quick(name), "in the simulation")[1] == ["F", "R", "F", "R"]
    assert _modes(quick("001-figure-10"), "by the model")[1] == ["R", "F"]
    assert _modes(quick("001-figure-13"), "by the model")[1] == ["F", "R", "F", "R"]
    again = float(quick("001-figure-13").rows[1]["in the simulation, ms"].split()[5])
    assert 440 <= again <= 470  # "around t = 0.45s"


def test_on_the_rough_surface_blind_switches_only_after_the_body_halted(quick):
    simulated = quick("001-figure-11").rows
    body = simulated[0]["in the simulation, ms"].split()
    halted = float(body[body.index("F") - 1])
    switch = float(simulated[1]["by the model, ms"].split()[1])
    assert switch > halted
    rear = simulated[1]["in the simulation, ms"].split()
    assert switch > float(rear[3]) + 20.0  # where it stops sliding ahead


def test_modes_are_right_more_often_with_all_of_them(quick):
    for blind, new in (("001-figure-10", "001-figure-13"), ("001-figure-11", "001-figure-14")):
        rear = [float(quick(name).rows[1]["right"].removesuffix("%")) for name in (blind, new)]
        assert rear[1] > 90.0 > rear[0]


def test_an_error_of_the_prediction_is_what_its_formula_says():
    flip = _flips()
    run = flip.flip("blind", flip.SMOOTH, flip.QUICK)
    n = len(run.t)
    known = replace(run, predicted=np.full(n, 3.0), pitch_acceleration=np.ones(n), mean_square=np.full(n, 5.0))
    assert known.rmse == pytest.approx(math.sqrt(9.0 - 6.0 + 5.0))
    assert replace(run, up=False).time == math.inf
    assert run.time == pytest.approx(n * flip.QUICK.period)


def test_a_mode_of_the_plant_is_told_from_force_and_slip():
    flip = _flips()
    assert [flip.mode_of(*pair) for pair in ((0.0, 3.0), (1.0, 0.0009), (1.0, 0.002), (1.0, -0.002))] == list("SFRL")


def test_shares_of_right_modes_leave_out_legs_that_both_have_in_the_air():
    flip = _flips()
    run = flip.flip("blind", flip.SMOOTH, flip.QUICK)
    n = len(run.t)
    force, slips = np.zeros((n, 4, 2)), np.zeros((n, 4))
    force[: n // 2, :, 0] = 1.0  # fixed for the first half, then in the air
    assert replace(run, force=force, slips=slips, modes=n * ["FFSS"]).right(0) == pytest.approx(n // 2 / n)
    assert replace(run, force=force, slips=slips, modes=(n // 2) * ["FFSS"] + (n - n // 2) * ["SSSS"]).right(1) == 1.0


def test_the_blind_controllers_jump_is_tuned_between_before_and_after():
    flip = _flips()
    run = flip.flip("blind", flip.SMOOTH, flip.QUICK, math.inf)
    assert "F" not in {mode[1] for mode in run.modes}
    assert 0.0 < flip.tuned(flip.QUICK) < run.rises.max()


def test_a_flip_obeys_limits_and_friction():
    flip = _flips()
    for controller in flip.NAMES:
        run = flip.flip(controller, flip.ROUGH, flip.QUICK)
        assert run.up
        assert np.abs(run.torque).max() <= flip.QUICK.stall + 1e-6
        mu = np.array([flip.QUICK.body_friction, *3 * [flip.ROUGH]])
        assert np.all(np.abs(run.force[:, :, 1]) <= mu * run.force[:, :, 0] + 1e-9)
        assert np.all(run.force[:, :, 0] >= 0.0)
