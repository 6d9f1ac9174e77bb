import ctypes

import mujoco
import numpy as np
import pytest
from mujoco.introspect import structs

from surefoot.kernels import layout

FIELD = """
<mujoco>
  <asset><hfield name="h" nrow="4" ncol="4" size="1 1 0.1 0.1" elevation="0 0 0 0 0 1 1 0 0 1 1 0 0 0 0 0"/></asset>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 0.09"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0.4 0.01 0.001"/></body>
    <body name="b" pos="1 0 0.04"><freejoint/><geom type="capsule" size="0.05 0.1"/></body>
    <body name="c" pos="2 0 1"><joint name="one" axis="0 1 0"/><geom type="sphere" size="0.1"/>
      <body pos="0 0 -0.5"><joint name="two" axis="0 1 0"/><geom type="sphere" size="0.1"/></body></body>
  </worldbody>
  <equality><joint joint1="one" joint2="two"/></equality>
</mujoco>
"""


@pytest.fixture(scope="module")
def live():
    """A live mjData with contacts and equality rows, and our view of its memory."""
    model = mujoco.MjModel.from_xml_string(FIELD)
    data = mujoco.MjData(model)
    data.time = 1.25
    mujoco.mj_forward(model, data)
    assert data.ncon >= 5
    return data, layout.struct("mjData").from_address(data._address)


def test_counts_are_where_the_layout_says(live):
    data, seen = live
    for name in ("ncon", "ne", "nefc", "nf", "nl", "nisland"):
        assert getattr(seen, name) == getattr(data, name), name
    assert seen.time == 1.25


def test_every_array_of_the_bindings_is_where_the_layout_says(live):
    data, seen = live
    compared = 0
    for name, kind in seen._fields_:
        value = getattr(data, name, None)
        here = (
            kind is ctypes.c_void_p and getattr(seen, name) is not None
        )  # of a null pointer the bindings show a stand-in
        if here and isinstance(value, np.ndarray) and value.size:
            assert getattr(seen, name) == value.ctypes.data, name
            compared += 1
    assert compared > 60


def test_every_field_of_every_contact(live):
    data, seen = live
    contacts = (layout.struct("mjContact") * data.ncon).from_address(seen.contact)
    for ours, theirs in zip(contacts, data.contact, strict=True):
        for name in ("dist", "includemargin", "mu", "dim", "exclude", "efc_address"):
            assert getattr(ours, name) == getattr(theirs, name), name
        for name in (
            "pos",
            "frame",
            "friction",
            "solref",
            "solreffriction",
            "solimp",
            "H",
            "geom",
            "flex",
            "elem",
            "vert",
        ):
            assert np.array_equal(np.ravel(getattr(ours, name)), np.ravel(getattr(theirs, name))), name


def test_warnings_are_where_the_layout_says(live):
    data, seen = live
    data.warning[mujoco.mjtWarning.mjWARN_CONTACTFULL].number = 7
    assert [w.number for w in seen.warning] == [data.warning[i].number for i in range(len(data.warning))]
    data.warning[mujoco.mjtWarning.mjWARN_CONTACTFULL].number = 0


def test_offsets_are_those_of_the_structure():
    kind = layout.struct("mjContact")
    assert layout.offset("mjContact", "dist") == 0
    assert layout.offset("mjContact", "pos") == kind.pos.offset == 8
    assert ctypes.sizeof(kind) % 8 == 0


def test_every_struct_of_mujoco_resolves():
    for name in ("mjContact", "mjData", "mjModel", "mjOption", "mjWarningStat", "mjVisual", "mjStatistic"):
        assert ctypes.sizeof(layout.struct(name)) > 0
        assert {field for field, *_ in layout.struct(name)._fields_ if not field.startswith("anonymous")} == {
            node.name for node in structs.STRUCTS[name].fields if hasattr(node, "name") and node.name
        }


def test_the_digest_sees_a_shifted_field(monkeypatch):
    before = layout.layout_digest()
    assert before == layout.layout_digest()

    class Shifted(ctypes.Structure):
        _fields_ = [("added", ctypes.c_double), *layout.struct("mjContact")._fields_]

    real = layout.struct
    monkeypatch.setattr(layout, "struct", lambda name: Shifted if name == "mjContact" else real(name))
    assert layout.layout_digest() != before
