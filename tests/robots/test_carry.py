"""Files that a robot brings along."""

import mujoco
import numpy as np
import pytest
from PIL import Image

import surefoot as sf
from surefoot.errors import ModelError
from surefoot.robots import carry
from surefoot.robots.load import load
from tests.robots.files import from_mjcf, tetrahedron, write


@pytest.mark.parametrize("folders", ["", 'strippath="true" meshdir="meshes" texturedir="pictures"'])
def test_height_fields_and_textures_go_along(tmp_path, folders):
    write(tmp_path, tetrahedron(), "meshes/tetra.stl")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "new").mkdir()
    Image.new("L", (4, 4), 77).save(tmp_path / "pictures" / "grey.png")
    Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4)).save(tmp_path / "meshes" / "hills.png")
    six = " ".join(f'file{side}="pictures/grey.png"' for side in ("right", "left", "up", "down", "front", "back"))
    robot = from_mjcf(
        tmp_path,
        before=(
            f'<compiler {folders}/><asset><mesh file="meshes/tetra.stl"/>'
            '<hfield name="hills" file="meshes/hills.png" size="1 1 .1 .1"/>'
            f'<texture name="cube" type="cube" {six}/><material name="m" texture="cube"/>'
            '<texture name="grey" type="2d" file="pictures/grey.png"/><material name="paint" texture="grey"/></asset>'
        ),
        world=(
            '<geom name="h" type="hfield" hfield="hills" material="paint"/><body name="arm" pos="0 0 1">'
            '<joint name="j"/><geom type="mesh" mesh="tetra" material="m"/></body>'
        ),
    )
    sf.write_mjcf(robot, tmp_path / "new" / "arm.xml")
    files = sorted(file.name for file in (tmp_path / "new" / "arm_files").iterdir())
    assert files == ["grey.png", "hills.png", "tetra.stl"]
    again = load(tmp_path / "new" / "arm.xml").model
    for field in ("mesh_vert", "hfield_data", "tex_data"):
        assert np.array_equal(getattr(again, field), getattr(robot.model, field)), field


def test_a_file_that_is_not_there():
    spec = mujoco.MjSpec.from_string('<mujoco model="arm"><asset><mesh file="tetra.stl"/></asset></mujoco>')
    with pytest.raises(ModelError) as error:
        carry.gather(spec, "arm_files")
    assert str(error.value) == "arm: its file 'tetra.stl' cannot be read: No such file or directory"
