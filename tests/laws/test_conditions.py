import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.kernels.active_modes import checked_residual
from surefoot.laws.conditions import law_conditions
from surefoot.solvers.contact_problem import edge_directions
from surefoot.solvers.contact_samples import contact_case
from tests.kernels.door import door
from tests.kernels.known import KNOWN
from tests.kernels.problems import from_sample, point_mass, ready


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


@pytest.mark.parametrize("dissipative", [False, True])
@pytest.mark.parametrize("edges", [4, 8, 16])
@given(index=st.integers(0, 3000))
def test_the_kernels_residual_is_the_largest_of_them(edges, dissipative, index):
    problem = from_sample(contact_case(51, index, 5).problem)._replace(dissipative=dissipative)
    p, s = ready(problem, edges)
    if p.scale == 0.0:
        return
    f = np.random.default_rng(index).normal(size=3 * p.n)
    f[::3] = np.abs(f[::3])
    ours = door(checked_residual)(p, s, f)
    assert ours == pytest.approx(max(conditions(problem, f, edges).values()), rel=1e-9)


@pytest.mark.parametrize(
    ("name", "f", "miss"),
    [
        ("at rest", [29.43, 0, 0], {}),
        ("sticks", [1, -0.2, 0.1], {}),
        ("lifts off", [0, 0, 0], {}),
        ("without friction", [1, 0, 0], {}),
        ("infinite friction", [1, -7, -5], {}),
        ("infinite friction lifts off", [0, -7, -5], {}),  # held while it lifts
        ("infinite friction lifts off", [0, 0, 0], {"friction": 1.0}),
        ("slides along x", [3.2, -1.6, 0], {}),  # opens at mu times its slip: 0.6 = 0.5 * 1.2
        ("slides along x", [2, -1, 0], {"normal": 0.3, "friction": 0.15}),  # stays down
        ("dry friction is overcome", [0, 1, 0], {}),
        ("dry friction is overcome", [0, 1.2, 0], {"joints": 0.1 / 3}),
    ],
)
def test_the_dissipative_law(name, f, miss):
    problem = KNOWN[name].problem._replace(dissipative=True)
    expected = {"normal": 0.0, "friction": 0.0, "joints": 0.0} | miss
    assert conditions(problem, f) == pytest.approx(expected, abs=1e-12)


def test_violations_are_relative_to_what_moves():
    pressed = point_mass([0, 0, 0], offset=-4.0)
    assert conditions(pressed, [3, 0, 0])["normal"] == pytest.approx(0.25)


def test_no_contacts_no_violation():
    empty = {"W": np.zeros((0, 3)), "c0": np.zeros(0), "f": np.zeros(0), "edges": edge_directions(4)}
    empty |= {name: np.zeros(0) for name in ("kind", "offset", "mu", "bound")}
    assert law_conditions(empty) == {"normal": 0.0, "friction": 0.0, "joints": 0.0}
