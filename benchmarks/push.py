"""Push recovery: `python -m benchmarks.push` finds the largest push after which Solo12 still stands, ours and TSID's.

Both controllers have the same tasks, weights, gains, friction and torque limits, and neither steps: they stand in our
simulator (rigid contact, Coulomb's law) and a horizontal force acts on the base for 0.1 s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import mujoco
import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import surefoot as sf
from benchmarks import whole_body
from benchmarks.harness import Absent
from benchmarks.peers import tsid
from benchmarks.stances import DT, MU, Stance, stance, to_pinocchio
from surefoot.robots.state import State

Control = Callable[[State], np.ndarray]
"""State in, torques (joints,) in N m out."""

ROBOT = "solo12"
TORQUE = 2.7  # N m, of Solo12's motors
BEFORE, DURING, AFTER = 0.1, 0.1, 2.0  # s
DIRECTIONS = {"forward": (1.0, 0.0, 0.0), "sideways": (0.0, 1.0, 0.0)}
UPRIGHT = 0.97  # least cosine of the base's tilt at the end
HEIGHT = 0.8  # least height of the base at the end, of that at the start
FIRST, GROWTH, CLOSE = 0.2, 1.5, 0.02  # N s: the first push, the factor to the next, how close the answer shall be


def ours(here: Stance, torque: float = TORQUE, check: str = "tell") -> Control:
    """Surefoot's whole-body controller; like TSID's it plans to stay on all feet and stops them in 1 / 20 s."""
    control = whole_body.controller(here, torque, check)
    feet = [foot.name for foot in here.robot.feet]

    def call(state: State) -> np.ndarray:
        try:
            return control(state, contacts=feet)
        except sf.InputError:  # a foot is far from the ground
            return control(state)

    return call


def touching(here: Stance, torque: float = TORQUE) -> Control:
    """The same on what touches the ground, whatever that is."""
    return whole_body.controller(here, torque)


def hard(here: Stance, torque: float = TORQUE) -> Control:
    """The same, with points of contact at rest after a step."""
    return whole_body.controller(here, torque, settle=1e-3)


class Peer:
    """TSID's controller in its own process; where it has no answer its last one is kept.

    Attributes:
        unsolved: cycles without an answer.
    """

    def __init__(self, here: Stance, torque: float = TORQUE) -> None:
        self._worker = tsid.controller(tsid.interpreter(), here, torque)
        self._last = np.zeros(len(here.robot.joints))
        self.unsolved = 0

    def __call__(self, state: State) -> np.ndarray:
        """Torques in N m."""
        told = self._worker.ask({"state": to_pinocchio(state)})
        if told["solved"]:
            self._last = np.array(told["torque"])
        else:
            self.unsolved += 1
        return self._last

    def close(self) -> None:
        """End the process."""
        self._worker.close()


def stands(here: Stance, control: Control, impulse: np.ndarray, torque: float = TORQUE) -> bool:
    """Whether the robot stands upright two seconds after a push.

    Args:
        here: the robot.
        control: what controls it.
        impulse: (3,) N s on the base, at its centre of mass, in the world's frame.
        torque: N m: what motors give at most.
    """
    scene, state = here.robot, here.home
    sim = sf.Simulator(scene, DT)
    model, data = scene.model, mujoco.MjData(scene.model)
    body = model.body(scene.base).id
    begin, end = round(BEFORE / DT), round((BEFORE + DURING) / DT)
    for k in range(end + round(AFTER / DT)):
        sim.space.data.qfrc_applied[:] = 0.0
        if begin <= k < end:
            state.to_mujoco(data)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            force = impulse / DURING
            mujoco.mj_applyFT(
                model, data, force, np.zeros(3), data.xipos[body].copy(), body, sim.space.data.qfrc_applied
            )
        state, answer = sim.step(state, np.clip(control(state), -torque, torque), throw=False)
        if not answer.ok or not _is_up(here, state, 0.5):
            return False
    return _is_up(here, state, UPRIGHT)


def largest(here: Stance, control: Control, direction: tuple[float, float, float], torque: float = TORQUE) -> float:
    """The largest push in N s in a direction that the robot survives, by bisection to 0.02 N s; 0: none."""
    along = np.array(direction)
    low, high = 0.0, FIRST
    while stands(here, control, high * along, torque):
        low, high = high, GROWTH * high
    while high - low > CLOSE:
        middle = 0.5 * (low + high)
        if stands(here, control, middle * along, torque):
            low = middle
        else:
            high = middle
    return low


def _is_up(here: Stance, state: State, upright: float) -> bool:
    x, y = state.q[4:6]
    return 1.0 - 2.0 * (x * x + y * y) >= upright and state.q[2] >= HEIGHT * here.home.q[2] * min(1.0, upright)


def main(
    torque: Annotated[float, typer.Option(help="What motors give at most, in N m.")] = TORQUE,
) -> None:
    """Print the largest pushes that Solo12 survives under our controller and under TSID's."""
    console, here = Console(), stance(ROBOT)
    methods: dict[str, Callable[[], Control]] = {
        "surefoot": lambda: ours(here, torque),
        "surefoot-touching": lambda: touching(here, torque),
        "surefoot-hard": lambda: hard(here, torque),
        "tsid": lambda: Peer(here, torque),
    }
    console.print(
        f"Solo12 is pushed for {DURING:g} s on its base; friction {MU:g}, motors {torque:g} N m", highlight=False
    )
    table = Table("largest push survived in N s", *DIRECTIONS)
    for name, make in methods.items():
        try:
            found = [largest(here, make(), direction, torque) for direction in DIRECTIONS.values()]
        except Absent as reason:
            console.print(f"{reason}; {reason.remedy}", highlight=False)
            continue
        table.add_row(name, *(f"{value:.2f}" for value in found))
    console.print(table)
    console.print(
        "surefoot, like tsid, plans to stay on all feet and stops points of contact in 50 ms; surefoot-touching stands "
        "on what touches the ground, and surefoot-hard stops it within 1 ms"
    )


if __name__ == "__main__":
    typer.run(main)
