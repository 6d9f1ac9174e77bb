"""`surefoot drop`: let a robot fall on its feet and say what the ground did to it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from surefoot.cli.console import Robot, console, progress_bar, summary, wrote


class Law(StrEnum):
    """Contact laws by the names used on the command line."""

    COULOMB = "coulomb"
    NO_SLIP = "no-slip"
    DISSIPATIVE = "dissipative"
    SOFT = "soft"
    COMPLIANT = "compliant"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(drop)


def drop(
    robot: Robot,
    law: Annotated[Law, typer.Option(help="Contact law.")] = Law.COULOMB,
    mu: Annotated[float, typer.Option(help="Friction coefficient, for all laws but no-slip; inf is allowed.")] = 0.7,
    stiffness: Annotated[
        float | None, typer.Option(help="Of each contact in N/m; the compliant law needs it.", show_default=False)
    ] = None,
    damping: Annotated[
        float | None, typer.Option(help="Of each contact in N s/m, for the compliant law.", show_default=False)
    ] = None,
    height: Annotated[float, typer.Option(help="Height of the fall, in m.")] = 0.1,
    tilt: Annotated[float, typer.Option(help="Roll of the base when let go, in degrees.")] = 0.0,
    duration: Annotated[float, typer.Option(help="How long to simulate, in s.")] = 2.0,
    dt: Annotated[float, typer.Option(help="Time step, in s.")] = 1e-3,
    plot: Annotated[Path | None, typer.Option(help="Figure to write: .png, .pdf or .svg.", show_default=False)] = None,
    video: Annotated[Path | None, typer.Option(help="Animation to write: .webp.", show_default=False)] = None,
    speed: Annotated[float, typer.Option(help="Speed of the animation; 1 is real time.")] = 0.5,
) -> None:
    """Drop ROBOT from a height while its joints hold their home posture, and sum up what the ground did.

    Try:

        surefoot drop links --height 0.2 --tilt 10 --video drop.webp

        surefoot drop links --law no-slip --plot drop.png

        surefoot drop links --law compliant --stiffness 20000 --damping 200

        surefoot drop my_robot.urdf --mu 0.2 --duration 5
    """
    import surefoot as sf
    from surefoot import checks
    from surefoot.cli.fall import let_go, make_ready
    from surefoot.cli.rollout import timed
    from surefoot.report.animation import ANIMATION_ENDINGS, animate
    from surefoot.report.health import kernels_ready
    from surefoot.report.landing import landing
    from surefoot.report.picture import writable
    from surefoot.simulate.plot import ENDINGS

    duration = checks.number("duration", duration, above=0.0)
    speed = checks.number("speed", speed, above=0.0)
    if plot is not None:
        writable("--plot", plot, ENDINGS)
    if video is not None:
        writable("--video", video, ANIMATION_ENDINGS)
    chosen = contact_law(law, mu, stiffness, damping)
    scene = sf.load(robot)
    start = let_go(scene, height, tilt)
    screen = console()
    if not kernels_ready():
        screen.print("Compiling the kernels: once, up to a minute.")
    with screen.status("loading the kernels"):
        simulator, policy = make_ready(scene, start, chosen, dt)
    with progress_bar(screen, "simulating") as tell:
        result = timed(simulator, policy, start, duration, progress=tell)
    trace = result.trace
    friction = "" if law is Law.NO_SLIP else f", mu {mu:g}"
    screen.print(summary(f"{scene.name}, {law}{friction}", summary_rows(landing(trace), result)))
    if plot is not None:
        wrote(screen, trace.plot(plot))
    if video is not None:
        with progress_bar(screen, "drawing") as tell:
            animate(trace, video, speed=speed, progress=tell)
        wrote(screen, video, f", {video.stat().st_size / 1e6:.2f} MB")
    if not trace.ok:
        raise sf.SurefootError(trace.message)


def contact_law(law: Law, mu: float, stiffness: float | None, damping: float | None) -> Any:
    """The law that the options describe."""
    import surefoot as sf

    if law is Law.COMPLIANT:
        if stiffness is None:
            raise sf.InputError("--stiffness: the compliant law needs one, in N/m; for instance --stiffness 20000")
        return sf.Compliant(stiffness, 0.0 if damping is None else damping, mu=mu)
    for name, value in (("--stiffness", stiffness), ("--damping", damping)):
        if value is not None:
            raise sf.InputError(f"{name}: belongs to --law compliant, and the law is {law}")
    if law is Law.NO_SLIP:
        return sf.NoSlip()
    return {Law.COULOMB: sf.Coulomb, Law.DISSIPATIVE: sf.Dissipative, Law.SOFT: sf.Soft}[law](mu=mu)


def summary_rows(found: Any, result: Any) -> list[tuple[str, str]]:
    """Names and texts of the summary, in reading order."""
    never = "not within this run; try a longer --duration"
    lost = found.energy_start - found.energy_end
    return [
        ("touch-down", "never" if found.touch_time is None else f"{found.touch_time:.3f} s"),
        (
            "peak force",
            f"{found.peak_force:.5g} N = {found.peak_force / found.weight:.1f} x weight, at {found.peak_time:.3f} s",
        ),
        ("at rest after", never if found.rest_time is None else f"{found.rest_time:.3f} s"),
        ("drift at the end", f"{1e6 * found.drift:.3g} um in the last {found.drift_window:.3g} s"),
        ("slip", f"{1e3 * found.slip:.3g} mm by the foot that slid furthest"),
        ("deepest penetration", f"{1e6 * found.penetration:.3g} um"),
        ("peak torque", f"{found.peak_torque:.3g} N m"),
        ("energy", f"{found.energy_start:.4g} J at the start, {lost:.4g} J lost, {found.energy_end:.2g} J left moving"),
        *result.rows(),
    ]
