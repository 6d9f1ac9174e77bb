"""Friction tables of a scene, as the arrays that kernels read."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robots.scene import Scene


class FrictionTables(NamedTuple):
    """See `kernels.plant.Plant` for the meaning of each array."""

    pair_geoms: NDArray[np.int64]
    pair_mu: NDArray[np.float64]
    surface_mu: NDArray[np.float64]
    surface_map: NDArray[np.int64]
    map_mu: NDArray[np.float64]
    map_start: NDArray[np.int64]
    map_shape: NDArray[np.int64]
    map_frame: NDArray[np.float64]


def friction_tables(scene: Scene, model: mujoco.MjModel) -> FrictionTables:
    """Collect explicit pairs, terrain friction and friction maps."""
    surface_mu = np.full(model.ngeom, np.nan)
    surface_map = np.full(model.ngeom, -1, dtype=np.int64)
    grids, starts, shapes, frames = [np.empty(0)], [], [], []
    for surface in scene.surfaces:
        geom = model.geom(surface.geom).id
        if surface.mu is not None:
            surface_mu[geom] = surface.mu
        if surface.grid is not None:
            surface_map[geom] = len(starts)
            starts.append(sum(grid.size for grid in grids))
            grids.append(np.ravel(surface.grid))
            shapes.append(surface.grid.shape)
            frames.append((*surface.origin, *surface.cell))
    return FrictionTables(
        pair_geoms=np.stack([model.pair_geom1, model.pair_geom2], axis=1).astype(np.int64),
        pair_mu=np.ascontiguousarray(model.pair_friction[:, 0]),
        surface_mu=surface_mu,
        surface_map=surface_map,
        map_mu=np.concatenate(grids),
        map_start=np.array(starts, dtype=np.int64),
        map_shape=np.array(shapes, dtype=np.int64).reshape(-1, 2),
        map_frame=np.array(frames, dtype=np.float64).reshape(-1, 4),
    )
