"""Small scenes for the tests of contact and motion."""

import mujoco
import numpy as np

import surefoot as sf
from surefoot.motion.workspace import Workspace
from surefoot.robots.scene import Scene, Surface


def compiled(world, rest="", *, joints=(), objects=(), surfaces=(), feet=(), home=None):
    """A scene of MJCF text: what stands in the world, and what stands beside it."""
    spec = mujoco.MjSpec.from_string(f"<mujoco>{rest}<worldbody>{world}</worldbody></mujoco>")
    surfaces = tuple(surfaces) or tuple(Surface(g.name, None) for g in spec.worldbody.geoms if g.name == "ground")
    return Scene(spec, name="made", joints=joints, objects=objects, surfaces=surfaces, feet=feet, home=home)


def changed(scene, change):
    """The same scene after `change(spec)`."""
    spec = scene.spec.copy()
    change(spec)
    return sf.Scene(
        spec,
        name=scene.name,
        joints=scene.joints,
        base=scene.base,
        feet=scene.feet,
        objects=scene.objects,
        surfaces=scene.surfaces,
        home=scene.home().q,
    )


def block(mu=0.5, *, mass=1.0, size=(0.2, 0.2, 0.1), above=0.0, x=0.0):
    """A box on a plane, `above` m over it."""
    return sf.scene(
        None,
        terrain=sf.Plane(mu=mu),
        objects=[sf.Box(size=size, mass=mass, position=(x, 0.0, size[2] / 2 + above))],
    )


def ball(mu=0.5, *, mass=1.0, radius=0.1, above=0.0):
    """A ball on a plane, `above` m over it."""
    objects = [sf.Ball(radius=radius, mass=mass, position=(0.0, 0.0, radius + above))]
    return sf.scene(None, terrain=sf.Plane(mu=mu), objects=objects)


def found(scene, state=None, contacts=None, *, dt=1e-3, **settings):
    """A workspace with the rows of a state."""
    space = Workspace(scene, dt, **settings)
    space.load(scene.home() if state is None else state)
    assert space.find(contacts) == 0
    return space


def random_state(scene, rng, *, reach=0.3, speed=1.0):
    """A state near home, on MuJoCo's manifold."""
    q = scene.home().q.copy()
    mujoco.mj_integratePos(scene.model, q, reach * rng.normal(size=scene.nv), 1.0)
    return scene.state(q, speed * rng.normal(size=scene.nv))


FOUR_BAR = """
<body name="crank"><joint name="a" axis="0 1 0" damping="0.1"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3"/>
  <body name="coupler" pos="0 0 0.3"><joint name="b" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0"/></body></body>
<body name="rocker" pos="0.4 0 0"><joint name="c" axis="0 1 0" damping="0.05"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3"/></body>
"""
LOOP = (
    '<option><flag contact="disable"/></option>'
    '<equality><connect body1="coupler" body2="rocker" anchor="0.4 0 0"/></equality>'
)


def four_bar(yaw=0.0):
    """A planar loop of three links, turned by `yaw` degrees; its equality has two rows that act, one that never can."""
    return compiled(f'<body name="frame" euler="0 0 {yaw}">{FOUR_BAR}</body>', LOOP, joints=("a", "b", "c"))


def inertia_and_bias(scene, state):
    """M (nv, nv) and h (nv,) less passive forces, by MuJoCo's Python bindings."""
    data = mujoco.MjData(scene.model)
    state.to_mujoco(data)
    mujoco.mj_forward(scene.model, data)
    M = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(scene.model, data, M)
    return M, data.qfrc_bias - data.qfrc_passive


def dense_problem(space):
    """M with implicit damping and kappa of a workspace's state by MuJoCo's own functions, as (M, kappa)."""
    model, data = space.model, mujoco.MjData(space.model)
    data.qpos[:], data.qvel[:] = space.data.qpos, space.data.qvel
    data.qfrc_applied[:] = space.data.qfrc_applied
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    M = np.empty((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    B = np.diag(model.dof_damping)
    smooth = data.qfrc_passive + B @ data.qvel + data.qfrc_applied - data.qfrc_bias + space.step.torque
    return M + space.dt * B, M @ data.qvel + space.dt * smooth
