"""Which torques let a robot stand still, and what does the ground push back with?

One call answers both: prescribe zero acceleration of every joint; the contact law finds forces and torques together.
Then the answer is checked: the same torques, given to the forward problem, must leave the joints at rest.
"""

import numpy as np

import surefoot as sf

robot = sf.load("links")
state = robot.home()
rest = np.zeros(len(robot.joints))

answer = sf.inverse_dynamics(robot, state, rest, dt=1e-3, law=sf.Coulomb(mu=0.7))
print(answer.table())

weight = robot.mass * 9.81
print(f"\nThe ground carries {answer.ground_force[2]:.4f} N; the robot weighs {weight:.4f} N.")

back = sf.forward_dynamics(robot, state, answer.torque, dt=1e-3, law=sf.Coulomb(mu=0.7))
print(
    f"Forward with these torques: largest joint acceleration {np.abs(back.acceleration[robot.dofs]).max():.1e} rad/s^2."
)
