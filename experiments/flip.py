"""The flip of RHex, [Greenfield2005], section IV: a robot on its back thrusts with its legs until it is upright.

What the paper leaves open, and what is chosen here (`Choices`):

- A pair of hips gives 7.5 N m, at any speed. The paper's flip lasts half a second: its rear toe slides again "towards
  the end of the flip around t = 0.45s". So it does here. With 7 N m nobody gets up on the rough surface.
- Friction of the body is 0.4, about that of the toes on linoleum.
- The body shall be pressed on the ground with 10 N, an eighth of the weight. Much more cannot be kept while the body
  slows down on its way up.
- It starts at rest, flat on its back, toes ahead of their hips: there torques that push down pitch the body up.
- The flip ends when the body is upright.
- Controllers decide every millisecond, and feel which toes touch.
- Hips of legs in the air are braked with a time constant of 50 ms. Free ones whirl and shake the body.
- The blind controller takes its pitch acceleration through low-pass filters of 10 Hz and 2 Hz. Their difference tells a
  jump; the least one is tuned on the smooth surface, half-way between what is there before the rear toe sticks and the
  most that is there afterwards, in a flip without a switch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.flip_control import AllModes, Blind, Decision, Jump, Measured, Task
from surefoot_experiments.flip_model import contacts
from surefoot_experiments.flip_plant import BODY, Robot, advance, leg_rates, lying, slips

Array = NDArray[np.float64]

SMOOTH, ROUGH = 0.39, 0.6  # friction of the toes: linoleum, asphalt
LONGEST = 1.2  # s until a robot that is not up has failed
STUCK = 1e-3  # m/s below which a toe of the plant is fixed
NAMES = {"blind": "blind", "all": "all modes", "toes": "all modes, toes weigh"}


@dataclass(frozen=True)
class Choices:
    """What the paper does not say; see above. SI units."""

    stall: float = 7.5
    no_load: float = math.inf
    body_friction: float = 0.4
    floor: float = 10.0
    thresholds: tuple[float, float, float, float] = (0.001, 0.08, 0.001, 0.001)  # body is ours, toes are the paper's
    brake: float = 0.05  # s
    period: float = 1e-3
    dt: float = 2e-5
    end: float = 0.5 * math.pi
    quick: float = 10.0  # Hz
    slow: float = 2.0
    believed: float | None = None  # friction that the blind controller believes in; None: the true one

    def task(self, mu: float) -> Task:
        """What a controller is told on a surface with this friction of the toes."""
        friction = (mu, self.body_friction)
        return Task(self.stall, self.no_load, self.floor, friction, self.thresholds, 0.0, Robot())


CHOSEN = Choices()
QUICK = replace(CHOSEN, period=4e-3)


@dataclass(frozen=True, eq=False)
class Flip:
    """What happened, tick by tick.

    Attributes:
        t: (n,) s, start of each tick.
        state: (n, 18) of the plant, as in `flip_plant`.
        torque: (n, 3) N m.
        predicted: (n,) rad/s^2 by the controller's model.
        pitch_acceleration: (n,) rad/s^2, mean of the tick.
        mean_square: (n,) of the same.
        force: (n, 4, 2) N on body and toes.
        modes: (n,) predicted, such as "RFLS": body, rear, middle and front toe.
        expected: (n, 4) m/s along the ground by the rigid model.
        slips: (n, 4) m/s of the plant.
        pressed: (n,) whether the body's least force could be asked for.
        sure: (n,) whether no other mode was possible.
        rises: (n,) rad/s^2 of the blind controller's filters, else none.
        up: whether it got up.
    """

    t: Array
    state: Array
    torque: Array
    predicted: Array
    pitch_acceleration: Array
    mean_square: Array
    force: Array
    modes: list[str]
    expected: Array
    slips: Array
    pressed: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    rises: Array
    up: bool

    @property
    def pitch(self) -> Array:
        """(n,) rad."""
        return self.state[:, 2]

    @property
    def time(self) -> float:
        """Seconds until it was up; inf if it never was."""
        return float(self.t[-1] + self.t[1]) if self.up else math.inf

    @property
    def square(self) -> Array:
        """(n,) rad^2/s^4: mean square of predicted minus true pitch acceleration in each tick."""
        return self.predicted**2 - 2.0 * self.predicted * self.pitch_acceleration + self.mean_square

    @property
    def rmse(self) -> float:
        """rad/s^2: root mean square of predicted minus true pitch acceleration, over the flip."""
        return math.sqrt(self.square.mean())

    @cached_property
    def true_modes(self) -> list[str]:
        """Modes of the plant: S without force, F up to 1 mm/s."""
        return ["".join(map(mode_of, force[:, 0], slip)) for force, slip in zip(self.force, self.slips, strict=True)]

    def right(self, contact: int) -> float:
        """Share of the ticks in which the mode of a contact was predicted, of those in which it touches or should."""
        pairs = [(a[contact], b[contact]) for a, b in zip(self.modes, self.true_modes, strict=True)]
        pairs = [pair for pair in pairs if pair != ("S", "S")]
        return sum(a == b for a, b in pairs) / max(len(pairs), 1)


def mode_of(normal: float, slip: float) -> str:
    """Mode of a contact of the plant, from its normal force in N and its velocity along the ground in m/s."""
    if normal <= 0.0:
        return "S"
    return "F" if abs(slip) < STUCK else "R" if slip > 0.0 else "L"


def flip(controller: str, mu: float, choices: Choices = CHOSEN, jump: float | None = None) -> Flip:
    """Let the robot flip.

    Args:
        controller: "blind", "all" modes, or all modes with "toes" that weigh what they do.
        mu: friction of the toes.
        choices: what the paper leaves open.
        jump: rad/s^2 that make the blind controller believe in a stuck rear toe; None: as tuned.
    """
    if controller != "blind":
        choices = replace(choices, quick=CHOSEN.quick, slow=CHOSEN.slow, believed=None)
    return _flip(controller, mu, choices, jump)


@cache
def _flip(controller: str, mu: float, choices: Choices, jump: float | None) -> Flip:
    told = choices.task(mu if choices.believed is None else choices.believed)
    if controller == "blind":
        least = tuned(choices) if jump is None else jump
        policy: Any = Blind(told, Jump(choices.period, choices.quick, choices.slow, least))
    else:
        policy = AllModes(told if controller == "all" else replace(told, toe=told.robot.toe))
    robot = told.robot
    steps = round(choices.period / choices.dt)
    state, standing = lying(robot), (0, 1, 2)
    acceleration, rows = 0.0, []
    while state[2] < choices.end and state[2] > -0.05 and len(rows) * choices.period < LONGEST:
        decision: Decision = policy(Measured(state, standing, acceleration))
        torque = np.where(np.isnan(decision.torque), _braked(state, told, choices), decision.torque)
        before = state.copy()
        seen = advance(state, torque, mu, choices.body_friction, choices.dt, steps, robot)
        acceleration = seen.pitch_acceleration
        rows.append((before, torque, decision, seen, standing))
        standing = tuple(i for i in range(3) if seen.force[1 + i, 0] > 0.0)
    states, torques, decisions, seens, stood = zip(*rows, strict=True)
    return Flip(
        t=choices.period * np.arange(float(len(rows))),
        state=np.array(states),
        torque=np.array(torques),
        predicted=np.array([d.predicted for d in decisions]),
        pitch_acceleration=np.array([s.pitch_acceleration for s in seens]),
        mean_square=np.array([s.mean_square for s in seens]),
        force=np.array([s.force for s in seens]),
        modes=[d.modes for d in decisions],
        expected=np.array([contacts(s[:BODY], on, robot).slips for s, on in zip(states, stood, strict=True)]),
        slips=np.array([slips(s, robot) for s in states]),
        pressed=np.array([d.pressed for d in decisions]),
        sure=np.array([d.sure for d in decisions]),
        rises=np.array(policy.rises if controller == "blind" else []),
        up=bool(state[2] >= choices.end),
    )


@cache
def tuned(choices: Choices) -> float:
    """The least jump in rad/s^2 that tells a stuck rear toe on the smooth surface."""
    run = flip("blind", SMOOTH, choices, math.inf)
    armed = np.array([mode[2] == "S" for mode in run.modes])
    sticks = armed & (np.abs(run.slips[:, 1]) < STUCK)
    if not sticks.any():
        return float(run.rises[armed].max())
    first = int(np.argmax(sticks))
    return 0.5 * float(run.rises[:first][armed[:first]].max() + run.rises[first:].max())


def _braked(state: Array, task: Task, choices: Choices) -> Array:
    """(3,) N m that brake the hips of legs in the air."""
    if math.isinf(choices.brake):
        return np.zeros(3)
    wanted = -leg_rates(state, task.robot) * task.robot.toe * task.robot.leg**2 / choices.brake
    return np.clip(wanted, *task.limits(state).T)
