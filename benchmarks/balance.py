"""The table of docs/whole_body.md: `python -m benchmarks.balance` lets four robots balance on two kinds of ground.

Each squats for 10 s, shifts its weight for 10 s and lifts every foot; then it stands and is pushed. Rows are markdown.
"""

from __future__ import annotations

from typing import Annotated

import typer

import surefoot as sf
from surefoot.cli import poise
from surefoot.report.balancing import Balancing, balancing
from surefoot.whole_body.push_recovery import DIRECTIONS

ROBOTS = ("links", "example:solo12", "example:a1", "example:g1")
PLANTS = {"rigid": sf.Simulator, "mujoco": sf.MujocoPlant}
MU = 0.7
HEAD = (
    "| robot | plant | fell | centre of mass off by, rms and most | largest torque | survives a push of |\n"
    "|---|---|---|---|---|---|"
)


def act(name: str, plant: str, seconds: float, settle: float | None) -> Balancing:
    """Numbers of squats and weight shifts, each half of the seconds, and of lifts."""
    scene = poise.stand_on(name, MU)
    moves = poise.moves(scene, "all", seconds)
    pipeline = sf.whole_body.balancer(scene, moves, poise.DT, settle=settle, torque_limits=scene.torque_limits)
    simulator = PLANTS[plant](scene, poise.DT)
    trace = simulator.rollout(scene.home(), pipeline.policy(), duration=moves.duration + poise.REST)
    return balancing(trace, pipeline)


def pushes(name: str, plant: str, settle: float | None) -> dict[str, float]:
    """The hardest push in N s that each direction survives."""
    scene = poise.stand_on(name, MU)
    moves = poise.moves(scene, "stand", poise.PUSHED)
    pipeline = sf.whole_body.balancer(scene, moves, poise.DT, settle=settle, torque_limits=scene.torque_limits)
    found = poise.hardest(PLANTS[plant](scene, poise.DT), pipeline.policy(), lambda done, of: None)
    return {direction: found[direction].survived for direction in DIRECTIONS}


def row(name: str, plant: str, found: Balancing, pushed: dict[str, float]) -> str:
    """One row of the table."""
    fell = "no" if found.fell is None else f"after {found.fell:.3g} s"
    off = f"{1e3 * found.error:.2f}, {1e3 * found.worst:.2f} mm"
    survived = ", ".join(f"{value:.3g}" for value in pushed.values())
    return f"| `{name}` | {plant} | {fell} | {off} | {found.peak_torque:.3g} N m | {survived} N s |"


def main(
    robot: Annotated[list[str] | None, typer.Option(help="Only these.", show_default=False)] = None,
    seconds: Annotated[float, typer.Option(help="Of squats and weight shifts together.")] = 20.0,
    settle: Annotated[
        float | None, typer.Option(help="See `sf.whole_body.balancer`, in s.", show_default=False)
    ] = None,
) -> None:
    """Print how robots balance, as rows of markdown."""
    typer.echo(HEAD)
    for name in robot or ROBOTS:
        for plant in PLANTS:
            typer.echo(row(name, plant, act(name, plant, seconds, settle), pushes(name, plant, settle)))


if __name__ == "__main__":
    typer.run(main)
