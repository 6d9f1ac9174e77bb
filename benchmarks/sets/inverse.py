"""Torques in a control loop: `links` swaying on 1 to 40 points of contact, every law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from experiments.stance import motion

from benchmarks.controllers import LAWS, LOOKS, controller
from benchmarks.harness import Bar, Problem, Setting, TestSet
from benchmarks.peers import tsid
from benchmarks.summary import Row, row_of

CONTACTS = (1, 2, 4, 8, 16, 40)
MOTIONS, STATES = 20, 500
QUICK_MOTIONS, QUICK_STATES = 1, 20
SEED = 1000
WARM, COLD, REST = "In a loop", "Cold", "Cold, at rest"


def problems(quick: bool) -> Sequence[Problem]:
    """Several motions a size, so that methods take turns often."""
    motions, states = (QUICK_MOTIONS, QUICK_STATES) if quick else (MOTIONS, STATES)
    return [
        Problem(f"{n}-contacts-{i}", _size(n), motion([SEED, n, i], n, states))
        for i in range(motions)
        for n in CONTACTS  # sizes take turns too
    ]


def _size(contacts: int) -> str:
    return f"{contacts} contact{'s' * (contacts > 1)}"


def _against_tsid(rows: Sequence[Row]) -> float:
    ours, peer = (row_of(rows, WARM, _size(4), name) for name in ("surefoot-coulomb", tsid.NAME))
    return ours.p50 / peer.p50


def _growth(setting: str) -> Bar:
    def measure(rows: Sequence[Row]) -> float:
        many, few = (row_of(rows, setting, _size(n), "surefoot-coulomb") for n in (40, 4))
        return float(np.median(np.array(many.times) / np.array(few.times)))

    return Bar(f"Coulomb, {setting.lower()}: 40 contacts / 4 contacts", measure, 4.0)


def _tail(law: str) -> Bar:
    def measure(rows: Sequence[Row]) -> float:
        return max(row_of(rows, WARM, _size(n), f"surefoot-{law}").tail for n in CONTACTS)

    return Bar(f"{law}: worst call / p50 of its motion, of all motions and sizes the largest", measure, 5.0)


TEST_SET = TestSet(
    name="inverse",
    title="Inverse dynamics in a control loop",
    about=(
        "The quadruped `links` (18 degrees of freedom, 12 prescribed) sways over its feet at random: base up to 1 cm "
        f"and 2 degrees, 0.3 to 1.5 Hz, {MOTIONS} motions of {STATES} states 1 ms apart a size, joints by inverse "
        "kinematics. 1 and 2 contacts: the other feet are lifted. 8, 16, 40: each foot is a ring (3 mm) of 2, 4, 10 "
        "spheres, all of them in contact, so that the matrix is rank deficient. A call takes a state and joint "
        "accelerations and returns torques: kinematics, inertia, collisions, contact law and all, from Python. Every "
        f"call is timed by itself; each motion is gone through several times and every call's best time is kept. The "
        f"residual is the largest violation of the law's conditions, recomputed by other code at {LOOKS} states of "
        "each motion, and of the equations of motion relative to the weight."
    ),
    unit="call",
    problems=problems,
    settings=[
        Setting(WARM, tolerance=1e-7, options={"cold": False, "rest": False, "every": 1}),
        Setting(COLD, tolerance=1e-7, options={"cold": True, "rest": False, "every": 10}),
        Setting(REST, tolerance=1e-7, options={"cold": True, "rest": True, "every": 10}),
    ],
    finders=[*(controller(name) for name in LAWS), tsid.cycle],
    references=[tsid.NAME],
    bars=[
        Bar("whole call on 4 contacts, Coulomb / TSID's cycle", _against_tsid, 0.5),
        _growth(COLD),
        _growth(REST),
        *(_tail(name) for name in LAWS),
    ],
    limitations=[
        "TSID runs on Solo12 (same degrees of freedom, 4 point contacts) and weighs tasks; ours prescribes joints.",
        "Making the `State` is not timed.",
        "Bars compare times of one motion, or of motions on 4 and 40 contacts right after each other (median over the "
        "pairs): p50 and worst of the table may come from times when the processor's clock was not the same.",
        "After stage II feet that slip by less than 1e-7 of the velocity scale count as standing: hence the tolerance.",
        "Swaying keeps all contacts loaded or nearly so: modes change rarely, which is kind to warm starts.",
        "No-slip laws get postures at rest from 8 contacts on: points of one foot cannot all stay in place while the "
        "shank turns.",
        "Cold: what the controller remembers of the last call's contact modes is erased before each call, of every "
        "tenth state. At rest: the same postures without velocities, where every point sticks.",
    ],
)
