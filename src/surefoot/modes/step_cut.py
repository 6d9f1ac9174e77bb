"""What one solution of a step says about all others: a linear inequality that makes the search short.

Impulses never put energy in: f'c <= 0 in every solution, with the gap rate counted in c, for normals are complementary
and friction is against the slip. And G is positive semidefinite. So of two solutions

    0 <= (f - f*)'(c - c*) = f'c + f*'c* - (f'c* + f*'c)        hence        f'c* + f*'c - f'c <= f*'c*

If f* is known, f'c* + f*'c is linear in the unknowns. In f'c <= 0 a joint of friction or torque b has -b |c|, which
needs one unknown more; what sliding contacts have in it is left out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.modes.blocks import Block
from surefoot.modes.linear import Linear
from surefoot.modes.system import ContactSystem

Array = NDArray[np.float64]

SLACK = 1e-7
"""Share of its own terms by which the inequality is loosened: the known solution is not exact."""


def with_cut(
    system: ContactSystem, blocks: list[Block], force: Array, bounds: dict[int, float]
) -> tuple[ContactSystem, list[Block]]:
    """The system and its blocks with that inequality, for the search alone: a joint's third component is b |c| there.

    Args:
        system: of a step, see step.py.
        blocks: of the same.
        force: (3n,) a solution [N].
        bounds: b of each block that is a joint with friction or limited torque [N, N m].
    """
    W, rate = system.jacobian, system.jacobian_rate
    motion = W.T @ force
    c = W @ motion + rate
    total, rows, freed = c.copy(), [], list(blocks)
    for i, b in bounds.items():
        third = np.eye(len(c))[3 * i + 2]
        total[3 * i + 2] = 1.0
        rows += [Linear(-s * W[3 * i + 1], third, at_least=s * rate[3 * i + 1]) for s in (b, -b)]
        low, high = blocks[i].low.copy(), blocks[i].high.copy()
        low[:, 2], high[:, 2] = -np.inf, np.inf
        freed[i] = replace(blocks[i], low=low, high=high)
    slack = SLACK * (motion @ motion + np.abs(force) @ np.abs(rate))
    rows.append(Linear(-motion, -total, at_least=force @ rate - force @ c - slack))
    return replace(system, physical=(*system.physical, *rows)), freed
