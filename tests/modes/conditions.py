"""What each contact mode demands, written straight from tables I and II of [Greenfield2005], contact by contact.

Every demand is affine in the unknowns x = (qdd, f, tau): a row and a number, `row @ x + number`, which must be zero,
at least zero ("closed") or more than zero ("strict"). Nothing here is shared with the package: systems are read as
plain matrices, and need only have the attributes of `sf.modes.ContactSystem`.
"""

import itertools
from typing import NamedTuple

import numpy as np


class Rows(NamedTuple):
    """Demands `rows[:, :-1] @ x + rows[:, -1]` = 0, >= 0, > 0."""

    equal: np.ndarray
    closed: np.ndarray
    strict: np.ndarray


class Plain:
    """A system's matrices with every default filled in."""

    def __init__(self, system):
        self.inertia, self.bias, self.jacobian = (np.asarray(a, float) for a in _taken(system))
        self.nv = len(self.bias)
        self.edges = getattr(system, "edges", None)
        self.width = 2 if self.edges is None else 3
        self.contacts = len(self.jacobian) // self.width
        self.friction = np.broadcast_to(np.asarray(system.friction, float), self.contacts)
        self.inputs = np.eye(self.nv) if system.inputs is None else np.asarray(system.inputs, float)
        self.torques = self.inputs.shape[1]
        velocity = np.zeros(self.nv) if system.velocity is None else np.asarray(system.velocity, float)
        rate = np.zeros(len(self.jacobian)) if system.jacobian_rate is None else np.asarray(system.jacobian_rate, float)
        self.drift = rate @ velocity if rate.ndim == 2 else rate
        self.slip = (self.jacobian @ velocity).reshape(self.contacts, self.width)
        threshold = np.asarray(system.threshold, float)
        self.threshold = np.broadcast_to(threshold if threshold.ndim == 2 else threshold[..., None], (self.contacts, 2))
        self.limits = _limits(system.torque_limits, self.torques)
        self.physical = tuple(system.physical)
        self.size = self.nv + len(self.jacobian) + self.torques

    def row(self, qdd=None, force=None, torque=None, number=0.0):
        """One demand as a row of `size` + 1 numbers; `force` and `torque` are dicts index -> coefficient."""
        row = np.zeros(self.size + 1)
        if qdd is not None:
            row[: self.nv] = qdd
        for start, part in ((self.nv, force), (self.nv + len(self.jacobian), torque)):
            for index, value in (part or {}).items():
                row[start + index] = value
        row[-1] = number
        return row

    def acceleration(self, index, factor=1.0):
        """A component of the contacts' acceleration, J qdd + Jdot qd."""
        return self.row(qdd=factor * self.jacobian[index], number=factor * self.drift[index])

    def stacked(self, rows):
        """Rows as a matrix, also when there are none."""
        return np.array(rows, float).reshape(-1, self.size + 1)


def _taken(system):
    return system.inertia, system.bias, system.jacobian


def _limits(limits, torques):
    """(torques, 2) low and high, or None."""
    if limits is None:
        return None
    limits = np.asarray(limits, float)
    if limits.ndim < 2:
        limits = np.broadcast_to(limits, torques)
        limits = np.column_stack([-limits, limits])
    return limits


def tokens(plain):
    """For each contact the tokens that its velocity leaves (table III); none at all where it is about to collide."""
    return [_tokens(plain, i) for i in range(plain.contacts)]


def _tokens(plain, i):
    normal, slip = plain.slip[i, 0], plain.slip[i, 1:]
    slow, creeping = plain.threshold[i]
    if normal < -slow:
        return []
    if normal > slow:
        return ["S"]
    if np.linalg.norm(slip) > creeping:
        return ["S", _heading(plain, slip)]
    if plain.edges is None:
        return ["S", "L", "R", "F"]
    sectors = range(plain.edges)
    return ["S", "F", *map(str, sectors), *(f"{j}|{(j + 1) % plain.edges}" for j in sectors)]


def _heading(plain, slip):
    """The slide whose directions hold this slip."""
    if plain.edges is None:
        return "R" if slip[0] > 0 else "L"
    return str(round(np.arctan2(slip[1], slip[0]) * plain.edges / (2 * np.pi)) % plain.edges)


def mode_name(plain, mode):
    """How the package writes it."""
    return ("" if plain.edges is None else " ").join(mode)


def mode_tokens(plain, name):
    """The tokens of a name."""
    return list(name) if plain.edges is None else name.split(" ")


def modes(plain):
    """All combinations of tokens."""
    return list(itertools.product(*tokens(plain)))


def variants(plain, i, token):
    """The demands of one contact; a fixed one with infinite friction has two ways: loaded, or without any force."""
    normal, mu = plain.width * i, plain.friction[i]
    tangents = range(normal + 1, normal + plain.width)
    closes = [plain.acceleration(normal)]
    no_force = [plain.row(force={j: 1.0}) for j in (normal, *tangents)]
    pushes = [plain.row(force={normal: 1.0})]
    if token == "S":
        opening = plain.slip[i, 0] > plain.threshold[i, 0]
        return [(no_force, [], [] if opening else closes)]
    if token == "F":
        holds = closes + [plain.acceleration(j) for j in tangents]
        if np.isinf(mu):
            return [(holds, [], pushes), (holds + no_force, [], [])]
        if mu == 0.0:
            return [(holds + no_force[1:], pushes, [])]
        return [(holds, pushes + _cone(plain, i), [])]
    still, moves = _motion(plain, i, token)
    if np.isinf(mu):
        return [(closes + still + no_force, [], moves)]
    friction, sides = _friction(plain, i, token)
    return [(closes + still + friction, pushes + sides, moves)]


def _cone(plain, i):
    """|f_t| <= mu f_n, or f_t within the polygon with corners mu f_n d_j."""
    normal, mu = plain.width * i, plain.friction[i]
    if plain.edges is None:
        return [plain.row(force={normal: mu, normal + 1: sign}) for sign in (-1.0, 1.0)]
    inner = mu * np.cos(np.pi / plain.edges)
    faces = [_direction(plain, j + 0.5) for j in range(plain.edges)]
    return [plain.row(force={normal: inner, normal + 1: -c[0], normal + 2: -c[1]}) for c in faces]


def _friction(plain, i, token):
    """Equalities and closed demands on the friction of a slide."""
    normal, mu = plain.width * i, plain.friction[i]
    if plain.edges is None:
        return [plain.row(force={normal: mu if token == "R" else -mu, normal + 1: 1.0})], []
    first, second = normal + 1, normal + 2
    if mu == 0.0:
        return [plain.row(force={j: 1.0}) for j in (first, second)], []
    if "|" not in token:
        d = mu * _direction(plain, int(token))
        return [plain.row(force={normal: d[0], first: 1.0}), plain.row(force={normal: d[1], second: 1.0})], []
    # f_t = -b1 d_j - b2 d_(j+1), b1 + b2 = mu f_n, b >= 0: on the face, between its corners.
    j = int(token.split("|")[0])
    middle, along = _direction(plain, j + 0.5), _direction(plain, j + 0.5 + plain.edges / 4)
    face = plain.row(force={normal: mu * np.cos(np.pi / plain.edges), first: middle[0], second: middle[1]})
    half = mu * np.sin(np.pi / plain.edges)
    sides = [plain.row(force={normal: half, first: s * along[0], second: s * along[1]}) for s in (-1.0, 1.0)]
    return [face], sides


def _motion(plain, i, token):
    """Equalities and strict demands on the tangential acceleration of a slide."""
    first = plain.width * i + 1
    slip, speed = plain.slip[i, 1:], np.linalg.norm(plain.slip[i, 1:])
    if speed > plain.threshold[i, 1] and _heading(plain, slip) == token:
        return [], []  # it slides this way already
    if plain.edges is None:
        return [], [plain.acceleration(first, 1.0 if token == "R" else -1.0)]
    a, b = plain.acceleration(first), plain.acceleration(first + 1)
    if "|" in token:
        d = _direction(plain, int(token.split("|")[0]) + 0.5)
        return [d[0] * b - d[1] * a], [d[0] * a + d[1] * b]
    low, high = (_direction(plain, int(token) + side) for side in (-0.5, 0.5))
    return [], [low[0] * b - low[1] * a, high[1] * a - high[0] * b]


def _direction(plain, j):
    angle = 2 * np.pi * j / plain.edges
    return np.array([np.cos(angle), np.sin(angle)])


def common(plain):
    """Demands of every mode: equations of motion (5), torque limits, physical constraints (11)-(14)."""
    motion = np.hstack([plain.inertia, -plain.jacobian.T, -plain.inputs, plain.bias[:, None]])
    equal, closed = list(motion), []
    for j, (low, high) in enumerate([] if plain.limits is None else plain.limits):
        closed += [plain.row(torque={j: 1.0}, number=-low)] if np.isfinite(low) else []
        closed += [plain.row(torque={j: -1.0}, number=high)] if np.isfinite(high) else []
    for linear in plain.physical:
        right = np.atleast_1d(np.asarray(linear.at_least if linear.equals is None else linear.equals, float))
        blocks = [
            np.zeros((len(right), n)) if block is None else np.atleast_2d(np.asarray(block, float))
            for block, n in (
                (linear.acceleration, plain.nv),
                (linear.force, len(plain.jacobian)),
                (linear.torque, plain.torques),
            )
        ]
        (closed if linear.equals is None else equal).extend(np.hstack([*blocks, -right[:, None]]))
    return equal, closed


class Table:
    """The demands of every token of every contact, written once, to be stacked mode by mode."""

    def __init__(self, plain):
        self.plain = plain
        self._always = [plain.stacked(rows) for rows in (*common(plain), [])]
        self._ways = {}

    def demands(self, mode):
        """The `Rows` of a mode, in each of the ways in which it may hold."""
        for ways in itertools.product(*(self._of(i, token) for i, token in enumerate(mode))):
            yield Rows(*(np.vstack(parts) for parts in zip(self._always, *ways, strict=True)))

    def _of(self, i, token):
        if (i, token) not in self._ways:
            ways = variants(self.plain, i, token)
            self._ways[i, token] = [[self.plain.stacked(rows) for rows in way] for way in ways]
        return self._ways[i, token]


def violation(system, name, qdd, force, torque):
    """By how much (qdd, f, tau) misses the demands of a mode, strict ones taken as closed: the least of its ways."""
    plain = Plain(system)
    return missed(Table(plain), mode_tokens(plain, name), np.concatenate([qdd, force, torque]))


def missed(table, mode, x):
    """The same of x = (qdd, f, tau), with a table at hand."""
    x = np.append(x, 1.0)
    return min(
        max(
            np.abs(rows.equal @ x).max(initial=0.0),
            -(rows.closed @ x).min(initial=0.0),
            -(rows.strict @ x).min(initial=0.0),
        )
        for rows in table.demands(mode)
    )
