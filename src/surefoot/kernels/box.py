"""Many arrays behind one pointer.

Handing a tuple of a hundred arrays to a kernel from Python costs more than a step of simulation, and every kernel
that takes such a tuple takes seconds to compile. A Box is opened where it is needed, in a kernel marked
`@kernel(_nrt=True)`.
"""

from __future__ import annotations

from numba import types
from numba.core import cgutils
from numba.experimental import structref
from numba.extending import intrinsic

from surefoot.kernels.cache import kernel


@structref.register
class _BoxType(types.StructRef):
    """Numba's view of a Box."""


class Box(structref.StructRefProxy):
    """Holds one tuple of arrays, `value`, for compiled code."""


structref.define_proxy(Box, _BoxType, ["value"])


@kernel(_nrt=True)
def boxed(value):
    """Put a tuple of arrays into a Box."""
    return Box(value)


@intrinsic
def _pointer(typingctx, box):
    def codegen(context, builder, signature, args):
        proxy = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        return builder.ptrtoint(proxy.meminfo, context.get_value_type(types.uintp))

    return types.uintp(box), codegen


@kernel(_nrt=True)
def box_address(box):
    """The pointer that a Box is."""
    return _pointer(box)
