"""Pictures of a scene, drawn by MuJoCo's renderer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.errors import InputError
from surefoot.report import camera as cameras
from surefoot.report.renderer import open_context
from surefoot.report.stage import SUN, dress
from surefoot.robots.scene import Scene
from surefoot.robots.state import State

WIDTH, HEIGHT = 640, 480
PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")


class Painter:
    """Draws one scene again and again; close it when done, or use it in a `with`.

    Attributes:
        model: the dressed copy of the scene's model.
        width: of the pictures, in pixels.
        height: of the pictures, in pixels.
    """

    def __init__(self, scene: Scene, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.width = int(checks.number("width", width, at_least=16, at_most=4096))
        self.height = int(checks.number("height", height, at_least=16, at_most=4096))
        self._gl: Any = open_context(self.width, self.height)
        self.model = dress(scene, self.width, self.height)
        self._data = mujoco.MjData(self.model)
        self._view = mujoco.MjvScene(self.model, maxgeom=10 * self.model.ngeom + 1000)
        self._option = mujoco.MjvOption()
        self._context: Any = mujoco.MjrContext(self.model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)

    def __enter__(self) -> Painter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def bounds(self, q: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest corner (3,) in m of what moves at configuration `q` (nq,)."""
        self._place(q)
        return cameras.bounds(self.model, self._data)

    def frame(self, low: NDArray[np.float64], high: NDArray[np.float64], **angles: float) -> mujoco.MjvCamera:
        """A camera that sees the whole box between two corners (3,) in m; `angles` as in `camera.aim`."""
        fovy = float(self.model.vis.global_.fovy)
        return cameras.aim(low, high, fovy=fovy, aspect=self.width / self.height, **angles)

    def paint(
        self,
        q: NDArray[np.float64],
        camera: mujoco.MjvCamera | None = None,
        arrows: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
        thickness: float = 0.01,
    ) -> NDArray[np.uint8]:
        """Draw one configuration.

        Args:
            q: (nq,) configuration.
            camera: where to look from; None frames the scene at `q`.
            arrows: starts (k, 3) and ends (k, 3) of arrows in m, in the world frame.
            thickness: radius of the arrows in m.

        Returns:
            (height, width, 3) red, green, blue; top row first.
        """
        self._place(q)
        if camera is None:
            camera = self.frame(*cameras.bounds(self.model, self._data))
        self._move_sun(camera)
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self.model, self._data, self._option, None, camera, everything, self._view)
        for start, end in zip(*arrows, strict=True) if arrows is not None else ():
            self._arrow(start, end, thickness)
        pixels = np.empty((self.height, self.width, 3), dtype=np.uint8)
        window = mujoco.MjrRect(0, 0, self.width, self.height)
        self._gl.make_current()
        mujoco.mjr_render(window, self._view, self._context)
        mujoco.mjr_readPixels(pixels, None, window, self._context)
        return np.flipud(pixels)

    def close(self) -> None:
        """Give the graphics memory back."""
        if self._context is not None:
            self._gl.make_current()
            self._context.free()
            self._gl.free()
            self._context = self._gl = None

    def _place(self, q: NDArray[np.float64]) -> None:
        self._data.qpos[:] = checks.array("q", q, (self.model.nq,))
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_comPos(self.model, self._data)
        mujoco.mj_camlight(self.model, self._data)

    def _move_sun(self, camera: mujoco.MjvCamera) -> None:
        """Keep the sun's shadow map, which is no wider than the robot, round what is looked at."""
        sun = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_LIGHT, SUN)
        if sun >= 0:
            self._data.light_xpos[sun] = camera.lookat - 1.5 * self.model.stat.extent * self._data.light_xdir[sun]

    def _arrow(self, start: NDArray[np.float64], end: NDArray[np.float64], thickness: float) -> None:
        if self._view.ngeom >= self._view.maxgeom:
            return
        geom = self._view.geoms[self._view.ngeom]
        kind = mujoco.mjtGeom.mjGEOM_ARROW
        red = np.array([0.85, 0.15, 0.20, 1.0], dtype=np.float32)
        mujoco.mjv_initGeom(geom, kind, np.zeros(3), np.zeros(3), np.zeros(9), red)
        mujoco.mjv_connector(geom, kind, thickness, start, end)
        self._view.ngeom += 1


def picture(
    scene: Scene,
    path: str | Path,
    state: State | None = None,
    *,
    width: int = WIDTH,
    height: int = HEIGHT,
    azimuth: float = 130.0,
    elevation: float = -18.0,
) -> Path:
    """Draw a scene into a file.

    Args:
        scene: a robot or a scene.
        path: where to write; the ending (.png, .jpg, .webp) says how.
        state: which pose to draw; the scene's home if None.
        width: in pixels.
        height: in pixels.
        azimuth: direction of sight about the vertical in degrees.
        elevation: direction of sight above the horizontal in degrees (negative: from above).

    Returns:
        The path written.

    Raises:
        InputError: the path cannot be written to, or a number is out of range.
        EngineError: there is no renderer.
    """
    from PIL import Image

    target = writable("path", path, PICTURE_ENDINGS)
    azimuth, elevation = checks.number("azimuth", azimuth), checks.number("elevation", elevation)
    q = (scene.home() if state is None else state).q
    with Painter(scene, width, height) as painter:
        camera = painter.frame(*painter.bounds(q), azimuth=azimuth, elevation=elevation)
        Image.fromarray(painter.paint(q, camera)).save(target)
    return target


def writable(name: str, path: str | Path, endings: tuple[str, ...]) -> Path:
    """Return `path` if a file with one of `endings` can be written there, before long work is done for nothing."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{name}: expected a file name, got {path!r}")
    target = Path(path)
    if target.suffix.lower() not in endings:
        raise InputError(f"{name}: expected a file name ending in {', '.join(endings)}, got {str(path)!r}")
    if not target.parent.is_dir():
        raise InputError(f"{name}: the folder {str(target.parent)!r} does not exist")
    return target
