"""The linear complementarity problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks


@dataclass(frozen=True, eq=False)
class LinearComplementarity:
    """Find z with `w = M z + q`, `z >= 0`, `w >= 0`, `z'w = 0`.

    Attributes:
        M: (n, n) matrix.
        q: (n,) vector.
    """

    M: NDArray[np.float64]
    q: NDArray[np.float64]

    def __post_init__(self) -> None:
        q = checks.array("q", self.q, (None,))
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "M", checks.array("M", self.M, (len(q), len(q))))

    @property
    def size(self) -> int:
        """Number of variables n."""
        return len(self.q)

    def slack(self, z: Any) -> NDArray[np.float64]:
        """Return w = M z + q."""
        return self.M @ checks.array("z", z, (self.size,)) + self.q
