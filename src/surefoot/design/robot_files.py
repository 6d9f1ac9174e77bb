"""Write an improved robot as MJCF and URDF, with the torques and speeds of its motors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from surefoot.design.improvement import Improvement
from surefoot.design.morphology import Morphology
from surefoot.errors import InputError
from surefoot.robots.scene import THROUGH_JOINT, Note, Scene
from surefoot.robots.write_mjcf import write_mjcf
from surefoot.robots.write_urdf import write_urdf

MJCF, URDF = "robot.xml", "robot.urdf"


def write_robots(improvement: Improvement, folder: str | os.PathLike[str]) -> tuple[Note, ...]:
    """Write the robot at the end as `robot.xml` and `robot.urdf`, without its ground.

    Joints that were given a motor have its torque as limit in both files, and its speed in the URDF.

    Args:
        improvement: from `improve`.
        folder: where to write; it is made if it is not there.

    Returns:
        What was left out or assumed in either file.

    Raises:
        InputError: the folder or a file cannot be written.
        ModelError: the robot has something that URDF cannot say; the MJCF is written then.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder: {str(folder)!r} cannot be made: {error.strerror}") from None
    morphology = improvement.morphology
    robot = fitted(improvement.scene, morphology)
    speeds = {
        joint: float(speed) for joint, speed in zip(robot.joints, morphology.speed, strict=True) if np.isfinite(speed)
    }
    notes = [*write_mjcf(robot, target / MJCF)]
    if speeds:
        notes.append(Note("ignored", ", ".join(speeds), "MJCF has no word for the largest speed of a motor"))
    notes += [note for note in write_urdf(robot, target / URDF, speeds=speeds) if note not in notes]
    return tuple(notes)


def fitted(scene: Scene, morphology: Morphology) -> Scene:
    """A copy of a scene whose joints can give the torques of their motors and no more.

    Args:
        scene: of the morphology's robot; joints without a motor stay as they are.
        morphology: whose motors count.
    """
    spec = scene.spec.copy()
    for name in scene.joints:
        motor = morphology.motor(name)
        if motor is not None:
            _limit(spec, scene.model, name, motor.torque)
    roles: Any = {"joints": scene.joints, "base": scene.base, "feet": scene.feet, "notes": scene.notes}
    return Scene(spec, name=scene.name, objects=scene.objects, surfaces=scene.surfaces, home=scene.home().q, **roles)


def _limit(spec: mujoco.MjSpec, model: mujoco.MjModel, name: str, torque: float) -> None:
    """Set the torque in N m that a joint's actuators give it at most; without an actuator the joint itself says so."""
    joint = spec.joint(name)
    mine = [
        u
        for u in range(model.nu)
        if model.actuator_trnid[u, 0] == model.joint(name).id and int(model.actuator_trntype[u]) in THROUGH_JOINT
    ]
    both = [-torque, torque]
    joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE if mine else mujoco.mjtLimited.mjLIMITED_TRUE
    joint.actfrcrange = [0.0, 0.0] if mine else both
    for u in mine:
        actuator = spec.actuators[u]
        force = torque / abs(float(model.actuator_gear[u, 0]))
        plain = model.actuator_biastype[u] == mujoco.mjtBias.mjBIAS_NONE and not int(model.actuator_dyntype[u])
        if plain and model.actuator_gaintype[u] == mujoco.mjtGain.mjGAIN_FIXED:  # control is force, but for its gain
            force /= abs(float(model.actuator_gainprm[u, 0]))
            actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_FALSE
            actuator.forcerange = [0.0, 0.0]
            actuator.ctrllimited = mujoco.mjtLimited.mjLIMITED_TRUE
            actuator.ctrlrange = [-force, force]
        else:
            actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
            actuator.forcerange = [-force, force]
