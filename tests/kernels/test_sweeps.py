import numpy as np
import pytest

from surefoot.kernels import status
from surefoot.kernels.active_modes import checked_residual
from surefoot.kernels.pyramid import EDGE, OFF, STICK
from surefoot.kernels.sweeps import read_modes, sweep
from surefoot.solvers.contact_samples import random_contact
from tests.kernels.door import door
from tests.kernels.known import KNOWN
from tests.kernels.problems import TOLERANCE, from_sample, ready, solve, violation


def swept(problem, count, f=None):
    """Impulses, modes and residual after some sweeps."""
    p, s = ready(problem)
    f = np.zeros(3 * p.n) if f is None else f
    door(sweep)(p, count, s, f)
    return f, s.mode.copy(), door(checked_residual)(p, s, f)


@pytest.mark.parametrize(
    ("name", "modes"),
    [
        ("at rest", [STICK]),
        ("sticks", [STICK]),
        ("slides along x", [EDGE + 2]),
        ("slides along -y", [EDGE + 1]),
        ("slides across a face", [EDGE + 4 + 2]),
        ("lifts off", [OFF]),
        ("reaches the ground", [STICK]),
        ("without friction", [STICK]),
        ("infinite friction", [STICK]),
        ("dry friction holds", [STICK]),
        ("dry friction is overcome", [EDGE]),
    ],
)
def test_modes_of_known_answers(name, modes):
    problem, f, _ = KNOWN[name]
    assert swept(problem, 3)[1].tolist() == modes
    p, s = ready(problem)
    door(read_modes)(p, s, np.array(f, dtype=float))
    assert s.mode.tolist() == modes


def test_without_friction_sweeps_converge():
    problem = from_sample(random_contact(np.random.default_rng(3), 6, "forward"))
    problem = problem._replace(mu=np.zeros(6))
    residuals = [swept(problem, count)[2] for count in (1, 10, 100, 1000)]
    assert residuals == sorted(residuals, reverse=True)
    assert residuals[-1] < 1e-6 * residuals[0]


def test_an_answer_is_a_fixed_point():
    for name in ("at rest", "slides along x", "a heavy block on a light one", "dry friction of a joint on its stop"):
        problem, f, _ = KNOWN[name]
        assert swept(problem, 5, np.array(f, dtype=float))[0] == pytest.approx(f, abs=1e-12)


def test_impulses_stay_inside_their_pyramids():
    rng = np.random.default_rng(5)
    for _ in range(20):
        problem = from_sample(random_contact(rng, 8, "forward"))
        f = swept(problem, 7)[0].reshape(-1, 3)
        assert (f[:, 0] >= 0).all()
        assert (np.abs(f[:, 1:]).sum(axis=1) <= problem.mu * f[:, 0] * (1 + 1e-12)).all()


def test_what_starts_from_sweeps_and_calls_itself_solved_is_solved():
    solved = 0
    rng = np.random.default_rng(6)
    for index in range(60):
        problem = from_sample(random_contact(rng, 1 + index % 10, ("forward", "inverse", "redundant")[index % 3]))
        result = solve(problem, "sweeps")
        if result.status == status.SOLVED:
            solved += 1
            assert violation(problem, result.f) <= 2 * TOLERANCE, index
    assert solved > 30
