"""Joints that follow sinusoids: prescribed, by error feedback, by inverse dynamics; all three in the compiled loop."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

import surefoot as sf

Array = NDArray[np.float64]


@numba.njit
def waves(t, n, params, position, velocity, acceleration):
    """Where n joints shall be at time t: centre + g(t) size sin(rate t + phase), g growing smoothly in `rise` s.

    params: rise, then centre, size, rate, phase of each joint.
    """
    g, g1, g2 = 1.0, 0.0, 0.0
    if t < params[0]:
        s = t / params[0]
        g, g1, g2 = s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s) / params[0], (6.0 - 12.0 * s) / params[0] ** 2
    for i in range(n):
        centre, size, rate, phase = params[1 + 4 * i : 5 + 4 * i]
        sine, cosine = size * math.sin(rate * t + phase), size * math.cos(rate * t + phase)
        position[i] = centre + g * sine
        velocity[i] = g1 * sine + g * rate * cosine
        acceleration[i] = g2 * sine + 2.0 * g1 * rate * cosine - g * rate * rate * sine


@numba.njit
def table(t, n, params, position, velocity):
    """The same at all times t, as tables (len(t), n)."""
    acceleration = np.zeros(n)
    for k in range(t.size):
        waves(t[k], n, params, position[k], velocity[k], acceleration)


@sf.joint_motion
def prescribed(t, q, v, position_out, memory, params):
    """Joints are where they shall be."""
    n = position_out.size
    waves(t, n, params, position_out, memory[:n], memory[n : 2 * n])
    return 0


@sf.policy
def error_feedback(t, q, v, torque_out, memory, params):
    """Torque kp (q* - q) + kd (v* - v). params: those of the waves, first place in q and in v, then kp and kd."""
    n = torque_out.size
    position, velocity, gains = memory[:n], memory[n : 2 * n], params[1 + 4 * n :]
    waves(t, n, params, position, velocity, memory[2 * n :])
    at_q, at_v = int(gains[0]), int(gains[1])
    for i in range(n):
        torque_out[i] = gains[2 + i] * (position[i] - q[at_q + i]) + gains[2 + n + i] * (velocity[i] - v[at_v + i])
    return 0


@sf.policy
def inverse_dynamics(t, q, v, torque_out, memory, params):
    """Torques for a* + kp (q* - q) + kd (v* - v); params as above, then the controller's handle."""
    n = torque_out.size
    position, velocity, acceleration = memory[:n], memory[n : 2 * n], memory[2 * n : 3 * n]
    gains = params[1 + 4 * n :]
    waves(t, n, params, position, velocity, acceleration)
    at_q, at_v = int(gains[0]), int(gains[1])
    for i in range(n):
        behind, slower = position[i] - q[at_q + i], velocity[i] - v[at_v + i]
        acceleration[i] += gains[2 + i] * behind + gains[2 + n + i] * slower
    return sf.follow(gains[2 + 2 * n], q, v, acceleration, torque_out)


class Drive(NamedTuple):
    """What drives a roll-out: a policy or a motion, and the controller that the policy calls, which must live on."""

    policy: Any = None
    motion: Any = None
    controller: sf.InverseDynamics | None = None


@dataclass(frozen=True)
class Waves:
    """Sinusoids of a robot's joints.

    Attributes:
        robot: whose joints stand in one piece in q and in v.
        centre: (joints,) rad (m).
        size: (joints,) rad (m).
        rate: (joints,) rad/s.
        phase: (joints,) rad.
        rise: s in which they grow from rest; 0: they are there at once.
    """

    robot: sf.Scene
    centre: Any
    size: Any
    rate: Any
    phase: Any
    rise: float = 0.0

    @property
    def params(self) -> Array:
        """(1 + 4 joints,) as `waves` takes them."""
        columns = np.broadcast_arrays(self.centre, self.size, self.rate, self.phase)
        return np.concatenate([[self.rise], np.column_stack(columns).ravel()])

    def at(self, t: Any) -> tuple[Array, Array]:
        """Positions and velocities (len(t), joints) at times t in s."""
        t, n = np.array(t, dtype=float), len(self.robot.joints)
        position, velocity = np.zeros((len(t), n)), np.zeros((len(t), n))
        table(t, n, self.params, position, velocity)
        return position, velocity

    def start(self) -> sf.State:
        """At home, but for the joints, which are where the waves begin and move with them."""
        home = self.robot.home()
        q, v = home.q.copy(), home.v.copy()
        position, velocity = self.at([0.0])
        q[self.robot.joint_positions], v[self.robot.dofs] = position[0], velocity[0]
        return self.robot.state(q, v)

    def prescribed(self) -> Drive:
        """The motion of all joints."""
        return Drive(motion=prescribed.bind(params=self.params, memory=2 * len(self.robot.joints)))

    def error_feedback(self, kp: Any, kd: Any) -> Drive:
        """PD control; gains (joints,) in N m/rad and N m s/rad (N/m, N s/m)."""
        return Drive(error_feedback.bind(self._with_gains(kp, kd), memory=3 * len(self.robot.joints)))

    def inverse_dynamics(self, dt: float, law: sf.Law, kp: float, kd: float) -> Drive:
        """Inverse dynamics for steps of dt s under a law, with feedback; gains in 1/s^2 and 1/s."""
        controller = sf.InverseDynamics(self.robot, dt, law)
        params = np.append(self._with_gains(kp, kd), controller.handle)
        return Drive(inverse_dynamics.bind(params, memory=3 * len(self.robot.joints)), controller=controller)

    def _with_gains(self, kp: Any, kd: Any) -> Array:
        n = len(self.robot.joints)
        places = [self.robot.joint_positions[0], self.robot.dofs[0]]
        return np.concatenate([self.params, places, np.broadcast_to(kp, n), np.broadcast_to(kd, n)])
