"""Many arrays behind one pointer.

A tuple of a hundred arrays takes longer to hand over than a step of simulation, and every kernel that takes one takes
seconds to compile. A Box is one address. Compiled code reads `box.name` as if it had the tuple: an array, a number, a
Pointer or another Box is read from memory where it is used, a tuple in the tuple is a Box again.
"""

from __future__ import annotations

import hashlib
from struct import pack, unpack
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof, typeof_impl
from numba.extending import NativeValue, lower_getattr_generic, models, register_model, unbox
from numba.np.arrayobj import make_array, populate_array

from surefoot.kernels.cache import Pointer


class BoxType(types.Type):
    """Numba's view of a Box of one kind of NamedTuple."""

    def __init__(self, held: types.BaseNamedTuple) -> None:
        self.held = held
        digest = hashlib.sha256(str(held).encode()).hexdigest()[:12]  # machine code is named after its arguments
        super().__init__(name=f"Box[{held.instance_class.__name__} {digest}]")

    @property
    def key(self) -> str:
        """What tells two kinds apart; numba hashes it in every call."""
        return self.name


class Box:
    """One NamedTuple of arrays, numbers, Pointers, Boxes and such tuples, laid out in memory for compiled code.

    It keeps all that it points to alive. What it holds is fixed: arrays may change, the tuple may not.
    """

    def __init__(self, value: Any) -> None:
        words: list[int] = []
        _write(value, words)
        self.value = value
        self.type = box_type(value)
        self._memory = np.array(words, dtype=np.uint64)
        self.address = self._memory.ctypes.data

    def __reduce__(self) -> Any:
        """Addresses do not travel: a copy is written anew."""
        return Box, (self.value,)


_TYPES: dict[Any, BoxType] = {}  # numba takes milliseconds to look at a hundred arrays


def box_type(value: Any) -> BoxType:
    """Type of the Box of a NamedTuple, and of that tuple where it stands in a larger one."""
    kind = _kind(value)
    if kind not in _TYPES:
        _TYPES[kind] = BoxType(typeof(value))
    return _TYPES[kind]


def _kind(value: Any) -> Any:
    """What decides the type of a value."""
    if isinstance(value, tuple):
        return (type(value), *(_kind(item) for item in value))
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.writeable
    if isinstance(value, Box):
        return value.type
    return value.signature() if isinstance(value, Pointer) else type(value)


def _write(value: Any, words: list[int]) -> None:
    """Append a value as words of 8 bytes; `_read` reads them."""
    if isinstance(value, tuple):
        for item in value:
            _write(item, words)
    elif isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError(f"a Box holds contiguous arrays, got strides {value.strides} for shape {value.shape}")
        words += [value.__array_interface__["data"][0], *value.shape]
    elif isinstance(value, Box):
        words.append(value.address)
    elif isinstance(value, Pointer):
        words.append(value.__wrapper_address__())
    elif isinstance(value, float):
        words += unpack("Q", pack("d", value))
    else:
        words.append(int(value) % 2**64)


def _width(kind: types.Type) -> int:
    """How many words a value of this type takes."""
    if isinstance(kind, types.BaseTuple):
        return sum(_width(item) for item in kind.types)
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


@typeof_impl.register(Box)
def _type_of_box(value, context):
    return value.type


register_model(BoxType)(models.OpaqueModel)


@unbox(BoxType)
def _from_python(kind, value, c):
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address)


@infer_getattr
class _Attributes(AttributeTemplate):
    """Which attributes a Box has, and of what type."""

    key = BoxType

    def generic_resolve(self, value, attr):
        if attr in value.held.fields:
            kind = value.held.types[value.held.fields.index(attr)]
            return BoxType(kind) if isinstance(kind, types.BaseNamedTuple) else kind
        return None


@lower_getattr_generic(BoxType)
def _attribute(context, builder, kind, address, attr):
    place = kind.held.fields.index(attr)
    first = sum(_width(item) for item in kind.held.types[:place])
    words = builder.bitcast(address, ir.IntType(64).as_pointer())
    return _read(context, builder, kind.held.types[place], builder.gep(words, [cgutils.intp_t(first)]))


def _read(context, builder, kind, words):
    """Code that reads a value of this type from words of 8 bytes."""
    pointer = ir.IntType(8).as_pointer()
    if isinstance(kind, types.BaseNamedTuple):
        return builder.bitcast(words, pointer)  # a Box within

    def word(place):
        loaded = builder.load(builder.gep(words, [cgutils.intp_t(place)]))
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))  # what a Box holds is fixed
        return loaded

    if isinstance(kind, types.Array):
        array = make_array(kind)(context, builder)
        shape = [word(1 + axis) for axis in range(kind.ndim)]
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        strides = [cgutils.intp_t(size)]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        data = builder.inttoptr(word(0), array.data.type)
        populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
        return array._getvalue()
    if isinstance(kind, types.FunctionType):
        function = cgutils.create_struct_proxy(kind)(context, builder)
        function.c_addr = builder.inttoptr(word(0), pointer)
        return function._getvalue()
    if isinstance(kind, BoxType):
        return builder.inttoptr(word(0), pointer)
    if kind == types.float64:
        return builder.bitcast(word(0), ir.DoubleType())
    return builder.trunc(word(0), context.get_value_type(kind)) if kind == types.boolean else word(0)
