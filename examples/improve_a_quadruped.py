"""A quadruped whose motors are too slow for its trot: which limit is in the way, and what to change."""

import surefoot as sf
from surefoot.design import GaitTask, Morphology, Parameter, Problem, improve


def both(end: str, c: str, limb: str) -> Parameter:
    """Length of a limb of both front or both hind legs, left and right the same to the bit."""
    return Parameter(f"{end} {limb} length", (f"robot.l{c}.{limb}.length", f"robot.r{c}.{limb}.length"), 0.05, 0.20)


limbs = [both(end, c, limb) for end, c in (("front", "f"), ("hind", "h")) for limb in ("thigh", "shank")]
body = [Parameter("base mass", "robot.base.mass", 1.0, 4.0), Parameter("base length", "robot.base.size.0", 0.08, 0.25)]
morphology = Morphology("links", [*limbs, *body], motors={"*": "RX-24F", "?H_Y2": "MX-64"})
problem = Problem(morphology, GaitTask(sf.gait.Gait.named("trot", duty=0.6, step_height=0.02), dt=2e-3))

for speed in (0.1, 0.2):
    look = problem.look(morphology.start, speed)
    print(f"{speed:g} m/s: {look.names[look.values.min(axis=0).argmin()]} {look.worst:+.2f}")

found = improve(problem, [0.1, 0.2])
print(found.table())
for step in found.steps:
    if step.number:
        print(f"update {step.number} at {step.difficulty:g} m/s: {step.violations[0]}")
