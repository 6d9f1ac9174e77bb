"""`run.json`: what a run was asked for and with which versions; plain JSON, no host or user in it."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.errors import InputError

NAME = "run.json"
FORMAT = "surefoot run"
VERSION = 1
PACKAGES = ("surefoot", "mujoco", "numpy")  # of other versions of these, traces may have other bits
_EXPECTED = {
    "scenario": (str, "a name"),
    "policies": (list, "a list of names"),
    "parameters": (list, "a list of tables"),
    "particles": (int, "a whole number"),
    "seed": (int, "a whole number"),
    "method": (str, "a name"),
    "versions": (dict, "a table"),
}


def versions() -> dict[str, str]:
    """Versions of what the bits of a trace depend on."""
    return {
        **{name: metadata.version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def now() -> str:
    """The time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def plain(value: Any) -> Any:
    """The value as JSON has it: arrays and tuples as lists, numbers that are not finite and all else as texts."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def write(folder: Path, header: Mapping[str, Any]) -> None:
    """Write the header aside, then put it in its place."""
    text = json.dumps(plain(header), indent=2, ensure_ascii=False, allow_nan=False)
    aside = folder / f"{NAME}.tmp"
    with aside.open("w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    aside.replace(folder / NAME)


def read(folder: Path) -> dict[str, Any]:
    """Return the header of a run folder.

    Raises:
        InputError: there is none, or it is not one of ours; the text says which.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: expected the folder of a run, got {'a file' if folder.exists() else 'nothing'}")
    try:
        header = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder}: expected the folder of a run, got one without {NAME}") from None
    except OSError as error:
        raise InputError(f"{folder / NAME}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{folder / NAME}: not readable as JSON: {error}") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(f'{folder / NAME}: expected "format": "{FORMAT}", which a run of Surefoot has, got none')
    if header.get("version") != VERSION:
        raise InputError(f"{folder / NAME}: expected version {VERSION} of the format, got {header.get('version')!r}")
    for key, (kind, what) in _EXPECTED.items():
        value = header.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{folder / NAME}: {key}: expected {what}, got {value!r}")
    if not all(isinstance(name, str) for name in header["policies"]):
        raise InputError(f"{folder / NAME}: policies: expected a list of names, got {header['policies']!r}")
    if not all(isinstance(p, dict) and isinstance(p.get("name"), str) for p in header["parameters"]):
        raise InputError(f"{folder / NAME}: parameters: expected tables with a name each, got others")
    stopped = header.get("stopped")
    if stopped is not None and (isinstance(stopped, bool) or not isinstance(stopped, int) or stopped < 0):
        raise InputError(f"{folder / NAME}: stopped: expected a whole number of at least 0, got {stopped!r}")
    return header
