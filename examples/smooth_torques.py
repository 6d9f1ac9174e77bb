"""Torques that do not jump, with the motion untouched.

    python examples/smooth_torques.py -o smooth.png

Four feet on the ground can push against each other: many forces go with one motion. Which of them a solver finds
depends on the order in which contacts come, and torques chatter. Stage II takes the least torques, or the most even
load. Here a base sways over feet that stand still, and in every step contacts come in another order, as they may from a
collision detector. Lemke's method, started anew in every step, is what plain inverse dynamics with Coulomb's law does.
"""

import argparse

import mujoco
import numpy as np
from matplotlib.figure import Figure

import surefoot as sf
from surefoot.solvers import ContactProblem, lemke

DT, STEPS, MU = 1e-3, 400, 0.7
LAWS = {
    "Coulomb, most even load": sf.Coulomb(mu=MU, smooth="load"),
    "Coulomb, least torque": sf.Coulomb(mu=MU, smooth=True),
    "dissipative, least torque": sf.Dissipative(mu=MU),
}
COLD = "Coulomb by Lemke's method, cold"

robot = sf.load("links")
data = mujoco.MjData(robot.model)


def look(q):
    """Points under the feet (4, 3), their Jacobian (12, 18), and the inertia (18, 18)."""
    data.qpos[:] = q
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    mujoco.mj_makeM(robot.model, data)
    M, J, points = np.zeros((18, 18)), np.zeros((4, 3, 18)), []
    mujoco.mj_fullM(robot.model, data, M)
    for i, foot in enumerate(robot.feet):
        geom = robot.model.geom(foot.geoms[0])
        points.append(data.geom_xpos[geom.id] - [0, 0, geom.size[0]])
        mujoco.mj_jac(robot.model, data, J[i], None, points[-1], robot.model.body(foot.body).id)
    return np.array(points), J.reshape(12, 18), M


def sway(q, t):
    """Velocities (18,) with which the base circles, nods and turns over feet that stand still."""
    phase, grow = 5 * np.pi * t, min(1.0, t / 0.4)
    v = np.zeros(18)
    v[:6] = 0.05 * grow * np.array([np.sin(phase), np.cos(phase), 0.5 * np.sin(2 * phase), 0, np.sin(phase), 0.5])
    J = look(q)[1]
    v[robot.dofs] = -np.linalg.solve(J[:, robot.dofs], J[:, :6] @ v[:6])
    return v


def by_lemke(answer, M):
    """Torques (12,) of the same step with the impulses of Lemke's method, and by how much its base moves otherwise."""
    contacts, f = answer.contacts, DT * answer.forces.ravel()
    J = contacts.J.reshape(-1, 18)
    W = np.linalg.solve(np.linalg.cholesky(M[:6, :6]), J[:, :6].T).T
    c0 = answer.contact_velocity.ravel() - W @ (W.T @ f)
    problem = ContactProblem(W, c0, np.maximum(contacts.gaps, 0) / DT, contacts.mu, contacts.closed)
    other = problem.impulses(lemke(problem.lcp()).z) - f
    return answer.torque - J[:, robot.dofs].T @ other / DT, np.abs(np.linalg.solve(M[:6, :6], J[:, :6].T @ other)).max()


def measure():
    """Torques (STEPS, 12) by name, and by how much the motions of the base differ, in m/s."""
    q, rng, apart = robot.home().q.copy(), np.random.default_rng(1), 0.0
    controllers = {name: sf.InverseDynamics(robot, DT, law) for name, law in LAWS.items()}
    torques = {name: np.zeros((STEPS, 12)) for name in (COLD, *LAWS)}
    bodies = [foot.body for foot in robot.feet]
    for k in range(STEPS):
        v, wanted = sway(q, k * DT), sway(q, (k + 1) * DT)
        state, order = robot.state(q, v), rng.permutation(4)
        points, _, M = look(q)
        feet = sf.Contacts.from_points(robot, state, points[order], [bodies[i] for i in order], mu=MU)
        for name, controller in controllers.items():
            torques[name][k] = controller(state, (wanted - v)[robot.dofs] / DT, contacts=feet, throw=True)
            answer = controller.answer()
            apart = max(apart, np.abs(answer.velocity - wanted).max())
        torques[COLD][k], other = by_lemke(answer, M)
        apart = max(apart, other)
        q = q.copy()
        mujoco.mj_integratePos(robot.model, q, wanted, DT)
    return torques, apart


def draw(torques):
    """A panel a law: the twelve torques over time."""
    figure = Figure(figsize=(10, 6), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    colours = {"X1": "#3f9a57", "Y2": "#2f6db5", "Y3": "#d9772b"}
    for panel, (name, torque) in zip(panels, torques.items(), strict=True):
        for joint, values in zip(robot.joints, torque.T, strict=True):
            panel.plot(1e3 * DT * np.arange(STEPS), values, lw=0.9, color=colours[joint[-2:]])
        jump = np.abs(np.diff(torque, axis=0)).max()
        panel.set_title(f"{name}\nlargest jump {jump:.3f} N m", loc="left", fontsize=10)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_xlim(0, 1e3 * DT * STEPS)
    for panel in panels[2:]:
        panel.set_xlabel("time, ms")
    for panel in panels[::2]:
        panel.set_ylabel("torque, N m")
    lines = [panels[0].plot([], [], color=colour)[0] for colour in colours.values()]
    names = ("hips, sideways (X1)", "hips (Y2)", "knees (Y3)")
    figure.legend(lines, names, loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle("Torques of a swaying quadruped; four contacts, in another order every millisecond")
    return figure


parser = argparse.ArgumentParser(description="Torques of a swaying robot with and without stage II.")
parser.add_argument("-o", "--output", default="smooth.png", help="where to draw")
target = parser.parse_args().output
torques, apart = measure()
print(f"{'':<34}{'mean jump':>12}{'largest jump':>16}{'mean size':>14}")
for name, torque in torques.items():
    jump = np.abs(np.diff(torque, axis=0)).max(axis=1)
    size = np.linalg.norm(torque, axis=1).mean()
    print(f"{name:<34}{jump.mean():>8.4f} N m{jump.max():>12.4f} N m{size:>10.2f} N m")
print("the same motion under all:", apart < 1e-9)
draw(torques).savefig(target, dpi=110)
print("figure:", target)
