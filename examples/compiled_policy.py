"""A controller of your own inside the compiled loop.

A function decorated with `@sf.policy` is compiled together with the simulation: no Python runs between steps. Its
numbers arrive in `params`, its memory from call to call in `memory`. Here each joint is a spring, a damper, and the
torque that the robot needs to stand, found by inverse dynamics; the robot squats up and down.
"""

import time

import numpy as np

import surefoot as sf


@sf.policy
def squat(t, q, v, torque_out, memory, params):
    """Follow home + amplitude * sin(2 pi t) * direction; a free base takes q[:7] and v[:6]."""
    n = torque_out.size
    stiffness, damping, amplitude = params[0], params[1], params[2]
    wave = amplitude * np.sin(2 * np.pi * t)
    for i in range(n):
        home, direction, stand = params[3 + i], params[3 + n + i], params[3 + 2 * n + i]
        torque_out[i] = stand + stiffness * (home + wave * direction - q[7 + i]) - damping * v[6 + i]
    return 0


robot = sf.load("links")
state = robot.home()
home = state.q[robot.joint_positions]
stand = sf.inverse_dynamics(robot, state, np.zeros(12), dt=1e-3).torque
bend = np.sign(home) * np.tile([0.0, 0.5, 1.0], 4)  # hips and knees, each leg in its own sense
policy = squat.bind(np.concatenate([[20.0, 0.06, 0.2], home, bend, stand]))

simulator = sf.Simulator(robot, dt=1e-3, law=sf.Coulomb(mu=0.7))
simulator.rollout(state, policy, duration=0.001)  # compiles, or loads what was compiled before
began = time.perf_counter()
trace = simulator.rollout(state, policy, duration=4.0)
seconds = time.perf_counter() - began

height = trace.q[:, 2]
print(trace.message)
print(f"The base moved between {height.min():.4f} and {height.max():.4f} m.")
print(f"{len(trace) / seconds:,.0f} steps/s, {4.0 / seconds:.0f} x real time.")
