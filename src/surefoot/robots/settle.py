"""Tilt a robot, as it stands at home, until it rests on the ground instead of on one corner of one foot.

Feet given as meshes differ in height by the meshes' own facets (some 30 um). Held rigid over a level plane, the robot
rests on the facet of its lower convex hull that lies under the centre of mass: of all planes z = a x + b y + c below
every point of every foot, the one that is highest at the centre of mass. That is a linear program in a, b, c.
"""

from __future__ import annotations

import mujoco
import numpy as np
import scipy
from numpy.typing import NDArray

# A tilt above this (rad) is no correction of facets; the pose is then left as it is.
LARGEST = 0.05
# Below this tilt in rad the robot rests.
LEVEL = 1e-11
UNIT = 1e-6  # m; heights in the linear program are in um, since its solver's tolerance is absolute


def settle(model: mujoco.MjModel, q: NDArray[np.float64], base: int, geoms: list[int]) -> NDArray[np.float64]:
    """Turn the base so that three points of `geoms` lie in one level plane, with the centre of mass between them.

    Args:
        model: the scene, standing on level ground.
        q: (nq,) pose.
        base: index of the body with the free joint.
        geoms: what may bear the robot.

    Returns:
        (nq,) the turned pose, at no particular height; `q` itself if no small turn does it (the centre of mass does not
        lie over the feet).
    """
    data = mujoco.MjData(model)
    start = int(model.jnt_qposadr[model.body_jntadr[base]]) + 3
    turned = q.copy()
    for _ in range(10):
        data.qpos[:] = turned
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        points, radii = support_points(model, data, geoms)
        slope = _facet_under(points - data.subtree_com[base], radii)
        if slope is None:
            return q
        if np.abs(slope).max() < LEVEL:
            return turned
        normal = np.array([-slope[0], -slope[1], 1.0]) / np.sqrt(1 + slope @ slope)
        turn = np.array([1 + normal[2], normal[1], -normal[0], 0.0])  # the shortest turn of the normal to the vertical
        result = np.empty(4)
        mujoco.mju_mulQuat(result, turn / np.linalg.norm(turn), turned[start : start + 4])
        turned[start : start + 4] = result / np.linalg.norm(result)
    return turned


def _facet_under(points: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Slopes (a, b) of the lower hull's facet at x = y = 0, or None if there is none of a small slope."""
    if len(points) < 3:
        return None
    bottom = points[:, 2] - radii
    low = bottom.min()
    near = bottom < low + 2 * LARGEST * np.ptp(points[:, :2], axis=0).max() + 1e-9
    rows = np.column_stack([points[near, :2], np.ones(near.sum())])
    limit = LARGEST / UNIT
    found = scipy.optimize.linprog(
        [0, 0, -1], A_ub=rows, b_ub=(bottom[near] - low) / UNIT, bounds=[(-limit, limit)] * 2 + [(None, None)]
    )
    if found.status != 0 or np.abs(found.x[:2]).max() > 0.999 * limit:
        return None
    return found.x[:2] * UNIT


def support_points(
    model: mujoco.MjModel, data: mujoco.MjData, geoms: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centres (n, 3) and radii (n,) in m of spheres, in the world, whose hull is that of the geoms.

    A cylinder is given by 32 points on each rim.
    """
    points, radii = [], []
    for g in geoms:
        local, radius = _outline(model, g)
        points.append(local @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g])
        radii.append(np.full(len(local), radius))
    return (np.vstack(points), np.concatenate(radii)) if points else (np.empty((0, 3)), np.empty(0))


def _outline(model: mujoco.MjModel, geom: int) -> tuple[NDArray[np.float64], float]:
    size = model.geom_size[geom]
    shape = mujoco.mjtGeom(int(model.geom_type[geom]))
    if shape == mujoco.mjtGeom.mjGEOM_SPHERE:
        return np.zeros((1, 3)), float(size[0])
    if shape == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return np.array([[0, 0, size[1]], [0, 0, -size[1]]]), float(size[0])
    if shape == mujoco.mjtGeom.mjGEOM_CYLINDER:
        angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        rim = np.column_stack([size[0] * np.cos(angle), size[0] * np.sin(angle)])
        return np.vstack([np.column_stack([rim, np.full(32, z)]) for z in (size[1], -size[1])]), 0.0
    if shape == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        return model.mesh_vert[first : first + count].astype(np.float64), 0.0
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
    return centre + corners * half, 0.0
