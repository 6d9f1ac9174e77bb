import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels import problem as kernel
from surefoot.kernels import status
from surefoot.kernels.cone_laws import solve_soft_law
from surefoot.kernels.contact_law import law_pointer, make_solver
from surefoot.kernels.plant import BOX, CONE, NORMAL, TURN
from tests.kernels.door import call
from tests.kernels.problems import Problem, kernels_see


def solve(problem, columns, R, target, turn):
    """Impulses with `columns` free velocities that move nothing: one of them calls Newton, none the projection."""
    n = len(problem.kind)
    solver, _ = make_solver(n, 4, max(columns, 1))
    problem = problem._replace(W=np.zeros((3 * n, columns)))
    p = kernels_see(problem, solver.scratch.g)._replace(form=kernel.SOFT)
    solver.R[: 3 * n], solver.target[: 3 * n], solver.turn[:n] = R, target, turn
    f = np.full(3 * n, np.inf)
    code, residual, _ = call(law_pointer(solve_soft_law, solver), p, solver, f)
    return code, residual, f


def blocks(kind, c0, *, mu=0.5, bound=0.0, offset=0.0):
    kind = np.array(kind, dtype=np.int64)
    n = len(kind)
    return Problem(
        np.zeros((3 * n, 0)), np.array(c0, dtype=float), np.full(n, offset), kind, np.broadcast_to(mu, n).astype(float),
        np.broadcast_to(bound, n).astype(float),
    )  # fmt: skip


def random_blocks(rng):
    """Contacts, some turning, limits and dry joints, in the order of the rows; R_j mu_j^2 is one number a contact."""
    contacts = int(rng.integers(1, 6))
    kind = list(rng.choice([NORMAL, CONE, CONE], contacts))
    mu = list(rng.choice([0.0, 0.3, 1.2, np.inf], contacts))
    bound, turn = [0.0] * contacts, [-1] * contacts
    R = list(np.repeat(10 ** rng.uniform(-4, 1, contacts), 3))
    for i in range(contacts):
        if kind[i] == CONE and rng.random() < 0.6:
            spin, roll = 0.02, float(rng.choice([0.0, 0.01]))
            kind.append(TURN), mu.append(spin), bound.append(roll), turn.append(i)
            ratio = mu[i] if np.isfinite(mu[i]) and mu[i] > 0 else 1.0
            R += [R[3 * i] * (ratio / slope) ** 2 if slope > 0 else 1.0 for slope in (spin, roll, roll)]
    for what in (NORMAL, BOX):
        for _ in range(rng.integers(0, 3)):
            kind.append(what), mu.append(0.0), bound.append(float(rng.random())), turn.append(-1)
            R += [0.1, 0.1, 0.1]
    n = len(kind)
    problem = blocks(kind, rng.normal(size=3 * n), mu=mu, bound=bound)
    problem = problem._replace(offset=np.where(rng.random(n) < 0.2, 0.1, 0.0))
    return problem, np.array(R), 0.3 * rng.normal(size=3 * n), np.array(turn)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_it_is_what_newtons_method_finds(seed):
    problem, R, target, turn = random_blocks(np.random.default_rng(seed))
    code, residual, f = solve(problem, 0, R, target, turn)
    again, _, wanted = solve(problem, 1, R, target, turn)
    assert (code, residual, again) == (status.SOLVED, 0.0, status.SOLVED)
    assert R * f == pytest.approx(R * wanted, abs=1e-9 * np.abs(problem.c0 - target).max())


@pytest.mark.parametrize(
    ("c0", "f"),
    [
        ([-1.0, 0.2, 0.0], [10.0, -2.0, 0.0]),  # sticks
        ([1.0, 0.2, 0.0], [0.0, 0.0, 0.0]),  # parts
        ([0.0, 3.0, 4.0], [20.0, -6.0, -8.0]),  # slides: x_0 = mu t / (1 + mu^2)
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    ],
)
def test_known_answers_of_a_contact(c0, f):
    """R = 0.1, c* = 0, mu = 0.5."""
    assert solve(blocks([CONE], c0), 0, 0.1, 0.0, -1)[2] == pytest.approx(f)


def test_known_answers_of_other_blocks():
    limit = blocks([NORMAL], [-1.0, 0, 0])
    assert solve(limit, 0, 0.1, 0.0, -1)[2].tolist() == [10.0, 0.0, 0.0]
    assert not solve(limit._replace(offset=np.array([1e-9])), 0, 0.1, 0.0, -1)[2].any()
    for speed, push in ((2.0, -3.0), (-2.0, 3.0), (0.1, -1.0)):
        assert solve(blocks([BOX], [0, speed, 0], bound=3.0), 0, 0.1, 0.0, -1)[2].tolist() == [0.0, push, 0.0]
    held = solve(blocks([CONE], [-1.0, 7.0, -8.0], mu=np.inf), 0, 0.1, 0.0, -1)[2]
    assert held == pytest.approx([10.0, -70.0, 80.0])


@pytest.mark.parametrize("kind", [NORMAL, CONE, BOX])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_not_solved(kind, bad):
    c0 = np.zeros(3)
    c0[1 if kind == BOX else 0] = bad
    assert solve(blocks([kind], c0, bound=1.0), 0, 0.1, 0.0, -1)[0] == status.NOT_FINITE
