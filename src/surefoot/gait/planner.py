"""From a commanded velocity of the base to goals of the feet and joints, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.gait.gait import Gait
from surefoot.gait.legs import Legs, as_legs
from surefoot.kernels import gait as kernel

Array = NDArray[np.float64]
GRAVITY = 9.81  # m/s^2


@dataclass(frozen=True, eq=False)
class Plan:
    """Goals at one time, in the base's frame.

    Attributes:
        phase: of the gait, 0 to 1.
        position, velocity, acceleration: (feet, 3) m, m/s, m/s^2.
        stance: (feet,) which feet push against the ground.
    """

    phase: float
    position: Array
    velocity: Array
    acceleration: Array
    stance: NDArray[np.bool_]


class Planner:
    """Plans the feet of a robot that shall move with a commanded velocity.

    Example:
        planner = sf.gait.Planner(sf.gait.Legs(robot), "trot", dt=1e-3)
        plan = planner(t, (0.2, 0.0, 0.0))

    Attributes:
        legs: the robot's legs.
        gait: when they step.
        dt: time between two calls in s.
        places: (feet, 3) m, where the feet stand in the middle of their stance, in the base's frame.
        params: what the kernel reads, see kernels/gait.py.
        memory: what it remembers.
    """

    def __init__(self, legs: Legs, gait: Gait | str, dt: float, *, places: Any = None) -> None:
        """Prepare.

        Args:
            legs: the robot's legs.
            gait: a Gait or the name of one.
            dt: time between two calls in s.
            places: (feet, 3) m, see `places`; by default where the feet are in `robot.home()`.
        """
        count = len(as_legs(legs).feet)
        self.gait = Gait.named(gait) if isinstance(gait, str) else gait
        if not isinstance(self.gait, Gait):
            raise InputError(f"gait: expected a Gait or the name of one, got {type(gait).__name__}")
        if len(self.gait.touchdown) != count:
            raise InputError(
                f"gait: expected touchdowns of {count} feet ({', '.join(legs.feet)}), got {len(self.gait.touchdown)}"
            )
        self.legs = legs
        self.dt = checks.number("dt", dt, above=0.0)
        self.places = legs.home.copy() if places is None else checks.array("places", places, (count, 3))
        legs.angles(self.places)  # which says what is out of reach
        self.params = self._numbers()
        self.memory = np.zeros(count * kernel.PER_FOOT)
        self.reset()

    def reset(self) -> None:
        """All feet stand at their places."""
        kernel.start_gait(len(self.legs.feet), self.memory, self.params)

    def __call__(self, t: float, command: Any, sensed: Any = None) -> Plan:
        """Goals for time t, one step of `dt` after the last call.

        Args:
            t: time in s.
            command: (3,) velocity of the base: forward and left in m/s, turning in rad/s.
            sensed: (feet,) whether each foot feels the ground; None: nobody knows, and the plan is believed.
        """
        count = len(self.legs.feet)
        wanted = checks.array("command", command, (3,))
        felt = np.full(count, -1.0) if sensed is None else checks.array("sensed", sensed, (count,)).astype(float)
        position, velocity, acceleration = np.zeros((3, count, 3))
        stance = np.zeros(count)
        phase = kernel.plan_feet(
            checks.number("t", t), count, wanted, felt, self.memory, self.params, position, velocity, acceleration,
            stance,
        )  # fmt: skip
        return Plan(phase, position, velocity, acceleration, stance > 0.0)

    def _numbers(self) -> Array:
        """Params of the kernel."""
        return numbers(self.gait, self.dt, self.legs.reach, self.places, self.legs.hips)


def numbers(gait: Gait, dt: float, reach: Array, places: Array, hips: Array) -> Array:
    """Params of kernels/gait.py.

    Args:
        gait: when the feet step.
        dt: time between two calls in s.
        reach: (feet,) m, how far from its hip a foot may go.
        places: (feet, 3) m, where the feet stand in the middle of their stance, in the base's frame.
        hips: (feet, 3) m, in the same frame.
    """
    common = np.zeros(kernel.COMMON)
    common[kernel.DT] = dt
    common[kernel.PERIOD] = gait.period
    common[kernel.HEIGHT] = gait.step_height
    common[kernel.OVERSHOOT] = gait.overshoot
    common[kernel.TAKE_OFF] = 0.5 * GRAVITY * gait.flight()  # up and down again in the time of flight
    common[kernel.REACH_SPEED] = gait.reach_speed
    common[kernel.REDIRECT] = gait.redirect
    common[kernel.RESTS] = float(gait.stand)
    return np.concatenate([common, gait.touchdown, gait.duties(), reach, places.ravel(), hips.ravel()])
