"""Scenes for the soft law: a figure on all fours with every kind of row, a ball with torsion and rolling."""

import surefoot as sf
from tests.contact.scenes import compiled

LAWS = (sf.Soft(), sf.Soft(epsilon=0.1, kappa=0.05), sf.Soft(epsilon=1e-3, kappa=0.01))

LEG = """
<body name="{side}_thigh" pos="-0.2 {y} 0">
  <joint name="{side}_hip_x" axis="1 0 0"/><joint name="{side}_hip_y" axis="0 1 0"/>
  <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.25" mass="4" contype="0" conaffinity="0"/>
  <body name="{side}_shin" pos="0 0 -0.25">
    <joint name="{side}_knee" axis="0 1 0" range="-2 0.1" limited="true"/>
    <geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.2" mass="2" contype="0" conaffinity="0"/>
    <body name="{side}_foot" pos="0 0 -0.25"><joint name="{side}_ankle" axis="0 1 0"/>
      <geom name="{side}_heel" type="sphere" size="0.03" pos="-0.05 0 0.0297" mass="0.3" condim="3" friction="0.8"/>
      <geom name="{side}_toe" type="sphere" size="0.03" pos="0.1 0 0.0297" mass="0.3" condim="4" friction="0.6 0.02"/>
    </body>
  </body>
</body>
"""
ARM = """
<body name="{side}_arm" pos="0.3 {y} 0"><joint name="{side}_shoulder" axis="1 0 0"/>
  <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.25" mass="1.5" contype="0" conaffinity="0"/>
  <body name="{side}_forearm" pos="0 0 -0.25">
    <joint name="{side}_elbow" axis="0 1 0" range="-0.2 2" limited="true"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2" mass="1" contype="0" conaffinity="0"/>
    <geom name="{side}_hand" type="sphere" size="0.04" pos="0 0 -0.2103" mass="0.4" condim="{condim}"
      friction="0.9 0.05 0.01"/>
  </body>
</body>
"""
STRAP = """
<body name="strap" pos="-0.1 0 0"><joint name="strap_x" axis="1 0 0"/><joint name="strap_y" axis="0 1 0"/>
  <geom type="capsule" size="0.01" fromto="0 0 0 -0.1 0.12 -0.1" mass="0.2" contype="0" conaffinity="0"/></body>
"""
FIGURE = (
    """<geom name="ground" type="plane" size="0 0 1" condim="1"/>
<body name="torso" pos="0 0 0.5"><freejoint/><geom type="capsule" size="0.1" fromto="-0.2 0 0 0.3 0 0" mass="20"
  contype="0" conaffinity="0"/>"""
    + LEG.format(side="left", y=0.12)
    + LEG.format(side="right", y=-0.12)
    + ARM.format(side="left", y=0.15, condim=6)
    + ARM.format(side="right", y=-0.15, condim=1)
    + STRAP
    + "</body>"
)
DEFAULTS = """
<compiler angle="radian"/>
<default><joint damping="0.5" armature="0.02" frictionloss="0.3"/></default>
<equality>
  <connect body1="strap" body2="left_thigh" anchor="-0.1 0.12 -0.1"/>
  <joint joint1="left_elbow" joint2="right_elbow" polycoef="0.002 1 0 0 0"/>
</equality>
"""
JOINTS = tuple(f"{side}_{name}" for side in ("left", "right") for name in ("hip_x", "hip_y", "knee", "ankle"))
JOINTS += tuple(f"{side}_{name}" for side in ("left", "right") for name in ("shoulder", "elbow"))


def figure():
    """A figure on all fours: loops, limits, dry friction, damping, armature, contacts of condim 1, 3, 4 and 6."""
    return compiled(FIGURE, DEFAULTS, joints=JOINTS)


def figure_state(scene, rng, speed=0.3, reach=2e-4):
    """Moving, a knee and an elbow beyond their limits, nearly all contacts in the ground."""
    q, v = scene.home().q.copy(), speed * rng.normal(size=scene.nv)
    v[3:] *= 2.0
    q[2] += reach * rng.normal()
    q[scene.model.joint("right_knee").qposadr] = 0.1 + 0.001 * rng.random()
    q[scene.model.joint("left_elbow").qposadr] = -0.2 - 0.001 * rng.random()
    q[scene.model.joint("right_elbow").qposadr] = -0.2
    q[scene.model.joint("strap_x").qposadr] = 0.003 * rng.normal()
    return scene.state(q, v)


def rolling_ball(condim, *, spin=0.03, roll=0.02, mu=0.6):
    """A free ball of 2 kg and radius 0.1 m that touches the plane at height 0.1 m."""
    return compiled(
        f"""<geom name="ground" type="plane" size="0 0 1" condim="1" friction="{mu} {spin} {roll}"/>
        <body name="ball" pos="0 0 0.1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="2"
        condim="{condim}" friction="{mu} {spin} {roll}"/></body>""",
        '<option cone="elliptic"/>',
    )


def rod():
    """A rod with its mass off centre over two frictionless points: one slide, one hinge, two coupled contacts."""
    return compiled(
        """<geom name="ground" type="plane" size="0 0 1" condim="1"/>
        <body name="rod" pos="0 0 0.1"><joint name="lift" type="slide" axis="0 0 1"/><joint name="tilt" axis="0 1 0"/>
        <inertial pos="0.1 0 0" mass="3" diaginertia="0.05 0.05 0.05"/>
        <geom name="left" type="sphere" size="0.02" pos="-0.3 0 -0.08" condim="1"/>
        <geom name="right" type="sphere" size="0.02" pos="0.2 0 -0.08" condim="1"/></body>"""
    )


def pressed(robot, rng, depth=2e-4, speed=0.3):
    """Near home, all feet in the ground, moving."""
    q = robot.home().q.copy()
    q[2] -= depth
    return robot.state(q, speed * rng.normal(size=robot.nv))
