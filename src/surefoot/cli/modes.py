"""`surefoot modes`: every contact mode of a system, and every solution at a torque."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from surefoot.cli.console import console, wrote

MOST = 40  # modes in the table without --all


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(modes)


def modes(
    system: Annotated[
        str | None,
        typer.Argument(metavar="SYSTEM", help="A TOML file or the name of an example; see --list.", show_default=False),
    ] = None,
    torque: Annotated[
        str | None,
        typer.Option(
            help="Torques at which to list all solutions, in order (1,-2) or by name (elbow=-2); 0 by default.",
            show_default=False,
        ),
    ] = None,
    friction: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="Lowest and highest coefficient, if friction only is known to be between.", metavar="LOW HIGH"
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Figure of the torques to write: .png, .pdf or .svg.", show_default=False)
    ] = None,
    axes: Annotated[
        str | None, typer.Option(help="The one or two torques in the figure, by name; the others are as in --torque.")
    ] = None,
    all: Annotated[bool, typer.Option("--all", help=f"List all modes, not the first {MOST} only.")] = False,
    list: Annotated[bool, typer.Option("--list", help="List the bundled examples and stop.")] = False,
) -> None:
    """List every contact mode that SYSTEM can be in, what it leaves open, which torques allow it, and every solution.

    A mode says what each contact does: F stays fixed, S separates, L and R slide to the left and right.

    Try:

        surefoot modes --list

        surefoot modes two_link_arm --torque elbow=-1

        surefoot modes rod_in_corner --torque 12,11 --plot corner.png

        surefoot modes painleve_rod --plot rod.png

        surefoot modes two_link_arm --friction 0.7 0.9

        surefoot modes my_system.toml
    """
    from rich.text import Text

    import surefoot as sf
    from surefoot import checks
    from surefoot.cli import mode_tables
    from surefoot.modes.plot import ENDINGS
    from surefoot.modes.system_file import EXAMPLES, about
    from surefoot.report.health import kernels_ready
    from surefoot.report.picture import writable

    screen = console()
    if list:
        screen.print(mode_tables.listing({name: about(name) for name in EXAMPLES}))
        return
    if system is None:
        raise sf.InputError(f"SYSTEM: expected a file or an example, got none. The choices are: {', '.join(EXAMPLES)}")
    if plot is not None:
        writable("--plot", plot, ENDINGS)
    read = sf.modes.load(system)
    at = torques(torque, read.torque_names)
    drawn = {} if axes is None else {"axes": tuple(name.strip() for name in axes.split(","))}
    checks.indices("--axes", drawn.get("axes", ()), short(read.torque_names), "torque")
    if friction is not None:
        low, high = (checks.number("--friction", value, at_least=0) for value in friction)
        if low > high:
            raise sf.InputError(f"--friction: expected LOW of at most HIGH, got {low:g} and {high:g}")
    if plot is not None and not read.torques:
        raise sf.InputError("--plot: expected a system with torques to draw, got one without")
    if not kernels_ready():
        screen.print("Compiling the kernels: once, up to a minute.")
    screen.print(Text(about(system) or system, style="bold"), soft_wrap=True)
    response = read.response(progress=screen.is_terminal)
    screen.print(Text(mode_tables.counts(response)), soft_wrap=True)
    screen.print(mode_tables.modes(response, len(response.modes) if all else MOST))
    if len(response.modes) > MOST and not all:
        screen.print(f"{len(response.modes) - MOST} more with --all")
    for one in response.painleve:
        screen.print(Text(one.text, style="yellow"), soft_wrap=True)
    found = response.solutions(at)
    screen.print(Text(mode_tables.heading(read, found), style="bold"), soft_wrap=True)
    if len(found):
        screen.print(mode_tables.solutions(read, found))
    if friction is not None:
        screen.print(mode_tables.robust(read, *friction, len(response.modes) if all else MOST))
    if plot is not None:
        response.plot(plot, at=at, **drawn)
        wrote(screen, plot)


def short(names: tuple[str, ...]) -> Any:
    """Names of torques without the units at their end."""
    return [name.split(" [")[0] for name in names]


def torques(text: str | None, names: tuple[str, ...]) -> Any:
    """(t,) torques from "1,-2" in order or "elbow=-2" by name, those left out 0; all 0 for None.

    Args:
        text: of the option.
        names: of the torques; a unit in brackets at their end may be left out.
    """
    import numpy as np

    from surefoot import checks
    from surefoot.errors import InputError

    values = np.zeros(len(names))
    if text is None:
        return values
    known = short(names)
    parts = [part.strip() for part in text.split(",")]
    named = [part.partition("=") for part in parts]
    if not any(equals for _, equals, _ in named):
        if len(parts) != len(names):
            what = f"{len(names)} ({', '.join(known)})" if names else "none: the system has no torques"
            raise InputError(f"--torque: expected {what}, got {len(parts)}")
        named = [(name, "=", part) for name, part in zip(known, parts, strict=True)]
    places = checks.indices("--torque", [name.strip() for name, _, _ in named], known, "torque")
    for i, (name, _, value) in zip(places, named, strict=True):
        if places.count(i) > 1:
            raise InputError(f"--torque: expected every torque once, got {name.strip()!r} twice")
        try:
            values[i] = checks.number(f"--torque {name.strip()}", float(value))
        except ValueError:
            raise InputError(f"--torque {name.strip()}: expected a finite number, got {value!r}") from None
    return values
