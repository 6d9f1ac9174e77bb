"""Quadratic costs over acceleration, torque and force, and how they move between them: [Ratliff2014] section 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError, SolveError
from surefoot.whole_body.affine import AffineSet, split

Array = NDArray[np.float64]

BETA = "beta"
FLAT = 1e-13
"""Share of the largest curvature that counts as none: light links are felt little, but they are felt."""
LEVEL = 1e-6
"""Share of the largest slope that counts as none."""

SMALL = 1e-4
"""Below RANK times this a part of an orthonormal basis is rounding."""


class Minimum(NamedTuple):
    """Where a cost is least.

    Attributes:
        point: by block, the minimiser of least norm.
        value: the cost there.
        free: by block, (n, k) directions along which the cost stays the same; k is 0 if the minimum is unique.
    """

    point: dict[str, Array]
    value: float
    free: dict[str, Array]


@dataclass(frozen=True, eq=False)
class Quadratic:
    """1/2 x'H x + g'x + c, x being some named blocks below each other.

    Attributes:
        sizes: length of each block, in order, such as {"acceleration": 18, "torque": 12}.
        hessian: H (n, n), symmetric.
        slope: g (n,).
        constant: c.
        domain: where the cost is meant, None for everywhere. Elsewhere it is the cost of the nearest point of it.
    """

    sizes: Mapping[str, int]
    hessian: Array
    slope: Array
    constant: float = 0.0
    domain: AffineSet | None = None

    def __post_init__(self) -> None:
        """Check shapes and make H symmetric."""
        if not isinstance(self.sizes, Mapping) or not self.sizes:
            raise InputError(f"sizes: expected block names with their lengths, got {self.sizes!r}")
        n = sum(checks.whole(f"sizes[{name!r}]", size) for name, size in self.sizes.items())
        H = checks.array("hessian", self.hessian, (n, n))
        if np.abs(H - H.T).max(initial=0.0) > 1e-9 * np.abs(H).max(initial=0.0):
            raise InputError("hessian: expected a symmetric matrix")
        object.__setattr__(self, "sizes", dict(self.sizes))
        object.__setattr__(self, "hessian", 0.5 * (H + H.T))
        object.__setattr__(self, "slope", checks.array("slope", self.slope, (n,)))
        object.__setattr__(self, "constant", checks.number("constant", self.constant))

    @classmethod
    def near(cls, weight: Any = 1.0, **targets: Any) -> Quadratic:
        """1/2 weight |x - target|^2, summed over the blocks given, as in `Quadratic.near(torque=np.zeros(12))`.

        Args:
            weight: one number for all, or a dict by block of numbers or arrays as long as the block, at least 0.
            targets: a vector for each block.
        """
        if not targets:
            raise InputError("targets: expected at least one block, such as torque=np.zeros(12)")
        if isinstance(weight, Mapping):
            checks.indices("weight", weight, list(targets), "block")
        parts = []
        for name, target in targets.items():
            target = checks.array(name, target, (None,))
            mine = weight.get(name, 1.0) if isinstance(weight, Mapping) else weight
            parts.append(cls.task(name, np.eye(len(target)), target, mine))
        return sum(parts[1:], parts[0])

    @classmethod
    def task(cls, block: str, matrix: Any, target: Any, weight: Any = 1.0) -> Quadratic:
        """1/2 sum of weight (matrix x - target)^2 over rows, x being one block.

        Args:
            block: its name.
            matrix: (m, n).
            target: (m,).
            weight: one number or (m,), at least 0.
        """
        A = checks.array("matrix", matrix, (None, None))
        y = checks.array("target", target, (len(A),))
        w = np.full(len(A), weight) if np.ndim(weight) == 0 else weight
        w = checks.array("weight", w, (len(A),))
        if (w < 0).any():
            raise InputError(f"weight: expected numbers of at least 0, got {w.min():g}")
        return cls({block: A.shape[1]}, A.T @ (w[:, None] * A), -A.T @ (w * y), 0.5 * float(y @ (w * y)))

    def __call__(self, **blocks: Any) -> float:
        """The cost at these blocks."""
        x = self._stack(blocks)
        if self.domain is not None:
            x = self.domain.project(x)
        return float(0.5 * x @ self.hessian @ x + self.slope @ x) + self.constant

    def gradient(self, **blocks: Any) -> dict[str, Array]:
        """The slope at these blocks, by block; within the domain, if there is one."""
        x = self._stack(blocks)
        if self.domain is None:
            return self._parts(self.hessian @ x + self.slope)
        full = self.hessian @ self.domain.project(x) + self.slope
        return self._parts(self.domain.directions @ (self.domain.directions.T @ full))

    def minimiser(self) -> Minimum:
        """The least cost; raises SolveError if it falls without end."""
        V = np.eye(len(self.slope)) if self.domain is None else self.domain.directions
        x0 = np.zeros(len(self.slope)) if self.domain is None else self.domain.origin
        at, flat = least(V.T @ self.hessian @ V, V.T @ (self.hessian @ x0 + self.slope), self.hessian)
        x, free = x0 + V @ at, V @ flat
        x = x - free @ (free.T @ x)
        value = float(0.5 * x @ self.hessian @ x + self.slope @ x) + self.constant
        return Minimum(self._parts(x), value, self._parts(free))

    def __add__(self, other: Any) -> Quadratic:
        """The sum; blocks that only one of them knows are added."""
        if not isinstance(other, Quadratic):
            return NotImplemented
        sizes = {**self.sizes, **other.sizes}
        for name in self.sizes:
            if sizes[name] != self.sizes[name]:
                raise InputError(f"{name}: expected blocks of one length, got {self.sizes[name]} and {sizes[name]}")
        if self.domain is not None or other.domain is not None:
            raise InputError("a cost that was pushed holds on its own set only; add costs in beta, then push the sum")
        n = sum(sizes.values())
        H, g = np.zeros((n, n)), np.zeros(n)
        for cost in (self, other):
            at = np.concatenate([np.arange(n)[_slices(sizes)[name]] for name in cost.sizes])
            H[np.ix_(at, at)] += cost.hessian
            g[at] += cost.slope
        return Quadratic(sizes, H, g, self.constant + other.constant)

    def __mul__(self, factor: Any) -> Quadratic:
        """The cost times a number."""
        c = checks.number("factor", factor)
        return Quadratic(self.sizes, c * self.hessian, c * self.slope, c * self.constant, self.domain)

    __rmul__ = __mul__

    def _stack(self, blocks: Mapping[str, Any]) -> Array:
        checks.indices("blocks", blocks, list(self.sizes), "block of this cost")
        missing = [name for name in self.sizes if name not in blocks]
        if missing:
            raise InputError(f"blocks: expected {', '.join(self.sizes)}, missing {', '.join(missing)}")
        return np.concatenate([checks.array(name, blocks[name], (size,)) for name, size in self.sizes.items()])

    def _parts(self, x: Array) -> dict[str, Array]:
        return {name: x[part] for name, part in _slices(self.sizes).items()}


def _slices(sizes: Mapping[str, int]) -> dict[str, slice]:
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}


def least(H: Array, g: Array, scale: Array) -> tuple[Array, Array]:
    """(n,) the least minimiser of 1/2 x'H x + g'x, and (n, k) the directions in which it is flat.

    Raises SolveError if there is none. Curvatures count against the largest entry of `scale`.
    """
    sizes, axes = np.linalg.eigh(H) if len(H) else (np.zeros(0), np.zeros((0, 0)))
    largest = float(np.abs(scale).max(initial=0.0))
    flat = np.abs(sizes) <= FLAT * largest
    if (sizes < -FLAT * largest).any():
        raise SolveError("the cost falls without end: it curves downwards in some direction")
    if np.abs(axes[:, flat].T @ g).max(initial=0.0) > LEVEL * np.abs(g).max(initial=0.0):
        raise SolveError("the cost falls without end: it has a slope where it does not curve")
    return -axes[:, ~flat] @ ((axes[:, ~flat].T @ g) / sizes[~flat]), axes[:, flat]


def pull_back(cost: Quadratic, offsets: Mapping[str, Array], matrices: Mapping[str, Array]) -> Quadratic:
    """The cost as one over beta, where every block is offset + matrix beta [Ratliff2014] (18).

    Args:
        cost: over any of the blocks.
        offsets: (n,) by block.
        matrices: (n, d) by block.
    """
    _known("cost", cost.sizes, offsets)
    v = np.concatenate([offsets[name] for name in cost.sizes])
    V = np.concatenate([matrices[name] for name in cost.sizes])
    for name, size in cost.sizes.items():
        if size != len(offsets[name]):
            raise InputError(f"cost: expected {name} of length {len(offsets[name])}, got {size}")
    if cost.domain is not None:
        v, V = cost.domain.project(v), cost.domain.directions @ (cost.domain.directions.T @ V)
    Hv = cost.hessian @ v
    constant = float(0.5 * v @ Hv + cost.slope @ v) + cost.constant
    return Quadratic({BETA: V.shape[1]}, V.T @ cost.hessian @ V, V.T @ (Hv + cost.slope), constant)


def push(
    cost: Quadratic, onto: str | Sequence[str], offsets: Mapping[str, Array], matrices: Mapping[str, Array]
) -> Quadratic:
    """A cost over beta as one over some of the blocks, with what these do not determine chosen best.

    [Ratliff2014] (19) puts beta = V^+ (y - v) into the cost, which is right if V has full column rank. Where it has
    not, some directions of beta do not show in y, and the cost is minimised over them.

    Args:
        cost: over beta.
        onto: a block, or several.
        offsets: (n,) v by block.
        matrices: (n, d) V by block.

    Returns:
        The cost on the values y = v + V beta that are possible, its `domain`.

    Raises:
        SolveError: what y does not determine lets the cost fall without end.
    """
    names = [onto] if isinstance(onto, str) else list(onto)
    _known("onto", names, offsets)
    if not names:
        raise InputError(f"onto: expected one of {', '.join(map(repr, offsets))} or several, got none")
    d = next(iter(matrices.values())).shape[1]
    if dict(cost.sizes) != {BETA: d}:
        raise InputError(f"cost: expected one over beta of length {d} (see pull_back), got one over {dict(cost.sizes)}")
    v = np.concatenate([offsets[name] for name in names])
    parts = split(np.concatenate([matrices[name] for name in names]), scale=SMALL)
    rest, H, g = parts.right_null, cost.hessian, cost.slope
    try:
        at, _ = least(rest.T @ H @ rest, rest.T @ g, H)
    except SolveError as error:
        raise SolveError(f"{' and '.join(names)}: {error}, which this leaves open") from None
    # The best of what is hidden, as an affine function of what is seen: beta = r + P (y - v).
    answer = np.linalg.pinv(rest.T @ H @ rest, rcond=FLAT, hermitian=True) @ rest.T @ H if rest.shape[1] else rest.T
    P = (np.eye(d) - rest @ answer) @ (parts.right / parts.sizes) @ parts.left.T
    r = rest @ at - P @ v
    pushed = pull_back(cost, {BETA: r}, {BETA: P})
    sizes = {name: len(offsets[name]) for name in names}
    # v itself may be far along the directions; the nearest point to zero is as good an origin.
    origin = v - parts.left @ (parts.left.T @ v)
    return Quadratic(sizes, pushed.hessian, pushed.slope, pushed.constant, AffineSet(origin, parts.left))


def _known(argument: str, names: Any, offsets: Mapping[str, Array]) -> None:
    checks.indices(argument, names, list(offsets), "block")
