import subprocess
import sys

import pytest

from surefoot.errors import EngineError
from surefoot.report import renderer
from surefoot.report.renderer import Renderer, candidates, find_renderer, open_context, probe


@pytest.fixture
def fresh(monkeypatch):
    """Forget what was found before and after the test."""
    find_renderer.cache_clear()
    yield monkeypatch
    find_renderer.cache_clear()


@pytest.mark.parametrize(
    ("setting", "platform", "display", "expected"),
    [
        ("", "linux", False, ("egl", "osmesa")),
        ("", "linux", True, ("egl", "glfw", "osmesa")),
        ("", "darwin", False, ("cgl", "glfw")),
        ("", "win32", True, ("glfw",)),
        ("EGL ", "linux", True, ("egl",)),
        ("glx", "linux", True, ("glfw",)),
        ("wgl", "win32", True, ("glfw",)),
        ("on", "linux", False, ("egl", "osmesa")),
        ("disable", "linux", True, ()),
        ("0", "darwin", True, ()),
    ],
)
def test_candidates(setting, platform, display, expected):
    assert candidates(setting, platform, display) == expected


def test_candidates_refuse_an_unknown_setting():
    expected = "MUJOCO_GL: expected one of 'egl', 'osmesa', 'glfw', 'cgl' or unset, got 'vulkan'"
    with pytest.raises(EngineError, match=f"^{expected}$"):
        candidates("vulkan", "linux", False)


def test_probe_of_what_does_not_exist_says_why():
    why = "RuntimeError: invalid value for environment variable MUJOCO_GL: no_such_backend"
    assert probe("no_such_backend") == (False, why)


def test_probe_gives_up_in_time():
    assert probe("egl", timeout=1e-3) == (False, "no picture within 0.001 s")


def test_switched_off(fresh):
    fresh.setenv("MUJOCO_GL", "disable")
    assert find_renderer() == Renderer(None, "", (("MUJOCO_GL", "set to 'disable', which switches drawing off"),))
    with pytest.raises(EngineError) as caught:
        open_context(64, 48)
    assert str(caught.value) == (
        "No renderer works here, so nothing can be drawn (MUJOCO_GL: set to 'disable', which switches drawing off). "
        "Unset MUJOCO_GL to draw."
    )


def test_all_that_failed_is_named(fresh):
    fresh.delenv("MUJOCO_GL", raising=False)
    fresh.setattr(renderer, "probe", lambda name: (False, f"no {name} here"))
    fresh.setattr(sys, "platform", "linux")
    fresh.delenv("DISPLAY", raising=False)
    fresh.delenv("WAYLAND_DISPLAY", raising=False)
    assert str(find_renderer()) == "none: egl: no egl here; osmesa: no osmesa here"
    with pytest.raises(EngineError, match=r"\(egl: no egl here; osmesa: no osmesa here\)\. Install Mesa's EGL"):
        open_context(64, 48)


def test_the_first_that_works_is_taken(fresh):
    fresh.delenv("MUJOCO_GL", raising=False)
    fresh.setattr(sys, "platform", "darwin")
    fresh.setattr(renderer, "probe", lambda name: (name == "glfw", "a card"))
    found = find_renderer()
    assert found == Renderer("glfw", "a card", (("cgl", "a card"),))
    assert str(found) == "glfw on a card"


@pytest.mark.usefixtures("drawing")
def test_a_context_opens_though_mujoco_was_imported_without_a_setting():
    """The trap: `import mujoco` without MUJOCO_GL picks a backend that cannot open here; ours must not care."""
    code = (
        "import os; os.environ.pop('MUJOCO_GL', None)\n"
        "import mujoco\n"
        "from surefoot.report.renderer import open_context\n"
        "for _ in range(2):\n"
        "    gl = open_context(64, 48)\n"
        "    model = mujoco.MjModel.from_xml_string('<mujoco/>')\n"
        "    mujoco.MjrContext(model, 100).free()\n"
        "    gl.free()\n"
        "print('opened')\n"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (child.returncode, child.stdout) == (0, "opened\n"), child.stderr
