"""`surefoot improve`: which limit keeps a robot from its task, and what to change in its shape."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from surefoot.cli.console import console, progress_bar, wrote
from surefoot.cli.designer import Designer, story


class Scope(StrEnum):
    """What an update looks at."""

    ALL = "all"
    FIRST = "first"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(improve)


def improve(
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="ROBOT",
            help="A bundled study (see --list), a bundled quadruped, or a TOML file with a robot of your own.",
            show_default=False,
        ),
    ] = None,
    task: Annotated[str, typer.Option(help="Gait of a bundled quadruped: trot, walk, pace or bound.")] = "trot",
    speed: Annotated[
        float | None, typer.Option(help="Speed in m/s that it shall reach; as the study says.", show_default=False)
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="Accept every suggestion.")] = False,
    script: Annotated[
        Path | None, typer.Option(help="Answers to the suggestions, one a line.", show_default=False)
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="That every limit shall keep at the last speed; inf: all there is.", show_default=False),
    ] = None,
    updates: Annotated[int, typer.Option(help="How many at most.")] = 100,
    scope: Annotated[
        Scope, typer.Option(help="Look at all violations of the course, or as the dissertation at the first.")
    ] = Scope.ALL,
    width: Annotated[int, typer.Option(help="Samples (ms) that are simulated at a time; 1: none.")] = 1,
    law: Annotated[str, typer.Option(help="Contact law of inverse dynamics.")] = "dissipative",
    robust: Annotated[
        int, typer.Option(help="Judge a design by so many robots as built, of which 5 % may do worse; 0: as drawn.")
    ] = 0,
    falsify: Annotated[
        int | None,
        typer.Option(
            help="Before and after: how many of so many robots as built keep their limits? With --robust 256.",
            show_default=False,
        ),
    ] = None,
    prove: Annotated[bool, typer.Option(help="Let both robots trot in the simulator, PD on their motors.")] = True,
    workers: Annotated[int, typer.Option("--workers", "-j", help="Processes for finite differences.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder; by default designs/ROBOT.", show_default=False)
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped or killed.")] = False,
    list: Annotated[bool, typer.Option("--list", help="List the bundled studies and stop.")] = False,
) -> None:
    """Change a robot's shape, step by step, until it can do its task within its limits.

    After every violation it shows which limit, where in the gait, and the least change that would mend it, and asks:
    accept, scale 0.5, zero NAME, symmetrise NAME, motor JOINTS NAME, undo or quit. Writes robot.xml, robot.urdf, a log
    of all steps, the answers as a script, and report.html.

    Try:

        surefoot improve reconfigurable-large --auto

        surefoot improve links --task trot --speed 0.5
    """
    from surefoot import checks, design
    from surefoot.design.studies import bundled
    from surefoot.errors import InputError
    from surefoot.report.health import kernels_ready

    screen = console()
    if list:
        for one in bundled().values():
            screen.print(f"{one.name:22} {one.speed:g} m/s: {one.note}", markup=False, soft_wrap=True)
        return
    if study is None:
        raise InputError("ROBOT: expected a study, a bundled quadruped or a TOML file, got none. See --list")
    if auto and script is not None:
        raise InputError("auto, script: expected one of them, got both")
    builds = checks.whole("falsify", (256 if robust else 0) if falsify is None else falsify)
    chosen = _study(study, task, speed)
    problem = chosen.problem(law=law, width=width)
    if robust:
        problem = chosen.problem(law=law, width=width, crowd=_crowd(robust, problem.morphology.parts.names))
    names = problem.morphology.names
    folder = Path("designs") / chosen.name if out is None else out
    if not kernels_ready():
        screen.print("Compiling the kernels: once, up to a minute.")
    asked = None
    if script is not None:
        asked = design.read_script(script, names)
    elif not auto:
        asked = Designer(screen, names)
    found = design.improve(
        problem, chosen.difficulties(speed), ask=asked, scope=scope.value,
        margin=chosen.margin if margin is None else margin, updates=updates,
        workers=workers, out=folder, resume=resume, choices=dict(chosen.choices),
        progress=lambda step: screen.print(story(step), soft_wrap=True),
    )  # fmt: skip
    screen.print(found.table(), markup=False, soft_wrap=True)
    _write(screen, found, folder, asked is not None, prove, builds)


def _study(name: str, task: str, speed: float | None) -> Any:
    from surefoot.design.studies import study
    from surefoot.design.study_file import read_study

    return read_study(name) if name.endswith(".toml") else study(name, gait=task, speed=speed)


def _crowd(robust: int, known: Any) -> Any:
    from surefoot import design
    from surefoot.design.as_built import shapes
    from surefoot.errors import InputError

    if robust < 2:
        raise InputError(f"robust: expected 0 or at least 2 robots, got {robust}")
    return design.Crowd(shapes(known), robust)


def _write(screen: Any, found: Any, folder: Path, led: bool, prove: bool, falsify: int) -> None:
    """Robot files, proofs, runs, page; the answers as a script, if somebody `led` the way."""
    from surefoot.design.as_built import before_and_after
    from surefoot.design.history import answers_of
    from surefoot.design.proving import prove_both
    from surefoot.design.robot_files import write_robots
    from surefoot.report.improvement_page import improvement_page

    written = ["robot.xml", "robot.urdf", "steps.jsonl", "report.html"]
    if led:
        text = "".join(f"{line}\n" for line in answers_of(found.steps))
        (folder / "answers.txt").write_text(text, encoding="utf-8")
        written.append("answers.txt")
    write_robots(found, folder)
    proofs, runs = None, None
    if prove:
        proofs = prove_both(found)
        for proof in proofs or ():
            screen.print(str(proof), markup=False, soft_wrap=True)
    if falsify:
        with progress_bar(screen, "falsifying") as tell:
            runs = before_and_after(found, falsify, folder, lambda done, wanted, rates: tell(done, wanted))
        for name, run in zip(("before", "after"), runs, strict=True):
            screen.print(f"as built, {name}: {run.rates()['rehearsal']}", markup=False, soft_wrap=True)
    improvement_page(found, folder / "report.html", proofs=proofs, runs=runs)
    for name in written:
        wrote(screen, folder / name)
