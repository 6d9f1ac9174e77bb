"""Height fields: drop contact normals that belong to no facet near the contact point.

MuJoCo collides with the vertical sides of the prisms under a height field's triangles too; such normals lie far from
those of the surface. A contact is kept if its normal is within about 25 degrees of a facet of the cell below it or of
a neighbour.
"""

from __future__ import annotations

import math

from surefoot.kernels.cache import kernel

NEAR = 0.9  # cosine of the largest angle to a facet's normal


@kernel
def belongs_to_facet(plant, geom, point, normal):
    """True if `normal` (world) fits the surface of the height field `geom` near `point` (world)."""
    field = plant.hfield[geom]
    rows, columns = plant.hfield_shape[field, 0], plant.hfield_shape[field, 1]
    width = 2.0 * plant.hfield_size[field, 0] / (columns - 1)
    depth = 2.0 * plant.hfield_size[field, 1] / (rows - 1)
    x = plant.hfield_size[field, 0]
    y = plant.hfield_size[field, 1]
    nx = 0.0
    ny = 0.0
    nz = 0.0
    for i in range(3):
        distance = point[i] - plant.geom_xpos[geom, i]
        x += plant.geom_xmat[geom, 3 * i] * distance
        y += plant.geom_xmat[geom, 3 * i + 1] * distance
        nx += plant.geom_xmat[geom, 3 * i] * normal[i]
        ny += plant.geom_xmat[geom, 3 * i + 1] * normal[i]
        nz += plant.geom_xmat[geom, 3 * i + 2] * normal[i]
    column = int(math.floor(x / width))
    row = int(math.floor(y / depth))
    start = plant.hfield_adr[field]
    scale = plant.hfield_size[field, 2]
    for r in range(max(row - 1, 0), min(row + 2, rows - 1)):
        for c in range(max(column - 1, 0), min(column + 2, columns - 1)):
            corner = start + r * columns + c
            h00 = plant.hfield_data[corner] * scale
            h01 = plant.hfield_data[corner + 1] * scale
            h10 = plant.hfield_data[corner + columns] * scale
            h11 = plant.hfield_data[corner + columns + 1] * scale
            for triangle in range(2):
                # Slopes along x and y of the cell's two triangles.
                sx = (h01 - h00) / width if triangle == 0 else (h11 - h10) / width
                sy = (h11 - h01) / depth if triangle == 0 else (h10 - h00) / depth
                cosine = (nz - sx * nx - sy * ny) / math.sqrt(1.0 + sx * sx + sy * sy)
                if cosine > NEAR:
                    return True
    return False
