import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.kernels import status
from surefoot.kernels.step import advance
from surefoot.motion.workspace import Workspace
from tests.contact.scenes import ball, block, compiled, found, random_state


def stepped(scene, state, **settings):
    """A workspace after one solved and taken step."""
    space = found(scene, state, **settings)
    code, residual, _ = space.solve()
    assert code == status.SOLVED
    assert residual <= 1e-9
    velocity = space.step.v_next.copy()
    advance(space.box, space.count, space.free_count)
    return space, velocity


# The move


@pytest.mark.parametrize("name", ["links", "arm"])
def test_positions_advance_with_the_new_velocity(name):
    scene = sf.load(name)
    state = random_state(scene, np.random.default_rng(0), reach=0.0, speed=0.1)
    space, velocity = stepped(scene, state)
    expected = state.q.copy()
    mujoco.mj_integratePos(scene.model, expected, velocity, 1e-3)
    assert space.data.qpos == pytest.approx(expected, abs=1e-12)
    assert np.array_equal(space.data.qvel, velocity)


def test_free_fall():
    scene = ball(above=1.0)
    space, velocity = stepped(scene, scene.home())
    assert space.count == 0
    assert velocity == pytest.approx([0, 0, -9.81e-3, 0, 0, 0])
    assert space.data.qpos[2] == pytest.approx(1.1 - 9.81e-6)


@given(above=st.floats(0, 4e-3), speed=st.floats(0, 3))
@settings(max_examples=40)
def test_a_falling_ball_never_ends_below_the_ground(above, speed):
    scene = ball(above=above)
    space, velocity = stepped(scene, scene.state(v=[0, 0, -speed, 0, 0, 0]))
    assert space.data.qpos[2] - 0.1 >= -1e-12
    assert velocity[2] >= -(speed + 0.01)


# Depth


@pytest.mark.parametrize("depth", [1e-4, 5e-3])
def test_depth_is_removed_by_a_share_and_makes_no_velocity(depth):
    scene = ball(above=-depth)
    space, velocity = stepped(scene, scene.home())
    assert np.abs(velocity).max() <= 1e-12
    assert space.data.qpos[2] - 0.1 == pytest.approx(-depth + 0.2 * (depth - 1e-6), rel=1e-6)


def test_depth_below_the_slop_stays():
    scene = ball(above=-0.9e-6)
    space, _ = stepped(scene, scene.home())
    assert space.data.qpos[2] == pytest.approx(0.1 - 0.9e-6, abs=1e-15)


def test_removing_depth_does_not_drive_others_in():
    """Two boxes on each other: the upper one is lifted with the lower one."""
    boxes = [
        sf.Box(size=(0.2, 0.2, 0.2), mass=1, position=(0, 0, 0.1 - 3e-3), name="low"),
        sf.Box(size=(0.2, 0.2, 0.2), mass=1, position=(0, 0, 0.3 - 3e-3), name="high"),
    ]
    scene = sf.scene(None, terrain=sf.Plane(mu=0.5), objects=boxes)
    state = scene.home()
    sim = sf.Simulator(scene, dt=1e-3)
    for _ in range(60):
        state, _ = sim.step(state)
        assert state.q[9] - state.q[2] >= 0.2 - 1e-6
        assert np.abs(state.v).max() <= 1e-9
    assert state.q[2] == pytest.approx(0.1, abs=2e-6)


def test_a_joint_beyond_its_limit_comes_back():
    world = (
        '<body name="w"><joint name="a" type="slide" axis="0 0 1" limited="true" range="-0.1 0.1"/>'
        '<geom type="sphere" size="0.1" mass="2"/></body>'
    )
    scene = compiled(world, joints=("a",))
    space, velocity = stepped(scene, scene.state([-0.11]))
    assert velocity[0] == pytest.approx(0.0, abs=1e-12)
    assert -0.11 < space.data.qpos[0] < -0.1


# Restitution


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_restitution_is_newtons(restitution):
    scene = ball()
    _, velocity = stepped(scene, scene.state(v=[0, 0, -2.0, 0, 0, 0]), restitution=restitution)
    assert velocity[2] == pytest.approx(2.0 * restitution, abs=1e-9)


def test_a_slow_touch_does_not_bounce():
    scene = ball()
    _, velocity = stepped(scene, scene.state(v=[0, 0, -0.01, 0, 0, 0]), restitution=1.0)
    assert velocity[2] == pytest.approx(0.0, abs=1e-12)


def test_what_does_not_arrive_within_the_step_does_not_bounce():
    scene = ball(above=4e-3)
    _, velocity = stepped(scene, scene.state(v=[0, 0, -2.0, 0, 0, 0]), restitution=1.0)
    assert velocity[2] == pytest.approx(-2.0 - 9.81e-3)


# Cold and reproducible


def test_a_step_is_a_function_of_its_state_alone():
    scene = sf.load("links")
    rng = np.random.default_rng(1)
    state = random_state(scene, rng, reach=0.0, speed=0.3)
    fresh, _ = stepped(scene, state)
    used = Workspace(scene, 1e-3)
    for _ in range(5):
        used.load(random_state(scene, rng, reach=0.02, speed=1.0))
        used.find()
        used.solve()
        advance(used.box, used.count, used.free_count)
    used.load(state)
    used.step.torque[:] = 0.0
    assert used.find() == status.SOLVED
    assert used.solve()[0] == status.SOLVED
    advance(used.box, used.count, used.free_count)
    assert np.array_equal(used.data.qpos, fresh.data.qpos)
    assert np.array_equal(used.data.qvel, fresh.data.qvel)


def test_a_massless_link_is_named():
    """MuJoCo refuses such a model, so the inertia is spoilt behind its back."""
    space = Workspace(block(), 1e-3)
    space.model.body_mass[:] = 0.0
    space.model.dof_M0[:] = 0.0  # of a body that is its own tree MuJoCo reads this one
    space.load(space.scene.home())
    assert space.find() == status.SOLVED
    assert space.solve()[0] == status.INERTIA


def test_forces_on_prescribed_joints_hold_them():
    """The torque that the inverse finds, given to the forward problem, brings the same velocities."""
    scene = sf.load("links")
    rng = np.random.default_rng(2)
    space = Workspace(scene, 1e-3)
    for _ in range(5):
        state = random_state(scene, rng, reach=0.0, speed=0.05)
        space.load(state)
        space.step.prescribed[scene.dofs] = True
        space.step.v_next[scene.dofs] = state.v[scene.dofs] + 1e-3 * rng.normal(size=12)
        assert space.find() == status.SOLVED
        assert space.solve()[0] == status.SOLVED
        forward = sf.forward_dynamics(scene, state, space.step.force[scene.dofs], dt=1e-3)
        assert forward.velocity == pytest.approx(space.step.v_next, abs=1e-8)
