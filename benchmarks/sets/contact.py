"""Rigid contact on Solo12 with 4 to 40 contacts."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import ours
from benchmarks.harness import Problem, Setting, TestSet
from benchmarks.peers import dart, pinocchio
from benchmarks.solo12 import Solo12

COUNTS = {4: 100, 8: 100, 16: 60, 40: 30}
QUICK = {4: 4, 8: 4, 16: 4, 40: 2}
SEED = 12


def problems(quick: bool) -> Sequence[Problem]:
    """Half of the poses stand still, half move."""
    robot = Solo12()
    return [
        Problem(f"{n}-contacts-{i}", f"{n} contacts", robot.problem([SEED, n, i], n, moving=i % 2 == 1))
        for n, count in (QUICK if quick else COUNTS).items()
        for i in range(count)
    ]


TEST_SET = TestSet(
    name="contact",
    title="Rigid frictional contact on Solo12",
    about=(
        "The quadruped Solo12 (18 degrees of freedom, its URDF from example-robot-data) in random crouching poses "
        "on flat ground, mu = 0.7, one step of 1 ms under gravity and random joint torques; half of the poses stand "
        "still, half move at random. 4 contacts: one a foot. 8, 16, 40: 2, 4, 10 on a ring of 12 mm around each "
        "foot, so the matrix is rank deficient from 8 on. The residual is the largest violation of Coulomb's law, "
        "in units of the largest contact velocity."
    ),
    unit="solve",
    problems=problems,
    settings=[Setting("Stop at 1e-9", tolerance=1e-6, options={"stop": 1e-9, "iterations": 1000})],
    finders=[ours.coulomb, pinocchio.admm, pinocchio.admm_tuned, dart.nsgs],
    references=["pinocchio-admm", "pinocchio-admm-tuned", "dart-nsgs"],
    limitations=[
        "Ours is timed in a compiled loop, as in a simulation; a peer's time holds one call from Python, 1 to 5 us.",
        "Solving only: no method's time includes kinematics, inertia or the Delassus matrix.",
        "Ours solves the law with a pyramid of 4 edges, the peers with the exact cone.",
        "Iterative peers stop at 1e-9 by their own measure; an answer counts here at 1e-6 by ours, which is kinder "
        "to them.",
        "All start cold. Warm starts help the iterative methods in a simulation.",
    ],
)
