"""Which friction holds at a contact: explicit pair > friction map > terrain > MuJoCo's rule."""

from __future__ import annotations

import numpy as np

from surefoot.kernels.cache import inlined, kernel


@inlined
def contact_friction(plant, geom1, geom2, dim, points, i):
    """Coefficient at point i (world) between two geoms; a contact of one dimension has none."""
    if dim == 1:
        return 0.0
    for k in range(plant.pair_geoms.shape[0]):
        a, b = plant.pair_geoms[k, 0], plant.pair_geoms[k, 1]
        if (a == geom1 and b == geom2) or (a == geom2 and b == geom1):
            return plant.pair_mu[k]
    for geom in (geom1, geom2):
        if plant.surface_map[geom] >= 0:
            return _map_friction(plant, geom, points[i])
    for geom in (geom1, geom2):
        if not np.isnan(plant.surface_mu[geom]):
            return plant.surface_mu[geom]
    # MuJoCo's rule: the geom of higher priority decides, else the larger of the two.
    if plant.geom_priority[geom1] > plant.geom_priority[geom2]:
        return plant.geom_mu[geom1]
    if plant.geom_priority[geom2] > plant.geom_priority[geom1]:
        return plant.geom_mu[geom2]
    return max(plant.geom_mu[geom1], plant.geom_mu[geom2])


@kernel
def _map_friction(plant, geom, point):
    """Friction of the cell under `point`; beyond the edge the nearest cell counts."""
    k = plant.surface_map[geom]
    x = 0.0
    y = 0.0
    for i in range(3):
        distance = point[i] - plant.geom_xpos[geom, i]
        x += plant.geom_xmat[geom, 3 * i] * distance
        y += plant.geom_xmat[geom, 3 * i + 1] * distance
    column = int((x - plant.map_frame[k, 0]) / plant.map_frame[k, 2])
    row = int((y - plant.map_frame[k, 1]) / plant.map_frame[k, 3])
    column = min(max(column, 0), plant.map_shape[k, 1] - 1)
    row = min(max(row, 0), plant.map_shape[k, 0] - 1)
    return plant.map_mu[plant.map_start[k] + row * plant.map_shape[k, 1] + column]
