import numpy as np
import pytest

from surefoot.errors import InputError, SolveError
from surefoot.modes import ContactSystem, Linear, load
from tests.modes.systems import GRAVITY, block, body


def paradox(limit=10.0):
    """A rod past the threshold of Painleve, lifted by a force at its centre: without it there is no solution, with
    enough of it two (it separates, or slides on)."""
    angle, mu = 1.0, 2.0
    p = -np.array([np.cos(angle), np.sin(angle)])
    return ContactSystem(
        np.diag([1.0, 1.0, 1 / 3]),
        [0.0, GRAVITY, 0.0],
        [[0.0, 1.0, p[0]], [1.0, 0.0, -p[1]]],
        mu,
        velocity=[-1.0, 0.0, 0.0],
        inputs=[[0.0], [1.0], [0.0]],
        torque_limits=[[0.0, GRAVITY + limit]],
    )


def test_best_push_without_sliding():
    """A block is pushed as hard as friction allows, if its feet shall not move."""
    response = block(torque_limits=50.0).response()
    still = Linear(acceleration=np.eye(3), equals=np.zeros(3))
    best = response.maximise(torque=[1.0, 0.0, 0.0], subject_to=[still, Linear(torque=[0.0, 1.0, 0.0], equals=0.0)])
    assert best.mode == "FF"
    assert best.value == pytest.approx(0.5 * GRAVITY, abs=1e-5)
    assert best.modes == ("FF",)


def test_best_of_all_modes_is_best_of_each():
    response = block(torque_limits=30.0).response()
    for c in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.3, -1.0, 0.2]):
        best = response.maximise(acceleration=c, ambiguity="ignore")
        each = []
        for mode in response.modes:
            row, rest = mode.objective(c, None, None)
            each.append(rest + mode.domain.maximise(row).value)
        assert best.value == pytest.approx(max(each), abs=1e-4)
        assert np.dot(c, best.acceleration) == pytest.approx(best.value)


def test_ambiguous_torques_are_avoided():
    response = paradox().response()
    assert response.names == ("S", "L")
    # Turning: the slide turns the rod the fast way; but wherever it can slide on, it can lift off, too.
    hope = response.maximise(acceleration=[0.0, 0.0, 1.0], ambiguity="ignore")
    assert hope.mode == "L"
    assert hope.modes == ("S", "L")
    assert response.unambiguous("L").is_empty
    sure = response.maximise(acceleration=[0.0, 0.0, 1.0], ambiguity="avoid")
    assert sure is None
    worst = response.maximise(acceleration=[0.0, 0.0, 1.0], ambiguity="worst")
    low, high = response.outcomes(worst.torque, acceleration=[0.0, 0.0, 1.0])
    assert worst.value == pytest.approx(low, abs=1e-6)
    assert high > low


def test_worst_case_is_the_best_of_a_fine_grid():
    response = paradox().response()
    c = [0.1, 0.2, 1.0]
    grid = [response.outcomes([tau], acceleration=c).low for tau in np.linspace(GRAVITY + 1e-4, GRAVITY + 10.0, 300)]
    worst = response.maximise(acceleration=c, ambiguity="worst")
    assert worst.value >= np.nanmax(grid) - 1e-6
    assert worst.value <= np.nanmax(grid) + 0.1


def test_worst_case_over_open_accelerations():
    """A ball between four walls that spins: how much it is braked is open, and worst by any amount; but not if a wall
    pushes with a known force."""
    points, inward = [(1, 0), (0, 1), (-1, 0), (0, -1)], [(-1, 0), (0, -1), (1, 0), (0, 1)]
    rows = []
    for p, n in zip(points, inward, strict=True):
        for u in (n, (n[1], -n[0])):
            rows.append([u[0], u[1], p[0] * u[1] - p[1] * u[0]])
    limited = [
        Linear(force=[-1.0, 0, 0, 0, 0, 0, 0, 0], at_least=-5.0),
        Linear(force=[0, 0, -1.0, 0, 0, 0, 0, 0], at_least=-5.0),
    ]
    ball = ContactSystem(
        np.diag([1.0, 1.0, 0.1]), [0.0, GRAVITY, 0.0], rows, 0.5, velocity=[0, 0, 1.0],
        inputs=[[0.0], [0.0], [1.0]], torque_limits=2.0, physical=limited,
    )  # fmt: skip
    response = ball.response()
    assert response.names == ("RRRR",)
    best = response.maximise(acceleration=[0.0, 0.0, 1.0], ambiguity="worst")
    assert best.torque == pytest.approx([2.0])
    assert best.value == pytest.approx(response.outcomes([2.0], acceleration=[0, 0, 1]).low)
    assert response.maximise(acceleration=[0.0, 0.0, 1.0], ambiguity="avoid") is None
    loose = ball.change(physical=()).response()
    assert loose.maximise(acceleration=[0.0, 0.0, 1.0], ambiguity="worst") is None


def test_a_task_that_nothing_meets():
    response = block(torque_limits=1.0, task=Linear(acceleration=[1.0, 0.0, 0.0], at_least=100.0)).response()
    assert response.maximise(acceleration=[1.0, 0.0, 0.0]) is None


def test_what_grows_for_ever_is_refused():
    with pytest.raises(SolveError) as error:
        block().response().maximise(acceleration=[1.0, 0.0, 0.0])
    assert str(error.value).startswith("the objective grows for ever in mode ")
    assert str(error.value).endswith("; give torque_limits, or a constraint")


def test_refusals():
    response = block(torque_limits=1.0).response()
    with pytest.raises(
        InputError, match=r"^maximise: expected coefficients of acceleration, force or torque, got none$"
    ):
        response.maximise()
    with pytest.raises(InputError, match=r"^ambiguity: expected one of 'avoid', 'ignore', 'worst', got 'hope'$"):
        response.maximise(torque=[1.0, 0.0, 0.0], ambiguity="hope")
    with pytest.raises(InputError, match=r"^acceleration: expected shape \(3,\), got \(2,\)$"):
        response.maximise(acceleration=[1.0, 0.0])


def test_worst_of_a_jammed_body_is_finite():
    """How hard the walls press is open without end, which says nothing of its acceleration: the worst is that it turns
    about the wall that it is pushed against."""
    walls = body([(-1.0, 0.0), (1.0, 0.0)], [(1, 0), (-1, 0)], 1.0, inputs=np.eye(3)[:, :1], torque_limits=5.0)
    c = np.random.default_rng(1).normal(size=3)
    best = walls.response().maximise(acceleration=c, ambiguity="worst")
    turn = GRAVITY * 1.0 / (0.1 + 1.0)  # rad/s^2: m g r / (I + m r^2)
    assert best.mode == "RF"
    assert best.value == pytest.approx((c[2] - c[1]) * turn, abs=1e-6)


def test_worst_of_a_force_without_upper_end():
    """Walls may press as hard as they like, but at least with the push."""
    walls = body([(-1.0, 0.0), (1.0, 0.0)], [(1, 0), (-1, 0)], 1.0, inputs=np.eye(3)[:, :1], torque_limits=5.0)
    response = walls.response()
    best = response.maximise(force=[0.0, 0.0, 1.0, 0.0], ambiguity="worst")
    assert best.torque == pytest.approx([5.0])
    assert best.value == pytest.approx(5.0)
    with pytest.raises(
        SolveError, match=r"^the objective grows for ever in mode FF; give torque_limits, or a constraint$"
    ):
        response.maximise(force=[0.0, 0.0, 1.0, 0.0], ambiguity="ignore")
    with pytest.raises(SolveError, match=r"^the objective grows for ever in mode "):
        walls.change(torque_limits=None).response().maximise(force=[0.0, 0.0, 1.0, 0.0], ambiguity="worst")


@pytest.mark.parametrize("off", [0.0, 5.9e-17, -1e-12, 1e-12])
def test_rounding_at_a_limit_of_zero_hides_no_mode(off):
    """The best torque may come back a little beyond its limit; other modes are possible there all the same."""
    braced = load("two_link_arm").change(torque_limits=[[-10.0, 0.0]]).response()
    assert {mode.name for mode in braced.modes_at([off])} == {"LRL", "FFS", "FFF"}
    assert braced.modes_at([1e-6]) == []
