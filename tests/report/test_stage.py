import mujoco
import numpy as np

from surefoot.report.stage import SUN, dress
from surefoot.robots.scene import Foot, Scene
from tests.report.soft_trace import quadruped


def test_positions_mean_the_same_and_the_scene_is_not_touched():
    scene = quadruped()
    before = scene.model.geom_rgba.copy()
    dressed = dress(scene, 800, 600)
    assert (dressed.nq, dressed.nv, dressed.ngeom, dressed.nbody) == (
        scene.model.nq,
        scene.model.nv,
        scene.model.ngeom,
        scene.model.nbody,
    )
    assert [dressed.geom(i).name for i in range(dressed.ngeom)] == [
        scene.model.geom(i).name for i in range(dressed.ngeom)
    ]
    np.testing.assert_array_equal(scene.model.geom_rgba, before)
    assert scene.model.nlight == 0
    assert dressed.light(SUN).castshadow
    assert (dressed.vis.global_.offwidth, dressed.vis.global_.offheight) == (800, 600)


def test_what_is_grey_is_coloured_by_role():
    dressed = dress(quadruped(), 64, 48)
    trunk = int(dressed.body("trunk").geomadr[0])
    thigh = int(dressed.body("LF_thigh").geomadr[0])
    colours = {tuple(dressed.geom_rgba[i]) for i in (trunk, thigh, dressed.geom("LF").id)}
    assert len(colours) == 3
    assert dressed.mat(int(dressed.geom_matid[dressed.geom("ground").id])).name == "surefoot_floor"


def test_a_files_own_looks_are_kept():
    spec = mujoco.MjSpec.from_string(
        '<mujoco><asset><texture name="t" type="skybox" builtin="flat" width="8" height="48" rgb1="1 0 0"/>'
        '<material name="m" rgba="0 1 0 1"/></asset><worldbody><light name="own" pos="0 0 1"/>'
        '<geom name="floor" type="plane" size="1 1 1" material="m"/>'
        '<body name="b"><freejoint/><geom name="g" type="sphere" size=".1" rgba=".1 .2 .3 1"/></body>'
        "</worldbody></mujoco>"
    )
    dressed = dress(Scene(spec, name="own", joints=(), base="b", feet=(Foot("b", "b", ("g",)),)), 64, 48)
    assert (dressed.nlight, dressed.ntex, dressed.nmat) == (1, 1, 1)
    np.testing.assert_allclose(dressed.geom("g").rgba, [0.1, 0.2, 0.3, 1], atol=1e-6)
