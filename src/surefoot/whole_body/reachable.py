"""Which forces the feet can exert on the centre of mass within friction, and over which ground the robot can stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError, SolveError
from surefoot.motion.limits import torque_range
from surefoot.whole_body.centre_of_mass import GraspMap, grasp_map, weight
from surefoot.whole_body.outermost import OutermostPoints
from surefoot.whole_body.pyramids import cone_rows
from surefoot.whole_body.reactions import floating
from surefoot.whole_body.shadow import Hull, shadow
from surefoot.whole_body.space import DynamicsSpace

Array = NDArray[np.float64]

FARTHEST = 10.0
"""m from the centre of mass at which a support region without end is cut."""
WEIGHTS = 2.0
"""Of the robot, that all normal forces together may be, unless the user says otherwise."""


@dataclass(frozen=True, eq=False)
class ReachableForces:
    """The convex set of forces that the contacts can exert on the centre of mass; see `reachable_forces`.

    Attributes:
        hull: corners (p, 3) in N, world axes, and sides; flat or a line where the feet are few.
        moment: (3,) N m about the centre of mass that goes with every force, None: any.
        largest: N, bound on the sum of all normal forces.
        support: (k, 2) m, world x and y, corners of the region over which the centre of mass can rest; fewer than three
            if it is a line, a point or nothing.
        grasp: forces at the contacts to force and moment at the centre of mass.
        space: what it was made from.
        mu: (nc,) friction.
        edges: of the friction pyramids.
    """

    hull: Hull
    moment: Array | None
    largest: float
    support: Array
    grasp: GraspMap
    space: DynamicsSpace
    mu: Array
    edges: int

    @property
    def corners(self) -> Array:
        """(p, 3) N, world axes."""
        return self.hull.corners

    @property
    def dimension(self) -> int:
        """3: a body, 2: a plane, 1: a line, 0: a single force."""
        return self.hull.dimension

    def contains(self, force: Any, tolerance: float = 1e-7) -> bool:
        """Whether a force (3,) N can be exerted, to `tolerance` times `largest`."""
        return self.hull.excess(checks.array("force", force, (3,))) <= tolerance * self.largest

    def extent(self, direction: Any) -> float:
        """N, the largest force along a direction (3,)."""
        u = checks.array("direction", direction, (3,))
        length = np.linalg.norm(u)
        if length == 0.0:
            raise InputError("direction: expected a direction, got a zero vector")
        return float((self.corners @ u).max() / length)

    def at_height(self, vertical: float) -> Array:
        """(k, 2) N, corners of the horizontal forces (x, y) that go with a vertical force in N; may be none."""
        corners = self.corners
        above = corners[:, 2] - checks.number("vertical", vertical)
        near = 1e-9 * self.largest
        found = [corners[np.abs(above) <= near, :2]]
        for i in np.flatnonzero(above > near):
            below = np.flatnonzero(above < -near)
            share = above[i] / (above[i] - above[below])
            found.append(corners[i, :2] + share[:, None] * (corners[below, :2] - corners[i, :2]))
        return around(np.concatenate(found), near)

    @property
    def can_stand(self) -> bool:
        """Whether the contacts can hold the robot's weight where it is (with the moment that was asked for)."""
        return self.contains(-weight(self.space.robot))

    def table(self) -> str:
        """How far the forces reach, in words and numbers."""
        heavy = float(np.linalg.norm(weight(self.space.robot)))
        kind = ("a single force", "a line of forces", "a plane of forces", "a body of forces")[self.dimension]
        with_ = "with any moment" if self.moment is None else f"with moment {_vector(self.moment)} N m"
        lines = [
            f"{self.space.robot.name}: {kind} at the centre of mass, {with_}, normal forces up to {self.largest:.4g} N"
        ]
        for name, u in zip(("x", "y", "z"), np.eye(3), strict=True):
            lines.append(f"  force {name}: {_span(-self.extent(-u), self.extent(u))}")
        flat = self.at_height(heavy)
        if len(flat):
            x, y = (_span(low, high) for low, high in zip(flat.min(axis=0), flat.max(axis=0), strict=True))
            still = "" if self.can_stand else ", but it cannot stand still"
            lines.append(f"  while it carries its weight of {heavy:.2f} N: x {x}, y {y}{still}")
        else:
            lines.append(f"  it cannot carry its weight of {heavy:.2f} N")
        return "\n".join(lines)


def reachable_forces(
    space: DynamicsSpace,
    *,
    moment: Any = (0.0, 0.0, 0.0),
    largest: float | None = None,
    torque_limits: Any = None,
    mu: float | None = None,
    edges: int = 8,
) -> ReachableForces:
    """The forces that the feet can exert on the centre of mass: pushing only, within friction pyramids.

    Args:
        space: of a floating robot.
        moment: (3,) N m about the centre of mass that comes with every force; None: whatever moment.
        largest: N, of all normal forces together; None: twice the weight.
        torque_limits: N m (N), None, one number, an array (joints,) or (joints, 2), or a dict by joint.
        mu: friction of all contacts, finite; None: that of `space.contacts`.
        edges: of the pyramids inscribed in the friction cones, even, at least 4.

    Raises:
        SolveError: no force at all is possible.
    """
    space = floating(space)
    heavy = float(np.linalg.norm(weight(space.robot)))
    if largest is None and heavy == 0.0:
        raise InputError("largest: expected a force in N, for a robot without weight")
    largest = WEIGHTS * heavy if largest is None else checks.number("largest", largest, above=0.0)
    m = None if moment is None else checks.array("moment", moment, (3,))
    n = len(space.contacts)
    friction = space.contacts.mu if mu is None else np.full(n, checks.friction("mu", mu))
    for i in np.flatnonzero(np.isinf(friction)):
        raise InputError(f"mu: expected finite friction, got inf at {space.contacts.names[i]}; give mu=")
    grasp = grasp_map(space.robot, space.state, space.contacts)
    zeta, joints = space.force_of_torque(), len(space.robot.joints)
    Z = np.hstack([zeta.matrix, zeta.free])
    cone = cone_rows(friction, edges) if n else np.zeros((0, 0))
    total = np.zeros((1, 3 * n))
    total[0, ::3] = 1.0
    low, high = torque_range(space.robot, torque_limits)
    free = Z.shape[1] - joints
    program = OutermostPoints(
        rows=np.vstack([-cone @ Z, total @ Z]),
        most=np.r_[cone @ zeta.offset, largest - total @ zeta.offset],
        equal=np.zeros((0, Z.shape[1])) if m is None else grasp.moment @ Z,
        value=np.zeros(0) if m is None else m - grasp.moment @ zeta.offset,
        low=np.r_[low, np.full(free, -np.inf)],
        high=np.r_[high, np.full(free, np.inf)],
        seen=grasp.force @ Z,
        offset=grasp.force @ zeta.offset,
        unit=largest,
    )
    hull = shadow(program, 3, largest)
    support = support_region(space, mu=mu, edges=edges)
    return ReachableForces(hull, m, largest, support, grasp, space, friction, edges)


def support_region(space: DynamicsSpace, *, mu: float | None = None, edges: int = 8) -> Array:
    """(k, 2) m, corners of the places over which the centre of mass can rest on these contacts [Bretl2008].

    On flat ground that is the polygon of the feet, whatever the friction; on slopes and steps friction shapes it. It is
    cut 10 m from the centre of mass.

    Args:
        space: of a floating robot under gravity.
        mu: see `reachable_forces`; inf allowed.
        edges: see `reachable_forces`.

    Returns:
        Corners around the region; two of a line, one of a point, none if the robot cannot rest anywhere.
    """
    space, up = floating(space), -weight(space.robot)
    heavy, n = float(np.linalg.norm(up)), len(space.contacts)
    if heavy == 0.0:
        raise InputError("space: expected a robot with weight: without gravity it rests everywhere")
    if not n:
        return np.zeros((0, 2))
    grasp = grasp_map(space.robot, space.state, space.contacts)
    friction = space.contacts.mu if mu is None else np.full(n, checks.friction("mu", mu))
    cone = cone_rows(friction, edges)
    # The moment about where the centre of mass is, of a weight carried elsewhere: G_tau lambda = d x (-m g).
    arm = np.cross(np.eye(3)[:2], up).T
    program = OutermostPoints(
        rows=np.hstack([-cone, np.zeros((len(cone), 2))]),
        most=np.zeros(len(cone)),
        equal=np.block([[grasp.force, np.zeros((3, 2))], [grasp.moment, -arm]]),
        value=np.r_[up, np.zeros(3)],
        low=np.r_[np.full(3 * n, -np.inf), -FARTHEST, -FARTHEST],
        high=np.r_[np.full(3 * n, np.inf), FARTHEST, FARTHEST],
        seen=np.eye(3 * n + 2)[-2:],
        offset=grasp.centre[:2],
        unit=heavy,
        lengths=2,
    )
    try:
        return shadow(program, 2, 1.0).corners
    except SolveError:
        return np.zeros((0, 2))


def around(points: Array, near: float) -> Array:
    """(k, 2) corners of the hull of points (n, 2), counterclockwise; two ends of a line, one point, or none."""
    if not len(points):
        return np.zeros((0, 2))
    middle = points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points - middle, full_matrices=False)
    along = (points - middle) @ axes.T
    if sizes[0] <= near:
        return middle[None]
    if len(sizes) < 2 or sizes[1] <= near:
        return points[[np.argmin(along[:, 0]), np.argmax(along[:, 0])]]
    return points[scipy.spatial.ConvexHull(points).vertices]


def _vector(values: Array) -> str:
    return "(" + ", ".join(f"{x + 0.0:g}" for x in values) + ")"


def _span(low: float, high: float) -> str:
    return f"{round(low, 2) + 0.0:.2f} to {round(high, 2) + 0.0:.2f} N"
