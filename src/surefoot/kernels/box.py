"""Many arrays behind one pointer.

Handing a tuple of a hundred arrays to a kernel from Python costs more than a step of simulation, and every kernel
that takes such a tuple takes seconds to compile. A Box is opened where it is needed, in a kernel marked
`@kernel(_nrt=True)`.
"""

from __future__ import annotations

from numba import types
from numba.experimental import structref

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
