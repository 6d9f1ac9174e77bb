"""An arm that holds a heavy box while its joints swing [Zapolsky2015, sections 7.2.2 and 8.4.1].

Seven joints of a bolted arm follow a sinusoid; four fingers hold a box of 0.78 kg by its nearest edge. Every controller
moves the arm in its own way. The fingers press with a spring all the same, unless they are "still": then they are
prescribed too, as in the paper, which leaves the squeeze to whatever the controller makes of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.contact_marks import forces_on

import surefoot as sf
from surefoot.laws import Law
from surefoot.robots.families.arm import ARM, ARM_JOINTS

Array = NDArray[np.float64]
Wanted = tuple[Array, Array, Array]
Controller = Callable[[sf.State, Wanted, sf.Answer | None], Array]

DT = 1e-3  # s
SIDE = 0.05071  # m of the box; the tips are 0.0507107 m apart
DENSITY = 6000.0  # kg/m^3
BOX_X = 0.31  # m of its centre; the tips are at x = 0.2854 m, 0.8 mm from its near face
TORQUE_GAINS = 10.0, 0.1  # N m/rad, N m s/rad
ACCELERATION_GAINS = 1e3, 10.0  # 1/s^2, 1/s
CLOSED = math.pi / 4 - 0.01  # rad to which the fingers close; the box stops them at pi/4
SLOWED = 0.1  # N m s/rad: damping of the fingers

LAWS: dict[str, Law] = {
    "ID(t_i) QP mu": sf.Dissipative(),
    "ID(t_i) QP inf": sf.Dissipative(mu=math.inf),
    "ID(t_i) LCP mu": sf.Coulomb(),
    "ID(t_i) LCP mu, stage II": sf.Coulomb(smooth=True),
    "ID(t_i) LCP inf": sf.NoSlip(release=False),
}
SENSED = {"ID(t_i-1)": 1, "ID(t_i-2)": 2}
NAMES = ("PID", *LAWS, *SENSED, "contact-free ID")
LARGE = 100.0  # friction that stands for infinity in the paper's files, and here in the belief of LCP mu
TIPS = ("TIP_00", "TIP_01", "TIP_10", "TIP_11")


@dataclass(frozen=True)
class Run:
    """One controller, step by step.

    Attributes:
        t: (n,) s, at the end of each step.
        error: (n,) rad: mean of |q - q wanted| over the arm's joints.
        torque: (n, 11) N m.
        press: (n, 4) N with which each fingertip presses on the box.
        predicted: (n, 4, 3) N on each fingertip as the controller expects it, in world axes; 0 if it expects none.
        seconds: (n,) s of the processor in which it solved for its torques; 0 unless it is one of `LAWS`.
        unsolved: steps in which the controller found no torques and kept the last.
        message: how the simulation ended.
    """

    t: Array
    error: Array
    torque: Array
    press: Array
    predicted: Array
    seconds: Array
    unsolved: int
    message: str

    @property
    def held(self) -> float:
        """Time in s at which the last fingertip lost the box; infinite if none did."""
        last = int(np.flatnonzero(self.press.any(axis=1)).max(initial=-1))
        return math.inf if last + 1 == len(self.t) else float(self.t[last])


@dataclass
class _Told:
    """What a controller tells of its last call, and how many calls had no answer."""

    predicted: Array = field(default_factory=lambda: np.zeros((len(TIPS), 3)))
    seconds: float = 0.0
    unsolved: int = 0


def gripped(mu: float) -> sf.Scene:
    """The arm round the box, friction `mu` between them.

    The fingers' damping is a part of the joints, taken implicitly: as a torque computed in steps of 1 ms it would be
    unstable, since the four fingers together swing with an inertia of 4e-5 kg m^2 only.
    """
    fingers = tuple(replace(finger, joint=replace(finger.joint, damping=SLOWED)) for finger in ARM.fingers)
    box = sf.Box(size=(SIDE,) * 3, density=DENSITY, position=(BOX_X, 0.0, 0.2), mu=mu)
    return sf.scene(replace(ARM, fingers=fingers).scene(), objects=[box])


def reference(t: float) -> Wanted:
    """Positions (7,), velocities, and accelerations over the next step that every joint of the arm shall have."""
    ones = np.ones(len(ARM_JOINTS))
    speed, after = -math.sin(10 * t), -math.sin(10 * (t + DT))
    return (math.pi / 2 - 0.1 * (1 - math.cos(10 * t))) * ones, speed * ones, (after - speed) / DT * ones


def run(
    name: str,
    mu: float,
    seconds: float,
    *,
    spring: float = TORQUE_GAINS[0],
    still: bool = False,
    until_dropped: bool = False,
) -> Run:
    """Let one controller of `NAMES` swing the arm.

    Args:
        name: of the controller.
        mu: friction between fingers and box; controllers know it.
        seconds: how long.
        spring: N m/rad with which the fingers close by 0.01 rad.
        still: whether the controller also commands the fingers to stand, on top of the spring.
        until_dropped: stop 0.3 s after the fingers have lost the box.
    """
    scene = gripped(mu)
    plant = sf.Simulator(scene, DT, sf.Coulomb())
    told = _Told()
    controller = _controller(name, scene, spring, still, told)
    state, answer = scene.home(), None
    error, torque, press, predicted, seconds_taken, message = [], [], [], [], [], "all steps solved"
    for _ in range(round(seconds / DT)):
        tau = controller(state, reference(state.t), answer)
        state, answer = plant.step(state, tau, throw=False)
        if not answer.ok:
            message = f"{answer.status.name.lower()} at {state.t:.3f} s"
            break
        error.append(np.abs(state.q[scene.joint_positions][:7] - reference(state.t)[0]).mean())
        torque.append(tau)
        press.append(_press(answer))
        predicted.append(told.predicted)
        seconds_taken.append(told.seconds)
        if until_dropped and state.t > 0.5 and not np.any(press[-300:]):
            break
    t = DT * (1 + np.arange(len(error)))
    lists = [np.array(values) for values in (error, torque, press, predicted, seconds_taken)]
    return Run(t, *lists, unsolved=told.unsolved, message=message)


def _press(answer: sf.Answer) -> Array:
    """(4,) N of each fingertip."""
    force = np.zeros(len(TIPS))
    for name, pushed in zip(answer.contacts.names, answer.forces, strict=True):
        for i, tip in enumerate(TIPS):
            force[i] += pushed[0] if tip in name else 0.0
    return force


def _controller(name: str, scene: sf.Scene, spring: float, still: bool, told: _Told) -> Controller:
    """A function of the state, what is wanted, and the plant's last answer; it writes into `told`."""

    def seen(state: sf.State) -> tuple[Array, Array]:
        return state.q[scene.joint_positions], state.v[scene.dofs]

    def pressing(state: sf.State) -> Array:
        return spring * (CLOSED - seen(state)[0][7:])

    def arm(state: sf.State, wanted: Wanted) -> Array:
        """Accelerations (7,) with error feedback."""
        (q, v), (kp, kd) = seen(state), ACCELERATION_GAINS
        return wanted[2] + kp * (wanted[0] - q[:7]) + kd * (wanted[1] - v[:7])

    def count(status: sf.Status) -> None:
        told.unsolved += not status.is_answer

    if name == "PID":
        kp, kd = TORQUE_GAINS

        def pid(state: sf.State, wanted: Wanted, sensed: sf.Answer | None) -> Array:
            q, v = seen(state)
            return np.r_[kp * (wanted[0] - q[:7]) + kd * (wanted[1] - v[:7]), pressing(state)]

        return pid
    if name in LAWS and not still:
        law = LAWS[name]
        if isinstance(law, sf.Coulomb) and _infinite(scene):
            law = replace(law, mu=LARGE)
        belief, last = sf.Simulator(scene, DT, law), [np.zeros(11)]

        def mixed(state: sf.State, wanted: Wanted, sensed: sf.Answer | None) -> Array:
            velocity = seen(state)[1][:7] + DT * arm(state, wanted)
            follow = dict(zip(ARM_JOINTS, velocity.tolist(), strict=True))
            given = np.r_[np.zeros(7), pressing(state)]
            began = time.thread_time()
            answer = belief.solve(state, given, velocity=follow)
            told.seconds = time.thread_time() - began
            count(answer.status)
            told.predicted = forces_on(answer, TIPS)
            last[0] = answer.torque if answer.ok else last[0]
            return last[0]

        return mixed
    if name in LAWS:
        whole = sf.InverseDynamics(scene, DT, LAWS[name])
    elif name in SENSED:
        whole = sf.control.SensedForce(scene, DT, SENSED[name])
    else:
        whole = sf.control.ContactFree(scene, DT)

    def prescribed(state: sf.State, wanted: Wanted, sensed: sf.Answer | None) -> Array:
        acceleration = np.r_[arm(state, wanted), np.zeros(4)]
        extra = (sensed,) if name in SENSED else ()
        torque = whole(state, acceleration, *extra).copy()
        count(whole.status)
        torque[7:] = pressing(state) + (torque[7:] if still else 0.0)
        return torque

    return prescribed


def _infinite(scene: sf.Scene) -> bool:
    return bool(np.isinf(scene.model.geom("box").friction[0]))
