"""Torques of thousands of states in one call, on all cores.

For learning, sampling and planning: each state is solved by itself, so one that has no answer spoils none of the
others, and the result does not depend on the number of threads.
"""

import time

import numpy as np

import surefoot as sf

COUNT = 2000

robot = sf.load("links")
home, rng = robot.home(), np.random.default_rng(0)
q = np.tile(home.q, (COUNT, 1))
v = np.zeros((COUNT, robot.nv))
q[:, robot.joint_positions] += 0.02 * rng.standard_normal((COUNT, 12))
v[:, robot.dofs] = 0.2 * rng.standard_normal((COUNT, 12))
accelerations = 5.0 * rng.standard_normal((COUNT, 12))

law = sf.Dissipative(mu=0.6)
sf.inverse_dynamics_batch(robot, (q[:1], v[:1]), accelerations[:1], dt=1e-3, law=law)  # compiles, or loads
began = time.perf_counter()
batch = sf.inverse_dynamics_batch(robot, (q, v), accelerations, dt=1e-3, law=law)
seconds = time.perf_counter() - began

print(f"{int(batch.ok.sum())} of {COUNT} solved, largest violation of the law {batch.residual.max():.0e}")
print(f"median of the largest torque: {np.median(np.abs(batch.torque).max(axis=1)):.2f} N m")
one = sf.inverse_dynamics_batch(robot, (q, v), accelerations, dt=1e-3, law=law, threads=1)
print("one thread gives the same bits:", np.array_equal(one.torque, batch.torque))
print(f"{COUNT / seconds:,.0f} states/s")
