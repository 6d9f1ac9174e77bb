"""Prescribed motion: joints that follow positions over time, whatever torque that takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.dynamics import by_joint
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.simulate.policy import KEEP_TORQUE, Compiled, check_one_argument, checked_function

Array = NDArray[np.float64]
KINDS = "@sf.joint_motion, a function of time, or a dict by joint name"


class JointMotion(Compiled):
    """A compiled motion with its joints, parameters and memory.

    The function has the signature `int64 motion(t, q, v, position_out, memory, params)`. It is asked once a step where
    its joints shall be at the END of the step: `t` is that time in s, `q` and `v` are the state at the start of the
    step, `position_out` (rad, m) is to be filled in the order of `joints`. `memory` lives from call to call, `params`
    are constants. It returns 0; any other code, and a position that is not finite, ends the roll-out.

    Attributes:
        joints: names of the joints it moves; None: all actuated joints.
    """

    what = "motion"
    arguments = ("t", "q", "v", "position_out", "memory", "params")

    def __init__(self, function: Callable[..., Any], params: Any = (), memory: int = 0, joints: Any = None) -> None:
        super().__init__(function, params, memory)
        self.joints = None if joints is None else _names(joints)

    def bind(self, joints: Iterable[str] | None = None, params: Any = (), memory: int = 0) -> JointMotion:
        """The same motion for these joints, with these parameters and this many numbers of memory (zero at first)."""
        bound = JointMotion(self.function, params, memory, joints)
        bound._code = self._code
        return bound


def joint_motion(function: Callable[..., Any]) -> JointMotion:
    """Make a compiled motion of a function of (t, q, v, position_out, memory, params) that returns 0.

    Example:
        @sf.joint_motion
        def sway(t, q, v, position_out, memory, params):
            for i in range(position_out.size):
                position_out[i] = params[i] + 0.2 * math.sin(9.0 * t)
            return 0

        trace = simulator.rollout(state, motion=sway.bind(joints=["LF_Y2", "RH_Y2"], params=[0.3, 0.3]))
    """
    return checked_function(JointMotion, function)


class Prescribed:
    """A motion made ready for the loop: which joints it moves, and what the loop or Python calls for their positions.

    Attributes:
        compiled: what the loop calls.
        moved: (k,) places of the joints in `scene.joints`.
        joints: (k,) their names.
    """

    def __init__(self, scene: Scene, motion: Any, t: float) -> None:
        """Look at a motion; one in Python is asked for time `t` in s, to see which joints it moves."""
        self.compiled: Compiled = KEEP_TORQUE
        self._function: Callable[[float], Any] | None = None
        names: Iterable[str] = ()
        if isinstance(motion, JointMotion):
            self.compiled = motion
            names = scene.joints if motion.joints is None else motion.joints
        elif motion is not None:
            self._function = _function_of_time(motion)
            first = self._function(t)
            names = first.keys() if isinstance(first, Mapping) else scene.joints
        self.moved = _places(scene, names)
        self.joints = tuple(scene.joints[i] for i in self.moved)

    @property
    def in_python(self) -> bool:
        """Whether Python must be asked before every step."""
        return self._function is not None

    def ask(self, t: float) -> Array:
        """(k,) positions at time `t` in s of a motion in Python."""
        values = self._function(t) if self._function is not None else ()
        if isinstance(values, Mapping):
            if set(values) != set(self.joints):
                raise InputError(
                    f"motion: expected positions of {', '.join(self.joints)} at all times, got "
                    f"{', '.join(map(str, values)) or 'none'} at t = {t:.6g} s"
                )
            values = [values[joint] for joint in self.joints]
        return checks.array("the motion's positions", values, (len(self.joints),), finite=False)


def positions_now(scene: Scene, motion: Any) -> tuple[NDArray[np.bool_], Array]:
    """(moved, position) per actuated joint at the end of one step, from None, an array or a dict by name."""
    if isinstance(motion, Mapping):
        _places(scene, motion)
    return by_joint("motion", scene, motion)


def refuse_both(name: str, scene: Scene, both: Array | NDArray[np.bool_]) -> None:
    """Raise InputError for the first joint that has a torque (other than zero) although it follows a motion."""
    for i in np.flatnonzero(both):
        raise InputError(
            f"{name}: joint {scene.joints[i]!r} has both a torque and a prescribed motion; give one of them"
        )


def _function_of_time(motion: Any) -> Callable[[float], Any]:
    if isinstance(motion, Mapping):
        for name, part in motion.items():
            if callable(part):
                check_one_argument(part, f"motion[{name!r}]", "time", "@sf.joint_motion")
            else:
                checks.number(f"motion[{name!r}]", part)
        return lambda t: {name: part(t) if callable(part) else part for name, part in motion.items()}
    if isinstance(motion, Compiled):
        raise InputError(f"motion: {motion.function.__name__} is a policy; expected {KINDS}")
    if not callable(motion):
        raise InputError(f"motion: expected {KINDS}, got {type(motion).__name__}")
    check_one_argument(motion, "motion", "time", "@sf.joint_motion")
    return motion


def _names(joints: Any) -> tuple[str, ...]:
    if isinstance(joints, str) or not isinstance(joints, Iterable):
        raise InputError(f"joints: expected a list of joint names, got {joints!r}")
    joints = tuple(joints)
    for i, joint in enumerate(joints):
        if joint in joints[:i]:
            raise InputError(f"joints: {joint!r} is there twice")
    return joints


def _places(scene: Scene, names: Iterable[str]) -> NDArray[np.int64]:
    """Where joints stand in `scene.joints`."""
    names = tuple(names)
    for name in names:
        known = isinstance(name, str) and mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_JOINT, name) >= 0
        if known and name not in scene.joints:
            raise InputError(f"motion: joint {name!r} is not actuated, so nothing can make it follow a motion")
    return np.array(checks.indices("motion", names, scene.joints, "actuated joint"), dtype=np.int64)
