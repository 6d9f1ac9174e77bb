"""Sensors and motors that are not as modelled: what stands between a policy and the robot it controls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from surefoot import checks
from surefoot.errors import InputError
from surefoot.kernels import imperfect as kernel
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.simulate.policy import Policy
from surefoot.traces.distributions import Jitter
from surefoot.traces.draws import key

LAGS = {"lag.sensors": kernel.SENSOR_LAG, "lag.torque": kernel.TORQUE_LAG}
LONGEST_LAG = 10.0  # s
_AXES = ("x", "y", "z")
_TURNS = ("roll", "pitch", "yaw")


def readings(scene: Scene) -> dict[str, int]:
    """Every reading of a robot's sensors by name, and its place in the kernel's vector of errors.

    Encoders read joint positions (rad, m) and their rates, torque sensors the torques (N m, N) that the motors gave in
    the last call. Of a floating base GPS reads x, y (m), the magnetometer its
    turn (rad about the base's axes), the gyroscope of the IMU its angular velocity (rad/s, base frame), and the state
    estimate tells height and velocities.
    """
    nq, nv = scene.nq, scene.nv
    size = reading_count(scene)
    found = {f"encoder.{joint}": int(at) for joint, at in zip(scene.joints, scene.joint_positions, strict=True)}
    found |= {f"encoder_rate.{joint}": nq + int(at) for joint, at in zip(scene.joints, scene.dofs, strict=True)}
    found |= {f"torque_sensor.{joint}": nq + nv + i for i, joint in enumerate(scene.joints)}
    if scene.base is not None:
        q, v = base_places(scene)
        found |= {"gps.x": q, "gps.y": q + 1, "estimate.z": q + 2}
        found |= {f"magnetometer.{turn}": size + i for i, turn in enumerate(_TURNS)}
        found |= {f"imu.{turn}": nq + v + 3 + i for i, turn in enumerate(_TURNS)}
        found |= {f"estimate.velocity.{axis}": nq + v + i for i, axis in enumerate((*_AXES, *_TURNS))}
    return found


def reading_count(scene: Scene) -> int:
    """Number of the kernel's readings: q, v and the torques."""
    return scene.nq + scene.nv + len(scene.joints)


def base_places(scene: Scene) -> tuple[int, int]:
    """Where the floating base begins in q and in v."""
    model = scene.model
    joint = int(model.body(scene.base).jntadr[0])
    if joint < 0 or int(model.jnt_type[joint]) != int(mujoco.mjtJoint.mjJNT_FREE):
        raise InputError(f"robot: the base {scene.base!r} of {scene.name!r} has no free joint")
    return int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])


class Errors:
    """What a particle's sensors and motors do to the policy that controls it.

    Attributes:
        scene: the robot that the policy believes in.
        dt: s between two calls of the policy.
    """

    def __init__(
        self, scene: Scene, dt: float, values: Mapping[str, Any], noise: Mapping[str, Jitter], seed: int, particle: int
    ) -> None:
        """Collect.

        Args:
            scene: the robot.
            dt: s between two calls of the policy.
            values: constant errors by name, see `loop_names`.
            noise: errors drawn at every call, by name.
            seed: what their draws depend on, with the particle and their names.
            particle: number.
        """
        self.scene, self.dt = scene, dt
        places = readings(scene)
        torque = reading_count(scene) + 3
        places |= {f"motor.{joint}.noise": torque + i for i, joint in enumerate(scene.joints)}
        channels = []
        for name, place in places.items():
            constant, jitter = float(values.get(f"{name}.bias", 0.0)), noise.get(name)
            if constant == 0.0 and jitter is None:
                continue
            channels.append([place, constant, *_noise(jitter, seed, particle, name)])
        self.channels = np.array(channels, dtype=np.float64).reshape(-1, kernel.CHANNEL)
        self.strength = np.array([float(values.get(f"motor.{joint}.strength", 1.0)) for joint in scene.joints])
        self.lags: dict[str, list[float]] = {}
        for name in LAGS:
            late = checks.number(name, values.get(name, 0.0), at_most=LONGEST_LAG)
            jitter = f"{name}.jitter"
            self.lags[name] = [max(late, 0.0), *_noise(noise.get(jitter), seed, particle, jitter)]

    @property
    def none(self) -> bool:
        """Whether all is as modelled."""
        late = any(late > 0.0 or spread > 0.0 for late, spread, *_ in self.lags.values())
        return len(self.channels) == 0 and not late and bool((self.strength == 1.0).all())

    def rows(self, name: str) -> int:
        """Most calls that something comes late."""
        late, spread, *_ = self.lags[name]
        return int(np.ceil(min(late + 6.0 * spread, LONGEST_LAG) / self.dt))

    def params(
        self, address: int, own_memory: int, own: NDArray[np.float64], senses_torque: bool = False
    ) -> NDArray[np.float64]:
        """What the kernel reads, see kernels/imperfect.py."""
        scene, head = self.scene, np.zeros(kernel.HEAD)
        head[kernel.POLICY] = _as_float(address)
        head[kernel.NQ], head[kernel.NV], head[kernel.JOINTS] = scene.nq, scene.nv, len(scene.joints)
        head[kernel.TURNED] = -1.0 if scene.base is None else base_places(scene)[0] + 3
        head[kernel.DT], head[kernel.OWN_MEMORY] = self.dt, own_memory
        for name, place in LAGS.items():
            head[place : place + kernel.CHANNEL - 1] = self.lags[name]
        head[kernel.SENSOR_ROWS], head[kernel.TORQUE_ROWS] = self.rows("lag.sensors"), self.rows("lag.torque")
        head[kernel.CHANNELS], head[kernel.SENSES] = len(self.channels), float(senses_torque)
        held = np.zeros(reading_count(scene))
        return np.concatenate([head, self.channels.ravel(), self.strength, held, own])

    def strength_place(self, joint: int) -> int:
        """Where in `params` the strength of a joint's motor is."""
        return kernel.HEAD + self.channels.size + joint

    def held_place(self, reading: int) -> int:
        """Where in `params` it says that a reading no longer changes."""
        return kernel.HEAD + self.channels.size + len(self.scene.joints) + reading

    def memory(self, own: int) -> int:
        """Length of the kernel's memory."""
        scene = self.scene
        rows = self.rows("lag.sensors"), self.rows("lag.torque")
        return kernel.memory_size(scene.nq, scene.nv, len(scene.joints), *rows, own)


class Imperfect(Policy):
    """A compiled policy behind imperfect sensors and motors; a policy itself."""

    def __init__(self, policy: Policy, errors: Errors) -> None:
        own = policy.memory_size + 1
        params = errors.params(policy.__wrapper_address__(), own, policy.params, policy.senses_torque)
        super().__init__(kernel.run_imperfect, memory=errors.memory(own), kept=True)
        self.params = params  # not through a check: some are the bits of whole numbers
        self.errors = errors
        self.policy = policy

    def raise_error(self, t: float, q: Any, v: Any, out: Any, memory: Any, params: Any) -> None:
        """Raise the policy's own error, at what it saw."""
        nq, size, n = len(q), len(q) + len(v), len(out)
        first = kernel.seen_place(nq, len(v), n)
        seen, torque = memory[first : first + size], memory[first + size + n : first + size + 2 * n]
        own = memory[len(memory) - 1 - self.policy.memory_size - 1 : -1]
        self.policy.raise_error(t, seen[:nq].copy(), seen[nq:].copy(), torque, own, self.policy.params)


class ImperfectPython:
    """A policy in Python behind imperfect sensors and motors: a function of a State.

    One with an attribute `senses_torque` that is true, such as a pipeline, is also given the torques as measured.

    Attributes:
        params: as of `Imperfect`; who changes them changes the errors.
    """

    def __init__(self, policy: Any, errors: Errors) -> None:
        self.policy, self.errors = policy, errors
        self.params = errors.params(0, 0, np.empty(0))
        self._memory = np.zeros(errors.memory(0) + 1)
        self._torque = np.zeros(len(errors.scene.joints))

    def __call__(self, state: State) -> NDArray[np.float64]:
        """Torques (joints,) as the motors give them."""
        kernel.sense(state.q.copy(), state.v.copy(), self._torque, self._memory, self.params)
        nq, size, n = len(state.q), len(state.q) + len(state.v), len(self._torque)
        first = kernel.seen_place(nq, len(state.v), n)
        seen, felt = self._memory[first : first + size], self._memory[first + size : first + size + n]
        felt = (felt.copy(),) if getattr(self.policy, "senses_torque", False) else ()
        told = self.policy(State(seen[:nq], seen[nq:], state.t), *felt)
        given = checks.array("the policy's torque", told, (n,), finite=False)
        kernel.act(given, self._torque, self._memory, self.params)
        return self._torque


def _noise(jitter: Jitter | None, seed: int, particle: int, name: str) -> list[float]:
    """Deviation, shares of the normal distribution below the least and the largest draw, and key of a channel."""
    if jitter is None:
        return [0.0, 0.0, 1.0, 0.0]
    low = -np.inf if jitter.low is None else jitter.low / jitter.sd
    high = np.inf if jitter.high is None else jitter.high / jitter.sd
    return [jitter.sd, float(ndtr(low)), float(ndtr(high)), _as_float(key(seed, particle, name))]


def _as_float(bits: int) -> float:
    """A whole number of 64 bits as the float64 with the same bits."""
    return float(np.array([bits & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64).view(np.float64)[0])
