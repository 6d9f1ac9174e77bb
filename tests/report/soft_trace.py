"""A small quadruped and its roll-out under MuJoCo's own soft contact: realistic numbers without our kernels."""

from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from surefoot.robots.scene import Foot, Scene

_LEG = """
<body name="{name}_thigh" pos="{x} {y} 0">
  <joint name="{name}_hip" axis="0 1 0"/>
  <geom type="capsule" size=".012" fromto="0 0 0 {out} 0 -.1" mass=".1" contype="0" conaffinity="0"/>
  <body name="{name}_shank" pos="{out} 0 -.1">
    <joint name="{name}_knee" axis="0 1 0"/>
    <geom type="capsule" size=".008" fromto="0 0 0 {back} 0 -.1" mass=".05" contype="0" conaffinity="0"/>
    <geom name="{name}" type="sphere" size=".01" pos="{back} 0 -.1" mass=".01"/>
  </body>
</body>"""
_LEGS = (("LF", 0.11, 0.06), ("RF", 0.11, -0.06), ("LH", -0.11, 0.06), ("RH", -0.11, -0.06))


def quadruped() -> Scene:
    """A box on four two-joint legs; at home its feet touch the ground."""
    legs = [_LEG.format(name=n, x=x, y=y, out=0.36 * x, back=-0.36 * x) for n, x, y in _LEGS]
    spec = mujoco.MjSpec.from_string(
        '<mujoco><worldbody><geom name="ground" type="plane" size="0 0 .05"/><body name="trunk" pos="0 0 .21">'
        f'<freejoint/><geom type="box" size=".1 .05 .025" mass="3.6"/>{"".join(legs)}</body></worldbody></mujoco>'
    )
    return Scene(
        spec,
        name="quadruped",
        base="trunk",
        joints=tuple(f"{name}_{joint}" for name, *_ in _LEGS for joint in ("hip", "knee")),
        feet=tuple(Foot(name, f"{name}_shank", (name,)) for name, *_ in _LEGS),
    )


def pendulum() -> Scene:
    """One link bolted to the world."""
    spec = mujoco.MjSpec.from_string(
        '<mujoco><worldbody><body name="link"><joint name="swing" axis="0 1 0"/>'
        '<geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass="1"/></body></worldbody></mujoco>'
    )
    return Scene(spec, name="pendulum", joints=("swing",))


@dataclass
class SoftTrace:
    """The fields of a `Trace`."""

    scene: Scene
    dt: float
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    torque: np.ndarray
    status: np.ndarray
    contact_start: np.ndarray
    contact_geoms: np.ndarray
    contact_points: np.ndarray
    contact_frames: np.ndarray
    contact_forces: np.ndarray
    contact_gaps: np.ndarray
    contact_velocities: np.ndarray
    ok: bool = True
    message: str = field(default="")

    def but(self, **changes) -> "SoftTrace":
        return replace(self, **changes)


def soft_trace(
    scene: Scene,
    duration: float = 0.6,
    dt: float = 2e-3,
    height: float = 0.05,
    kp: float | np.ndarray = 30.0,
    kd: float | np.ndarray = 0.1,
) -> SoftTrace:
    """Drop a scene from `height` m with its joints held by springs and dampers (numbers or matrices)."""
    kp, kd = (gain * np.eye(len(scene.joints)) if np.isscalar(gain) else gain for gain in (kp, kd))
    model = scene.spec.copy().compile()
    model.opt.timestep = dt
    data = mujoco.MjData(model)
    data.qpos[:] = scene.home().q
    if scene.base is not None:
        data.qpos[2] += height
    home = data.qpos[scene.joint_positions].copy()
    q, v, t, torques, start = [data.qpos.copy()], [data.qvel.copy()], [0.0], [], [0]
    geoms, points, frames, forces, gaps, velocities = [], [], [], [], [], []
    for _ in range(round(duration / dt)):
        torque = kp @ (home - data.qpos[scene.joint_positions]) - kd @ data.qvel[scene.dofs]
        data.qfrc_applied[scene.dofs] = torque
        mujoco.mj_step(model, data)
        for i, contact in enumerate(data.contact):
            force, jacobian = np.zeros(6), np.zeros((3, model.nv))
            mujoco.mj_contactForce(model, data, i, force)
            mujoco.mj_jac(model, data, jacobian, None, contact.pos, model.geom_bodyid[contact.geom[1]])
            frame = contact.frame.reshape(3, 3).copy()
            geoms.append(contact.geom[::-1].copy())
            points.append(contact.pos.copy())
            frames.append(frame)
            forces.append(force[:3])
            gaps.append(contact.dist)
            velocities.append(frame @ jacobian @ data.qvel)
        start.append(len(geoms))
        torques.append(torque)
        q.append(data.qpos.copy())
        v.append(data.qvel.copy())
        t.append(data.time)
    return SoftTrace(
        scene=scene,
        dt=dt,
        t=np.array(t),
        q=np.array(q),
        v=np.array(v),
        torque=np.array(torques),
        status=np.zeros(len(torques), dtype=np.int64),
        contact_start=np.array(start),
        contact_geoms=np.array(geoms, dtype=np.int64).reshape(-1, 2),
        contact_points=np.array(points).reshape(-1, 3),
        contact_frames=np.array(frames).reshape(-1, 3, 3),
        contact_forces=np.array(forces).reshape(-1, 3),
        contact_gaps=np.array(gaps),
        contact_velocities=np.array(velocities).reshape(-1, 3),
    )
