"""Two controllers of the flip, [Greenfield2005], sections IV-A and IV-B: each maximises the pitch acceleration.

Both look for the hip torques that pitch the body up fastest, within the motors' limits and with the body pressed on
the ground by a least force. If that force cannot be kept, they press the body down as hard as they can. Legs in the
air are left to their servos.

`Blind` knows pitch, its rate and its acceleration. It believes in one of two sets of contact modes, and in toes that
stand on the ground as long as rigid legs reach it. First the front and middle toes slide back and body and rear toe
slide ahead; once the filtered pitch acceleration jumps the rear toe is stuck for good. That the modes can be is not
checked (friction of the stuck toe may be any), only that the ground does not pull.

`AllModes` knows the state of the body and which toes touch. It takes the best torque over every contact mode, of those
torques at which no other mode can happen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.flip_model import Contacts, contacts, on_its_end, rigid
from surefoot_experiments.flip_plant import BODY, Robot, leg_rates

import surefoot as sf
from surefoot.errors import SolveError
from surefoot.solvers.linear_program import LinearProgram

Array = NDArray[np.float64]

PITCH = 2  # number of this coordinate


class Measured(NamedTuple):
    """What a robot knows of itself: state of the plant, which toes touch, mean pitch acceleration of the last tick."""

    state: Array
    standing: tuple[int, ...]
    pitch_acceleration: float


class Decision(NamedTuple):
    """What a controller does.

    Attributes:
        torque: (3,) N m; NaN: left to the servo.
        predicted: pitch acceleration that it expects [rad/s^2].
        modes: of body, rear, middle and front toe, such as "RFLS"; S if it is not in the model.
        pressed: whether the least force on the body could be asked for.
        sure: whether the torque allows no other mode.
    """

    torque: Array
    predicted: float
    modes: str
    pressed: bool = True
    sure: bool = True


@dataclass(frozen=True)
class Task:
    """What controllers are given.

    Attributes:
        stall: torque of a hip at rest [N m].
        no_load: speed at which it has none left [rad/s].
        floor: least force that presses the body on the ground [N].
        friction: of toes and body.
        thresholds: (4,) m/s of body and toes.
        toe: mass of a toe in the rigid model [kg].
        robot: sizes and masses.
    """

    stall: float
    no_load: float
    floor: float
    friction: tuple[float, float]
    thresholds: tuple[float, float, float, float]
    toe: float
    robot: Robot

    def limits(self, state: Array) -> Array:
        """(3, 2) lowest and highest torque of the hips [N m] at a state of the plant."""
        speed = leg_rates(state, self.robot) / self.no_load
        return self.stall * np.clip(np.column_stack([-1.0 - speed, 1.0 - speed]), [-1.0, 0.0], [0.0, 1.0])

    def model(self, where: Contacts, state: Array) -> sf.modes.ContactSystem:
        """The rigid model with some contacts; the plant's state tells how fast its hips turn."""
        push = np.minimum(self.limits(state), 0.0)  # legs that stand are not lifted
        return rigid(where, self.friction, push, np.array(self.thresholds), self.toe, self.robot)


@dataclass
class Jump:
    """Tells a jump: a quick low-pass filter leaves a slow one behind. Cut-offs in Hz, jump and signal in rad/s^2."""

    period: float
    quick: float
    slow: float
    least: float
    values: Array | None = None

    def rise(self, signal: float) -> float:
        """Take the next sample; returns by how much the quick filter is above the slow one."""
        if self.values is None:
            self.values = np.full(2, signal)
        share = 1.0 - np.exp(-2.0 * math.pi * self.period * np.array([self.quick, self.slow]))
        self.values = self.values + share * (signal - self.values)
        return float(self.values[0] - self.values[1])


@dataclass
class Blind:
    """The controller of two fixed modes; `jump` tells when the rear toe sticks, once the middle leg is out of reach."""

    task: Task
    jump: Jump
    stuck: bool = False
    rises: list[float] = field(default_factory=list)

    def __call__(self, measured: Measured) -> Decision:
        """Decide."""
        robot = self.task.robot
        where = contacts(on_its_end(measured.state[2], measured.state[5], robot), (0, 1, 2), robot)
        system = self.task.model(where, measured.state)
        self.rises.append(self.jump.rise(measured.pitch_acceleration))
        if 1 not in where.legs and self.rises[-1] > self.jump.least:
            self.stuck = True
        modes = "R" + "".join("L" if i else "F" if self.stuck else "R" for i in where.legs)
        aim = np.zeros(sum(system.sizes))
        aim[PITCH] = 1.0
        found = _assumed(system, modes, self.task.floor).maximise(aim)
        pressed = found.status == "optimal"
        if not pressed:
            force = np.zeros_like(aim)
            force[system.nv] = 1.0
            found = _assumed(system, modes, 0.0).maximise(force)
        return _decision(where, found.x[PITCH], found.x[len(aim) - len(where.legs) :], modes, pressed)


@dataclass
class AllModes:
    """The controller of all contact modes."""

    task: Task

    def __call__(self, measured: Measured) -> Decision:
        """Decide; only where every torque allows several modes, take the one whose worst outcome is best."""
        where = contacts(measured.state[:BODY], measured.standing, self.task.robot)
        system = self.task.model(where, measured.state)
        response = system.response()
        normal = np.eye(len(system.jacobian))[0]
        pitch = np.eye(system.nv)[PITCH]
        floor = sf.modes.Linear(force=normal, at_least=self.task.floor, name="body on the ground")
        for ambiguity in ("avoid", "worst"):
            best = response.maximise(pitch, subject_to=(floor,), ambiguity=ambiguity)
            pressed = best is not None
            best = best or response.maximise(force=normal, ambiguity=ambiguity)
            if best is not None:
                sure = len(best.modes) == 1
                return _decision(where, best.acceleration[PITCH], best.torque, best.mode, pressed, sure)
        raise SolveError("the rigid model has no solution at any torque")


def _decision(
    where: Contacts, predicted: float, torque: Array, modes: str, pressed: bool, sure: bool = True
) -> Decision:
    hips, shown = np.full(3, np.nan), ["S"] * 4
    hips[list(where.legs)] = torque
    for place, mode in zip(where.places, modes, strict=True):
        shown[place] = mode
    return Decision(hips, float(predicted), "".join(shown), pressed, sure)


def _assumed(system: sf.modes.ContactSystem, modes: str, floor: float) -> LinearProgram:
    """Accelerations, forces and torques, if the contacts are in these modes, whatever else that would need."""
    nv, nf, t = system.sizes
    equal = [np.hstack([system.inertia, -system.jacobian.T, -system.inputs])]
    value = [-system.bias]
    push = np.zeros((len(modes), nv + nf + t))
    for i, mode in enumerate(modes):
        normal, tangent = 2 * i, 2 * i + 1
        push[i, nv + normal] = 1.0
        still = [normal, tangent] if mode == "F" else [normal]
        equal.append(np.pad(system.jacobian[still], ((0, 0), (0, nf + t))))
        value.append(-system.jacobian_rate[still])
        if mode != "F":
            slide = np.zeros((1, nv + nf + t))
            slide[0, nv + tangent], slide[0, nv + normal] = 1.0, system.friction[i] * (1.0 if mode == "R" else -1.0)
            equal.append(slide)
            value.append(np.zeros(1))
    motors = np.pad(np.eye(t), ((0, 0), (nv + nf, 0)))
    limits = system.torque_limits
    rows = np.vstack([push, motors, -motors])
    offset = np.concatenate([[floor], np.zeros(len(modes) - 1), limits[:, 0], -limits[:, 1]])
    return LinearProgram(rows, offset, np.vstack(equal), np.concatenate(value))
