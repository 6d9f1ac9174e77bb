import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.design import GaitTask, Morphology, Problem, Row, jacobian
from surefoot.design.jacobian import SMOOTH, STEP, Crew
from surefoot.design.rows import choose_rows
from surefoot.errors import InputError
from surefoot.traces import TorqueSpeed
from tests.design import small

MOTOR = 5.0  # N m


def armed(*witnesses, low=0.2, high=0.4):
    """Two links that hold their tip still; the length of the first and the mass of the second may change."""
    morphology = Morphology(small.arm(), [small.upper(low, high), small.lower_mass()])
    return Problem(morphology, small.resting(), witnesses=witnesses)


def slopes(problem, p, rows=((2, 0),), crew=None):
    look = problem.look(p, 1.0)
    return jacobian(problem, look, [Row(*row, 0) for row in rows], crew)


def elbow_slope(length, h=1e-6):
    return (small.elbow_angle(length + h) - small.elbow_angle(length - h)) / (2 * h)


# Known answers


@pytest.mark.parametrize("length", [0.2, 0.26, 0.3, 0.4])
def test_of_an_analytic_function_also_at_the_bounds(length):
    found = slopes(armed(small.wave), [length, 0.5])
    assert found.matrix[0] == pytest.approx([9.0 * np.cos(9.0 * length), 0.0], rel=1e-6, abs=1e-9)
    assert found.rough(["wave"]) == ()


@pytest.mark.parametrize("length", [0.2, 0.3, 0.4])
def test_of_inverse_kinematics_by_the_law_of_cosines(length):
    found = slopes(armed(small.elbow), [length, 0.5])
    assert found.matrix[0] == pytest.approx([elbow_slope(length), 0.0], rel=1e-5, abs=1e-6)
    assert found.disagreement[0] <= SMOOTH


def test_of_torques_by_the_lever_of_a_mass():
    """Mass m at x from the shoulder takes m g x of its torque: the slope is -g x / torque_max."""
    problem = armed(TorqueSpeed(MOTOR, 10.0))
    look = problem.look([0.3, 0.6], 1.0)
    rehearsal = look.rehearsals[0]
    model = rehearsal.scene.model
    q, lower = rehearsal.q[0], model.body("lower")
    fold = q[0] + q[1] + 1.2
    reach = 0.3 * np.cos(q[0])
    levers = [reach + lower.ipos[0] * np.cos(fold), lower.ipos[0] * np.cos(fold)]
    found = jacobian(problem, look, [Row(0, 0, 0), Row(0, 1, 0)])
    signs = np.sign(rehearsal.torque[0]) * -1.0  # gravity pulls joints about y the positive way
    wanted = -small.GRAVITY * np.array(levers) * signs / MOTOR
    assert found.matrix[:, 1] == pytest.approx(wanted, rel=1e-6)


def test_rows_of_many_samples_and_witnesses():
    found = slopes(armed(small.wave, small.elbow), [0.3, 0.5], [(0, 0), (7, 0), (3, 1)])
    assert found.matrix[:2, 0] == pytest.approx([9.0 * np.cos(2.7)] * 2, rel=1e-6)
    assert found.matrix[2, 0] == pytest.approx(elbow_slope(0.3), rel=1e-5)
    assert found.rows == (Row(0, 0, 0), Row(7, 0, 0), Row(3, 1, 0))


# Properties


@given(st.floats(0.2, 0.4))
@settings(max_examples=20)
def test_smooth_anywhere_within_the_bounds(length):
    found = slopes(armed(small.wave, small.elbow), [length, 0.5], [(0, 0), (0, 1)])
    assert found.matrix[:, 0] == pytest.approx([9.0 * np.cos(9.0 * length), elbow_slope(length)], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("speed", [0.1, 0.4])
def test_two_step_sizes_agree_on_a_trot(speed, monkeypatch):
    """All rows that an update looks at, to 1e-4 of the largest slope, or they are named as rough."""
    problem = small.trotting()
    look = problem.look([0.09, 0.11], speed)
    rows = choose_rows(look, 0.0, "all")
    found = jacobian(problem, look, rows)
    monkeypatch.setattr(sys.modules["surefoot.design.jacobian"], "STEP", STEP / 3)
    other = jacobian(problem, look, rows)
    scale = np.abs(found.matrix).max(axis=1)
    rough = found.rough(look.names) + other.rough(look.names)
    smooth = [k for k, row in enumerate(rows) if look.names[row.witness] not in rough]
    assert len(smooth) >= 0.8 * len(rows)
    assert (np.abs(found.matrix - other.matrix).max(axis=1)[smooth] <= 1e-4 * scale[smooth] + 1e-9).all()


def test_slopes_predict_a_step():
    problem = small.trotting()
    p, move = np.array([0.09, 0.11]), np.array([2e-4, -1e-4])
    look = problem.look(p, 0.2)
    rows = [Row(3, k, 0) for k in range(5, 17)]  # where no foot changes the way it slips
    found = jacobian(problem, look, rows)
    then = problem.look(p + move, 0.2)
    change = [then.values[row.sample, row.witness] - look.values[row.sample, row.witness] for row in rows]
    assert found.matrix @ move == pytest.approx(change, abs=2e-2 * np.abs(change).max())


# Edge cases


def test_a_kink_is_named():
    """A bend between the finer and the coarser step."""
    bend = 0.3 + 0.6 * STEP * 0.2

    def kinked(span):
        return np.full(len(span), max(0.0, small.upper_length(span) - bend)) - 1.0

    found = slopes(armed(small.wave, kinked), [0.3, 0.5], [(0, 0), (0, 1)])
    assert found.rough(["wave", "kinked"]) == ("kinked",)


def test_a_jump_is_named():
    def jumps(span):
        return np.full(len(span), float(small.upper_length(span) > 0.3))

    assert slopes(armed(jumps), [0.3, 0.5]).rough(["jumps"]) == ("jumps",)


def test_a_constant_is_flat_and_smooth():
    found = slopes(armed(lambda span: np.full(len(span), -1.0)), [0.3, 0.5])
    assert not found.matrix.any()
    assert found.rough(["constant"]) == ()


def test_no_rows_and_no_parameters():
    problem = armed(small.wave)
    assert jacobian(problem, problem.look([0.3, 0.5], 1.0), []).matrix.shape == (0, 2)
    bare = Problem(Morphology(small.arm(), []), small.resting(), witnesses=[small.wave])
    assert jacobian(bare, bare.look([], 1.0), [Row(0, 0, 0)]).matrix.shape == (1, 0)


def test_where_a_neighbour_is_out_of_reach_slopes_are_numbers():
    """The tip is at 0.364 m: with 0.114 m of upper link it is just in reach."""
    problem = armed(small.wave, TorqueSpeed(MOTOR), low=0.05, high=0.4)
    look = problem.look([0.115, 0.5], 1.0)
    assert np.isfinite(jacobian(problem, look, [Row(0, k, 0) for k in range(3)]).matrix).all()


def test_a_window_that_is_out_of_reach_in_part_has_slopes():
    problem = small.trotting(width=3, task=GaitTask(small.TROT, height=0.19, dt=2e-2))
    look = problem.look([0.077, 0.077], 0.3)
    rows = choose_rows(look, 0.0, "all")
    assert np.isfinite(jacobian(problem, look, rows).matrix).all()


# A crew


def test_a_crew_gives_the_same_bits():
    problem = armed(small.wave, small.elbow, TorqueSpeed(MOTOR, 9.0))
    rows = [(0, 0), (3, 1), (5, 2), (5, 3)]
    alone = slopes(problem, [0.3, 0.5], rows)
    with Crew(2) as crew:
        together = slopes(problem, [0.3, 0.5], rows, crew)
        again = slopes(problem, [0.31, 0.5], rows, crew)
        assert crew.workers == 2
    assert (alone.matrix == together.matrix).all()
    assert (alone.disagreement == together.disagreement).all()
    assert (again.matrix == slopes(problem, [0.31, 0.5], rows).matrix).all()


def test_a_worker_that_dies_costs_nothing():
    with Crew(2) as crew:
        found = slopes(armed(small.mortal), [0.3, 0.5], crew=crew)
        assert crew.workers == 1
    assert (found.matrix == slopes(armed(small.wave), [0.3, 0.5]).matrix).all()


def test_what_was_done_before_a_worker_died_is_kept():
    with Crew(2) as crew:
        assert [found.tolist() for found in crew.map(small.squared, [(k,) for k in range(6)])] == [
            [k * k] for k in range(6)
        ]


def test_an_error_in_a_worker_is_ours():
    with Crew(2) as crew, pytest.raises(InputError, match=r"^p: 'upper length' is 9, beyond its bounds 0.2 to 0.4$"):
        crew.map(small.looked, [(armed(small.wave), [9.0, 0.5])] * 2)


# Error texts


def test_a_function_that_cannot_travel_is_refused():
    def local(span):
        return span.t

    text = "workers: the problem cannot be sent to other processes ("
    with Crew(2) as crew, pytest.raises(InputError, match=f"^{re.escape(text)}") as error:
        slopes(armed(local), [0.3, 0.5], crew=crew)
    assert str(error.value).endswith("define its functions at the top of a module, or use workers=1")
