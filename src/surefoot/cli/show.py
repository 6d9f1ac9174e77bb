"""`surefoot show`: a picture of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from surefoot.cli.console import Robot, console, wrote


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(show)


def show(
    robot: Robot,
    output: Annotated[Path, typer.Option("--output", "-o", help="Picture to write: .png, .jpg or .webp.")] = Path(
        "picture.png"
    ),
    width: Annotated[int, typer.Option(help="Width in pixels.")] = 640,
    height: Annotated[int, typer.Option(help="Height in pixels.")] = 480,
    azimuth: Annotated[float, typer.Option(help="Direction of sight about the vertical, in degrees.")] = 130.0,
    elevation: Annotated[float, typer.Option(help="Direction of sight above the horizontal, in degrees.")] = -18.0,
) -> None:
    """Draw ROBOT in its home pose and list what loading it repaired, ignored or excluded.

    Try:

        surefoot show links -o links.png

        surefoot show my_robot.urdf -o side.png --azimuth 90 --elevation 0
    """
    import surefoot as sf
    from surefoot.report.picture import PICTURE_ENDINGS, picture, writable

    writable("--output", output, PICTURE_ENDINGS)
    scene = sf.load(robot)
    path = picture(scene, output, width=width, height=height, azimuth=azimuth, elevation=elevation)
    screen = console()
    screen.print(repr(scene), markup=False)
    for note in scene.notes:
        screen.print(f"  {note.kind} {note.what}: {note.detail}", markup=False)
    wrote(screen, path)
