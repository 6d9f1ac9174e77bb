"""Results as Markdown for people and CSV for programs."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from benchmarks.harness import Bar, Record, Result
from benchmarks.summary import Row, summarise

LIMITATIONS = (
    "Times are of one call from Python on one core, best of a few in a row, on whatever else the machine was doing: "
    "compare within a run, not between runs.",
    "Each method is judged by its own law. Laws differ (pyramid, box, exact cone, soft contact), so two methods "
    "that are both right may give different forces.",
    "p99 of fewer than 100 problems is close to the worst.",
)


def markdown(result: Result, facts: Mapping[str, str]) -> str:
    """Return the report: header with the machine, a table a setting, methods, absent peers, errors, limitations."""
    test_set, rows = result.test_set, summarise(result)
    lines = [f"# {test_set.title}", "", test_set.about, ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    for setting in test_set.settings:
        here = [row for row in rows if row.setting == setting.name]
        lines += [
            "",
            f"## {setting.name}",
            "",
            f"An answer counts with a residual of at most {setting.tolerance:g}.",
            "",
        ]
        if not here:
            lines += ["Nothing was measured: see Absent."]
            continue
        lines += _table(
            here, test_set.unit, [name for name in test_set.references if any(name in r.ratios for r in here)]
        )
    lines += _counted(rows)
    if test_set.bars:
        lines += ["", "## Bars", "", "| bar | limit | measured | met |", "|---|---|---|---|"]
        lines += [_bar(bar, rows) for bar in test_set.bars]
    lines += ["", "## Methods", ""]
    lines += [
        f"- **{method.name}**{' (ours)' if method.ours else ''}: {method.law}. {method.note}".rstrip()
        for method in result.methods
    ]
    lines += ["", "## Absent", ""]
    lines += [f"- **{absent.name}**: {absent.reason}{_remedy(absent.remedy)}" for absent in result.absent] or ["None."]
    errors = [record for record in result.records if record.error]
    if errors:
        lines += ["", "## Errors", ""]
        lines += [f"- {record.method} on {record.problem}: {record.error}" for record in errors[:20]]
        lines += [f"- and {len(errors) - 20} more in the CSV"] if len(errors) > 20 else []
    lines += ["", "## Limitations", ""]
    lines += [f"- {text}" for text in (*test_set.limitations, *LIMITATIONS)]
    return "\n".join(lines) + "\n"


def write(result: Result, facts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write `<set>.md`, `<set>.csv` (the tables) and `<set>-problems.csv` (every record); return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    name = result.test_set.name
    report, table, problems = folder / f"{name}.md", folder / f"{name}.csv", folder / f"{name}-problems.csv"
    report.write_text(markdown(result, facts), encoding="utf-8")
    _write_csv(table, [_flat(row) for row in summarise(result)])
    names = [f.name for f in fields(Record) if f.name not in ("laps", "counts")]
    _write_csv(problems, [{name: getattr(record, name) for name in names} for record in result.records], names)
    return [report, table, problems]


def _bar(bar: Bar, rows: Sequence[Row]) -> str:
    limit = f"at {'least' if bar.at_least else 'most'} {bar.limit:g}"
    try:
        value = bar.measure(rows)
    except LookupError:
        return f"| {bar.text} | {limit} | - | not measured |"
    return f"| {bar.text} | {limit} | {_digits(value)} | {'yes' if bar.is_met(value) else 'no'} |"


def duration(seconds: float) -> str:
    """A time in a unit that fits, three digits."""
    if not math.isfinite(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_digits(seconds / size)} {unit}"
    return f"{_digits(seconds / 1e-6)} us"


def _table(rows: Sequence[Row], unit: str, references: Sequence[str]) -> list[str]:
    heads = ["size", "method", "problems", "solved", "wrong", "residual", f"p50 per {unit}", "p99", "worst"]
    heads += [f"p50 / {name}" for name in references]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        cells = [
            row.size,
            f"**{row.method}**" if row.ours else row.method,
            str(row.problems),
            _share(row.success),
            _share(row.wrong),
            "-" if math.isnan(row.residual) else f"{row.residual:.0e}",
            duration(row.p50),
            duration(row.p99),
            duration(row.worst),
        ]
        cells += [_ratio(row.ratios.get(name, math.nan)) for name in references]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _counted(rows: Sequence[Row]) -> list[str]:
    """What judges counted besides, a table a set of names; nothing where they counted nothing."""
    lines: list[str] = []
    for names in dict.fromkeys(tuple(row.counts) for row in rows if row.counts):
        heads = ["size", "method", *names]
        lines += ["", "## Counted", ""] if not lines else [""]
        lines += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
        for row in rows:
            if tuple(row.counts) == names:
                lines.append("| " + " | ".join([row.size, row.method, *map(str, row.counts.values())]) + " |")
    return lines


def _share(value: float) -> str:
    """A percentage that says 100 or 0 only when it is."""
    if value in (0.0, 1.0):
        return f"{100 * value:.0f} %"
    return f"{min(max(100 * value, 0.1), 99.9):.1f} %"


def _ratio(value: float) -> str:
    return "-" if not math.isfinite(value) else f"{_digits(value)}x"


def _digits(value: float) -> str:
    """Three significant digits without an exponent, unless very small."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def _remedy(text: str) -> str:
    return f" (`{text}`)" if text else ""


def _flat(row: Row) -> dict[str, object]:
    flat = asdict(row)
    flat.update(flat.pop("counts"))
    for name in ("ratios", "worst_ratios"):
        prefix = "p50" if name == "ratios" else "worst"
        flat.update({f"{prefix} / {reference}": value for reference, value in flat.pop(name).items()})
    return flat


def _write_csv(path: Path, rows: Sequence[Mapping[str, object]], names: Sequence[str] | None = None) -> None:
    names = list(names or dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
