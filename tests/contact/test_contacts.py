import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.contact.contacts import contact_frame, contact_names
from surefoot.errors import InputError
from tests.contact.scenes import ball, block, found

VECTORS = st.tuples(*[st.floats(-2, 2)] * 3).map(np.array)


# Frames


@given(normal=VECTORS, slip=VECTORS)
def test_a_frame_is_orthonormal_right_handed_and_starts_with_the_normal(normal, slip):
    if np.linalg.norm(normal) < 1e-3:
        return
    normal = normal / np.linalg.norm(normal)
    frame = contact_frame(normal, slip)
    assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(frame) == pytest.approx(1)
    assert np.array_equal(frame[0], normal)
    along = slip - normal * (normal @ slip)
    if np.linalg.norm(along) > 1e-6:
        assert frame[1] @ along == pytest.approx(np.linalg.norm(along), rel=1e-9)
        assert abs(frame[2] @ slip) <= 1e-9


def test_without_slip_the_tangent_is_world_x_and_where_x_is_normal_world_y():
    assert contact_frame(np.array([0.0, 0, 1]), np.zeros(3))[1].tolist() == [1, 0, 0]
    assert contact_frame(np.array([1.0, 0, 0]), np.zeros(3))[1].tolist() == [0, 1, 0]
    assert contact_frame(np.array([0.0, 0, 1]), np.array([0, 1e-7, 0]))[1].tolist() == [1, 0, 0]


@given(angle=st.floats(-np.pi, np.pi), speed=st.floats(0, 2))
def test_given_points_have_the_frames_of_the_geometry(angle, speed):
    scene = ball()
    state = scene.state(v=[speed * np.cos(angle), speed * np.sin(angle), 0.1, 0, 0, 0])
    seen = found(scene, state).contacts()
    given_ = sf.Contacts.from_points(scene, state, seen.points, ["ball"], mu=0.5)
    assert np.abs(given_.frames - seen.frames).max() <= 1e-9
    assert np.abs(given_.J - seen.J).max() <= 1e-9


# Contacts from points


def test_points_that_the_caller_knows():
    robot = sf.load("links")
    state = robot.home()
    body = robot.feet[0].body
    points = [[0.1, 0.2, 0.0], [0.0, 0.0, 0.3]]
    contacts = sf.Contacts.from_points(
        robot, state, points, [body, robot.base], normals=[[0, 0, 2], [3, 0, 0]], mu=[0.3, np.inf]
    )
    assert len(contacts) == 2
    assert contacts.names == (f"{body} on world", f"{robot.base} on world")
    assert contacts.bodies == ((body, "world"), (robot.base, "world"))
    assert contacts.mu.tolist() == [0.3, np.inf]
    assert contacts.closed.all()
    assert contacts.geoms.tolist() == [[-1, -1], [-1, -1]]
    assert contacts.frames[:, 0].tolist() == [[0, 0, 1], [1, 0, 0]]
    data = mujoco.MjData(robot.model)
    state.to_mujoco(data)
    mujoco.mj_forward(robot.model, data)
    J = np.zeros((3, robot.nv))
    mujoco.mj_jac(robot.model, data, J, None, np.array(points[0]), robot.model.body(body).id)
    assert contacts.J[0] == pytest.approx(contacts.frames[0] @ J, abs=1e-12)


def test_a_point_between_two_moving_bodies():
    boxes = [sf.Box(size=(0.2, 0.2, 0.2), mass=1, position=(0, 0, 0.1 + 0.2 * i), name=n) for i, n in enumerate("ab")]
    scene = sf.scene(None, terrain=None, objects=boxes)
    contacts = sf.Contacts.from_points(scene, scene.home(), [[0, 0, 0.2]], ["b"], against=["a"])
    v = np.zeros(12)
    v[2], v[8] = 0.3, 1.0  # a rises at 0.3, b at 1
    assert contacts.J[0, 0] @ v == pytest.approx(0.7)
    assert contacts.names == ("b on a",)


def test_gaps_and_depth():
    scene = block()
    contacts = sf.Contacts.from_points(scene, scene.home(), np.zeros((2, 3)), ["box"] * 2, gaps=[0.01, -0.002])
    assert contacts.depth.tolist() == [0.0, 0.002]


def test_no_points_at_all():
    scene = block()
    contacts = sf.Contacts.from_points(scene, scene.home(), np.zeros((0, 3)), [])
    assert len(contacts) == 0
    answer = sf.forward_dynamics(scene, scene.home(), dt=1e-3, contacts=contacts)
    assert answer.acceleration[2] == pytest.approx(-9.81)


def test_given_contacts_give_the_answer_of_the_same_contacts_found():
    scene = block(mu=0.3)
    state = scene.state(v=[1.0, 0.5, 0, 0, 0, 0])
    free = sf.forward_dynamics(scene, state, dt=1e-3)
    seen = free.contacts
    same = sf.Contacts.from_points(scene, state, seen.points, ["box"] * 4, mu=seen.mu, gaps=seen.gaps)
    given_ = sf.forward_dynamics(scene, state, dt=1e-3, contacts=same)
    assert given_.velocity == pytest.approx(free.velocity, abs=1e-9)
    assert given_.forces == pytest.approx(free.forces, abs=1e-6)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"points": [[0, 0]]}, r"points: expected shape \(any, 3\), got \(1, 2\)"),
        ({"points": [[0, 0, np.nan]]}, r"points: expected finite numbers, got nan at index \(0, 2\)"),
        ({"normals": [[0, 0, 0]]}, "normals: expected a direction, got a zero vector at index 0"),
        ({"normals": [[0, 0, 1]] * 2}, r"normals: expected shape \(1, 3\), got \(2, 3\)"),
        ({"bodies": ["box", "box"]}, "bodies: expected a list of 1 names, one a point, got 2 of them"),
        ({"bodies": ["bax"]}, "bodies: no body is called 'bax'; did you mean 'box'\\? The choices are: world, box"),
        ({"against": ["floor"]}, "against: no body is called 'floor'"),
        ({"mu": -0.1}, r"mu: expected a friction coefficient of at least 0 \(inf allowed\), got"),
        ({"gaps": np.nan}, "gaps: expected finite numbers, got nan at index 0"),
    ],
)
def test_bad_points_are_refused_by_name(changes, text):
    scene = block()
    arguments = {"points": [[0, 0, 0]], "bodies": ["box"], **changes}
    points, bodies = arguments.pop("points"), arguments.pop("bodies")
    with pytest.raises(InputError, match=text):
        sf.Contacts.from_points(scene, scene.home(), points, bodies, **arguments)


def test_contacts_of_another_scene_are_refused():
    scene, robot = block(), sf.load("links")
    contacts = sf.Contacts.from_points(scene, scene.home(), [[0, 0, 0]], ["box"])
    with pytest.raises(InputError, match="contacts: expected contacts of a scene with nv 18, got nv 6"):
        sf.forward_dynamics(robot, robot.home(), dt=1e-3, contacts=contacts)


# Names


def test_feet_carry_their_names_and_several_points_a_number():
    robot = sf.load("links")
    assert set(found(robot).contacts().names) == {f"{foot.name} on ground" for foot in robot.feet}
    assert found(block()).contacts().names == tuple(f"box on ground #{i}" for i in (1, 2, 3, 4))


def test_names_are_unique():
    scene = sf.scene(sf.load("links"), objects=[sf.Box(size=(0.1, 0.1, 0.1), mass=1, position=(1, 0, 0.05))])
    names = found(scene).contacts().names
    assert len(set(names)) == len(names) == 8
    assert contact_names(scene, np.zeros((0, 2), dtype=np.int64)) == ()


# Planned stance


def test_a_planned_foot_out_of_reach_is_refused():
    robot = sf.load("links")
    q = robot.home().q.copy()
    q[2] += 0.1
    name = robot.feet[1].name
    text = f"contacts: '{name}' is not within 4.5 mm of the ground at this state, so it cannot be a planned contact"
    with pytest.raises(InputError, match=text):
        sf.forward_dynamics(robot, robot.state(q), dt=1e-3, contacts=[name])


def test_an_unknown_foot_is_refused():
    robot = sf.load("links")
    with pytest.raises(InputError, match="contacts: no foot is called 'LF'"):
        sf.forward_dynamics(robot, robot.home(), dt=1e-3, contacts=["LF"])
    with pytest.raises(InputError, match="contacts: expected a list of foot names, got the string 'LF_FOOT'"):
        sf.forward_dynamics(robot, robot.home(), dt=1e-3, contacts="LF_FOOT")


def test_an_empty_stance_touches_nothing():
    robot = sf.load("links")
    answer = sf.forward_dynamics(robot, robot.home(), dt=1e-3, contacts=[])
    assert len(answer.contacts) == 0
