"""A cycle of whole-body control: Solo12 on four points, humanoids on two soles, beside TSID."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks import whole_body
from benchmarks.harness import Bar, Problem, Setting, TestSet
from benchmarks.peers import tsid
from benchmarks.stances import COM, MU, POSTURE, TURN, sway
from benchmarks.summary import Row, row_of

ROBOTS = {"solo12": "Solo12, 4 points", "talos": "Talos, 2 soles", "g1": "G1, 2 soles"}
AT_MOST = {"solo12": 0.5, "talos": 1.0, "g1": 1.0}
MOTIONS, STATES = 10, 300
QUICK_MOTIONS, QUICK_STATES = 1, 20
SEED = 7000
LOOP = "In a loop"


def problems(quick: bool) -> Sequence[Problem]:
    """Several motions a robot, so that methods take turns often."""
    motions, states = (QUICK_MOTIONS, QUICK_STATES) if quick else (MOTIONS, STATES)
    return [
        Problem(f"{name}-{i}", size, sway(name, [SEED, k, i], states))
        for i in range(motions)
        for k, (name, size) in enumerate(ROBOTS.items())  # robots take turns too
    ]


def _against_tsid(name: str) -> Bar:
    def measure(rows: Sequence[Row]) -> float:
        ours, peer = (row_of(rows, LOOP, ROBOTS[name], method) for method in ("surefoot", tsid.NAME))
        return float(np.median(np.array(ours.times) / np.array(peer.times)))

    return Bar(f"{ROBOTS[name]}: cycle / TSID's cycle", measure, AT_MOST[name])


def _tail(rows: Sequence[Row]) -> float:
    return max(row_of(rows, LOOP, size, "surefoot").tail for size in ROBOTS.values())


TEST_SET = TestSet(
    name="whole_body",
    title="A cycle of whole-body control",
    about=(
        "Solo12 (18 degrees of freedom) on four point feet, Talos (38) and G1 (35) on two flat soles of four corners "
        f"sway at random over their feet: base up to 1 cm and 2 degrees, 0.3 to 1.5 Hz, {MOTIONS} motions of {STATES} "
        "states 1 ms apart a robot, legs by inverse kinematics, arms, torso and head up to 3 degrees. The controller "
        "shall hold centre of mass, orientation of the base and posture (weight, kp, kd: "
        f"{COM}, {TURN}, {POSTURE}), feet stay where they are, forces within friction {MU:g}. A cycle takes a state "
        "and returns torques: kinematics, inertia, contacts, tasks and program, from Python. All methods get the "
        "same states. Every cycle is timed by itself; each motion is gone through several times and every cycle's best "
        f"time is kept. The residual is that of the equations of motion and of the friction cone, relative to the "
        f"weight: ours recomputed by MuJoCo at {whole_body.LOOKS} states of each motion, TSID's by Pinocchio at the "
        "last."
    ),
    unit="cycle",
    problems=problems,
    settings=[Setting(LOOP, tolerance=1e-8)],
    finders=[whole_body.checked, whole_body.trusting, whole_body.planned, tsid.whole_body],
    references=[tsid.NAME],
    bars=[
        *(_against_tsid(name) for name in ROBOTS),
        Bar("surefoot: worst cycle / p50 of its motion, of all motions and robots the largest", _tail, 5.0),
    ],
    limitations=[
        "Feet: ours brings points of contact to rest in 50 ms, TSID's pulls them to where they were by gains "
        "(100 1/s^2, 20 1/s). Forces that do not move the robot: ours prefers an even share, TSID's small ones, so "
        "that torques in the legs of humanoids differ. TSID's pyramid lies around the cone, ours within it.",
        "Making the `State` is not timed, nor is the way to TSID's process.",
        "Joint ranges, speeds and torques are not limited: TSID's tasks of this set do not limit them either.",
        "Damping and dry friction of Talos's joints are taken off: TSID does not know of them.",
        "Swaying keeps all feet loaded: active limits change rarely, which is kind to warm starts.",
        "Bars compare the times of one motion with each other (median over the motions): p50 of the table may come "
        "from times when the processor's clock was not the same.",
    ],
)
