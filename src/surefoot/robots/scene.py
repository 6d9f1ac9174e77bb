"""A scene: a robot, the ground it stands on, and loose objects. A robot is a scene without objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError, ModelError
from surefoot.robots import guard, packing, pinocchio
from surefoot.robots.state import State

# As numbers: MuJoCo's enums never equal a NumPy integer in `x in (...)`.
ONE_DOF = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
THROUGH_JOINT = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))


@dataclass(frozen=True)
class Foot:
    """A part of the robot that is meant to touch: a foot or a fingertip.

    Attributes:
        name: what the user calls it.
        body: name of the body that carries it.
        geoms: names of its collision geoms.
    """

    name: str
    body: str
    geoms: tuple[str, ...]


@dataclass(frozen=True)
class Surface:
    """Friction of a terrain geom; it beats MuJoCo's "larger of the two".

    Attributes:
        geom: name of the geom.
        mu: friction coefficient (inf allowed); None leaves MuJoCo's rule in force.
        grid: (rows, columns) friction per cell, or None; rows run along y, columns along x.
        origin: x, y in m of the corner of cell (0, 0) in the geom's frame.
        cell: x, y size of a cell in m.
    """

    geom: str
    mu: float | None = None
    grid: NDArray[np.float64] | None = None
    origin: tuple[float, float] = (0.0, 0.0)
    cell: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class Note:
    """Something that loading ignored, excluded or repaired.

    Attributes:
        kind: "ignored", "excluded", "repaired" or "assumed".
        what: the joint, link, file or pair concerned.
        detail: one sentence.
    """

    kind: str
    what: str
    detail: str


class Scene:
    """A compiled MuJoCo model with roles: base, actuated joints, feet, loose objects, surfaces.

    Attributes:
        name: short name.
        spec: the editable source; `model` was compiled from it. Treat as read-only: `copy()` it to edit.
        model: MuJoCo's compiled model. Rooms that change it (detection distance) change their own copy.
        base: name of the floating base's body, or None if the robot is bolted down.
        joints: names of the actuated joints, in the order of every torque and acceleration vector.
        dofs: (len(joints),) index of each actuated joint in `v`.
        feet: parts meant to touch.
        objects: names of loose bodies that are not the robot.
        surfaces: friction of the terrain.
        notes: all that was ignored, excluded, repaired or assumed at load.
    """

    def __init__(
        self,
        spec: mujoco.MjSpec,
        *,
        name: str,
        joints: tuple[str, ...],
        base: str | None = None,
        feet: tuple[Foot, ...] = (),
        objects: tuple[str, ...] = (),
        surfaces: tuple[Surface, ...] = (),
        notes: tuple[Note, ...] = (),
        home: NDArray[np.float64] | None = None,
        model: mujoco.MjModel | None = None,
    ) -> None:
        """Compile the spec, unless `model` is what `guard.compile_model` has made of it already."""
        self.name = name
        self.spec = spec
        self.model: mujoco.MjModel = guard.compile_model(spec, name) if model is None else model
        self.base = base
        self.joints = tuple(joints)
        self.feet = tuple(feet)
        self.objects = tuple(objects)
        self.surfaces = tuple(surfaces)
        self.notes = tuple(notes)
        self.dofs = np.array([self._dof(joint) for joint in self.joints], dtype=np.int64)
        self._home = None if home is None else checks.array("home", home, (self.model.nq,))

    def __repr__(self) -> str:
        base = "bolted down" if self.base is None else f"floating on {self.base!r}"
        objects = f", objects {', '.join(self.objects)}" if self.objects else ""
        return f"<{self.name}: {self.nv} dof, {len(self.joints)} actuated, {base}, {len(self.feet)} feet{objects}>"

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: the model bit for bit, and the spec as text and files."""
        return {**self.__dict__, "spec": packing.pack(self.spec)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Put the scene together again."""
        self.__dict__.update(state, spec=packing.unpack(state["spec"]))

    @property
    def nq(self) -> int:
        """Length of `State.q`."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Length of `State.v`."""
        return self.model.nv

    @cached_property
    def mass(self) -> float:
        """Mass in kg of everything that moves."""
        return float(self.model.body_mass[self.model.body_weldid != 0].sum())

    @cached_property
    def joint_positions(self) -> NDArray[np.int64]:
        """(len(joints),) index of each actuated joint in `q`."""
        return np.array([self.model.joint(joint).qposadr[0] for joint in self.joints], dtype=np.int64)

    @cached_property
    def torque_limits(self) -> NDArray[np.float64]:
        """(len(joints), 2) lowest and highest torque (N m; force in N for a slide) that the file allows each joint."""
        model = self.model
        limits = np.tile([-np.inf, np.inf], (len(self.joints), 1))
        for k, name in enumerate(self.joints):
            joint = model.joint(name).id
            ranges = [model.jnt_actfrcrange[joint]] if model.jnt_actfrclimited[joint] else []
            for u in range(model.nu):
                if model.actuator_trnid[u, 0] == joint and int(model.actuator_trntype[u]) in THROUGH_JOINT:
                    ranges.extend(np.sort(r * model.actuator_gear[u, 0]) for r in _actuator_ranges(model, u))
            for low, high in ranges:
                limits[k] = max(limits[k, 0], low), min(limits[k, 1], high)
        return limits

    def home(self) -> State:
        """The resting pose: the file's first keyframe, else all joints at zero, lowered to touch the ground."""
        if self._home is not None:
            return State(self._home, np.zeros(self.nv))
        if self.model.nkey:
            return State(self.model.key_qpos[0], self.model.key_qvel[0])
        return State(self.model.qpos0, np.zeros(self.nv))

    def rest_at(self, q: Any) -> None:
        """Let the resting pose be `q` (nq,); for those who have just made the scene."""
        self._home = checks.array("q", q, (self.nq,))

    def state(self, q: Any = None, v: Any = None, t: float = 0.0) -> State:
        """A checked state; what is not given is taken from `home()`."""
        home = self.home()
        return State(
            home.q if q is None else checks.array("q", q, (self.nq,)),
            home.v if v is None else checks.array("v", v, (self.nv,)),
            t,
        )

    def foot_geoms(self, names: Any) -> list[NDArray[np.int64]]:
        """Geom indices of each foot in `names`, with a clear error for a name that is none."""
        if isinstance(names, str):
            raise InputError(f"contacts: expected a list of foot names, got the string {names!r}")
        places = checks.indices("contacts", names, [foot.name for foot in self.feet], "foot")
        return [np.array([self.model.geom(g).id for g in self.feet[i].geoms], dtype=np.int64) for i in places]

    def to_pinocchio(self, q: Any, v: Any, *, pin_model: Any = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same state as Pinocchio writes it: quaternion x, y, z, w; linear velocity in the body frame.

        Args:
            q: (nq,) pose in the order of `State.q`.
            v: (nv,) velocity in the order of `State.v`.
            pin_model: the `pinocchio.Model` to write for; its joints are matched by name. None: the model that
                Pinocchio's `buildModelFromUrdf` makes of the same file (with `JointModelFreeFlyer()` if it floats).

        Returns:
            Pinocchio's q and v. Loose objects are left out.
        """
        q, v = checks.array("q", q, (self.nq,)), checks.array("v", v, (self.nv,))
        return pinocchio.to_pinocchio(pinocchio.layout(self.model, self.base, self.objects, pin_model), q, v)

    def from_pinocchio(
        self, q: Any, v: Any, *, pin_model: Any = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The inverse of `to_pinocchio`; joints that Pinocchio's model lacks, and loose objects, are as in `home()`."""
        layout = pinocchio.layout(self.model, self.base, self.objects, pin_model)
        q, v = checks.array("q", q, (layout.nq_pin,)), checks.array("v", v, (layout.nv_pin,))
        home = self.home()
        return pinocchio.from_pinocchio(layout, q, v, home.q, home.v)

    def _dof(self, joint: str) -> int:
        index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, joint)
        if index < 0:
            raise ModelError(f"{self.name}: no joint is called {joint!r}")
        if self.model.jnt_type[index] < int(mujoco.mjtJoint.mjJNT_SLIDE):
            raise ModelError(
                f"{self.name}: joint {joint!r} has several degrees of freedom and cannot be actuated as one"
            )
        return int(self.model.jnt_dofadr[index])


def _actuator_ranges(model: mujoco.MjModel, u: int) -> list[NDArray[np.float64]]:
    """Force ranges of actuator `u` before its gear; the control range counts only for a plain motor."""
    ranges = [model.actuator_forcerange[u]] if model.actuator_forcelimited[u] else []
    motor = model.actuator_biastype[u] == mujoco.mjtBias.mjBIAS_NONE and not int(model.actuator_dyntype[u])
    if motor and model.actuator_ctrllimited[u] and model.actuator_gaintype[u] == mujoco.mjtGain.mjGAIN_FIXED:
        ranges.append(model.actuator_ctrlrange[u] * model.actuator_gainprm[u, 0])
    return ranges
