"""A robot rehearses a course: joints by inverse kinematics, torques by inverse dynamics, sample by sample.

    {q_i, v_i} = IK(x_i, dx_i)                                                                                     (24)
    u_i = ID(q_i, v_i, v_{i+1}, dt)                                                                                (25)

The state is set back to the course after `width` samples, and where it cannot be followed: with 1 nothing is simulated;
with more the law moves the robot from where the window begins, with feedback on its joints, so that it may drift from
what was planned [Zapolsky2017, 5.2.1].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control.walker import KD, KP
from surefoot.design.course import Course, sole_depths
from surefoot.design.hand import Hand
from surefoot.errors import InputError
from surefoot.gait import Legs
from surefoot.inverse import InverseDynamics
from surefoot.laws import Law
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.traces.span import Span

Array = NDArray[np.float64]
OUT_OF_REACH = 1e-6  # m
FAINT = 1e-4  # weight of the planned velocity of the base against slip of the feet


@dataclass(frozen=True, eq=False)
class Rehearsal(Span):
    """What came of it: a Span, and what was planned. Torques are NaN where the course is out of reach or no law holds.

    Attributes:
        course: what was to be done.
        samples: (n,) place in the course of each step.
        parts: (k,) names of the feet or of the hand.
        missing: (n, k) m between where they should be and where joints can bring them.
        stretch: (n, k) how far they are from the leg's second joint, relative to the length of the leg from there; NaN
            for a hand.
        asked: (n,) whether the law was asked: this sample and the next one are in reach.
        solved: (n,) whether it has an answer.
    """

    course: Course
    samples: NDArray[np.int64]
    parts: tuple[str, ...]
    missing: Array
    stretch: Array
    asked: NDArray[np.bool_]
    solved: NDArray[np.bool_]

    @property
    def planned(self) -> NDArray[np.bool_]:
        """(n, k) which parts stand by the plan."""
        return self.course.stance[self.samples]


def rehearse(
    scene: Scene,
    course: Course,
    parts: tuple[str, ...],
    law: Law | str | None = None,
    *,
    width: int = 1,
    samples: Any = None,
    start: Array | None = None,
) -> Rehearsal:
    """Go through a course.

    Args:
        scene: the robot on its ground.
        course: what to do.
        parts: (k,) names of the feet or of the hand that follow its points.
        law: contact law of inverse dynamics and of what is simulated.
        width: samples until the state is set back to the course.
        samples: numbers of the samples to look at; None: all. Of a window those up to the last one wanted are gone
            through.
        start: (n, joints) joint positions near which to look for those of the samples.

    Returns:
        One step for each sample.
    """
    checks.whole("width", width, at_least=1)
    if not isinstance(scene, Scene):
        raise InputError(f"scene: expected a robot or scene (see sf.load), got {type(scene).__name__}")
    if not isinstance(course, Course):
        raise InputError(f"course: expected a Course, got {type(course).__name__}")
    n, count = course.points.shape[:2]
    if isinstance(parts, str) or not isinstance(parts, Iterable) or len(parts := tuple(parts)) != count:
        raise InputError(f"parts: expected the names of the {count} that follow the course, got {parts!r}")
    if start is not None:
        start = checks.array("start", start, (n, len(scene.joints)))
    wanted = np.arange(n) if samples is None else _numbers(samples, n)
    if samples is None:
        needed = wanted
    elif width == 1:
        needed = np.unique(np.concatenate([wanted, (wanted + 1) % n]))
    else:
        needed = np.unique((wanted[:, None] - wanted[:, None] % width + np.arange(width + 1)).ravel() % n)
    follower = Legs(scene, parts) if scene.base is not None else Hand(scene, parts)
    depths = sole_depths(scene, parts) if scene.base is not None else np.zeros(len(parts))
    goals = course.points[needed] + depths[:, None] * [0.0, 0.0, 1.0]
    joints, speeds, missing = follower.track(goals, course.velocities[needed], None if start is None else start[needed])
    stretch = follower.stretch(goals, joints)
    place = {int(i): k for k, i in enumerate(needed)}
    q, v = _states(scene, course, needed, parts, depths, joints, speeds)
    notes = _Notes(scene, course, parts, dict(zip(needed.tolist(), stretch, strict=True)))
    controller = InverseDynamics(scene, course.dt, law)
    for i in wanted if width == 1 else _windows(wanted, width):
        _window(controller, course, int(i), width, wanted, place, q, v, missing, notes)
    return notes.rehearsal(controller)


def _numbers(samples: Any, n: int) -> NDArray[np.int64]:
    """Numbers of samples, rising."""
    given = checks.array("samples", samples, (None,))
    if not len(given) or not (given == given.round()).all() or given.min() < 0 or given.max() >= n:
        raise InputError(f"samples: expected one or more whole numbers from 0 to {n - 1}, got {samples!r}")
    return np.unique(given).astype(np.int64)


def _windows(wanted: NDArray[np.int64], width: int) -> list[int]:
    """First samples of the windows in which the wanted ones lie."""
    return sorted({int(i) - int(i) % width for i in wanted})


def _window(
    controller: InverseDynamics, course: Course, first: int, width: int, wanted: NDArray[np.int64],
    place: dict[int, int], q: Array, v: Array, missing: Array, notes: _Notes,
) -> None:  # fmt: skip
    """From the planned state at `first` on, for as long as it is wanted."""
    robot, dt, n = controller.robot, course.dt, len(course)
    here, speed = q[place[first]].copy(), v[place[first]].copy()
    inside = wanted[(wanted >= first) & (wanted < min(first + width, n))]
    for i in range(first, int(inside[-1]) + 1):
        now, then = place[i], place.get((i + 1) % n if course.closed else min(i + 1, n - 1), place[i])
        near = missing[now].max() <= OUT_OF_REACH and missing[then].max() <= OUT_OF_REACH
        answer = None
        if near:
            acceleration = (v[then] - speed)[robot.dofs] / dt
            if width > 1:  # v then has what feedback adds to it
                drift = (q[now] - here)[robot.joint_positions], (v[now] - speed)[robot.dofs]
                acceleration = (v[then] - v[now])[robot.dofs] / dt + KP * drift[0] + KD * drift[1]
            standing = [name for name, on in zip(notes.parts, course.stance[i], strict=True) if on]
            controller(State(here, speed, i * dt), acceleration, contacts=standing if width == 1 and standing else None)
            answer = controller.answer() if controller.status.is_answer else None
        if i in inside:
            notes.add(i, here, speed, missing[now], bool(near), answer)
        if width == 1:
            return
        if answer is None:  # nothing moves it there: it is set back at once
            here, speed = q[then].copy(), v[then].copy()
            continue
        speed = np.array(answer.velocity)
        mujoco.mj_integratePos(robot.model, here, speed, dt)


def _states(
    scene: Scene, course: Course, needed: NDArray[np.int64], parts: tuple[str, ...], depths: Array, joints: Array,
    speeds: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """(n, nq), (n, nv): planned joints, and a base whose velocity lets the soles that stand slip least.

    Feet are round and roll: the base moves a little otherwise than planned for points that stand still.
    """
    model, data = scene.model, mujoco.MjData(scene.model)
    q = np.tile(scene.home().q, (len(needed), 1))
    v = np.zeros((len(needed), scene.nv))
    q[:, scene.joint_positions], v[:, scene.dofs] = joints, speeds
    if course.base is None or course.base_velocity is None:
        return q, v
    joint = model.body(scene.base).jntadr[0]
    at, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    q[:, at : at + 7], base = course.base[needed], slice(dof, dof + 6)
    v[:, base] = course.base_velocity[needed]
    feet = {foot.name: foot for foot in scene.feet}
    J = np.zeros((3, scene.nv))
    for k, i in enumerate(needed):
        if not course.stance[i].any():
            continue
        data.qpos[:] = q[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        rows = []
        for name, depth, on in zip(parts, depths, course.stance[i], strict=True):
            if on:
                centre = np.mean([data.geom_xpos[model.geom(geom).id] for geom in feet[name].geoms], axis=0)
                mujoco.mj_jac(model, data, J, None, centre - [0.0, 0.0, depth], model.body(feet[name].body).id)
                rows.append(J.copy())
        A = np.vstack(rows)
        slip = A @ v[k]
        v[k, base] -= np.linalg.lstsq(
            np.vstack([A[:, base], FAINT * np.eye(6)]), np.concatenate([slip, np.zeros(6)]), rcond=None
        )[0]
    return q, v


class _Notes:
    """Steps as they are gone through."""

    def __init__(self, scene: Scene, course: Course, parts: tuple[str, ...], stretch: dict[int, Array]) -> None:
        self.scene, self.course, self.parts, self.stretch = scene, course, parts, stretch
        self._rows: list[tuple[int, Array, Array, Array, bool, Any]] = []

    def add(self, sample: int, q: Array, v: Array, missing: Array, asked: bool, answer: Any) -> None:
        """Note a sample; no answer: None."""
        self._rows.append((sample, q.copy(), v.copy(), missing, asked, answer))

    def rehearsal(self, controller: InverseDynamics) -> Rehearsal:
        """All of them."""
        samples, q, v, missing, asked, answers = zip(*self._rows, strict=True)
        nothing = np.full(len(self.scene.joints), np.nan)
        some = [answer for answer in answers if answer is not None]
        counts = [0 if answer is None else len(answer.forces) for answer in answers]

        def stacked(get: Any, *shape: int) -> Array:
            return np.concatenate([get(answer) for answer in some]) if some else np.zeros((0, *shape))

        number = np.array(samples, dtype=np.int64)
        return Rehearsal(
            scene=self.scene, t=np.asarray(self.course.dt * number, dtype=np.float64), q=np.array(q), v=np.array(v),
            torque=np.array([nothing if answer is None else answer.torque for answer in answers]),
            start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            geoms=stacked(lambda a: a.contacts.geoms, 2).astype(np.int64),
            points=stacked(lambda a: a.contacts.points, 3), frames=stacked(lambda a: a.contacts.frames, 3, 3),
            gaps=stacked(lambda a: a.contacts.gaps), forces=stacked(lambda a: a.forces, 3),
            velocities=stacked(lambda a: a.contact_velocity, 3), near=1e-3, touch=self.course.dt**2,
            course=self.course, samples=number, parts=self.parts, missing=np.array(missing),
            stretch=np.array([self.stretch[sample] for sample in samples]),
            asked=np.array(asked), solved=np.array([answer is not None for answer in answers]),
        )  # fmt: skip
