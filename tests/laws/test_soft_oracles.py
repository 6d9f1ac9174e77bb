"""The soft law beside Clarabel and MuJoCo's own inverse dynamics."""

import mujoco
import numpy as np
import pytest

import surefoot as sf
from tests.contact.scenes import compiled
from tests.laws.soft_oracle import minimum, projection, soft_problem
from tests.laws.soft_scenes import LAWS, figure, figure_state, pressed

DT = 1e-3


@pytest.fixture(scope="module")
def body():
    return figure()


# Clarabel


@pytest.mark.parametrize("critical", [False, True])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_minimum_is_that_of_a_generic_conic_solver(body, links, law, critical):
    """From MuJoCo's own contacts, equalities and dense algebra; critical: its pseudo-inverse is regularised."""
    law = sf.Soft(epsilon=law.epsilon, kappa=law.kappa, critical=critical)
    tolerance = 1e-4 if critical else 1e-8
    rng = np.random.default_rng(3)
    for robot, make in ((body, figure_state), (links, pressed)):
        for _ in range(4):
            state = make(robot, rng)
            torque = np.zeros(robot.nv)
            torque[robot.dofs] = rng.normal(size=len(robot.joints)) * (5.0 if robot is body else 0.3)
            p = soft_problem(robot, state, DT, law, torque)
            v, f, _ = minimum(p)
            ours = sf.forward_dynamics(robot, state, torque[robot.dofs], dt=DT, law=law)
            assert len(p.contacts) >= 1
            assert ours.velocity == pytest.approx(v, abs=tolerance * np.abs(v).max())
            check_forces(ours, p, f, tolerance)
            free = np.setdiff1d(np.arange(robot.nv), robot.dofs)
            wanted = v + DT * rng.normal(size=robot.nv)
            p = soft_problem(robot, state, DT, law)
            v, f, force = minimum(p, wanted, robot.dofs)
            demand = dict(zip(robot.joints, wanted[robot.dofs], strict=True))
            ours = sf.solve(robot, state, dt=DT, velocity=demand, law=law)
            assert ours.velocity[free] == pytest.approx(v[free], abs=tolerance * np.abs(v).max())
            assert ours.torque == pytest.approx(force[robot.dofs], abs=tolerance * np.abs(force).max())
            check_forces(ours, p, f, tolerance)
            every = sf.inverse_dynamics(robot, state, velocity_next=wanted, dt=DT, law=law)
            check_forces(every, p, projection(p, wanted), tolerance)


def check_forces(answer, p, f, tolerance):
    """Normal forces, friction, torsion and rolling, contact by contact, by the geoms that touch."""
    found = {frozenset(pair): i for i, pair in enumerate(answer.contacts.geoms.tolist())}
    touching = [found[frozenset(pair)] for pair in p.contacts]
    size = np.abs(f).max() / p.dt
    for i, (rows, _, _) in zip(touching, p.blocks, strict=False):
        force = np.zeros(6)
        force[: len(rows)] = f[rows] / p.dt
        ours = [answer.forces[i, 0], np.linalg.norm(answer.forces[i, 1:])]
        ours += [abs(answer.moments[i, 0]), np.linalg.norm(answer.moments[i, 1:])]
        wanted = [force[0], np.linalg.norm(force[1:3]), abs(force[3]), np.linalg.norm(force[4:])]
        assert ours == pytest.approx(wanted, abs=tolerance * size)
    others = np.setdiff1d(np.arange(len(answer.contacts)), touching)
    assert not answer.forces[others].any()


# MuJoCo's inverse dynamics


MATCHED = """
<geom name="ground" type="plane" size="0 0 1" condim="1" friction="0.6 0.03 0.02"/>
<body name="ball" pos="0 0 0.1"><freejoint/>
  <geom name="ball" type="sphere" size="0.1" mass="2" condim="{condim}" friction="0.6 0.03 0.02"/></body>
<body name="dry" pos="1 0 1"><joint name="dry" axis="0 1 0" frictionloss="0.5"/>
  <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.02"/></body>
<body name="stopped" pos="2 0 1"><joint name="stopped" axis="0 1 0" range="-0.4 0.4" limited="true"/>
  <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.02"/></body>
<body name="first" pos="3 0 1"><joint name="first" axis="0 1 0"/>
  <inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.02 0.02"/></body>
<body name="second" pos="4 0 1"><joint name="second" axis="0 1 0"/>
  <inertial pos="0.3 0 0" mass="1" diaginertia="0.01 0.02 0.02"/></body>
"""


@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize(("epsilon", "kappa"), [(0.01, 0.02), (0.3, 0.05)])
def test_mujocos_own_inverse_agrees_on_a_scene_made_to_match(condim, epsilon, kappa):
    """`mj_inverse` with everything prescribed, on single contacts, limits, dry joints and couplings.

    What matches: the impedance d = 1 / (1 + epsilon), constant (`solimp` "d d 1 0.5 1"), gives R = epsilon A;
    `solref` "kappa 1" then gives b = 2 (1 + epsilon) / kappa and k d = (1 + epsilon) / kappa^2, which are B and K.
    A are the same constants.
    What cannot: it prescribes accelerations, so that damping, which we take at the end of the step, must be absent;
    and its softness grows with depth unless `solimp` is constant.
    """
    d = 1 / (1 + epsilon)
    solver = f'solref="{kappa} 1" solimp="{d} {d} 1 0.5 1"'
    friction = solver.replace("solref", "solreffriction").replace("solimp", "solimpfriction")
    limit = solver.replace("solref", "solreflimit").replace("solimp", "solimplimit")
    scene = compiled(
        MATCHED.format(condim=condim),
        f"""<compiler angle="radian"/><option cone="elliptic" timestep="{DT}"/>
        <default><geom {solver}/><joint {friction} {limit}/></default>
        <equality><joint joint1="first" joint2="second" {solver}/></equality>""",
        joints=("dry", "stopped", "first", "second"),
    )
    rng = np.random.default_rng(condim)
    model, data = scene.model, mujoco.MjData(scene.model)
    law = sf.Soft(epsilon=epsilon, kappa=kappa)
    pushing = 0
    for _ in range(20):
        q = scene.home().q.copy()
        q[2] -= 2e-3 * rng.random()
        q[7:] = [rng.normal(), rng.choice([-1, 1]) * (0.4 + 0.01 * rng.random()), 0.3, 0.3 + 0.01 * rng.normal()]
        v, v_next = rng.normal(size=(2, scene.nv))
        v_next = v + 0.05 * v_next
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, (v_next - v) / DT
        mujoco.mj_inverse(model, data)
        answer = sf.inverse_dynamics(scene, scene.state(q, v), velocity_next=v_next, dt=DT, law=law)
        size = np.abs(data.qfrc_inverse).max()
        ours = answer.unactuated.copy()
        ours[scene.dofs] = answer.torque
        assert ours == pytest.approx(data.qfrc_inverse, abs=1e-9 * size)
        force = np.zeros(6)
        mujoco.mj_contactForce(model, data, 0, force)
        assert answer.forces[0, 0] == pytest.approx(force[0], abs=1e-9 * size)
        assert np.linalg.norm(answer.forces[0, 1:]) == pytest.approx(np.linalg.norm(force[1:3]), abs=1e-9 * size)
        assert answer.moments[0, 0] == pytest.approx(force[3], abs=1e-9 * size)
        assert np.linalg.norm(answer.moments[0, 1:]) == pytest.approx(np.linalg.norm(force[4:]), abs=1e-9 * size)
        pushing += force[0] > 0
    assert pushing >= 5
