"""[Zapolsky2017], figure 11: where a ball is after an arm has tried to pick it up, in two ways.

Every particle is an arm that is not quite as modelled; both policies meet the same ones. Who goes straight to the ball,
from above, holds it more often than who comes from its side. The scenario is the bundled `picking`.

    surefoot reproduce 004-figure-11
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import surefoot as sf
from surefoot.control import PICKS, Pick, picker
from surefoot.control.picking import plan
from surefoot.report.comparison import Comparison
from surefoot.traces.paired import paired
from surefoot.traces.rates import wilson
from surefoot.traces.result import BROKEN, KNOWN, SUCCESS, Result
from surefoot.traces.scenario import Scenario
from surefoot.traces.scenario_file import load_scenario

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]

PAPER = {"direct": 88, "indirect": 63}  # % of 40 particles
PARTICLES = 128
ALL, PLAIN = "all of figure 10", "the arm, plain control"
STUDIES = {ALL: "", "the arm": "robot.", "lengths of its links": "robot.links.*.length", PLAIN: "robot."}
"""What differs from the model: parameters whose names or patterns begin so."""
FAST, FAR = 0.4, 0.15  # m/s at which the hand might rise, m beside the ball from where it might come
RADIUS, GROUND = 0.025355, -0.15  # m
COLOURS = {True: "tab:green", False: "tab:red"}


@dataclass(frozen=True)
class Tried:
    """All particles but the nominal one under one policy.

    Attributes:
        held: (n,) whether it held the ball at the end.
        end: (n, 3) m where the ball was then; NaN if it is not known.
        tapped: (n,) whether a finger touched the ball before the fingers began to close.
        nominal: whether the nominal arm held the ball.
        broken: how many traces the simulation had no answer for.
        hit: how many ended by a collision of the arm with itself.
    """

    held: NDArray[np.bool_]
    end: Array
    tapped: NDArray[np.bool_]
    nominal: bool
    broken: int
    hit: int


def reproduce(folder: Path, *, quick: bool = False, progress: Progress | None = None, seed: int = 0) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: few particles."""
    particles = 8 if quick else PARTICLES
    scenario = load_scenario("picking")
    total, found = len(STUDIES) * len(PICKS) * particles, {}
    for study, names in STUDIES.items():
        uncertainty = {name: how for name, how in scenario.uncertainty.items() if name.startswith(names)}
        picks = {way: replace(pick, level=False, blend=0.0) if study == PLAIN else pick for way, pick in PICKS.items()}
        policies = {way: _plain(pick) for way, pick in picks.items()} if study == PLAIN else scenario.policies
        studied = replace(scenario, uncertainty=uncertainty, policies=policies)
        for policy, pick in picks.items():
            done = len(found) * particles
            tell = None if progress is None else lambda k, done=done: progress(done + k, total)
            found[study, policy] = _tried(studied, policy, pick, range(1, particles + 1), seed, tell)
    rows = tuple(_row(study, policy, found) for study, policy in found)
    figure = _draw(folder / "004-figure-11.png", {policy: found[ALL, policy] for policy in PICKS})
    return Comparison(rows, _notes(scenario, particles, found), figure)


def _plain(pick: Pick) -> Callable[[sf.Scene, float], Any]:
    """Feedback alone, as in the paper."""

    def policy(scene: sf.Scene, dt: float) -> Any:
        pipeline = picker(scene, pick, dt)
        pipeline.remove("torque_table")
        return pipeline

    return policy


def _tried(
    scenario: Scenario, policy: str, pick: Pick, particles: range, seed: int, tell: Callable[[int], None] | None
) -> Tried:
    traces = []
    for particle in particles:
        traces.append(scenario.trace(policy, particle, seed))
        if tell is not None:
            tell(particle)
    nominal = scenario.nominal()
    grab = plan(nominal, pick, nominal.home().q[-7:-4]).grab
    outcomes = [trace.outcome for trace in traces]
    return Tried(
        held=np.array([outcome == SUCCESS for outcome in outcomes]),
        end=np.array([[trace.final.get(f"ball.{axis}", np.nan) for axis in "xyz"] for trace in traces]),
        tapped=np.array([_tapped(trace, grab) for trace in traces]),
        nominal=scenario.trace(policy, 0).outcome == SUCCESS,
        broken=outcomes.count(BROKEN),
        hit=outcomes.count(KNOWN),
    )


def _tapped(trace: Result, until: float) -> bool:
    """Whether a finger touched the ball before that time in s."""
    if not trace.events:
        return False
    early = np.asarray(trace.events["t"]) < until
    return any(
        now and kind in ("touchdown", "strike") and feature.startswith("TIP") and feature.endswith("ball")
        for now, kind, feature in zip(early, trace.events["kind"], trace.events["feature"], strict=True)
    )


def _row(study: str, policy: str, found: dict[tuple[str, str], Tried]) -> dict[str, str]:
    mine = found[study, policy]
    n, won = len(mine.held), int(mine.held.sum())
    low, high = wilson(won, n)
    first, second = (found[study, way].held for way in PICKS)
    against = paired(first, second)
    return {
        "uncertain": study,
        "policy": policy,
        "held": f"{100 * won / n:.0f} % ({100 * low:.0f} to {100 * high:.0f})",
        "paper's": f"{PAPER[policy]} %" if study == ALL else "-",
        "only it": f"{against.only_a if policy == 'direct' else against.only_b}",
        "p": f"{against.p:.1e}",
        "tapped": f"{int(mine.tapped.sum())}",
        "then held": f"{int((mine.tapped & mine.held).sum())}",
        "as modelled": "held" if mine.nominal else "lost",
        "broken": f"{mine.broken}",
    }


def _notes(scenario: Scenario, particles: int, found: dict[tuple[str, str], Tried]) -> tuple[str, ...]:
    parameters = scenario.parameters()
    noise = sum(parameter.per_step for parameter in parameters)
    fast = ", ".join(f"{way} {_as_modelled(scenario, replace(PICKS[way], rise=FAST))}" for way in PICKS)
    far = _as_modelled(scenario, replace(PICKS["indirect"], beside=FAR))
    return (
        f"{particles} particles, the same for both policies (paper: 40). In brackets the interval of Wilson, 95 %. "
        "Only it: particles that this policy alone masters; p: exact test of McNemar. Tapped: a finger touched "
        "the ball before the fingers began to close, in the paper the typical failure of the indirect policy; then "
        "held: of these. Broken: the simulation found no answer.",
        f"Figure 10 has {len(parameters)} parameters here, {noise} of them noise. Friction, restitution, contact law "
        "and lag have no numbers in the dissertation or its files, and have ours; the files vary the arm alone.",
        f"Arms that hit themselves: {sum(tried.hit for tried in found.values())} (paper: none).",
        "As in the paper: gains, speeds, ball, start, grasp point, lift, how the fingers close. Ours: the torques that "
        "the plan takes in the air are fed forward, corners of the path are round, and the hand turns until opposite "
        "fingers are level; plain control has none of these. "
        f"The hand rises at {PICKS['direct'].rise:g} m/s; at {FAST:g} m/s, as modelled: {fast}. The indirect policy "
        f"comes from {100 * PICKS['indirect'].beside:.0f} cm beside the ball; from the paper's {100 * FAR:.0f} cm, as "
        f"modelled: {far}.",
    )


def _as_modelled(scenario: Scenario, pick: Pick) -> str:
    """How the nominal arm fares."""
    policies = {"this": lambda scene, dt: picker(scene, pick, dt)}
    trace = replace(scenario, policies=policies, uncertainty={}).trace("this", 0)
    return "held" if trace.outcome == SUCCESS else f"{trace.outcome} ({trace.requirement})"


def _draw(path: Path, tried: dict[str, Tried]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey="row", height_ratios=(1, 1.5))
    for column, (policy, mine) in enumerate(tried.items()):
        side, top = axes[:, column]
        x, y, z = 1e2 * mine.end.T
        away = int((~((x > 0) & (x < 70) & (np.abs(y - 14) < 35))).sum())
        for held, word in ((True, "held"), (False, "lost")):
            which = mine.held == held
            for axis, other in ((side, z - 1e2 * GROUND), (top, y)):
                axis.scatter(x[which], other[which], s=22, alpha=0.7, color=COLOURS[held], label=word, linewidths=0)
        for axis, where in ((side, 1e2 * RADIUS), (top, 14.0)):
            axis.scatter([30.0], [where], marker="+", s=150, color="black", label="start")
            axis.grid(alpha=0.25)
        side.axhline(1e2 * RADIUS, color="grey", linewidth=1, linestyle="--")
        side.set(title=f"{policy}: {mine.held.mean():.0%} held (paper: {PAPER[policy]} %)", ylim=(0, 20))
        top.set(xlabel=f"x, cm ({away} farther away or not known)", xlim=(0, 70), ylim=(-21, 49))
    axes[0, 0].set(ylabel="height of the centre, cm")
    axes[1, 0].set(ylabel="y, cm")
    axes[1, 1].legend(fontsize="small", loc="upper left")
    figure.savefig(path, dpi=110)
    return path
