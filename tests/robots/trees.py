"""Random trees of bodies, as MJCF: several joints to a body, anchors, zeros and axes anywhere, frames, pitch at 90."""

import numpy as np


class Grower:
    """Makes random trees from a seed; bodies are called b0, b1, ..., joints j0, j1, ..."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.bodies = self.joints = 0

    def tree(self):
        """The text of an MJCF of one tree, floating or bolted."""
        body = self._body(3, free=self.rng.random() < 0.5)
        return f'<mujoco><compiler angle="radian"/><worldbody>{body}</worldbody></mujoco>'

    def _body(self, depth, free=False):
        rng, name = self.rng, f"b{self.bodies}"
        self.bodies += 1
        turn = rng.normal(size=4) if rng.random() < 0.7 else [1, 0, 1, 0]
        joints = "<freejoint/>" if free else "".join(self._joint() for _ in range(rng.integers(name == "b0", 4)))
        kids = "".join(self._body(depth - 1) for _ in range(rng.integers(0, 3) if depth else 0))
        if rng.random() < 0.3:
            kids = f'<frame pos="0.1 0 0" quat="{_text(rng.normal(size=4))}">{kids}</frame>'
        inside = f'{joints}{self._inertial()}<geom size="0.01" contype="0" conaffinity="0"/>{kids}'
        return f'<body name="{name}" pos="{_text(0.3 * rng.normal(size=3))}" quat="{_text(turn)}">{inside}</body>'

    def _joint(self):
        rng, k = self.rng, self.joints
        self.joints += 1
        kind = "hinge" if rng.random() < 0.7 else "slide"
        rest = f'actuatorfrcrange="-{3 + k} {3 + k}" damping="{rng.random()}" frictionloss="{rng.random()}"'
        if rng.random() < 0.6:
            rest += f' pos="{_text(0.1 * rng.normal(size=3))}"'
        if rng.random() < 0.6:
            rest += f' ref="{rng.normal()}"'
        if rng.random() < 0.5:
            rest += f' range="{-5 - rng.random()} {5 + rng.random()}"'
        return f'<joint name="j{k}" type="{kind}" axis="{_text(rng.normal(size=3))}" {rest}/>'

    def _inertial(self):
        rng = self.rng
        root = rng.normal(size=(3, 3))
        second = 0.01 * root @ root.T
        inertia = np.trace(second) * np.eye(3) - second
        six = _text(inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        return f'<inertial pos="{_text(0.1 * rng.normal(size=3))}" mass="{rng.random() + 0.1}" fullinertia="{six}"/>'


def _text(numbers):
    return " ".join(repr(float(x)) for x in numbers)
