"""Every program's optimum is that of an independent solver, and what the compiled controller says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, nnls

import surefoot as sf
from surefoot.whole_body import program_cones
from surefoot.whole_body.program_least import Least
from surefoot.whole_body.program_levels import reduce
from tests.whole_body import oracle
from tests.whole_body.lexicographic import optimum, rounded, rows_of
from tests.whole_body.programs import apart, optimality, random_program
from tests.whole_body.standing import biped

wb = sf.whole_body
SOLVED, GAVE = sf.Status.SOLVED, sf.Status.RELAXED
ROUNDING = 100.0  # times what other rounding of the rows, by 1e-15, does to the optimum


@pytest.fixture(scope="module")
def links():
    return sf.load("links")


def check(program, tolerance):
    """DAQP and Clarabel agree, and both satisfy every condition of optimality.

    They share the elimination of equalities and the exchange of active rows at the end, so that this shows that both
    find the same active rows; the optimality, by non-negative least squares, does not rest on that exchange.
    """
    a, b = program.solve(), program.solve("clarabel")
    assert a.status is b.status
    assert max(optimality(a), optimality(b)) < 1e-9
    found = max(apart(program, a, b))
    if found >= tolerance:  # nobody knows an optimum better than rounding of the rows moves it
        rows = rows_of(program)
        best, others = optimum(rows), [optimum(rounded(rows, np.random.default_rng(k))) for k in range(3)]
        tolerance = max(tolerance, ROUNDING * max(max(apart(program, best, other)) for other in others))
    assert found < tolerance
    for one, other in zip(a.violations, b.violations, strict=True):
        assert one.name == other.name
        assert one.amount == pytest.approx(other.amount, rel=1e-6, abs=1e-7)
    return a


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31 - 1))
def test_daqp_and_clarabel_agree(links, seed):
    check(random_program(links, seed), 1e-8)


def untouched(A, c, R, r, near, working, unit=1.0):
    """In place of the exchange of rows: the interior point as it is, and multipliers of the rows that it presses."""
    multipliers = np.zeros(len(r))
    if working:
        gradient = A.T @ (A @ near - c)
        size = np.linalg.norm(gradient) or 1.0
        multipliers[working] = unit**2 * size * nnls(R[working].T, gradient / size, maxiter=10_000)[0]
    return Least(near, multipliers)


@pytest.mark.parametrize(("levels", "most"), [(1, 1e-6), (3, 1e-3)])
def test_daqp_and_clarabel_agree_without_the_exchange_that_they_share(links, monkeypatch, levels, most):
    """An interior point ends to 1e-8 in nine of ten programs, and now and then far earlier."""
    monkeypatch.setattr(program_cones, "exchange", untouched)
    found = []
    for seed in range(40):
        program = random_program(links, seed, levels=levels, spread=1.0, speed=0.02)
        solution = program.solve("clarabel", throw=False)
        if solution.status.is_answer:
            found.append(max(apart(program, program.solve(), solution)))
    assert len(found) >= 36
    assert np.quantile(found, 0.85) < 1e-8
    assert max(found) < most


@pytest.mark.parametrize("seed", range(12))
def test_the_first_level_is_that_of_clarabel_on_the_full_space(links, seed):
    """Without elimination, levels or exchange of rows: one quadratic program in all variables."""
    program = random_program(links, seed, levels=1, spread=1.0, speed=0.02)
    solution = program.solve()
    if solution.status is not SOLVED:
        pytest.skip("limits give way")
    scale = program.variables.scale
    T = np.vstack([np.sqrt(b.weight)[:, None] * b.matrix * scale for b in program.levels[0]])
    t = np.concatenate([np.sqrt(b.weight) * b.right for b in program.levels[0]])
    A = np.vstack([rows.matrix * scale for rows in program.equalities])
    b = np.concatenate([rows.right for rows in program.equalities])
    G = np.vstack([rows.matrix * scale / rows.scale[:, None] for rows in program.inequalities])
    g = np.concatenate([rows.offset / rows.scale for rows in program.inequalities])
    (n, m), k = (len(scale), len(T)), len(b)
    H = np.diag(np.r_[np.zeros(n), np.ones(m)])  # of the residuals, which are variables too: nothing is squared
    equal = np.block([[A, np.zeros((k, m))], [T, -np.eye(m)]])
    x, _ = oracle.minimum(H, np.zeros(n + m), equal, np.r_[b, t], -np.hstack([G, np.zeros((len(g), m))]), g)
    x = scale * x[:n]
    ours, theirs = program.value(solution.x)[0], program.value(x)[0]
    assert theirs == pytest.approx(ours, rel=1e-8, abs=1e-8)
    assert solution.acceleration == pytest.approx(x[:18], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("seed", range(40))
def test_compiled_controller_on_one_level(links, seed):
    program = random_program(links, seed, levels=1, spread=1.0, speed=0.02)
    a, b = program.solve(), program.solve("pivoting")
    assert a.status is b.status
    if a.status is SOLVED:
        assert max(apart(program, a, b)) < 1e-8


@pytest.mark.parametrize("seed", range(20))
def test_compiled_controller_on_strict_levels(links, seed):
    program = random_program(links, seed, levels=3, spread=1.0, speed=0.0)
    a, b = program.solve(), program.solve("pivoting")
    assert a.status is b.status
    assert program.value(b.x) == pytest.approx(program.value(a.x), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("seed", [0, 2, 4, 5, 6, 7, 8, 9])
def test_compiled_controller_with_links_kept_apart(links, seed):
    rng = np.random.default_rng(seed)
    q = links.home().q.copy()
    q[2] += 0.3
    q[7:] += 0.1 * rng.normal(size=12)
    state = links.state(q=q, v=0.5 * rng.normal(size=18))
    pairs = {("LF_FOOT", "RF_FOOT"): 0.13, ("LH_FOOT", "RH_FOOT"): 0.13}
    controller = wb.WholeBody(links, 1e-3, [wb.Posture(weight=1.0), wb.Acceleration()], apart=pairs, check="trust")
    controller.hold(state)
    controller.goals["Posture"][[0, 6]] -= 0.5
    controller.goals["Posture"][[3, 9]] += 0.5
    program = controller.build(state)
    a = check(program, 1e-8)
    assert any(name.startswith("distance of") for name in a.active)
    assert max(apart(program, a, program.solve("pivoting"))) < 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_biped_on_flat_feet(seed):
    """Eight points, four a foot: forces that hold each other are unique by the weights on forces."""
    robot = biped()
    rng = np.random.default_rng(seed)
    controller = wb.WholeBody(robot, 1e-3, torque_limits=float(rng.choice([20.0, 80.0])), check="trust")
    for goal in controller.goals.values():
        goal[:3] += 0.02 * rng.normal(size=min(3, len(goal)))
    program = controller.build(robot.home())
    a = check(program, 1e-8)
    assert max(apart(program, a, program.solve("pivoting"))) < 1e-8


@pytest.mark.real
def test_humanoid():
    robot = sf.load("example:g1")
    controller = wb.WholeBody(robot, 1e-3, check="trust")
    controller.goals["com"][:3] += 0.02, 0.01, -0.03
    program = controller.build(robot.home())
    assert len(program.variables.contacts) == 8
    a = check(program, 1e-9)
    assert max(apart(program, a, program.solve("pivoting"))) < 1e-8


def closest_by_scipy(program):
    """Least sum of squared violations: min |R y + r - s| with s >= 0, by bounded-variable least squares."""
    reduced = reduce(program)
    m, k = reduced.R.shape
    matrix = np.hstack([reduced.R, -np.eye(m)])
    low = np.concatenate([np.full(k, -np.inf), np.zeros(m)])
    return 2 * lsq_linear(matrix, -reduced.r, (low, np.inf), method="bvls", tol=1e-15, max_iter=2000).cost


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        ({"torque_limits": 0.0, "least_force": 20.0, "speed_limits": 0.1}, "torque of"),
        ({"torque_limits": 0.01, "least_force": 30.0, "mu": 0.1}, "torque of"),
        ({"most_force": 5.0, "speed_limits": 1e-3, "least_force": 4.0}, "most force of"),
    ],
)
def test_closest_program(links, limits, named):
    controller = wb.WholeBody(links, 1e-3, check="trust", settle=1e-3, **limits)
    state = links.state(v=np.r_[0.0, 0.0, -0.5, np.zeros(15)])
    program = controller.build(state)
    solution = check(program, 1e-8)
    assert solution.status is GAVE
    assert any(named in violation.name for violation in solution.violations)
    by_name = {name: rows for rows in program.inequalities for name in rows.names}
    total = 0.0
    for violation in solution.violations:
        rows = by_name[violation.name]
        i = rows.names.index(violation.name)
        assert -rows.room(solution.x)[i] == pytest.approx(violation.amount, rel=1e-9, abs=1e-9)
        assert violation.unit == rows.units[i]
        total += (violation.amount / rows.scale[i]) ** 2
    assert total == pytest.approx(closest_by_scipy(program), rel=1e-9)
    assert str(solution.violations[0]) in solution.text()
    assert solution.text().startswith("the limits contradict each other; the closest program exceeds ")
    others = [r.room(solution.x)[i] for r in program.inequalities for i, n in enumerate(r.names)
              if n not in {v.name for v in solution.violations}]  # fmt: skip
    assert min(others) > -1e-6
