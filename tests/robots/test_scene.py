import mujoco
import numpy as np
import pytest

from surefoot.errors import InputError, ModelError
from surefoot.robots.load import load
from surefoot.robots.scene import Scene
from tests.robots.files import BALL, TWO_HINGES, from_mjcf, mjcf, walker, write


def test_roles_sizes_and_mass(tmp_path):
    scene = load(write(tmp_path, walker()))
    assert (scene.nq, scene.nv) == (10, 9)
    assert scene.mass == pytest.approx(3.5)
    assert list(scene.dofs) == [6, 7, 8]
    assert list(scene.joint_positions) == [7, 8, 9]
    assert repr(scene) == "<robot: 9 dof, 3 actuated, floating on 'base', 3 feet>"


def test_the_mass_of_the_robot_leaves_out_what_does_not_move(tmp_path):
    """A bolted base has mass in the file, but nothing that moves."""
    scene = load(write(tmp_path, walker()), floating=False)
    assert scene.mass == pytest.approx(1.5)


def test_state_fills_in_from_home(tmp_path):
    scene = load(write(tmp_path, walker()))
    state = scene.state(v=np.ones(9), t=2)
    assert np.array_equal(state.q, scene.home().q)
    assert (state.v[0], state.t) == (1, 2)
    with pytest.raises(InputError, match=r"q: expected shape \(10,\), got \(3,\)"):
        scene.state(q=[1, 2, 3])


def test_foot_geoms_by_name(tmp_path):
    scene = load(write(tmp_path, walker()))
    (ids,) = scene.foot_geoms(["hind_foot"])
    assert scene.model.geom(ids[0]).name == "hind_foot_collision"
    with pytest.raises(InputError, match=r"contacts: no foot is called 'hind_fot'; did you mean 'hind_foot'\?"):
        scene.foot_geoms(["hind_fot"])
    with pytest.raises(InputError, match="contacts: expected a list of foot names, got the string 'hind_foot'"):
        scene.foot_geoms("hind_foot")


def test_torque_limits_are_the_tightest_of_joint_force_and_control(tmp_path):
    limits = {
        '<motor joint="elbow" gear="-10" ctrlrange="-1 2"/>': (-20, 10),
        '<motor joint="elbow" gear="10" ctrlrange="-1 1" forcerange="-0.5 0.5"/>': (-5, 5),
        '<position joint="elbow" ctrlrange="-1 1" forcerange="-7 7"/>': (-7, 7),
        '<motor joint="elbow"/>': (-np.inf, np.inf),
    }
    for actuator, wanted in limits.items():
        scene = from_mjcf(tmp_path, TWO_HINGES, f"<actuator>{actuator}</actuator>")
        assert tuple(scene.torque_limits[0]) == wanted


def test_a_spec_that_does_not_compile_is_a_model_error():
    spec = mujoco.MjSpec.from_string(mjcf('<body name="b"><freejoint/></body>'))
    with pytest.raises(ModelError, match="thing: body 'b' moves but has no mass or no rotational inertia"):
        Scene(spec, name="thing", joints=())


def test_joints_must_exist_and_have_one_axis():
    spec = mujoco.MjSpec.from_string(mjcf(BALL.format("ball", 1)))
    with pytest.raises(ModelError, match="thing: no joint is called 'knee'"):
        Scene(spec, name="thing", joints=("knee",))
    with pytest.raises(ModelError, match="thing: joint 'ball_free' has several degrees of freedom and cannot be"):
        Scene(spec, name="thing", joints=("ball_free",))


def test_home_must_fit():
    spec = mujoco.MjSpec.from_string(mjcf(BALL.format("ball", 1)))
    with pytest.raises(InputError, match=r"home: expected shape \(7,\), got \(3,\)"):
        Scene(spec, name="thing", joints=(), home=np.zeros(3))


def test_a_scene_may_be_given_its_model_and_another_pose_to_rest_in():
    robot = load("links")
    model = robot.spec.copy().compile()
    scene = Scene(robot.spec, name="links", joints=robot.joints, model=model, home=robot.home().q)
    assert scene.model is model
    higher = robot.home().q + np.eye(robot.nq)[2]
    scene.rest_at(higher)
    np.testing.assert_array_equal(scene.home().q, higher)
    with pytest.raises(InputError, match=r"^q: expected shape \(19,\), got \(3,\)$"):
        scene.rest_at(np.zeros(3))
