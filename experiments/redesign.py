"""The studies of [Zapolsky2017], chapter 6: robots that are changed until they can trot, and how they do it then."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import surefoot as sf
from surefoot.design import Improvement, improve, read_script
from surefoot.design.proving import prove_both
from surefoot.design.studies import bundled

HERE = Path(__file__).parent
SCRIPT = HERE / "printed_supervised.txt"
Tell = Callable[[int, int], None]


@cache
def automatic(name: str, quick: bool, tell: Tell | None = None, first: int = 0, total: int = 1) -> Improvement:
    """A study without anybody's help; `quick`: its first updates only."""
    study = bundled()[name]
    return improve(
        study.problem(),
        study.difficulties(),
        margin=study.margin,
        updates=3 if quick else 100,
        progress=_told(tell, first, total, len(study.difficulties())),
    )


@cache
def supervised(quick: bool, tell: Tell | None = None, first: int = 0, total: int = 1) -> Improvement:
    """The printed robot, with a designer's recorded answers."""
    study = bundled()["printed"]
    problem = study.problem()
    return improve(
        problem,
        study.difficulties(),
        ask=read_script(SCRIPT, problem.morphology.names),
        margin=study.margin,
        updates=3 if quick else 100,
        progress=_told(tell, first, total, len(study.difficulties())),
    )


def proofs(found: Improvement) -> tuple[str, str]:
    """What both robots do in the simulator."""
    both: Any = prove_both(found)
    return str(both[0]), str(both[1])


def highest(problem: sf.design.Problem, p: Any, step: float = 0.005, most: float = 0.5) -> float:
    """The largest speed in m/s, in steps, up to which all limits hold; 0 if they do at none."""
    speed = 0.0
    while speed + step <= most and problem.look(p, round(speed + step, 6)).worst >= 0.0:
        speed = round(speed + step, 6)
    return speed


def _told(tell: Tell | None, first: int, total: int, levels: int) -> Any:
    """Progress by difficulties done, as a share of several studies."""
    done: set[float] = set()

    def told(step: Any) -> None:
        done.add(step.difficulty)
        if tell is not None:
            tell(100 * first + 100 * (len(done) - 1) // levels, 100 * total)

    return told
