import numpy as np
import pytest
from scipy.optimize import linprog

import surefoot as sf
from surefoot.modes.selection import nearest_forces
from surefoot.modes.step import NOTHING
from tests.modes.systems import NO_TORQUE, block, body

DT = 1e-3


def beyond(mode, force, reference):
    """How much nearer to the reference the forces of a mode could come, to first order, by SciPy's linear program."""
    shape = mode.fibre(NOTHING)
    start = mode.respond(NOTHING)[1]
    ways = np.array([mode.respond(NOTHING, axis)[1] - start for axis in np.eye(mode.ambiguity_variables)]).T
    w = np.linalg.lstsq(ways, force - start, rcond=None)[0]
    assert start + ways @ w == pytest.approx(force, abs=1e-9)
    assert (shape.rows @ w >= shape.offset - 1e-9).all()
    gradient = ways.T @ (force - reference)
    least = linprog(gradient, A_ub=-shape.rows, b_ub=-shape.offset, bounds=(-1e3, 1e3))
    return float(gradient @ w - least.fun)


@pytest.mark.parametrize("seed", range(8))
def test_nearest_forces_of_a_block_on_four_points(seed):
    feet = [(-1.0, -0.5), (-0.4, -0.5), (0.3, -0.5), (1.0, -0.5)]
    mode = body(feet, [(0, 1)] * 4, 0.5, inputs=NO_TORQUE).response()["FFFF"]
    assert mode.ambiguity_dimension == 5
    reference = np.random.default_rng(seed).normal(scale=5.0, size=8)
    force = nearest_forces(mode, reference)
    assert beyond(mode, force, reference) == pytest.approx(0.0, abs=1e-7)


def test_nearest_to_forces_of_the_mode_are_these():
    mode = block(inputs=NO_TORQUE).response()["FF"]
    wished = np.array([4.905, 1.2, 4.905, -1.2])
    assert nearest_forces(mode, wished) == pytest.approx(wished, abs=1e-9)
    assert nearest_forces(mode, np.zeros(4)) == pytest.approx([4.905, 0.0, 4.905, 0.0], abs=1e-9)


def test_forces_that_are_known_are_the_nearest():
    sliding = block(velocity=[1.0, 0.0, 0.0], inputs=NO_TORQUE).response()["RR"]
    force = nearest_forces(sliding, np.full(4, 7.0))
    assert force == pytest.approx(sliding.respond(NOTHING)[1])


def test_at_first_the_least_impulses_with_the_same_motion(links):
    plain = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT)
    nearest = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT, law=sf.Coulomb(select="nearest"))
    assert nearest.velocity == pytest.approx(plain.velocity, abs=1e-9)
    assert np.linalg.norm(nearest.forces) <= np.linalg.norm(plain.forces) + 1e-9
    residuals = nearest.residuals()
    assert max(residuals["normal"], residuals["friction"], residuals["dynamics"]) <= 1e-9


def test_then_the_nearest_to_the_last(links):
    """Small changes of the state change the forces a little, though they are not determined."""
    controller = sf.InverseDynamics(links, DT, law=sf.Coulomb(select="nearest"))
    home = links.home()
    last = None
    for k in range(6):
        controller(home.replace(v=np.r_[1e-4 * k, np.zeros(17)]), np.zeros(12), throw=True)
        forces = controller.answer().forces
        if last is not None:
            assert np.abs(forces - last).max() <= 1.0
        last = forces


def test_what_it_cannot_do_is_refused(links, tmp_path):
    with pytest.raises(sf.InputError, match="select: expected one of None, 'nearest', got 'first'"):
        sf.Coulomb(select="first")
    with pytest.raises(sf.InputError, match="select: expected None beside smooth"):
        sf.Coulomb(select="nearest", smooth=True)
    (tmp_path / "dry.xml").write_text(
        "<mujoco><worldbody><body name='arm'><joint name='hinge' axis='0 1 0' frictionloss='0.1'/>"
        "<geom size='0.1' pos='0.3 0 0'/></body></worldbody><actuator><motor joint='hinge'/></actuator></mujoco>"
    )
    dry = sf.load(tmp_path / "dry.xml", ground=None)
    with pytest.raises(sf.InputError, match="select: 'nearest' cannot be had with dry joint friction or torque limits"):
        sf.forward_dynamics(dry, dry.home(), dt=DT, law=sf.Coulomb(select="nearest"))


def test_a_choice_that_breaks_the_law_is_not_made(links, monkeypatch):
    """Were the projection wrong, the solution that was found would stay."""
    plain = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT)
    monkeypatch.setattr("surefoot.modes.selection.nearest_forces", lambda mode, reference: np.full(len(reference), 3.0))
    kept = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT, law=sf.Coulomb(select="nearest"))
    assert np.array_equal(kept.forces, plain.forces)
