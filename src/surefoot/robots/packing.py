"""A spec as text and files, so that scenes can be pickled and sent to other processes and machines."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import mujoco

from surefoot.errors import ModelError
from surefoot.robots import guard


class Packed(NamedTuple):
    """What an MjSpec is made of.

    Attributes:
        xml: MJCF with every number as it was given: read again, it compiles to the same bits.
        files: contents of the meshes, height fields, textures and skins that it names.
    """

    xml: str
    files: dict[str, bytes]


def pack(spec: mujoco.MjSpec) -> Packed:
    """Take a spec apart; it is not changed.

    Raises:
        ModelError: MuJoCo compiles a spec before it writes it, and a file that it needs has gone.
    """
    spec = spec.copy()
    # MuJoCo would write compiled values with six digits; what was given is written in full.
    spec.compiler.savecompiled = False
    spec.compiler.savecanonical = False
    files = dict(spec.assets)
    for name, place in _named_files(spec):
        if name not in files and place.is_file():
            files[name] = place.read_bytes()
    try:
        return Packed(spec.to_xml(), files)
    except ValueError as error:
        raise ModelError(f"{spec.modelname}: cannot be copied or pickled: {guard.explain(str(error))}") from None


def unpack(packed: Packed) -> mujoco.MjSpec:
    """The spec that `pack` took apart."""
    return mujoco.MjSpec.from_string(packed.xml, assets=packed.files)


def _named_files(spec: mujoco.MjSpec) -> list[tuple[str, Path]]:
    """Files that the spec names, by the name under which MuJoCo looks for them, and where they lie."""
    found = []
    for kind in ("meshes", "hfields", "skins", "textures"):
        folder = spec.texturedir if kind == "textures" else spec.meshdir
        for thing in getattr(spec, kind):
            for file in (thing.file, *getattr(thing, "cubefiles", ())):
                if file:
                    name = str(Path(folder) / (Path(file).name if spec.strippath else file))
                    found.append((name, Path(spec.modelfiledir) / name))
    return found
