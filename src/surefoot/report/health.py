"""Is this installation sound? Facts for `surefoot doctor`, each found without harm to the others."""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_DEPENDENCIES = ("mujoco", "numba", "numpy", "scipy", "matplotlib", "pillow")


@dataclass(frozen=True)
class Fact:
    """One line of the doctor's report.

    Attributes:
        name: what was looked at.
        good: True, False (something to mend), or None (neither: merely worth knowing).
        text: what was found, with the remedy if it is not good.
    """

    name: str
    good: bool | None
    text: str


def examine() -> list[Fact]:
    """Look at everything; about a second, most of it the renderer's trial picture."""
    steps: list[tuple[str, Callable[[], list[Fact]]]] = [
        ("versions", versions),
        ("struct layout", struct_layout),
        ("renderer", renderer),
        ("kernel cache", kernel_cache),
        ("extras", extras),
    ]
    facts = []
    for name, step in steps:
        try:
            facts += step()
        except Exception as error:  # a doctor reports what is broken, whatever it is
            facts.append(Fact(name, False, f"{type(error).__name__}: {error}"))
    return facts


def versions() -> list[Fact]:
    """Python, Surefoot and the libraries it stands on."""
    facts = [Fact("python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}")]
    facts.append(Fact("surefoot", True, f"{importlib.metadata.version('surefoot')} in {Path(__file__).parents[1]}"))
    for name in _DEPENDENCIES:
        try:
            facts.append(Fact(name, True, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            facts.append(Fact(name, False, f"missing; {pip_line(name)}"))
    return facts


def struct_layout() -> list[Fact]:
    """Read contacts of a small model at the offsets that kernels use, and compare with MuJoCo's own bindings."""
    import mujoco
    import numpy as np

    from surefoot.kernels.layout import struct

    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 .09'><freejoint/><geom type='box' size='.2 .1 .1'/></body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    raw = struct("mjData").from_address(data._address)
    contacts = (struct("mjContact") * data.ncon).from_address(raw.contact)
    same = raw.ncon == data.ncon > 0 and all(
        here.dist == there.dist
        and np.array_equal(np.ctypeslib.as_array(here.pos), there.pos)
        and np.array_equal(np.ctypeslib.as_array(here.frame), there.frame)
        and np.array_equal(np.ctypeslib.as_array(here.geom), there.geom)
        and np.array_equal(np.ctypeslib.as_array(here.friction), there.friction)
        for here, there in zip(contacts, data.contact, strict=True)
    )
    if same:
        return [Fact("struct layout", True, f"kernels read MuJoCo {mujoco.__version__}'s contacts as its bindings do")]
    text = f"kernels would misread MuJoCo {mujoco.__version__}; reinstall: {pip_line('mujoco>=4.0,<5')}"
    return [Fact("struct layout", False, text)]


def renderer() -> list[Fact]:
    """Whether pictures can be drawn."""
    from surefoot.errors import EngineError
    from surefoot.report.renderer import find_renderer

    try:
        found = find_renderer()
    except EngineError as error:
        return [Fact("renderer", False, str(error))]
    if found.backend is None:
        return [Fact("renderer", None, f"{found}; all but pictures and animations works")]
    return [Fact("renderer", True, str(found))]


def kernel_cache() -> list[Fact]:
    """Where machine code is kept, how much of it there is, and whether the next run must compile."""
    from surefoot.kernels.cache import CACHE_FOLDER, cache_root

    root = cache_root()
    now, _ = _folder_size(CACHE_FOLDER)
    total, size = _folder_size(root)
    facts = [Fact("kernel cache", True, f"{root}, {total} compiled functions, {size / 1e6:.1f} MB")]
    if now:
        facts.append(Fact("kernels", True, f"{now} compiled functions ready"))
    else:
        facts.append(
            Fact("kernels", None, "not compiled yet: the first run takes up to a minute, later ones start at once")
        )
    if total > now:
        facts.append(
            Fact("old kernels", None, f"{total - now} functions of other versions; {root} may be deleted at will")
        )
    return facts


def kernels_ready() -> bool:
    """Whether machine code of this version is kept, so that a run need not compile first."""
    from surefoot.kernels.cache import CACHE_FOLDER

    return _folder_size(CACHE_FOLDER)[0] > 0


def extras() -> list[Fact]:
    """Optional parts: installed, or the line that installs them."""
    wanted: dict[str, list[str]] = {}
    for line in importlib.metadata.requires("surefoot") or []:
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", line)
        package = re.match(r"[A-Za-z0-9._-]+", line)
        if extra and package:
            wanted.setdefault(extra[1], []).append(package[0])
    facts = []
    for extra, packages in wanted.items():
        missing = [name for name in packages if not _installed(name)]
        if missing:
            line = pip_line(f"surefoot[{extra}]")
            facts.append(Fact(f"extra {extra}", None, f"without {', '.join(missing)}; {line}"))
        else:
            facts.append(Fact(f"extra {extra}", True, f"{', '.join(packages)}"))
    return facts


def pip_line(what: str) -> str:
    """The command that installs `what` for the Python that runs now."""
    return f"{Path(sys.executable).name} -m pip install '{what}'"


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _folder_size(folder: Path) -> tuple[int, int]:
    """How many compiled functions (numba's .nbc files) a folder holds, and its size in bytes."""
    count = size = 0
    for file in folder.rglob("*") if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process that compiles has renamed it meanwhile
            count += file.suffix == ".nbc" and file.is_file()
            size += file.stat().st_size if file.is_file() else 0
    return count, size
