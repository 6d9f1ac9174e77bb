import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.kernels.active_modes import checked_residual, make_scratch, prepare
from surefoot.kernels.pyramid import pyramid_table
from surefoot.laws.conditions import law_conditions
from surefoot.solvers.contact_problem import edge_directions
from surefoot.solvers.contact_samples import contact_case
from tests.kernels.known import KNOWN
from tests.kernels.problems import from_sample


def conditions(problem, f, edges=4):
    return law_conditions({**problem._asdict(), "f": np.asarray(f, dtype=float), "edges": edge_directions(edges)})


@pytest.mark.parametrize("name", [name for name, known in KNOWN.items() if known.f is not None])
def test_known_answers_violate_nothing(name):
    problem, f, _ = KNOWN[name]
    assert max(conditions(problem, f).values()) <= 1e-9


@pytest.mark.parametrize(
    ("name", "f", "which"),
    [
        ("at rest", [-1, 0, 0], "normal"),
        ("at rest", [40, 0, 0], "normal"),
        ("at rest", [0, 0, 0], "normal"),
        ("slides along x", [2, 1, 0], "friction"),
        ("slides along x", [2, -0.9, 0], "friction"),
        ("slides along x", [2, -1, 0.1], "friction"),
        ("without friction", [1, 0.1, 0], "friction"),
        ("infinite friction", [1, -6, -5], "friction"),
        ("open contacts have no friction", [1, -0.1, 0], "friction"),
        ("dry friction holds", [0, -0.7, 0], "joints"),
        ("dry friction is overcome", [0, 1.2, 0], "joints"),
    ],
)
def test_a_violation_is_named(name, f, which):
    result = conditions(KNOWN[name].problem, f)
    assert result[which] > 1e-3
    assert all(value <= 1e-9 for key, value in result.items() if key not in (which, "normal"))


@pytest.mark.parametrize("edges", [4, 8, 16])
@given(index=st.integers(0, 3000))
def test_the_kernels_residual_is_the_largest_of_them(edges, index):
    problem = from_sample(contact_case(51, index, 5).problem)
    n, nu = len(problem.kind), problem.W.shape[1]
    s = make_scratch(n, nu)
    scale = prepare(problem.W, nu, n, problem.kind, problem.c0, s.g)
    if scale == 0.0:
        return
    f = np.random.default_rng(index).normal(size=3 * n)
    f[::3] = np.abs(f[::3])
    p = problem
    D = pyramid_table(edge_directions(edges))
    ours = checked_residual(p.W, nu, n, p.c0, p.offset, p.kind, p.mu, p.bound, D, scale, s, f)
    assert ours == pytest.approx(max(conditions(problem, f, edges).values()), rel=1e-9)


def test_no_contacts_no_violation():
    empty = {"W": np.zeros((0, 3)), "c0": np.zeros(0), "f": np.zeros(0), "edges": edge_directions(4)}
    empty |= {name: np.zeros(0) for name in ("kind", "offset", "mu", "bound")}
    assert law_conditions(empty) == {"normal": 0.0, "friction": 0.0, "joints": 0.0}
