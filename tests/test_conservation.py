"""What mechanics keeps and says exactly: momentum, energy, order, rebound, sliding, tipping, weight, constraints."""

import math

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import surefoot as sf
from tests.contact.scenes import changed

G = 9.81
DT = 1e-3

LAWS = [sf.Coulomb(), sf.NoSlip(release=True), sf.NoSlip(release=False), sf.Dissipative()]
every_law = pytest.mark.parametrize("law", LAWS, ids=str)


def weightless(scene):
    """The same scene without gravity."""

    def change(spec):
        spec.option.gravity = [0.0, 0.0, 0.0]

    return changed(scene, change)


def momentum(scene, q, v):
    """(6,) linear and angular momentum of everything about the world's origin."""
    data = mujoco.MjData(scene.model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_kinematics(scene.model, data)
    mujoco.mj_comPos(scene.model, data)
    mujoco.mj_comVel(scene.model, data)
    total = np.zeros(6)
    for body in range(1, scene.model.nbody):
        twist = np.zeros(6)
        mujoco.mj_objectVelocity(scene.model, data, mujoco.mjtObj.mjOBJ_BODY, body, twist, 0)
        mass, spin, speed, centre = scene.model.body_mass[body], twist[:3], twist[3:], data.xipos[body]
        R = data.ximat[body].reshape(3, 3)
        total[:3] += mass * speed
        total[3:] += np.cross(centre, mass * speed) + R @ (scene.model.body_inertia[body] * (R.T @ spin))
    return total


def load(folder, xml, **options):
    path = folder / "model.xml"
    path.write_text(xml)
    return sf.load(path, **options)


def fitted_order(steps, errors):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


# --- free motion -------------------------------------------------------------------------------------------------


def test_a_free_ball_keeps_its_momentum_and_falls_as_galileo_says():
    ball = sf.Ball(radius=0.1, mass=2.0, position=(0, 0, 5.0))
    scene = sf.scene(objects=[ball])
    start = scene.state(v=[1.0, -2.0, 3.0, 4.0, 5.0, 6.0])
    trace = sf.Simulator(scene, dt=DT).rollout(start, duration=1.0)
    assert trace.ok
    assert trace.v[:, :2] == pytest.approx(np.tile([1.0, -2.0], (1001, 1)), abs=1e-12)
    assert trace.v[:, 2] == pytest.approx(3.0 - G * trace.t, abs=1e-11)
    assert trace.v[:, 3:] == pytest.approx(np.tile([4.0, 5.0, 6.0], (1001, 1)), abs=1e-12)
    assert len(trace.contact_forces) == 0


def test_a_tumbling_box_keeps_linear_momentum_exactly_and_angular_momentum_to_first_order():
    scene = weightless(sf.scene(objects=[sf.Box(size=(0.1, 0.2, 0.4), mass=1.0)]))
    start = scene.state(v=[0.3, 0.2, -0.1, 3.0, 4.0, -2.0])
    before = momentum(scene, start.q, start.v)
    steps, errors = [4e-3, 2e-3, 1e-3, 5e-4], []
    for dt in steps:
        trace = sf.Simulator(scene, dt=dt).rollout(start, duration=1.0)
        after = momentum(scene, trace.q[-1] - [*(trace.v[-1, :3] * 1.0), 0, 0, 0, 0], trace.v[-1])
        assert after[:3] == pytest.approx(before[:3], abs=1e-13)
        errors.append(np.linalg.norm(after[3:] - before[3:]) / np.linalg.norm(before[3:]))
    assert errors[-1] < 1e-2
    assert 0.9 < fitted_order(steps, errors) < 1.1


def test_links_in_space_keeps_its_momentum_whatever_its_motors_do():
    robot = weightless(sf.load("links", ground=None))
    rng = np.random.default_rng(4)
    torque = 0.002 * rng.standard_normal(12)
    start = robot.state(v=np.concatenate([[0.1, -0.2, 0.3, 0.5, -0.4, 0.3], np.zeros(12)]))
    before = momentum(robot, start.q, start.v)
    steps, errors = [2e-3, 1e-3, 5e-4], []
    for dt in steps:
        trace = sf.Simulator(robot, dt=dt).rollout(start, lambda state: torque, duration=0.2)
        assert trace.ok
        errors.append(np.abs(momentum(robot, trace.q[-1], trace.v[-1]) - before).max())
    assert np.abs(trace.q[-1, 7:] - trace.q[0, 7:]).max() > 0.1  # it moved
    assert errors[-1] < 1e-4
    assert 0.85 < fitted_order(steps, errors) < 1.15


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_two_balls_exchange_momentum_as_newton_says(restitution):
    balls = [
        sf.Ball(radius=0.05, mass=1.0, position=(-0.2, 0, 0), name="one"),
        sf.Ball(radius=0.05, mass=3.0, position=(0.2, 0, 0), name="two"),
    ]
    scene = weightless(sf.scene(objects=balls))
    start = scene.state(v=[2.0, 0, 0, 0, 0, 0, -1.0, 0, 0, 0, 0, 0])
    trace = sf.Simulator(scene, dt=DT, speed=4.0, restitution=restitution).rollout(start, duration=0.3)
    centre, closing = (1 * 2.0 - 3 * 1.0) / 4, 3.0
    after = [centre - restitution * closing * 3 / 4, centre + restitution * closing / 4]
    assert trace.v[-1, [0, 6]] == pytest.approx(after, abs=1e-9)
    assert trace.v[:, 0] + 3 * trace.v[:, 6] == pytest.approx(np.full(len(trace.t), 4 * centre), abs=1e-12)


@every_law
def test_an_oblique_impact_with_friction_keeps_both_momenta(law):
    """The balls touch at the start, so friction acts: it spins them up and takes nothing from the sum."""
    balls = [
        sf.Ball(radius=0.05, mass=1.0, position=(0, 0, 0), mu=0.4, name="one"),
        sf.Ball(radius=0.08, mass=2.0, position=(0.13, 0, 0), mu=0.4, name="two"),
    ]
    scene = weightless(sf.scene(objects=balls))
    start = scene.state(v=[1.0, 0.7, -0.2, 3.0, 1.0, 2.0, -0.5, 0.1, 0.3, 0, 0, 1.0])
    answer = sf.forward_dynamics(scene, start, dt=DT, law=law)
    before, after = momentum(scene, start.q, start.v), momentum(scene, start.q, answer.velocity)
    assert after == pytest.approx(before, abs=1e-12)
    assert np.linalg.norm(answer.forces[0, 1:]) > 1.0
    energy = [sum(m * v[k : k + 3] @ v[k : k + 3] for m, k in ((1.0, 0), (2.0, 6))) for v in (start.v, answer.velocity)]
    spin = [sum(m * r**2 * 0.4 * v[k : k + 3] @ v[k : k + 3] for m, r, k in ((1.0, 0.05, 3), (2.0, 0.08, 9)))
            for v in (start.v, answer.velocity)]  # fmt: skip
    assert energy[1] + spin[1] < energy[0] + spin[0]


PENDULUM = """
<mujoco model="pendulum">
  <worldbody>
    <body><joint name="pivot" axis="0 1 0"/><geom type="sphere" size="0.05" pos="0 0 -0.5" mass="1.3"/></body>
  </worldbody>
</mujoco>
"""


def test_a_pendulum_converges_with_order_one(tmp_path):
    robot = load(tmp_path, PENDULUM)
    start = robot.state(q=[1.2])
    stiffness = 1.3 * G * 0.5 / (1.3 * (0.5**2 + 0.4 * 0.05**2))
    exact = solve_ivp(lambda t, y: [y[1], -stiffness * math.sin(y[0])], (0, 1.0), [1.2, 0.0], rtol=1e-12, atol=1e-12).y[
        :, -1
    ]
    steps, errors = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4], []
    for dt in steps:
        trace = sf.Simulator(robot, dt=dt).rollout(start, duration=1.0)
        errors.append(np.hypot(trace.q[-1, 0] - exact[0], trace.v[-1, 0] - exact[1]))
    assert 0.95 < fitted_order(steps, errors) < 1.05
    assert errors[-1] < 5e-3


def test_a_pendulum_keeps_its_energy_over_a_minute(tmp_path):
    """Semi-implicit Euler is symplectic: the energy swings by O(dt) and does not drift."""
    robot = load(tmp_path, PENDULUM)
    trace = sf.Simulator(robot, dt=DT).rollout(robot.state(q=[1.2]), duration=60.0)
    inertia = 1.3 * (0.5**2 + 0.4 * 0.05**2)
    energy = 0.5 * inertia * trace.v[:, 0] ** 2 - 1.3 * G * 0.5 * np.cos(trace.q[:, 0])
    energy += 1.3 * G * 0.5
    assert np.ptp(energy) < 1e-2 * energy[0]
    early, late = energy[:5000].mean(), energy[-5000:].mean()
    assert late == pytest.approx(early, rel=1e-3)


# --- impacts and sliding -----------------------------------------------------------------------------------------


@every_law
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8, 1.0])
def test_a_ball_rebounds_to_the_square_of_its_restitution(law, restitution):
    height = 0.5
    scene = sf.scene(terrain=sf.Plane(mu=0.5), objects=[sf.Ball(radius=0.05, mass=1.0, position=(0, 0, 0.05 + height))])
    trace = sf.Simulator(scene, dt=DT, law=law, restitution=restitution, speed=5.0).rollout(scene.home(), duration=0.8)
    assert trace.ok
    gap = trace.q[:, 2] - 0.05
    assert gap.min() > -1e-9  # it never sinks in
    first = int(np.argmax(np.diff(gap) >= 0))  # the last step before it rises or rests
    rebound = gap[first:].max()
    assert rebound == pytest.approx(restitution**2 * height, rel=0.03, abs=1e-5)


@pytest.mark.parametrize("heading", [0, 33, 45, 90, 200])
@pytest.mark.parametrize("edges", [4, 16])
def test_a_sliding_block_decelerates_by_mu_g_and_stops(heading, edges):
    mu, speed = 0.3, 1.0
    box = sf.Box(size=(0.2, 0.2, 0.05), mass=2.0, position=(0, 0, 0.025))
    scene = sf.scene(terrain=sf.Plane(mu=mu), objects=[box])
    ahead = np.array([math.cos(math.radians(heading)), math.sin(math.radians(heading)), 0.0])
    start = scene.state(v=[*(speed * ahead), 0, 0, 0])
    trace = sf.Simulator(scene, dt=DT, law=sf.Coulomb(edges=edges)).rollout(start, duration=0.5)
    expected = np.maximum(speed - mu * G * trace.t, 0.0)
    assert trace.v[:, :3] @ ahead == pytest.approx(expected, abs=1e-9)
    sideways = trace.v[:, :3] - np.outer(trace.v[:, :3] @ ahead, ahead)
    assert np.abs(sideways).max() < 1e-9
    assert np.abs(trace.v[:, 3:]).max() < 1e-9
    stopped = int(np.argmax(expected == 0))
    assert np.abs(trace.q[stopped:] - trace.q[-1]).max() < 1e-12
    for k in (10, stopped + 20):
        rows = trace.contacts_of(k)
        forces = np.einsum("ij,ijk->k", trace.contact_forces[rows], trace.contact_frames[rows])
        friction = -mu * 2.0 * G * ahead if k < stopped else np.zeros(3)
        assert forces == pytest.approx(friction + np.array([0, 0, 2.0 * G]), abs=1e-7)


def test_a_spinning_ball_rolls_off_as_it_should():
    """Slip ends when the ball rolls, at 2/7 of the rim's speed and after t = 2 w r / (7 mu g), whatever mu is."""
    mu, radius, spin = 0.2, 0.1, 20.0
    scene = sf.scene(terrain=sf.Plane(mu=mu), objects=[sf.Ball(radius=radius, mass=1.0, position=(0, 0, radius))])
    trace = sf.Simulator(scene, dt=DT).rollout(scene.state(v=[0, 0, 0, 0, spin, 0]), duration=0.6)
    rolling = 2 / 7 * spin * radius
    assert trace.v[-1, 0] == pytest.approx(rolling, rel=1e-3)
    assert trace.v[-1, 4] * radius == pytest.approx(trace.v[-1, 0], rel=1e-3)
    slipping = trace.t < rolling / (mu * G) - 2 * DT
    assert trace.v[slipping, 0] == pytest.approx(mu * G * trace.t[slipping], abs=1e-6)


# --- tipping, weight, symmetry -----------------------------------------------------------------------------------


def leaning_box(angle, width=0.1, height=0.2, mu=5.0):
    slope = sf.Slope(angle=angle, mu=mu)
    box = sf.Box(
        size=(width, 0.15, height),
        mass=1.0,
        position=tuple(slope.normal * height / 2),
        quaternion=tuple(slope.quaternion),
    )
    return sf.scene(terrain=slope, objects=[box])


@every_law
def test_a_tall_box_stands_below_its_tipping_angle(law):
    scene = leaning_box(math.atan(0.99 * 0.1 / 0.2))
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.home(), duration=1.0)
    assert np.abs(trace.q - trace.q[0]).max() < 1e-9


@pytest.mark.parametrize("law", [law for law in LAWS if law != sf.NoSlip(release=False)], ids=str)
def test_a_tall_box_tips_about_its_lower_edge_above_that_angle(law):
    width, height = 0.1, 0.2
    angle = math.atan(1.1 * width / height)
    scene = leaning_box(angle, width, height)
    answer = sf.forward_dynamics(scene, scene.home(), dt=DT, law=law)
    about_edge = (width**2 + height**2) / 3
    expected = G * (height / 2 * math.sin(angle) - width / 2 * math.cos(angle)) / about_edge
    assert np.linalg.norm(answer.acceleration[3:]) == pytest.approx(expected, rel=1e-9)
    holding = answer.forces[:, 0] > 1e-9
    assert holding.sum() == 2
    assert answer.contacts.points[holding, 2].max() < answer.contacts.points[~holding, 2].min()  # the lower edge
    trace = sf.Simulator(scene, dt=DT, law=law).rollout(scene.home(), duration=1.0)
    assert trace.ok
    turned = 2 * math.acos(min(1.0, abs(trace.q[-1, 3:] @ trace.q[0, 3:])))
    assert turned == pytest.approx(math.pi / 2, abs=1e-3)  # it lies on its side


@every_law
def test_the_ground_carries_the_weight_under_the_centre_of_mass(law):
    box = sf.Box(size=(0.3, 0.2, 0.1), mass=7.0, position=(0.4, -0.3, 0.05), rpy=(0, 0, 0.7))
    scene = sf.scene(terrain=sf.Plane(mu=0.6), objects=[box])
    answer = sf.forward_dynamics(scene, scene.home(), dt=DT, law=law)
    assert answer.ground_force == pytest.approx([0, 0, 7.0 * G], abs=1e-9)
    load = answer.forces[:, 0]
    assert (load[:, None] * answer.contacts.points[:, :2]).sum(axis=0) / load.sum() == pytest.approx(
        [0.4, -0.3], abs=1e-9
    )


@every_law
def test_links_loads_its_left_and_right_feet_alike(law):
    robot = sf.load("links")
    found = sf.inverse_dynamics(robot, robot.home(), np.zeros(12), dt=DT, law=law).torque.reshape(4, 3)
    left = (found[[0, 2]] - found[[1, 3]]) / 2  # how much two feet press apart is free: take what is alike
    torque = np.stack([left, -left], axis=1).ravel()
    held = sf.forward_dynamics(robot, robot.home(), torque, dt=DT, law=law)
    assert held.ground_force == pytest.approx([0, 0, robot.mass * G], abs=1e-9)
    front_left, front_right, hind_left, hind_right = held.forces[:, 0]
    assert front_left == pytest.approx(front_right, rel=1e-9)
    assert hind_left == pytest.approx(hind_right, rel=1e-9)
    assert np.abs(held.acceleration).max() < 1e-8


@every_law
def test_a_falling_robot_lands_alike_on_both_sides(law):
    robot = sf.load("links")
    q = np.array(robot.home().q)
    q[2] += 0.05
    trace = sf.Simulator(robot, dt=DT, law=law).rollout(robot.state(q), duration=0.3)
    assert trace.ok, trace.message
    assert np.abs(trace.q[:, 1]).max() < 1e-6  # no drift to a side
    assert np.abs(trace.q[:, 7:10] + trace.q[:, 10:13]).max() < 1e-6  # left front mirrors right front
    assert np.abs(trace.q[:, 13:16] + trace.q[:, 16:19]).max() < 1e-6


# --- equality constraints ----------------------------------------------------------------------------------------

EQUALITIES = {
    "connect": '<connect body1="one" anchor="0 0 0.5"/>',
    "weld": '<weld body1="one" body2="two"/>',
}
PAIR = """
<mujoco model="pair"><worldbody>
  <body name="one" pos="0 0 1"><freejoint/>
    <geom type="box" size="0.1 0.05 0.02" mass="1" contype="0" conaffinity="0"/></body>
  <body name="two" pos="0.3 0 1.1"><freejoint/>
    <geom type="sphere" size="0.05" mass="2" contype="0" conaffinity="0"/></body>
</worldbody><equality>{equality}</equality></mujoco>
"""


def test_a_connected_body_swings_about_its_anchor(tmp_path):
    robot = load(tmp_path, PAIR.format(equality=EQUALITIES["connect"]), ground=None)
    start = robot.state(v=[0.5 * 0.8, 0.5 * 0.5, 0, -0.5, 0.8, 0, *np.zeros(6)])  # turns about the anchor
    trace = sf.Simulator(robot, dt=DT).rollout(start, duration=2.0)
    assert trace.ok, trace.message
    anchor = []
    for q in trace.q[::20]:
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, q[3:7])
        anchor.append(q[:3] + R.reshape(3, 3) @ [0, 0, 0.5])
    assert np.abs(np.array(anchor) - [0, 0, 1.5]).max() < 1e-4
    assert trace.q[:, 7 + 2].min() < 1.1 - 0.9 * 0.5 * G * 4  # the other one just falls


def test_welded_bodies_fall_as_one(tmp_path):
    robot = load(tmp_path, PAIR.format(equality=EQUALITIES["weld"]), ground=None)
    trace = sf.Simulator(robot, dt=DT).rollout(robot.home(), duration=0.5)
    assert trace.q[:, 7:10] - trace.q[:, :3] == pytest.approx(np.tile([0.3, 0, 0.1], (501, 1)), abs=1e-9)
    assert trace.v[:, 2] == pytest.approx(-G * trace.t, abs=1e-9)
    spin = robot.state(v=[0, 0, 0, 0, 0, 1.0, 0, 0.3, 0, 0, 0, 1.0])
    turning = sf.Simulator(robot, dt=DT).rollout(spin, duration=1.0)
    apart = np.linalg.norm(turning.q[:, 7:10] - turning.q[:, :3], axis=1)
    assert apart == pytest.approx(np.full(1001, math.hypot(0.3, 0.1)), abs=1e-4)


COUPLED = """
<mujoco model="coupled"><worldbody>
  <body pos="0 0 1"><joint name="a" axis="0 1 0"/>
    <geom type="sphere" size="0.05" pos="0.3 0 0" mass="1" contype="0" conaffinity="0"/></body>
  <body pos="0 1 1"><joint name="b" axis="0 1 0"/>
    <geom type="sphere" size="0.05" pos="0.2 0 0" mass="1" contype="0" conaffinity="0"/></body>
</worldbody><equality><joint joint1="b" joint2="a" polycoef="0 -0.5 0 0 0"/></equality></mujoco>
"""


def test_coupled_joints_move_as_one_with_their_common_inertia(tmp_path):
    robot = load(tmp_path, COUPLED)
    first, second = (0.3**2 + 0.4 * 0.05**2), (0.2**2 + 0.4 * 0.05**2)
    answer = sf.forward_dynamics(robot, robot.home(), dt=DT)
    expected = (0.3 * G - 0.5 * 0.2 * G) / (first + 0.25 * second)  # b = -a/2
    assert answer.acceleration == pytest.approx([expected, -0.5 * expected], rel=1e-9)
    trace = sf.Simulator(robot, dt=DT).rollout(robot.home(), duration=2.0)
    assert np.abs(trace.q[:, 1] + 0.5 * trace.q[:, 0]).max() < 1e-9
    assert np.abs(trace.q[:, 0]).max() > 1.0


URDF = """<robot name="gripper"><link name="world"/>
{links}{joints}</robot>"""


def test_a_mimic_joint_follows_its_master(tmp_path):
    inertia = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    links = "".join(
        f'<link name="{n}"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>{inertia}</inertial></link>' for n in "ab"
    )
    limit = '<limit lower="-9" upper="9" effort="99" velocity="99"/>'
    joints = "".join(
        f'<joint name="{n}" type="revolute"><parent link="world"/><child link="{n}"/><origin xyz="0 {y} 1"/>'
        f'<axis xyz="0 1 0"/>{limit}{mimic}</joint>'
        for n, y, mimic in (("a", 0, ""), ("b", 1, '<mimic joint="a" multiplier="-2" offset="0.1"/>'))
    )
    path = tmp_path / "gripper.urdf"
    path.write_text(URDF.format(links=links, joints=joints))
    robot = sf.load(path, floating=False)
    assert robot.joints == ("a",)
    trace = sf.Simulator(robot, dt=DT).rollout(robot.home(), lambda state: [0.5], 1.0)
    assert trace.ok, trace.message
    a, b = (trace.q[:, robot.model.joint(n).qposadr[0]] for n in "ab")
    assert np.ptp(a) > 0.1
    assert b[200:] == pytest.approx(-2 * a[200:] + 0.1, abs=1e-6)
