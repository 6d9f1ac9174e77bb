"""`surefoot robots`: what can be loaded by name."""

from __future__ import annotations

import typer

from surefoot.cli.console import console

SOURCES = {
    "links": "Pacer 2015",
    "links-light": "Pacer 2016",
    "links-feet": "Pacer 2016",
    "arm": "Pacer",
    "ur10": "Moby",
}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(robots)


def robots() -> None:
    """List the bundled robots.

    Any other robot is loaded by the path to its MJCF or URDF file.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from surefoot.robots.families import FAMILIES, build

    table = Table(title="bundled robots", title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("name", style="bold cyan", no_wrap=True)
    for column in ("dof", "actuated", "mass, kg", "feet"):
        table.add_column(column, justify="right")
    table.add_column("base")
    table.add_column("source")
    for name in FAMILIES:
        scene = build(name)
        base = "bolted" if scene.base is None else "floating"
        numbers = (str(scene.nv), str(len(scene.joints)), f"{scene.mass:.2f}", str(len(scene.feet)))
        table.add_row(name, *numbers, base, SOURCES.get(name, ""))
    screen = console()
    screen.print(table)
    screen.print("Look at one: surefoot show links -o links.png")
