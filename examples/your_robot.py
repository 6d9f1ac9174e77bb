"""From a robot file to a fall, a figure and a picture.

    python examples/your_robot.py path/to/robot.urdf

Without a path a small hopper written below is used.
"""

import sys
import tempfile
from pathlib import Path

import surefoot as sf
from surefoot.errors import EngineError
from surefoot.report.picture import picture

HOPPER = """
<mujoco model="hopper">
  <worldbody>
    <geom name="ground" type="plane" size="0 0 0.05"/>
    <body name="trunk" pos="0 0 0.4">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.05" mass="3"/>
      <body name="leg" pos="0 0 -0.05">
        <joint name="knee" type="slide" axis="0 0 1" range="-0.1 0.1"/>
        <geom type="cylinder" size="0.01 0.1" pos="0 0 -0.1" mass="0.2" contype="0" conaffinity="0"/>
        <geom name="foot" type="cylinder" size="0.06 0.01" pos="0 0 -0.2" mass="0.1"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

folder = Path(tempfile.mkdtemp(prefix="surefoot-"))
if len(sys.argv) > 1:
    path = Path(sys.argv[1])
else:
    path = folder / "hopper.xml"
    path.write_text(HOPPER)

robot = sf.load(path)
print(robot)
print(sf.check(robot))


def hold(state):
    """A plain Python policy works too, only slower: springs and dampers at every joint."""
    offset = robot.home().q[robot.joint_positions] - state.q[robot.joint_positions]
    return 400.0 * offset - 20.0 * state.v[robot.dofs]


lifted = robot.home().q.copy()
lifted[2] += 0.05
trace = sf.Simulator(robot, dt=1e-3, law="coulomb").rollout(robot.state(lifted), hold, duration=1.0)
print(trace.message)
print("figure: ", trace.plot(folder / "fall.png"))
try:
    print("picture:", picture(robot, folder / "robot.png", trace.state()))
except EngineError as error:
    print(error)
