"""Read and change the numbers of a robot by path, such as "lf.thigh.length" or "links.2.density"."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from surefoot import checks
from surefoot.errors import InputError

Part = TypeVar("Part")


def parameters(part: Any) -> dict[str, float]:
    """Every number of a robot (or of a part of one) by path, in SI units; what is None is left out."""
    return dict(_walk(part, ""))


def with_values(part: Part, values: Mapping[str, Any]) -> Part:
    """A copy of a robot with some of its values changed, all at once.

    Args:
        part: a robot or a part of one; it is not changed.
        values: new value by path. A path may end at a number, or at a whole part, a vector or None.

    Returns:
        The copy.

    Raises:
        InputError: no such path, or a value that the part refuses.
    """
    tree: dict[str, Any] = {}
    for path, value in values.items():
        *heads, last = path.split(".")
        branch = tree
        for head in heads:
            branch = branch.setdefault(head, _Branch())
            if not isinstance(branch, _Branch):
                raise InputError(f"values: {path!r} lies within a part that is replaced as a whole")
        if isinstance(branch.get(last), _Branch):
            raise InputError(f"values: {path!r} is replaced as a whole, but a value within it is given too")
        branch[last] = value
    return _changed(part, tree, "")


class _Branch(dict):
    """Changes within a part, as opposed to a value."""


def _names(part: Any) -> list[str]:
    if dataclasses.is_dataclass(part):
        return [field.name for field in dataclasses.fields(part)]
    return [str(i) for i in range(len(part))] if isinstance(part, tuple) else []


def _get(part: Any, name: str) -> Any:
    return part[int(name)] if isinstance(part, tuple) else getattr(part, name)


def _walk(part: Any, prefix: str) -> Iterator[tuple[str, float]]:
    for name in _names(part):
        value = _get(part, name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield prefix + name, float(value)
        else:
            yield from _walk(value, f"{prefix}{name}.")


def _changed(part: Any, tree: Mapping[str, Any], prefix: str) -> Any:
    names = _names(part)
    if not set(tree).issubset(names):
        checks.indices("values", [prefix + name for name in tree], [prefix + name for name in names], "parameter")
    new = {
        name: _changed(_get(part, name), value, f"{prefix}{name}.") if isinstance(value, _Branch) else value
        for name, value in tree.items()
    }
    if isinstance(part, tuple):
        return tuple(new.get(name, _get(part, name)) for name in names)
    try:
        return dataclasses.replace(part, **new)
    except InputError as error:
        raise InputError(f"{prefix.removesuffix('.')}: {error}" if prefix else str(error)) from None
