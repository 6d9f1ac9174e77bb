import ast
import re
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from surefoot.cli import reproduce as command
from surefoot.errors import InputError

CHOICES = f"The choices are: {', '.join(command.experiments())}"


def _cells(output):
    """Lines of the table as lists of cells."""
    rows = [[cell.strip() for cell in re.split("[│|]", line)[1:-1]] for line in output.splitlines()]
    return [row for row in rows if row]


def test_the_list_names_every_experiment_and_what_it_is(run):
    result = run("reproduce", "--list")
    assert result.exit_code == 0, result.output
    rows = _cells(result.output)
    assert [row[0] for row in rows] == list(command.experiments())
    assert {"000-figure-18", "000-section-3-2", "002-figure-2", "002-figure-3"} <= {row[0] for row in rows}
    titles = {row[0]: row[1] for row in rows}
    assert titles["002-figure-2"].startswith("[Todorov2014], figure 2: impulses of a single joint by forward and by")


def test_figure_2_agrees_far_better_than_the_paper(run, tmp_path):
    result = run("reproduce", "002-figure-2", "--quick", "-o", tmp_path / "new" / "folder")
    assert result.exit_code == 0, result.output
    rows = {row[0]: row for row in _cells(result.output)}
    for name in ("friction impulse, N m s", "contact impulse, N s"):
        assert 0.0 < float(rows[name][2]) < 1e-9
        assert float(rows[name][1]) > 1e-3
        assert rows[name][3] == "within 1e-05"
    path = tmp_path / "new" / "folder" / "002-figure-2.png"
    assert f"Wrote {path}" in result.output.replace("\n", "")
    with Image.open(path) as image:
        assert min(image.size) > 400


def test_figure_3_times_the_humanoid(run, tmp_path):
    result = run("reproduce", "002-figure-3", "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    rows = _cells(result.output)
    assert rows
    for _, steps, forward, inverse, _, before, speed_up, *_ in rows:
        assert int(steps) >= 5
        assert 1.0 < float(before) < float(inverse)
        assert float(speed_up) == pytest.approx(float(forward) / float(inverse), rel=0.02, abs=0.06)  # of rounded times
    error = float(re.search(r"drag's force to (\S+) of its size", result.output)[1])
    assert 0.0 < error < 1e-8
    assert (tmp_path / "002-figure-3.png").stat().st_size > 10_000


def test_the_humanoid_has_27_degrees_of_freedom():
    import surefoot as sf

    robot = sf.load(command.experiments()["002-figure-3"].with_name("humanoid.xml"))
    assert (robot.nv, len(robot.joints), robot.base) == (27, 21, "pelvis")
    assert robot.mass == pytest.approx(71.0)
    assert np.all(robot.model.geom_condim == 6)


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("004-table-15", ["PD", "inverse dynamics, dissipative", "inverse dynamics, Coulomb"]),
        ("004-table-16", ["PD", "PD, gears, gains as given", "PD, gears, tuned", "inverse dynamics"]),
    ],
)
def test_prescribed_motion_takes_the_largest_steps(run, tmp_path, name, methods):
    result = run("reproduce", name, "--quick", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    rows = {row[0]: row for row in _cells(result.output)}
    assert list(rows) == [*methods, "prescribed", "prescribed, as exact as PD"]
    step, error = ({key: float(row[k]) for key, row in rows.items()} for k in (1, 3))
    assert step["prescribed"] == 100.0  # ms, the most
    for method in methods:
        assert 1.0 <= step[method] < 100.0
        assert step[method] > step["PD"] or method == "PD"
    assert error["prescribed, as exact as PD"] <= error["PD"]
    assert step["prescribed, as exact as PD"] > 20.0 * step["PD"]
    quicker = re.search(r"(\d+) times quicker", result.output)
    assert float(quicker[1]) > 3.0  # of a short motion, on a machine that may be busy
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), f"NAME: expected an experiment, got none. {CHOICES}"),
        (("002-figure-9",), f"NAME: no experiment is called '002-figure-9'. {CHOICES}"),
    ],
)
def test_a_wrong_name_is_answered_with_the_choices(run, words, text):
    result = run("reproduce", *words)
    assert (result.exit_code, result.stderr) == (1, f"error: {text}\n")


def test_a_file_is_no_folder(run, tmp_path):
    path = tmp_path / "taken"
    path.write_text("")
    result = run("reproduce", "002-figure-2", "-o", path)
    assert result.exit_code == 1
    assert result.stderr == f"error: --output: {str(path)!r} cannot be used as a folder: File exists\n"


def test_installed_experiments_are_found_beside_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "__file__", str(tmp_path / "site" / "surefoot" / "cli" / "reproduce.py"))
    with pytest.raises(InputError) as caught:
        command.experiments()
    assert str(caught.value) == (
        "experiments: they are neither at the top of a clone nor installed beside the package; "
        "install surefoot from a clone with `python -m pip install .`"
    )
    folder = tmp_path / "site" / "surefoot_experiments"
    folder.mkdir(parents=True)
    (folder / "seed_001_table_7.py").write_text('"""What it shows.\n\nMore."""')
    assert command.experiments() == {"001-table-7": folder / "seed_001_table_7.py"}
    assert command.title(folder / "seed_001_table_7.py") == "What it shows."


def test_every_experiment_names_its_command():
    for name, file in command.experiments().items():
        text = file.read_text(encoding="utf-8")
        assert f"    surefoot reproduce {name}\n" in ast.get_docstring(ast.parse(text)) + "\n"


def test_brackets_in_texts_are_no_markup(run, tmp_path, monkeypatch):
    found = SimpleNamespace(
        rows=({"[what]": "[a]", "ours": "[b]"},), notes=("see [Todorov2014], [red]",), figure="[c].png"
    )
    monkeypatch.setattr(command, "load", lambda file: SimpleNamespace(reproduce=lambda *_, **__: found))
    result = run("reproduce", "002-figure-2", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    assert _cells(result.output) == [["[a]", "[b]"]]
    lines = result.output.splitlines()
    assert lines[-2:] == ["see [Todorov2014], [red]", "Wrote [c].png"]
    assert any(re.search(r"\[what\].*ours", line) for line in lines)
