"""From a motion to its forces: inverse dynamics of a whole recorded motion, the base's too.

Soft contact can be inverted in closed form: velocities before and after a step determine every contact force, and no
problem is solved. What is left over on the base, where there is no motor, says how unphysical the motion is.
"""

import numpy as np

import surefoot as sf

DT, LAW = 1e-3, sf.Soft()

robot = sf.load("links")
start = robot.home().q.copy()
start[2] += 0.02
home = robot.home().q[robot.joint_positions]


def springs(state):
    """Land softly."""
    return 20.0 * (home - state.q[robot.joint_positions]) - 0.06 * state.v[robot.dofs]


recorded = sf.Simulator(robot, dt=DT, law=LAW).rollout(robot.state(start), springs, duration=0.3)

torque_error, left_over, tampered = 0.0, 0.0, 0.0
for k in range(len(recorded)):
    answer = sf.inverse_dynamics(robot, recorded.state(k), dt=DT, velocity_next=recorded.v[k + 1], law=LAW)
    torque_error = max(torque_error, np.abs(answer.torque - recorded.torque[k]).max())
    left_over = max(left_over, np.abs(answer.unactuated).max())
    wrong = recorded.v[k + 1].copy()
    wrong[2] += 0.1 * DT  # the base accelerates upwards by 0.1 m/s^2 more than it did
    answer = sf.inverse_dynamics(robot, recorded.state(k), dt=DT, velocity_next=wrong, law=LAW)
    tampered = max(tampered, abs(answer.unactuated[2]))

print(
    f"{len(recorded)} steps: torques come back within {torque_error:.0e} N m, {left_over:.0e} N are left on the base."
)
print(f"Tampered with by 0.1 m/s^2: up to {tampered:.2f} N that nothing exerts.")
