"""The `surefoot` command. One thin file a command; each imports what it needs when it runs, so that help is instant."""

from __future__ import annotations

from typing import Annotated

import typer

from surefoot.cli import balance, doctor, drop, falsify, improve, modes, report, reproduce, robots, show, walk
from surefoot.cli.console import Commands

_HELP = """What contact will do to a robot.

ROBOT is a bundled name (see `surefoot robots`), a path to an MJCF or URDF file, or `example:solo12` for a robot of the
package example-robot-data.

Try:

    surefoot drop links --mu 0.7 --plot drop.png --video drop.webp

    surefoot walk links --plot walk.png --video walk.webp

    surefoot balance links --plot balance.png

    surefoot falsify curb

    surefoot improve reconfigurable-large --auto

    surefoot modes two_link_arm

    surefoot show my_robot.urdf -o my_robot.png

    surefoot report runs/curb

    surefoot reproduce --list

    surefoot doctor
"""

app = typer.Typer(
    name="surefoot",
    cls=Commands,
    help=_HELP,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
robots.register(app)
show.register(app)
drop.register(app)
walk.register(app)
balance.register(app)
falsify.register(app)
improve.register(app)
modes.register(app)
report.register(app)
reproduce.register(app)
doctor.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"surefoot {version('surefoot')}")
        raise typer.Exit


@app.callback()
def _surefoot(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    app()
