"""Small robots, policies and runs that the tests of particle traces share."""

import mujoco
import numpy as np

import surefoot as sf
from surefoot.robots.scene import Foot, Surface
from surefoot.simulate.simulator import Simulator
from surefoot.traces.fabricate import Built
from surefoot.traces.particle import Particle, Task
from surefoot.traces.span import Span
from surefoot.traces.witness import as_witness

DT = 1e-3
ROD = """
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/>
  <geom name="upper" type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.7"/>
  <body name="lower" pos="0.3 0 0"><joint name="elbow" axis="0 1 0" limited="true" range="-1 2"/>
    <geom name="lower" type="capsule" size="0.02" fromto="0 0 0 0.25 0.05 0" mass="0.4"/></body></body>
"""
FLYER = """
<geom name="ground" type="plane" size="5 5 1"/>
<body name="trunk" pos="0 0 1"><freejoint name="free"/>
  <geom name="trunk" type="box" size="0.15 0.1 0.05" pos="0.01 0.02 0.03" mass="2"/>
  <body name="leg" pos="0.1 0 0"><joint name="hip" axis="0 1 0"/>
    <geom name="leg" type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="0.5"/>
    <geom name="sole" type="sphere" size="0.03" pos="0 0 -0.3" mass="0.1"/></body></body>
"""


def scene(world, rest="", **roles):
    """A scene of MJCF text."""
    spec = mujoco.MjSpec.from_string(f'<mujoco><compiler angle="radian"/>{rest}<worldbody>{world}</worldbody></mujoco>')
    surfaces = tuple(Surface(geom.name, None) for geom in spec.worldbody.geoms if geom.name == "ground")
    return sf.Scene(spec, name="made", **{"joints": (), "surfaces": surfaces, **roles})


def rod(rest="", motors=""):
    """Two links on a fixed shoulder, 1 m above nothing."""
    return scene(ROD, rest + motors, joints=("shoulder", "elbow"))


def flyer(rest=""):
    """A trunk with one leg, 1 m above the ground."""
    return scene(FLYER, rest, joints=("hip",), base="trunk", feet=(Foot("foot", "leg", ("sole",)),))


def nothing(state):
    """No torque, for robots of one or two joints: they are told apart by their positions."""
    return np.zeros(2 if len(state.q) == 2 else 1)


@sf.policy
def idle(t, q, v, torque_out, memory, params):
    """No torque."""
    return 0


@sf.policy
def tells(t, q, v, torque_out, memory, params):
    """Torque of the first joint: params are a factor, then weights of the clock, of the calls, of q and of v."""
    memory[0] += 1.0
    total = params[1] * t + params[2] * memory[0]
    for i in range(q.shape[0]):
        total += params[3 + i] * q[i]
    for i in range(v.shape[0]):
        total += params[3 + q.shape[0] + i] * v[i]
    torque_out[0] = params[0] * total
    return 0


def telling(robot, *, factor=1.0, clock=0.0, calls=0.0, q=(), v=()):
    """`tells` with weights: of the places in q and v that are named."""
    weights = np.zeros(3 + robot.nq + robot.nv)
    weights[:3] = factor, clock, calls
    weights[3 + np.array(q, dtype=int)] = 1.0
    weights[3 + robot.nq + np.array(v, dtype=int)] = 1.0
    return tells.bind(weights, memory=1)


def telling_python(robot, *, factor=1.0, clock=0.0, calls=0.0, q=(), v=()):
    """The same law in Python."""
    weights, count = telling(robot, factor=factor, clock=clock, calls=calls, q=q, v=v).params, [0.0]

    def told(state):
        count[0] += 1.0
        total = weights[1] * state.t + weights[2] * count[0]
        for weight, value in zip(weights[3:], np.concatenate([state.q, state.v]), strict=True):
            total += weight * value
        torque = np.zeros(len(robot.joints))
        torque[0] = weights[0] * total
        return torque

    return told


def hold(robot, kp=20.0, kd=0.5):
    """A compiled policy that keeps the joints of a floating robot at home."""
    return holds.bind(np.r_[kp, kd, robot.home().q[7:]])


@sf.policy
def holds(t, q, v, torque_out, memory, params):
    """Springs and dampers towards params[2:]."""
    for i in range(torque_out.shape[0]):
        torque_out[i] = params[0] * (params[2 + i] - q[7 + i]) - params[1] * v[6 + i]
    return 0


def started(robot, policy, duration, **given):
    """A particle of a scene, at its start."""
    known = {"requirements": (), "objective": (), "state": robot.home(), "law": sf.Coulomb(), "restitution": 0.0}
    known |= {"dt": DT, "values": {}, "noise": {}, "pushes": (), "faults": (), "seed": 0, "particle": 1}
    known |= {"telemetry_dt": 0.02, **given}
    witnesses = [tuple(as_witness(what, value) for value in known[what]) for what in ("requirements", "objective")]
    task = Task(duration, known["dt"], *witnesses, known["telemetry_dt"])
    built = Built(robot, known["state"], known["law"], known["restitution"])
    plant = Simulator(robot, known["dt"], known["law"], known.get("control_dt"), restitution=known["restitution"])
    rest = [known[name] for name in ("values", "noise", "pushes", "faults", "seed", "particle")]
    return Particle(task, built, plant, policy, *rest)


def traced(robot, policy, duration, **given):
    """A particle that has run: see `started`."""
    particle = started(robot, policy, duration, **given)
    particle.trace()
    return particle


def result(robot, policy, duration, **given):
    """What it came to."""
    return traced(robot, policy, duration, **given).result("policy", given.get("particle", 1), {}, 0.0)


def span_of_trace(trace, near):
    """All steps of a Trace; `near`: m, the distance to which its simulator has found contacts."""
    n = len(trace)
    return Span(
        trace.scene, trace.t[:n], trace.q[:n], trace.v[:n], trace.torque, trace.contact_start, trace.contact_geoms,
        trace.contact_points, trace.contact_frames, trace.contact_gaps, trace.contact_forces, trace.contact_velocities,
        near, trace.dt**2,
    )  # fmt: skip


def span(robot, state=None, duration=0.01, policy=None, **settings):
    """A span of a roll-out."""
    sim = Simulator(robot, DT, **settings)
    trace = sim.rollout(robot.home() if state is None else state, policy, duration)
    return span_of_trace(trace, sim.space.detection)
