"""Pieces of a task program: blocks of rows with names, over the variables (acceleration, torque, force)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Variables:
    """What the program chooses, in this order.

    Attributes:
        accelerations: names of the velocities.
        torques: names of the joints.
        contacts: names of the contacts that are held.
        turning: (accelerations + torques,) whether it is rad/s^2 and N m, else m/s^2 and N.
        scale: (n,) how much of each counts as one.
    """

    accelerations: tuple[str, ...]
    torques: tuple[str, ...]
    contacts: tuple[str, ...]
    turning: NDArray[np.bool_]
    scale: Array

    def __len__(self) -> int:
        return len(self.scale)

    @property
    def names(self) -> tuple[str, ...]:
        """(n,) such as "acceleration of LF_X1", "torque of LF_X1", "normal force of LF_FOOT on ground"."""
        axes = ("normal force", "force along tangent 1", "force along tangent 2")
        return (
            *(f"acceleration of {name}" for name in self.accelerations),
            *(f"torque of {name}" for name in self.torques),
            *(f"{axis} of {name}" for name in self.contacts for axis in axes),
        )

    @property
    def units(self) -> tuple[str, ...]:
        """(n,) of each."""
        nv = len(self.accelerations)
        accelerations = ("rad/s^2" if turns else "m/s^2" for turns in self.turning[:nv])
        torques = ("N m" if turns else "N" for turns in self.turning[nv:])
        return (*accelerations, *torques, *("N",) * (3 * len(self.contacts)))

    def split(self, x: Array) -> tuple[Array, Array, Array]:
        """Acceleration (nv,), torque (joints,) and force (contacts, 3) of x (n,)."""
        nv, joints = len(self.accelerations), len(self.torques)
        return x[:nv], x[nv : nv + joints], x[nv + joints :].reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class TaskRows:
    """What a task wants: matrix x = right, each row with its weight.

    Attributes:
        name: of the task.
        level: 0 comes first.
        matrix: (m, n).
        right: (m,).
        weight: (m,) of the squared residuals.
        unit: of the residuals.
        error: (k,) reference less present value of what the task moves; None for those that follow no place.
        error_unit: of the error.
    """

    name: str
    level: int
    matrix: Array
    right: Array
    weight: Array
    unit: str
    error: Array | None = None
    error_unit: str = ""

    def residual(self, x: Array) -> Array:
        """(m,) matrix x - right."""
        return self.matrix @ x - self.right

    def value(self, x: Array) -> float:
        """Sum of weight times squared residual."""
        return float(self.weight @ self.residual(x) ** 2)


@dataclass(frozen=True, eq=False)
class Equalities:
    """matrix x = right.

    Attributes:
        family: "dynamics" or "contacts held".
        names: (m,) one a row.
        matrix: (m, n).
        right: (m,).
        units: (m,).
    """

    family: str
    names: tuple[str, ...]
    matrix: Array
    right: Array
    units: tuple[str, ...]

    def residual(self, x: Array) -> Array:
        """(m,) matrix x - right."""
        return self.matrix @ x - self.right


@dataclass(frozen=True, eq=False)
class Inequalities:
    """matrix x + offset >= 0.

    Attributes:
        family: such as "friction" or "torque".
        names: (m,) one a row.
        matrix: (m, n).
        offset: (m,).
        units: (m,).
        scale: (m,) violations are weighed against each other in these units.
    """

    family: str
    names: tuple[str, ...]
    matrix: Array
    offset: Array
    units: tuple[str, ...]
    scale: Array

    def room(self, x: Array) -> Array:
        """(m,) what is left; negative: by how much it is violated."""
        return self.matrix @ x + self.offset


@dataclass(frozen=True, eq=False)
class Cones:
    """|last two of matrices[i] x| <= first of matrices[i] x: exact friction.

    Attributes:
        family: "friction".
        names: (m,) one a contact.
        matrices: (m, 3, n).
        units: (m,).
        scale: (m,).
    """

    family: str
    names: tuple[str, ...]
    matrices: Array
    units: tuple[str, ...]
    scale: Array

    def room(self, x: Array) -> Array:
        """(m,) what is left; negative: by how much it is violated."""
        at = self.matrices @ x
        return at[:, 0] - np.linalg.norm(at[:, 1:], axis=1)
