"""What a robot stands on: plane, slope, curb, height map. Each is a frozen dataclass that adds itself to an MjSpec.

Friction is given as `mu`: None leaves MuJoCo's rule in force (the larger of two geoms' coefficients), a number holds
for whatever touches the terrain, and `inf` is allowed. MuJoCo's own engine, which knows no infinite friction and no
friction map, is given 100 in place of infinity and the mean in place of a map.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.robots.scene import Surface

MOST_POINTS = 10_000_000  # of a height map: 3 m x 3 m at 1 mm
STICKY = 100.0  # stands for infinite friction in MuJoCo's own engine, as in the files of Zapolsky and Drumwright 2015
_STONE = (0.62, 0.60, 0.57, 1.0)
_FIELD = "surefoot_ground"
TERRAIN_PRIORITY = 2  # in MuJoCo's own engine too, the terrain's friction beats that of what touches it


@runtime_checkable
class Terrain(Protocol):
    """Anything with these two methods can be the ground of a scene."""

    def add_to(self, spec: mujoco.MjSpec) -> tuple[Surface, ...]:
        """Add the terrain's geoms to the world of `spec`; return one surface a geom."""
        ...

    def elevation(self, x: Any, y: Any) -> Any:
        """Height in m of the terrain above z = 0 at `x`, `y` in m (arrays or numbers)."""
        ...


@dataclass(frozen=True)
class Plane:
    """A level plane without edge.

    Attributes:
        mu: friction coefficient, inf allowed; None for MuJoCo's rule.
        z: height of the plane in m.
    """

    mu: float | None = None
    z: float = 0.0

    def __post_init__(self) -> None:
        _check_mu("Plane.mu", self.mu)
        checks.number("Plane.z", self.z)

    def add_to(self, spec: mujoco.MjSpec) -> tuple[Surface, ...]:
        """Add the plane to the world of `spec`."""
        return (_add_plane(spec, self.mu, pos=[0.0, 0.0, self.z]),)

    def elevation(self, x: Any, y: Any) -> Any:
        """Height in m at `x`, `y` in m."""
        return _level(x, y, self.z)


@dataclass(frozen=True)
class Slope:
    """An inclined plane through the origin.

    Attributes:
        angle: inclination in rad, between -pi/2 and pi/2; positive rises along `yaw`.
        yaw: heading in rad about the vertical, from x, of the direction uphill.
        mu: friction coefficient, inf allowed; None for MuJoCo's rule.
    """

    angle: float
    yaw: float = 0.0
    mu: float | None = None

    def __post_init__(self) -> None:
        checks.number("Slope.angle", self.angle, above=-math.pi / 2)
        if not self.angle < math.pi / 2:
            raise InputError(f"Slope.angle: expected rad below pi/2, got {self.angle:g} (degrees? use math.radians)")
        checks.number("Slope.yaw", self.yaw)
        _check_mu("Slope.mu", self.mu)

    @property
    def quaternion(self) -> NDArray[np.float64]:
        """(4,) orientation w, x, y, z of the slope: x uphill, z along its normal."""
        turn, lean = self.yaw / 2, -self.angle / 2
        return np.array(
            [
                math.cos(turn) * math.cos(lean),
                -math.sin(turn) * math.sin(lean),
                math.cos(turn) * math.sin(lean),
                math.sin(turn) * math.cos(lean),
            ]
        )

    @property
    def normal(self) -> NDArray[np.float64]:
        """(3,) unit normal, pointing up."""
        flat = math.sin(self.angle)
        return np.array([-flat * math.cos(self.yaw), -flat * math.sin(self.yaw), math.cos(self.angle)])

    def add_to(self, spec: mujoco.MjSpec) -> tuple[Surface, ...]:
        """Add the slope to the world of `spec`."""
        return (_add_plane(spec, self.mu, quat=self.quaternion),)

    def elevation(self, x: Any, y: Any) -> Any:
        """Height in m at `x`, `y` in m."""
        along = np.asarray(x, dtype=float) * math.cos(self.yaw) + np.asarray(y, dtype=float) * math.sin(self.yaw)
        return math.tan(self.angle) * along


@dataclass(frozen=True)
class Curb:
    """A level plane with a curb across it, 1 cm thick as in the curb study of Zapolsky's dissertation.

    The dissertation tells of a curb 3 cm high; its files hold a box 4 cm high centred on the ground: 2 cm show.

    Attributes:
        height: of the curb above the plane, in m.
        position: x, y in m of the curb's centre.
        length: of the curb in m, along y at yaw 0.
        thickness: of the curb in m, along x at yaw 0.
        yaw: turn of the curb about the vertical, in rad.
        mu: friction coefficient of the plane, inf allowed; None for MuJoCo's rule.
        curb_mu: friction coefficient of the curb; None: as the plane.
    """

    height: float = 0.03
    position: tuple[float, float] = (0.4, 0.0)
    length: float = 1.0
    thickness: float = 0.01
    yaw: float = 0.0
    mu: float | None = None
    curb_mu: float | None = None

    def __post_init__(self) -> None:
        for name in ("height", "length", "thickness"):
            checks.number(f"Curb.{name}", getattr(self, name), above=0)
        checks.array("Curb.position", self.position, (2,))
        checks.number("Curb.yaw", self.yaw)
        _check_mu("Curb.mu", self.mu)
        _check_mu("Curb.curb_mu", self.curb_mu)

    def add_to(self, spec: mujoco.MjSpec) -> tuple[Surface, ...]:
        """Add the plane and the curb to the world of `spec`."""
        ground = _add_plane(spec, self.mu)
        mu = self.mu if self.curb_mu is None else self.curb_mu
        geom = spec.worldbody.add_geom(
            name="curb",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[self.thickness / 2, self.length / 2, self.height],  # half of it is under ground
            pos=[*self.position, 0.0],
            quat=[math.cos(self.yaw / 2), 0.0, 0.0, math.sin(self.yaw / 2)],
            rgba=_STONE,
        )
        _rub(geom, mu)
        return ground, Surface("curb", mu)

    def elevation(self, x: Any, y: Any) -> Any:
        """Height in m at `x`, `y` in m."""
        dx, dy = np.asarray(x, dtype=float) - self.position[0], np.asarray(y, dtype=float) - self.position[1]
        across = math.cos(self.yaw) * dx + math.sin(self.yaw) * dy
        along = -math.sin(self.yaw) * dx + math.cos(self.yaw) * dy
        on_curb = (np.abs(across) <= self.thickness / 2) & (np.abs(along) <= self.length / 2)
        return np.where(on_curb, self.height, 0.0)[()]


@dataclass(frozen=True)
class HeightMap:
    """Rough ground: a sum of Gaussian hills at random places, scaled to a given height.

    The defaults are the terrain of Zapolsky and Drumwright 2015 (3 x 3 m, 151 x 151 points). It is centred on the
    origin, its lowest point is at z = 0, and it is rough under the origin too, as theirs is: the robot is put on top.
    The ground ends at the edge.

    Attributes:
        seed: of the random hills and of the friction map; the same seed gives the same ground.
        size: x, y extent in m.
        cell: distance of neighbouring points in m; `size` must be a whole number of cells.
        hills: how many.
        covariance: of the hills, in m^2 (the square of their width).
        variability: how much the covariance varies: 0.5 draws it within 25 % of its mean, along x and y apart.
        height: from the lowest point to the highest, in m.
        mu: friction coefficient, inf allowed; or (low, high): drawn uniformly for each cell; None for MuJoCo's rule.
    """

    seed: int = 0
    size: tuple[float, float] = (3.0, 3.0)
    cell: float = 0.02
    hills: int = 1000
    covariance: float = 0.005
    variability: float = 0.5
    height: float = 0.03
    mu: float | tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.seed, int | np.integer) or isinstance(self.seed, bool) or self.seed < 0:
            raise InputError(f"HeightMap.seed: expected a whole number of at least 0, got {self.seed!r}")
        if not isinstance(self.hills, int | np.integer) or isinstance(self.hills, bool) or self.hills < 1:
            raise InputError(f"HeightMap.hills: expected a whole number of at least 1, got {self.hills!r}")
        checks.number("HeightMap.cell", self.cell, above=0)
        for length in checks.array("HeightMap.size", self.size, (2,)).tolist():
            if length > MOST_POINTS * self.cell:
                raise InputError(f"HeightMap.size: expected at most {MOST_POINTS} cells, got {length:g} m of them")
            if length < self.cell or abs(length / self.cell - round(length / self.cell)) > 1e-6:
                raise InputError(
                    f"HeightMap.size: expected whole numbers of cells of {self.cell:g} m, got {length:g} m"
                )
        columns, rows = (round(length / self.cell) + 1 for length in self.size)
        if rows * columns > MOST_POINTS:
            raise InputError(f"HeightMap.size: expected at most {MOST_POINTS} points, got {columns} x {rows}")
        most = 10 * MOST_POINTS // (rows + columns)
        if self.hills > most:
            raise InputError(f"HeightMap.hills: expected at most {most} on {columns} x {rows} points, got {self.hills}")
        checks.number("HeightMap.covariance", self.covariance, above=0)
        checks.number("HeightMap.variability", self.variability, at_least=0, at_most=1)
        checks.number("HeightMap.height", self.height, above=0)
        if isinstance(self.mu, tuple):
            low, high = checks.array("HeightMap.mu", self.mu, (2,))
            checks.friction("HeightMap.mu", float(low))
            if high < low:
                raise InputError(f"HeightMap.mu: expected (low, high), got ({low:g}, {high:g})")
        else:
            _check_mu("HeightMap.mu", self.mu)

    @cached_property
    def heights(self) -> NDArray[np.float64]:
        """(rows, columns) height in m of each point; rows run along y, columns along x, from the lowest corner."""
        columns, rows = (round(length / self.cell) + 1 for length in self.size)
        half_x, half_y = self.size[0] / 2, self.size[1] / 2
        rng = np.random.default_rng([self.seed, 0])
        centre = rng.uniform([-half_x, -half_y], [half_x, half_y], (self.hills, 2))
        width = self.covariance * (1 + self.variability * rng.uniform(-0.5, 0.5, (self.hills, 2)))
        x, y = np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows)
        # A hill is a bivariate normal density with diagonal covariance: a factor along x times a factor along y.
        bump_x = np.exp(-((x - centre[:, :1]) ** 2) / (2 * width[:, :1])) / np.sqrt(width[:, :1])
        bump_y = np.exp(-((y - centre[:, 1:]) ** 2) / (2 * width[:, 1:])) / np.sqrt(width[:, 1:])
        ground = bump_y.T @ bump_x
        ground -= ground.min()
        if not 0 < ground.max() < math.inf:
            raise InputError(
                f"HeightMap.covariance: expected hills that rise between points {self.cell:g} m apart, "
                f"got {self.covariance:g} m^2"
            )
        # MuJoCo keeps single precision: round here, so that `elevation` is the ground that it collides with.
        return (ground / ground.max()).astype(np.float32).astype(float) * self.height

    @cached_property
    def friction(self) -> NDArray[np.float64] | None:
        """(rows - 1, columns - 1) friction coefficient of each cell, or None if it does not vary."""
        if not isinstance(self.mu, tuple):
            return None
        rows, columns = self.heights.shape
        return np.random.default_rng([self.seed, 1]).uniform(*self.mu, (rows - 1, columns - 1))

    def add_to(self, spec: mujoco.MjSpec) -> tuple[Surface, ...]:
        """Add the height map to the world of `spec`."""
        rows, columns = self.heights.shape
        half_x, half_y = self.size[0] / 2, self.size[1] / 2
        field = spec.hfield(_FIELD) or spec.add_hfield(name=_FIELD)
        field.nrow, field.ncol, field.size = rows, columns, [half_x, half_y, self.height, 0.1]
        field.userdata = (self.heights / self.height).astype(np.float32).ravel()
        geom = spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname=_FIELD)
        grid = self.friction
        mu = None if isinstance(self.mu, tuple) else self.mu
        _rub(geom, mu if grid is None else float(grid.mean()))
        return (Surface("ground", mu, grid, (-half_x, -half_y), (self.cell, self.cell)),)

    def elevation(self, x: Any, y: Any) -> Any:
        """Height in m at `x`, `y` in m, on the two triangles of each cell as MuJoCo has them; the edge's beyond it."""
        rows, columns = self.heights.shape
        across = np.clip((np.asarray(x, dtype=float) + self.size[0] / 2) / self.cell, 0, columns - 1)
        along = np.clip((np.asarray(y, dtype=float) + self.size[1] / 2) / self.cell, 0, rows - 1)
        c = np.minimum(across.astype(int), columns - 2)
        r = np.minimum(along.astype(int), rows - 2)
        u, v = across - c, along - r
        h = self.heights
        h00, h01, h10, h11 = h[r, c], h[r, c + 1], h[r + 1, c], h[r + 1, c + 1]
        upper = h00 + v * (h10 - h00) + u * (h11 - h10)
        lower = h00 + u * (h01 - h00) + v * (h11 - h01)
        return np.where(v >= u, upper, lower)[()]


def terrain_or_none(ground: Any, default: Terrain | None) -> Terrain | None:
    """Return `ground` if it is a terrain or None, and `default` if it is "default"."""
    if isinstance(ground, str) and ground == "default":
        return default
    if ground is not None and not isinstance(ground, Terrain):
        raise InputError(f"ground: expected a terrain such as Plane(), None or 'default', got {ground!r}")
    return ground


def _check_mu(name: str, mu: float | None) -> None:
    if mu is not None:
        checks.friction(name, mu)


def _level(x: Any, y: Any, z: float) -> Any:
    return (np.zeros(np.broadcast(x, y).shape) + z)[()]


def _add_plane(spec: mujoco.MjSpec, mu: float | None, **where: Any) -> Surface:
    geom = spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], **where)
    _rub(geom, mu)
    return Surface("ground", mu)


def _rub(geom: mujoco.MjsGeom, mu: float | None) -> None:
    """Tell MuJoCo's own engine of the friction."""
    if mu is not None:
        geom.friction[0] = min(mu, STICKY)
        geom.priority = TERRAIN_PRIORITY
