"""Small robot files, written by hand, for the tests of loading."""

import struct

import numpy as np

from surefoot.robots.load import load

INERTIAL = '<inertial><mass value="{m}"/><inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>'


def inertial(mass=1.0, inertia=0.01):
    return INERTIAL.format(m=mass, i=inertia)


def diagonal(x, y, z, mass=1):
    values = f'ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"'
    return f'<inertial><mass value="{mass}"/><inertia {values}/></inertial>'


def link(name, inside=None):
    return f'<link name="{name}">{inertial() if inside is None else inside}</link>'


def shape(what, kind="collision", xyz="0 0 0"):
    return f'<{kind}><origin xyz="{xyz}"/><geometry>{what}</geometry></{kind}>'


def joint(name, parent, child, kind="revolute", xyz="0 0 0", axis="0 1 0", inside=None):
    limit = '<limit lower="-1" upper="2" effort="5" velocity="3"/>' if inside is None else inside
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>{limit if kind != "fixed" else ""}</joint>'
    )


def robot(*parts, name="r"):
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def walker(foot=None, base=None, legs=("left", "right", "hind")):
    """Three straight legs of 0.3 m under a box, each with a foot link that is fixed to the shank."""
    foot = shape('<sphere radius="0.02"/>') if foot is None else foot
    base = inertial(2.0, 0.02) + shape('<box size="0.2 0.2 0.1"/>') if base is None else base
    places = {"left": "0.1 0.1 0", "right": "0.1 -0.1 0", "hind": "-0.1 0 0"}
    parts = [link("base", base)]
    for leg in legs:
        parts.append(link(f"{leg}_leg", inertial(0.5, 0.005)))
        parts.append(link(f"{leg}_foot", foot))
        parts.append(joint(f"{leg}_hip", "base", f"{leg}_leg", xyz=places[leg]))
        parts.append(joint(f"{leg}_end", f"{leg}_leg", f"{leg}_foot", "fixed", xyz="0 0 -0.3"))
    return robot(*parts)


def mjcf(world="", rest="", before=""):
    return f"<mujoco>{before}<worldbody>{world}</worldbody>{rest}</mujoco>"


def write(folder, text, name="robot.urdf"):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text) if isinstance(text, bytes) else file.write_text(text)
    return file


def stl(points, faces):
    """A binary STL file."""
    points = np.asarray(points, dtype="<f4")
    body = b"".join(np.zeros(3, "<f4").tobytes() + points[list(face)].tobytes() + b"\0\0" for face in faces)
    return b"\0" * 80 + struct.pack("<I", len(faces)) + body


def tetrahedron(size=0.1):
    return stl(
        size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    )


def ball(radius=0.02, n=24):
    """A sphere of facets, its poles along z."""
    polar, around = np.linspace(0, np.pi, n // 2 + 1), np.linspace(0, 2 * np.pi, n, endpoint=False)
    rows = [
        np.column_stack([np.sin(p) * np.cos(around), np.sin(p) * np.sin(around), np.full(n, np.cos(p))]) for p in polar
    ]
    points = radius * np.vstack(rows)
    faces = []
    for i in range(n // 2):
        for j in range(n):
            a, b = i * n + j, i * n + (j + 1) % n
            faces += [(a, a + n, b), (b, a + n, b + n)]
    return stl(points, faces)


BALL = '<body name="{0}" pos="0 0 {1}"><freejoint name="{0}_free"/><geom name="{0}_geom" size="0.1"/></body>'
TWO_HINGES = (
    '<body name="upper"><joint name="shoulder" axis="0 1 0"/><geom name="u" size="0.1"/>'
    '<body name="lower" pos="0 0 -1"><joint name="elbow" axis="0 1 0"/><geom name="l" size="0.1"/></body></body>'
)


def from_mjcf(folder, world="", rest="", before="", **wishes):
    """Load an MJCF of these parts."""
    return load(write(folder, mjcf(world, rest, before), "robot.xml"), **wishes)


def noted(scene, kind, what):
    """Details of the notes of a kind on something."""
    return [note.detail for note in scene.notes if note.kind == kind and what in note.what]
