"""MuJoCo's C functions, called from compiled code. This file alone touches MuJoCo's library.

The library of the installed wheel is loaded into LLVM's symbol table; numba then links calls to it like to any C
function, and such calls can be cached. What changes its address or size inside a step (contacts, constraint rows) is
read at its offset in the C struct; the offsets come from `layout.py` and travel as an argument.
"""

from __future__ import annotations

import glob
import os
from typing import Any, NamedTuple

import llvmlite.binding
import mujoco
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from surefoot.kernels.cache import kernel
from surefoot.kernels.layout import offset, struct

_LIBRARY = glob.glob(os.path.join(os.path.dirname(mujoco.__file__), "*mujoco*.[sd][oyl]*"))
llvmlite.binding.load_library_permanently(_LIBRARY[0])

_POINTER = types.uintp
_MODEL_DATA = types.void(_POINTER, _POINTER)
_kinematics = types.ExternalFunction("mj_kinematics", _MODEL_DATA)
_com_pos = types.ExternalFunction("mj_comPos", _MODEL_DATA)
_tendon = types.ExternalFunction("mj_tendon", _MODEL_DATA)
_make_m = types.ExternalFunction("mj_makeM", _MODEL_DATA)
_collision = types.ExternalFunction("mj_collision", _MODEL_DATA)
_com_vel = types.ExternalFunction("mj_comVel", _MODEL_DATA)
_passive = types.ExternalFunction("mj_passive", _MODEL_DATA)
_make_constraint = types.ExternalFunction("mj_makeConstraint", _MODEL_DATA)
_rne = types.ExternalFunction("mj_rne", types.void(_POINTER, _POINTER, types.int32, _POINTER))
_full_m = types.ExternalFunction("mj_fullM", types.void(_POINTER, _POINTER, _POINTER))
_geom_distance = types.ExternalFunction(
    "mj_geomDistance", types.float64(_POINTER, _POINTER, types.int32, types.int32, types.float64, _POINTER)
)
_integrate_pos = types.ExternalFunction("mj_integratePos", types.void(_POINTER, _POINTER, _POINTER, types.float64))


class Layout(NamedTuple):
    """Byte offsets into mjData and mjContact (see `LAYOUT`)."""

    ncon: int
    contact: int
    ne: int
    nefc: int
    efc_J: int
    efc_pos: int
    efc_diagA: int
    warning: int
    warning_size: int
    contact_size: int
    dist: int
    pos: int
    frame: int
    dim: int
    geom: int
    friction: int
    surfacevel: int
    exclude: int


_WARNING = struct("mjWarningStat")
LAYOUT = Layout(
    ncon=offset("mjData", "ncon"),
    contact=offset("mjData", "contact"),
    ne=offset("mjData", "ne"),
    nefc=offset("mjData", "nefc"),
    efc_J=offset("mjData", "efc_J"),
    efc_pos=offset("mjData", "efc_pos"),
    efc_diagA=offset("mjData", "efc_diagA"),
    warning=offset("mjData", "warning") + _WARNING.number.offset,  # pyright: ignore
    warning_size=int(np.dtype(_WARNING).itemsize),
    contact_size=int(np.dtype(struct("mjContact")).itemsize),
    dist=offset("mjContact", "dist"),
    pos=offset("mjContact", "pos"),
    frame=offset("mjContact", "frame"),
    dim=offset("mjContact", "dim"),
    geom=offset("mjContact", "geom"),
    friction=offset("mjContact", "friction"),
    surfacevel=offset("mjContact", "surfacevel"),
    exclude=offset("mjContact", "exclude"),
)


def _reader(numba_type: types.Type) -> Any:
    """An intrinsic that reads one value of `numba_type` at an address."""

    @intrinsic
    def read(typingctx, address):
        def codegen(context, builder, signature, args):
            pointer = builder.inttoptr(args[0], cgutils.voidptr_t)
            pointer = builder.bitcast(pointer, context.get_value_type(numba_type).as_pointer())
            return builder.load(pointer)

        return numba_type(types.uintp), codegen

    return read


read_int = _reader(types.int32)
read_float = _reader(types.float64)
read_address = _reader(types.uintp)


@kernel
def smooth_terms(m, d, qfrc_bias):
    """Kinematics, inertia, contacts, passive forces and bias of the state that lies in mjData.

    Unlike `mj_step1` this never resets a bad state, and it makes none of MuJoCo's soft constraints.
    """
    _kinematics(m, d)
    _com_pos(m, d)
    _tendon(m, d)
    _make_m(m, d)
    _collision(m, d)
    _com_vel(m, d)
    _passive(m, d)
    _rne(m, d, 0, qfrc_bias.ctypes.data)


@kernel
def positions(m, d):
    """Where bodies are and about what axes they move, for the pose that lies in mjData."""
    _kinematics(m, d)
    _com_pos(m, d)


@kernel
def equality_rows(m, d):
    """Let MuJoCo build its constraint rows; the equality rows come first."""
    _make_constraint(m, d)


@kernel
def dense_inertia(m, d, M_out):
    """The joint-space inertia as a full symmetric matrix."""
    _full_m(m, d, M_out.ctypes.data)


@kernel
def integrate(m, qpos, velocity, dt):
    """Move positions along a velocity on MuJoCo's manifold, in place."""
    _integrate_pos(m, qpos.ctypes.data, velocity.ctypes.data, dt)


@kernel
def poses(m, d):
    """Where bodies and geoms are, for the pose that lies in mjData."""
    _kinematics(m, d)


@kernel
def geom_distance(m, d, first, second, most):
    """Distance in m between two geoms as they lie in mjData, at most `most`; negative: how deep they overlap."""
    return _geom_distance(m, d, first, second, most, types.uintp(0))


@kernel
def geom_points(m, d, first, second, most, ends_out):
    """`geom_distance`, and the nearest points of the two geoms (6,) if they are nearer than `most`."""
    return _geom_distance(m, d, first, second, most, ends_out.ctypes.data)
