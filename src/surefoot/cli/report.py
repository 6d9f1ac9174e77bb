"""`surefoot report`: one HTML page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from surefoot.cli.console import console, wrote


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(report)


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Page to write: .html; report.html in RUN by default.", show_default=False),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="CSV of a real robot to lay over the traces: t in s, and any of x, y, z (m), roll, pitch, yaw (rad), "
            "q0, q1 ... (coordinates as in the telemetry).",
            show_default=False,
        ),
    ] = None,
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="Run typical and worst particles again and draw them.")
    ] = True,
) -> None:
    """Write one HTML page of the traces in RUN, which any browser opens without a network.

    The verdict on every policy comes first: robust, brittle, fails or unpredictable, with the rate of success and its
    interval. Then pictures, the parameters that decide, where good and bad traces part, policies against each other,
    traces coloured by outcome, time to failure, margins, and particles worth running again. A run that is not finished
    has a page too.

    Try:

        surefoot report runs/curb

        surefoot report runs/curb -o curb.html --log walk_of_tuesday.csv

        surefoot report runs/curb --no-pictures
    """
    from surefoot.report.picture import writable
    from surefoot.report.run_page import PAGE_ENDINGS, write_page
    from surefoot.traces.overlay import read_log
    from surefoot.traces.run_folder import RunFolder

    folder = RunFolder.open(run)
    target = writable("--output", run / "report.html" if output is None else output, PAGE_ENDINGS)
    screen = console()
    replay = replay_of(folder) if pictures else None
    if pictures and replay is None:
        screen.print("No pictures: the scenario of this run is not at hand.")
    with screen.status("writing the page"):
        path = write_page(folder, target, log=log, replay=replay)
    wrote(screen, path, f", {path.stat().st_size / 1e6:.2f} MB")
    ignored = () if log is None else read_log(log).ignored
    if ignored:
        screen.print(f"Columns of the log that no trace has: {', '.join(ignored)}", soft_wrap=True, markup=False)


def replay_of(folder: Any) -> Any:
    """How to run a particle of this run again, (policy, particle) -> `Trace`; None if its scenario is not at hand."""
    from surefoot.errors import SurefootError
    from surefoot.traces.run import Run
    from surefoot.traces.scenario_file import of_run

    try:
        scenario = of_run(folder)
    except SurefootError:
        return None
    return None if scenario is None else Run(folder, scenario).replay
