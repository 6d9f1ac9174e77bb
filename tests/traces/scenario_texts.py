"""Scenario files that the tests share: one with every key and kind, a small one, and what writes tables as TOML."""

import json
import math
import tomllib

ROBOT = """
<mujoco><compiler angle="radian"/><worldbody>
<body name="trunk" pos="0 0 0.4"><freejoint/>
  <geom name="trunk" type="box" size="0.15 0.1 0.05" mass="2"/>
  <body name="leg" pos="0.1 0 0"><joint name="hip" axis="0 1 0" range="-1 1" limited="true"/>
    <geom name="leg" type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="0.5"/></body>
  <body name="tail" pos="-0.1 0 0"><joint name="root" axis="0 1 0"/>
    <geom name="tail" type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="0.5"/></body>
</body></worldbody>
<actuator><motor joint="hip"/><motor joint="root"/></actuator></mujoco>
"""

CODE = '''
"""A user's own policy and witnesses."""

from __future__ import annotations

from dataclasses import dataclass

import surefoot as sf


@dataclass
class Limp:
    joints: int

    def __call__(self, state):
        return [0.0] * self.joints


def limp(scene, dt):
    return Limp(len(scene.joints))


def high(span):
    return span.base[:, 2] - 0.05


@sf.witness
def early(t, q, v, torque, params):
    return 10.0 - t
'''

SMALL = """
robot = "hopper.xml"
duration = 0.05
particles = 2

[terrain]
kind = "plane"
mu = 0.6

[policies.hold]
kind = "stand"
kp = 20.0
kd = 0.5

[policies.limp]
kind = "python"
function = "code.py:limp"

[[requirements]]
kind = "upright"
limit = 1.0

[[requirements]]
kind = "python"
function = "code.py:high"

[[objective]]
kind = "workspace"
low = [-1.0, -1.0, -inf]
high = [1.0, 1.0, inf]

[uncertainty]
"robot.*.mass" = {normal = {sd = 0.05, low = 0.5, high = 1.5, factor = true}}
"start.hip" = {uniform = [-0.2, 0.2]}
"encoder.*" = {jitter = 0.003}
law = {choice = ["coulomb", "soft"]}

[[pushes]]
force = [1.0, 0.0, 0.0]
time = 0.01

[[faults]]
kind = "weak"
part = "h*"
time = 0.02
"""

FULL = """
title = "Everything at once"
robot = "links-light"
duration = 0.05
dt = 0.0005
law = "dissipative"
restitution = 0.1
telemetry_dt = 0.01
full_telemetry = [0, 7]
particles = 3

[terrain]
kind = "height map"
seed = 3
size = [2.0, 2.0]
cell = 0.1
hills = 20
covariance = 0.05
variability = 0.2
height = 0.01
mu = 0.7

[objects.marble]
kind = "ball"
radius = 0.03
mass = 0.2
position = [0.5, 0.5, 0.2]
mu = 0.4
colour = [1.0, 0.0, 0.0, 1.0]

[objects.crate]
kind = "box"
size = [0.1, 0.1, 0.1]
density = 300.0
position = [0.8, 0.0, 0.2]
rpy = [0.0, 0.0, 0.3]

[joints]
LF_Y2 = 0.75

[policies."steps, then a trot"]
kind = "steps"
gait = "walk"
period = 0.4
duty = 0.8
step_height = 0.02
forward = 0.1
turn = -0.2
ramp = 0.2
length = 1.1
width = 1.2
height = 0.9
kp = 2000.0
kd = 25.0
feed_forward = true
then = {gait = "trot", period = 0.3}
at = 0.5
after = 0.6

[policies."to a point"]
kind = "steps"
points = [[0.5, 0.0], [0.5, 0.5]]
turn = 0.5

[policies.walk]
kind = "walk"
gait = "trot"
period = 0.3
duty = 0.7
step_height = 0.02
forward = 0.1
left = 0.02
turn = 0.1
ramp = 0.3
kp = 1500.0
kd = 50.0
law = "coulomb"

[policies.stand]
kind = "stand"
kp = 20.0
kd = 0.4

[policies.own]
kind = "python"
function = "code.py:limp"

[[requirements]]
kind = "upright"
limit = 1.2
name = "not over"
[[requirements]]
kind = "tilt"
about = "pitch"
limit = 0.9
[[requirements]]
kind = "no body contact"
bodies = ["BASE"]
[[requirements]]
kind = "no strike"
slope = 0.9
geoms = ["ground"]
[[requirements]]
kind = "no self-collision"
near = 0.005
every = 5
[[requirements]]
kind = "torque-speed"
torque = 40.0
speed = {LF_Y2 = 30.0}
[[requirements]]
kind = "joint range"
low = -3.0
high = {LF_Y2 = 3.0}
[[requirements]]
kind = "workspace"
low = [-1.0, -1.0, -inf]
high = [1.0, 1.0, inf]
part = "LF_FOOT"
[[requirements]]
kind = "python"
function = "code.py:high"
[[requirements]]
kind = "python"
function = "code.py:early"

[[objective]]
kind = "feet beyond"
point = [-1.0, 0.0]
heading = 0.1
feet = ["LF_FOOT"]
[[objective]]
kind = "held"
thing = "marble"

[uncertainty]
like = "quadruped"
"robot.*.length" = {normal = 0.001}
"robot.lf.thigh.radius" = {normal = {sd = 0.0001, mean = 0.01, low = 0.005, high = 0.02}}
"robot.base.density" = {normal = {sd = 0.05, factor = true}}
"object.marble.radius" = {measured = {value = 0.0301, resolution = 0.0005}}
"object.crate.density" = {uniform = {low = 0.9, high = 1.1, factor = true}}
"ground.height" = {uniform = [0.005, 0.02]}
restitution = {constant = 0.2}
law = {choice = ["coulomb", "dissipative"]}
"start.velocity.x" = {normal = 0.01}
"gps.x" = {jitter = {sd = 0.01, low = -0.02, high = 0.02}}
"motor.*.strength" = {normal = 0.02}
"lag.torque" = {uniform = [0.0, 0.002]}
"push.0.force.1" = {uniform = [-5.0, 5.0]}
"fault.0.time" = {uniform = [0.01, 0.03]}

[[pushes]]
force = [0.0, 2.0, 0.0]
torque = [0.0, 0.0, 0.1]
time = 0.01
duration = 0.02
body = "BASE"
[[pushes]]
force = [0.0, 0.0, 1.0]
time = 0.02

[[faults]]
kind = "stuck"
part = "LF_Y2"
time = 0.02
until = 0.03
[[faults]]
kind = "weak"
part = "RF_*"
time = 0.02
strength = 0.3
[[faults]]
kind = "dead"
part = "LH_Y2"
time = 0.02
[[faults]]
kind = "dropout"
part = "gps.*"
time = 0.01
"""

PICKING = """
robot = "arm"
duration = 0.05

[objects.ball]
kind = "ball"
radius = 0.025
mass = 0.5
position = [0.3, 0.14, -0.175]
mu = 1.0

[policies.straight]
kind = "picking"
way = "direct"

[[objective]]
kind = "held"

[uncertainty]
"object.ball.mass" = {normal = 0.01}
"""


def folder(path):
    """A folder with a robot and a user's code."""
    (path / "hopper.xml").write_text(ROBOT)
    (path / "code.py").write_text(CODE)
    return path


def write(path, text, name="made.toml"):
    """A scenario's file."""
    file = path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return file


def changed(text, **keys):
    """The text of a file with some of its topmost keys changed; None: left out."""
    content = {**tomllib.loads(text), **keys}
    return dump({key: value for key, value in content.items() if value is not None})


def dump(table):
    """A table as TOML, all on lines of one key each."""
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in table.items())


def _value(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, str):
        return value if value.endswith((":00Z", ":00")) else _key(value)  # a date, a time
    return json.dumps(value) if isinstance(value, bool | int | float) else str(value)


def _key(text):
    return json.dumps(text).replace("\x7f", "\\u007f")
