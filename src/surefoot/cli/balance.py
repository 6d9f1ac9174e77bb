"""`surefoot balance`: let a robot squat, shift its weight, lift its feet and be pushed, and say how well it stood."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from surefoot.cli.console import console, progress_bar, summary, wrote


class Motion(StrEnum):
    """What to do."""

    ALL = "all"
    STAND = "stand"
    SQUAT = "squat"
    SHIFT = "shift"
    LIFT = "lift"
    PUSH = "push"


class Plant(StrEnum):
    """Whose physics."""

    RIGID = "rigid"
    MUJOCO = "mujoco"


class Check(StrEnum):
    """What the law is asked, see `sf.whole_body.WholeBody`."""

    TELL = "tell"
    CORRECT = "correct"
    TRUST = "trust"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(balance)


def balance(
    robot: Annotated[
        str, typer.Argument(metavar="[ROBOT]", help="A bundled name, a path to an MJCF or URDF, or `example:g1`.")
    ] = "links",
    motion: Annotated[
        Motion,
        typer.Option(help="One of its moves; or all: squats and weight shifts, then each foot lifted, then pushes."),
    ] = Motion.ALL,
    duration: Annotated[
        float, typer.Option(help="Of standing, squats and weight shifts, in s; lifts take what the robot's size asks.")
    ] = 10.0,
    plant: Annotated[Plant, typer.Option(help="Our rigid contact, or MuJoCo's soft one.")] = Plant.RIGID,
    mu: Annotated[float, typer.Option(help="Friction coefficient of the ground.")] = 0.7,
    believed_mu: Annotated[
        float | None,
        typer.Option(help="Friction that the controller counts on; by default the ground's.", show_default=False),
    ] = None,
    torque_limit: Annotated[
        float | None,
        typer.Option(help="Of every motor in N m, inf for none; by default the file's.", show_default=False),
    ] = None,
    check: Annotated[
        Check,
        typer.Option(
            help="Each torque is checked against Coulomb's law: tell what the feet will really do, correct the torques "
            "by it, or trust the program and do not ask."
        ),
    ] = Check.TELL,
    plot: Annotated[Path | None, typer.Option(help="Figure to write: .png, .pdf or .svg.", show_default=False)] = None,
    video: Annotated[Path | None, typer.Option(help="Animation to write: .webp.", show_default=False)] = None,
) -> None:
    """Let ROBOT keep its balance by whole-body control, and sum up how well it went. A fall ends with exit code 1.

    Squats go down by 15 % of the height of the centre of mass. Weight shifts take the centre of pressure half of the
    way to the edge of the feet, or use half of the friction that is counted on. A foot is lifted once the centre of
    mass is over the others. Pushes on the base last 0.1 s; the hardest that the robot survives is found by bisection,
    in four directions.

    Try:

        surefoot balance links --plot balance.png --video balance.webp

        surefoot balance example:solo12 --motion push --torque-limit 2.7

        surefoot balance example:g1 --motion lift --plant mujoco

        surefoot balance links --motion shift --mu 0.05 --believed-mu 0.7
    """
    import surefoot as sf
    from surefoot import checks
    from surefoot.cli import poise, rollout
    from surefoot.report.animation import ANIMATION_ENDINGS, animate
    from surefoot.report.balancing import balancing
    from surefoot.report.balancing_plot import plot_balance
    from surefoot.report.health import kernels_ready
    from surefoot.report.picture import writable
    from surefoot.simulate.plot import ENDINGS

    duration = checks.number("duration", duration, above=0.0)
    if plot is not None:
        writable("--plot", plot, ENDINGS)
    if video is not None:
        writable("--video", video, ANIMATION_ENDINGS)
    scene = poise.stand_on(robot, checks.friction("mu", mu))
    options = {
        "mu": believed_mu,
        "torque_limits": scene.torque_limits if torque_limit is None else torque_limit,
        "check": check.value,
    }
    pipeline = sf.whole_body.balancer(scene, poise.moves(scene, motion, duration, believed_mu), poise.DT, **options)
    simulator = sf.MujocoPlant(scene, poise.DT) if plant == Plant.MUJOCO else sf.Simulator(scene, poise.DT)
    screen = console()
    if not kernels_ready():
        screen.print("Compiling the kernels: once, up to a minute.")
    with screen.status("loading the kernels"):
        policy = pipeline.policy()
        simulator.rollout(scene.home(), policy, duration=poise.DT)
    pushed, pushes = {}, ()
    if motion in (Motion.ALL, Motion.PUSH):
        with progress_bar(screen, "pushing") as tell:
            still = sf.whole_body.balancer(scene, poise.moves(scene, Motion.STAND, duration), poise.DT, **options)
            pushed = poise.hardest(simulator, still.policy(), tell)
    if motion == Motion.PUSH:
        pushes, duration = poise.as_push(pushed), poise.PUSHED
    elif motion in (Motion.ALL, Motion.LIFT):
        duration = pipeline.stages[0].moves.duration + poise.REST
    with progress_bar(screen, "simulating") as tell:
        run = rollout.timed(simulator, policy, scene.home(), duration, progress=tell, pushes=pushes)
    with screen.status("running the controller again over the states"):
        found = balancing(run.trace, pipeline)
    heading = f"{scene.name}, {motion}, ground of mu {mu:g}, {_PLANTS[plant]}"
    screen.print(summary(heading, [*summary_rows(found), *push_rows(pushed), *run.rows()]))
    if plot is not None:
        wrote(screen, plot_balance(run.trace, found, plot))
    if video is not None:
        with progress_bar(screen, "drawing") as tell:
            animate(run.trace, video, progress=tell)
        wrote(screen, video, f", {video.stat().st_size / 1e6:.2f} MB")
    if found.fell is not None:
        raise sf.SurefootError(f"{scene.name} fell after {found.fell:.3f} s")
    if not run.trace.ok:
        raise sf.SurefootError(run.trace.message)


_PLANTS = {Plant.RIGID: "rigid contact", Plant.MUJOCO: "MuJoCo's contact"}


def summary_rows(found: Any) -> list[tuple[str, str]]:
    """Names and texts of a `Balancing`, in reading order."""
    from math import degrees

    from surefoot.report.balancing import SLIPPED

    slid = [f"{name} {1e3 * way:.3g} mm" for name, way in found.slips.items() if way > SLIPPED]
    return [
        ("fell", "no" if found.fell is None else f"after {found.fell:.3f} s; the numbers below are of the time before"),
        ("centre of mass off by", f"{1e3 * found.error:.3g} mm rms, {1e3 * found.worst:.3g} mm at most"),
        ("base leans by", f"{degrees(found.lean):.2f} degrees at most"),
        ("torque", f"{found.peak_torque:.3g} N m at most"),
        ("slipped", ", ".join(slid) or "no foot by more than 1 mm"),
        ("the law disagreed", _disagreed(found)),
        ("programs", _programs(found)),
    ]


def _disagreed(found: Any) -> str:
    """How often a contact that the program held was seen to slip or lift, and whether that came before a slip."""
    from surefoot.report.balancing import SLIPPED

    seen = found.disagrees.nonzero()[0]
    if not found.asked:
        return "nobody asked it"
    if not seen.size:
        return "never"
    slipped = max(found.slips.values(), default=0.0) > SLIPPED  # loaded feet creep on soft ground: that is no slip
    return f"in {seen.size} of {found.disagrees.size} steps, at first at {found.seen:.3f} s" + (
        f"; a foot first slipped at {found.first_slip:.3f} s" if slipped else ""
    )


def _programs(found: Any) -> str:
    parts = [(found.solved, "solved"), (found.gave_way, "solved with limits that gave way"), (found.unanswered, "not")]
    return ", ".join(f"{count} {how}" for count, how in parts if count)


def push_rows(pushed: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and texts of the hardest pushes by direction."""
    lines = [
        f"{name} {push.survived:.3g} N s"
        + (" and more" if push.fell == float("inf") else f" ({push.fell:.3g} fells it)")
        for name, push in pushed.items()
    ]
    return [("survives a push", "\n".join(lines))] if lines else []
