"""Torques that do not jump, with the motion untouched.

Feet on the ground can push against each other: many forces let a robot stand still. Which of them a solver finds first
depends on the order in which contacts come, and torques chatter. Stage II takes the least torques instead, or the most
even load. Here every foot touches with four points, and in every step they come in another order.
"""

import numpy as np

import surefoot as sf

robot = sf.load("links")
home, still = robot.home(), np.zeros(12)
found = sf.inverse_dynamics(robot, home, still, dt=1e-3).contacts
points = np.repeat(found.points, 4, axis=0)
points[:, :2] += 0.005 * np.random.default_rng(0).standard_normal((16, 2))
bodies = [body for body, _ in found.bodies for _ in range(4)]


def stand(law):
    """Torques (n, 12) and the fastest motion of the base, m/s^2 (rad/s^2)."""
    torques, fastest, shuffle = [], 0.0, np.random.default_rng(1)
    for _ in range(50):
        order = shuffle.permutation(16)
        feet = sf.Contacts.from_points(robot, home, points[order], [bodies[i] for i in order], mu=0.7)
        answer = sf.inverse_dynamics(robot, home, still, dt=1e-3, law=law, contacts=feet)
        torques.append(answer.torque)
        fastest = max(fastest, np.abs(answer.acceleration[:6]).max())
    return np.array(torques), fastest


print(f"{'smooth=':<10}{'largest jump of a torque':>26}{'mean size of the torques':>26}{'the base':>12}")
for smooth in (False, "torque", "load"):
    torque, fastest = stand(sf.Coulomb(mu=0.7, smooth=smooth))
    jump, size = np.abs(np.diff(torque, axis=0)).max(), np.linalg.norm(torque, axis=1).mean()
    what = "is still" if fastest < 1e-6 else "moves"
    print(f"{smooth!r:<10}{jump:>22.4f} N m{size:>22.3f} N m{what:>12}")
