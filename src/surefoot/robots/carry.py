"""A robot's file on disk, and beside it the meshes, height fields and textures that it names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import mujoco

from surefoot.errors import InputError, ModelError


def target(path: Any) -> Path:
    """The file to write; its folder must exist.

    Raises:
        InputError: it is no path, or there is no such folder.
    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InputError(f"path: expected the path of a file, got {path!r}")
    file = Path(path)
    if "\0" in str(file):
        raise InputError("path: expected the path of a file, got one with a null character in it")
    if os.path.isdir(file):  # Path.is_dir raises on names that are too long
        raise InputError(f"path: expected a file, got the folder {str(file)!r}")
    if not os.path.isdir(file.parent):
        raise InputError(f"path: the folder {str(file.parent)!r} does not exist")
    return file


def gather(spec: mujoco.MjSpec, folder: str) -> dict[str, bytes]:
    """Let a spec name its files as `folder/NAME`; edits it.

    Args:
        spec: the robot's.
        folder: where the files will be, relative to the robot's file.

    Returns:
        The content of each file by its new name.

    Raises:
        ModelError: a file has gone.
    """
    names: dict[str, str] = {}
    contents: dict[str, bytes] = {}

    def moved(file: str, base: str) -> str:
        old = str(Path(base) / (Path(file).name if spec.strippath else file))
        if old not in names:
            names[old] = _free(f"{folder}/{Path(file).name}", contents)
            contents[names[old]] = _content(spec, old)
        return names[old]

    for thing in (*spec.meshes, *spec.hfields, *spec.skins):
        if thing.file:
            thing.file = moved(thing.file, spec.meshdir)
    for texture in spec.textures:
        if texture.file:
            texture.file = moved(texture.file, spec.texturedir)
        for k, file in enumerate(texture.cubefiles):
            if file:
                texture.cubefiles[k] = moved(file, spec.texturedir)
    spec.meshdir = spec.texturedir = ""
    spec.strippath = False
    spec.assets = contents
    return contents


def put(file: Path, text: str, contents: dict[str, bytes]) -> None:
    """Write a robot's file, and those that it names beside it.

    Raises:
        InputError: the disk refuses.
    """
    place = file
    try:
        for name, content in contents.items():
            place = file.parent / name
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(content)
        place = file
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"path: {str(place)!r} cannot be written: {error.strerror}") from None


def _content(spec: mujoco.MjSpec, name: str) -> bytes:
    if name in spec.assets:
        return spec.assets[name]
    try:
        return (Path(spec.modelfiledir) / name).read_bytes()
    except OSError as error:
        raise ModelError(f"{spec.modelname}: its file {name!r} cannot be read: {error.strerror}") from None


def _free(name: str, taken: dict[str, bytes]) -> str:
    path = Path(name)
    k = 1
    while name in taken:
        k += 1
        name = str(path.with_stem(f"{path.stem}_{k}"))
    return name
