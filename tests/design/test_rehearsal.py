import re

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.design import Course, GaitTask, HandTask, Reach, rehearse
from surefoot.errors import InputError
from tests.design import small

LAW = "dissipative"


@pytest.fixture(scope="module")
def ground():
    return sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.7))


@pytest.fixture(scope="module")
def course(ground):
    return GaitTask(small.TROT, dt=5e-3, left=0.05, turn=0.2).course(ground, 0.25)


@pytest.fixture(scope="module")
def feet(ground):
    return tuple(foot.name for foot in ground.feet)


@pytest.fixture(scope="module")
def trot(ground, course, feet):
    return rehearse(ground, course, feet, LAW)


# Known answers


def test_all_samples_are_there(trot, course, feet):
    assert trot.samples.tolist() == list(range(len(course)))
    assert trot.t == pytest.approx(course.dt * np.arange(len(course)))
    assert (trot.planned == course.stance).all()
    assert trot.parts == feet
    assert trot.solved.all()
    assert trot.missing.max() == 0.0


def test_a_robot_that_stands_pushes_with_its_weight(ground, feet):
    still = rehearse(ground, GaitTask(small.TROT, dt=2e-2).course(ground, 0.0), feet, LAW)
    weight = small.GRAVITY * ground.model.body_mass.sum()
    for i in range(len(still)):
        assert still.forces[still.start[i] : still.start[i + 1], 0].sum() == pytest.approx(weight, rel=1e-9)
    assert np.ptp(still.torque, axis=0).max() <= 1e-9


def test_out_of_reach_torques_are_unknown_and_reach_is_negative(ground, feet):
    far = rehearse(ground, GaitTask(small.TROT, height=0.5, dt=2e-2).course(ground, 0.1), feet, LAW)
    assert np.isnan(far.torque).all()
    assert not far.solved.any()
    assert (far.missing.max(axis=1) > 0.2).all()
    assert (far.stretch.max(axis=1) > 1.0).all()
    assert (Reach().values(far) < 0.0).all()


def test_stretch_is_the_distance_from_the_second_joint_over_the_length_of_the_leg(ground, trot):
    model, data = ground.model, mujoco.MjData(ground.model)
    data.qpos[:] = trot.q[7]
    mujoco.mj_kinematics(model, data)
    hip, knee = (data.xanchor[model.joint(name).id] for name in ("RF_Y2", "RF_Y3"))
    foot = data.geom_xpos[model.geom("RF_FOOT").id]
    length = np.linalg.norm(knee - hip) + np.linalg.norm(foot - knee)
    assert trot.stretch[7, 1] == pytest.approx(np.linalg.norm(foot - hip) / length)


# Properties


def test_feet_are_where_the_course_has_them(ground, trot, course):
    """MuJoCo's kinematics: the sole, a radius below the centre of the foot, in the base's frame."""
    model, data = ground.model, mujoco.MjData(ground.model)
    for i in range(len(trot)):
        data.qpos[:] = trot.q[i]
        mujoco.mj_kinematics(model, data)
        turn = data.xmat[model.body("BASE").id].reshape(3, 3)
        for k, foot in enumerate(ground.feet):
            centre = data.geom_xpos[model.geom(foot.geoms[0]).id] - data.xpos[model.body("BASE").id]
            assert turn.T @ centre == pytest.approx(course.points[i, k] + [0.0, 0.0, 0.01], abs=1e-9)
        assert trot.q[i, :7] == pytest.approx(course.base[i], abs=1e-12)


def test_joints_move_with_their_velocities(ground, course, feet):
    fine = GaitTask(small.TROT, dt=1e-3).course(ground, 0.25)
    rehearsal = rehearse(ground, fine, feet, LAW, samples=range(0, 100))
    q, v = rehearsal.q[:, ground.joint_positions], rehearsal.v[:, ground.dofs]
    apart = np.abs((q[2:] - q[:-2]) / (2 * fine.dt) - v[1:-1])
    assert np.quantile(apart, 0.95) <= 1e-3 * np.abs(v).max()
    assert apart.max() <= 2e-2 * np.abs(v).max()


def test_soles_that_stand_hardly_slip(ground, trot, course):
    """The base's velocity is that of the plan, but for feet that roll."""
    base = np.abs(trot.v[:, :6] - course.base_velocity)
    assert base[:, :3].max() <= 0.1 * 0.25
    model, data, J = ground.model, mujoco.MjData(ground.model), np.zeros((3, ground.nv))
    for i in range(0, len(trot), 7):
        data.qpos[:] = trot.q[i]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for k, foot in enumerate(ground.feet):
            if course.stance[i, k]:
                sole = data.geom_xpos[model.geom(foot.geoms[0]).id] - [0.0, 0.0, 0.01]
                mujoco.mj_jac(model, data, J, None, sole, model.body(foot.body).id)
                assert np.abs(J @ trot.v[i]).max() <= 0.03


# Oracles


@pytest.mark.parametrize("i", [0, 9, 33, 50, 79])
def test_torques_are_those_of_inverse_dynamics(ground, trot, course, i):
    """(25): the velocity of the next sample in one step, the last one followed by the first."""
    then = (i + 1) % len(course)
    acceleration = (trot.v[then] - trot.v[i])[ground.dofs] / course.dt
    standing = [foot.name for foot, on in zip(ground.feet, course.stance[i], strict=True) if on]
    state = sf.State(trot.q[i], trot.v[i])
    answer = sf.inverse_dynamics(ground, state, acceleration, dt=course.dt, law=LAW, contacts=standing)
    assert trot.torque[i] == pytest.approx(answer.torque, abs=1e-9)
    assert trot.start[i + 1] - trot.start[i] == len(answer.forces)


def test_a_hand_at_rest_takes_the_torques_of_mujoco():
    robot = small.arm()
    still = rehearse(robot, small.resting().course(robot, 1.0), ("tip",), LAW)
    data = mujoco.MjData(robot.model)
    data.qpos[:] = still.q[3]
    mujoco.mj_inverse(robot.model, data)
    assert still.torque == pytest.approx(np.tile(data.qfrc_inverse, (len(still), 1)), abs=1e-8)
    assert np.abs(still.torque).max() > 0.5


def test_a_moving_hand_takes_the_torques_of_mujoco():
    """To the first order in dt: one step reaches the next velocity."""
    robot = small.arm()
    way = [small.GOAL, small.GOAL + np.array([-0.1, 0.0, 0.1]), small.GOAL]
    moving = rehearse(robot, HandTask("tip", way, 1.0, dt=1e-3).course(robot, 1.0), ("tip",), LAW)
    data = mujoco.MjData(robot.model)
    for i in range(0, len(moving) - 1, 83):
        data.qpos[:], data.qvel[:] = moving.q[i], moving.v[i]
        data.qacc[:] = (moving.v[i + 1] - moving.v[i]) / moving.course.dt
        mujoco.mj_inverse(robot.model, data)
        assert moving.torque[i] == pytest.approx(data.qfrc_inverse, abs=2e-3)


@pytest.mark.parametrize("width", [2, 7, 1000])
def test_what_is_simulated_begins_on_the_course_and_follows_it(ground, trot, course, feet, width):
    wide = rehearse(ground, course, feet, LAW, width=width)
    assert wide.samples.tolist() == trot.samples.tolist()
    assert (wide.q[::width] == trot.q[::width]).all()
    assert (wide.v[::width] == trot.v[::width]).all()
    drift = np.abs(wide.q - trot.q).max()
    assert 0.0 < drift < 0.05


def test_what_is_simulated_is_integrated_step_by_step(ground, course, feet):
    """Within a window q moves by dt times the velocity that the law gave, as MuJoCo integrates."""
    wide = rehearse(ground, course, feet, LAW, width=8)
    q = wide.q[2].copy()
    mujoco.mj_integratePos(ground.model, q, wide.v[3], course.dt)
    assert wide.q[3] == pytest.approx(q, abs=1e-12)
    torque = wide.torque[2]
    state = sf.State(wide.q[2], wide.v[2])
    forward = sf.forward_dynamics(ground, state, torque, dt=course.dt, law=LAW)
    assert forward.velocity[ground.dofs] == pytest.approx(wide.v[3][ground.dofs], abs=1e-6)


# Edge cases


def test_some_samples_are_those_of_all(ground, trot, course, feet):
    joints = trot.q[:, ground.joint_positions]
    some = rehearse(ground, course, feet, LAW, samples=[70, 3, 79], start=joints)
    assert some.samples.tolist() == [3, 70, 79]
    assert some.q == pytest.approx(trot.q[[3, 70, 79]], abs=1e-11)
    assert some.torque == pytest.approx(trot.torque[[3, 70, 79]], abs=1e-6)


def test_some_samples_of_windows_are_those_of_all(ground, course, feet):
    all_of_them = rehearse(ground, course, feet, LAW, width=6)
    joints = rehearse(ground, course, feet, LAW).q[:, ground.joint_positions]
    some = rehearse(ground, course, feet, LAW, width=6, samples=[0, 10, 79], start=joints)
    assert some.samples.tolist() == [0, 10, 79]
    assert some.q == pytest.approx(all_of_them.q[[0, 10, 79]], abs=1e-9)


def test_windows_keep_samples_that_are_out_of_reach(ground, feet):
    """Half of the period is out of reach: those samples are told, and the rest is gone through from the course."""
    course = GaitTask(small.TROT, dt=2e-2).course(ground, 0.1)
    points = course.points.copy()
    points[5:10, 0, 2] -= 0.3
    broken = Course(course.dt, course.base, course.base_velocity, points, course.velocities, course.stance, True)
    wide = rehearse(ground, broken, feet, LAW, width=4)
    assert wide.samples.tolist() == list(range(len(course)))
    assert np.flatnonzero(~wide.solved).tolist() == [4, 5, 6, 7, 8, 9]
    assert (np.isnan(wide.torque).any(axis=1) == ~wide.solved).all()


def test_feet_in_another_order_and_some_of_them(ground, course, feet, trot):
    order = [2, 0, 3, 1]
    mixed = Course(
        course.dt, course.base, course.base_velocity, course.points[:, order], course.velocities[:, order],
        course.stance[:, order], True,
    )  # fmt: skip
    again = rehearse(ground, mixed, tuple(feet[k] for k in order), LAW)
    assert again.q == pytest.approx(trot.q, abs=1e-9)
    assert again.torque == pytest.approx(trot.torque, abs=1e-5)


def test_the_end_of_a_hand_is_at_rest():
    robot = small.arm()
    moving = rehearse(robot, HandTask("tip", [small.GOAL, small.GOAL * 0.9], 0.5).course(robot, 1.0), ("tip",), LAW)
    data = mujoco.MjData(robot.model)
    data.qpos[:] = moving.q[-1]
    mujoco.mj_inverse(robot.model, data)
    assert moving.torque[-1] == pytest.approx(data.qfrc_inverse, abs=1e-8)


# Error texts


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"width": 0}, "width: expected a whole number of at least 1, got 0"),
        ({"samples": []}, "samples: expected one or more whole numbers from 0 to 79, got []"),
        ({"samples": [80]}, "samples: expected one or more whole numbers from 0 to 79, got [80]"),
        ({"samples": [-1]}, "samples: expected one or more whole numbers from 0 to 79, got [-1]"),
        ({"samples": [0.5]}, "samples: expected one or more whole numbers from 0 to 79, got [0.5]"),
        ({"start": [1.0]}, "start: expected shape (80, 12), got (1,)"),
        ({"scene": "links"}, "scene: expected a robot or scene (see sf.load), got str"),
        ({"course": None}, "course: expected a Course, got NoneType"),
        ({"parts": "LF_FOOT"}, "parts: expected the names of the 4 that follow the course, got 'LF_FOOT'"),
        ({"parts": ("LF_FOOT",)}, "parts: expected the names of the 4 that follow the course, got ('LF_FOOT',)"),
        ({"law": "none"}, "law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'none'"),
    ],
)
def test_bad_input_is_refused(ground, course, feet, arguments, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        rehearse(**{"scene": ground, "course": course, "parts": feet, "law": LAW, **arguments})
