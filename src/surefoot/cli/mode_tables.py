"""Tables of contact modes and of solutions for the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from surefoot.errors import SolveError

SIDE_BY_SIDE = 5
"""Solutions that are shown beside each other."""

MOST_RIVALS = 200
"""Modes up to which the torques that allow no other mode are looked for."""


def listing(examples: Mapping[str, str]) -> Table:
    """Names of systems and what they say of themselves."""
    table = Table(title="bundled systems", title_justify="left", title_style="bold")
    table.add_column("name", style="bold cyan", no_wrap=True)
    table.add_column("what")
    for name, about in examples.items():
        table.add_row(name, Text(about))
    return table


def counts(response: Any) -> str:
    """How many modes there are, and how many were looked at."""
    system = response.system
    left = "" if response.considered == response.combinations else f", of which velocities leave {response.considered}"
    return (
        f"{_many(system.contacts, 'contact')}, {_many(system.torques, 'torque')}: {response.combinations} combinations"
        f"{left}; {response.nodes} linear programs find {_many(len(response.modes), 'mode')}"
    )


def modes(response: Any, most: int) -> Table:
    """A row a mode: the rank of its equations, what it leaves open and which torques allow it.

    Args:
        response: the `Response`.
        most: rows.
    """
    system = response.system
    table = Table()
    table.add_column("mode", style="bold", no_wrap=True)
    table.add_column("rank of A", no_wrap=True)
    table.add_column("case", justify="right")
    table.add_column("open")
    table.add_column(Text(f"at {system.torque_names[0]}" if system.torques == 1 else "torques"))
    compare = len(response.modes) <= MOST_RIVALS
    if compare:
        table.add_column("no other mode")
    for mode in response.modes[:most]:
        rows, columns = mode.equations[0].shape
        left = "" if mode.ambiguity == "none" else f": {mode.ambiguity}"
        cells = [f"{mode.rank} of {rows} x {columns}", str(mode.case), f"{mode.ambiguity_variables}{left}"]
        cells.append(_torques(lambda mode=mode: mode.torques))
        if compare:
            cells.append(_pieces(lambda mode=mode: response.unambiguous(mode).pieces))
        table.add_row(Text(mode.name), *cells)
    return table


def heading(system: Any, found: Any) -> str:
    """Where solutions were looked for, and how many there are."""
    pairs = [_valued(name, value) for name, value in zip(system.torque_names, found.torque, strict=True) if value]
    kind = {
        "none": "no solution",
        "one": "one solution",
        "several": f"{len(found)} solutions",
        "continuum": f"a continuum of solutions in {_many(len(found), 'mode')}",
    }[found.kind]
    if not system.torques:
        return f"{kind[:1].upper()}{kind[1:]}"
    if len(pairs) < system.torques:
        pairs.append("zero torque" if not pairs else "the others zero")
    return f"At {', '.join(pairs)}: {kind}"


def solutions(system: Any, found: Any) -> Table:
    """Accelerations and forces of the solutions side by side; what is open with its range."""
    table = Table()
    table.add_column("")
    shown = found[:SIDE_BY_SIDE]
    for solution in shown:
        table.add_column(Text(solution.mode), justify="right", no_wrap=True)
    ranges = [solution.range() if solution.dimension else None for solution in shown]
    for i, name in enumerate(system.coordinates):
        cells = [
            _value(s.acceleration[i], r and (r.acceleration_low[i], r.acceleration_high[i]))
            for s, r in zip(shown, ranges, strict=True)
        ]
        table.add_row(Text(f"acceleration of {name}"), *cells)
    directions = ("normal", "tangent") if system.dimension == 2 else ("normal", "tangent 1", "tangent 2")
    for i, (contact, direction) in enumerate((c, d) for c in system.names for d in directions):
        cells = [
            _value(s.force[i], r and (r.force_low[i], r.force_high[i])) for s, r in zip(shown, ranges, strict=True)
        ]
        table.add_row(Text(f"{direction} force on {contact} [N]"), *cells)
    if len(found) > len(shown):
        table.caption = f"{len(found) - len(shown)} more: {', '.join(s.mode for s in found[SIDE_BY_SIDE:])}"
    return table


def robust(system: Any, low: float, high: float, most: int) -> Table:
    """A row a mode that may happen under friction between `low` and `high`: torques for some, for every friction.

    Args:
        system: the `ContactSystem`.
        low: lowest coefficient of all contacts.
        high: highest.
        most: rows.
    """
    found = system.robust(low, high)
    table = Table(title=f"friction between {low:g} and {high:g}", title_justify="left", title_style="bold")
    table.add_column("mode", style="bold", no_wrap=True)
    for column in ("for some friction", "for every friction", "for every friction, and no other mode"):
        table.add_column(column)
    open_ends = False
    for mode in found.possible.modes[:most]:
        certain = found.certain(mode.name)
        open_ends |= not certain.proven
        mark = "" if certain.proven else " *"
        cells = (_torques(lambda mode=mode: mode.torques), _torques(lambda certain=certain: certain.torques) + mark)
        table.add_row(Text(mode.name), *cells, _pieces(lambda mode=mode: found.guaranteed(mode.name).pieces) + mark)
    if open_ends:
        table.caption = "* tried at the lowest and highest friction of each contact; not proven in between"
    return table


def _torques(of: Callable[[], Any]) -> str:
    """A set of torques: an interval if there is one torque, else how many rows bound it."""
    try:
        torques = of()
    except SolveError:
        return "too many rows"
    if torques.is_empty:
        return "none"
    if torques.space == 0:
        return "happens"
    if torques.space == 1:
        (low,), (high,) = torques.bounds()
        return _interval(low, high)
    rows = _many(len(torques.rows), "row") if len(torques.rows) else ""
    equations = _many(len(torques.equal), "equation") if len(torques.equal) else ""
    return " and ".join(filter(None, (rows, equations))) or "any"


def _pieces(of: Callable[[], Any]) -> str:
    """A union of convex sets of torques."""
    try:
        pieces = of()
    except SolveError:
        return "too many rows"
    if not pieces:
        return "none"
    if pieces[0].space == 1:
        ends = sorted((float(p.bounds()[0][0]), float(p.bounds()[1][0])) for p in pieces)
        return ", ".join(_interval(low, high) for low, high in ends)
    return "sure" if pieces[0].space == 0 else _many(len(pieces), "convex piece")


def _interval(low: float, high: float) -> str:
    if np.isinf(low) and np.isinf(high):
        return "any"
    if np.isinf(low) or np.isinf(high):
        return f"up to {_number(high)}" if np.isinf(low) else f"from {_number(low)}"
    return f"{_number(low)} to {_number(high)}" if high - low > 1e-9 * max(abs(low), abs(high), 1e-3) else _number(low)


def _value(value: float, ends: tuple[float, float] | None) -> str:
    """A number; with its range if it is open."""
    if ends is None or (np.isfinite(ends).all() and ends[1] - ends[0] <= 1e-6 * max(*np.abs(ends), 1e-3)):
        return _number(value)
    return f"{_number(ends[0])} to {_number(ends[1])}"


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 5e-10 else value:.4g}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _valued(name: str, value: float) -> str:
    """A torque with its value and unit; the name of a force carries its own in brackets."""
    short, _, unit = name.partition(" [")
    return f"{short} = {value:g} {unit.rstrip(']') or 'N m'}"
