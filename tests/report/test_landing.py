import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.report.landing import energies, landing
from tests.report.soft_trace import pendulum, quadruped, soft_trace


def test_a_fall_in_numbers(landed):
    found = landing(landed)
    weight = landed.scene.mass * 9.81
    assert found.weight == pytest.approx(weight)
    # 5 cm of free fall take sqrt(2 h / g) = 0.101 s.
    assert found.touch_time == pytest.approx(np.sqrt(0.1 / 9.81), abs=3 * landed.dt)
    assert found.peak_force > 2 * weight
    assert found.touch_time <= found.peak_time < 0.2
    assert found.touch_time < found.rest_time < 0.6
    assert found.drift_window == pytest.approx(0.25)
    assert 0 <= found.drift < 1e-3
    assert 1e-4 < found.penetration < 0.02
    # What falls 5 cm has m g h to lose, and a little more as the legs give way.
    assert weight * 0.05 < found.energy_start < weight * 0.07
    assert found.energy_end < 1e-3
    assert found.energy_most == pytest.approx(found.energy_start, rel=1e-3)
    assert found.peak_torque == np.abs(landed.torque).max()


def test_known_contacts(landed):
    """Two pairs: one slides 3, then 4 mm/s under load for a step each, one 100 mm/s without load."""
    made = landed.but(
        contact_start=np.r_[0, 2, 4, np.full(len(landed.torque) - 2, 4)],
        contact_geoms=np.array([[1, 0], [2, 0], [1, 0], [2, 0]]),
        contact_forces=np.array([[5.0, 0, 0], [0, 0, 0], [7, 0, 0], [2, 0, 0]]),
        contact_velocities=np.array([[0, 3e-3, 0], [0, 0.1, 0], [0, 0, 4e-3], [0, 0, 0]]),
        contact_gaps=np.array([1e-3, -2e-6, 0.0, -1e-6]),
    )
    found = landing(made)
    assert found.slip == pytest.approx(landed.dt * 7e-3)
    assert found.peak_force == 9.0
    assert found.peak_time == made.t[1]
    assert found.penetration == 2e-6


def test_energy_of_a_pendulum_is_kept_without_torque():
    trace = soft_trace(pendulum(), duration=0.5, dt=1e-4, kp=0.0, kd=0.0)
    energy = energies(trace)
    total = energy.sum(axis=1)
    assert np.ptp(energy[:, 0]) > 0.5
    np.testing.assert_allclose(total, total[0], atol=2e-3 * np.ptp(energy[:, 0]))
    assert energy[-1, 1] == 0.0


def test_nothing_touched_and_never_at_rest():
    found = landing(soft_trace(quadruped(), duration=0.05))
    assert (found.touch_time, found.rest_time, found.peak_force, found.slip, found.penetration) == (None, None, 0, 0, 0)
    # Shorter than the window: drift over all but the last step's start, 9.81 t^2 / 2.
    assert found.drift_window == pytest.approx(0.05)
    assert found.drift == pytest.approx(0.5 * 9.81 * 0.05**2, rel=0.06)


def test_at_rest_from_the_start(landed):
    still = landed.but(v=np.zeros_like(landed.v))
    assert landing(still).rest_time == 0.0


def test_states_that_blew_up_have_no_energy(landed):
    q = landed.q.copy()
    q[-2:] = np.nan
    energy = energies(landed.but(q=q))
    assert np.isnan(energy[-2:]).all()
    assert np.isfinite(energy[:-2]).all()
    assert energy[-3, 1] == 0.0


def test_wrong_window(landed):
    with pytest.raises(InputError, match=r"^window: expected a number above 0, got -1$"):
        landing(landed, window=-1)
