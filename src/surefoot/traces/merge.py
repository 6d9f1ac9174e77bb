"""Many parts of a table as one sorted stream, a few parts in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from surefoot.traces.tables import fitted, sorted_rows


def merged(
    lows: Sequence[dict[str, int]],
    read: Callable[[int, str], pa.Table],
    policies: Sequence[str],
    schema: pa.Schema,
    below: int | None = None,
) -> Iterator[pa.Table]:
    """Rows of all parts by policy, then by particle; the first piece has no rows.

    Parts are read in the order of their least particle, and a row is given out once no part to come can have one
    before it. Traces end nearly in order, so little is held back.

    Args:
        lows: for each part the least particle of every policy in it.
        read: the rows of (part, policy).
        policies: in their order.
        schema: columns of the result.
        below: only particles below this number.
    """
    yield schema.empty_table()
    for policy in policies:
        order = sorted((low[policy], i) for i, low in enumerate(lows) if policy in low)
        held = schema.empty_table()
        for place, (_, i) in enumerate(order):
            rows = fitted(read(i, policy), schema)
            if below is not None:
                rows = rows.filter(pa.array(np.asarray(rows.column("particle")) < below))
            held = sorted_rows(pa.concat_tables([held, rows]).combine_chunks(), policies)
            last = place + 1 == len(order)
            ready = held.num_rows if last else _before(held, order[place + 1][0])
            yield held.slice(0, ready)
            held = held.slice(ready)


def _before(table: pa.Table, particle: int) -> int:
    """How many rows of a sorted table stand before those of `particle`."""
    return int(np.searchsorted(np.asarray(table.column("particle")), particle))
