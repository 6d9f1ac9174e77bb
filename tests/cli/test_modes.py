"""`surefoot modes`: what it prints of known systems, and what it refuses."""

import itertools
import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.cli.modes import MOST, torques


def rows(output):
    """Cells of all rows of all tables, by the first cell."""
    cells = [[cell.strip() for cell in line.strip("│ \n").split("│")] for line in output.splitlines() if "│" in line]
    return {row[0]: row[1:] for row in cells}


def test_two_links(run):
    result = run("modes", "two_link_arm", "--torque", "elbow=-1")
    assert result.exit_code == 0, result.output
    text = "3 contacts, 1 torque: 64 combinations; "
    assert re.search(rf"^{text}\d+ linear programs find 5 modes$", result.output, re.MULTILINE)
    table = rows(result.output)
    assert table["FFF"] == ["8 of 10 x 10", "4", "2: forces", "any", "up to -1.962"]
    assert table["LRL"] == ["10 of 10 x 10", "1", "0", "-1.472 to 0", "none"]
    assert table["SSS"] == ["10 of 10 x 10", "1", "0", "from 0", "none"]
    assert "At elbow = -1 N m: a continuum of solutions in 3 modes" in result.output
    # The whole arm slides down: friction 1 and a normal force of 4 N brake its 2 kg, and N = 1 N m / 0.3 m.
    assert table["acceleration of lower link y"][0] == f"{4 / 0.3 / 2 - 9.81:.4g}"
    assert table["normal force on p1 [N]"][0] == "3.333"
    assert table["normal force on p3 [N]"][2].endswith(" to inf")


def test_several_torques_and_painleve(run):
    result = run("modes", "rod_in_corner", "--torque", "2, 10")
    assert result.exit_code == 0, result.output
    table = rows(result.output)
    assert table["FF"] == ["6 of 7 x 7", "4", "1: forces", "2 rows", "1 convex piece"]
    assert table["RS"][-1] == "none"
    assert "At pull right = 2 N, pull up = 10 N: 3 solutions" in result.output
    assert "Painleve: floor sliding to the right is pressed together by its own friction" in result.output


def test_no_solution_is_an_answer(run):
    result = run("modes", "painleve_rod")
    assert result.exit_code == 0
    assert "4 combinations, of which velocities leave 2;" in result.output
    assert result.output.endswith("At zero torque: no solution\n")


def test_no_torques(run):
    result = run("modes", "ambiguous_rod")
    assert result.exit_code == 0
    assert "\n2 solutions\n" in result.output
    table = rows(result.output)
    assert table["S"][-2:] == ["happens", "none"]
    assert table["normal force on tip [N]"] == ["0", "5.737"]


def test_friction_between_bounds(run):
    """Walls that may be too smooth to jam a link: the arm is sure to hold from m g h / (2 mu) on, at the lowest mu."""
    result = run("modes", "two_link_arm", "--friction", 0.7, 0.9)
    assert result.exit_code == 0, result.output
    assert "friction between 0.7 and 0.9" in result.output
    held = f"{-9.81 * 0.3 / 1.4:.4g}"
    assert rows(result.output)["FFF"] == ["any", f"up to {held}", f"up to {held}"]
    # Walls need not be rough alike: sliding is sure where it is possible at all corners.
    arm = sf.modes.load("two_link_arm")
    corners = [arm.change(friction=mu).response()["LRL"].torques for mu in itertools.product((0.7, 0.9), repeat=3)]
    least = max(corner.bounds()[0][0] for corner in corners)
    assert rows(result.output)["LRL"] == [f"{held} to 0", f"{least:.4g} to 0", "none"]
    assert "not proven" not in result.output
    unsure = run("modes", "ambiguous_rod", "--friction", 1.2, 2)
    assert rows(unsure.output)["L"] == ["happens", "none *", "none *"]
    assert "* tried at the lowest and highest friction of each contact; not proven in between" in unsure.output


def test_a_file_of_ones_own_and_a_picture(run, tmp_path):
    file, picture = tmp_path / "my.toml", tmp_path / "my.png"
    file.write_text("inertia = [[1]]\nbias = [9.81]\njacobian = [[1], [0]]\nfriction = 0\ntorque_limits = 20\n")
    result = run("modes", file, "--plot", picture, "--torque", 5)
    assert result.exit_code == 0, result.output
    assert str(file) in result.output.splitlines()[0]
    assert "At torque 1 = 5 N m: one solution" in result.output
    assert rows(result.output)["F"][-2:] == ["-20 to 9.81", "-20 to 9.81"]
    assert result.output.endswith(f"Wrote {picture}\n")
    assert picture.stat().st_size > 1000


def test_axes_of_the_picture(run, tmp_path):
    path = tmp_path / "a.png"
    assert run("modes", "table", "--axes", "lift", "--plot", path).exit_code == 0
    assert path.exists()


def test_many_modes_are_cut_short(run, tmp_path):
    """Three blocks that do not know of each other have 4^3 modes."""
    blocks = sf.modes.load("block")
    eye = np.eye(3)
    values = {
        "inertia": np.kron(eye, blocks.inertia),
        "bias": np.tile(blocks.bias, 3),
        "jacobian": np.kron(eye, blocks.jacobian),
    }
    file = tmp_path / "many.toml"
    file.write_text("".join(f"{key} = {value.tolist()}\n" for key, value in values.items()) + "friction = 0.5\n")
    result = run("modes", file)
    assert f"\n{64 - MOST} more with --all\n" in result.output
    assert len([name for name in rows(result.output) if re.fullmatch("[SLRF]{3}", name)]) == MOST
    everything = run("modes", file, "--all")
    assert len([name for name in rows(everything.output) if re.fullmatch("[SLRF]{3}", name)]) == 64


def test_list(run):
    result = run("modes", "--list")
    assert result.exit_code == 0
    assert list(rows(result.output)) == list(sf.modes.EXAMPLES)


def test_help_teaches(run):
    result = run("modes", "--help")
    for text in ("F stays fixed, S separates, L and R slide", "surefoot modes two_link_arm --torque elbow=-1"):
        assert text in result.output


CHOICES = "ambiguous_rod, ball_bearing, block, painleve_rod, rod_in_corner, table, two_link_arm"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), f"SYSTEM: expected a file or an example, got none. The choices are: {CHOICES}"),
        (("blok",), f"system: no file or example is called 'blok'; did you mean 'block'? The choices are: {CHOICES}"),
        (("no.toml",), "no.toml: cannot be read: No such file or directory"),
        (("block", "--torque", "1"), "--torque: expected 2 (push, lift), got 1"),
        (("ambiguous_rod", "--torque", "1"), "--torque: expected none: the system has no torques, got 1"),
        (
            ("block", "--torque", "pushh=1"),
            "--torque: no torque is called 'pushh'; did you mean 'push'? The choices are: push, lift",
        ),
        (("block", "--torque", "1,x"), "--torque lift: expected a finite number, got 'x'"),
        (("block", "--torque", "1,inf"), "--torque lift: expected a finite number, got 'inf'"),
        (("block", "--torque", "push=1,2"), "--torque: no torque is called '2'; The choices are: push, lift"),
        (
            ("block", "--plot", "a.txt"),
            "--plot: expected a file name ending in .png, .pdf, .svg, .jpg, .webp, got 'a.txt'",
        ),
        (("ambiguous_rod", "--plot", "a.png"), "--plot: expected a system with torques to draw, got one without"),
        (("block", "--axes", "x"), "--axes: no torque is called 'x'; The choices are: push, lift"),
        (("block", "--friction", 1, "inf"), "--friction: expected a finite number, got inf"),
        (("block", "--torque", "push=1,push=2"), "--torque: expected every torque once, got 'push' twice"),
        (("block", "--friction", 1, 0.5), "--friction: expected LOW of at most HIGH, got 1 and 0.5"),
        (
            ("block", "--friction", -1, 1),
            "--friction: expected a number of at least 0, got -1",
        ),
    ],
)  # fmt: skip
def test_wrong_options_are_refused_before_any_work(run, words, text, monkeypatch):
    monkeypatch.setattr(sf.modes.ContactSystem, "response", lambda *_, **__: pytest.fail("it ran"))
    result = run("modes", *words)
    assert (result.exit_code, result.stderr) == (1, f"error: {text}\n")


def test_torques_of_the_option():
    names = ("push [N]", "elbow")
    assert torques(None, names).tolist() == [0, 0]
    assert torques("1, -2e-1", names).tolist() == [1, -0.2]
    assert torques("elbow = 3", names).tolist() == [0, 3]
    assert torques("elbow=3,push=4", names).tolist() == [4, 3]
