"""Where to stand so that the robot fills the picture."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

MARGIN = 1.15  # the picture is this much wider than what it shows
_TERRAIN = (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD))


def moving_geoms(model: mujoco.MjModel) -> NDArray[np.int64]:
    """Geoms to look at: all but the terrain (planes, height fields, geoms of the world itself)."""
    kind = model.geom_type
    wanted = ~np.isin(kind, _TERRAIN) & (model.geom_group <= 2)
    on_bodies = wanted & (model.geom_bodyid > 0)
    return np.flatnonzero(on_bodies if on_bodies.any() else wanted)


def bounds(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest corner in m, in the world frame, of a box round all that may be looked at.

    Args:
        model: MuJoCo's model.
        data: with kinematics up to date.

    Returns:
        Two arrays (3,).
    """
    geoms = moving_geoms(model)
    if not geoms.size:
        return np.full(3, -0.5), np.full(3, 0.5)
    frames = data.geom_xmat[geoms].reshape(-1, 3, 3)
    centre = data.geom_xpos[geoms] + np.einsum("gij,gj->gi", frames, model.geom_aabb[geoms, :3])
    reach = np.einsum("gij,gj->gi", np.abs(frames), model.geom_aabb[geoms, 3:])
    return (centre - reach).min(axis=0), (centre + reach).max(axis=0)


def aim(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    *,
    fovy: float,
    aspect: float,
    azimuth: float = 130.0,
    elevation: float = -18.0,
) -> mujoco.MjvCamera:
    """A free camera that sees the whole box.

    Args:
        low: (3,) lowest corner of the box in m.
        high: (3,) highest corner in m.
        fovy: vertical field of view in degrees.
        aspect: width of the picture over its height.
        azimuth: direction of sight about the vertical in degrees.
        elevation: direction of sight above the horizontal in degrees (negative: from above).

    Returns:
        MuJoCo's camera.
    """
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FREE
    camera.azimuth, camera.elevation = azimuth, elevation
    centre = 0.5 * (low + high)
    camera.lookat[:] = centre
    right, up, forward = sight_axes(azimuth, elevation)
    corners = np.array(np.meshgrid(*zip(low, high, strict=True), indexing="ij")).reshape(3, -1).T - centre
    half_height = np.tan(np.radians(fovy) / 2)
    # A corner d behind the centre is inside if |offset| <= (distance + d) tan(half angle).
    sideways = MARGIN * np.abs(corners @ right) / (half_height * aspect) - corners @ forward
    upwards = MARGIN * np.abs(corners @ up) / half_height - corners @ forward
    camera.distance = max(float(max(sideways.max(), upwards.max())), 1e-3)
    return camera


def sight_axes(
    azimuth: float, elevation: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Right, up and forward unit vectors of a free camera, in the world frame; angles in degrees."""
    a, e = np.radians(azimuth), np.radians(elevation)
    forward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([np.sin(a), -np.cos(a), 0.0])
    return right, np.cross(right, forward), forward
