"""A mechanical system in contact at one instant, as plain matrices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.modes.linear import Linear, Rows, rows_of
from surefoot.solvers.polyhedron import Polyhedron

if TYPE_CHECKING:
    from surefoot.modes.response import Response
    from surefoot.modes.robust import RobustResponse

Array = NDArray[np.float64]

EDGES = (4, 8, 16)


@dataclass(frozen=True, eq=False)
class ContactSystem:
    """What moves, where it touches and what drives it, at one state.

        inertia qdd + bias = inputs tau + jacobian' f            [Greenfield2005] (5)

    Planar contacts have two rows of the Jacobian each, normal and tangent; spatial ones three, normal and two
    tangents. Normals point away from the environment: a contact opens if its normal velocity is positive. Positive
    along the tangent is "right".

    Attributes:
        inertia: (nv, nv) symmetric, positive definite; rows and columns of zeros are massless coordinates, such as the
            hips of legs without mass: what pushes on them is in balance, and they accelerate as contact demands.
        bias: (nv,) Coriolis, centrifugal and gravity forces, on the left side [N, N m].
        jacobian: (2k, nv), or (3k, nv) if `edges` is given.
        friction: coefficient, one or (k,); zero and inf are allowed.
        inputs: (nv, t) how torques enter; default: one on each coordinate.
        jacobian_rate: (2k, nv) time derivative of the Jacobian, or (2k,) its product with the velocity [m/s^2];
            default 0.
        velocity: (nv,), default 0.
        torque_limits: one number, (t,), or (t, 2) low and high [N m]; None: unlimited.
        physical: constraints (`Linear`) that hold in every solution.
        task: constraints that are only wished for; they count for domains "with task" and for `maximise`.
        edges: edges of the friction pyramid of spatial contacts, 4, 8 or 16; None: planar.
        threshold: m/s, one number, (k,) or (k, 2) for normal and tangent: velocities up to it count as zero, and rule
            out no mode.
        names: of the contacts.
        torque_names: of the torques.
        coordinates: names of the coordinates.
    """

    inertia: Any
    bias: Any
    jacobian: Any
    friction: Any
    inputs: Any = None
    jacobian_rate: Any = None
    velocity: Any = None
    torque_limits: Any = None
    physical: Any = ()
    task: Any = ()
    edges: int | None = None
    threshold: Any = 1e-9
    names: Any = None
    torque_names: Any = None
    coordinates: Any = None

    def __post_init__(self) -> None:
        """Check every argument."""

        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if self.edges is not None:
            put("edges", int(checks.choice("edges", self.edges, EDGES)))
        M = checks.array("inertia", self.inertia, (None, None))
        put("inertia", checks.array("inertia", M, (len(M), len(M))))
        _definite(M)
        nv, d = len(M), self.dimension
        put("bias", checks.array("bias", self.bias, (nv,)))
        J = checks.array("jacobian", self.jacobian, (None, nv))
        if len(J) % d:
            raise InputError(
                f"jacobian: expected {d} rows a contact (normal, {'tangent' if d == 2 else 'two tangents'}), "
                f"got {len(J)} rows"
            )
        put("jacobian", J)
        k = len(J) // d
        if checks.dimensions("friction", self.friction) == 0:
            put("friction", np.full(k, checks.friction("friction", self.friction)))
        else:
            given = checks.array("friction", self.friction, (k,), finite=False)
            put("friction", np.array([checks.friction(f"friction[{i}]", float(mu)) for i, mu in enumerate(given)]))
        S = np.eye(nv) if self.inputs is None else checks.array("inputs", self.inputs, (nv, None))
        put("inputs", S)
        v = np.zeros(nv) if self.velocity is None else checks.array("velocity", self.velocity, (nv,))
        put("velocity", v)
        rate = np.zeros(len(J)) if self.jacobian_rate is None else self.jacobian_rate
        if checks.dimensions("jacobian_rate", rate) == 2:
            rate = checks.array("jacobian_rate", rate, (len(J), nv)) @ v
        put("jacobian_rate", checks.array("jacobian_rate", rate, (len(J),)))
        put("torque_limits", _limits(self.torque_limits, S.shape[1]))
        put("threshold", _thresholds(self.threshold, k))
        for name, count, stem in (
            ("names", k, "contact"),
            ("torque_names", S.shape[1], "torque"),
            ("coordinates", nv, "coordinate"),
        ):
            put(name, _names(name, getattr(self, name), count, stem))
        for name in ("physical", "task"):
            rows_of(name, getattr(self, name), self.sizes)
            given = getattr(self, name)
            put(name, (given,) if isinstance(given, Linear) else tuple(given))
        self._refuse_contradictions()

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return 2 if self.edges is None else 3

    @property
    def nv(self) -> int:
        """Number of coordinates."""
        return len(self.inertia)

    @property
    def weighs(self) -> NDArray[np.bool_]:
        """(nv,) which coordinates have a mass."""
        return np.diag(self.inertia) > 0

    @property
    def contacts(self) -> int:
        """Number of contacts."""
        return len(self.jacobian) // self.dimension

    @property
    def torques(self) -> int:
        """Number of torques."""
        return self.inputs.shape[1]

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Lengths of accelerations, contact forces and torques."""
        return self.nv, len(self.jacobian), self.torques

    @cached_property
    def contact_velocity(self) -> Array:
        """(k, 2 or 3) m/s: normal, tangents. (3)."""
        return (self.jacobian @ self.velocity).reshape(-1, self.dimension)

    @cached_property
    def physical_rows(self) -> Rows:
        """Rows of the physical constraints."""
        return rows_of("physical", self.physical, self.sizes)

    @cached_property
    def task_rows(self) -> Rows:
        """Rows of the task constraints."""
        return rows_of("task", self.task, self.sizes)

    def change(self, **changes: Any) -> ContactSystem:
        """Return a copy with some arguments changed."""
        return replace(self, **changes)

    def acceleration(self, force: Any, torque: Any) -> Array:
        """(nv,) accelerations under contact forces (2k,) or (3k,) and torques (t,). (5)."""
        f = checks.array("force", force, (len(self.jacobian),))
        tau = checks.array("torque", torque, (self.torques,))
        if not self.weighs.all():
            massless = self.coordinates[int(np.argmin(self.weighs))]
            raise InputError(f"acceleration: expected a mass on every coordinate, got none on {massless}")
        push = self.inputs @ tau + self.jacobian.T @ f - self.bias
        return scipy.linalg.cho_solve(scipy.linalg.cho_factor(self.inertia), push)

    def response(self, progress: bool = False) -> Response:
        """Find every mode that some torque within the limits allows; `progress` shows a bar."""
        from surefoot.modes.response import Response

        return Response(self, progress=progress)

    def kinematic_modes(self) -> tuple[str, ...]:
        """Modes whose accelerations fit together, whatever the forces ([Greenfield2005], section III-F)."""
        from surefoot.modes.search import kinematic_modes

        return kinematic_modes(self)

    def robust(self, low: Any, high: Any, progress: bool = False) -> RobustResponse:
        """The modes under friction that is only known to lie between `low` and `high`, each one number or (k,)."""
        from surefoot.modes.robust import RobustResponse

        return RobustResponse(self, low, high, progress=progress)

    def _refuse_contradictions(self) -> None:
        """Physical constraints that no accelerations, forces and torques satisfy are a mistake, not a mode."""
        physical = self.physical_rows
        if not len(physical.bound):
            return
        A = np.hstack([physical.acceleration, physical.force, physical.torque])
        if self.torques:
            limits = np.pad(
                np.vstack([np.eye(self.torques), -np.eye(self.torques)]), ((0, 0), (A.shape[1] - self.torques, 0))
            )
            bounds = np.concatenate([self.torque_limits[:, 0], -self.torque_limits[:, 1]])
            limits, bounds = limits[np.isfinite(bounds)], bounds[np.isfinite(bounds)]
        else:
            limits, bounds = np.zeros((0, A.shape[1])), np.zeros(0)
        for last in range(1, len(A) + 1):
            chosen, equal = slice(0, last), physical.equality[:last]
            rows = Polyhedron(
                np.vstack([A[chosen][~equal], limits]),
                np.concatenate([physical.bound[chosen][~equal], bounds]),
                A[chosen][equal],
                physical.bound[chosen][equal],
            )
            if rows.is_empty:
                raise InputError(
                    f"physical: no accelerations, forces and torques satisfy {physical.names[last - 1]} together with "
                    "the constraints before it and the torque limits; loosen one of them"
                )


def _definite(M: Array) -> None:
    largest = np.abs(M).max(initial=0.0)
    if np.abs(M - M.T).max(initial=0.0) > 1e-10 * largest:
        i, j = np.unravel_index(np.argmax(np.abs(M - M.T)), M.shape)
        raise InputError(
            f"inertia: expected a symmetric matrix, got {M[i, j]:g} at ({i}, {j}) and {M[j, i]:g} at ({j}, {i})"
        )
    weighs = M.any(axis=1)  # rows of zeros are massless
    M = M[np.ix_(weighs, weighs)]
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    lowest = float(np.linalg.eigvalsh(M / np.outer(scale, scale))[0]) if (scale > 0).all() and len(M) else 0.0
    if len(M) and lowest <= 1e-12:
        raise InputError(
            "inertia: expected a positive definite matrix (massless coordinates have rows of zeros), got one with "
            f"eigenvalue {float(np.linalg.eigvalsh(M)[0]):.3g}"
        )


def _limits(given: Any, t: int) -> Array:
    """(t, 2) low and high."""
    if given is None:
        return np.tile([-np.inf, np.inf], (t, 1))
    axes = checks.dimensions("torque_limits", given)
    if axes == 0:
        most = checks.number("torque_limits", given, at_least=0)
        return np.tile([-most, most], (t, 1))
    if axes == 1:
        most = checks.array("torque_limits", given, (t,), finite=False)
        limits = np.column_stack([-most, most])
    else:
        limits = checks.array("torque_limits", given, (t, 2), finite=False)
    for i, (low, high) in enumerate(limits):
        if not low <= high:
            raise InputError(f"torque_limits: expected low <= high, got {low:g} and {high:g} at index {i}")
        if low == np.inf or high == -np.inf:
            raise InputError(
                f"torque_limits: expected finite torques between them, got {low:g} and {high:g} at index {i}"
            )
    return limits


def _thresholds(given: Any, k: int) -> Array:
    """(k, 2) normal and tangential."""
    axes = checks.dimensions("threshold", given)
    if axes == 0:
        return np.full((k, 2), checks.number("threshold", given, at_least=0))
    result = checks.array("threshold", given, (k,) if axes == 1 else (k, 2))
    if (result < 0).any():
        raise InputError(f"threshold: expected numbers of at least 0, got {result.min():g}")
    return np.column_stack([result, result]) if result.ndim == 1 else result


def _names(argument: str, given: Any, count: int, stem: str) -> tuple[str, ...]:
    if given is None:
        return tuple(f"{stem} {i + 1}" for i in range(count))
    if isinstance(given, str) or not isinstance(given, tuple | list) or not all(isinstance(s, str) for s in given):
        raise InputError(f"{argument}: expected a list of {count} names, got {given!r}")
    if len(given) != count:
        raise InputError(f"{argument}: expected a list of {count} names, got {len(given)} of them")
    return tuple(given)
