import re

import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.modes import ContactSystem, Outcomes
from tests.modes.systems import GRAVITY, NO_TORQUE, block, body, rod


def test_block_slides_where_friction_ends():
    response = block().response()
    for push, mode in ((4.0, "FF"), (5.5, "RR"), (-5.5, "LL")):
        found = response.solutions([push, 0.0, 0.0])
        assert found.modes == (mode,)
        assert found[0].residual < 1e-12
    assert response.solutions([4.0, 0.0, 0.0]).kind == "continuum"  # forces of two fixed feet
    one = response.solutions([5.5, 0.0, 0.0])
    assert one.kind == "one"
    assert one[0].acceleration == pytest.approx([5.5 - 0.5 * GRAVITY, 0.0, 0.0])
    assert one[0].ambiguity == "none"
    assert repr(one) == "Solutions(one: RR)"


def test_table_for_people():
    text = block(inputs=NO_TORQUE).response().solutions().table()
    assert text == (
        "continuum: 1 mode at torque ()\n"
        "  FF: acceleration (0, 0, 0), force (4.905, 0, 4.905, 0), forces differ in 1 direction"
    )


PAINLEVE = (
    "Painleve: tip sliding to the left is pressed together by its own friction (d a_n / d f_n = {:.4g} 1/kg): there "
    "may be no solution, or several"
)


def coefficient(friction, angle):
    """1/m + (half^2 / I)(cos^2 - mu sin cos), with I = m half^2 / 3."""
    return 1.0 + 3.0 * (np.cos(angle) ** 2 - friction * np.sin(angle) * np.cos(angle))


def test_rod_past_the_threshold_of_painleve_has_no_solution():
    response = rod(2.0, 1.0, -1.0).response()
    assert len(response.modes) == 0
    found = response.solutions()
    assert found.kind == "none"
    assert [p.text for p in found.painleve] == [PAINLEVE.format(coefficient(2.0, 1.0))]
    assert found.painleve[0].coefficient == pytest.approx(coefficient(2.0, 1.0))


def test_turning_rod_has_two_solutions():
    found = rod(2.0, 1.0, -10.0, turn=4.0).response().solutions()
    assert found.modes == ("S", "L")
    assert found.kind == "several"
    assert found.painleve[0].slide == "L"


@pytest.mark.parametrize(("friction", "angle", "speed"), [(1.0, 1.0, -1.0), (2.0, 0.5, -1.0), (2.0, 1.0, 1.0)])
def test_rods_this_side_of_the_threshold_have_one_solution(friction, angle, speed):
    response = rod(friction, angle, speed).response()
    assert response.painleve == ()
    assert response.solutions().kind == "one"


def test_threshold_of_painleve_is_where_the_coefficient_vanishes():
    angle = np.arctan(2.0)  # the angle at which least friction will do: mu = 4/3
    assert len(rod(4 / 3 - 1e-3, angle, -1.0).response().modes) == 1
    assert len(rod(4 / 3 + 1e-3, angle, -1.0).response().modes) == 0


def test_outcomes_over_all_solutions():
    response = rod(2.0, 1.0, -10.0, turn=4.0).response()
    found = response.solutions()
    turning = sorted(s.acceleration[2] for s in found)
    assert response.outcomes(np.zeros(0), acceleration=[0, 0, 1]) == pytest.approx(Outcomes(turning[0], turning[-1]))
    nothing = rod(2.0, 1.0, -1.0).response().outcomes(np.zeros(0), acceleration=[0, 0, 1])
    assert np.isnan(nothing.low)
    assert np.isnan(nothing.high)


def test_torques_beyond_the_limits_have_no_solution():
    response = block(torque_limits=1.0).response()
    assert response.solutions([2.0, 0.0, 0.0]).kind == "none"
    assert response.solutions([1.0, 0.0, 0.0]).modes == ("FF",)


def test_falling_past_a_wall_slides_without_load():
    found = body([(1.0, 0.0)], [(-1, 0)], 0.5, inputs=NO_TORQUE).response().solutions()
    assert found.kind == "one"
    assert found[0].mode == "L"
    assert found[0].force == pytest.approx([0.0, 0.0], abs=1e-12)


def test_counts():
    response = block(velocity=[1.0, 0.0, 0.0]).response()
    assert response.combinations == 16
    assert response.considered == 4
    assert set(response.names) <= {"SS", "SR", "RS", "RR"}
    assert repr(response) == f"Response({len(response.modes)} modes of 16, 2 contacts)"


def test_kinematic_modes_of_a_block():
    """Ten of sixteen: both feet of a rigid body cannot do as they like."""
    modes = block().kinematic_modes()
    assert set(modes) == {"SS", "SL", "SR", "SF", "LS", "RS", "FS", "LL", "RR", "FF"}


def test_jammed_between_walls_nothing_accelerates():
    """How hard the walls press is open without end, but no rounding of that may reach the acceleration."""
    points, normals = [(-1.0, 0.0), (1.0, 0.0)], [(1, 0), (-1, 0)]
    jammed = body(points, normals, 1.0, gravity=0.0, inputs=np.eye(3)[:, :1]).response()
    assert jammed["FF"].extent([1.0]).force_high[0] == np.inf
    for seed in range(6):
        c = np.random.default_rng(seed).normal(size=3)
        assert jammed.outcomes([1.0], acceleration=c) == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("seed", [1, 3, 6, 24, 46, 55, 73])
def test_infinite_friction_at_a_torque(seed):
    """Down the tree or by itself, a mode that can happen is found, and no other."""
    rng = np.random.default_rng(seed)
    response = ContactSystem(
        np.eye(2), np.zeros(2), rng.normal(size=(4, 2)), [np.inf, 0.0], inputs=rng.normal(size=(2, 2))
    ).response()
    for torque in 20.0 * rng.normal(size=(5, 2)):
        assert response.modes_at(torque) == [mode for mode in response.modes if mode.contains(torque)]


def test_infinite_friction_has_no_normal_force_below_zero():
    """The first contact has no normal row: its load is free, but pushes."""
    system = ContactSystem(
        np.diag([2.0, 1.0]),
        [0.0, 1.0],
        [[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [-1.0, 1.0], [1.0, 1.0], [0.0, 1.0]],
        [1.0, np.inf, np.inf],
        inputs=[[-1.0, 0.0, 0.0], [-1.0, 0.0, 1.0]],
    )
    ends = system.response()["FFF"].extent([0.0, 0.0, 1.0])
    assert ends.force_low[::2] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_friction_of_almost_nothing_is_none():
    found = block(1e-12).response().solutions(np.zeros(3))
    assert found.modes == ("FF",)
    assert found[0].acceleration == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_refusals():
    response = block().response()
    text = r"The choices are: SS, SL, SR, SF, LS, LL, RS, RR, FS, FF$"
    for name in (3, None, ["FF"]):
        with pytest.raises(InputError, match=rf"^mode: no feasible mode is called {re.escape(repr(name))}; {text}"):
            response.unambiguous(name)
        assert name not in response
    with pytest.raises(InputError, match=r"^torque: expected finite numbers, got nan at index 0$"):
        response.unambiguous("FF").contains([np.nan, 0.0, 0.0])


@pytest.mark.filterwarnings("error")
def test_masses_far_apart():
    """A grain on a boulder, 1e-9 and 1e9 kg: both rest, and nothing warns."""
    rows = [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 1.0], [-1.0, 0.0, 1.0, 0.0]]
    masses = np.array([1e9, 1e9, 1e-9, 1e-9])
    stack = ContactSystem(np.diag(masses), masses * [0.0, GRAVITY, 0.0, GRAVITY], rows, 0.5)
    found = stack.response().solutions(np.zeros(4))
    assert found.modes == ("FF",)
    assert found.table().startswith("one: 1 mode")
    assert stack.acceleration(found[0].force, np.zeros(4)) == pytest.approx(np.zeros(4), abs=1e-4)


def test_infinite_friction_and_contacts_without_rows():
    """The second contact cannot open, whatever the forces: q1 + q2 = 0. It is fixed in both modes there are."""
    response = ContactSystem(
        2.0 * np.eye(2),
        [-1.0, 1.0],
        [[0.0, 0.0], [1.0, -1.0], [-1.0, -1.0], [0.0, 0.0], [0.0, -1.0], [1.0, 1.0]],
        [2.0, 2.0, np.inf],
        inputs=[[1.0], [-1.0]],
        torque_limits=1.0,
    ).response()
    assert response.names == ("RFS", "FFF")
    for torque in np.linspace(-0.9, 0.9, 61):
        assert [mode.name for mode in response.modes_at([torque])] == ["RFS", "FFF"]
