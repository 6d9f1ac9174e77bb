"""Distributions as tables of a TOML or JSON file, and back: `{normal = 0.0025}`, `{uniform = [0.5, 1.0]}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from surefoot import checks
from surefoot.errors import InputError
from surefoot.traces.distributions import Choice, Constant, Distribution, Jitter, Normal, Uniform, measured

KINDS = {"normal": Normal, "uniform": Uniform, "jitter": Jitter}
MEASURED = ("value", "resolution")
CHOICES = (*KINDS, "choice", "measured", "constant")


def from_table(name: str, table: Any) -> Distribution:
    """The distribution that a table tells of.

    Args:
        name: of the parameter, for error texts.
        table: one of `{normal = sd}`, `{normal = {sd, mean, low, high, factor}}`, `{uniform = [low, high]}`,
            `{uniform = {low, high, factor}}`, `{choice = [...]}`, `{measured = {value, resolution}}`, `{jitter = sd}`,
            `{jitter = {sd, low, high}}`, `{constant = value}`.

    Raises:
        InputError: something else; the text begins with the name.
    """
    with checks.told(f"{name}: "):
        if isinstance(table, Distribution):
            return table
        if not isinstance(table, Mapping) or len(table) != 1:
            raise InputError(f"expected a distribution such as {{normal = 0.01}}, got {table!r}")
        [(kind, inside)] = table.items()
        checks.choice("distribution", kind, CHOICES)
        if kind == "constant":
            return Constant(inside)
        if kind == "choice":
            if not isinstance(inside, list | tuple):
                raise InputError(f"choice: expected a list of values, got {inside!r}")
            return Choice(*inside)
        if kind == "measured":
            return measured(**_arguments(kind, inside, MEASURED, MEASURED))
        return _plain(kind, inside)


def to_table(distribution: Distribution) -> dict[str, Any]:
    """The table of a distribution, from which `from_table` makes an equal one; a contact law is written as its repr."""
    if isinstance(distribution, Choice):
        return {"choice": [_plain_value(value) for value in distribution.values]}
    if isinstance(distribution, Constant):
        return {"constant": _plain_value(distribution.number)}
    kind = next(name for name, made in KINDS.items() if isinstance(distribution, made))
    inside = {
        field.name: getattr(distribution, field.name)
        for field in fields(distribution)
        if field.default is MISSING or getattr(distribution, field.name) != field.default
    }
    if list(inside) == ["sd"]:
        return {kind: inside["sd"]}
    return {kind: [inside["low"], inside["high"]] if list(inside) == ["low", "high"] else inside}


def _plain(kind: str, inside: Any) -> Distribution:
    """A distribution from its table, or from the short form: a standard deviation, or two limits."""
    made = KINDS[kind]
    if made is Uniform and isinstance(inside, list | tuple):
        if len(inside) != 2:
            raise InputError(f"uniform: expected [low, high], got {inside!r}")
        inside = {"low": inside[0], "high": inside[1]}
    elif made is not Uniform and not isinstance(inside, Mapping):
        inside = {"sd": inside}
    needed = [field.name for field in fields(made) if field.default is MISSING]
    return made(**_arguments(kind, inside, [field.name for field in fields(made)], needed))


def _arguments(kind: str, inside: Any, known: Any, needed: Any) -> dict[str, Any]:
    if not isinstance(inside, Mapping):
        raise InputError(f"{kind}: expected a table with {', '.join(needed)}, got {inside!r}")
    checks.indices(kind, inside, list(known), "entry")
    for entry in needed:
        if entry not in inside:
            raise InputError(f"{kind}: {entry} is missing")
    return dict(inside)


def _plain_value(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str) else repr(value)
