"""Motors are not strong enough: what does the robot do instead?

A joint of limited torque follows its motion as long as it can, and stays at its limit where it cannot. The limits are
part of the problem: the contact forces are those that go with the motion that really happens.
"""

import numpy as np

import surefoot as sf

robot = sf.load("links")
state = robot.home()
jump = sf.inverse_dynamics(robot, state, np.zeros(12), dt=1e-3).contacts.J  # (feet, 3, nv)

# Joint accelerations that push the base up with 20 m/s^2 while the feet stay where they are.
up = np.zeros(robot.nv)
up[2] = 20.0
demand = np.zeros(12)
for i, J in enumerate(jump):
    leg = slice(3 * i, 3 * i + 3)
    demand[leg] = -np.linalg.solve(J[:, robot.dofs[leg]], J @ up)

print("limit, N m   largest torque   base goes up with   joints that cannot follow")
for limit in (None, 2.0, 1.5, 1.0):
    answer = sf.inverse_dynamics(robot, state, demand, dt=1e-3, torque_limits=limit)
    weak, lift = np.count_nonzero(answer.missed), answer.acceleration[2]
    print(f"{limit or 'none':>10}{np.abs(answer.torque).max():13.2f} N m{lift:16.1f} m/s^2{weak:17d}")
