"""Where things were in a roll-out: places of geoms, and how near links came to each other."""

from __future__ import annotations

from surefoot.kernels.cache import kernel
from surefoot.kernels.engine import geom_distance, poses


@kernel
def places(m, d, qpos, geom_xpos, Q, geoms, out):
    """Places of geoms in many poses.

    Args:
        m, d: addresses of mjModel and mjData, which are written over.
        qpos, geom_xpos: live views of mjData.
        Q: (n, nq) poses.
        geoms: (k,) int64.
        out: (n, k, 3) m.
    """
    for s in range(Q.shape[0]):
        for i in range(Q.shape[1]):
            qpos[i] = Q[s, i]
        poses(m, d)
        for k in range(geoms.shape[0]):
            for i in range(3):
                out[s, k, i] = geom_xpos[geoms[k], i]


@kernel
def clearances(m, d, qpos, geom_xpos, Q, every, pairs, bound, most, out):
    """The least distance among pairs of geoms in many poses.

    Args:
        m, d, qpos, geom_xpos, Q: see `places`.
        every: only every n-th pose is looked at; those between have the value of the last that was.
        pairs: (k, 2) int64 geoms.
        bound: (ngeom,) radius in m of a ball round each geom; 0: it has none.
        most: m; what is farther apart counts as this far.
        out: (n,) m.
    """
    for s in range(Q.shape[0]):
        if s % every != 0:
            out[s] = out[s - 1]
            continue
        for i in range(Q.shape[1]):
            qpos[i] = Q[s, i]
        poses(m, d)
        out[s] = most
        for k in range(pairs.shape[0]):
            a, b = pairs[k, 0], pairs[k, 1]
            if bound[a] > 0.0 and bound[b] > 0.0:
                reach = bound[a] + bound[b] + out[s]
                apart = 0.0
                for i in range(3):
                    apart += (geom_xpos[a, i] - geom_xpos[b, i]) ** 2
                if apart > reach * reach:
                    continue
            out[s] = min(out[s], geom_distance(m, d, a, b, max(out[s], 0.0)))  # below 0 it would miss depth
