"""All contact modes: complete on thousands of small systems, and fast on larger ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tests.modes.random_systems import resting_chain

import surefoot as sf
from benchmarks.contact_modes import LOOKS, Batch, One, programs, search
from benchmarks.harness import Bar, Problem, Setting, TestSet
from benchmarks.summary import Row, row_of

SMALL, SIX, TEN, FEET = "up to 4 contacts", "6 contacts", "10 contacts", "4 feet, 8 sectors"
SYSTEMS, CHUNK = 10_000, 500
QUICK_SYSTEMS, QUICK_CHUNK = 40, 20
LARGE, QUICK_LARGE = 10, 1
FRICTION = (0.3, 0.5, 0.7, 0.9, 1.2)
SEED = 2005
NAME = "Default settings"


def problems(quick: bool) -> Sequence[Problem]:
    """Batches of small systems, then systems of 6 and 10 contacts at rest, then a quadruped."""
    systems, chunk, large = (QUICK_SYSTEMS, QUICK_CHUNK, QUICK_LARGE) if quick else (SYSTEMS, CHUNK, LARGE)
    batches = [Batch(SEED, first, first + chunk) for first in range(0, systems, chunk)]
    cases = [Problem(f"systems-{batch.first}", SMALL, batch, work=chunk) for batch in batches]
    for size, contacts in ((SIX, 6), (TEN, 10)):
        samples = [resting_chain(SEED, index, contacts) for index in range(large)]
        cases += [
            Problem(f"{contacts}-contacts-{index}", size, One(sample, sample.system(), contacts <= 6))
            for index, sample in enumerate(samples)
        ]
    robot = sf.load("links")
    standing = sf.modes.of(robot, robot.home(), edges=8)
    for mu in FRICTION[: 1 if quick else None]:
        system = standing.change(friction=mu)
        cases.append(Problem(f"links-{mu}", FEET, One(system, system, full=False)))
    return cases


def _disagreements(rows: Sequence[Row]) -> float:
    return float(sum(row.counts["disagreements"] for row in rows if row.ours))


def _against_programs(rows: Sequence[Row]) -> float:
    ours, peer = (row_of(rows, NAME, SIX, name) for name in ("surefoot-modes", "scipy-linprog"))
    return float(np.median(np.array(peer.times) / np.array(ours.times)))


def _slowest(size: str):
    def measure(rows: Sequence[Row]) -> float:
        return row_of(rows, NAME, size, "surefoot-modes").worst

    return measure


TEST_SET = TestSet(
    name="modes",
    title="All contact modes of frictional systems",
    about=(
        f"{SMALL}: {SYSTEMS} random planar bodies, chains, arms, balls between walls and matrices, at rest and moving, "
        "with friction from 0 to infinity, motors with and without limits, massless legs, contacts that are there "
        "twice. Every mode is judged by brute force (linear programs in accelerations, forces and torques, one or two "
        "a combination), at any torque and at a random one; each answer's residual is the largest violation of the "
        f"equations of motion and of its mode's conditions, relative to its largest number. {SIX} and {TEN}: chains "
        "of as many links at rest, a motor of 20 N m in every joint, every combination open (4 096 and 1 048 576). "
        f"{FEET}: the quadruped `links` at home, friction {', '.join(map(str, FRICTION))} (104 976 combinations)."
    ),
    unit="system",
    problems=problems,
    settings=[Setting(NAME, tolerance=1e-8)],
    finders=[search, lambda: programs(SIX)],
    references=["scipy-linprog"],
    bars=[
        Bar("modes on which search and brute force disagree", _disagreements, 0.0),
        Bar(f"{SIX}: brute force / ours, median over the systems", _against_programs, 50.0, at_least=True),
        Bar(f"{TEN}: slowest [s]", _slowest(TEN), 60.0),
        Bar(f"{FEET}: slowest [s]", _slowest(FEET), 5.0),
    ],
    limitations=[
        "Modes whose margin lies between 1e-9 and 1e-6 in a domain without an inside are listed apart, not compared.",
        f"{TEN}, {FEET}: brute force would take hours; {LOOKS} combinations are judged, most of them one contact away "
        "from a mode that was found, and as many of the found modes' points.",
        "SciPy's time is mostly that of its Python around HiGHS, 1 to 2 ms a program however small.",
    ],
)
