"""[Zapolsky2017], table 15 and figure 62: how large a step may be, for a quadruped whose joints trot by sinusoids.

PD control with gains that were tuned for exactness, inverse dynamics, and joints whose motion is prescribed;
`step_sizes.py` has the protocol. In the paper a prescribed quadruped skated: so its path is compared as well.

    surefoot reproduce 004-table-15
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from surefoot_experiments.sinusoids import Waves
from surefoot_experiments.step_sizes import ERRORS, SHOWN, STABLE, Method, Study, tuned

import surefoot as sf
from surefoot.report.comparison import Comparison

Array = NDArray[np.float64]

DURATION = 5.0  # s, the paper's
MU = 1.0  # of the ground; the paper does not say
SWING, TROT = 0.2, 1.5  # rad, Hz: ours, the paper says "a sinusoidal pattern that resembled a trot"
KP, KD = 20.0, 0.1  # N m/rad, N m s/rad: those of [Zapolsky2015], from which tuning starts
ID_KP, ID_KD = 5e4, 1e2  # 1/s^2, 1/s: those of [Zapolsky2015]
AT_LEAST = 5.0  # times quicker
WITHIN, UP_TO = 0.10, 2e-2  # of the path's length, for steps in s up to this
FRICTIONS = (0.1, 0.5, MU)  # for which paths are compared
NUDGE = 1e-6  # m/s and rad/s, standard deviation of another start


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: a shorter motion, hardly tuned."""
    duration, runs, repeats = (1.0, 15, 3) if quick else (DURATION, 150, 9)
    trot, law = trotting(sf.load("links-light")), sf.Coulomb(mu=MU)
    gains = tuned(trot, law, [12 * [KP], 12 * [KD]], 4 * (0, 1, 2), duration, runs)
    convex = sf.Dissipative(mu=MU)
    methods = [
        Method("PD", trot, law, lambda dt: trot.error_feedback(*gains), ("1", "3.80e-02", "24.84")),
        Method(
            "inverse dynamics, dissipative", trot, law, lambda dt: trot.inverse_dynamics(dt, convex, ID_KP, ID_KD),
            ("4", "9.05e-03", "4.97"),
        ),
        Method("inverse dynamics, Coulomb", trot, law, lambda dt: trot.inverse_dynamics(dt, law, ID_KP, ID_KD)),
        Method("prescribed", trot, law, lambda dt: trot.prescribed(), ("100", "5.10e-02", "2.54")),
    ]  # fmt: skip
    study = Study(methods, duration, repeats, progress)
    paths = {mu: [base_path(trot, mu, dt) for dt in SHOWN] for mu in FRICTIONS}
    notes = (
        STABLE,
        ERRORS,
        study.fast_enough(AT_LEAST),
        "No skating. " + " ".join(_compared(mu, paths[mu]) for mu in FRICTIONS)
        + f" On ice (mu = 0.001) it gets {_reach(base_path(trot, 1e-3, 1e-3)):.2f} m far.",
        _sensitivity(seed),
        f"PD's gains were tuned at 1 ms for the least squared error, in {runs} runs of Nelder-Mead: kp "
        f"{_numbers(gains[0])}, kd {_numbers(gains[1])} (hips, thighs, shanks).",
        "The paper's inverse dynamics knows the dissipative law; the plant has Coulomb's, which the second one knows. "
        f"Ground: mu = {MU:g}; the paper does not say its own.",
        "Compiled policies in the same compiled loop; median times of runs that take turns.",
    )  # fmt: skip
    return Comparison(study.rows(), notes, _draw(folder / "004-table-15.png", study, paths[MU]))


def trotting(robot: sf.Scene) -> Waves:
    """Thighs go back and forth, knees lift the feet while they come forth; diagonal legs together. Grows in 1 s."""
    home = robot.home().q[robot.joint_positions]
    legs = [name[:2] for name in robot.joints[::3]]
    back = [1.0 if leg[0] == "L" else -1.0 for leg in legs]  # about +y the foot goes back
    late = np.array([0.0 if leg in ("LF", "RH") else np.pi for leg in legs])
    none = np.zeros(4)
    size = SWING * np.column_stack([none, back, np.sign(home[2::3])]).ravel()
    phase = np.column_stack([none, late, late - 0.5 * np.pi]).ravel()
    return Waves(robot, home, size, 2.0 * np.pi * TROT, phase, rise=1.0)


def base_path(trot: Waves, mu: float, dt: float, nudge: Any = 0.0) -> Array:
    """(n, 2) m: where the base of the prescribed trot is every 0.1 s; `nudge` (6,) is added to its first velocity."""
    start = trot.start()
    v = start.v.copy()
    v[:6] += nudge
    simulator = sf.Simulator(trot.robot, dt, sf.Coulomb(mu=mu))
    trace = simulator.rollout(trot.robot.state(start.q, v), motion=trot.prescribed().motion, duration=DURATION)
    return trace.q[:: round(0.1 / dt), :2]


def deviation(path: Array, reference: Array) -> float:
    """Largest distance between two paths at the same time, relative to the length of the second."""
    length = np.linalg.norm(np.diff(reference, axis=0), axis=1).sum()
    return float(np.linalg.norm(path - reference, axis=1).max() / length)


def _reach(path: Array) -> float:
    """How far it got, in m."""
    return float(np.linalg.norm(path[-1] - path[0]))


def _compared(mu: float, paths: list[Array]) -> str:
    most = max(deviation(path, paths[0]) for dt, path in zip(SHOWN, paths, strict=True) if dt <= UP_TO)
    return (
        f"mu = {mu:g}: {_reach(paths[0]):.2f} m far with 1 ms; with up to {1e3 * UP_TO:g} ms the base is never further "
        f"from there than {most:.1%} of that path's length ({'at most' if most <= WITHIN else 'more than'} "
        f"{WITHIN:.0%}), with {1e3 * SHOWN[-1]:g} ms {deviation(paths[-1], paths[0]):.0%}."
    )


def _sensitivity(seed: int) -> str:
    """What a nudge at the start does to the path, for this robot and a heavier one with longer legs."""
    parts = []
    for name in ("links-light", "links"):
        trot, random = trotting(sf.load(name)), np.random.default_rng(seed)
        first, *others = (base_path(trot, MU, 1e-3, nudge) for nudge in [0.0, *NUDGE * random.standard_normal((4, 6))])
        parts.append(f"{name} by {max(deviation(other, first) for other in others):.1%}")
    return (
        f"Feet that keep no distance must slip, and what slips and sticks forgets where it came from: at mu = {MU:g} a "
        f"nudge of {NUDGE:g} m/s moves the path of {' and that of '.join(parts)} of its length. A smaller "
        "difference between two steps says nothing."
    )


def _numbers(gains: Any) -> str:
    return ", ".join(f"{gain:.3g}" for gain in gains[:3])


def _draw(path: Path, study: Study, paths: list[Array]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.5), layout="constrained")
    axis, below = figure.subplots(2, 1, height_ratios=(3, 1))
    axis.set_title("Quadruped that trots by sinusoids")
    study.draw(axis)
    for k, (dt, line) in enumerate(zip(SHOWN, paths, strict=True)):
        below.plot(*line.T, color=f"C{k}", linewidth=2.5 if k == 0 else 1.0, label=f"{1e3 * dt:g} ms")
    below.set(xlabel="x, m", ylabel="y, m", title="Base of the prescribed trot", aspect="equal")
    below.legend(fontsize="small", ncols=2, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.savefig(path, dpi=110)
    return path
