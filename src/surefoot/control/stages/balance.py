"""Balance by virtual forces under the standing feet."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numba import types
from numpy.typing import NDArray

from surefoot import checks
from surefoot.control.arguments import as_legs
from surefoot.control.blackboard import Value, known
from surefoot.control.stage import Stage
from surefoot.gait import Legs
from surefoot.kernels.balance import balance_feet, work_size
from surefoot.kernels.legs import joint_torques, legs_at

SHORT = 0.3  # of the feet's distance from their centre: lever arms below it are hardly used


class Balance(Stage):
    """Control: the feet that stand push against the ground so that the base turns level and finds its height.

    The inverted pendulum of [Sugihara2003] as [Zapolsky2015] uses it. Wanted are moments about the base's x and y axes
    through the robot's centre of mass, and a force along the vertical:

        -kp roll - kd w_x,    -kp pitch - kd w_y    in N m,        kp (height - h) - kd v_z    in N, upward

    roll and pitch are angles of the base against level (positive: left side up, nose down), w is its angular velocity,
    v_z its vertical one, and h its height above the feet that stand. Each foot of "stance" may push the ground with
    f_i >= 0 downward, so that the ground pushes the robot with f_i upward: compression only. The f_i come as near as
    they can to what is wanted; a component whose gains are zero wants nothing. The torques that press the feet down so,
    the sum of J_i'(-f_i up), are added to "torque"; the value "<name>_force" (feet,) holds the f_i in N.

    Two feet turn the base well only about the line between them. The pushes come on top of the weight, which other
    stages must carry. They act on the base alone, and legs are light: at steps of dt, kd must stay well below twice the
    base's moment of inertia over dt. The gains by default are half of those that `links` had first, whose base of
    0.006 kg m^2 would go wild with them at 1 ms.

    Attributes:
        legs: kinematics of the feet, with the model it believes in.
        height: wanted height of the base above the centres of the feet in m.
    """

    def __init__(
        self,
        legs: Legs,
        kp: Any = (50.0, 50.0, 0.0),
        kd: Any = (5.0, 5.0, 0.0),
        *,
        height: float | None = None,
        name: str = "balance",
        every: int = 1,
    ) -> None:
        """Set the gains.

        Args:
            legs: kinematics of all of the robot's feet.
            kp: (3,) gains for roll, pitch and height: N m/rad, N m/rad, N/m.
            kd: (3,) the same for their rates: N m s/rad, N m s/rad, N s/m.
            height: wanted height of the base above the centres of the feet in m; None: that of `robot.home()`.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        self.legs = as_legs(legs)
        self._gains = np.concatenate([_three("kp", kp), _three("kd", kd)])
        self.height = float(-legs.home[:, 2].mean()) if height is None else checks.number("height", height, above=0.0)
        feet = len(legs.feet)
        super().__init__(
            name,
            "control",
            reads=known(legs.robot, "q", "v", "stance"),
            writes=(Value(f"{name}_force", ("feet",), "N").of(legs.robot),),
            adds=known(legs.robot, "torque"),
            every=every,
            function=_balance,
            memory=3 * feet + work_size(feet),
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(15,): address of the legs, feet, nq, joints, the base's places in q and v, and see kernels/balance.py."""
        robot, legs = self.legs.robot, self.legs
        model: mujoco.MjModel = robot.model
        free = int(model.body(robot.base).jntadr[0])
        base = [model.jnt_qposadr[free] + 3, model.jnt_dofadr[free]]
        arm = float(np.linalg.norm(legs.home[:, :2] - legs.home[:, :2].mean(axis=0), axis=1).mean())
        sizes = [float(legs.box.address), len(legs.feet), robot.nq, len(robot.joints)]
        arm = arm or float(legs.reach.mean())  # one foot alone is its own centre
        return np.array([*sizes, *base, self.height, arm, SHORT * arm, *self._gains])


def _three(name: str, values: Any) -> NDArray[np.float64]:
    result = checks.array(name, values, (3,))
    for component, gain in zip(("roll", "pitch", "height"), result, strict=True):
        checks.number(f"{name} of {component}", gain, at_least=0.0)
    return result


def _balance(t, board, where, memory, params):
    """Memory is work: pushes, and that of the kernel."""
    legs, feet, nq, n = legs_at(types.uintp(params[0])), int(params[1]), int(params[2]), int(params[3])
    turn, moves = where[0] + int(params[4]), where[1] + int(params[5])
    push = memory[: 3 * feet].reshape(feet, 3)
    balance_feet(
        legs, board[where[0] : where[0] + nq], board[turn : turn + 4], board[moves : moves + 6],
        board[where[2] : where[2] + feet], params[6:], memory[3 * feet :], board[where[3] : where[3] + feet], push,
    )  # fmt: skip
    joint_torques(legs, push, board[where[4] : where[4] + n])
    return 0
