"""Cases that tell the laws apart: each takes a law and a state in which `links` rests under it, and returns a cell."""

import math
from dataclasses import fields, replace

import mujoco
import numpy as np

import surefoot as sf
from surefoot.laws import Law

DT = 1e-3
ROBOT = sf.load("links")
STILL = np.zeros(12)
PRESS = """
<mujoco>
  <worldbody>
    <body name="left" pos="-0.1 0 1">
      <joint name="left" type="slide" axis="1 0 0"/>
      <geom name="left" type="box" size="0.05 0.1 0.1" mass="1"/>
    </body>
    <body name="right" pos="0.1 0 1">
      <joint name="right" type="slide" axis="-1 0 0"/>
      <geom name="right" type="box" size="0.05 0.1 0.1" mass="1"/>
    </body>
    <body name="ball">
      <freejoint name="ball"/>
      <geom name="ball" type="sphere" size="0.05" pos="0 0 1" mass="0.1"/>
    </body>
  </worldbody>
</mujoco>
"""
SHORT = {"INFEASIBLE": "refused", "INCONSISTENT": "refused", "UNSOLVED": "no answer"}


def with_friction(law: Law, mu: float) -> Law:
    """The same law with another friction; no-slip has none."""
    return replace(law, mu=mu) if "mu" in {field.name for field in fields(law)} else law


def told(answer: sf.Answer, text: str) -> str:
    """The text, or what went wrong."""
    if answer.status is sf.Status.REGULARISED:
        text += ", regularised"
    return text if answer.ok else SHORT[answer.status.name]


def slippery(law: Law, state: sf.State) -> str:
    """Feet are told to part at 5 m/s^2 on ground of friction 0.1."""
    outward = np.array([5.0 if joint.endswith("X1") else 0.0 for joint in ROBOT.joints])
    outward *= np.sign(ROBOT.home().q[ROBOT.joint_positions])
    answer = sf.inverse_dynamics(ROBOT, state, outward, dt=DT, law=with_friction(law, 0.1), throw=False)
    ratio = np.linalg.norm(answer.forces[:, 1:], axis=1).sum() / max(answer.forces[:, 0].sum(), 1e-9)
    return told(answer, f"{int(answer.slipping.sum())} slip, {ratio:.3f}")


def lifted(law: Law, state: sf.State, forward: float) -> sf.Answer:
    """One foot rises at 1 m/s^2, and swings forward, while the other joints keep still."""
    contacts = sf.inverse_dynamics(ROBOT, state, STILL, dt=DT, law=law, throw=False).contacts
    demand = STILL.copy()
    demand[:3] = np.linalg.solve(contacts.J[0][:, ROBOT.dofs[:3]], [1.0, forward, 0.0])
    return sf.inverse_dynamics(ROBOT, state, demand, dt=DT, law=law, throw=False)


def lifting(law: Law, state: sf.State) -> str:
    """A foot rises and swings forward, both at 1 m/s^2: what it still feels."""
    answer = lifted(law, state, forward=1.0)
    return told(answer, f"{answer.forces[0, 0]:.1f} N, {np.linalg.norm(answer.forces[0, 1:]):.1f} N")


def infinite(law: Law, state: sf.State) -> str:
    """Infinite friction while a foot rises straight up."""
    return told(lifted(with_friction(law, np.inf), state, forward=0.0), "solved")


def impact(law: Law, state: sf.State) -> str:
    """The robot lands at 0.5 m/s, its joints held by inverse dynamics under the law of the ground: largest force."""
    v = np.zeros(ROBOT.nv)
    v[2] = -0.5
    controller, home = sf.InverseDynamics(ROBOT, DT, law), ROBOT.home().q[ROBOT.joint_positions]

    def hold(state: sf.State) -> np.ndarray:
        return controller(state, 400.0 * (home - state.q[ROBOT.joint_positions]) - 40.0 * state.v[ROBOT.dofs])

    trace = sf.Simulator(ROBOT, DT, law=law).rollout(ROBOT.state(ROBOT.home().q, v), hold, duration=0.05)
    most = max(trace.contact_forces[trace.contacts_of(k), 0].sum() for k in range(len(trace)))
    return f"{most / (9.81 * ROBOT.mass):.0f} weights"


def grasp(law: Law, state: sf.State) -> str:
    """All joints of a hand around a box of friction 0.5 are told to keep still: does the box?"""
    lever = 0.05 * math.cos(math.pi / 4)
    side = 2 * (lever - 0.01)
    box = sf.Box(size=(side,) * 3, mass=0.1, position=(0.25 + lever, 0.0, 0.2), mu=0.5)
    scene = sf.scene(sf.load("arm"), objects=[box])
    answer = sf.inverse_dynamics(scene, scene.home(), np.zeros(11), dt=DT, law=law, throw=False)
    fall = -answer.acceleration[-4]
    return told(answer, "holds" if abs(fall) < 1e-6 else f"drops at {fall:.1f} m/s²")


def redundant(law: Law, state: sf.State) -> str:
    """Ten points a foot instead of one, in twenty orders: by how much the torques differ."""
    found = sf.inverse_dynamics(ROBOT, state, STILL, dt=DT, law=law, throw=False).contacts
    rng = np.random.default_rng(0)
    points, gaps = np.repeat(found.points, 10, axis=0), np.repeat(found.gaps, 10)
    points[:, :2] += 0.005 * rng.standard_normal((40, 2))
    bodies = [body for body, _ in found.bodies for _ in range(10)]
    torques = []
    for _ in range(20):
        order = rng.permutation(40)
        names = [bodies[i] for i in order]
        given = sf.Contacts.from_points(ROBOT, state, points[order], names, gaps=gaps[order], mu=1.0)
        answer = sf.inverse_dynamics(ROBOT, state, STILL, dt=DT, law=law, contacts=given, throw=False)
        if not answer.ok:
            return SHORT[answer.status.name]
        torques.append(answer.torque)
    spread = np.ptp(torques, axis=0).max()
    return f"{spread:.1f} N m" if spread > 0.05 else "below 1e-9 N m" if spread < 1e-9 else f"{spread:.0e} N m"


def parting(law: Law, state: sf.State) -> str:
    """Four feet on the ground are told to part at 0.05 rad/s: what the answer costs."""
    demand = {joint: 0.05 if joint.endswith("Y3") else 0.0 for joint in ROBOT.joints}
    answer = sf.solve(ROBOT, state, dt=DT, velocity=demand, law=law, throw=False)
    return told(answer, f"{np.abs(answer.torque).max():.1f} N m")


def squeeze(law: Law, state: sf.State) -> str:
    """Two plates close on a ball at 0.1 m/s."""
    press = sf.Scene(mujoco.MjSpec.from_string(PRESS), name="press", joints=("left", "right"))
    answer = sf.solve(press, press.home(), dt=DT, velocity={"left": 0.1, "right": 0.1}, law=law, throw=False)
    return told(answer, f"{np.abs(answer.forces[:, 0]).max():.1f} N")


CASES = {
    "slippery ground: feet told to part at 5 rad/s² on friction 0.1; feet that slip, friction / load": slippery,
    "lifting foot, 1 m/s² up and forward: its load, its friction": lifting,
    "impact: landing at 0.5 m/s with held joints, largest force": impact,
    "grasp: all joints told to rest, the box": grasp,
    "redundant contacts: 40 points in 20 orders, torques differ by": redundant,
    "infinite friction: a foot lifts": infinite,
    "inconsistent demand: four feet told to part, largest torque": parting,
    "impossible demand: two plates told to close on a ball": squeeze,
}
