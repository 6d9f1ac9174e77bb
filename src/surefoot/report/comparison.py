"""What an experiment returns: numbers of ours beside those of the paper it repeats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Comparison:
    """A table and a figure.

    Attributes:
        rows: lines of the table, each a dict of column name to text; all have the same columns.
        notes: sentences below the table: what was measured, and what differs from the paper.
        figure: the plot that was written.
    """

    rows: tuple[dict[str, str], ...]
    notes: tuple[str, ...]
    figure: Path
