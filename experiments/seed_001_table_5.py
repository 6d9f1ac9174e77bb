"""[Greenfield2005], table V: how well two controllers foresee the pitch acceleration of a flip, and who is up first.

With the paper's massless legs, and with toes that weigh what they do. What the paper leaves open is chosen in
`flip.py`; below the result stands what becomes of it with other choices.

    surefoot reproduce 001-table-5
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.flip import CHOSEN, LONGEST, NAMES, QUICK, ROUGH, SMOOTH, Choices, Flip, flip, tuned

from surefoot.report.comparison import Comparison

THEIRS = {SMOOTH: (11.22, 6.65), ROUGH: (11.56, 6.68)}  # rad/s^2, blind and new
OURS = "as chosen"
SLOWER = "control every 2 ms"
VARIED: dict[str, dict[str, Any]] = {
    SLOWER: {},
    "control every 4 ms": {"period": 4e-3},
    "hips of 7 N m": {"stall": 7.0},
    "hips of 8 N m": {"stall": 8.0},
    "hips of 14 N m, none at 30 rad/s": {"stall": 14.0, "no_load": 30.0},
    "body friction 0.3": {"body_friction": 0.3},
    "body friction 0.5": {"body_friction": 0.5},
    "body pressed with 5 N": {"floor": 5.0},
    "body pressed with 15 N": {"floor": 15.0},
    "legs in the air braked in 20 ms": {"brake": 0.02},
    "legs in the air swing freely": {"brake": math.inf},
    "filters of 20 and 4 Hz": {"quick": 20.0, "slow": 4.0},
    "filters of 5 and 1 Hz": {"quick": 5.0, "slow": 1.0},
    "rear toe may slide at 0.04 m/s": {"thresholds": (0.001, 0.04, 0.001, 0.001)},
    "flip ends at 79 degrees": {"end": math.radians(79.0)},
    "blind believes in friction 0.39": {"believed": SMOOTH},
}
BAR = 0.65
AROUND = 0.015  # s around a take-off


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Write the figure into `folder`; `quick`: a decision every 4 ms, one other choice. Nothing is random."""
    base = QUICK if quick else CHOSEN
    other = replace(base, period=2.0 * base.period)
    choices = {OURS: base, **{name: replace(other, **change) for name, change in VARIED.items()}}
    if quick:
        choices = {name: choices[name] for name in (OURS, "hips of 8 N m")}
    found: dict[tuple[str, float], dict[str, Flip]] = {}
    for name, mu, runs in _all(choices):
        found[name, mu] = runs
        if progress is not None:
            progress(len(found), 2 * len(choices))
    rows = [_paper(mu) for mu in THEIRS]
    rows += [_row(name, mu, runs) for (name, mu), runs in found.items()]
    return Comparison(tuple(rows), _notes(found, base), _draw(folder / "001-table-5.png", found))


def _all(choices: dict[str, Choices]) -> Iterator[tuple[str, float, dict[str, Flip]]]:
    for name, made in choices.items():
        for mu in (SMOOTH, ROUGH):
            yield name, mu, {controller: flip(controller, mu, made) for controller in NAMES}


def _paper(mu: float) -> dict[str, str]:
    blind, new = THEIRS[mu]
    return {
        "choice": "the paper",
        "mu_t": f"{mu:g}",
        "blind": f"{blind:.2f}",
        "all modes": f"{new:.2f}",
        "of blind's": f"{new / blind:.2f}",
        "toes weigh": "",
        "of blind's ": "",
        "blind up, ms": "not given",
        "all modes up, ms": "not given",
        "quicker": "8%" if mu == ROUGH else "not given",
    }


def _row(name: str, mu: float, runs: dict[str, Flip]) -> dict[str, str]:
    blind, new, toes = (runs[controller] for controller in ("blind", "all", "toes"))
    return {
        "choice": name,
        "mu_t": f"{mu:g}",
        "blind": f"{blind.rmse:.2f}",
        "all modes": f"{new.rmse:.2f}",
        "of blind's": f"{new.rmse / blind.rmse:.2f}",
        "toes weigh": f"{toes.rmse:.2f}",
        "of blind's ": f"{toes.rmse / blind.rmse:.2f}",
        "blind up, ms": _ms(blind),
        "all modes up, ms": _ms(new),
        "quicker": f"{1.0 - new.time / blind.time:.0%}" if new.up and blind.up else "",
    }


def _ms(run: Flip) -> str:
    return f"{1e3 * run.time:.0f}" if run.up else "not up"


def _notes(found: dict[tuple[str, float], dict[str, Flip]], base: Choices) -> tuple[str, ...]:
    shares = {
        controller: {key: runs[controller].rmse / runs["blind"].rmse for key, runs in found.items()}
        for controller in ("all", "toes")
    }
    own = {c: [share[OURS, mu] for mu in THEIRS] for c, share in shares.items()}
    reached = {c: "reached" if max(values) <= BAR else "missed" for c, values in own.items()}
    better = sum(share < 1.0 for share in shares["all"].values())
    half = replace(base, dt=0.5 * base.dt)
    change = max(abs(flip(c, mu, half).rmse - found[OURS, mu][c].rmse) for c in ("blind", "toes") for mu in THEIRS)
    new = [found[OURS, mu]["all"] for mu in THEIRS]
    leaving = {c: " and ".join(f"{take_off_share(found[OURS, mu][c]):.0%}" for mu in THEIRS) for c in NAMES}
    return (
        "RMSE of predicted against true pitch acceleration over the flip, rad/s^2. `toes weigh`: the same controller "
        f"whose model has toes of {1e3 * base.task(SMOOTH).robot.toe:.0f} g at its legs, as the simulated robot has.",
        f"At most {BAR:g} of the blind controller's error on both surfaces: {reached['all']} with massless legs "
        f"({own['all'][0]:.2f} and {own['all'][1]:.2f}), {reached['toes']} with toes that weigh "
        f"({own['toes'][0]:.2f} and {own['toes'][1]:.2f}). Under all choices together all modes foresee better than "
        f"blind in {better} of {len(found)} flips.",
        f"{leaving['blind']} of the squared error when blind, {leaving['all']} with all modes and {leaving['toes']} "
        f"with toes that weigh lie within {1e3 * AROUND:.0f} ms of the take-offs of front and middle toe: a massless "
        "leg that comes upright turns as fast as it must, a toe has to be accelerated.",
        f"The blind controller's least jump, tuned on the smooth surface: {tuned(base):.1f} rad/s^2.",
        "Ticks of all modes in which no torque kept the body's least force: "
        + " and ".join(f"{int((~run.pressed).sum())} of {len(run.t)}" for run in new)
        + "; in which every torque left several modes open, so that the best worst outcome was taken: "
        + " and ".join(f"{int((~run.sure).sum())}" for run in new)
        + f". Errors of robots that do not get up are those of {LONGEST:g} s.",
        f"Half the simulator's step of {1e6 * base.dt:.0f} us changes these errors by at most {change:.2f} rad/s^2. "
        f"Rows below `{SLOWER}` differ from it by one choice each.",
    )


def take_off_share(run: Flip) -> float:
    """Share of the squared error of the prediction around the moments in which the front and middle toes leave."""
    near = np.zeros(len(run.t), dtype=bool)
    for contact in (2, 3):
        last = run.t[np.flatnonzero(run.force[:, contact, 0] > 0.0)[-1]]
        near |= np.abs(run.t - last) <= AROUND
    return float(run.square[near].sum() / run.square.sum())


def _draw(path: Path, found: dict[tuple[str, float], dict[str, Flip]]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(2, 3))
    colours = {"blind": "0.4", "all": "tab:red", "toes": "tab:orange"}
    for i, mu in enumerate(THEIRS):
        for k, (controller, colour) in enumerate(colours.items()):
            left.bar(i + 0.25 * (k - 1), found[OURS, mu][controller].rmse, 0.22, color=colour,
                     label=NAMES[controller] if i == 0 else None)  # fmt: skip
        left.plot([i - 0.25, i], THEIRS[mu], "k_", markersize=18, label="the paper" if i == 0 else None)
    left.set(xticks=[0, 1], xticklabels=[f"toes of friction {mu:g}" for mu in THEIRS])
    left.set(ylabel="error of the pitch acceleration, rad/s$^2$")
    left.legend(frameon=False, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2)
    names = list(dict.fromkeys(name for name, _ in found))
    for i, mu in enumerate(THEIRS):
        for controller, colour in list(colours.items())[1:]:
            share = [found[name, mu][controller].rmse / found[name, mu]["blind"].rmse for name in names]
            label = f"{NAMES[controller]}, {mu:g}"
            right.plot(share, np.arange(len(names)), "os"[i], color=colour, label=label, markersize=5)
    right.axvline(BAR, color="0.6", linewidth=0.8)
    right.set(yticks=range(len(names)), yticklabels=names, xlabel="error as a share of the blind controller's")
    right.set(xlim=(0.0, 1.1))
    right.invert_yaxis()
    right.grid(color="0.93")
    right.legend(frameon=False, fontsize="small", loc="upper center", bbox_to_anchor=(0.3, -0.12), ncols=4)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=100)
    return path
