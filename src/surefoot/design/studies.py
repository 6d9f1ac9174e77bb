"""Studies: a robot, what may change about it, and a trot that it shall learn to do, ready to be improved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.design.course import GaitTask, Task
from surefoot.design.morphology import Morphology, Parameter
from surefoot.design.motors import Motor
from surefoot.design.problem import Problem
from surefoot.design.prototypes import PRINTED, RECONFIGURABLE_LARGE, RECONFIGURABLE_SMALL
from surefoot.errors import InputError
from surefoot.gait import Gait
from surefoot.robots.families import FAMILIES, Quadruped

ENDS = (("front", "f"), ("hind", "h"))
# The dissertation's trot: touchdowns of a trot, not the pace that its tables 6 and 8 print.
TROT = {"period": 0.3, "duty": 0.6}
DYNAMIXELS = {"*": "RX-24F", "?H_Y2": "MX-64 at 14.8 V"}


@dataclass(frozen=True, eq=False)
class Study:
    """What `surefoot improve` works on.

    Attributes:
        name: of the study.
        robot: what `Morphology` takes.
        parameters: what may change.
        motors: by pattern of joint names.
        task: what to do.
        first, step, speed: m/s at which it begins, by which it is raised, and which it shall reach.
        margin: that all limits shall keep at that speed.
        choices: names of motors by pattern of joints, tried where nothing else helps.
        note: a sentence for people.
    """

    name: str
    robot: Any
    parameters: tuple[Parameter, ...]
    motors: Mapping[str, Motor | str]
    task: Task
    speed: float
    first: float = 0.1
    step: float = 0.1
    margin: float = 0.0
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    note: str = ""

    def problem(self, **options: Any) -> Problem:
        """The design problem; options are those of `Problem`."""
        return Problem(Morphology(self.robot, self.parameters, self.motors), self.task, **options)

    def difficulties(self, speed: float | None = None) -> list[float]:
        """Rising speeds in m/s, the last one asked for."""
        last = checks.number("speed", self.speed if speed is None else speed, above=0.0)
        count = max(int(np.ceil((last - self.first) / self.step - 1e-9)), 0)
        return [*(round(self.first + k * self.step, 9) for k in range(count)), last]


def of_legs(name: str, path: str, low: float, high: float, **more: Any) -> list[Parameter]:
    """Two parameters, of the front and of the hind legs, left and right the same.

    Args:
        name: what follows "front" and "hind" in their names.
        path: of the number within a leg, such as "thigh.length".
        low: bound of both.
        high: bound of both.
        more: see `Parameter`.
    """
    return [
        Parameter(f"{end} {name}", (f"robot.l{c}.{path}", f"robot.r{c}.{path}"), low, high, **more) for end, c in ENDS
    ]


def _limb_radius(end: str, c: str) -> Parameter:
    """Of all limbs of the front or of the hind legs."""
    limbs = tuple(f"robot.{side}{c}.{limb}.radius" for side in "lr" for limb in ("hip", "thigh", "shank"))
    return Parameter(f"{end} limb radius", limbs, 0.005, 0.030)


def _reconfigurable(name: str, robot: Quadruped, note: str) -> Study:
    """Figure 44 and table 8."""
    return Study(
        name,
        robot,
        (
            *of_legs("thigh length", "thigh.length", 0.05, 0.20),
            *of_legs("shank length", "shank.length", 0.05, 0.20),
            Parameter("base length", "robot.base.size.0", 0.05, 0.31),
            Parameter("base width", "robot.base.size.1", 0.04, 0.24),
        ),
        DYNAMIXELS,
        GaitTask(Gait.named("trot", step_height=0.02, **TROT), length=0.30, width=0.20, height=0.15),
        0.4,
        margin=0.02,
        note=note,
    )


def _printed() -> Study:
    """Figure 38 and table 6."""
    return Study(
        "printed",
        PRINTED,
        (
            *of_legs("hip length", "hip.length", 0.02, 0.14),
            *of_legs("thigh length", "thigh.length", 0.03, 0.30),
            *of_legs("shank length", "shank.length", 0.03, 0.30),
            Parameter("base length", "robot.base.size.0", 0.05, 0.25),
            Parameter("base width", "robot.base.size.1", 0.064, 0.15),  # as at the start: narrower ones tip over
            Parameter("base height", "robot.base.size.2", 0.015, 0.05),
            *of_legs("foot radius", "foot.radius", 0.008, 0.04),
            *(_limb_radius(end, c) for end, c in ENDS),
            *of_legs("hip mass", "hip.mass", 0.005, 0.2),
            *of_legs("thigh mass", "thigh.mass", 0.005, 0.2),
            *of_legs("shank mass", "shank.mass", 0.004, 0.1),
        ),
        {"*": "hobby servo"},
        GaitTask(Gait.named("trot", step_height=0.01, **TROT), length=2.0, width=1.1, height=0.75, relative=True),
        0.5,
        margin=0.06,
        note="the 3D-printed quadruped of [Zapolsky2017], section 6.2",
    )


def bundled() -> dict[str, Study]:
    """By name."""
    section = "of [Zapolsky2017], section 6.3"
    studies = (
        _printed(),
        _reconfigurable(
            "reconfigurable-small", RECONFIGURABLE_SMALL, f"the reconfigurable quadruped, small, {section}"
        ),
        _reconfigurable(
            "reconfigurable-large", RECONFIGURABLE_LARGE, f"the reconfigurable quadruped, large, {section}"
        ),
    )
    return {study.name: study for study in studies}


def study(robot: str, *, gait: str = "trot", speed: float | None = None, share: float = 0.5) -> Study:
    """A bundled study, or one of a bundled quadruped whose lengths, masses and feet may all change.

    Args:
        robot: name of a study, or of a bundled quadruped.
        gait: name of the gait; bundled studies trot.
        speed: m/s that it shall reach; None: as in the study, 0.5 otherwise.
        share: bounds of a quadruped's numbers: from this share of each to its inverse.
    """
    known = bundled()
    if robot in known:
        found = known[robot]
        if gait != "trot":
            raise InputError(f"gait: study {robot!r} trots; expected 'trot', got {gait!r}")
        return found
    walkers = [name for name, family in FAMILIES.items() if isinstance(family, Quadruped)]
    name = checks.choice("robot", robot, [*known, *walkers])
    family: Any = FAMILIES[name]
    checks.number("share", share, above=0.0, at_most=0.99)
    parameters: list[Parameter] = []
    for what, path in (
        ("hip length", "hip.length"), ("thigh length", "thigh.length"), ("shank length", "shank.length"),
        ("foot radius", "foot.radius"),
    ):  # fmt: skip
        values = [_at(family, f"{leg}.{path}") for leg in ("lf", "lh")]
        parameters += of_legs(what, path, share * min(values), max(values) / share)
    for axis, what in enumerate(("length", "width")):
        size = family.base.size[axis]
        parameters.append(Parameter(f"base {what}", f"robot.base.size.{axis}", share * size, size / share))
    parameters.append(
        Parameter("base mass", "robot.base.mass", share * family.base.kilograms, family.base.kilograms / share)
    )
    return Study(
        name, name, tuple(parameters), DYNAMIXELS, GaitTask(Gait.named(gait, step_height=0.02, **TROT)),
        0.5 if speed is None else speed, note=f"the bundled quadruped {name!r}",
    )  # fmt: skip


def _at(part: Any, path: str) -> float:
    for name in path.split("."):
        part = getattr(part, name)
    return float(part)
