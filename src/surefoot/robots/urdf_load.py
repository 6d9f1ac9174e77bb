"""From a URDF file to a scene."""

from __future__ import annotations

from pathlib import Path

from surefoot.errors import ModelError
from surefoot.robots import meshes, pinocchio, srdf, urdf
from surefoot.robots.assemble import Hints, Wishes, assemble
from surefoot.robots.roles import WORLD_NAMES, is_floating
from surefoot.robots.scene import Note, Scene
from surefoot.robots.urdf_inertia import check_inertias

FREE_JOINT = "root_joint"


def from_urdf(text: bytes, path: Path, wishes: Wishes) -> Scene:
    """Build the scene of a URDF; see `load` for the arguments in `wishes`."""
    robot = urdf.parse(text, path)
    floating = wishes.floating
    if urdf.drop_world(robot, ("floating",)) and floating is None:
        floating = True
    if robot.root in WORLD_NAMES:
        floating = _leave_world(robot, floating)
    urdf.check_limits(robot)
    drop = wishes.meshes == "drop"
    meshes.resolve(robot, drop=drop)
    check_inertias(robot, balance=wishes.balance_inertia, floating=bool(floating))
    undriven = tuple(name for name, joint in robot.joints.items() if joint.find("mimic") is not None)
    continuous = [name for name, joint in robot.joints.items() if joint.get("type") == "continuous"]
    spec = urdf.to_spec(robot)
    notes = robot.notes
    if floating is None:
        floating, reason = is_floating(meshes.compiled(spec, path, notes, drop=drop))
        what = "floats" if floating else "is bolted down"
        notes.append(Note("assumed", robot.root, f"the robot {what}: {reason}; say floating={not floating} if not"))
        if floating:
            check_inertias(robot, balance=wishes.balance_inertia, floating=True)
            spec = urdf.to_spec(robot)
    meshes.compiled(spec, path, notes, drop=drop)
    if floating:
        spec.body(robot.root).add_freejoint(name=FREE_JOINT)
    reference = srdf.read(path, notes)
    pose, source = {}, ""
    if reference is not None:
        source = reference.path.name
        pose = _pose(reference, floating)
        if pose:
            detail = f"home is the pose {reference.pose!r} of {source}, lowered to the ground"
            notes.append(Note("assumed", "home", detail))
        unmoved = tuple(name for name in reference.passive if name in robot.joints and name not in undriven)
        undriven += unmoved
        if unmoved:
            notes.append(Note("assumed", ", ".join(unmoved), f"joints without a motor, by {source}"))
    quick = [name for name, joint in robot.joints.items() if joint.find("limit[@velocity]") is not None]
    if quick:
        notes.append(Note("ignored", f"{len(quick)} joints", "their velocity limits are not enforced"))
    pinocchio.remember(spec, pinocchio.urdf_order(robot), continuous)
    hints = Hints(undriven, pose, source, () if reference is None else reference.disabled)
    return assemble(spec, path, wishes, notes, name=path.stem, hints=hints)


def _leave_world(robot: urdf.Urdf, floating: bool | None) -> bool:
    """Whether a robot floats whose root link is the world: only if the user says so and it hangs on one joint."""
    name = robot.root
    if not floating:
        robot.notes.append(Note("assumed", name, f"the robot is bolted down: its root link is called {name!r}"))
        return False
    if not urdf.drop_world(robot, ("fixed",)):
        raise ModelError(
            f"{robot.path}: floating=True, but the root link {name!r} is the world and does not hold the robot by "
            "one fixed joint; remove it from the file"
        )
    return True


def _pose(reference: srdf.Srdf, floating: bool) -> dict[str, tuple[float, ...]]:
    pose = dict(reference.values)
    base = pose.pop("root_joint", None)
    if floating and base is not None and len(base) == 7:
        x, y, z, qx, qy, qz, qw = base
        pose[FREE_JOINT] = (x, y, z, qw, qx, qy, qz)
    return pose
