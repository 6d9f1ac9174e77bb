"""Random contact problems in great number: each solved exactly, or proven to have no answer.

`python -m benchmarks.exactness` runs 100 000 problems of a robot with free velocities to move, and 1 000 grasps and
chimneys, where prescribed bodies squeeze an object and often no answer exists. It prints one table; nothing is timed.
A problem counts as

- solved: the compiled solver says so *and* the law's residual, recomputed from the problem by other code, is at most
   1e-8;
- wrong: the solver says solved but the residual is larger (must not happen);
- no answer, by certificate: y >= 0, W_n'y = 0, (c0_n + gap rate)'y < 0, checked here;
- no answer, by cases: every complementary choice refuted by a checked vector (`surefoot.solvers.refutation`);
- found by cases: that search found an answer which the solver had missed;
- unsolved: none of these.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from rich.progress import Progress

from benchmarks.coulomb import EDGES, CoulombSolver
from surefoot.kernels import status as codes
from surefoot.solvers.contact_problem import ContactProblem
from surefoot.solvers.contact_samples import KINDS, contact_case
from surefoot.solvers.refutation import refute

OUTCOMES = ("solved", "wrong", "no answer, by certificate", "no answer, by cases", "found by cases", "unsolved")
CHUNK = 250


def certified(problem: ContactProblem, y: np.ndarray) -> bool:
    """Whether y proves that no velocity opens all contacts: y >= 0, W_n'y = 0 and (c0_n + gap rate)'y < 0."""
    normals = problem.W[::3]
    demand = problem.c0[::3] + problem.gap_rate
    size = np.linalg.norm(normals, axis=1) @ y
    balanced = np.linalg.norm(normals.T @ y) <= 1e-8 * size
    return bool((y >= 0).all() and balanced and demand @ y < -1e-9 * np.abs(problem.c0).max() * y.sum())


def judge(problem: ContactProblem, solver: CoulombSolver, nodes: int) -> tuple[str, float]:
    """Outcome and residual of one problem."""
    code, f, y = solver.solve(problem)
    if code == codes.SOLVED:
        residual = problem.residual(f, EDGES)
        return ("solved" if residual <= 1e-8 else "wrong"), residual
    if code == codes.INFEASIBLE and certified(problem, y):
        return "no answer, by certificate", 0.0
    if nodes:
        search = refute(problem.lcp(EDGES), nodes)
        if search.z is not None:
            residual = problem.residual(problem.impulses(search.z, EDGES), EDGES)
            return ("found by cases" if residual <= 1e-8 else "unsolved"), residual
        if search.refutation is not None and search.refutation.check():
            return "no answer, by cases", 0.0
    return "unsolved", 0.0


def run(
    seed: int, first: int, last: int, nodes: int, kinds: tuple[str, ...]
) -> tuple[Counter, dict[str, float], list[str]]:
    """Outcomes by kind, worst residual by kind, and the numbers of problems left unsolved or wrong."""
    solver, counts, worst, open_cases = CoulombSolver(), Counter(), {}, []
    for index in range(first, last):
        case = contact_case(seed, index, kinds=kinds)
        outcome, residual = judge(case.problem, solver, nodes)
        counts[case.kind, outcome] += 1
        if outcome == "solved":
            worst[case.kind] = max(worst.get(case.kind, 0.0), residual)
        elif outcome in ("unsolved", "wrong"):
            open_cases.append(f"contact_case({seed}, {index}, kinds={kinds})")
    return counts, worst, open_cases


def table(counts: Counter, worst: dict[str, float]) -> str:
    """Markdown: one row a kind of problem."""
    kinds = sorted({kind for kind, _ in counts})
    lines = [
        "| kind | problems | " + " | ".join(OUTCOMES) + " | worst residual |",
        "|---" * (len(OUTCOMES) + 3) + "|",
    ]
    for kind in [*kinds, "all"]:
        cells = [sum(v for (k, o), v in counts.items() if o == outcome and kind in (k, "all")) for outcome in OUTCOMES]
        residual = max((v for k, v in worst.items() if kind in (k, "all")), default=0.0)
        lines.append(f"| {kind} | {sum(cells)} | " + " | ".join(map(str, cells)) + f" | {residual:.1e} |")
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="problems of all kinds but grasps")
    parser.add_argument("--grasps", type=int, default=1000, help="grasps and chimneys")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=1000, help="linear programs to spend on a proof by cases; 0: none")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="write the table to this Markdown file too")
    options = parser.parse_args()
    counts, worst, open_cases = Counter(), {}, []
    free = tuple(kind for kind in KINDS if kind != "grasp")
    jobs = [
        (options.seed, first, min(first + CHUNK, count), options.nodes, kinds)
        for count, kinds in ((options.count, free), (options.grasps, ("grasp",)))
        for first in range(0, count, CHUNK)
    ]
    with ProcessPoolExecutor(options.workers) as pool, Progress() as progress:
        bar = progress.add_task("solving", total=options.count + options.grasps)
        for part, residuals, cases in pool.map(run, *zip(*jobs, strict=True)):
            counts += part
            worst = {kind: max(worst.get(kind, 0.0), residuals.get(kind, 0.0)) for kind in worst | residuals}
            open_cases += cases
            progress.advance(bar, sum(part.values()))
    text = table(counts, worst)
    if open_cases:
        text += "\n\nLeft open:\n\n" + "\n".join(f"- `{case}`" for case in open_cases)
    print(text)
    if options.out:
        heading = f"# {options.count} contact problems and {options.grasps} grasps, seed {options.seed}"
        sizes = f"--count {options.count} --grasps {options.grasps} --seed {options.seed} --nodes {options.nodes}"
        command = f"`python -m benchmarks.exactness {sizes}`"
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(f"{heading}\n\nMade by {command}.\n\n{text}\n")


if __name__ == "__main__":
    main()
