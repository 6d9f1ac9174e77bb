"""`surefoot doctor`: is this installation sound?"""

from __future__ import annotations

import typer

from surefoot.cli.console import console

_MARKS = {True: "[green]ok[/]", False: "[bold red]no[/]", None: "[yellow]--[/]"}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(doctor)


def doctor() -> None:
    """Check the installation: versions, struct layout, renderer, kernel cache, extras.

    Ends with code 1 if something must be mended; what is merely missing (an extra, a renderer) is marked `--`.
    """
    from rich.table import Table
    from rich.text import Text

    from surefoot.report.health import examine

    facts = examine()
    table = Table(box=None, show_header=False, pad_edge=False)
    for fact in facts:
        table.add_row(_MARKS[fact.good], Text(fact.name, "bold"), Text(fact.text))
    screen = console()
    screen.print(table)
    broken = [fact.name for fact in facts if fact.good is False]
    if broken:
        screen.print(f"\n[bold red]To mend:[/] {', '.join(broken)}")
        raise typer.Exit(1)
    screen.print("\n[green]Surefoot is ready.[/]")
