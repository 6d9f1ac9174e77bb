import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.kernels import status
from surefoot.kernels.plant import BOX, CONE, DRY_FRICTION, LIMIT, NORMAL
from surefoot.kernels.settings import LawNumbers
from surefoot.kernels.step import find_rows
from surefoot.motion.workspace import Workspace
from tests.contact.scenes import ball, block, compiled, found, random_state

ARM = """
<geom name="ground" type="plane" size="5 5 1" pos="0 0 -5"/>
<body name="one"><joint name="a" axis="0 1 0" limited="true" range="-1 0.5" frictionloss="0.3"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.5" contype="0" conaffinity="0"/>
  <body name="two" pos="0 0 0.5"><joint name="b" type="slide" axis="0 0 1" limited="true" range="-0.1 0.1"/>
    <geom type="sphere" size="0.05" contype="0" conaffinity="0"/></body></body>
"""


def arm():
    return compiled(ARM, "<compiler angle='radian'/>", joints=("a", "b"))


# Frames


@given(speed=st.floats(2e-6, 3), angle=st.floats(-np.pi, np.pi), lift=st.floats(-1, 1))
@settings(max_examples=40)
def test_the_first_tangent_follows_the_slip(speed, angle, lift):
    scene = ball()
    v = np.zeros(6)
    v[:3] = speed * np.cos(angle), speed * np.sin(angle), lift
    frame = found(scene, scene.state(v=v)).contacts().frames[0]
    assert frame[0] == pytest.approx([0, 0, 1])
    assert frame[1] == pytest.approx([np.cos(angle), np.sin(angle), 0], abs=1e-9)
    assert np.linalg.det(frame) == pytest.approx(1)


def test_a_slip_too_slow_to_have_a_direction_leaves_world_x():
    scene = ball()
    v = np.zeros(6)
    v[1] = 0.9e-6
    for state in (scene.home(), scene.state(v=v)):
        assert found(scene, state).contacts().frames[0] == pytest.approx(np.eye(3)[[2, 0, 1]])


def test_rolling_is_not_slip():
    scene = ball(radius=0.1)
    v = np.zeros(6)
    v[1], v[3] = 1.0, -10.0  # rolls along y
    assert found(scene, scene.state(v=v)).contacts().frames[0, 1] == pytest.approx([1, 0, 0])


def test_where_x_is_normal_the_first_tangent_is_world_y():
    wall = compiled(
        '<geom name="ground" type="plane" size="1 1 1" zaxis="1 0 0"/>'
        '<body name="ball" pos="0.1 0 0"><freejoint/><geom type="sphere" size="0.1"/></body>',
        objects=("ball",),
    )
    assert found(wall).contacts().frames[0] == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize("yaw", [0.0, 0.5, 2.0])
def test_on_a_slope_the_frame_is_orthonormal_and_right_handed(yaw):
    slope = sf.Slope(0.4, yaw=yaw)
    scene = sf.scene(None, terrain=slope, objects=[sf.Ball(radius=0.1, mass=1, position=(0, 0, 0.1 / np.cos(0.4)))])
    frame = found(scene).contacts().frames[0]
    assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1)
    assert frame[1, 2] == pytest.approx(-frame[0, 0] * frame[0, 2] / np.hypot(frame[0, 1], frame[0, 2]), abs=1e-9)
    assert frame[0, 2] == pytest.approx(np.cos(0.4))


# Open and closed


@pytest.mark.parametrize(
    ("above", "closed"), [(0.0, True), (0.9e-6, True), (1.1e-6, False), (5e-4, False), (-5e-3, True)]
)
def test_what_is_farther_than_the_touch_distance_has_a_normal_row_only(above, closed):
    scene = ball(above=above)
    v = np.array([1.0, 0, 0, 0, 0, 0])
    space = found(scene, scene.state(v=v))
    contacts = space.contacts()
    assert contacts.closed.tolist() == [closed]
    assert contacts.gaps[0] == pytest.approx(above, abs=1e-12)
    assert space.step.rows.kind[0] == (CONE if closed else NORMAL)
    assert bool(contacts.J[0, 1:].any()) == closed
    assert contacts.J[0, 0] == pytest.approx([0, 0, 1, 0, 0, 0], abs=1e-12)


def test_the_touch_distance_grows_with_the_square_of_the_step():
    for dt in (1e-4, 1e-3, 1e-2):
        assert found(ball(above=0.9 * dt**2), dt=dt).contacts().closed.all()
        assert not found(ball(above=1.1 * dt**2), dt=dt).contacts().closed.any()


def test_what_is_beyond_the_detection_distance_is_not_found():
    assert len(found(ball(above=4.4e-3)).contacts()) == 1  # 1.5 x 1 ms x 3 m/s
    assert len(found(ball(above=4.6e-3)).contacts()) == 0
    assert len(found(ball(above=4.6e-3), speed=4.0).contacts()) == 1
    assert len(found(ball(above=0.9e-3), dt=1e-5).contacts()) == 1  # never less than 1 mm


# Sides and Jacobians


@pytest.mark.parametrize("name", ["links", "arm"])
def test_jacobians_are_those_of_mujoco(name):
    robot = sf.load(name)
    box = sf.Box(size=(0.1, 0.1, 0.1), mass=1, position=(2.0, 0, 0.05))
    scene = sf.scene(robot, terrain=sf.Plane(), objects=[box]) if name == "arm" else sf.scene(robot, objects=[box])
    rng = np.random.default_rng(4)
    for _ in range(4):
        state = random_state(scene, rng, reach=0.05)
        space = found(scene, state, speed=40.0)
        contacts, model = space.contacts(), space.model
        for i in range(len(contacts)):
            sides = []
            for geom in contacts.geoms[i]:
                J = np.zeros((3, scene.nv))
                mujoco.mj_jac(model, space.data, J, None, contacts.points[i], model.geom_bodyid[geom])
                sides.append(J)
            expected = contacts.frames[i] @ (sides[0] - sides[1])
            assert contacts.J[i] == pytest.approx(expected, abs=1e-12)


def test_the_robot_is_pushed_by_the_object_and_the_object_by_the_ground():
    robot = sf.load("links")
    foot = robot.model.geom(robot.feet[0].geoms[0]).id
    data = mujoco.MjData(robot.model)
    robot.home().to_mujoco(data)
    mujoco.mj_forward(robot.model, data)
    x, y, _ = data.geom_xpos[foot]
    # The box's top touches the foot from the side.
    box = sf.Box(size=(0.1, 0.1, 0.1), mass=1, position=(x + 0.05 + robot.model.geom_size[foot, 0], y, 0.05))
    contacts = found(sf.scene(robot, objects=[box])).contacts()
    pairs = set(contacts.bodies)
    assert (robot.model.body(robot.model.geom_bodyid[foot]).name, "box") in pairs
    assert ("box", "world") in pairs
    assert not any(first in ("world",) for first, _ in pairs)
    side = [i for i, pair in enumerate(contacts.bodies) if pair[1] == "box"]
    assert contacts.frames[side[0], 0] == pytest.approx([-1, 0, 0], abs=1e-9)  # from the box to the foot


def test_gap_velocity_is_the_rate_of_the_gap():
    """Finite differences of MuJoCo's own distance along a velocity."""
    scene = ball(above=2e-3)
    v = np.array([0.3, -0.2, 0.7, 1.0, 2.0, -1.0])
    space = found(scene, scene.state(v=v))
    rate = space.contacts().J[0, 0] @ v
    q = scene.home().q.copy()
    mujoco.mj_integratePos(scene.model, q, v, 1e-6)
    later = found(scene, scene.state(q, v)).contacts().gaps[0]
    assert (later - space.contacts().gaps[0]) / 1e-6 == pytest.approx(rate, abs=1e-6)


# Duplicates


def test_exact_duplicates_are_merged():
    two = '<geom type="sphere" size="0.1"/>' * 2  # two geoms: two contacts
    scene = compiled(
        f'<geom name="ground" type="plane" size="1 1 1"/><body name="b" pos="0 0 0.1"><freejoint/>{two}</body>'
    )
    space = found(scene)
    assert space.data.ncon == 2
    assert len(space.contacts()) == 2
    # MuJoCo's capsule on a plane, standing upright, reports one point twice or a second one far away; never two alike.
    for scene in (block(), sf.load("links")):
        contacts = found(scene).contacts()
        keys = {(*g, *np.round(p, 9)) for g, p in zip(contacts.geoms.tolist(), contacts.points, strict=True)}
        assert len(keys) == len(contacts)


def test_a_box_has_four_contacts():
    contacts = found(block()).contacts()
    assert len(contacts) == 4
    assert sorted(map(tuple, np.round(contacts.points[:, :2], 6).tolist())) == [
        (-0.1, -0.1),
        (-0.1, 0.1),
        (0.1, -0.1),
        (0.1, 0.1),
    ]


# Joint limits and dry friction


def test_joint_rows_follow_the_contacts():
    scene = arm()
    space = found(scene, scene.state([0.495, 0.0], [0.0, 0.0]))
    rows = space.step.rows
    assert space.count == 2
    assert space.contact_count == 0
    assert rows.source[:2].tolist() == [[0, LIMIT], [0, DRY_FRICTION]]
    assert rows.kind[:2].tolist() == [NORMAL, BOX]
    assert rows.gap[0] == pytest.approx(0.005)
    assert rows.J[:6].tolist() == [[-1, 0], [0, 0], [0, 0], [0, 0], [1, 0], [0, 0]]
    assert rows.bound[:2].tolist() == [0.0, 0.3]


@pytest.mark.parametrize(("a", "sign"), [(0.499, -1.0), (-0.999, 1.0)])
def test_each_side_of_a_limit_pushes_back(a, sign):
    scene = arm()
    rows = found(scene, scene.state([a, 0.0], [0.0, 0.0])).step.rows
    assert rows.J[0, 0] == sign
    assert rows.gap[0] == pytest.approx(0.001)


def test_a_limit_out_of_reach_has_no_row_and_a_fast_joint_reaches_farther():
    scene = arm()
    slow = found(scene, scene.state([0.4, 0.0], [0.0, 0.0]))
    fast = found(scene, scene.state([0.4, 0.0], [30.0, 0.0]))
    assert (slow.step.rows.source[: slow.count, 1] == LIMIT).sum() == 0
    assert (fast.step.rows.source[: fast.count, 1] == LIMIT).sum() == 1


def test_a_violated_limit_has_depth():
    scene = arm()
    assert found(scene, scene.state([0.6, 0.0], [0.0, 0.0])).step.rows.gap[0] == pytest.approx(-0.1)


# What the caller chooses


def test_the_laws_friction_beats_the_scenes():
    assert found(ball(mu=0.3)).contacts().mu.tolist() == [0.3]
    assert found(ball(mu=0.3), law=LawNumbers(mu=0.9)).contacts().mu.tolist() == [0.9]
    assert found(ball(mu=0.3), law=LawNumbers(mu=np.inf)).contacts().mu.tolist() == [np.inf]
    assert found(ball(mu=0.3), law=LawNumbers(mu=0.0)).contacts().mu.tolist() == [0.0]


def test_a_planned_stance_is_those_feet_and_no_others_and_counts_as_closed():
    robot = sf.load("links")
    q = robot.home().q.copy()
    q[2] += 5e-4  # half a millimetre up: all feet open
    state = robot.state(q)
    by_geometry = found(robot, state).contacts()
    assert len(by_geometry) >= 4
    assert not by_geometry.closed.any()
    names = [robot.feet[0].name, robot.feet[3].name]
    planned = found(robot, state, names).contacts()
    assert planned.names == tuple(f"{name} on ground" for name in names)
    assert planned.closed.all()
    assert (planned.gaps <= 0).all()


def test_too_little_room_is_said():
    space = Workspace(block(), 1e-3, capacity=3)
    space.load(space.scene.home())
    code, _ = find_rows(space.box, -1)
    assert code == status.CAPACITY
    assert space.find() == status.SOLVED  # which makes room
    assert (space.count, space.capacity) == (4, 6)
