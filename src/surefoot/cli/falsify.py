"""`surefoot falsify`: how often does a policy fail when the robot is not quite as modelled, and what decides?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from surefoot.cli.console import console, progress_bar, summary, wrote
from surefoot.cli.grazes import tell_grazes
from surefoot.cli.replay import replay_one


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(falsify)


def falsify(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO", help="A bundled name (see --list) or a path to a TOML file.", show_default=False
        ),
    ] = None,
    particles: Annotated[
        int | None,
        typer.Option(
            "--particles",
            "-n",
            help="How many; by default as the file says, of a run to resume as many as it was begun with.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all draws: the same seed gives the same tables, bit for bit.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the run; by default runs/SCENARIO.", show_default=False),
    ] = None,
    policy: Annotated[
        list[str] | None, typer.Option("--policy", "-p", help="Only this policy; may be repeated.", show_default=False)
    ] = None,
    sobol: Annotated[bool, typer.Option("--sobol", help="Draw from Sobol's sequence.")] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", "-j", help="Processes; one a core by default.", show_default=False)
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786.", show_default=False)
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped or killed.")] = False,
    stop_width: Annotated[
        float | None,
        typer.Option(help="Stop early, once every rate is known to within this width.", show_default=False),
    ] = None,
    limit: Annotated[
        float | None, typer.Option(help="Longest time in s that one trace may take.", show_default=False)
    ] = None,
    adaptive: Annotated[
        int | None,
        typer.Option(
            "--adaptive",
            help="Search for rare failures instead, with so many traces a policy (subset simulation).",
            show_default=False,
        ),
    ] = None,
    graze: Annotated[
        bool,
        typer.Option("--graze", help="Afterwards, find where behaviour splits: the parameter and its value, to 1e-6."),
    ] = False,
    replay: Annotated[
        int | None,
        typer.Option("--replay", help="Run this particle again, step by step, and draw it.", show_default=False),
    ] = None,
    mcap: Annotated[
        Path | None,
        typer.Option(
            "--mcap", help="With --replay: write that trace, every step, for a log viewer: .mcap.", show_default=False
        ),
    ] = None,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html into the folder.")] = True,
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="With pictures of particles.")] = True,
    list_: Annotated[bool, typer.Option("--list", help="List the bundled scenarios and stop.")] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Print the scenario's file, to copy and change, and stop.")
    ] = False,
) -> None:
    """Trace many robots that are not quite as modelled under every policy of SCENARIO, and say how often they fail.

    Every policy meets the same particles; number 0 is the robot as modelled. Tables (Parquet) and a report go into the
    folder of the run. Ctrl-C, or a machine that goes down, loses nothing that is finished: --resume goes on.

    Try:

        surefoot falsify --list

        surefoot falsify curb

        surefoot falsify curb --particles 1024 --policy "3 cm" --out runs/curb-1024

        surefoot falsify curb --replay 7 --policy "3 cm" --mcap trace.mcap

        surefoot falsify curb --show > my_scenario.toml
    """
    from surefoot.errors import InputError
    from surefoot.report.health import kernels_ready
    from surefoot.traces import scenario_file

    screen = console()
    if list_:
        screen.print(_listing())
        return
    if scenario is None:
        known = ", ".join(scenario_file.SCENARIOS)
        raise InputError(f"SCENARIO: expected a bundled name or a TOML file, got none. The bundled ones are: {known}")
    if show:
        typer.echo(scenario_file.text(scenario), nl=False)
        return
    if replay is not None and adaptive is not None:
        raise InputError("--replay, --adaptive: expected one of them, got both")
    of_a_run = {
        "--particles": particles, "--cluster": cluster, "--resume": resume, "--stop-width": stop_width,
        "--limit": limit, "--graze": graze,
    }  # fmt: skip
    if replay is not None:
        _refuse("--replay", of_a_run)
    if adaptive is not None:
        _refuse("--adaptive", {**of_a_run, "--out": out, "--sobol": sobol})
        if workers is not None:
            raise InputError("--workers: expected without --adaptive, which traces one by one, in this process")
    if mcap is not None and replay is None:
        raise InputError("--mcap: expected with --replay, which says whose trace to write")
    if not kernels_ready():
        screen.print("Compiling the kernels: once, up to a minute.")
    made, proposed = scenario_file.read(scenario)
    folder = Path("runs") / made.name if out is None else out
    method = "sobol" if sobol else "random"
    if replay is not None:
        replay_one(screen, made, policy, replay, seed, method, out, mcap, pictures)
    elif adaptive is not None:
        _adaptive(screen, made, policy, adaptive, seed)
    else:
        count = particles if particles is not None else _begun(folder) if resume else proposed
        run = _run(
            screen, made, count, seed, folder, method, policy=policy, workers=workers, cluster=cluster, resume=resume,
            stop_width=stop_width, limit=limit,
        )  # fmt: skip
        _tell(screen, run)
        if graze:
            tell_grazes(screen, run)
        if report:
            _report(screen, run, folder / "report.html", pictures)


def _refuse(mode: str, options: dict[str, Any]) -> None:
    """Refuse options that mean nothing in a mode: whoever gives one expects something of it."""
    from surefoot.errors import InputError

    given = [name for name, value in options.items() if value is not None and value is not False]
    if given:
        raise InputError(f"{', '.join(given)}: expected without {mode}, which takes no run of particles")


def _begun(folder: Path) -> int:
    """Number of particles that a run was begun with."""
    from surefoot.traces.run_folder import RunFolder

    return RunFolder.open(folder).header["particles"]


def _run(screen: Any, made: Any, count: int, seed: int, folder: Path, method: str, **options: Any) -> Any:
    """The run, with a bar that tells rate, time left and successes so far."""
    from surefoot.errors import SurefootError
    from surefoot.traces.falsify import falsify
    from surefoot.traces.stop import Stop

    stop = None if options["stop_width"] is None else Stop(width=options["stop_width"])
    with _bar(screen, made.name) as tell:
        try:
            return falsify(
                made, count, seed, folder, method, workers=options["workers"], cluster=options["cluster"],
                resume=options["resume"], stop=stop, limit=options["limit"], progress=tell, policies=options["policy"],
            )  # fmt: skip
        except KeyboardInterrupt as stopped:
            told = str(stopped).replace(f"out={str(folder)!r}, resume=True", f"--out {folder} --resume")
            raise SurefootError(f"stopped: {told or 'no trace is finished'}") from None


def _bar(screen: Any, name: str) -> Any:
    """A progress bar with rate, time left and the successes of every policy so far; yields what to call."""
    from contextlib import contextmanager

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Speed(TextColumn):
        def render(self, task: Any) -> Text:
            return Text(f"{task.speed:.1f} traces/s" if task.speed else "")

    @contextmanager
    def bar() -> Any:
        columns = (
            TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), MofNCompleteColumn(), Speed(""),
            TimeRemainingColumn(), TextColumn("{task.fields[rates]}", markup=False),
        )  # fmt: skip
        with Progress(*columns, console=screen, transient=True) as progress:
            task = progress.add_task(name, total=None, rates="")

            def tell(done: int, total: int, per: dict[str, tuple[int, int]]) -> None:
                rates = "  ".join(f"{policy} {100 * good / n:.0f} %" for policy, (good, n) in per.items() if n)
                progress.update(task, completed=done, total=total, rates=rates)

            yield tell

    return bar()


def _tell(screen: Any, run: Any) -> None:
    """Verdicts and what is behind them."""
    from rich.table import Table
    from rich.text import Text

    from surefoot.traces.findings import comparisons, findings, ways_told

    found = findings(run.folder)
    header = run.folder.header
    table = Table(title=Text(header.get("title") or header["scenario"]), title_justify="left", title_style="bold")
    for column, justify in (
        ("policy", "left"),
        ("verdict", "left"),
        ("success", "right"),
        ("failed by", "left"),
        ("decided by", "left"),
    ):
        table.add_column(column, justify=justify)  # pyright: ignore
    for one in found:
        table.add_row(*(Text(cell) for cell in one.row()))
    screen.print(table)
    verdicts = [one.verdict.because for one in found]
    for line in (*verdicts, *ways_told(found), *comparisons(found), *_without_answer(found)):
        screen.print(Text(f"  {line}"), soft_wrap=True)


def _without_answer(found: Any) -> list[str]:
    """Why traces gave no answer, one line a policy."""
    lines = []
    for one in found:
        lost = (~one.group.answered).nonzero()[0]
        if len(lost):
            first = f"particle {one.group.particle[lost[0]]}: {one.group.message[lost[0]]}"
            lines.append(f"{one.policy}: {len(lost)} of {len(one.group)} traces gave no answer; {first}")
    return lines


def _report(screen: Any, run: Any, target: Path, pictures: bool) -> None:
    from surefoot.report.run_page import write_page

    with screen.status("writing the report"):
        path = write_page(run.folder, target, replay=run.replay if pictures else None)
    wrote(screen, path)
    screen.print(f"Tables in {run.folder.path}: particles, events, telemetry (Parquet)", soft_wrap=True, markup=False)


def _adaptive(screen: Any, made: Any, policy: list[str] | None, traces: int, seed: int) -> None:
    """Search for rare failures."""
    from surefoot.traces.rare_search import rare_failures

    for name in policy or list(made.policies):
        with progress_bar(screen, name) as tell:
            found = rare_failures(made, name, most=traces, seed=seed, progress=tell)
        screen.print(summary(f"{made.name}, {name}: {found.evaluations} traces", found.rows()))


def _listing() -> Any:
    from rich.table import Table
    from rich.text import Text

    from surefoot import checks
    from surefoot.traces.scenario_file import SCENARIOS, find

    table = Table(show_header=False)
    for name in SCENARIOS:
        table.add_row(Text(name, style="bold"), Text(str(checks.toml(find(name)).get("title", ""))))
    return table
