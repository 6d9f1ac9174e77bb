"""Prescribed motion at steps from 1 to 100 ms: it stays stable, follows exactly, and walks where fine steps walk.

The quadruped of Zapolsky's dissertation skated as if on ice when its joints were prescribed (chapter 8).
"""

import numpy as np
import pytest

import surefoot as sf
from tests.simulate.motions import WAVE, WAVING, Stride, tilt, trotting

STEPS = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1)
DURATION = 3.0  # s


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


def base_path(trace):
    """(31, 2) m: where the base is every 0.1 s."""
    return trace.q[:: round(0.1 / trace.dt), :2]


def deviation(path, reference):
    """Largest distance between two paths at the same time, relative to the length of the second."""
    length = np.linalg.norm(np.diff(reference, axis=0), axis=1).sum()
    return np.linalg.norm(path - reference, axis=1).max() / length


@pytest.mark.parametrize("dt", STEPS)
def test_a_trot_of_sinusoids_is_stable_at_every_step(robot, dt):
    trace = sf.Simulator(robot, dt=dt, law=sf.Coulomb(mu=0.5)).rollout(
        robot.home(), motion=trotting(robot), duration=DURATION
    )
    assert trace.message == f"{round(DURATION / dt)} steps, all solved"
    assert np.isfinite(trace.q).all()
    assert tilt(trace).min() > 0.95
    assert np.abs(trace.lag).max() < 1e-12
    assert trace.q[-1, 0] > 0.5  # m: it gets somewhere


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("fingers", [False, True])
def test_the_wave_of_the_ur10_is_stable_at_every_step(dt, fingers):
    robot = sf.load("ur10", ground=None)
    size, rate = np.array(WAVE).T
    state = robot.state(v=np.r_[size * rate, 0.0, 0.0])
    motion = WAVING
    if fingers:  # they follow as well; else they slide between their stops
        names = [*WAVING.joints, "left_finger_joint", "right_finger_joint"]
        motion = WAVING.bind(names, params=[*WAVE, (0.0, 1.0), (0.0, 1.0)])
    trace = sf.Simulator(robot, dt=dt).rollout(state, motion=motion, duration=10.0)
    assert trace.ok
    assert np.abs(trace.q[:, :6] - size * np.sin(rate * trace.t[:, None])).max() < 1e-12
    assert np.abs(trace.lag).max() < 1e-12
    # A stop more than 1 cm away is not looked for by a finger at rest, which at 50 ms passes it within one step.
    within = trace.q[:, 6:] if dt <= 2e-2 else trace.q[-1:, 6:]
    assert np.abs(within).max() < 0.014 + 1e-3
    assert np.isfinite(trace.torque).all()


@pytest.mark.parametrize("mu", [0.5, 1.0])
def test_feet_that_keep_their_distances_do_not_skate(robot, mu):
    law = sf.Coulomb(mu=mu)
    reference = None
    for dt in STEPS:
        trace = sf.Simulator(robot, dt=dt, law=law).rollout(robot.home(), motion=Stride(robot), duration=DURATION)
        assert trace.ok
        assert tilt(trace).min() > 0.98
        assert np.abs(trace.lag).max() < 1e-12
        path = base_path(trace)
        reference = path if reference is None else reference
        assert deviation(path, reference) < (0.10 if dt <= 2e-2 else 0.25), f"{1e3 * dt:g} ms"
        # 4 x 0.03 m x 1.5 Hz while a foot is down, in the first second half of it
        assert path[-1, 0] > 0.7 * 0.18 * (DURATION - 0.5), f"{1e3 * dt:g} ms"


def test_the_mean_path_of_a_trot_of_sinusoids_does_not_depend_on_the_step(robot):
    # Its feet must slip, since their distances change, and what slips forgets where it came from: a change of 1e-9 m/s
    # at the start grows to centimetres within three seconds at any step. So medians of several starts are compared.
    law = sf.Coulomb(mu=0.5)
    reference = None
    for dt in STEPS[:5]:
        sim, random = sf.Simulator(robot, dt=dt, law=law), np.random.default_rng(2)
        paths = []
        for _ in range(12):
            v = np.concatenate([1e-6 * random.normal(size=6), np.zeros(12)])
            paths.append(base_path(sim.rollout(robot.state(v=v), motion=trotting(robot), duration=DURATION)))
        path = np.median(paths, axis=0)
        reference = path if reference is None else reference
        assert deviation(path, reference) < 0.10, f"{1e3 * dt:g} ms"
