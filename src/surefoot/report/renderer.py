"""Which OpenGL way of drawing off screen works here, found out without risk to this process.

MuJoCo chooses its OpenGL library by the variable `MUJOCO_GL`, read when `mujoco` is imported. Without a display and
without that variable its renderer fails, and a second try in the same process aborts it. So each backend is tried in a
child process first, and the one that worked is then opened here directly (`mujoco.egl.GLContext` and its siblings),
whatever `MUJOCO_GL` was when `mujoco` was imported.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from surefoot.errors import EngineError

_OFF = ("disable", "disabled", "off", "false", "0")
_ANY = ("", "enable", "enabled", "on", "true", "1")
_SAME_AS = {"glx": "glfw", "wgl": "glfw"}
_BACKENDS = ("egl", "osmesa", "glfw", "cgl")

# Draws one small picture; the last word says on what.
_PROBE = """
import importlib, sys
import mujoco, numpy
model = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><light pos='0 0 2'/><geom type='sphere' size='1'/></worldbody></mujoco>")
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
gl = importlib.import_module("mujoco." + sys.argv[1]).GLContext(64, 64)
gl.make_current()
context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
scene, camera = mujoco.MjvScene(model, 10), mujoco.MjvCamera()
mujoco.mjv_defaultFreeCamera(model, camera)
mujoco.mjv_updateScene(
    model, data, mujoco.MjvOption(), None, camera, mujoco.mjtCatBit.mjCAT_ALL.value, scene)
pixels, window = numpy.zeros((64, 64, 3), numpy.uint8), mujoco.MjrRect(0, 0, 64, 64)
mujoco.mjr_render(window, scene, context)
mujoco.mjr_readPixels(pixels, None, window, context)
assert pixels.any(), "the picture came out black"
try:
    from OpenGL.GL import GL_RENDERER, glGetString
    print("drawn on", glGetString(GL_RENDERER).decode())
except Exception:
    print("drawn on an unnamed device")
context.free()
gl.free()
"""


@dataclass(frozen=True)
class Renderer:
    """A way to draw, or why there is none.

    Attributes:
        backend: "egl", "glfw", "osmesa", "cgl", or None if nothing works.
        device: what draws, in OpenGL's words ("llvmpipe" is the processor itself).
        tried: each backend that failed, with the reason.
    """

    backend: str | None
    device: str
    tried: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        if self.backend is not None:
            return f"{self.backend} on {self.device}"
        return "none: " + "; ".join(f"{name}: {why}" for name, why in self.tried)


def candidates(setting: str, platform: str, display: bool) -> tuple[str, ...]:
    """Backends worth trying, best first.

    Args:
        setting: value of `MUJOCO_GL`; empty if unset. A backend named there is the only one tried.
        platform: as `sys.platform`.
        display: whether there is a screen to open a (hidden) window on.

    Returns:
        Names of modules of `mujoco`; empty if the setting switches drawing off.

    Raises:
        EngineError: the setting names no backend.
    """
    setting = setting.lower().strip()
    if setting in _OFF:
        return ()
    if setting not in _ANY:
        name = _SAME_AS.get(setting, setting)
        if name not in _BACKENDS:
            raise EngineError(f"MUJOCO_GL: expected one of {', '.join(map(repr, _BACKENDS))} or unset, got {setting!r}")
        return (name,)
    if platform == "darwin":
        return ("cgl", "glfw")
    if platform == "win32":
        return ("glfw",)
    return ("egl", "glfw", "osmesa") if display else ("egl", "osmesa")


def probe(backend: str, timeout: float = 60.0) -> tuple[bool, str]:
    """Draw one picture with `backend` in a child process.

    Args:
        backend: a module of `mujoco` that has a `GLContext`.
        timeout: seconds to wait for the child.

    Returns:
        Whether it worked, and on what device or why not.
    """
    command = [sys.executable, "-c", _PROBE, backend]
    # A child that imports mujoco must not trip over the backend's own switch.
    environment = {**os.environ, "MUJOCO_GL": backend}
    try:
        child = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return False, f"no picture within {timeout:g} s"
    except OSError as error:
        return False, f"no child process could be started ({error})"
    if child.returncode == 0:
        return True, child.stdout.strip().rpartition("drawn on ")[2]
    lines = [line.strip() for line in child.stderr.splitlines() if line.strip()]
    return False, (lines[-1] if lines else f"the child process ended with code {child.returncode}")


@lru_cache(maxsize=1)
def find_renderer() -> Renderer:
    """The first backend that draws; tried once a process, about a second."""
    setting = os.environ.get("MUJOCO_GL", "")
    display = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    names = candidates(setting, sys.platform, display)
    if not names:
        return Renderer(None, "", (("MUJOCO_GL", f"set to {setting!r}, which switches drawing off"),))
    tried = []
    for name in names:
        works, what = probe(name)
        if works:
            return Renderer(name, what, tuple(tried))
        tried.append((name, what))
    return Renderer(None, "", tuple(tried))


def open_context(width: int, height: int) -> Any:
    """A current OpenGL context to draw off screen; the caller frees it.

    Raises:
        EngineError: there is no renderer; the text says what was tried and how to get one.
    """
    found = find_renderer()
    if found.backend is None:
        reasons = "; ".join(f"{name}: {why}" for name, why in found.tried)
        raise EngineError(f"No renderer works here, so nothing can be drawn ({reasons}). {_remedy()}")
    context = importlib.import_module(f"mujoco.{found.backend}").GLContext(width, height)
    context.make_current()
    return context


def _remedy() -> str:
    if os.environ.get("MUJOCO_GL", "").lower().strip() in _OFF:
        return "Unset MUJOCO_GL to draw."
    if sys.platform.startswith("linux"):
        return "Install Mesa's EGL (Debian, Ubuntu: apt install libegl1 libgl1-mesa-dri), or run with a display."
    return "Check the graphics driver, or run where a display is attached."
