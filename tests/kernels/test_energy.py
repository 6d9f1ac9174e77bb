import numpy as np
import pytest

import surefoot as sf

DT = 1e-3


@pytest.fixture(scope="module")
def links():
    return sf.load("links")


def moving(robot, seed):
    rng = np.random.default_rng(seed)
    return robot.home().replace(v=np.r_[0.1 * rng.standard_normal(6), 0.3 * rng.standard_normal(12)])


def test_no_other_impulse_in_the_cones_leaves_less_energy(links):
    law = sf.Dissipative(form="energy", mu=0.5, smooth=False)
    rng = np.random.default_rng(1)
    for seed in range(5):
        answer = sf.forward_dynamics(links, moving(links, seed), dt=DT, law=law)
        p = answer._problem
        W, f, g = p["W"], p["f"], p["aim"]
        least = 0.5 * f @ (W @ (W.T @ f)) + f @ g
        for _ in range(50):
            other = f.reshape(-1, 3) + rng.standard_normal((len(f) // 3, 3)) * 10.0 ** rng.uniform(-4, -1)
            other[:, 0] = np.maximum(other[:, 0], np.abs(other[:, 1:]).sum(axis=1) / 0.5)  # inside the pyramid
            other = other.ravel()
            if (W[::3] @ (W.T @ other) + p["c0"][::3] + p["offset"] >= 0).all():
                assert 0.5 * other @ (W @ (W.T @ other)) + other @ g >= least - 1e-12


def test_it_brakes_what_does_not_slip(links):
    """A body that moves over feet at rest: the slip form pushes up only, the energy form also holds it back."""
    state = links.home().replace(v=np.r_[0.2, np.zeros(17)])
    J = sf.inverse_dynamics(links, state, np.zeros(12), dt=DT).contacts.J.reshape(-1, 18)
    v = state.v.copy()
    v[6:] = -np.linalg.lstsq(J[:, 6:], J[:, :6] @ v[:6], rcond=None)[0]  # the legs keep the feet where they are
    state = links.home().replace(v=v)
    slip = sf.inverse_dynamics(links, state, np.zeros(12), dt=DT, law=sf.Dissipative(mu=0.5))
    energy = sf.inverse_dynamics(links, state, np.zeros(12), dt=DT, law=sf.Dissipative(form="energy", mu=0.5))
    assert energy.ground_force[0] < -5.0
    assert energy.ground_force[0] < slip.ground_force[0] - 5.0


def test_forward_and_inverse_do_not_match(links):
    law = sf.Dissipative(form="energy", mu=0.5)
    rng = np.random.default_rng(0)
    worst = 0.0
    for seed in range(5):
        state = moving(links, seed)
        forward = sf.forward_dynamics(links, state, rng.standard_normal(12), dt=DT, law=law)
        inverse = sf.inverse_dynamics(links, state, forward.acceleration[links.dofs], dt=DT, law=law)
        again = sf.forward_dynamics(links, state, inverse.torque, dt=DT, law=law)
        worst = max(worst, np.abs(again.velocity - forward.velocity).max())
    assert worst > 1e-3
