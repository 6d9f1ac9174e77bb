import mujoco
import numpy as np
import pytest

from surefoot.errors import ModelError
from surefoot.robots.collada import ColladaError, read, to_obj
from surefoot.robots.load import load
from surefoot.robots.meshes import example_robot_data
from tests.robots.files import inertial, link, robot, shape, write

CORNERS = "0 0 0  1 0 0  0 2 0  0 0 3"
TRIANGLES = (
    '<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>'
)


def dae(faces=TRIANGLES, node='<node><instance_geometry url="#g"/></node>', unit="", corners=CORNERS, rest=""):
    return f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset>{unit}</asset>
    <library_geometries><geometry id="g"><mesh>
      <source id="p"><float_array id="pa" count="12">{corners}</float_array>
        <technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{faces}</mesh></geometry></library_geometries>
    {rest}<library_visual_scenes><visual_scene id="s">{node}</visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def extent(folder, text):
    points, faces = read(write(folder, text, "m.dae"))
    used = points[np.unique(faces)]
    return used.min(axis=0), used.max(axis=0), len(faces)


def test_triangles(tmp_path):
    low, high, count = extent(tmp_path, dae())
    assert (list(low), list(high), count) == ([0, 0, 0], [1, 2, 3], 4)


def test_polylist_with_normals_is_cut_into_triangles(tmp_path):
    faces = (
        '<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/>'
        '<input semantic="NORMAL" source="#n" offset="1"/>'
        "<vcount>4 3</vcount><p>0 9 1 9 2 9 3 9 0 9 1 9 3 9</p></polylist>"
    )
    _, faces = read(write(tmp_path, dae(faces), "m.dae"))
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 3]]


def test_units_and_nested_places(tmp_path):
    node = (
        "<node><translate>10 0 0</translate><node><rotate>0 0 1 90</rotate><scale>2 1 1</scale>"
        '<instance_geometry url="#g"/></node></node>'
    )
    low, high, _ = extent(tmp_path, dae(node=node, unit='<unit meter="0.01"/>'))
    assert low == pytest.approx([0.08, 0, 0])
    assert high == pytest.approx([0.1, 0.02, 0.03])


def test_matrix_and_shared_nodes(tmp_path):
    shared = '<library_nodes><node id="n"><instance_geometry url="#g"/></node></library_nodes>'
    node = '<node><matrix>1 0 0 5  0 1 0 6  0 0 1 7  0 0 0 1</matrix><instance_node url="#n"/></node>'
    low, _, count = extent(tmp_path, dae(node=node, rest=shared))
    assert low == pytest.approx([5, 6, 7])
    assert count == 4


def test_a_collision_mesh_is_loaded(tmp_path):
    write(tmp_path, dae(), "hand.dae")
    scene = load(
        write(tmp_path, robot(link("hand", inertial() + shape('<mesh filename="hand.dae" scale="0.1 0.1 0.1"/>'))))
    )
    assert scene.model.nmesh == 1
    # The lowest corner lies at the link's origin, the farthest 0.3 m above it.
    data = mujoco.MjData(scene.model)
    mujoco.mj_kinematics(scene.model, data)
    turn, place = data.geom("hand_collision").xmat.reshape(3, 3), data.geom("hand_collision").xpos
    heights = (scene.model.mesh_vert @ turn.T + place)[:, 2] - data.body("hand").xpos[2]
    assert (heights.min(), heights.max()) == pytest.approx((0, 0.3), abs=1e-6)
    assert scene.spec.copy().compile().nmesh == 1  # copies of the spec carry the mesh


@pytest.mark.real
@pytest.mark.parametrize("name", ["hyq_description", "romeo_description", "kinova_description", "icub_description"])
def test_real_meshes_are_as_large_as_pinocchio_finds_them(name):
    coal = pytest.importorskip("coal", reason="Pinocchio's collision library is the oracle")
    files = sorted((example_robot_data() / "example-robot-data" / "robots" / name).rglob("*.dae"))
    files = [file for file in files if file.stat().st_size < 500_000][:5]
    assert files
    for file in files:
        points, faces = read(file)
        used = points[np.unique(faces)]
        theirs = np.array(coal.MeshLoader().load(str(file), np.ones(3)).vertices())
        assert used.min(axis=0) == pytest.approx(theirs.min(axis=0), abs=1e-5)
        assert used.max(axis=0) == pytest.approx(theirs.max(axis=0), abs=1e-5)


BAD = {
    "not XML": ("hello", "not readable as COLLADA: syntax error"),
    "nothing": (dae(faces=""), "not readable as COLLADA: it holds no triangles"),
    "no such point": (dae(TRIANGLES.replace("1 2 3<", "1 2 9<")), "a face names a point that does not exist"),
    "letters": (dae(corners="a b c"), "not readable as COLLADA: could not convert string to float"),
    "loop": (
        dae(node='<node><instance_node url="#n"/></node>', rest='<node id="n"><instance_node url="#n"/></node>'),
        "its nodes are nested more than 100 deep",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(tmp_path, case):
    text, message = BAD[case]
    with pytest.raises(ColladaError) as caught:
        to_obj(write(tmp_path, text, "m.dae"))
    assert message in str(caught.value)


def test_a_bad_collision_mesh_names_its_link(tmp_path):
    write(tmp_path, "hello", "hand.dae")
    file = write(tmp_path, robot(link("hand", inertial() + shape('<mesh filename="hand.dae"/>'))))
    with pytest.raises(ModelError, match=r"link 'hand': collision mesh 'hand\.dae': not readable as COLLADA"):
        load(file)
