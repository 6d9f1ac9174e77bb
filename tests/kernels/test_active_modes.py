import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.kernels import status
from surefoot.kernels.active_modes import (
    checked_residual,
    cold_modes,
    contact_velocities,
)
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.pyramid import EDGE, OFF, STICK
from surefoot.solvers.contact_samples import contact_case
from tests.kernels.door import door
from tests.kernels.known import KNOWN, plates
from tests.kernels.problems import (
    TOLERANCE,
    Problem,
    from_sample,
    point_mass,
    ready,
    solve,
    solve_modes,
    velocity,
    violation,
)

# Known answers


@pytest.mark.parametrize("name", KNOWN)
def test_a_cold_guess_finds_known_answers(name):
    problem, f, motion = KNOWN[name]
    if not problem.c0.any():
        return  # nothing to scale by: the caller answers
    result = solve(problem, "guess")
    assert result.status == status.SOLVED
    size = np.abs(problem.c0).max()
    if motion is not None:
        assert np.abs(velocity(problem, result.f).ravel() - motion).max() <= 2e-9 * size
    if f is not None:
        assert np.abs(result.f - f).max() <= 1e-8 * np.abs(f).max(initial=1e-300)


def test_redundant_contacts_share_the_load_evenly():
    result = solve(point_mass([0, 0, -1], copies=4), "guess")
    assert result.f[::3] == pytest.approx(np.full(4, 1 / 4), rel=1e-6)


def test_no_answer_shows_in_the_residual():
    assert solve(plates(), "guess").residual > 0.01


def test_cold_modes_touch_nothing_but_dry_friction():
    p, s = ready(KNOWN["dry friction of a joint on its stop"].problem)
    door(cold_modes)(p, s)
    assert s.mode.tolist() == [OFF, EDGE]  # it moves backwards too fast to be held: pushed forwards
    p, s = ready(KNOWN["dry friction holds"].problem)
    door(cold_modes)(p, s)
    assert s.mode.tolist() == [STICK]


def test_cold_modes_hold_what_is_never_released():
    p, s = ready(KNOWN["different friction at each"].problem._replace(dissipative=True))
    door(cold_modes)(p, s)
    assert s.mode.tolist() == [OFF, STICK]


def test_too_few_guesses_are_no_answer():
    p, s = ready(KNOWN["slides along x"].problem)
    door(cold_modes)(p, s)
    assert solve_modes(p, 1, s, np.zeros(3)) == math.inf


def test_a_warm_start_at_the_answer_needs_one_guess():
    p, s = ready(KNOWN["slides along x"].problem)
    f, again = np.zeros(3), np.zeros(3)
    door(cold_modes)(p, s)
    solve_modes(p, 8, s, f)
    assert solve_modes(p, 1, s, again) <= 1e-12
    assert again == pytest.approx(f)


def test_more_unknowns_than_there_is_room_for_is_no_answer():
    p, s = ready(point_mass([0, 0, -1], copies=60))
    s.mode[:] = STICK
    assert solve_modes(p, 8, s, np.zeros(180)) == math.inf


# Properties and plain twins


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 8), nu=st.integers(1, 8))
def test_velocities_are_those_of_plain_algebra(seed, n, nu):
    rng = np.random.default_rng(seed)
    W, c0, f = rng.normal(size=(3 * n, nu)), rng.normal(size=3 * n), rng.normal(size=3 * n) * rng.integers(0, 2, 3 * n)
    p, _ = ready(Problem(W, c0, np.zeros(n), np.full(n, CONE), np.zeros(n), np.zeros(n)))
    y, c = np.full(nu, np.inf), np.full(3 * n, np.inf)
    door(contact_velocities)(p, f, y, c)
    assert y == pytest.approx(W.T @ f, abs=1e-12)
    assert c == pytest.approx(W @ (W.T @ f) + c0, abs=1e-12)


@given(index=st.integers(0, 2000))
def test_the_checked_residual_is_that_of_plain_numpy(index):
    problem = from_sample(contact_case(21, index, 6).problem)
    p, s = ready(problem)
    if p.scale == 0.0:
        return
    f = np.abs(np.random.default_rng(index).normal(size=3 * p.n))
    f[1::3][problem.kind == BOX] = 0.0
    ours = door(checked_residual)(p, s, f)
    assert ours == pytest.approx(violation(problem, f), rel=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_residual_of_what_is_not_a_number_is_infinite(bad):
    p, s = ready(KNOWN["a bar on two points"].problem)
    for place in range(6):
        f = np.zeros(6)
        f[place] = bad
        assert door(checked_residual)(p, s, f) == math.inf


def test_what_a_guess_calls_solved_is_solved():
    solved = 0
    for index in range(120):
        problem = from_sample(contact_case(22, index, 12).problem)
        result = solve(problem, "guess")
        if result.status == status.SOLVED:
            solved += 1
            assert violation(problem, result.f) <= 2 * TOLERANCE, index
    assert solved > 40
