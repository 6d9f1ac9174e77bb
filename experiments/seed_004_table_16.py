"""[Zapolsky2017], table 16 and figure 64: how large a step may be, for a UR10 that follows sinusoids.

Eight joints, no contact. PD control with gains that were tuned for exactness, the same for a robot with gears, inverse
dynamics, and joints whose motion is prescribed; `step_sizes.py` has the protocol.

    surefoot reproduce 004-table-16
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from surefoot_experiments.sinusoids import Waves
from surefoot_experiments.step_sizes import ERRORS, STABLE, Method, Study, tuned

import surefoot as sf
from surefoot.report.comparison import Comparison

DURATION = 5.0  # s, the paper's
SIZE = (2.5, 0.5, 5 / 3, 5 / 14, 5 / 11, 15 / 26, 0.0, 0.0)  # rad, of Moby's example ur10; the fingers stay
RATE = (1.0, 2.0, 2 / 3, 1 / 7, 2 / 11, 3 / 13, 0.0, 0.0)  # rad/s
CENTRE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.007, -0.007)  # rad, m: fingers half open, away from their stops
KP = (300.0, 300.0, 60.0, 15.0, 15.0, 15.0, 1e3, 1e3)  # N m/rad, of the same example; N/m, ours
KD = (120.0, 120.0, 24.0, 6.0, 6.0, 6.0, 20.0, 20.0)  # N m s/rad; N s/m, ours
GROUPS = (0, 0, 1, 2, 2, 2, -1, -1)  # joints whose gains are tuned as one; the fingers keep theirs
GEARS = (*6 * [(100.0, 1e-4)], *2 * [(1000.0, 1e-5)])  # ratio (rad/m), kg m^2: 1 kg m^2 or 10 kg more. Ours
ID_KP, ID_KD = 400.0, 40.0  # 1/s^2, 1/s: critically damped. Ours
AT_LEAST = 20.0  # times quicker


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: a shorter motion, hardly tuned."""
    duration, runs, repeats = (1.0, 25, 3) if quick else (DURATION, 400, 9)
    robot = sf.load("ur10", ground=None)
    geared = sf.geared(robot, dict(zip(robot.joints, GEARS, strict=True)))
    law = sf.Coulomb()
    plain, heavy = (Waves(each, CENTRE, SIZE, RATE, 0.0) for each in (robot, geared))
    manual = np.array([KP, KD])
    gains = tuned(plain, law, manual * [[1.0], [0.1]], GROUPS, duration, runs)
    heavy_gains = tuned(heavy, law, manual, GROUPS, duration, runs)
    methods = [
        Method("PD", plain, law, lambda dt: plain.error_feedback(*gains), ("1", "1.01e-02", "357")),
        Method(
            "PD, gears, gains as given", heavy, law, lambda dt: heavy.error_feedback(KP, KD),
            ("50", "1.74e-01", "24.6"),
        ),
        Method("PD, gears, tuned", heavy, law, lambda dt: heavy.error_feedback(*heavy_gains)),
        Method(
            "inverse dynamics", plain, law, lambda dt: plain.inverse_dynamics(dt, law, ID_KP, ID_KD),
            ("50", "2.85e-02", "6.51"),
        ),
        Method("prescribed", plain, law, lambda dt: plain.prescribed(), ("100", "1.15e-01", "2.85")),
    ]  # fmt: skip
    study = Study(methods, duration, repeats, progress)
    notes = (
        STABLE,
        ERRORS,
        study.fast_enough(AT_LEAST),
        f"PD's gains were tuned at 1 ms for the least squared error, in {runs} runs of Nelder-Mead: kp "
        f"{_numbers(gains[0])}, kd {_numbers(gains[1])} (shoulder, elbow, wrists). It starts from those of Moby's "
        "example, with a tenth of kd, for they are unstable at 1 ms. Tuning goes on until the step allows no more.",
        "Gears carry large steps as long as the gains stay as the example gives them, which follow badly; tuned as PD "
        "is they become as stiff as the step allows. The paper says neither its gears nor its gains.",
        "Compiled policies in the same compiled loop; median times of runs that take turns.",
    )
    return Comparison(study.rows(), notes, _draw(folder / "004-table-16.png", study))


def _numbers(gains: Any) -> str:
    return ", ".join(f"{gains[k]:.3g}" for k in (0, 2, 3))


def _draw(path: Path, study: Study) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axis = figure.subplots()
    axis.set_title("UR10 that follows sinusoids")
    study.draw(axis)
    figure.savefig(path, dpi=110)
    return path
