"""[Zapolsky2015], figure 19: time of a controller against the number of contacts of a quadruped.

Every foot stands on more and more points while the base sways. In each state all controllers are timed in turn, so
that noise of the machine hits all alike; only the processor's time counts.

    surefoot reproduce 000-figure-19
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.stance import DT, Motion, motion

import surefoot as sf
from surefoot.laws import Law
from surefoot.report.comparison import Comparison

Array = NDArray[np.float64]

COUNTS = (4, 8, 12, 16, 20, 24, 28, 32, 36, 40)
MOTIONS, STATES = 5, 250  # sways of each count, and states of each
WARM_UP = 10  # states of each motion that are not counted
MU = 0.8
NO_SLIP = "LCP inf"
LAWS: dict[str, Law] = {
    "QP mu": sf.Dissipative(mu=MU),
    "QP inf": sf.Dissipative(mu=math.inf),
    "LCP mu": sf.Coulomb(mu=MU),
    NO_SLIP: sf.NoSlip(release=False),
}
COLOURS = {"QP mu": "tab:blue", "QP inf": "tab:orange", "LCP mu": "tab:green", NO_SLIP: "tab:purple"}

# Median and 95th percentile in ms by numbers of contacts, recomputed from the authors' files; a laptop of 2011.
GROUPS = {"1-4": (1, 4), "11-20": (11, 20), "31-40": (31, 40)}
FILES = {
    "QP mu": {"1-4": (0.27, 0.35), "11-20": (0.49, 3203.0), "31-40": (1.23, 21385.0)},
    "QP inf": {"1-4": (0.27, 0.34), "11-20": (0.40, 0.58), "31-40": (0.92, 1.2)},
    "LCP mu": {"1-4": (0.43, 0.68), "11-20": (11.1, 17.0), "31-40": (50.0, 70.0)},
    NO_SLIP: {"1-4": (0.57, 0.66), "11-20": (0.68, 0.76), "31-40": (0.87, 1.2)},
}


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: three counts, few states."""
    counts, motions, states = ((4, 16, 40), 1, 60) if quick else (COUNTS, MOTIONS, STATES)
    found: dict[tuple[str, int], list[Array]] = {}
    unsolved = dict.fromkeys(LAWS, 0)
    for i in range(motions):
        for k, count in enumerate(counts):
            sway = motion([seed, count, i], count, states)
            seconds, failed = _timed(sway)
            for name in LAWS:
                found.setdefault((name, count), []).append(seconds[name])
                unsolved[name] += failed[name]
            if progress is not None:
                progress(i * len(counts) + k + 1, motions * len(counts))
    times = {key: 1e3 * np.concatenate(parts) for key, parts in found.items()}
    rows = tuple(_row(name, group, times, unsolved[name]) for name in LAWS for group in GROUPS)
    figure = _draw(folder / "000-figure-19.png", counts, times)
    return Comparison(rows, _notes(times, counts), figure)


def _timed(sway: Motion) -> tuple[dict[str, Array], dict[str, int]]:
    """Seconds of every call by law, and how many calls had no answer."""
    rest = sway.at_rest()
    moves = {name: rest if law.name == "no-slip" or law == LAWS["QP inf"] else sway for name, law in LAWS.items()}
    controllers = {name: sf.InverseDynamics(sway.robot, DT, law) for name, law in LAWS.items()}
    seconds = {name: np.empty(len(sway.states)) for name in LAWS}
    failed = dict.fromkeys(LAWS, 0)
    clock = time.thread_time  # of this thread alone: other programs do not count
    for k in range(len(sway.states)):
        for name, controller in controllers.items():
            state, acceleration = moves[name].states[k], moves[name].accelerations[k]
            began = clock()
            controller(state, acceleration)
            seconds[name][k] = clock() - began
            failed[name] += not controller.status.is_answer
    return {name: values[WARM_UP:] for name, values in seconds.items()}, failed


def _row(name: str, group: str, times: dict[tuple[str, int], Array], unsolved: int) -> dict[str, str]:
    low, high = GROUPS[group]
    ours = np.concatenate([values for (law, count), values in times.items() if law == name and low <= count <= high])
    half, most = FILES[name][group]
    return {
        "ID(t_i)": name,
        "contacts": group,
        "p50, ms": f"{np.median(ours):.3f}",
        "p95, ms": f"{np.percentile(ours, 95):.3f}",
        "paper's p50": f"{half:g}",
        "paper's p95": f"{most:g}",
        "times the first": f"{np.median(ours) / np.median(times[name, 4]):.1f}",
        "paper's times": f"{half / FILES[name]['1-4'][0]:.1f}",
        "unsolved": f"{unsolved}",
    }


def _notes(times: dict[tuple[str, int], Array], counts: tuple[int, ...]) -> tuple[str, ...]:
    most = max(counts)
    within = {name: np.mean(times[name, most] < 1.0) for name in LAWS}
    share = ", ".join(f"{name} {part:.1%}" for name, part in within.items())
    tails = {name: max(float(np.percentile(times[name, count], 95)) for count in counts) for name in LAWS}
    tail = ", ".join(f"{name} {worst:.2g} ms" for name, worst in tails.items())
    return (
        "Processor time of `controller(state, acceleration)` from Python: state in, torques out, contacts found from "
        f"the geometry. Each foot is a ring of spheres; {len(times['LCP mu', most])} calls of each controller and "
        "number of contacts. QP: sf.Dissipative with stage II; LCP mu: sf.Coulomb; LCP inf: sf.NoSlip(release=False).",
        "Times of a laptop of 2011 and of this machine are not comparable; how they grow is: `times the first` is the "
        "median against that of four contacts.",
        f"Calls under 1 ms at {most} contacts: {share}. Largest 95th percentile of any number of contacts: {tail}. "
        "In the paper LCP inf stays below 1 ms at over 40 contacts, the QP up to about 30, LCP mu below 4 only: it "
        "pivots through all contacts from a cold start. Ours solves on the few contacts that carry load and "
        "starts from the last call's.",
        "Points of one foot cannot all stay in place while the shank turns, so the controllers without slip (LCP inf, "
        "QP inf) hold the postures of the sway, at rest; the others move.",
    )


def _draw(path: Path, counts: tuple[int, ...], times: dict[tuple[str, int], Array]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5), layout="constrained")
    ours, paper = figure.subplots(1, 2, sharey=True)
    for name, colour in COLOURS.items():
        values = np.array([np.percentile(times[name, count], (5, 50, 95)) for count in counts])
        ours.fill_between(counts, values[:, 0], values[:, 2], color=colour, alpha=0.15, linewidth=0)
        ours.plot(counts, values[:, 1], "o-", color=colour, markersize=4, label=f"ID(t_i) {name}")
        middle = [math.sqrt(low * high) for low, high in GROUPS.values()]
        half, most = np.array(list(FILES[name].values())).T
        paper.plot(middle, half, "s--", color=colour, markersize=5, label=f"ID(t_i) {name}")
        paper.plot(middle, np.minimum(most, 90.0), color=colour, linestyle=":", linewidth=1)
        for x, y in zip(middle, most, strict=True):
            if y > 90.0:
                paper.annotate(f"{1e-3 * y:.0f} s", (x, 90.0), ha="center", va="bottom", fontsize=8, color=colour)
    for axis, title in ((ours, "Ours: median, and 5 to 95 %"), (paper, "The paper's files: median, and 95 % dotted")):
        axis.axhline(1.0, color="black", linewidth=1, linestyle="-.", alpha=0.7)
        axis.set(xscale="log", yscale="log", xlabel="contacts", title=title, xlim=(1.8, 45), ylim=(8e-3, 130))
        axis.set_xticks([2, 4, 8, 16, 40], ["2", "4", "8", "16", "40"])
        axis.minorticks_off()
        axis.grid(alpha=0.25)
    ours.annotate("1 kHz", (1.9, 1.1), fontsize=9)
    ours.set(ylabel="time of a call, ms")
    ours.set_yticks([0.01, 0.1, 1.0, 10.0, 100.0], ["0.01", "0.1", "1", "10", "100"])
    paper.legend(fontsize="small", loc="upper left")
    figure.savefig(path, dpi=110)
    return path
