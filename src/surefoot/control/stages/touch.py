"""Feet that feel the ground, as a stage."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.control.arguments import as_robot, foot_numbers
from surefoot.control.blackboard import known
from surefoot.control.stage import Stage
from surefoot.kernels.touch import toucher, touching
from surefoot.motion.workspace import Workspace
from surefoot.robots.scene import Scene

LATEST = 1e-3  # s, the step for which contacts are looked for


class Touch(Stage):
    """Perception: which feet touch something, as a switch under each foot would say. Writes "contact".

    It looks at the geometry of the robot and the ground that it believes in, and has room for twice the contacts of
    `scene.home()`, for 64 at least; with more the run ends. `GaitPlanner(planner, sensed=True)` lets a
    foot that misses the ground reach for it.

    Attributes:
        scene: robot and ground that it believes in.
        within: a foot touches what is nearer than this, in m.
    """

    def __init__(self, scene: Scene, within: float = 1e-4, *, name: str = "touch", every: int = 1) -> None:
        """Prepare.

        Args:
            scene: robot or scene.
            within: a foot touches what is nearer than this, in m; at most 1 mm.
            name: name of the stage.
            every: runs at every n-th tick.
        """
        self.scene = as_robot(scene)
        self.within = checks.number("within", within, at_least=0.0, at_most=1e-3)
        self._space = Workspace(scene, LATEST, capacity=64)
        self._space.make_room(scene.home())
        super().__init__(
            name,
            "perception",
            reads=known(scene, "q", "v"),
            writes=known(scene, "contact"),
            every=every,
            function=_touch,
            kept=True,
        )

    @property
    def params(self) -> Any:
        """(6 + ngeom,): addresses of the kernel and its arrays, within, nq, nv, feet; the foot of each geom, or -1."""
        box, scene = self._space.box, self.scene
        numbers = [toucher(box).__wrapper_address__(), box.address, self.within, scene.nq, scene.nv, len(scene.feet)]
        return np.concatenate([np.array(numbers, dtype=np.float64), foot_numbers(scene)])

    def __reduce__(self) -> tuple[Any, ...]:
        """Addresses do not travel: copies and pickles are made anew."""
        return partial(Touch, self.scene, self.within, name=self.name, every=self.every), ()


def _touch(t, board, where, memory, params):
    nq, nv, feet = int(params[3]), int(params[4]), int(params[5])
    q, v = board[where[0] : where[0] + nq], board[where[1] : where[1] + nv]
    contact = board[where[2] : where[2] + feet]
    return touching(params[0], params[1], params[2], q, v, params[6:], contact)
