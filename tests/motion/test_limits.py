import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.motion.limits import torque_range

DT = 1e-3


@pytest.fixture(scope="module")
def links():
    return sf.load("links")


def test_forms_of_a_limit(links):
    low, high = torque_range(links, None)
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()
    for limits in (2.0, np.full(12, 2.0), np.tile([-2.0, 2.0], (12, 1)), dict.fromkeys(links.joints, 2)):
        low, high = torque_range(links, limits)
        assert (low == -2.0).all()
        assert (high == 2.0).all()
    low, high = torque_range(links, {"LF_X1": (-1.0, 3.0)})
    assert (low[0], high[0]) == (-1.0, 3.0)
    assert np.isinf(high[1:]).all()


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (-1.0, "torque_limits: expected a number of at least 0, got -1"),
        (np.ones(3), "torque_limits: expected shape (12,), got (3,)"),
        ({"knee": 1.0}, "torque_limits: no actuated joint is called 'knee'"),
        ({"LF_X1": "strong"}, "torque_limits['LF_X1']: expected a largest torque, or (low, high), got"),
        ({"LF_X1": (2.0, 1.0)}, "torque_limits['LF_X1']: expected low <= high, or a largest torque of at least 0"),
        ({"LF_X1": (-1.0, np.inf)}, "torque_limits['LF_X1']: expected both or none of low and high to be finite"),
    ],
)
def test_wrong_limits_are_named(links, limits, text):
    with pytest.raises(sf.InputError, match="^" + re.escape(text)):
        torque_range(links, limits)


def test_a_joint_that_cannot_follow_stays_behind_by_what_is_missing(tmp_path):
    """A wheel of inertia I asked for an acceleration that needs I a, with less torque than that."""
    (tmp_path / "wheel.xml").write_text(
        "<mujoco><option gravity='0 0 0'/><worldbody><body name='wheel'><joint name='axle' axis='0 0 1'/>"
        "<inertial pos='0 0 0' mass='1' diaginertia='0.5 0.5 0.5'/></body></worldbody>"
        "<actuator><motor joint='axle'/></actuator></mujoco>"
    )
    wheel = sf.load(tmp_path / "wheel.xml", ground=None)
    for law in (sf.Coulomb(), sf.NoSlip(), sf.Dissipative(), sf.Compliant(1e4), sf.Soft()):
        answer = sf.inverse_dynamics(wheel, wheel.home(), [10.0], dt=DT, law=law, torque_limits=2.0)
        assert answer.torque == pytest.approx([2.0])
        assert answer.acceleration == pytest.approx([4.0])
        assert answer.missed == pytest.approx([6.0 * DT])
        strong = sf.inverse_dynamics(wheel, wheel.home(), [10.0], dt=DT, law=law, torque_limits=(6.0,))
        assert strong.torque == pytest.approx([5.0])
        assert not strong.missed.any()


def test_wide_limits_change_no_motion(links):
    for law in (sf.Coulomb(), sf.Dissipative(), sf.NoSlip(release=False)):
        free = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT, law=law)
        wide = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT, law=law, torque_limits=50.0)
        assert wide.velocity == pytest.approx(free.velocity, abs=1e-9)
        assert np.abs(wide.torque).max() <= 50.0


def test_the_answer_stays_within_its_limits_and_satisfies_the_law(links):
    answer = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT, torque_limits=0.2)
    assert np.abs(answer.torque).max() <= 0.2 + 1e-12
    assert (np.abs(answer.missed) > 0).any()
    residuals = answer.residuals()
    assert max(residuals[part] for part in ("dynamics", "reduction", "normal", "friction", "joints")) <= 1e-9
    controller = sf.InverseDynamics(links, DT, torque_limits=0.2)
    assert np.abs(controller(links.home(), np.zeros(12))).max() <= 0.2 + 1e-12


def test_no_limit_at_all(links):
    low, high = torque_range(links, np.inf)
    assert np.isinf(low).all()
    assert np.isinf(high).all()


def test_the_energy_form_refuses_limits(links):
    law = sf.Dissipative(form="energy")
    answer = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT, law=law, torque_limits=1.0, throw=False)
    assert answer.status is sf.Status.UNSOLVED
