import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import ModelError
from surefoot.robots.load import load
from surefoot.robots.meshes import find, fit_sphere
from tests.robots.files import ball, from_mjcf, inertial, link, noted, robot, shape, stl, tetrahedron, walker, write


def mesh(file):
    return f'<mesh filename="{file}"/>'


# Where meshes are found


@pytest.fixture
def package(tmp_path):
    write(tmp_path, tetrahedron(), "catkin/arm_description/meshes/link.stl")
    return tmp_path / "catkin" / "arm_description"


def test_package_is_found_above_the_urdf(package):
    urdf = package / "urdf" / "arm.urdf"
    assert find("package://arm_description/meshes/link.stl", urdf) == package / "meshes" / "link.stl"


@pytest.mark.parametrize("variable", ["ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"])
def test_package_is_found_by_environment(package, tmp_path, monkeypatch, variable):
    elsewhere = tmp_path / "other" / "deep" / "down" / "arm.urdf"
    reference = "package://arm_description/meshes/link.stl"
    assert find(reference, elsewhere) is None
    if variable == "AMENT_PREFIX_PATH":
        write(tmp_path, tetrahedron(), "install/share/arm_description/meshes/link.stl")
    entry = {"ROS_PACKAGE_PATH": package.parent, "AMENT_PREFIX_PATH": tmp_path / "install"}[variable]
    monkeypatch.setenv(variable, f"/nowhere:{entry}")
    assert find(reference, elsewhere) is not None


def test_package_path_may_name_the_package_itself(package, tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(package))
    found = find("package://arm_description/meshes/link.stl", tmp_path / "a" / "b" / "c" / "d.urdf")
    assert found == package / "meshes" / "link.stl"


def test_a_renamed_package_folder_is_found(package):
    renamed = package.rename(package.parent / "my_copy")
    assert find("package://arm_description/meshes/link.stl", renamed / "urdf" / "arm.urdf") is not None


def test_relative_absolute_and_escaped_paths(package, tmp_path):
    write(tmp_path, tetrahedron(), "a b.stl")
    assert find("a%20b.stl", tmp_path / "arm.urdf") == tmp_path / "a b.stl"
    assert find(f"file://{tmp_path / 'a b.stl'}", package / "arm.urdf") == tmp_path / "a b.stl"


# Spheres


@given(
    st.floats(0.005, 0.5),
    st.tuples(*[st.floats(-1, 1)] * 3),
    st.integers(0, 10_000),
)
def test_a_sphere_is_fitted_exactly(radius, centre, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(200, 3))
    points = np.array(centre) + radius * points / np.linalg.norm(points, axis=1, keepdims=True)
    down = (points[0] - centre) / radius
    found, r, error = fit_sphere(points, down)
    assert found == pytest.approx(np.array(centre), abs=1e-9)
    assert r == pytest.approx(radius, abs=1e-9)
    assert error < 1e-9


def test_spheres_replace_foot_meshes_and_the_robot_stands_as_high(tmp_path):
    write(tmp_path, ball(0.02), "foot.stl")
    file = write(tmp_path, walker(foot=shape(mesh("foot.stl"))))
    kept, replaced = load(file), load(file, meshes="spheres")
    assert [foot.name for foot in replaced.feet] == ["left_foot", "right_foot", "hind_foot"]
    geom = replaced.model.geom(replaced.feet[0].geoms[0])
    assert geom.size[0] == pytest.approx(0.02, abs=1e-6)
    assert replaced.home().q[2] == pytest.approx(kept.home().q[2], abs=1e-7)
    radii = {float(replaced.model.geom(foot.geoms[0]).size[0]) for foot in replaced.feet}
    assert len(radii) == 1
    assert any(note.kind == "repaired" and "sphere of radius 0.02 m" in note.detail for note in replaced.notes)


def test_a_flat_foot_keeps_its_mesh(tmp_path):
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.01, 0.01)]
    sides = ("0132", "4576", "0154", "2376", "0264", "1375")
    faces = [tuple(int(side[k]) for k in corner) for side in sides for corner in ((0, 1, 2), (0, 2, 3))]
    write(tmp_path, stl(corners, faces), "sole.stl")
    scene = load(write(tmp_path, walker(foot=shape(mesh("sole.stl")))), meshes="spheres")
    assert all("collision" in geom for foot in scene.feet for geom in foot.geoms)
    assert any(note.kind == "ignored" and note.detail.startswith("its mesh was kept") for note in scene.notes)


# Missing and broken meshes


def arm(tmp_path, reference, kind="collision"):
    return write(tmp_path, robot(link("hand", inertial() + shape(mesh(reference), kind))))


def test_a_missing_collision_mesh_names_link_and_remedy(tmp_path):
    file = arm(tmp_path, "package://arm_description/hand.stl")
    with pytest.raises(ModelError) as caught:
        load(file)
    assert str(caught.value) == (
        f"{file}: link 'hand': collision mesh 'package://arm_description/hand.stl': file not found; add the folder "
        "that holds the package 'arm_description' to ROS_PACKAGE_PATH, or pass meshes='drop' to go on without it"
    )


def test_drop_goes_on_without_missing_meshes(tmp_path):
    scene = load(arm(tmp_path, "hand.stl"), meshes="drop")
    assert scene.model.nmesh == 0
    assert any(
        note.what == "hand" and note.kind == "ignored" and "file not found" in note.detail for note in scene.notes
    )


def test_a_missing_mesh_to_look_at_is_left_out_with_a_note(tmp_path):
    scene = load(arm(tmp_path, "hand.dae", "visual"))
    assert any(note.detail == "meshes to look at were dropped: file not found" for note in scene.notes)


def test_an_unreadable_format_is_named(tmp_path):
    write(tmp_path, "<x/>", "hand.ply")
    with pytest.raises(ModelError, match=r"'hand\.ply': MuJoCo cannot read \.ply; convert it to \.stl, \.obj, \.msh"):
        load(arm(tmp_path, "hand.ply"))


def test_a_broken_collision_mesh_names_its_link(tmp_path):
    write(tmp_path, b"", "hand.stl")
    with pytest.raises(ModelError, match=r"link 'hand': mesh .* is empty; repair it, or pass meshes='drop'"):
        load(arm(tmp_path, "hand.stl"))
    assert load(arm(tmp_path, "hand.stl"), meshes="drop").model.nmesh == 0


def test_a_broken_mesh_to_look_at_is_left_out_with_a_note(tmp_path):
    write(tmp_path, b"solid x\nendsolid x\n", "hand.stl")
    scene = load(arm(tmp_path, "hand.stl", "visual"))
    assert scene.model.nmesh == 0
    assert any(note.kind == "ignored" and note.what == "hand" and "'hand.stl'" in note.detail for note in scene.notes)


def test_an_open_mesh_needs_no_volume(tmp_path):
    write(tmp_path, stl([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 1, 2), (1, 3, 2)]), "sheet.stl")
    assert load(arm(tmp_path, "sheet.stl", "visual")).model.nmesh == 1


def test_meshes_of_one_name_in_two_folders_stay_apart(tmp_path):
    write(tmp_path, tetrahedron(0.1), "a/m.stl")
    write(tmp_path, tetrahedron(0.3), "b/m.stl")
    scene = load(write(tmp_path, robot(link("x", inertial() + shape(mesh("a/m.stl")) + shape(mesh("b/m.stl"))))))
    assert scene.model.nmesh == 2
    small, large = (scene.model.geom(name).rbound[0] for name in ("x_collision", "x_collision_1"))
    assert large / small == pytest.approx(3)


# MJCF


def held(tmp_path, **wishes):
    hand = '<body name="hand"><joint name="j"/><geom size="0.1"/><geom type="mesh" mesh="m"/></body>'
    return from_mjcf(tmp_path, hand, before='<asset><mesh name="m" file="hand.stl"/></asset>', **wishes)


def test_a_missing_mesh_of_an_mjcf_names_its_body(tmp_path):
    with pytest.raises(ModelError, match=r"link 'hand': mesh 'hand\.stl': Error opening file .*meshes='drop' to go on"):
        held(tmp_path)


def test_drop_goes_on_without_a_missing_mesh_of_an_mjcf(tmp_path):
    scene = held(tmp_path, meshes="drop")
    assert scene.model.ngeom == 1
    assert noted(scene, "ignored", "hand")[0].startswith("mesh 'hand.stl' was dropped: Error opening file")
