import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.modes import ContactSystem, Linear
from tests.modes.systems import GRAVITY, NO_TORQUE, block, body


def two_link():
    """Two links of 1 m between walls: the elbow on the left wall, both ends on the right one (figure 1).

    Coordinates: the lower end (x, y), the angle of the lower link, and that of the elbow; massive end points, so that
    the inertia is easily written down.
    """
    a, b = np.deg2rad(120.0), np.deg2rad(60.0)  # directions of the lower and the upper link
    u, w = np.array([np.cos(a), np.sin(a)]), np.array([np.cos(b), np.sin(b)])
    turn = lambda v: np.array([-v[1], v[0]])  # noqa: E731
    lower = np.hstack([np.eye(2), np.zeros((2, 2))])
    elbow = lower + np.column_stack([np.zeros((2, 2)), turn(u), np.zeros(2)])
    upper = elbow + np.column_stack([np.zeros((2, 2)), turn(w), turn(w)])
    masses = (1.0, 2.0, 1.0)
    points = (lower, elbow, upper)
    M = sum(m * P.T @ P for m, P in zip(masses, points, strict=True))
    h = sum(m * GRAVITY * P[1] for m, P in zip(masses, points, strict=True))
    right, left = np.array([[-1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.0, -1.0]])
    J = np.vstack([right @ upper, left @ elbow, right @ lower])
    return ContactSystem(M, h, J, 0.8, inputs=np.eye(4)[:, 3:], names=["upper end", "elbow", "lower end"])


def test_two_link_arm_between_walls():
    """[Greenfield2005], section III-D: A is 10 by 10 of rank 8, with two ambiguity variables, case 4."""
    mode = two_link().response()["FFF"]
    A, B, b = mode.equations
    assert A.shape == (10, 10)
    assert np.linalg.matrix_rank(A) == mode.rank == 8
    assert mode.ambiguity_variables == 2
    assert mode.case == 4
    assert mode.ambiguity == "forces"
    assert mode.ambiguity_dimension == 2
    assert B.shape == (10, 1)
    assert len(b) == 10
    # The affine space of torques is all of them: every torque has a solution of the equations.
    assert mode.admissible.dimension == 1


def test_pressing_an_elbow_holds_the_arm():
    """Little torque: it may slide down; much torque outward: the fixed mode is possible for ever larger ones."""
    response = two_link().response()
    low, high = response["FFF"].torques.bounds()
    assert np.isinf([low[0], high[0]]).sum() == 1
    assert "FFF" in response


def test_table_has_open_forces_but_one_motion():
    response = body([(-1, -1), (1, -1)], [(0, 1), (0, 1)], 0.5, inputs=NO_TORQUE).response()
    assert response.names == ("FF",)
    mode = response["FF"]
    assert (mode.case, mode.ambiguity, mode.ambiguity_dimension) == (4, "forces", 1)
    ends = mode.extent(np.zeros(0))
    weight = GRAVITY / 2
    assert ends.acceleration_low == pytest.approx(np.zeros(3), abs=1e-12)
    assert ends.acceleration_high == pytest.approx(np.zeros(3), abs=1e-12)
    assert ends.force_low == pytest.approx([weight, -weight / 2, weight, -weight / 2])
    assert ends.force_high == pytest.approx([weight, weight / 2, weight, weight / 2])


def test_ball_bearing_has_open_accelerations():
    points = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    inward = [(-1, 0), (0, -1), (1, 0), (0, 1)]
    spinning = body(points, inward, 0.5, velocity=[0.0, 0.0, 1.0], inputs=NO_TORQUE).response()
    assert spinning.names == ("RRRR",)
    mode = spinning["RRRR"]
    assert (mode.ambiguity, mode.ambiguity_dimension) == ("accelerations", 2)
    ends = mode.extent(np.zeros(0))
    assert ends.acceleration_low[2] == -np.inf  # squeezed by any amount
    # By hand: gravity needs n_1 - n_3 = mu (n_2 - n_4)..., least squeeze with n_1 = n_2 = 0: n_4 = mg / (1 + mu^2).
    least = GRAVITY / (1 + 0.25)
    assert ends.acceleration_high[2] == pytest.approx(-0.5 * 1.5 * least / 0.1)


def test_response_solves_the_equations_for_any_torque_and_ambiguity():
    rng = np.random.default_rng(3)
    for mode in block().response().modes:
        A, B, b = mode.equations
        shape = mode.admissible
        for _ in range(3):
            tau = rng.normal(size=3)
            tau -= np.linalg.pinv(shape.equal) @ (shape.equal @ tau - shape.value)
            x = np.concatenate(mode.respond(tau, rng.normal(size=mode.ambiguity_variables)))
            assert A @ x == pytest.approx(B @ tau + b, abs=1e-9)


def test_domain_by_hand_for_a_pushed_block():
    """FF under a force along x alone: |F| <= mu m g."""
    system = block(inputs=[[1.0], [0.0], [0.0]])
    response = system.response()
    low, high = response["FF"].torques.bounds()
    assert (low[0], high[0]) == pytest.approx((-0.5 * GRAVITY, 0.5 * GRAVITY))
    assert len(response["FF"].torques.rows) == 2
    assert response["RR"].torques.bounds()[0] == pytest.approx([0.5 * GRAVITY])
    # It slides until friction at its lower edge tips it over: F h = m g (a), with h = 0.5 - friction at the ground.
    low, high = response["RS"].torques.bounds() if "RS" in response else (None, None)
    assert "SS" not in response


def test_task_constraints_narrow_domains_but_not_ambiguity():
    press = Linear(force=[1.0, 0.0, 0.0, 0.0], at_least=6.0, name="left foot loaded")
    system = block(task=press)
    response = system.response()
    assert response.names == block().response().names
    mode = response["FF"]
    assert mode.torques.contains(np.zeros(3))
    assert not mode.task_torques.contains(np.zeros(3))
    assert mode.task_torques.contains([0.0, -6.0, 0.0])
    assert len(mode.task_domain.rows) <= len(mode.domain.rows) + 1


def test_inner_point_is_a_solution_with_room():
    for mode in block(torque_limits=40.0).response().modes:
        assert mode.margin > 0.01
        torque, acceleration, force = mode.point
        assert mode.contains(torque)
        assert mode.residual(torque, acceleration, force) < 1e-12


def test_unknown_modes_and_wrong_torques_are_refused():
    response = block(inputs=NO_TORQUE).response()
    with pytest.raises(InputError) as error:
        response["FX"]
    assert str(error.value) == "mode: no feasible mode is called 'FX'; The choices are: FF"
    with pytest.raises(InputError, match=r"^torque: expected shape \(0,\), got \(1,\)$"):
        response.solutions([1.0])
    with pytest.raises(InputError, match=r"^torque: expected one at which mode FF can happen, got \[9\. 0\. 0\.\]$"):
        block().response()["FF"].extent([9.0, 0.0, 0.0])
    with pytest.raises(InputError, match=r"^w: expected shape \(1,\), got \(2,\)$"):
        response["FF"].respond(np.zeros(0), [1.0, 2.0])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_mass_and_size_do_not_matter(scale):
    """A block a million times heavier has the same modes, and forces as much larger."""
    usual = block().response()
    other = block(mass=scale, inertia=0.1 * scale).response()
    assert other.names == usual.names
    push = np.array([3.0, 0.0, 0.0])
    mine, theirs = usual.solutions(push), other.solutions(scale * push)
    assert mine.modes == theirs.modes
    for a, b in zip(mine, theirs, strict=True):
        assert a.force * scale == pytest.approx(b.force, rel=1e-9, abs=1e-9 * scale)


def strut(angle, toe=0.0, friction=0.6, **options):
    """A point mass of 2 kg on a leg of 1 m with a motor between its hip and a frame that does not turn."""
    c, s = np.cos(angle), np.sin(angle)
    J = np.array([[0.0, 1.0, s], [1.0, 0.0, c]])
    inertia = np.diag([2.0, 2.0, 0.0]) + toe * J.T @ J
    bias = np.array([0.0, 2.0 * GRAVITY, 0.0]) + toe * GRAVITY * J[0]
    return ContactSystem(inertia, bias, J, friction, inputs=[[0.0], [0.0], [1.0]], **options)


def test_massless_leg_carries_force_along_itself_without_torque():
    found = strut(0.3).response().solutions([0.0])
    assert found.modes == ("S", "R", "F")  # nothing keeps a leg without mass and torque from folding
    fixed = found[2]
    normal, tangent = fixed.force
    assert tangent == pytest.approx(-normal * np.tan(0.3))
    # Along the leg the mass does not move, across it it falls: a_x sin - a_y cos = 0 in the leg's direction.
    assert normal == pytest.approx(2.0 * GRAVITY * np.cos(0.3) ** 2)
    assert fixed.residual < 1e-12


def test_massless_leg_beyond_the_cone_cannot_stand():
    """Friction of 0.6 holds struts up to 31 degrees; then the toe slips without load, and the mass falls freely."""
    found = strut(0.7).response().solutions([0.0])
    assert "F" not in found.modes
    assert found[0].acceleration[:2] == pytest.approx([0.0, -GRAVITY])


@pytest.mark.parametrize("torque", [-4.0, -1.0])
def test_massless_legs_are_the_limit_of_light_ones(torque):
    light, none = (strut(0.3, toe).response().solutions([torque]) for toe in (1e-7, 0.0))
    assert light.modes == none.modes
    for a, b in zip(light, none, strict=True):
        assert a.acceleration[:2] == pytest.approx(b.acceleration[:2], abs=1e-4)
        assert a.force == pytest.approx(b.force, abs=1e-4)


def test_torque_of_a_massless_leg_in_the_air_must_vanish():
    lifted = strut(0.3, velocity=[0.0, 1.0, 0.0]).response()
    assert lifted.names == ("S",)
    assert lifted["S"].case == 4
    low, high = lifted["S"].torques.bounds()
    assert (low[0], high[0]) == pytest.approx((0.0, 0.0), abs=1e-9)
    with pytest.raises(InputError) as error:
        strut(0.3).acceleration(np.zeros(2), [0.0])
    assert str(error.value) == "acceleration: expected a mass on every coordinate, got none on coordinate 3"


def test_zero_torque_is_in_a_set_through_zero():
    """Between two frictionless walls, of forces tied to each other, no torque at all is needed to stay."""
    held = body(
        [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0)],
        [(1, 0), (-1, 0), (0, 1)],
        0.0,
        inputs=np.eye(3)[:, [0, 2, 1]],
        torque_limits=20.0,
        physical=[
            Linear(force=[0, -1, 0, -1, 1, 0], torque=[0, 1, -1], at_least=-5.0),
            Linear(acceleration=[0, 0, -1], force=[1, -1, 1, -1, 0, -1], equals=0.0),
        ],
    )
    mode = held.response()["FFF"]
    assert mode.contains(np.zeros(3))
    assert mode.torques.contains(np.zeros(3))
