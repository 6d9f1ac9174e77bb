"""Command line: `python -m benchmarks [NAMES] [--quick] [--out DIR]`."""

# ruff: noqa: E402

from __future__ import annotations

import os

# One core for all: threads in a peer's linear algebra would compare machines, not methods. Set before NumPy loads.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import machine, report
from benchmarks.harness import REPEATS, Result, TestSet, measure
from benchmarks.sets import ALL


def main(
    names: Annotated[
        list[str] | None, typer.Argument(help=f"Test sets to run: {', '.join(ALL)}. All if none is named.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few problems only: a look, not a result.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for Markdown and CSV.")] = Path("bench-results"),
    only: Annotated[list[str] | None, typer.Option(help="Run this method only; may be repeated.")] = None,
    show: Annotated[bool, typer.Option("--list", help="Say which test sets there are, and stop.")] = False,
    repeats: Annotated[int, typer.Option(min=1, help="Calls per problem of which the best time is kept.")] = REPEATS,
) -> None:
    """Measure Surefoot beside its peers, in one run, and write one table per test set."""
    unknown = sorted(set(names or ()) - set(ALL))
    if unknown:
        raise typer.BadParameter(
            f"no test set is called {', '.join(unknown)}; the choices are {', '.join(ALL)}", param_hint="NAMES"
        )
    console = Console()
    if show:
        for name, test_set in ALL.items():
            console.print(f"{name:<11}{test_set.title}", highlight=False)
        return
    for name in names or ALL:
        facts = machine.facts()
        if quick:
            facts["quick"] = "yes: a few problems only"
        result = _with_progress(console, ALL[name], quick, repeats, only or [])
        paths = report.write(result, facts, out)
        console.print(Markdown(report.markdown(result, facts)))
        console.print("wrote " + ", ".join(str(path) for path in paths), highlight=False)


def _with_progress(console: Console, test_set: TestSet, quick: bool, repeats: int, only: list[str]) -> Result:
    columns = (
        TextColumn("{task.fields[name]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    # Few refreshes: the bar's own thread shares the cores with what is measured.
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as progress:
        bar = progress.add_task("", total=None, name=test_set.name)

        def advance(what: str) -> None:
            progress.update(bar, advance=1, description=what)
            progress.refresh()

        def start(total: int) -> None:
            progress.update(bar, total=total)

        return measure(test_set, quick=quick, repeats=repeats, only=only, on_progress=advance, on_start=start)


if __name__ == "__main__":
    typer.run(main)
