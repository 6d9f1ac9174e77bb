"""What compiled code sees of one model, its data and its friction, and the rows it fills."""

from __future__ import annotations

from typing import NamedTuple

from numpy import ndarray

from surefoot.kernels.engine import Layout

# Kinds of row blocks. Every block has three rows in the Jacobian (normal, tangent 1, tangent 2); unused ones are zero.
NORMAL = 0  # normal row only: an open contact, a joint limit
CONE = 1  # closed contact: normal and two tangents
BOX = 2  # dry friction of a joint: one tangent row (tangent 1) with a fixed bound
TURN = 3  # turning of a closed contact about its normal and its tangents, with torsional and rolling friction

# Second entry of `Rows.source` where the block is not a contact of two geoms.
LIMIT = -1  # first entry: the joint
DRY_FRICTION = -2  # first entry: the degree of freedom
GIVEN = -3  # a contact that the caller gave
MOTOR = -4  # first entry: the degree of freedom that a motor of limited torque drives
TURNING = -5  # first entry: the contact
TENDON = -6  # first entry: the tendon whose limit it is

# What counts as a contact.
EVERYTHING = 0  # whatever is near enough
CLOSED = 1  # feet that shall stand, and they count as touching
NEAR = 2  # feet that shall stand, where they are


class Plant(NamedTuple):
    """One model and its data, as addresses and live views (names as in MuJoCo unless said).

    `body_last_dof`: the last degree of freedom that moves a body, -1 if none. `geom_rank`: 0 fixed to the world, 1
    loose object, 2 robot. `surface_mu`: friction of a terrain geom, NaN if it has none. `surface_map`: index of its
    friction map or -1; map k has `map_shape[k]` cells, first at `map_start[k]` in `map_mu`; `map_frame[k]` = x, y of
    its corner, x, y size of a cell.
    """

    m: int
    d: int
    layout: Layout
    qpos: ndarray
    qvel: ndarray
    qfrc_bias: ndarray
    qfrc_passive: ndarray
    qfrc_applied: ndarray
    dof_damping: ndarray
    dof_frictionloss: ndarray
    jnt_type: ndarray
    jnt_qposadr: ndarray
    jnt_dofadr: ndarray
    jnt_limited: ndarray
    jnt_range: ndarray
    tendon_limited: ndarray
    tendon_range: ndarray
    ten_length: ndarray
    ten_J: ndarray
    ten_J_rownnz: ndarray
    ten_J_rowadr: ndarray
    ten_J_colind: ndarray
    dof_parentid: ndarray
    body_last_dof: ndarray
    body_rootid: ndarray
    cdof: ndarray
    subtree_com: ndarray
    geom_bodyid: ndarray
    geom_rank: ndarray
    geom_priority: ndarray
    geom_mu: ndarray
    geom_xpos: ndarray
    geom_xmat: ndarray
    pair_geoms: ndarray
    pair_mu: ndarray
    surface_mu: ndarray
    surface_map: ndarray
    map_mu: ndarray
    map_start: ndarray
    map_shape: ndarray
    map_frame: ndarray
    hfield: ndarray
    hfield_size: ndarray
    hfield_shape: ndarray
    hfield_adr: ndarray
    hfield_data: ndarray
    neq: int


class Rows(NamedTuple):
    """Everything that may push: contacts first, then their turning, joint limits, dry joint friction, motors.

    Capacity = len(gap). `kind`: NORMAL, CONE, BOX or TURN. `source`: the two geoms of a contact (second pushes on
    first), (joint, LIMIT), (tendon, TENDON), (dof, DRY_FRICTION), (dof, MOTOR), (contact, TURNING) or (0, GIVEN). `gap`
    in m (rad), negative = depth. `bound` in N (N m), of a BOX only; of TURN its rolling friction in m. `drive` in m/s
    (rad/s): the velocity that a motor aims at, else 0. `turning` in m: torsional and rolling friction of a contact.
    """

    kind: ndarray
    source: ndarray
    point: ndarray
    frame: ndarray
    gap: ndarray
    mu: ndarray
    bound: ndarray
    drive: ndarray
    turning: ndarray
    J: ndarray
    J_world: ndarray
