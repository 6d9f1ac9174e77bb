import pytest
from PIL import Image

from surefoot.report.renderer import find_renderer


@pytest.fixture
def drawing() -> None:
    if find_renderer().backend is None:
        pytest.skip(f"no renderer: {find_renderer()}")


@pytest.mark.usefixtures("drawing")
def test_a_bundled_robot(run, tmp_path):
    path = tmp_path / "links.png"
    result = run("show", "links", "-o", path, "--width", 160, "--height", 120)
    assert result.exit_code == 0, result.output
    assert "<links: 18 dof, 12 actuated" in result.output
    assert f"Wrote {path}" in result.output.replace("\n", "")
    with Image.open(path) as image:
        assert image.size == (160, 120)


@pytest.mark.usefixtures("drawing")
def test_a_file(run, tmp_path):
    source = tmp_path / "ball.xml"
    source.write_text(
        '<mujoco model="ball"><worldbody><body name="ball" pos="0 0 1"><freejoint/>'
        '<geom type="sphere" size=".1"/></body></worldbody></mujoco>'
    )
    result = run("show", source, "-o", tmp_path / "ball.png")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "ball.png").exists()


def test_without_a_renderer(run, tmp_path, monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "disable")
    find_renderer.cache_clear()
    result = run("show", "links", "-o", tmp_path / "links.png")
    find_renderer.cache_clear()
    assert result.exit_code == 1
    assert result.stderr.startswith(
        "error: No renderer works here, so nothing can be drawn (MUJOCO_GL: set to 'disable'"
    )
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "links.png").exists()


def test_unknown_robot(run, tmp_path):
    result = run("show", "lynx", "-o", tmp_path / "lynx.png")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "'lynx'" in result.stderr


def test_wrong_ending(run):
    result = run("show", "links", "-o", "links.bmp")
    assert result.exit_code == 1
    assert "error: --output: expected a file name ending in .png, .jpg, .jpeg, .webp, got 'links.bmp'" in result.stderr


@pytest.mark.parametrize("option", ["azimuth", "elevation"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_direction_that_is_no_number(run, tmp_path, option, value):
    result = run("show", "links", "-o", tmp_path / "links.png", f"--{option}", value)
    assert (result.exit_code, result.stderr) == (1, f"error: {option}: expected a finite number, got {value}\n")
    assert not (tmp_path / "links.png").exists()
