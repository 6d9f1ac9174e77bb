import ast
import re
from pathlib import Path

import pytest

import surefoot

SOURCE = Path(surefoot.__file__).parent
REPOSITORY = Path(__file__).parent.parent
FILES = sorted(SOURCE.rglob("*.py"))
ALL_PYTHON = sorted(
    file
    for folder in ("src", "tests", "benchmarks", "examples", "experiments")
    for file in (REPOSITORY / folder).rglob("*.py")
)
KERNEL_IMPORTS = {"__future__", "collections", "contextlib", "ctypes", "functools", "glob", "hashlib", "llvmlite"}
KERNEL_IMPORTS |= {"math", "mujoco", "numba", "numpy", "os", "pathlib", "struct", "threading", "typing"}
TEXTS = [
    file
    for file in (*ALL_PYTHON, *REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md"), REPOSITORY / "Makefile")
    if file != Path(__file__)
]


def named(file):
    return str(file.relative_to(REPOSITORY)) if file.is_relative_to(REPOSITORY) else file.name


def modules(file):
    """Every module that a file imports, with its line."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            yield node.module, node.lineno


def test_rooms_import_only_rooms_to_their_left(capsys, monkeypatch):
    linter = pytest.importorskip("importlinter.cli", reason="import-linter is in the extra `dev`")
    monkeypatch.chdir(REPOSITORY)
    code = linter.lint_imports(config_filename=str(REPOSITORY / "pyproject.toml"), no_cache=True)
    assert code == 0, capsys.readouterr().out


def test_every_room_has_a_place_in_the_order():
    text = (REPOSITORY / "pyproject.toml").read_text()
    layers = set(re.findall(r"surefoot\.(\w+)", text.split("layers = [")[1].split("]")[0]))
    rooms = {p.stem for p in SOURCE.glob("*.py") if p.stem != "__init__"}
    rooms |= {p.name for p in SOURCE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert rooms == layers


def test_kernels_know_no_robot():
    for file in (SOURCE / "kernels").glob("*.py"):
        for module, line in modules(file):
            root = module.split(".")[0]
            fits = module.startswith("surefoot.kernels") if root == "surefoot" else root in KERNEL_IMPORTS
            assert fits, f"{file.name}:{line} imports {module}"


def test_only_the_engine_touches_mujocos_library():
    users = [
        file.name
        for file in FILES
        if re.search(r"load_library_permanently|ExternalFunction|ctypes\.CDLL", file.read_text())
    ]
    assert users == ["engine.py"]


def test_kernels_neither_raise_nor_print():
    without_kernels = {SOURCE / "kernels" / name for name in ("cache.py", "box.py")}
    for file in set((SOURCE / "kernels").glob("*.py")) - without_kernels:
        for node in ast.walk(ast.parse(file.read_text())):
            assert not isinstance(node, ast.Raise | ast.Assert), f"{file.name}:{node.lineno} raises"
            is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            assert not is_print, f"{file.name}:{node.lineno} prints"


def test_one_idea_a_file():
    lengths = {named(file): len(file.read_text().splitlines()) for file in ALL_PYTHON}
    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}


def test_files_speak_of_the_project_alone():
    foreign = re.compile(r"\bissue #?\d|(?<![\w./])/(home|root|mnt|Users)/", flags=re.IGNORECASE)
    found = {named(file): foreign.findall(file.read_text()) for file in TEXTS}
    assert {name: words for name, words in found.items() if words} == {}


def test_every_file_says_what_it_is():
    trees = {named(file): ast.parse(file.read_text()) for file in FILES}
    assert [name for name, tree in trees.items() if tree.body and not ast.get_docstring(tree)] == []


def test_no_source_asserts_where_it_should_say():
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            assert not isinstance(node, ast.Assert), f"{named(file)}:{node.lineno} asserts"


def test_every_source_file_of_the_numerical_rooms_has_tests():
    wanted = [f for room in ("kernels", "contact", "motion", "laws", "solvers") for f in (SOURCE / room).glob("*.py")]
    tested = {f.stem.removeprefix("test_") for f in (REPOSITORY / "tests").rglob("test_*.py")}
    without = {
        "__init__",
        "status",
        "plant",
        "box",
        "fallback",
        "lemke_basis",
        "law",
        "contact_samples",
        "arrays",
        "bilateral",
        "cone_laws",
        "finding",
        "settings",
        "softness",
        "faces",
        "few_contacts",
        "many_contacts",
        "dependent_rows",
        "normals",
        "dynamics_space",
        "free_coordinates",
        "handle",
        "held_contacts",
        "program_limits",
        "task_rows",
        "whole_body",
    }  # tested by their users
    assert sorted({f.stem for f in wanted} - tested - without) == []


def test_no_seeding_of_a_global_generator():
    for file in ALL_PYTHON:
        if file != Path(__file__):
            assert "np.random.seed(" not in file.read_text(), named(file)
