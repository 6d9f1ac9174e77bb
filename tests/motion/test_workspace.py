import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError
from surefoot.kernels import status
from surefoot.motion.workspace import Workspace
from tests.contact.scenes import ball, block, compiled, dense_problem, found, four_bar, random_state

PENDULUM = """
<geom name="ground" type="plane" size="5 5 1" pos="0 0 -5"/>
<body name="one"><joint name="a" axis="0 1 0" damping="2.5" stiffness="3"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5"/>
  <body name="two" pos="0 0 -0.5"><joint name="b" axis="0 1 0" frictionloss="0.2"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5"/></body></body>
"""


def residuals(space):
    """Dynamics of the answer in a workspace by dense algebra: what is left on free rows, and the needed force."""
    M, kappa = dense_problem(space)
    J, f = space.step.rows.J[: 3 * space.count], space.step.f[: 3 * space.count]
    return M @ space.step.v_next - kappa - J.T @ f


# The model is a copy


def test_the_scenes_model_is_not_touched():
    scene = sf.load("links")
    before = (scene.model.geom_gap.copy(), scene.model.opt.disableflags, scene.model.opt.jacobian)
    Workspace(scene, 1e-3)
    assert np.array_equal(scene.model.geom_gap, before[0])
    assert (scene.model.opt.disableflags, scene.model.opt.jacobian) == before[1:]


def test_contacts_are_found_by_gap_never_by_margin():
    space = Workspace(ball(above=2e-3), 1e-3)
    assert not space.model.geom_margin.any()
    assert space.detection == pytest.approx(4.5e-3)
    assert space.model.geom_gap == pytest.approx(np.full(space.model.ngeom, 2.25e-3))


@pytest.mark.parametrize("speed", [3.0, 30.0])
def test_the_soft_law_looks_no_further_than_a_millimetre(speed):
    """It ignores open contacts: what it finds may not depend on how fast the robot is."""
    assert Workspace(ball(), 1e-3, law=sf.Soft().numbers(), speed=speed).detection == 1e-3


@pytest.mark.parametrize(("spheres", "trees"), [(10, False), (30, True)])
def test_open_contacts_are_the_same_with_and_without_trees_of_boxes(spheres, trees):
    """MuJoCo's middle phase only saves time, where bodies have many geoms; it is off where they have few."""
    angles = 2 * np.pi * np.arange(spheres) / spheres
    ring = "".join(f'<geom type="sphere" size="0.02" pos="{np.cos(a)} {np.sin(a)} 0"/>' for a in angles)
    body = f'<body pos="0 0 {{}}"><freejoint/>{ring}</body>'
    world = '<geom name="ground" type="plane" size="5 5 1"/>'
    space = found(compiled(world + body.format(0.023) + body.format(0.066)))
    assert bool(space.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_MIDPHASE) != trees
    contacts = sorted(map(tuple, space.data.contact.geom))
    assert len(contacts) == 2 * spheres  # each lower sphere, 3 mm from the ground and from one of the other ring
    space.model.opt.disableflags ^= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    assert space.find(None) == 0
    assert sorted(map(tuple, space.data.contact.geom)) == contacts


# One step, by dense algebra


@pytest.mark.parametrize("chosen", ["none", "some", "all"])
@pytest.mark.parametrize("name", ["links", "arm", "pendulum"])
def test_momentum_balances_for_any_prescribed_set(name, chosen):
    scene = compiled(PENDULUM, joints=("a", "b")) if name == "pendulum" else sf.load(name)
    rng = np.random.default_rng(5)
    for _ in range(4):
        space = Workspace(scene, 1e-3)
        space.load(random_state(scene, rng, reach=0.02, speed=0.3))
        joints = {"none": [], "some": scene.dofs[::2], "all": scene.dofs}[chosen]
        space.step.prescribed[joints] = True
        space.step.v_next[joints] = rng.normal(size=len(joints)) * 0.1
        known = np.setdiff1d(scene.dofs, joints)
        space.step.torque[known] = rng.normal(size=len(known))
        asked = space.step.v_next.copy()
        assert space.find() == status.SOLVED
        code, residual, _ = space.solve()
        assert code in (status.SOLVED, status.INDETERMINATE)
        assert residual <= 1e-9
        left = residuals(space)
        free = ~space.step.prescribed
        size = max(np.abs(space.step.reduced.kappa).max(), 1e-6)
        assert np.abs(left[free]).max(initial=0.0) <= 1e-9 * size
        assert np.array_equal(space.step.v_next[joints], asked[joints])
        if name != "pendulum":  # dry friction shifts it there
            force = np.where(free, 0.0, space.step.force)
            assert np.abs(space.dt * force - np.where(free, 0.0, left)).max() <= 1e-9 * size


def test_damping_is_implicit():
    """A joint with damping far beyond M/dt stops; it does not oscillate."""
    world = (
        '<body name="w"><joint name="a" axis="0 0 1" damping="1000"/><geom type="sphere" size="0.1" mass="1"/></body>'
    )
    scene = compiled(world, joints=("a",))
    inertia = 0.4 * 0.1**2
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0]), [0.0], dt=1e-2)
    assert answer.velocity[0] == pytest.approx(inertia / (inertia + 1e-2 * 1000), rel=1e-9)


@pytest.mark.parametrize(("torque", "moves"), [(0.5, False), (-0.5, False), (2.0, True)])
def test_dry_friction_holds_up_to_its_bound(torque, moves):
    world = (
        '<body name="w"><joint name="a" axis="0 0 1" frictionloss="1"/><geom type="sphere" size="0.1" mass="1"/></body>'
    )
    scene = compiled(world, joints=("a",))
    answer = sf.forward_dynamics(scene, scene.home(), [torque], dt=1e-3)
    expected = (torque - 1.0) / (0.4 * 0.1**2) if moves else 0.0
    assert answer.acceleration[0] == pytest.approx(expected, abs=1e-9)
    (row,) = answer.joint_rows
    assert (row.joint, row.kind) == ("a", "dry friction")
    assert row.force == pytest.approx(-1.0 if moves else -torque)


@given(velocity=st.floats(-2, 2), acceleration=st.floats(-50, 50))
@settings(max_examples=30)
def test_inverse_dynamics_overcomes_dry_friction(velocity, acceleration):
    world = (
        '<body name="w"><joint name="a" axis="0 0 1" frictionloss="1"/><geom type="sphere" size="0.1" mass="1"/></body>'
    )
    scene = compiled(world, joints=("a",))
    state = scene.state(v=[velocity])
    inverse = sf.inverse_dynamics(scene, state, [acceleration], dt=1e-3)
    forward = sf.forward_dynamics(scene, state, inverse.torque, dt=1e-3)
    assert forward.velocity == pytest.approx(inverse.velocity, abs=1e-9)


def test_a_joint_stops_at_its_limit():
    world = (
        '<body name="w"><joint name="a" type="slide" axis="0 0 1" limited="true" range="-0.1 0.1"/>'
        '<geom type="sphere" size="0.1" mass="2"/></body>'
    )
    scene = compiled(world, joints=("a",))
    answer = sf.forward_dynamics(scene, scene.state([-0.1]), [0.0], dt=1e-3)
    assert answer.velocity[0] == pytest.approx(0.0, abs=1e-12)
    (row,) = answer.joint_rows
    assert (row.joint, row.kind) == ("a", "limit")
    assert row.force == pytest.approx(2 * 9.81)
    leaving = sf.forward_dynamics(scene, scene.state([-0.1], [1.0]), [0.0], dt=1e-3)
    assert leaving.joint_rows[0].force == 0.0


# Loops


@pytest.mark.parametrize("yaw", [0, 17, 90, 180])
def test_a_loop_holds_and_its_forces_are_left_out_of_the_torque(yaw):
    scene = four_bar(yaw)
    state = scene.state([0.3, -0.3, 0.3], [0.4, -0.4, 0.4])
    free = sf.forward_dynamics(scene, state, [0.1, 0.0, -0.2], dt=1e-4)
    assert free.residuals()["dynamics"] <= 1e-12
    # The parallelogram stays one: the crank turns as the rocker does.
    assert free.velocity[0] == pytest.approx(free.velocity[2], abs=1e-6)
    assert free.velocity[1] == pytest.approx(-free.velocity[0], abs=1e-6)
    # Prescribe the crank's part of that motion: the torque comes back.
    crank = sf.solve(scene, state, dt=1e-4, velocity={"a": free.velocity[0]}, torque={"b": 0.0, "c": -0.2})
    assert crank.velocity == pytest.approx(free.velocity, abs=1e-9)
    assert crank.torque == pytest.approx([0.1, 0.0, -0.2], abs=1e-6)


def test_joints_of_a_loop_that_contradict_it_are_inconsistent():
    scene = four_bar()
    answer = sf.solve(
        scene, scene.state([0.3, -0.3, 0.3]), dt=1e-3, velocity={"a": 1.0, "b": -1.0, "c": 0.0}, throw=False
    )
    assert answer.status is sf.Status.INCONSISTENT


@pytest.mark.parametrize("speed", [0.0, 0.3, 1.0])
def test_joints_of_a_loop_that_agree_with_it_are_not(speed):
    scene = four_bar()
    asked = {"a": speed, "b": -speed, "c": speed}
    answer = sf.solve(scene, scene.state([0.3, -0.3, 0.3]), dt=1e-3, velocity=asked)
    assert answer.velocity.tolist() == list(asked.values())


def test_a_loop_that_has_opened_closes_by_a_share_a_step():
    scene = four_bar()
    state = scene.state([0.02, -0.02, 0.0])
    space = found(scene, state)
    space.solve()
    data, before, after = space.data, None, None
    before = np.linalg.norm(data.efc_pos[: data.ne])
    sim = sf.Simulator(scene, dt=1e-3)
    for _ in range(30):
        state, _ = sim.step(state, np.zeros(3))
    space.load(state)
    space.find()
    space.solve()
    after = np.linalg.norm(data.efc_pos[: data.ne])
    assert after < 0.02 * before


def test_coupled_joints_move_together():
    world = (
        '<body name="x"><joint name="a" axis="0 0 1"/><geom type="sphere" size="0.1" mass="1"/></body>'
        '<body name="y" pos="1 0 0"><joint name="b" axis="0 0 1"/><geom type="sphere" size="0.1" mass="1"/></body>'
    )
    rest = '<equality><joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/></equality>'
    scene = compiled(world, rest, joints=("a", "b"))
    answer = sf.forward_dynamics(scene, scene.home(), [0.0, 1.0], dt=1e-3)
    inertia = 0.4 * 0.1**2
    assert answer.velocity[0] == pytest.approx(2 * answer.velocity[1], rel=1e-9)
    assert answer.acceleration[1] == pytest.approx(1.0 / (5 * inertia), rel=1e-9)


# Room grows, statuses, errors


def test_room_grows_with_the_contacts():
    boxes = [sf.Box(size=(0.2, 0.2, 0.1), mass=1, position=(0.5 * i, 0, 0.05), name=f"b{i}") for i in range(9)]
    scene = sf.scene(None, terrain=sf.Plane(mu=0.5), objects=boxes)
    space = found(scene, capacity=2)
    assert space.count == 36
    assert space.capacity >= 36
    assert space.solve()[0] == status.SOLVED
    whole = found(scene, capacity=64)
    whole.solve()
    assert np.array_equal(space.step.v_next, whole.step.v_next)


def test_a_state_that_has_diverged_is_named():
    space = Workspace(ball(), 1e-3)
    space.load(space.scene.state(v=[1e13, 0, 0, 0, 0, 0]))
    assert space.find() == status.NOT_FINITE
    space.load(space.scene.home())
    assert space.find() == status.SOLVED  # and leaves nothing behind
    space.data.qpos[0] = np.nan
    assert space.find() == status.NOT_FINITE
    space.load(space.scene.home())
    assert space.find() == status.SOLVED
    assert space.solve()[0] == status.SOLVED


def test_a_torque_that_is_no_number_is_named_and_forgotten():
    robot = sf.load("links")
    space = Workspace(robot, 1e-3)
    space.load(robot.home())
    space.step.torque[7] = np.nan
    assert space.find() == status.NOT_FINITE
    space.step.torque[7] = 0.0
    space.load(robot.home())
    assert space.find() == status.SOLVED


def test_dropped_contacts_are_named():
    world = '<geom name="ground" type="plane" size="5 5 1"/>' + "".join(
        f'<body name="b{i}" pos="{0.3 * i} 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05"/></body>'
        for i in range(20)
    )
    scene = compiled(world, '<size memory="20K"/>')
    space = Workspace(scene, 1e-3)
    space.load(scene.home())
    assert space.find() == status.CONTACTS_DROPPED


def test_everything_prescribed_has_no_determined_forces():
    world = (
        '<geom name="ground" type="plane" size="5 5 1"/><body name="w" pos="0 0 0.1">'
        '<joint name="a" type="slide" axis="0 0 1"/><geom type="sphere" size="0.1" mass="2"/></body>'
    )
    scene = compiled(world, joints=("a",))
    rest = sf.inverse_dynamics(scene, scene.home(), [0.0], dt=1e-3)
    assert rest.status is sf.Status.INDETERMINATE
    assert rest.torque[0] == pytest.approx(2 * 9.81)
    rising = sf.inverse_dynamics(scene, scene.home(), [1.0], dt=1e-3)
    assert rising.status is sf.Status.SOLVED
    sinking = sf.inverse_dynamics(scene, scene.home(), [-1.0], dt=1e-3, throw=False)
    assert sinking.status is sf.Status.INFEASIBLE


@pytest.mark.parametrize("bad", [0.0, -1e-3, np.nan, "1"])
def test_a_step_must_be_a_number_above_zero(bad):
    with pytest.raises(InputError, match=r"^dt: expected a"):
        Workspace(ball(), bad)


def test_restitution_lies_between_zero_and_one():
    with pytest.raises(InputError, match=r"restitution: expected a number of at most 1, got 1.5"):
        Workspace(ball(), 1e-3, restitution=1.5)


def test_a_state_of_another_scene_is_refused():
    space = Workspace(ball(), 1e-3)
    with pytest.raises(InputError, match=r"state.q: expected shape \(7,\), got \(19,\)"):
        space.load(sf.load("links").home())


def test_loading_and_reading_a_state():
    scene = block()
    space = Workspace(scene, 1e-3)
    state = scene.state(v=np.arange(6.0), t=2.5)
    space.load(state)
    back = space.state()
    assert np.array_equal(back.q, state.q)
    assert np.array_equal(back.v, state.v)
    assert back.t == 2.5


def test_mujocos_limits_and_friction_rows_are_ours():
    space = found(sf.load("links"))
    mujoco.mj_makeConstraint(space.model, space.data)
    assert (space.data.nl, space.data.nf) == (0, 0)
