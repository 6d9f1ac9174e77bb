"""Many arrays behind one pointer.

Handing a tuple of a hundred arrays to a kernel from Python costs more than a step of simulation, and every kernel
that takes such a tuple takes seconds to compile. A Box is opened where it is needed, with `opened`.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.experimental import structref
from numba.extending import intrinsic

from surefoot.kernels.cache import kernel, part


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
def _opened(typingctx, box):
    """The tuple in a Box, borrowed: the Box's owner keeps it alive. `box.value` would count references.

    A door to Python that takes a Box does count, those of the Box itself, or it would never be freed: such a door says
    `@kernel(_nrt=True)` and hands the Box to a part.
    """
    value = box.field_dict["value"]

    def codegen(context, builder, signature, args):
        proxy = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        # NRT_MemInfo: reference count, destructor, its argument, data
        words = builder.bitcast(proxy.meminfo, cgutils.voidptr_t.as_pointer())
        data = builder.load(builder.gep(words, [cgutils.intp_t(3)]))
        payload = signature.args[0].get_data_type()
        kind = context.data_model_manager[payload].get_value_type()
        fields = cgutils.create_struct_proxy(payload)(context, builder, ref=builder.bitcast(data, kind.as_pointer()))
        return fields.value

    return value(box), codegen


opened: Any = _opened  # numba passes the first argument


@intrinsic
def _meminfo(typingctx, box):
    def codegen(context, builder, signature, args):
        proxy = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        return builder.ptrtoint(proxy.meminfo, context.get_value_type(types.uintp))

    return types.uintp(box), codegen


_pointer: Any = _meminfo


@part
def _box_address(box):
    """The pointer that a Box is."""
    return _pointer(box)


@kernel(_nrt=True)
def box_address(box):
    """`_box_address` for Python."""
    return _box_address(box)
