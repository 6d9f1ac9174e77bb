"""Is a robot that was improved as built better, as built, than one that was improved as drawn?

    python -m benchmarks.robust_design

Both are improved from the same start for the same trot; then as many robots of each are built, with the same draws,
which neither has seen, and rehearse it. Nothing is timed.
"""

from __future__ import annotations

import typer

from surefoot.cli.console import console, progress_bar
from surefoot.design import AsBuilt, Crowd, improve
from surefoot.design.as_built import shapes
from surefoot.design.studies import bundled
from surefoot.traces.falsify import falsify
from surefoot.traces.paired import compare
from surefoot.traces.rates import Rate

SEEN, UNSEEN = 0, 1  # seeds of the draws that a design is made for, and of those that it is judged by


def main(
    study: str = "reconfigurable-small",
    speed: float = 0.3,
    crowd: int = 20,
    quantile: float = 0.05,
    particles: int = 256,
    updates: int = 60,
    workers: int = 2,
) -> None:
    """Improve a robot as drawn, then as built, and judge both."""
    screen, chosen = console(), bundled()[study]
    drawn = chosen.problem()
    nominal = improve(drawn, chosen.difficulties(speed))
    screen.print(f"as drawn: {nominal.reason}; {nominal.updates} updates", markup=False, soft_wrap=True)
    members = Crowd(shapes(drawn.morphology.parts.names), crowd, quantile, SEEN)
    robust = improve(
        chosen.problem(crowd=members), [speed], p=nominal.p, updates=updates, workers=workers,
        progress=lambda step: screen.print(f"  {step.number}: {step.worst:+.3f}", markup=False),
    )  # fmt: skip
    screen.print(f"as built: {robust.reason}; {robust.updates} updates", markup=False, soft_wrap=True)
    for name, a, b in zip(drawn.morphology.names, nominal.p, robust.p, strict=True):
        screen.print(f"  {name:22} {a:.4f} -> {b:.4f}", markup=False)
    scenario = AsBuilt(drawn, {"as drawn": nominal.p, "as built": robust.p}, speed)
    with progress_bar(screen, "building") as tell:
        run = falsify(
            scenario, particles, seed=UNSEEN, workers=workers, progress=lambda done, wanted, rates: tell(done, wanted)
        )
    screen.print(run.table(), markup=False)
    table = run.particles
    names, outcomes = table["policy"].to_pylist(), table["outcome"].to_pylist()
    won = {
        name: [end == "success" for who, end in zip(names, outcomes, strict=True) if who == name]
        for name in scenario.policies
    }
    for name, ends in won.items():
        screen.print(f"failures {name}: {Rate(len(ends) - sum(ends), len(ends))}", markup=False)
    for one in compare(won):
        screen.print(str(one), markup=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
