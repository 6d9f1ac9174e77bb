"""What all commands share: the console, a progress bar, and errors as one clear line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

Robot = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT", help="A bundled name (`surefoot robots`) or a path to an MJCF or URDF.", show_default=False
    ),
]


class Commands(TyperGroup):
    """Commands whose `SurefootError`s end in one red line and exit code 1, never in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        from surefoot.errors import SurefootError

        try:
            return super().invoke(ctx)
        except SurefootError as error:
            from rich.text import Text

            line = Text.assemble(("error: ", "bold red"), (str(error), "red"))
            console(stderr=True).print(line, soft_wrap=True)
            raise typer.Exit(1) from None


def console(stderr: bool = False) -> Any:
    """A Rich console on the streams as they are now."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


@contextmanager
def progress_bar(screen: Any, what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that goes when the work is done; yields what to call with (done, total)."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def wrote(screen: Any, path: Any, more: str = "") -> None:
    """Say which file was written; a path may hold what Rich would take for markup."""
    from rich.text import Text

    screen.print(Text.assemble(("Wrote", "green"), f" {path}{more}"), soft_wrap=True)


def summary(title: str, rows: list[tuple[str, str]]) -> Any:
    """A Rich table of names and texts."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold", show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, text in rows:
        table.add_row(name, Text(text))
    return table
