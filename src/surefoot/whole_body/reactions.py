"""A wanted force and moment at the centre of mass, through the feet: ground reactions, and the torques for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError, SolveError
from surefoot.motion.limits import torque_range
from surefoot.whole_body.affine import split
from surefoot.whole_body.centre_of_mass import grasp_map, weight
from surefoot.whole_body.nested import Bounds, nested_least_squares
from surefoot.whole_body.pyramids import cone_rows, owner
from surefoot.whole_body.space import DynamicsSpace
from surefoot.whole_body.words import groups, listed, out_of_reach

Array = NDArray[np.float64]

AXES = ("force x", "force y", "force z", "moment x", "moment y", "moment z")
REACHED = 1e-9
"""Share of the wanted force (and moment) that may be missing."""
AT_LIMIT = 1e-7


@dataclass(frozen=True, eq=False)
class CentreOfMassForces:
    """What the feet do for the centre of mass; see `centre_of_mass_forces`.

    Attributes:
        wanted: (6,) force in N, moment in N m about the centre of mass, world axes.
        reached: (6,) what the feet give.
        forces: (nc, 3) ground reactions in N: normal, tangent 1, tangent 2.
        torque: (joints,) N m (N).
        acceleration: (nv,) what happens then.
        limits: what stands in the way: cones, feet that would have to pull, motors, too few feet.
        space: the space they were chosen in.
    """

    wanted: Array
    reached: Array
    forces: Array
    torque: Array
    acceleration: Array
    limits: tuple[str, ...]
    space: DynamicsSpace

    @property
    def missing(self) -> Array:
        """(6,) wanted less reached."""
        return self.wanted - self.reached

    @property
    def is_reached(self) -> bool:
        """Whether nothing is missing but rounding."""
        return bool((np.abs(self.missing) <= self._rounding).all())

    @property
    def _rounding(self) -> float:
        return REACHED * max(np.abs(self.wanted).max(), float(np.linalg.norm(weight(self.space.robot))), 1e-300)

    def table(self) -> str:
        """Wanted, reached and missing by name; then each contact's force."""
        lines = [f"{'':<12}{'wanted':>10}{'reached':>10}{'missing':>10}"]
        for name, *values in zip(AXES, self.wanted, self.reached, self.missing, strict=True):
            shown = [0.0 if abs(value) <= self._rounding else value for value in values]
            lines.append(
                f"{name:<12}" + "".join(f"{value:>10.3f}" for value in shown) + (" N" if name[0] == "f" else " N m")
            )
        for name, force in zip(self.space.contacts.names, self.forces, strict=True):
            normal = 0.0 if abs(force[0]) <= self._rounding else force[0]
            lines.append(f"{name}: normal {normal:.3f} N, tangential {np.linalg.norm(force[1:]):.3f} N")
        return "\n".join([*lines, self.text()])

    def text(self) -> str:
        """One sentence: reached, or what is missing, and what stands in the way."""
        if self.is_reached:
            return "reached"
        gone = [k for k in range(6) if abs(self.missing[k]) > self._rounding]
        parts = [f"{self.missing[k]:.4g} {'N' if k < 3 else 'N m'} of {AXES[k]}" for k in gone]
        return f"missing {listed(parts)}" + "".join(f"; {limit}" for limit in self.limits)


def centre_of_mass_forces(
    space: DynamicsSpace,
    force: Any,
    moment: Any = (0.0, 0.0, 0.0),
    *,
    cones: bool = False,
    edges: int = 8,
    mu: float | None = None,
    torque_limits: Any = None,
    tangential: Any = 1.0,
    normal: Any = 0.1,
    nominal: Any = None,
    lever: float = 1.0,
) -> CentreOfMassForces:
    """Ground reactions and torques that exert a wanted force and moment at the centre of mass [Ratliff2014] 3.1.

    Three wishes, each within what the one before leaves open: the wanted force and moment, nearest by (22); the
    reactions that (23) likes best; the least torques, (25).

    Args:
        space: of a floating robot.
        force: (3,) N that all contacts together shall exert; to stand still, the weight upwards.
        moment: (3,) N m about the centre of mass.
        cones: let contacts only push, and within friction.
        edges: of the pyramids inscribed in the friction cones, even, at least 4.
        mu: friction of all contacts; None: that of `space.contacts`.
        torque_limits: N m (N), None, one number, an array (joints,) or (joints, 2), or a dict by joint.
        tangential: how much a tangential force is disliked: one number, a dict by foot, or (nc,).
        normal: alpha of (23), how much a normal force other than the nominal one is disliked; likewise.
        nominal: N, the normal force that a contact should carry, likewise; None: an even share of the weight.
        lever: m; a missing newton metre counts as much as a missing 1 / lever newtons.

    Raises:
        SolveError: with these cones and torque limits the contacts cannot even stay where they are.
    """
    space, contacts = floating(space), space.contacts
    f, m = checks.array("force", force, (3,)), checks.array("moment", moment, (3,))
    lever = checks.number("lever", lever, above=0.0)
    wanted, n, joints = np.concatenate([f, m]), len(contacts), len(space.robot.joints)
    zeta = space.force_of_torque()
    # x: torques, then what they leave open of the forces; lambda = Z x + offset [Ratliff2014] (24).
    Z = np.hstack([zeta.matrix, zeta.free])
    G = grasp_map(space.robot, space.state, contacts).matrix / np.r_[np.ones(3), np.full(3, lever)][:, None]
    share = np.linalg.norm(weight(space.robot)) / max(n, 1)
    likes = np.sqrt(
        np.stack([per_contact(space, "normal", normal), *2 * [per_contact(space, "tangential", tangential)]], axis=1)
    ).reshape(-1)
    load = np.zeros((n, 3))
    load[:, 0] = per_contact(space, "nominal", share if nominal is None else nominal)
    friction = contacts.mu if mu is None else np.full(n, checks.friction("mu", mu))
    bounds = _bounds(space, Z, zeta.offset, friction if cones else None, edges, torque_limits)
    levels = [
        # [Ratliff2014] (22)
        (G @ Z, wanted / np.r_[np.ones(3), np.full(3, lever)] - G @ zeta.offset),
        # [Ratliff2014] (23), with the first norm squared and a n for a
        (likes[:, None] * Z, likes * (load.ravel() - zeta.offset)),
        # [Ratliff2014] (25)
        (np.eye(joints, Z.shape[1]), np.zeros(joints)),
    ]
    try:
        x = nested_least_squares(levels, Z.shape[1], bounds)
    except SolveError as error:
        raise SolveError(
            f"{error}: the contacts cannot stay; give up a contact, or allow more friction or torque"
        ) from None
    lam, tau = Z @ x + zeta.offset, x[:joints]
    reached = grasp_map(space.robot, space.state, contacts).matrix @ lam
    at = () if bounds is None else _limits(space, bounds, x, friction if cones else None, edges)
    choice = len(split(G @ Z, scale=float(np.linalg.norm(G))).sizes)
    held = (f"in this posture torques choose {choice} of 6 forces and moments",) if 0 < choice < 6 else ()
    limits = (*at, *(out_of_reach(space) or held))
    return CentreOfMassForces(
        wanted, reached, lam.reshape(-1, 3), tau, space.acceleration_of_torque()(tau), limits, space
    )


def per_contact(space: DynamicsSpace, name: str, value: Any) -> Array:
    """(nc,) numbers of at least 0, from one for all, a dict by foot (others: 1), or one each."""
    n = len(space.contacts)
    if isinstance(value, Mapping):
        known = groups(space)
        checks.indices(name, value, list(known), "foot in contact")
        result = np.ones(n)
        for foot, number in value.items():
            result[known[foot]] = checks.number(f"{name}[{foot!r}]", number, at_least=0.0)
        return result
    if np.ndim(value) == 0:
        return np.full(n, checks.number(name, value, at_least=0.0))
    result = checks.array(name, value, (n,))
    if (result < 0).any():
        raise InputError(f"{name}: expected numbers of at least 0, got {result.min():g}")
    return result


def floating(space: Any) -> DynamicsSpace:
    """The space, if its robot floats."""
    if not isinstance(space, DynamicsSpace):
        raise InputError(f"space: expected a DynamicsSpace (see dynamics_space), got {type(space).__name__}")
    if space.robot.base is None:
        raise InputError(f"space: expected a robot that floats; the bolts of {space.robot.name} carry what feet do not")
    return space


def _bounds(
    space: DynamicsSpace, Z: Array, offset: Array, mu: Array | None, edges: int, torque_limits: Any
) -> Bounds | None:
    """Cones and torque limits as bounds on x; None if there are none."""
    low, high = torque_range(space.robot, torque_limits)
    limited = np.flatnonzero(np.isfinite(low) | np.isfinite(high))
    if mu is None and not len(limited):
        return None
    cone = np.zeros((0, len(offset))) if mu is None or not len(mu) else cone_rows(mu, edges)
    return Bounds(
        np.concatenate([cone @ Z, np.eye(Z.shape[1])[limited]]),
        np.concatenate([-cone @ offset, low[limited]]),
        np.concatenate([np.full(len(cone), np.inf), high[limited]]),
    )


def _limits(space: DynamicsSpace, bounds: Bounds, x: Array, mu: Array | None, edges: int) -> tuple[str, ...]:
    """Names of the bounds that x lies on."""
    at = bounds.rows @ x
    unit = max(float(np.linalg.norm(weight(space.robot))), np.abs(at).max(initial=0.0))
    slack = np.minimum(at - bounds.low, bounds.high - at) <= AT_LIMIT * unit
    names: dict[str, None] = {}
    rows = [] if mu is None else owner(mu, edges)
    lifted = {i for k, (i, friction) in enumerate(rows) if slack[k] and not friction}
    for k, (i, friction) in enumerate(rows):
        if slack[k]:
            name = space.contacts.names[i]
            if i in lifted:
                names[f"{name} carries nothing"] = None
            elif friction:
                names[f"{name} is at its friction limit"] = None
    for row in np.flatnonzero(slack[len(rows) :]):
        joint = int(np.argmax(bounds.rows[len(rows) + row]))
        names[f"{space.robot.joints[joint]} is at its torque limit"] = None
    return tuple(names)
