"""Put the table of the recorded benchmark run into the README.

    make bench                                              # writes bench-results/
    cp bench-results/{lcp,contact,step,walk,inverse,soft,batch,modes,traces,whole_body}.{md,csv} docs/benchmarks/
    python docs/benchmarks/table.py

Ours stands beside the reference peer that solved most, and of several such beside the fastest. Without a recorded run
the README says so.
"""

import csv
from pathlib import Path

HERE = Path(__file__).parent
README = HERE.parents[1] / "README.md"
BEGIN, END = "<!-- benchmarks: begin -->\n", "<!-- benchmarks: end -->\n"
SETS = {
    "lcp": "Coulomb LCP, random bodies",
    "contact": "contact on Solo12",
    "step": "step of `links`",
    "walk": "1 kHz loop of `links`",
    "inverse": "torques of `links`",
    "soft": "soft inverse of a humanoid",
    "modes": "every contact mode",
    "traces": "a crowd of `links-light`",
    "whole_body": "whole-body cycle",
}
NONE = "No full run is recorded in `docs/benchmarks/` yet: `make bench` measures on your machine.\n"


def recorded() -> str:
    """The table of the CSV files beside this script, as Markdown."""
    lines = []
    for name, title in SETS.items():
        path = HERE / f"{name}.csv"
        if not path.exists():
            continue
        if "quick: yes" in (HERE / f"{name}.md").read_text(encoding="utf-8"):
            raise SystemExit(f"{path}: of a quick run; record a full one")
        with path.open(newline="", encoding="utf-8") as file:
            lines += _rows(title, list(csv.DictReader(file)))
    if not lines:
        return NONE
    head = "| problem | ours: solved, p50, worst | peer | its solved, p50, worst | peer's p50 / ours |\n"
    return head + "|---|---|---|---|---|\n" + "".join(lines)


def shown() -> str:
    """The table that the README shows."""
    return README.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


def _rows(title: str, rows: list[dict[str, str]]) -> list[str]:
    references = {key.removeprefix("p50 / ") for key in rows[0] if key.startswith("p50 / ")}
    lines = []
    for group in dict.fromkeys((row["setting"], row["size"]) for row in rows):
        here = [row for row in rows if (row["setting"], row["size"]) == group]
        ours = next((row for row in here if row["ours"] == "True"), None)
        peers = [row for row in here if row["method"] in references and row["ours"] != "True"]
        if ours is None or not peers:
            continue
        peer = max(peers, key=lambda row: (float(row["success"]), -float(row["p50"])))
        setting = f", {group[0].lower()}" if len({row["setting"] for row in rows}) > 1 else ""
        ratio = float(peer["p50"]) / float(ours["p50"])
        lines.append(
            f"| {title}, {group[1]}{setting} | {_cell(ours)} | {peer['method']} | {_cell(peer)} | {ratio:.3g} |\n"
        )
    return lines


def _cell(row: dict[str, str]) -> str:
    share = 100 * float(row["success"])
    return f"{share:.4g} %, {_time(row['p50'])}, {_time(row['worst'])}"


def _time(text: str) -> str:
    seconds = float(text)
    unit, size = ("s", 1.0) if seconds >= 1 else ("ms", 1e-3) if seconds >= 1e-3 else ("us", 1e-6)
    return f"{seconds / size:.3g} {unit}"


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    README.write_text(before + BEGIN + recorded() + END + rest.split(END)[1], encoding="utf-8")
    print(recorded(), end="")
