"""A four-foot stance sequence: the base of a robot sways over feet that stay where they are."""

import mujoco
import numpy as np

import surefoot as sf

DT = 1e-3


def feet_of(robot, q):
    """(feet, 3) points under the feet, and their Jacobian (3 feet, nv)."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    points, J = [], []
    for foot in robot.feet:
        geom = robot.model.geom(foot.geoms[0])
        points.append(data.geom_xpos[geom.id] - [0, 0, geom.size[0]])
        rows = np.zeros((3, robot.nv))
        mujoco.mj_jac(robot.model, data, rows, None, points[-1], robot.model.body(foot.body).id)
        J.append(rows)
    return np.array(points), np.concatenate(J)


def sway(robot, steps, size=0.05, period=0.4):
    """States and joint accelerations of a base that circles, nods and turns while the feet stand still."""
    q = robot.home().q.copy()
    legs = np.ix_(np.arange(3 * len(robot.feet)), robot.dofs)
    result = []

    def velocity(q, t):
        phase = 2 * np.pi * t / period
        grow = min(1.0, t / period)
        way = [np.sin(phase), np.cos(phase), 0.5 * np.sin(2 * phase), 0.0, np.sin(phase), np.cos(phase)]
        base = size * grow * np.array(way)
        _, J = feet_of(robot, q)
        v = np.zeros(robot.nv)
        v[:6] = base
        v[robot.dofs] = -np.linalg.solve(J[legs], J[:, :6] @ base)
        return v

    for k in range(steps):
        # The law looks at the feet where they are at the start of the step: they stand still before and after it.
        v, v_next = velocity(q, k * DT), velocity(q, (k + 1) * DT)
        result.append((robot.state(q, v), (v_next - v)[robot.dofs] / DT))
        q = q.copy()
        mujoco.mj_integratePos(robot.model, q, v_next, DT)
    return result


def standing_contacts(robot, state, order, mu=0.7):
    """Contacts at the feet's points in this order, or in one drawn from a generator."""
    points, _ = feet_of(robot, state.q)
    return _given(robot, state, points, [foot.body for foot in robot.feet], order, mu)


def crowded_contacts(robot, state, order, mu=0.7):
    """Four points around each foot, 1 cm away."""
    points, _ = feet_of(robot, state.q)
    around = 0.01 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    bodies = [foot.body for foot in robot.feet] * 4
    return _given(robot, state, np.concatenate([points + move for move in around]), bodies, order, mu)


def _given(robot, state, points, bodies, order, mu):
    if isinstance(order, np.random.Generator):
        order = order.permutation(len(points))
    return sf.Contacts.from_points(robot, state, points[order], [bodies[i] for i in order], mu=mu)
