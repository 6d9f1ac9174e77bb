"""The documents say what is: their code runs and prints what they print, their links, commands and references exist."""

import contextlib
import importlib
import io
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import surefoot as sf
from surefoot.cli import app
from surefoot.laws import LAWS
from surefoot.robots.families import FAMILIES, build

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
IMAGE_BYTES = 2_000_000


class Block(NamedTuple):
    """A fenced block: its language, its text, the line of its first character, and whether only blanks precede it."""

    language: str
    text: str
    line: int
    follows: bool


def blocks(page):
    """All fenced blocks of a page; `follows` is true if nothing but blank lines stands since the block before."""
    found, end = [], None
    source = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w*)[^\n]*\n(.*?)^```[ ]*$", source, re.MULTILINE | re.DOTALL):
        follows = end is not None and not source[end : match.start()].strip()
        line = source[: match.start()].count("\n") + 2
        found.append(Block(match[1], match[2], line, follows))
        end = match.end()
    return found


def prose(page):
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def run(block, page, names):
    """Run a Python block in the page's namespace; returns what it printed."""
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    with contextlib.redirect_stdout(printed), np.printoptions(legacy=False):
        exec(code, names)
    return printed.getvalue()


def heading_anchors(page):
    """What GitHub makes of a page's headings."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_code_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed = {"__name__": "__main__"}, ""
    for block in blocks(page):
        if block.language == "python":
            printed = run(block, page, names)
        elif block.language == "text" and block.follows:
            assert printed == block.text, f"{page.name}, line {block.line}"


def test_pages_hold_code_at_all():
    with_code = {page.name for page in PAGES if any(block.language == "python" for block in blocks(page))}
    assert {"README.md", "one_problem.md", "contact.md", "solving.md", "robots.md", "simulate.md"} <= with_code
    first = blocks(ROOT / "README.md")
    example = next(k for k, block in enumerate(first) if block.language == "python")
    assert first[example + 1].language == "text"
    assert first[example + 1].follows, "the README's example is followed by its output"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), target
        assert not anchor or anchor in heading_anchors(goal), target


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_commands_exist(page):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    commands = {command.callback.__name__: command.callback for command in app.registered_commands}
    shell = "\n".join(block.text for block in blocks(page) if block.language == "sh")
    text = shell + "\n".join(re.findall(r"`([^`\n]+)`", prose(page)))
    for target in re.findall(r"\bmake ([\w-]+)", text):
        assert target in targets, f"make {target}"
    for line in re.findall(r"^\s*surefoot ([^\n]*)", text, re.MULTILINE):
        name, *rest = line.split("#")[0].split()
        assert name in commands, f"surefoot {line}"
        wanted = {word.split("=")[0].removeprefix("--").replace("-", "_") for word in rest if word.startswith("--")}
        known = set(commands[name].__code__.co_varnames[: commands[name].__code__.co_argcount])
        assert wanted <= known, f"surefoot {line}"
    for path in re.findall(r"\b(?:examples|benchmarks|docs|src|tests)/[\w/.-]+\.\w+", text):
        assert (ROOT / path).exists() or "NAME" in path, path


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_public_names_exist(page):
    for name in re.findall(r"\bsf\.([A-Za-z_]\w*)", page.read_text(encoding="utf-8")):
        assert name in sf.__all__, f"sf.{name}"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_files_named_in_pages_exist(page):
    rooms = "kernels|solvers|robots|contact|motion|laws|simulate|report|cli"
    for path in re.findall(rf"`((?:{rooms})/[\w/]+\.py)`", prose(page)):
        assert (ROOT / "src" / "surefoot" / path).exists(), path


def test_references_are_those_that_are_cited():
    listed = set(
        re.findall(r"^- \*\*\[(\w+)\]\*\*", (DOCS / "references.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    sources = [page for page in PAGES if page.name != "references.md"]
    sources += [*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    cited = {}
    for source in sources:
        for key in re.findall(r"\[([A-Z][a-z]+(?:[A-Z][a-z]+)*\d{4})\]", source.read_text(encoding="utf-8")):
            cited[key] = source.name
    assert {key: name for key, name in cited.items() if key not in listed} == {}, "cited but not listed"
    assert listed - set(cited) == set(), "listed but cited nowhere"


def test_readme_lists_laws_robots_and_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for law in LAWS.values():
        assert f"| `{law.name}` | `sf.{law.__name__}" in readme
    for name in FAMILIES:
        robot = build(name)
        row = f"| `{name}` | {robot.nv} | {len(robot.joints)} | {robot.mass:.2f} | {len(robot.feet)} |"
        assert row in readme
    for command in app.registered_commands:
        assert f"surefoot {command.callback.__name__}" in readme
    assert readme.index("make demo") < readme.index("```python") < readme.index("## ")


def test_every_status_is_explained():
    table = (DOCS / "solving.md").read_text(encoding="utf-8")
    for status in sf.Status:
        assert f"| `{status.name}` |" in table


def test_labels_of_equations_are_in_the_page():
    page = (DOCS / "one_problem.md").read_text(encoding="utf-8")
    reduction = (ROOT / "src" / "surefoot" / "kernels" / "reduction.py").read_text(encoding="utf-8")
    assert "(*)" in reduction
    assert r"\tag{*}" in page


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == sf.__version__
    assert f"version: {sf.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{sf.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_images_are_used_and_small():
    files = set((DOCS / "images").iterdir())
    used = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"(?:!\[[^\]]*\]\(|src=\")([^)\"\s]+)", prose(page))
        if not target.startswith("http")
    }
    assert files == used
    assert sum(file.stat().st_size for file in files) < IMAGE_BYTES


def test_table_of_laws_is_what_the_laws_do(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "laws"))
    measure, cases = importlib.import_module("measure"), importlib.import_module("cases")
    page = (DOCS / "choose_a_law.md").read_text(encoding="utf-8")
    head, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in _table(page, "laws")]
    assert head[1:] == list(measure.LAWS)
    shown = {row[0]: row[1:] for row in rows}
    for title, case in cases.CASES.items():
        now = [case(law, measure.resting(cases.ROBOT, law)) for law in measure.LAWS.values()]
        assert now == shown[title], f"{title}: run `python docs/laws/measure.py --write`"
    assert all(
        _table(page, "tasks")[k].endswith(" | ".join(row) + " |") for k, row in enumerate(measure.THEIRS.values(), 1)
    )


def _table(page, name):
    """Lines of a table between its marks, without the rule below its head."""
    lines = page.split(f"<!-- {name}: begin -->\n")[1].split(f"<!-- {name}: end -->")[0].splitlines()
    return [lines[0], *lines[2:]]


def test_benchmark_table_is_that_of_the_recorded_run():
    names = {"__name__": "table", "__file__": str(DOCS / "benchmarks" / "table.py")}
    exec((DOCS / "benchmarks" / "table.py").read_text(encoding="utf-8"), names)
    assert names["recorded"]() == names["shown"](), "run `python docs/benchmarks/table.py`"
