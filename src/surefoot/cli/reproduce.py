"""`surefoot reproduce`: repeat an experiment of a paper and print our numbers beside its own.

Experiments are files of their own, `experiments/seed_002_figure_2.py` for `002-figure-2`. They stand at the top of a
clone and are installed beside the package as `surefoot_experiments`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from surefoot.cli.console import console, progress_bar, wrote


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(reproduce)


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which experiment; see --list.", show_default=False)
    ] = None,
    list: Annotated[bool, typer.Option("--list", help="List the experiments and stop.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the figure; made if it is missing.")
    ] = Path(),
    quick: Annotated[bool, typer.Option("--quick", help="Few steps only: a look, not a result.")] = False,
) -> None:
    """Repeat an experiment of a paper: prints our numbers beside the paper's and draws the figure.

    Try:

        surefoot reproduce --list

        surefoot reproduce 002-figure-2 -o figures
    """
    from rich.text import Text

    from surefoot.errors import InputError
    from surefoot.report.health import kernels_ready

    screen = console()
    known = experiments()
    if list:
        screen.print(_listing(known))
        return
    if name is None:
        raise InputError(f"NAME: expected an experiment, got none. {_choices(known)}")
    if name not in known:
        raise InputError(f"NAME: no experiment is called {name!r}. {_choices(known)}")
    folder = _folder(output)
    if not kernels_ready():
        screen.print("Compiling the kernels: once, up to a minute.")
    experiment = load(known[name])
    with progress_bar(screen, name) as tell:
        found = experiment.reproduce(folder, quick=quick, progress=tell)
    screen.print(_table(f"{name}: {title(known[name])}", found.rows))
    for note in found.notes:
        screen.print(Text(note), soft_wrap=True)
    wrote(screen, found.figure)


def experiments() -> dict[str, Path]:
    """Files of all experiments by name, in order."""
    from surefoot.errors import InputError

    here = Path(__file__).parents[1]
    for folder in (here.parents[1] / "experiments", here.parent / "surefoot_experiments"):
        files = sorted(folder.glob("seed_*.py"))
        if files:
            return {file.stem.removeprefix("seed_").replace("_", "-"): file for file in files}
    raise InputError(
        "experiments: they are neither at the top of a clone nor installed beside the package; "
        "install surefoot from a clone with `python -m pip install .`"
    )


def title(file: Path) -> str:
    """First line of an experiment's text, read without running it."""
    import ast

    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n")[0]


def load(file: Path) -> Any:
    """An experiment as a module; what several of them share they import from `surefoot_experiments`."""
    import importlib.util
    import sys
    from types import ModuleType

    package = ModuleType("surefoot_experiments")
    package.__path__ = [str(file.parent)]
    sys.modules[package.__name__] = package
    name = f"{package.__name__}.{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _folder(path: Path) -> Path:
    """The folder, made if need be."""
    from surefoot.errors import InputError

    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--output: {str(path)!r} cannot be used as a folder: {error.strerror}") from None
    return path


def _choices(known: dict[str, Path]) -> str:
    return f"The choices are: {', '.join(known)}"


def _listing(known: dict[str, Path]) -> Any:
    rows = tuple({"name": name, "what": title(file)} for name, file in known.items())
    return _table("", rows)


def _table(heading: str, rows: tuple[dict[str, str], ...]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(heading), title_justify="left", title_style="bold")
    columns = tuple(rows[0]) if rows else ()
    for k, column in enumerate(columns):
        table.add_column(Text(column), justify="left" if k == 0 or len(columns) == 2 else "right")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row.values()))
    return table
