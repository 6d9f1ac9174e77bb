"""`surefoot walk`: let a robot walk and say how well it did."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from surefoot.cli.console import console, progress_bar, summary, wrote


class GaitName(StrEnum):
    """Gaits by the names used on the command line."""

    TROT = "trot"
    WALK = "walk"
    PACE = "pace"
    BOUND = "bound"


class Belief(StrEnum):
    """Contact laws that the controller may believe in."""

    COULOMB = "coulomb"
    NO_SLIP = "no-slip"
    DISSIPATIVE = "dissipative"
    COMPLIANT = "compliant"


class Ground(StrEnum):
    """Grounds by the names used on the command line."""

    PLANE = "plane"
    ROUGH = "rough"
    SOFT = "soft"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(walk)


def _own(text: str) -> Any:
    """An option without a default: the walk's own number holds."""
    return typer.Option(help=text, show_default=False)


def walk(
    robot: Annotated[
        str,
        typer.Argument(
            metavar="[ROBOT]", help="A bundled name, a path to an MJCF or URDF, or a TOML that describes a walk."
        ),
    ] = "links",
    gait: Annotated[GaitName | None, _own("Gait; trot by default.")] = None,
    speed: Annotated[float | None, _own("Forward, in m/s; 0.2 by default.")] = None,
    left: Annotated[float | None, _own("To the left, in m/s.")] = None,
    turn: Annotated[float | None, _own("Turning to the left, in rad/s.")] = None,
    waypoints: Annotated[
        bool, typer.Option("--waypoints", help="Go round the five waypoints of Zapolsky and Drumwright 2015.")
    ] = False,
    ramp: Annotated[float | None, _own("Time in s in which the command grows; 0.5 by default.")] = None,
    period: Annotated[float | None, _own("Of the gait, in s; 0.3 by default.")] = None,
    duty: Annotated[float | None, _own("Share of the period that a foot stands; 0.75 by default.")] = None,
    step_height: Annotated[float | None, _own("How far a foot is lifted, in m; 0.015 by default.")] = None,
    torque_limit: Annotated[
        float | None, _own("Of every motor in N m, inf for none; by default the file's, at most what carries a trot.")
    ] = None,
    law: Annotated[Belief | None, _own("Contact law that the controller believes in; by default the ground's.")] = None,
    terrain: Annotated[Ground, typer.Option(help="A plane; hills of 3 cm; or ground that gives way 1 mm.")] = (
        Ground.PLANE
    ),
    mu: Annotated[
        float | None, _own("Friction coefficient, inf is allowed; 0.7 by default, on rough ground 0.1 to 1.5.")
    ] = None,
    duration: Annotated[float, typer.Option(help="How long to simulate, in s.")] = 10.0,
    dt: Annotated[float, typer.Option(help="Time step of plant and controller, in s.")] = 1e-3,
    plot: Annotated[Path | None, typer.Option(help="Figure to write: .png, .pdf or .svg.", show_default=False)] = None,
    video: Annotated[Path | None, typer.Option(help="Animation to write: .webp.", show_default=False)] = None,
) -> None:
    """Let ROBOT walk with a gait and inverse dynamics, and sum up how well it went. A fall ends with exit code 1.

    Try:

        surefoot walk links --plot walk.png --video walk.webp

        surefoot walk links --gait pace --speed 0.1 --mu 0.1

        surefoot walk links --terrain rough --turn 0.2

        surefoot walk links --waypoints --duration 30

        surefoot walk links --terrain soft --law coulomb

        surefoot walk my_walk.toml --duration 30
    """
    import surefoot as sf
    from surefoot import checks
    from surefoot.cli import outing, rollout
    from surefoot.report.animation import ANIMATION_ENDINGS, animate
    from surefoot.report.health import kernels_ready
    from surefoot.report.picture import writable
    from surefoot.report.walking import walking
    from surefoot.report.walking_plot import plot_walk
    from surefoot.simulate.plot import ENDINGS

    duration = checks.number("duration", duration, above=0.0)
    if plot is not None:
        writable("--plot", plot, ENDINGS)
    if video is not None:
        writable("--video", video, ANIMATION_ENDINGS)
    chosen = sf.control.Walk.from_toml(robot) if robot.endswith(".toml") else sf.control.Walk(robot)
    steps = {"period": period, "duty": duty, "step_height": step_height}
    moves = {"forward": speed, "left": left, "turn": turn, "ramp": ramp, "torque_limits": torque_limit, "mu": mu}
    path = {"waypoints": outing.WAYPOINTS if waypoints else None}
    chosen = changed(chosen, None if gait is None else gait.value, steps, moves | path)
    scene = chosen.stand_on(outing.terrain(terrain, chosen.mu, outing.farthest(chosen, duration)))
    plant = outing.plant_law(terrain, scene)
    believed = outing.believed_law(law, plant)
    pipeline = chosen.pipeline(scene, dt, believed)
    simulator = sf.Simulator(scene, dt=dt, law=plant)
    screen = console()
    if not kernels_ready():
        screen.print("Compiling the kernels: once, up to a minute.")
    with screen.status("loading the kernels"):
        policy = pipeline.policy()
        simulator.rollout(scene.home(), policy, duration=dt)
    with progress_bar(screen, "simulating") as tell:
        run = rollout.timed(simulator, policy, scene.home(), duration, progress=tell)
    with screen.status("running the controller again over the states"):
        found = walking(run.trace, pipeline)
    heading = f"{scene.name}, {terrain}{_friction(chosen, terrain)}, the controller believes in {law or plant.name}"
    screen.print(summary(heading, [*summary_rows(found), *run.rows()]))
    if plot is not None:
        wrote(screen, plot_walk(run.trace, found, plot))
    if video is not None:
        with progress_bar(screen, "drawing") as tell:
            animate(run.trace, video, progress=tell)
        wrote(screen, video, f", {video.stat().st_size / 1e6:.2f} MB")
    if found.fell is not None:
        raise sf.SurefootError(f"{scene.name} fell after {found.fell:.3f} s")
    if not run.trace.ok:
        raise sf.SurefootError(run.trace.message)


def changed(walk: Any, gait: str | None, steps: dict[str, Any], moves: dict[str, Any]) -> Any:
    """A `Walk` with what the options say in place of its own; None: nothing.

    Args:
        walk: of a file, or the default.
        gait: name of another gait; it keeps the numbers of the old one.
        steps: other numbers of the gait.
        moves: other fields of the walk.
    """
    from dataclasses import replace

    from surefoot.gait import GAITS

    touchdown = {} if gait is None else {"touchdown": GAITS[gait]}
    numbers = {name: value for name, value in steps.items() if value is not None}
    others = {name: value for name, value in moves.items() if value is not None}
    return replace(walk, gait=replace(walk.gait, **touchdown, **numbers), **others)


def summary_rows(found: Any) -> list[tuple[str, str]]:
    """Names and texts of a `Walking`, in reading order."""
    from math import degrees

    low, high = found.height
    ahead, aside, turned = found.end
    units = (("forward", "m/s"), ("left", "m/s"), ("turning", "rad/s"))
    speeds = [
        f"{is_:.3f} {unit} {what} of {wanted:.3f} commanded"
        for (what, unit), is_, wanted in zip(units, found.velocity, found.command, strict=True)
        if wanted != 0.0
    ]
    unanswered = [("no answer", f"of inverse dynamics in {found.unanswered} steps: it gave its last torques")]
    return [
        ("fell", "no" if found.fell is None else f"after {found.fell:.3f} s; the numbers below are of the time before"),
        ("way", f"{found.distance:.3f} m in {found.seconds:.4g} s"),
        ("ends", f"{ahead:.3f} m ahead, {aside:.3f} m to the left, turned by {degrees(turned):.1f} degrees"),
        ("mean speed", "\n".join(speeds) or "nothing commanded"),
        ("joints off by", f"{1e3 * found.position_error:.3g} mrad, {found.velocity_error:.3g} rad/s in the mean"),
        ("base", f"{1e3 * low:.1f} to {1e3 * high:.1f} mm high, leans by {degrees(found.lean):.2f} degrees at most"),
        ("torque", f"{found.torque:.3g} N m in the mean, {found.peak_torque:.3g} N m at most"),
        ("torque changes by", f"{found.chatter:.3g} N m a step in the mean"),
        ("force predicted", f"to {found.force_error:.3g} N = {100 * found.force_share:.3g} % in the mean"),
        *(unanswered if found.unanswered else ()),
    ]


def _friction(walk: Any, terrain: Ground) -> str:
    """What the heading says of friction."""
    from surefoot.cli.outing import MU, ROUGH_MU

    if walk.mu is None and terrain is Ground.ROUGH:
        return f" of mu {ROUGH_MU[0]:g} to {ROUGH_MU[1]:g}"
    return f" of mu {MU if walk.mu is None else walk.mu:g}"
