import numpy as np
import pytest

import surefoot as sf

DT = 1e-3


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
    crowd = sf.Contacts.from_points(
        links, links.home(), [[x, y, 0.0] for x in (-0.1, 0.0, 0.1) for y in (-0.1, 0.1)], [links.feet[0].body] * 6
    )
    with pytest.raises(sf.InputError, match=r"expected at most 4 contacts that may carry load .*, got 6"):
        sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT, law=sf.Coulomb(select="nearest"), contacts=crowd)
