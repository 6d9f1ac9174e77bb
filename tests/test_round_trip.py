"""Forward -> inverse -> forward: the same law read in both directions, checked without the solver's own residuals."""

import itertools

import mujoco
import numpy as np
import pytest

import surefoot as sf
from tests.contact.scenes import inertia_and_bias

DT = 1e-3
TOLERANCE = 1e-9
LAWS = [sf.Coulomb(mu=0.1), sf.Coulomb(mu=0.7), sf.NoSlip(release=True), sf.NoSlip(release=False)]


# --- states ------------------------------------------------------------------------------------------------------


def lowered(robot, q):
    """`q` with the base moved up or down until the lowest foot just touches; and how high each foot then is."""
    data = mujoco.MjData(robot.model)
    q = np.array(q)
    for _ in range(2):
        data.qpos[:] = q
        mujoco.mj_kinematics(robot.model, data)
        heights = np.array([_lowest(robot, data, foot) for foot in robot.feet])
        q[2] -= heights.min()
    return q


def _lowest(robot, data, foot):
    """Height of a foot above z = 0: exact for spheres, by the vertices for meshes."""
    found = np.inf
    for name in foot.geoms:
        geom = robot.model.geom(name).id
        z, row = data.geom_xpos[geom, 2], data.geom_xmat[geom].reshape(3, 3)[2]
        if robot.model.geom_type[geom] == int(mujoco.mjtGeom.mjGEOM_SPHERE):
            found = min(found, z - robot.model.geom_size[geom, 0])
        else:
            mesh = robot.model.geom_dataid[geom]
            start, count = robot.model.mesh_vertadr[mesh], robot.model.mesh_vertnum[mesh]
            found = min(found, z + (robot.model.mesh_vert[start : start + count] @ row).min())
    return found


def standing(robot, rng):
    """At home, at rest: all feet touch."""
    return robot.home()


def one_foot_up(robot, rng):
    """At home but for one bent knee, at rest: three feet touch, one is up by millimetres."""
    q = np.array(robot.home().q)
    leg = int(rng.integers(4))
    q[robot.joint_positions[3 * leg + 2]] *= 1.0 + 0.1 * (1 + rng.random())
    return robot.state(lowered(robot, q))


def walking(robot, rng):
    """Joints off home and moving, base moving: some feet touch, slip, land or leave."""
    q, v = np.array(robot.home().q), np.zeros(robot.nv)
    lift = [0, 3] if rng.random() < 0.5 else [1, 2]  # a diagonal pair swings
    for leg in lift:
        q[robot.joint_positions[3 * leg + 2]] *= 1.0 + 0.1 * rng.random()
    v[:6] = 0.1 * rng.standard_normal(6)
    v[robot.dofs] = 0.5 * rng.standard_normal(len(robot.dofs))
    return robot.state(lowered(robot, q), v)


POSES = {"standing": standing, "walking": walking, "one foot up": one_foot_up}


# --- the law, from scratch ---------------------------------------------------------------------------------------


def violations(answer, torque, softened=np.inf):
    """Largest violations of dynamics (relative) and of the law (m/s, by the mobilities of each contact).

    Everything but contact points and frames is computed here with MuJoCo's Python bindings and dense algebra: inertia,
    bias, and the conditions 0 <= f_n perp c_n + gap / dt >= 0; |f_1| + |f_2| <= mu f_n;
    f_t . c_t = -mu f_n max(|c_1|, |c_2|). With infinite friction what is loaded does not slip, and what opens carries
    nothing; unless contacts that open are held as well. `softened` bounds the friction coefficients.
    """
    held = answer.law == sf.NoSlip(release=False)
    robot, contacts = answer.robot, answer.contacts
    M, bias = inertia_and_bias(robot, answer.state)
    force = -bias
    force[robot.dofs] += torque
    J = np.where(contacts.closed[:, None, None], contacts.J, 0.0)
    J[:, 0] = contacts.J[:, 0]
    J = J.reshape(-1, robot.nv)
    f = DT * answer.forces
    balance = np.linalg.solve(M, M @ answer.velocity - M @ answer.state.v - DT * force - J.T @ f.ravel())
    c = (J @ answer.velocity).reshape(-1, 3)
    mobility = np.diag(J @ np.linalg.solve(M, J.T)).reshape(-1, 3)
    worst = np.abs(balance).max()
    for i in range(len(contacts)):
        slack = c[i, 0] + max(contacts.gaps[i], 0.0) / DT
        worst = max(worst, abs(min(mobility[i, 0] * f[i, 0], slack)))
        tangent, slip, mu = f[i, 1:], c[i, 1:], min(contacts.mu[i], softened)
        if not contacts.closed[i]:
            worst = max(worst, np.abs(tangent).max())
        elif np.isinf(mu):
            worst = max(worst, np.abs(slip).max() if held or f[i, 0] > 0 else 0.0)
            idle = slack > TOLERANCE and not held
            worst = max(worst, mobility[i, 1:].max() * np.abs(tangent).max() if idle else 0.0)
        else:
            m = mobility[i, 1:].max()
            worst = max(worst, m * (np.abs(tangent).sum() - mu * f[i, 0]))
            # Power lost by the friction against the most that the pyramid can take, as a velocity.
            lost = tangent @ slip + mu * f[i, 0] * np.abs(slip).max()
            push = mu * f[i, 0]
            worst = max(worst, abs(lost) / push if push * m > 1e-6 else 0.0)
    return worst


def grips_without_load(answer):
    """Whether a contact with infinite friction carries friction without load."""
    closed = answer.contacts.closed & np.isinf(answer.contacts.mu)
    idle = answer.forces[:, 0] <= 1e-9 * max(1.0, np.abs(answer.forces).max(initial=0.0))
    return bool((closed & idle & (np.abs(answer.forces[:, 1:]).max(axis=1, initial=0.0) > 1e-6)).any())


def there_and_back(robot, state, torque, law):
    """(forward, inverse, forward again); only the forward one where infinite friction has no answer."""
    forward = sf.forward_dynamics(robot, state, torque, dt=DT, law=law)
    if forward.status is sf.Status.REGULARISED:
        return forward, None, None
    demand = forward.acceleration[robot.dofs]
    inverse = sf.inverse_dynamics(robot, state, demand, dt=DT, law=law)
    again = sf.forward_dynamics(robot, state, inverse.torque, dt=DT, law=law)
    return forward, inverse, again


def check_round_trips(robot, pose, law, count, seed):
    """Run `count` round trips and check each answer; returns how often the law's other motions were found."""
    rng = np.random.default_rng(seed)
    others = {"inverse": 0, "forward": 0, "grips": 0, "softened": 0}
    for _ in range(count):
        state = POSES[pose](robot, rng)
        torque = rng.choice([0.1, 0.5, 2.0]) * 0.03 * robot.mass * 9.81 * rng.standard_normal(len(robot.joints))
        forward, inverse, again = there_and_back(robot, state, torque, law)
        speed = max(1.0, np.abs(forward.velocity).max())
        if inverse is None:
            # Held, a foot would be pulled; released, it would be driven in. Friction of 1e3 answers, and is said to.
            assert law == sf.NoSlip(release=True)
            assert violations(forward, torque, softened=1e3) < 10 * TOLERANCE * speed
            others["softened"] += 1
            continue
        for answer, applied in ((forward, torque), (inverse, inverse.torque), (again, inverse.torque)):
            own = answer.residuals()
            assert max(own[part] for part in ("normal", "friction", "joints", "reduction")) < TOLERANCE
            assert violations(answer, applied) < 10 * TOLERANCE * speed
            others["grips"] += grips_without_load(answer)
        # The demand is met, whichever motion of the base goes with it.
        assert inverse.velocity[robot.dofs] == pytest.approx(forward.velocity[robot.dofs], abs=TOLERANCE * speed)
        others["inverse"] += int(np.abs(inverse.velocity - forward.velocity).max() > TOLERANCE * speed)
        others["forward"] += int(np.abs(again.velocity - inverse.velocity).max() > TOLERANCE * speed)
    print(
        f"{robot.name}, {pose}, {law}: of {count} round trips {others['inverse']} inverses and {others['forward']} "
        f"forwards found another motion that the law allows; {others['grips']} answers grip without load; "
        f"{others['softened']} have no answer without slip"
    )
    if law == sf.NoSlip(release=False):  # held while it lifts; then there is one motion only
        assert others["inverse"] == others["forward"] == 0
    else:
        assert others["grips"] == 0
    assert others["softened"] <= 0.25 * count
    return others


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("pose", POSES)
def test_links_comes_back_to_the_same_motion(links, pose, law):
    others = check_round_trips(links, pose, law, count=60, seed=1)
    # The law may allow several motions (all satisfy it, as checked above); with torques given they are rare.
    assert others["inverse"] <= 12
    assert others["forward"] <= (6 if law.name == "no-slip" else 0)


# Points of one mesh foot at heights that differ by less than they may be open are not held: nearly dependent rows.
FEET = [(law, "keep") for law in LAWS[:3]] + [(law, "spheres") for law in LAWS]


@pytest.mark.real
@pytest.mark.parametrize(("law", "meshes"), FEET, ids=str)
@pytest.mark.parametrize("pose", POSES)
def test_solo12_comes_back_to_the_same_motion(pose, law, meshes):
    robot = sf.load("example:solo12", meshes=meshes)
    others = check_round_trips(robot, pose, law, count=25, seed=2)
    assert others["inverse"] <= 5
    assert others["forward"] <= (3 if law.name == "no-slip" else 0)


@pytest.mark.parametrize("edges", [8, 16])
def test_more_edges_come_back_too(links, edges):
    rng = np.random.default_rng(5)
    law = sf.Coulomb(mu=0.4, edges=edges)
    others = 0
    for _ in range(20):
        state = walking(links, rng)
        forward, inverse, again = there_and_back(links, state, 0.5 * rng.standard_normal(12), law)
        for answer in (forward, inverse, again):
            own = answer.residuals()
            assert max(own[part] for part in ("normal", "friction", "reduction")) < TOLERANCE
        others += np.abs(again.velocity - forward.velocity).max() > TOLERANCE
    print(f"{edges} edges: {others} of 20 round trips found another motion")
    assert others <= 1


def test_states_are_what_they_say(links):
    rng = np.random.default_rng(0)
    touching = {name: [] for name in POSES}
    for name, _ in itertools.product(POSES, range(30)):
        answer = sf.forward_dynamics(links, POSES[name](links, rng), dt=DT)
        touching[name].append(int(answer.contacts.closed.sum()))
    assert set(touching["standing"]) == {4}
    assert set(touching["one foot up"]) <= {1, 2, 3}
    assert min(touching["walking"]) >= 1


# --- the controller's own object ---------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [sf.Coulomb(mu=0.5), *LAWS[2:], sf.Dissipative(mu=0.5)], ids=str)
def test_the_controller_gives_the_torques_of_the_one_off_call(links, law):
    controller = sf.InverseDynamics(links, dt=DT, law=law)
    rng = np.random.default_rng(7)
    for _ in range(10):
        state = one_foot_up(links, rng)
        wanted = 0.1 * rng.standard_normal(12) if law.name != "no-slip" else np.zeros(12)
        torque = controller(state, wanted, throw=True).copy()
        answer = sf.inverse_dynamics(links, state, wanted, dt=DT, law=law)
        if law.name != "no-slip":  # whose internal forces depend on the first guess
            assert torque == pytest.approx(answer.torque, abs=1e-9)
        assert controller.status is sf.Status.SOLVED
        assert controller.answer().velocity == pytest.approx(answer.velocity, abs=1e-9)


@pytest.mark.parametrize("mu", [0.3, np.inf])
def test_given_points_and_planned_feet_agree_with_the_geometry(links, mu):
    state = links.home()
    law = sf.Coulomb(mu=mu)
    geometry = sf.inverse_dynamics(links, state, np.zeros(12), dt=DT, law=law)
    feet = [foot.name for foot in links.feet]
    planned = sf.inverse_dynamics(links, state, np.zeros(12), dt=DT, law=law, contacts=feet)
    bodies = [foot.body for foot in links.feet]
    given = sf.Contacts.from_points(links, state, geometry.contacts.points, bodies, mu=0.9)
    pointed = sf.inverse_dynamics(links, state, np.zeros(12), dt=DT, law=law, contacts=given)
    for answer in (planned, pointed):
        assert answer.velocity == pytest.approx(geometry.velocity, abs=1e-12)
        assert answer.ground_force == pytest.approx(geometry.ground_force, abs=1e-9)
    three = sf.inverse_dynamics(links, state, np.zeros(12), dt=DT, law=law, contacts=feet[1:])
    assert len(three.contacts) == 3
    assert three.ground_force[2] < geometry.ground_force[2]  # a corner gives way


# --- demands that no ground can answer ---------------------------------------------------------------------------


SKATES = """
<mujoco model="skates"><worldbody>
  <body name="body"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.02 0.05 0.05"/>
    <body name="left"><joint name="left" type="slide" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="0.1" diaginertia="1e-3 1e-3 1e-3"/>
      <geom name="left_front" type="sphere" size="0.02" pos="-0.2 0.1 0.02"/>
      <geom name="left_hind" type="sphere" size="0.02" pos="-0.2 -0.1 0.02"/></body>
    <body name="right"><joint name="right" type="slide" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="0.1" diaginertia="1e-3 1e-3 1e-3"/>
      <geom name="right_front" type="sphere" size="0.02" pos="0.2 0.1 0.02"/>
      <geom name="right_hind" type="sphere" size="0.02" pos="0.2 -0.1 0.02"/></body>
  </body>
</worldbody></mujoco>
"""


@pytest.mark.parametrize("release", [True, False])
def test_dragging_loaded_feet_apart_is_refused_by_name_without_slip(tmp_path, release):
    """All mass is at the height of the ground, so nothing can tip: both skates carry load, and they part."""
    path = tmp_path / "skates.xml"
    path.write_text(SKATES)
    robot = sf.load(path, feet=["left", "right"])
    apart = {"left": -0.1, "right": 0.1}
    slides = sf.solve(robot, robot.home(), dt=DT, velocity=apart, law=sf.Coulomb(mu=0.5))
    assert slides.slipping.any()
    assert slides.ground_force[2] == pytest.approx(2.2 * 9.81, rel=1e-9)
    with pytest.raises(sf.SolveError, match=r"skates, no-slip law: in(consistent|feasible)") as error:
        sf.solve(robot, robot.home(), dt=DT, velocity=apart, law=sf.NoSlip(release=release))
    assert "left" in str(error.value)
    assert "right" in str(error.value)
    along = sf.solve(robot, robot.home(), dt=DT, velocity={"left": 0.1, "right": 0.1}, law=sf.NoSlip(release=release))
    assert along.velocity[0] == pytest.approx(-0.1, abs=1e-9)  # the feet hold, the body goes


def test_friction_however_large_but_finite_always_has_an_answer(links):
    """A step forward must be solved for every finite coefficient; its motion converges as friction grows."""
    rng = np.random.default_rng(1)
    for _ in range(12):
        state = standing(links, rng)
        torque = rng.choice([0.1, 0.5, 2.0]) * 1.4 * rng.standard_normal(12)
        for mu in (1e2, 1e3, 1e4, 1e5, 1e7):
            answer = sf.forward_dynamics(links, state, torque, dt=DT, law=sf.Coulomb(mu=mu), throw=False)
            assert answer.status is sf.Status.SOLVED, (mu, torque)


def test_a_robot_wedged_under_a_ceiling_is_refused_by_name(tmp_path):
    """A prescribed jack between floor and ceiling that is told to grow."""
    path = tmp_path / "jack.xml"
    path.write_text(
        """<mujoco model="jack"><worldbody>
        <geom name="floor" type="box" size="1 1 0.1" pos="0 0 -0.1"/>
        <geom name="ceiling" type="box" size="1 1 0.1" pos="0 0 0.4"/>
        <body name="lower" pos="0 0 0.05"><freejoint/><geom name="lower" type="sphere" size="0.05" mass="1"/>
          <body name="upper" pos="0 0 0.2"><joint name="jack" type="slide" axis="0 0 1"/>
            <geom name="upper" type="sphere" size="0.05" mass="1"/></body></body>
        </worldbody></mujoco>"""
    )
    robot = sf.load(path)
    state = robot.home()
    with pytest.raises(sf.SolveError, match="jack, coulomb law: infeasible") as error:
        sf.solve(robot, state, dt=DT, velocity={"jack": 0.1})
    assert "lower on floor" in str(error.value)
    assert "upper on ceiling" in str(error.value)
    assert sf.solve(robot, state, dt=DT, velocity={"jack": -0.1}).ok
    pushed = sf.solve(robot, state, dt=DT, torque={"jack": 100.0})
    assert sorted(pushed.forces[:, 0]) == pytest.approx([100.0 - 9.81, 100.0 + 9.81], rel=1e-6)
