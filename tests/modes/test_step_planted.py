"""Step problems that were made around a solution: whatever its modes, it must be found."""

import numpy as np
import pytest

from surefoot.kernels.plant import BOX, CONE, NORMAL
from surefoot.kernels.problem import STANDARD
from surefoot.kernels.pyramid import pyramid_table
from surefoot.modes.step import Step, step_solutions
from surefoot.solvers.contact_problem import edge_directions


def planted(rng, kinds, nu, mu, edges):
    """A problem with random W and a solution of random modes, as a Step without an answer."""
    n = len(kinds)
    W, D = rng.normal(size=(3 * n, nu)), edge_directions(edges)
    f, c = np.zeros((n, 3)), np.zeros((n, 3))
    bound, tokens = np.where(kinds == BOX, 0.5, 0.0), []
    for i, kind in enumerate(kinds):
        choice = rng.integers(3)
        load, speed = rng.uniform(0.5, 2.0), rng.uniform(0.5, 2.0)
        if kind == BOX:
            W[[3 * i, 3 * i + 2]] = 0.0
            f[i, 1], c[i, 1] = ((-0.5, speed), (0.5, -speed), (rng.uniform(-0.4, 0.4), 0.0))[choice]
            tokens.append("RLF"[choice])
        elif choice == 0:
            c[i] = speed, *rng.normal(size=2) * (kind == CONE)
            tokens.append("S")
        elif kind == NORMAL:
            f[i, 0] = load
            tokens.append("N")
        elif choice == 1 or np.isinf(mu):
            f[i] = load, *(0.9 * load * min(mu, 3.0) * rng.uniform() * D[rng.integers(edges)])
            tokens.append("F")
        else:
            j = rng.integers(edges)
            f[i], c[i, 1:] = (load, *(-mu * load * D[j])), speed * D[j]
            tokens.append(str(j))
        if kind == NORMAL:
            W[3 * i + 1 : 3 * i + 3] = 0.0
    f = f.ravel()
    problem = {
        "W": W, "c0": c.ravel() - W @ (W.T @ f), "f": f, "kind": kinds, "offset": np.zeros(n), "bound": bound,
        "mu": np.where(kinds == CONE, mu, 0.0), "edges": pyramid_table(D), "form": STANDARD, "dissipative": False,
        "M": np.eye(nu), "kappa": np.zeros(nu), "J": W, "tau": np.zeros(nu), "bilateral": np.zeros((0, nu)),
        "target": np.zeros(0), "prescribed": np.zeros(nu, dtype=bool),
    }  # fmt: skip
    names = tuple(f"block {i}" for i in range(n))
    step = Step(problem, "coulomb", 1.0, np.zeros(nu), names, n, np.zeros(0, dtype=np.int64), (), True)
    return step, tuple(tokens)


@pytest.mark.parametrize("mu", [0.3, 1.0, 100.0, np.inf])
@pytest.mark.parametrize("edges", [4, 8])
def test_a_planted_solution_is_found_with_and_without_the_short_cut(mu, edges):
    rng = np.random.default_rng(int(min(mu, 1000)) + edges)
    for _ in range(12):
        kinds = rng.choice([CONE, CONE, NORMAL, BOX], size=rng.integers(1, 5))
        step, tokens = planted(rng, kinds, int(rng.integers(2, 9)), mu, edges)
        solutions = step_solutions(step)
        assert tokens in [s.tokens for s in solutions]
        assert solutions[solutions.own].tokens == tokens
        thorough = step_solutions(step._replace(solved=False))
        assert {(s.tokens, s.dimension) for s in solutions} == {(s.tokens, s.dimension) for s in thorough}
