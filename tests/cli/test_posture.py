import numpy as np
import pytest

from surefoot.cli.posture import SAG, hold_posture, posture_gains, springs_and_dampers
from surefoot.report.landing import landing
from surefoot.robots.families import build
from tests.report.soft_trace import quadruped, soft_trace


@pytest.mark.parametrize("dt", [5e-4, 1e-3, 2e-3])
@pytest.mark.parametrize("name", ["links", "links-light"])
def test_a_dropped_robot_comes_to_rest_near_its_posture(name, dt):
    """Under MuJoCo's own contact, so that this tests the gains alone."""
    scene = build(name)
    stiffness, damping = posture_gains(scene, scene.home(), dt)
    trace = soft_trace(scene, 2.0, dt, 0.1, stiffness, damping)
    assert landing(trace).rest_time < 1.5
    assert np.abs(trace.q[-1] - scene.home().q)[scene.joint_positions].max() < SAG


def test_damping_is_that_of_the_end_of_the_step():
    """V v is D v+ with v+ = v - dt A V v."""
    import mujoco

    scene, dt = quadruped(), 1e-3
    stiffness, damping = posture_gains(scene, scene.home(), dt)
    data = mujoco.MjData(scene.model)
    scene.home().to_mujoco(data)
    mujoco.mj_forward(scene.model, data)
    inertia = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(scene.model, data, inertia)
    mobility = np.linalg.inv(inertia)[np.ix_(scene.dofs, scene.dofs)]
    speed = np.linspace(-3, 4, len(scene.dofs))
    torque = damping @ speed
    after = speed - dt * mobility @ torque
    ratio = torque / after
    np.testing.assert_allclose(ratio, ratio[0])
    assert stiffness > 0
    assert ratio[0] > 0


def test_the_compiled_policy_is_that_formula():
    scene = build("links")
    dt = 1e-3
    stiffness, damping = posture_gains(scene, scene.home(), dt)
    rng = np.random.default_rng(0)
    q, v = scene.home().q + 0.1 * rng.standard_normal(scene.nq), rng.standard_normal(scene.nv)
    bound = hold_posture(scene, scene.home(), dt)
    torque = np.full(len(scene.joints), np.inf)
    assert springs_and_dampers(0.0, q, v, torque, np.zeros(0), bound.params) == 0
    expected = stiffness * (scene.home().q - q)[scene.joint_positions] - damping @ v[scene.dofs]
    np.testing.assert_allclose(torque, expected, rtol=1e-12, atol=1e-12)
