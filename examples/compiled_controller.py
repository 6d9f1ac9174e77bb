"""Inverse dynamics inside a compiled policy: no Python between steps.

`controller.handle` is a number that a compiled policy keeps in its params; `sf.follow` calls the controller with it.
The controller owns the model it believes in; here that is also what the ground is like.
"""

import time

import numpy as np

import surefoot as sf


@sf.policy
def squat(t, q, v, torque_out, memory, params):
    """Follow home + 0.15 sin(2 pi t) bend by inverse dynamics with feedback."""
    n = torque_out.size
    wave, rate, second = np.sin(2 * np.pi * t), 2 * np.pi * np.cos(2 * np.pi * t), -((2 * np.pi) ** 2)
    acceleration = memory[:n]
    for i in range(n):
        home, bend = params[1 + i], 0.15 * params[1 + n + i]
        behind, slower = home + bend * wave - q[7 + i], bend * rate - v[6 + i]
        acceleration[i] = second * bend * wave + 400.0 * behind + 40.0 * slower
    return sf.follow(params[0], q, v, acceleration, torque_out)


robot = sf.load("links")
state = robot.home()
home = state.q[robot.joint_positions]
bend = np.sign(home) * np.tile([0.0, 0.5, 1.0], 4)
controller = sf.InverseDynamics(robot, 1e-3, sf.Coulomb(mu=0.8, smooth=True))
policy = squat.bind(np.concatenate([[controller.handle], home, bend]), memory=12)

simulator = sf.Simulator(robot, dt=1e-3, law=sf.Coulomb(mu=0.8))
simulator.rollout(state, policy, duration=0.001)  # compiles, or loads what was compiled before
began = time.perf_counter()
trace = simulator.rollout(state, policy, duration=2.0)
seconds = time.perf_counter() - began

wanted = home + 0.15 * np.sin(2 * np.pi * trace.t)[:, None] * bend
late = trace.t > 0.5
error = np.abs(trace.q[late][:, robot.joint_positions] - wanted[late]).max()
print(trace.message)
print(f"After half a second the joints are within {1e3 * error:.2f} mrad of the motion.")
print(f"{len(trace) / seconds:,.0f} steps/s with inverse dynamics in every step")
