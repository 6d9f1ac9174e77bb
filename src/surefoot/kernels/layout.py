"""Where fields lie in MuJoCo's C structs, worked out from MuJoCo's own description of them, never typed by hand."""

from __future__ import annotations

import ctypes
import hashlib
from functools import cache
from typing import Any

from mujoco.introspect import ast_nodes, enums, structs

_SCALARS = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "char": ctypes.c_char,
    "unsigned char": ctypes.c_ubyte,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "mjtNum": ctypes.c_double,
    "mjtByte": ctypes.c_ubyte,
    "mjtBool": ctypes.c_bool,
    "mjtSize": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "uint64_t": ctypes.c_uint64,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "int32_t": ctypes.c_int32,
    "uintptr_t": ctypes.c_size_t,
}


def _ctype(node: Any) -> Any:
    """The ctypes equivalent of one type of MuJoCo's description."""
    if isinstance(node, ast_nodes.PointerType):
        return ctypes.c_void_p
    if isinstance(node, ast_nodes.ArrayType):
        result = _ctype(node.inner_type)
        for extent in reversed(node.extents):
            result = result * extent
        return result
    if isinstance(node, ast_nodes.AnonymousUnionDecl):
        return type("Union", (ctypes.Union,), {"_fields_": _fields(node.fields)})
    if isinstance(node, ast_nodes.AnonymousStructDecl):
        return type("Struct", (ctypes.Structure,), {"_fields_": _fields(node.fields)})
    name = node.name.removeprefix("struct ").rstrip("_")
    if name in _SCALARS:
        return _SCALARS[name]
    if name in enums.ENUMS:
        return ctypes.c_int
    return struct(name)


def _fields(nodes: Any) -> list[tuple[str, Any]]:
    return [
        (getattr(node, "name", "") or f"anonymous{i}", _ctype(getattr(node, "type", node)))
        for i, node in enumerate(nodes)
    ]


@cache
def struct(name: str) -> type[ctypes.Structure]:
    """The ctypes structure of MuJoCo's struct `name` (say "mjContact")."""
    return type(name, (ctypes.Structure,), {"_fields_": _fields(structs.STRUCTS[name].fields)})


def offset(name: str, field: str) -> int:
    """Byte offset of a field."""
    return getattr(struct(name), field).offset


def layout_digest() -> str:
    """Digest of the layout of the structs that kernels read."""
    text = "|".join(
        f"{name}.{field}:{getattr(kind, field).offset}"
        for name in ("mjContact", "mjData")
        for kind in (struct(name),)
        for field, *_ in kind._fields_
    )
    return hashlib.sha256(text.encode()).hexdigest()
