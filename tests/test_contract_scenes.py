"""Scenes that an engine gets right or wrong by its conventions: feet in mid-air, depth, slopes, standing, friction."""

import math

import mujoco
import numpy as np
import pytest
from scipy.optimize import brentq

import surefoot as sf
from tests.contact.scenes import changed

G = 9.81
DT = 1e-3
LAWS = [sf.Coulomb(), sf.NoSlip(release=True), sf.NoSlip(release=False), sf.Dissipative()]
BALL = 0.05


every_law = pytest.mark.parametrize("law", LAWS, ids=str)


def ball_scene(gap, mu=0.7):
    """A ball of 1 kg with its lowest point `gap` m above a plane."""
    return sf.scene(terrain=sf.Plane(mu=mu), objects=[sf.Ball(radius=BALL, mass=1.0, position=(0.0, 0.0, BALL + gap))])


def kinetic_energy(scene, q, v):
    data = mujoco.MjData(scene.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(scene.model, data)
    mujoco.mj_comPos(scene.model, data)
    mujoco.mj_makeM(scene.model, data)
    M = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(scene.model, data, M)
    return 0.5 * v @ M @ v


@sf.policy
def hold(t, q, v, torque_out, memory, params):
    """Feed-forward and springs and dampers; params: stiffness, damping, places in q and v, targets, feed-forward."""
    n = torque_out.shape[0]
    for i in range(n):
        place, dof = int(params[2 + i]), int(params[2 + n + i])
        torque_out[i] = params[2 + 3 * n + i] + params[0] * (params[2 + 2 * n + i] - q[place]) - params[1] * v[dof]
    return 0


def holding(robot, state, feed_forward, stiffness, damping):
    target = state.q[robot.joint_positions]
    numbers = [[stiffness, damping], robot.joint_positions, robot.dofs, target, feed_forward]
    return hold.bind(np.concatenate(numbers, dtype=np.float64))


# --- open contacts -----------------------------------------------------------------------------------------------


@every_law
def test_a_ball_half_a_millimetre_up_at_1_m_s_feels_exactly_nothing(law):
    scene = ball_scene(5e-4)
    state = scene.state(v=[1.0, 0, 0, 0, 0, 0])
    answer = sf.forward_dynamics(scene, state, dt=DT, law=law)
    assert len(answer.contacts) == 1  # it is seen coming
    assert not answer.contacts.closed[0]
    assert answer.contacts.gaps[0] == pytest.approx(5e-4, abs=1e-12)
    assert np.array_equal(answer.forces, np.zeros((1, 3)))
    assert answer.velocity == pytest.approx([1.0, 0, -G * DT, 0, 0, 0], abs=1e-13)


@every_law
def test_a_ball_that_lands_within_the_step_is_stopped_at_the_ground_without_friction(law):
    scene = ball_scene(5e-4)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, -2.0, 0, 0, 0]), dt=DT, law=law)
    assert answer.velocity == pytest.approx([1.0, 0, -0.5, 0, 0, 0], abs=1e-12)  # it covers its gap of 0.5 mm in 1 ms
    assert answer.forces[0, 0] == pytest.approx((2.0 - 0.5 + G * DT) / DT)
    assert np.array_equal(answer.forces[0, 1:], np.zeros(2))


def swing_state(robot, lift=5e-4, speed=1.0):
    """`links` at home with its left front foot `lift` m up, moving level at `speed` m/s and nothing else moving."""
    data = mujoco.MjData(robot.model)
    q = np.array(robot.home().q)
    knee = robot.joint_positions[robot.joints.index("LF_Y3")]
    foot = robot.model.geom(robot.feet[0].geoms[0])

    def height(angle):
        data.qpos[:] = q
        data.qpos[knee] = angle
        mujoco.mj_kinematics(robot.model, data)
        return data.geom_xpos[foot.id, 2] - foot.size[0] - lift

    bent = next(step for step in (-0.02, 0.02) if height(q[knee] + step) > 0)
    q[knee] = brentq(height, q[knee], q[knee] + bent, xtol=1e-15)
    data.qpos[:] = q
    mujoco.mj_forward(robot.model, data)
    J = np.zeros((3, robot.nv))
    mujoco.mj_jac(robot.model, data, J, None, data.geom_xpos[foot.id], robot.model.geom_bodyid[foot.id])
    leg = [robot.dofs[i] for i, joint in enumerate(robot.joints) if joint.startswith("LF")]
    v = np.zeros(robot.nv)
    v[leg] = np.linalg.solve(J[:, leg], [speed, 0.0, 0.0])
    return robot.state(q, v)


@every_law
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_swing_foot_of_links_feels_exactly_nothing(law, direction):
    robot = sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.7))
    state = swing_state(robot, speed=direction)
    inverse = sf.inverse_dynamics(robot, state, np.zeros(12), dt=DT, law=law)
    forward = sf.forward_dynamics(robot, state, inverse.torque, dt=DT, law=law)
    for answer in (inverse, forward):
        swing = answer.contacts.names.index("LF_FOOT on ground")
        assert answer.contacts.gaps[swing] == pytest.approx(5e-4, abs=1e-9)
        assert np.array_equal(answer.forces[swing], np.zeros(3))
        assert (np.delete(answer.forces[:, 0], swing) >= 0).all()
        assert answer.forces[:, 0].sum() > 0
    # Not braked: asked to go on as it does, the leg's joints do.
    assert forward.velocity[robot.dofs] == pytest.approx(state.v[robot.dofs], abs=1e-9)


# --- penetration -------------------------------------------------------------------------------------------------


@every_law
@pytest.mark.parametrize("restitution", [0.0, 0.9])
def test_a_ball_5_mm_deep_gains_no_energy_and_does_not_leave_the_ground(law, restitution):
    scene = ball_scene(-5e-3)
    answer = sf.forward_dynamics(scene, scene.home(), dt=DT, law=law)
    assert answer.residuals()["penetration"] == pytest.approx(5e-3)
    assert answer.velocity == pytest.approx(np.zeros(6), abs=1e-13)
    trace = sf.Simulator(scene, dt=DT, law=law, restitution=restitution).rollout(scene.home(), duration=1.0)
    assert trace.ok
    energy = 0.5 * (trace.v[:, :3] ** 2).sum(axis=1)
    assert energy.max() < 1e-20
    gap = trace.q[:, 2] - BALL
    assert gap.max() <= 1e-12
    assert gap[-1] > -1e-5  # the depth is removed, by displacement alone
    assert np.abs(trace.q[:, :2]).max() < 1e-12


@every_law
def test_a_deep_ball_that_slides_only_loses_energy(law):
    scene = ball_scene(-5e-3)
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.state(v=[1.0, 0.5, 0, 0, 0, 0]), duration=0.5)
    energy = np.array([kinetic_energy(scene, q, v) for q, v in zip(trace.q, trace.v, strict=True)])
    assert (np.diff(energy) <= 1e-12).all()
    assert (trace.q[:, 2] - BALL).max() <= 1e-12


@every_law
@pytest.mark.parametrize("tilt", [0.0, 0.05], ids=["flat", "on an edge"])
def test_a_box_5_mm_deep_gains_no_more_than_gravity_gives(law, tilt):
    box = sf.Box(size=(0.2, 0.2, 0.1), mass=2.0, rpy=(tilt, 0.0, 0.0))
    lowest = 0.05 * math.cos(tilt) + 0.1 * math.sin(tilt)
    scene = sf.scene(terrain=sf.Plane(mu=0.7), objects=[box])
    q = np.array(scene.home().q)
    q[2] = lowest - 5e-3
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.state(q), duration=1.0)
    assert trace.ok
    energy = np.array([kinetic_energy(scene, *row) for row in zip(trace.q, trace.v, strict=True)])
    fall = 2.0 * G * (lowest - 0.05)  # from lying on its edge to lying flat
    assert energy.max() <= fall + 1e-12
    assert energy[-1] < 1e-20
    assert trace.q[-1, 2] == pytest.approx(0.05, abs=1e-5)
    assert trace.v[:, 2].max() < 1e-9  # never upwards


@every_law
def test_links_5_mm_deep_is_not_kicked(law):
    robot = sf.load("links")
    q = np.array(robot.home().q)
    q[2] -= 5e-3
    state = robot.state(q)
    answer = sf.inverse_dynamics(robot, state, np.zeros(12), dt=DT, law=law)
    assert answer.residuals()["penetration"] == pytest.approx(5e-3)
    still, _ = sf.Simulator(robot, dt=DT, law=law).step(state, answer.torque)
    assert np.abs(still.v).max() < 1e-12
    policy = holding(robot, state, answer.torque, stiffness=5.0, damping=0.2)
    trace = sf.Simulator(robot, dt=DT, law=law).rollout(state, policy, 2.0)
    assert trace.ok, trace.message
    # The springs may work while the posture comes back, the ground never does.
    power = (trace.contact_forces * trace.contact_velocities).sum(axis=1)
    assert power[trace.contact_gaps <= 0].max() < 1e-9
    assert trace.contact_gaps[trace.contacts_of(len(trace) - 1)].min() > -1e-5


# --- slopes ------------------------------------------------------------------------------------------------------


def block_on_slope(angle, yaw, mu, size=(0.2, 0.2, 0.1)):
    slope = sf.Slope(angle=angle, yaw=yaw, mu=mu)
    place = slope.normal * size[2] / 2
    box = sf.Box(size=size, mass=1.5, position=tuple(place), quaternion=tuple(slope.quaternion))
    return sf.scene(terrain=slope, objects=[box]), slope


def downhill(slope):
    """Unit vector down the slope."""
    along = np.array([0, 0, -1.0]) + slope.normal * slope.normal[2]
    return along / np.linalg.norm(along)


@pytest.mark.parametrize("yaw", [0, 30, 45, 90])
@pytest.mark.parametrize(
    ("law", "held"),
    # What a pyramid holds of mu between two edges: cos(pi / edges).
    [
        (sf.Coulomb(), 0.70),
        (sf.Coulomb(edges=8), 0.92),
        (sf.Coulomb(edges=16), 0.98),
        (sf.NoSlip(release=True), 1.9),
        (sf.NoSlip(release=False), 1.9),
        (sf.Dissipative(), 0.70),
    ],
    ids=["coulomb", "coulomb 8", "coulomb 16", "no-slip", "held", "dissipative"],
)
def test_a_block_inside_its_cone_does_not_creep(law, held, yaw):
    mu = 0.5
    scene, _ = block_on_slope(math.atan(held * mu), math.radians(yaw), mu)
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.home(), duration=10.0)
    assert trace.ok
    assert len(trace) == 10_000
    assert np.linalg.norm(trace.q[:, :3] - trace.q[0, :3], axis=1).max() < 1e-9
    assert np.abs(trace.q[:, 3:] - trace.q[0, 3:]).max() < 1e-9


@pytest.mark.parametrize("yaw", [0, 30, 45, 90])
@pytest.mark.parametrize("edges", [4, 8, 16])
def test_a_block_outside_its_cone_slides_with_the_analytic_acceleration(yaw, edges):
    mu, angle = 0.2, 0.4
    scene, slope = block_on_slope(angle, math.radians(yaw), mu)
    trace = sf.Simulator(scene, dt=DT, law=sf.Coulomb(edges=edges)).rollout(scene.home(), duration=1.0)
    expected = G * (math.sin(angle) - mu * math.cos(angle))
    speed = trace.v[:, :3] @ downhill(slope)
    assert speed[-1] == pytest.approx(expected, rel=1e-3)
    assert (speed[-1] - speed[500]) / 0.5 == pytest.approx(expected, rel=1e-4)
    # Semi-implicit Euler moves a dt^2 n (n + 1) / 2.
    moved = (trace.q[-1, :3] - trace.q[0, :3]) @ downhill(slope)
    assert moved == pytest.approx(expected * DT**2 * 1000 * 1001 / 2, rel=1e-3)
    sideways = trace.v[-1, :3] - speed[-1] * downhill(slope)
    assert np.linalg.norm(sideways) < 1e-3 * speed[-1]
    assert np.abs(trace.v[:, 3:]).max() < 1e-6  # it does not turn


def test_between_two_edges_the_pyramid_of_four_holds_0_707_mu():
    mu = 0.5
    for held, moves in ((0.706, False), (0.709, True)):
        scene, _ = block_on_slope(math.atan(held * mu), math.radians(45), mu)
        answer = sf.forward_dynamics(scene, scene.home(), dt=DT)
        assert (np.abs(answer.velocity).max() > 1e-7) == moves


# --- standing ----------------------------------------------------------------------------------------------------


def stand(robot, law, duration=5.0):
    """Base drift over `duration` seconds of standing with gravity feed-forward and joint springs."""
    state = robot.home()
    answer = sf.inverse_dynamics(robot, state, np.zeros(len(robot.joints)), dt=DT, law=law)
    policy = holding(robot, state, answer.torque, stiffness=5.0, damping=0.02)
    trace = sf.Simulator(robot, dt=DT, law=law).rollout(state, policy, duration)
    assert trace.ok, trace.message
    assert trace.residual.max() < 1e-9
    turn = np.abs(trace.q[:, 3:7] - trace.q[0, 3:7]).max()
    assert turn < 1e-5
    return np.linalg.norm(trace.q[:, :3] - trace.q[0, :3], axis=1).max()


@every_law
@pytest.mark.parametrize("name", ["links", "links-light"])
def test_bundled_quadrupeds_stand_without_drift(law, name):
    assert stand(sf.load(name), law) < 1e-5


@pytest.mark.real
@every_law
@pytest.mark.parametrize("name", ["a1", "solo12"])
def test_real_quadrupeds_stand_without_drift(law, name):
    assert stand(sf.load(f"example:{name}"), law) < 1e-5


@pytest.mark.real
@every_law
def test_solo12_stands_on_fitted_spheres(law):
    assert stand(sf.load("example:solo12", meshes="spheres"), law) < 1e-5


@every_law
def test_links_settles_on_springs_alone_and_then_stays(law):
    robot = sf.load("links")
    state = robot.home()
    policy = holding(robot, state, np.zeros(12), stiffness=20.0, damping=0.2)
    trace = sf.Simulator(robot, dt=DT, law=law).rollout(state, policy, 10.0)
    assert trace.ok, trace.message
    assert np.linalg.norm(trace.q[5000:, :3] - trace.q[-1, :3], axis=1).max() < 1e-5
    weight = robot.mass * G
    last = trace.contacts_of(len(trace) - 1)
    assert trace.contact_forces[last, 0].sum() == pytest.approx(weight, rel=1e-6)


# --- whose friction ----------------------------------------------------------------------------------------------


def with_pair(scene, first, second, mu):
    """The same scene with an explicit friction pair."""
    friction = [mu, mu, 0.0, 0.0, 0.0]
    return changed(scene, lambda spec: spec.add_pair(geomname1=first, geomname2=second, friction=friction))


def contact_mu(scene, law=None, state=None):
    answer = sf.forward_dynamics(scene, scene.home() if state is None else state, dt=DT, law=law)
    assert len(answer.contacts) >= 1
    return answer.contacts.mu


def test_friction_comes_from_the_larger_geom_then_the_terrain_then_the_pair_then_the_law():
    ball = sf.Ball(radius=BALL, mass=1.0, position=(0, 0, BALL))
    neither = sf.scene(terrain=sf.Plane(), objects=[ball])
    neither.model.geom("ball").friction[0] = 0.4
    neither.model.geom("ground").friction[0] = 0.6
    assert contact_mu(neither) == pytest.approx([0.6])
    neither.model.geom("ground").friction[0] = 0.3
    assert contact_mu(neither) == pytest.approx([0.4])
    slippery = sf.Ball(radius=BALL, mass=1.0, position=(0, 0, BALL), mu=0.9)
    of_terrain = sf.scene(terrain=sf.Plane(mu=0.05), objects=[slippery])
    assert contact_mu(of_terrain) == pytest.approx([0.05])
    of_pair = with_pair(of_terrain, "ball", "ground", 0.55)
    assert contact_mu(of_pair) == pytest.approx([0.55])
    assert contact_mu(of_pair, sf.Coulomb(mu=0.15)) == pytest.approx([0.15])
    assert contact_mu(of_pair, sf.Coulomb(mu=0.0)) == pytest.approx([0.0])
    assert np.isinf(contact_mu(of_pair, sf.NoSlip())).all()


def test_an_objects_friction_holds_against_a_ground_without_one_and_infinity_goes_through():
    for mu in (0.2, math.inf):
        ball = sf.Ball(radius=BALL, mass=1.0, position=(0, 0, BALL), mu=mu)
        assert contact_mu(sf.scene(terrain=sf.Plane(), objects=[ball])) == pytest.approx([mu])
    assert np.isinf(contact_mu(ball_scene(0.0, mu=math.inf))).all()


def test_a_friction_map_is_read_at_the_contact_point_and_a_pair_beats_it():
    terrain = sf.HeightMap(seed=3, mu=(0.2, 0.9), height=1e-4)
    rng = np.random.default_rng(0)
    seen = set()
    for x, y in rng.uniform(-1.2, 1.2, (20, 2)):
        z = BALL + float(terrain.elevation(x, y)) - 1e-5
        scene = sf.scene(terrain=terrain, objects=[sf.Ball(radius=BALL, mass=1.0, position=(x, y, z), mu=1.0)])
        answer = sf.forward_dynamics(scene, scene.home(), dt=DT)
        for point, mu in zip(answer.contacts.points, answer.contacts.mu, strict=True):
            column, row = ((point[:2] + 1.5) // terrain.cell).astype(int)
            assert mu == terrain.friction[row, column]
            seen.add(mu)
    assert len(seen) >= 15
    assert contact_mu(with_pair(scene, "ball", "ground", 0.33)) == pytest.approx(0.33)


def test_the_laws_belief_and_the_grounds_truth_are_apart():
    """A controller that believes in more friction than there is asks for torques; the plant slips under them."""
    robot = sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.02))
    state = robot.home()
    believed = sf.inverse_dynamics(robot, state, np.zeros(12), dt=DT, law=sf.Coulomb(mu=1.0))
    assert believed.contacts.mu == pytest.approx(np.ones(4))
    shove = believed.torque + np.tile([0.3, 0.0, 0.0], 4)
    assert sf.forward_dynamics(robot, state, shove, dt=DT, law=sf.Coulomb(mu=1.0)).slipping.sum() == 0
    assert sf.forward_dynamics(robot, state, shove, dt=DT).slipping.sum() == 4
