"""The same controller on ground of different friction: where does a robot that pushes sideways start to slide?

The law may believe another friction than the ground has; here both are the same, and both are varied.
"""

import numpy as np

import surefoot as sf

robot = sf.load("links")
state = robot.home()
stand = sf.inverse_dynamics(robot, state, np.zeros(12), dt=1e-3).torque

# Abduction torques of 0.4 N m push the feet outward.
push = stand.copy()
for i, joint in enumerate(robot.joints):
    if joint.endswith("X1"):
        push[i] += 0.4 * np.sign(state.q[robot.joint_positions][i])

print("  mu   slipping feet   friction / normal")
for mu in (0.05, 0.1, 0.2, 0.4, 0.8):
    answer = sf.forward_dynamics(robot, state, push, dt=1e-3, law=sf.Coulomb(mu=mu))
    ratio = np.linalg.norm(answer.forces[:, 1:], axis=1) / answer.forces[:, 0]
    print(f"{mu:5.2f}   {int(answer.slipping.sum())} of {len(answer.forces)}          {ratio.max():.3f}")
