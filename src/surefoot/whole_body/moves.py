"""Moves that every standing robot can make: squats, weight shifts, lifted feet, in sizes and times of its own."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.whole_body.centre_of_mass import centre_of_mass
from surefoot.whole_body.choreography import Moves
from surefoot.whole_body.reachable import support_region
from surefoot.whole_body.space import dynamics_space

Array = NDArray[np.float64]
ROWS = 24  # of a circle


def stand(robot: Scene, duration: float = 1.0) -> Moves:
    """Stay as at home.

    Args:
        robot: robot or scene on flat ground.
        duration: s.
    """
    return _rows(robot, [0.0, checks.number("duration", duration, above=0.0)], np.zeros((2, 3, 3)))


def squats(robot: Scene, duration: float = 10.0, *, depth: float = 0.15, period: float | None = None) -> Moves:
    """Down and up again, at rest at both ends.

    Args:
        robot: robot or scene on flat ground.
        duration: s; a whole number of squats fits into it.
        depth: how far down, as a share of the height of the centre of mass.
        period: of one squat in s; None: twelve times the time constant of falling over, `time_scale`.
    """
    depth = checks.number("depth", depth, above=0.0, at_most=1.0) * height(robot)
    count, period = _repeats(robot, duration, period, 12.0)
    down = np.zeros((2 * count + 1, 3, 3))
    down[1::2, 0, 2] = -depth
    return _rows(robot, 0.5 * period * np.arange(2 * count + 1), down)


def shifts(
    robot: Scene, duration: float = 10.0, *, share: float = 0.5, period: float | None = None, mu: float | None = None
) -> Moves:
    """The centre of mass goes round above the feet; circles grow in the first round and shrink in the last.

    They are as large as feet and friction allow.

    Args:
        robot: robot or scene on flat ground.
        duration: s; a whole number of rounds fits into it, at least two.
        share: how far the centre of pressure goes towards the edge of the feet's polygon, forward and to the side; and
            of the friction that a pyramid of four edges has at its flanks, at most so much is used.
        period: of one round in s; None: see `squats`.
        mu: friction that is counted on; None: the ground's.
    """
    share = checks.number("share", share, above=0.0, at_most=1.0)
    count, period = _repeats(robot, duration, period, 12.0, least=2)
    centre = centre_of_mass(robot, robot.home())[:2]
    region = _polygon(robot, [foot.name for foot in robot.feet])
    rate = 2.0 * math.pi / period
    # On the spot the centre of pressure leads a circle of the centre of mass by its acceleration: p = c - (h / g) a.
    lead = 1.0 + rate**2 * time_scale(robot) ** 2
    reach = [share / lead * min(_way(region, centre, sign * axis) for sign in (-1.0, 1.0)) for axis in np.eye(2)]
    contacts = dynamics_space(robot, robot.home()).contacts
    grip = float(contacts.mu.min()) if mu is None else checks.friction("mu", mu)
    sure = share * grip * float(np.linalg.norm(robot.model.opt.gravity)) / math.sqrt(2.0)
    reach = [min(r, sure / rate**2) for r in reach]
    times = period / ROWS * np.arange(count * ROWS + 1)
    size = np.array([_grow(min(t, times[-1] - t) / period) for t in times])
    size[times > 0.5 * times[-1], 1] *= -1.0
    size *= np.array([1.0, 1.0 / period, 1.0 / period**2])
    moved = np.zeros((len(times), 3, 3))
    for i, phase in enumerate((0.0, -0.5 * math.pi)):
        wave = [np.cos(rate * times + phase), -rate * np.sin(rate * times + phase)]
        wave.append(-(rate**2) * wave[0])
        moved[:, 0, i] = reach[i] * size[:, 0] * wave[0]
        moved[:, 1, i] = reach[i] * (size[:, 1] * wave[0] + size[:, 0] * wave[1])
        moved[:, 2, i] = reach[i] * (size[:, 2] * wave[0] + 2.0 * size[:, 1] * wave[1] + size[:, 0] * wave[2])
    return _rows(robot, times, moved)


def lifts(robot: Scene, *, share: float = 0.5, lift: float = 0.1, feet: list[str] | None = None) -> Moves:
    """Lift one foot after the other: the centre of mass goes over the others first.

    Args:
        robot: robot or scene on flat ground, with at least two feet.
        share: how deep inside the polygon of the other feet the centre of mass is brought, 1: as its middle.
        lift: how high a foot goes, as a share of the height of the centre of mass.
        feet: names of the feet to lift, in this order; None: all.
    """
    share = checks.number("share", share, above=0.0, at_most=1.0)
    lift = checks.number("lift", lift, above=0.0, at_most=1.0) * height(robot)
    names = [foot.name for foot in robot.feet]
    order = checks.indices("feet", names if feet is None else feet, names, "foot")
    centre, scale = centre_of_mass(robot, robot.home())[:2], time_scale(robot)
    times, moved, raised, stance = [0.0], [np.zeros(2)], [np.zeros(len(names))], []
    for i in order:
        others = _polygon(robot, [name for k, name in enumerate(names) if k != i])
        if len(others) < 3:
            raise InputError(f"feet: {robot.name} cannot stand without {names[i]}: the others span no area")
        goal = _inside(others, centre, share) - centre
        up = np.eye(len(names))[i] * lift
        # Over the other feet; a moment there; up; down; a moment to load it again.
        for wait, high, stands in ((8.0, 0.0, True), (2.0, 0.0, True), (4.0, 1.0, False), (4.0, 0.0, False)):
            times.append(times[-1] + wait * scale)
            moved.append(goal)
            raised.append(high * up)
            stance.append(np.array([stands or k != i for k in range(len(names))]))
    times.append(times[-1] + 8.0 * scale)
    moved.append(np.zeros(2))
    raised.append(np.zeros(len(names)))
    stance += [np.ones(len(names), dtype=bool)] * 2
    offset, high = np.zeros((len(times), 3, 3)), np.zeros((len(times), len(names), 3, 3))
    offset[:, 0, :2] = moved
    high[:, :, 0, 2] = raised
    return _rows(robot, times, offset, high, np.array(stance))


def height(robot: Scene) -> float:
    """Height in m of the centre of mass over the feet's points of contact, at home."""
    contacts = dynamics_space(robot, robot.home()).contacts
    if not len(contacts):
        raise InputError(f"robot: expected one that stands, but at home {robot.name} touches nothing")
    return float(centre_of_mass(robot, robot.home())[2] - contacts.points[:, 2].mean())


def time_scale(robot: Scene) -> float:
    """sqrt(h / g) in s: how fast a robot that is not held falls over, by a factor of e."""
    gravity = float(np.linalg.norm(robot.model.opt.gravity))
    if gravity == 0.0:
        raise InputError(f"robot: expected gravity, but {robot.name} has none")
    return math.sqrt(height(robot) / gravity)


def foot_middles(robot: Scene) -> Array:
    """(feet, 3) m, world: middle of each foot's geoms at home."""
    data = mujoco.MjData(robot.model)
    robot.home().to_mujoco(data)
    mujoco.mj_kinematics(robot.model, data)
    return np.array([data.geom_xpos[mine].mean(axis=0) for mine in robot.foot_geoms([f.name for f in robot.feet])])


def flat_feet(robot: Scene) -> list[bool]:
    """Which feet stand on three points or more at home, and so must not turn."""
    pairs = dynamics_space(robot, robot.home()).contacts.bodies
    return [sum(foot.body in pair for pair in pairs) > 2 for foot in robot.feet]


def _repeats(robot: Scene, duration: float, period: float | None, scales: float, least: int = 1) -> tuple[int, float]:
    """How many repetitions, and how long each takes so that they fill the duration."""
    duration = checks.number("duration", duration, above=0.0)
    wanted = scales * time_scale(robot) if period is None else checks.number("period", period, above=0.0)
    count = max(least, round(duration / wanted))
    return count, duration / count


def _rows(robot: Scene, times: object, centre: Array, feet: Array | None = None, stance: object = None) -> Moves:
    """Moves from offsets to where things are at home."""
    times = np.array(times, dtype=float)
    middles = foot_middles(robot)
    places = np.zeros((len(times), len(middles), 3, 3)) if feet is None else feet.copy()
    places[:, :, 0] += middles
    centre = centre.copy()
    centre[:, 0] += centre_of_mass(robot, robot.home())
    stands = np.ones((len(times), len(middles)), dtype=bool) if stance is None else np.array(stance, dtype=bool)
    return Moves(times, centre, places, stands)


def _polygon(robot: Scene, feet: list[str]) -> Array:
    """(k, 2) m, corners of the places over which the centre of mass can rest on these feet."""
    return support_region(dynamics_space(robot, robot.home(), feet))


def _edges(polygon: Array) -> tuple[Array, Array]:
    """Inward normals (k, 2) of a polygon's edges and how far (k,) m along each the edge is."""
    along = np.roll(polygon, -1, axis=0) - polygon
    normals = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    offset = np.einsum("ij,ij->i", normals, polygon)
    outside = normals @ polygon.mean(axis=0) < offset
    return np.where(outside[:, None], -normals, normals), np.where(outside, -offset, offset)


def _way(polygon: Array, start: Array, direction: Array) -> float:
    """Distance in m from a point along a unit direction to the edge; none from a point outside."""
    normals, offset = _edges(polygon)
    room, speed = normals @ start - offset, -normals @ direction
    return float(max(0.0, (room[speed > 1e-9] / speed[speed > 1e-9]).min(initial=np.inf)))


def _inside(polygon: Array, start: Array, share: float) -> Array:
    """The first point from `start` towards a polygon's middle that is as deep inside as a share of that middle is."""
    normals, offset = _edges(polygon)
    middle = polygon.mean(axis=0)
    depth = share * (normals @ middle - offset).min()
    for part in np.linspace(0.0, 1.0, 201):
        point = start + part * (middle - start)
        if (normals @ point - offset).min() >= depth - 1e-12:
            return point
    return middle


def _grow(s: float) -> tuple[float, float, float]:
    """A quintic step from 0 to 1 as s goes from 0 to 1, and its first two derivatives."""
    s = min(max(s, 0.0), 1.0)
    return s**3 * (10.0 + s * (6.0 * s - 15.0)), 30.0 * s**2 * (1.0 - s) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)
