"""A quadruped that trots: goals of the feet, kinematics, feedback and inverse dynamics in one compiled loop.

`walker` makes the usual list of stages; each can be taken out and replaced by one's own. Everything runs compiled, and
the controller has its own model of robot and ground.
"""

import time

import numpy as np

import surefoot as sf
from surefoot.control import Command, walker
from surefoot.gait import Gait

DT = 1e-3
ground = sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.1))
gait = Gait.named("trot", period=0.3, duty=0.75, step_height=0.015)
pipeline = walker(ground, Command(forward=0.2), gait, DT, law="coulomb")
print(pipeline.table())

simulator = sf.Simulator(ground, dt=DT)
policy = pipeline.policy()
simulator.rollout(ground.home(), policy, duration=DT)  # compiles, or loads what was compiled before
began = time.perf_counter()
trace = simulator.rollout(ground.home(), policy, duration=10.0)
seconds = time.perf_counter() - began

way, up_and_down = np.linalg.norm(trace.q[-1, :2]), 1e3 * np.ptp(trace.q[:, 2])
print(f"In {trace.t[-1]:.0f} s it went {way:.1f} m on ground of friction 0.1, {up_and_down:.1f} mm up and down.")
print(f"10 s took {seconds:.2f} s: {10.0 / seconds:.0f} times as fast as the clock.")
