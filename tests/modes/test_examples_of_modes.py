"""The bundled systems are what their texts say: by formulas, and by linear programs that share nothing with ours."""

import numpy as np
import pytest

import surefoot as sf

G = 9.81


def interval(polyhedron):
    (low,), (high,) = polyhedron.bounds()
    return pytest.approx((low, high), abs=1e-9)


def sizes(mode):
    """Shape and rank of A, counted by NumPy."""
    A = mode.equations[0]
    return A.shape, np.linalg.matrix_rank(A)


# ---------------------------------------------------------------------- block


def test_block_modes_share_the_plane(response):
    """F within the cone of the weight that is left, S above it, slides beside it: one solution each."""
    block = response("block")
    assert set(block.names) == {"S", "L", "R", "F"}
    rng = np.random.default_rng(0)
    for push, lift in rng.uniform([-30, -20], [30, 40], (200, 2)):
        load = 2 * G - lift
        expected = "S" if load < 0 else "F" if abs(push) < 0.5 * load else "R" if push > 0 else "L"
        solutions = block.solutions([push, lift])
        assert (solutions.kind, solutions.modes) == ("one", (expected,))
        if expected in "LR":
            slip = (push - np.sign(push) * 0.5 * load) / 2
            np.testing.assert_allclose(solutions[0].acceleration, [slip, 0], atol=1e-12)
            np.testing.assert_allclose(solutions[0].force, [load, -np.sign(push) * 0.5 * load], atol=1e-12)


# ---------------------------------------------------------------------- table


def test_table_leaves_tangential_forces_open(response):
    both = response("table")["FF"]
    assert sizes(both) == ((7, 7), 6)
    assert (both.rank, both.case, both.ambiguity_variables, both.ambiguity) == (6, 4, 1, "forces")
    solutions = response("table").solutions([0, 0])
    assert (solutions.kind, solutions.modes, solutions[0].dimension) == ("continuum", ("FF",), 1)
    ends = solutions[0].range()
    leg = 10 * G
    np.testing.assert_allclose(ends.force_low, [leg, -0.4 * leg, leg, -0.4 * leg], atol=1e-9)
    np.testing.assert_allclose(ends.force_high, [leg, 0.4 * leg, leg, 0.4 * leg], atol=1e-9)
    np.testing.assert_allclose([ends.acceleration_low, ends.acceleration_high], np.zeros((2, 3)), atol=1e-12)


def test_table_slides_and_tips_where_it_should(response):
    table = response("table")
    assert table.solutions([20 * G * 0.4 - 1e-3, 0]).modes == ("FF",)
    assert table.solutions([20 * G * 0.4 + 1e-3, 0]).modes == ("RR",)
    # It tips about its left leg when lifted by half its weight times 1 m over 1.1 m, the lever of the right edge.
    assert table.solutions([0, 20 * G * 0.5 / 1.1 - 1e-3]).modes == ("FF",)
    assert table.solutions([0, 20 * G * 0.5 / 1.1 + 1e-3]).modes == ("FS",)


# ---------------------------------------------------------------------- ball bearing


def test_ball_bearing_leaves_its_acceleration_open(response):
    ball = response("ball_bearing")
    assert set(ball.names) == {"LLLL", "RRRR", "FFFF"}
    slides, sticks = ball["RRRR"], ball["FFFF"]
    assert sizes(slides) == ((11, 11), 9)
    assert (slides.case, slides.ambiguity_variables, slides.ambiguity) == (4, 2, "accelerations")
    assert sizes(sticks) == ((11, 11), 6)
    assert (sticks.ambiguity_variables, sticks.ambiguity) == (5, "forces")
    # The least squeeze: floor N and left wall mu N carry the weight, m g = (1 + mu^2) N.
    mu, radius, weight, inertia = 0.3, 0.1, 0.5 * G, 0.5 * 0.5 * 0.1**2
    least = mu * radius * (1 + mu) * weight / (1 + mu**2)
    assert interval(slides.torques) == (least, np.inf)
    assert interval(sticks.torques) == (-np.inf, np.inf)
    ends = slides.extent([0.5])
    assert ends.acceleration_high[2] == pytest.approx((0.5 - least) / inertia)
    assert ends.acceleration_low[2] == pytest.approx(0.0, abs=1e-9)


# ---------------------------------------------------------------------- two-link arm


def test_arm_is_figure_1(response):
    """A is 10 x 10 of rank 8 with two ambiguity variables; a contact cannot slide while its link is held elsewhere."""
    arm = response("two_link_arm")
    mode = arm["FFF"]
    assert sizes(mode) == ((10, 10), 8)
    assert (mode.rank, mode.case, mode.ambiguity_variables, mode.ambiguity) == (8, 4, 2, "forces")
    assert np.linalg.matrix_rank(arm.system.jacobian) == 4
    assert "LFF" not in arm.system.kinematic_modes()
    assert "FFF" in arm.system.kinematic_modes()


def test_arm_holds_surely_only_if_it_is_braced(response):
    arm, mass, width, height, mu = response("two_link_arm"), 1.0, 0.4, 0.3, 1.0
    assert set(arm.names) == {"FFF", "FFS", "SFF", "SSS", "LRL"}
    assert interval(arm["FFF"].torques) == (-np.inf, np.inf)  # a link inside both friction cones jams
    # All slide down: 4 mu N = 2 m g at the least, and N pushes over the height of a link.
    assert interval(arm["LRL"].torques) == (-mass * G * height / (2 * mu), 0)
    # One link hangs from the elbow: its weight against the torque.
    assert interval(arm["FFS"].torques) == (-mass * G * width / 2, np.inf)
    assert interval(arm["SFF"].torques) == (mass * G * width / 2, np.inf)
    (sure,) = arm.unambiguous("FFF").pieces
    assert interval(sure) == (-np.inf, -mass * G * width / 2)
    high = arm["FFF"].extent([-1.0]).force_high
    assert np.isinf(high[[0, 2, 4]]).all()


def test_arm_on_walls_that_are_not_rough_enough_to_jam():
    arm = sf.modes.load("two_link_arm").change(friction=0.7).response()
    assert set(arm.names) == {"FFF", "SSS", "LRL"}
    held = -G * 0.3 / (2 * 0.7)
    assert interval(arm["FFF"].torques) == (-np.inf, held)
    assert interval(arm["LRL"].torques) == (held, 0)
    assert np.isfinite(arm["FFF"].extent([-5.0]).force_high).all()


# ---------------------------------------------------------------------- rods


def test_painleve_rod_has_no_solution_until_its_weight_is_off(response):
    rod = response("painleve_rod")
    (found,) = rod.painleve
    cosine, sine, mu = 0.6, 0.8, 2.0
    assert (found.contact, found.slide) == ("tip", "L")
    assert found.coefficient == pytest.approx(1 + 3 * cosine**2 - 3 * mu * cosine * sine)
    for lift, kind, modes in ((0, "none", set()), (G - 1e-6, "none", set()), (G + 1e-6, "several", {"S", "L"})):
        solutions = rod.solutions([lift])
        assert (solutions.kind, set(solutions.modes)) == (kind, modes)
    assert rod.solutions([0]).painleve == rod.painleve


@pytest.mark.parametrize(("friction", "kind"), [(13 / 9 - 1e-6, "one"), (13 / 9 + 1e-6, "none")])
def test_the_threshold_of_painleves_rod(friction, kind):
    rod = sf.modes.load("painleve_rod").change(friction=friction).response()
    assert rod.solutions([0]).kind == kind
    assert len(rod.painleve) == (kind == "none")


def test_ambiguous_rod_leaves_or_jams(response):
    solutions = response("ambiguous_rod").solutions()
    assert solutions.kind == "several"
    leaves, jams = sorted(solutions, key=lambda solution: solution.mode, reverse=True)
    assert (leaves.mode, jams.mode) == ("S", "L")
    np.testing.assert_allclose(leaves.acceleration, [0, -G, 0], atol=1e-12)
    normal = (36 * 0.4 - G) / 0.8
    np.testing.assert_allclose(jams.force, [normal, 2 * normal], rtol=1e-12)


def test_rod_in_corner_has_three_solutions(response):
    rod = response("rod_in_corner")
    assert set(rod.names) == {"FF", "FS", "SS", "SL", "LL", "RS"}
    assert set(rod.solutions([2, 10]).modes) == {"FS", "RS", "SS"}
    assert rod.solutions([0, 0]).modes == ("FF",)
    assert not rod.unambiguous("RS").pieces  # a slide to the right is never sure
    rougher = rod.system.change(friction=[2.0, 1.5]).response()
    assert set(rougher.solutions([2, 10]).modes) == {"FF", "FS", "RS", "SS"}


# ---------------------------------------------------------------------- all of them


@pytest.mark.parametrize("name", sf.modes.EXAMPLES)
def test_every_solution_obeys_the_laws_it_names(response, name):
    """Dynamics, friction and complementarity of what is found, written out again."""
    found = response(name)
    system = found.system
    rng = np.random.default_rng(1)
    for torque in np.vstack([np.zeros(system.torques), rng.normal(0, 20, (20, system.torques))]):
        for solution in found.solutions(torque):
            force, acceleration = solution.force, solution.acceleration
            pushed = system.inputs @ torque + system.jacobian.T @ force - system.bias
            np.testing.assert_allclose(system.inertia @ acceleration, pushed, atol=1e-8 * max(1, np.abs(force).max()))
            motion = (system.jacobian @ acceleration + system.jacobian_rate).reshape(-1, 2)
            for i, (token, (f_n, f_t), (a_n, a_t)) in enumerate(
                zip(found[solution.mode].tokens, force.reshape(-1, 2), motion, strict=True)
            ):
                slack = 1e-8 * max(1.0, np.abs(force).max())
                moving = abs(system.contact_velocity[i, 1]) > 1e-9
                sign = {"L": -1.0, "R": 1.0}.get(token, 0.0)
                if token == "S":
                    assert (f_n, f_t) == pytest.approx((0, 0), abs=slack)
                    assert a_n > 0
                    continue
                assert a_n == pytest.approx(0, abs=slack)
                assert f_n >= -slack
                assert abs(f_t) <= system.friction[i] * f_n + slack
                if token == "F":
                    assert a_t == pytest.approx(0, abs=slack)
                else:
                    assert f_t == pytest.approx(-sign * system.friction[i] * f_n, abs=slack)
                    assert moving or sign * a_t > 0


@pytest.mark.parametrize("name", sf.modes.EXAMPLES)
def test_no_mode_is_missed(response, name):
    """SciPy's linear programs, one a mode, agree on all modes, and on those at torques here and there."""
    oracle = pytest.importorskip("tests.modes.brute_force")
    found = response(name)
    assert oracle.disagreements(found.names, oracle.brute_force(found.system)) == ([], [])
    rng = np.random.default_rng(2)
    for torque in rng.normal(0, 20, (3, found.system.torques)):
        judged = oracle.brute_force(found.system, torque)
        assert oracle.disagreements(found.solutions(torque).modes, judged) == ([], [])
