import math
import re

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import surefoot as sf
from surefoot import traces as r
from surefoot.robots.scene import Foot
from surefoot.traces.requirements import angles
from surefoot.traces.span import Span
from tests.traces import small

NEAR, TOUCH = 4.5e-3, 1e-6


@pytest.fixture(scope="module")
def flyer():
    return small.flyer()


@pytest.fixture(scope="module")
def rod():
    return small.rod()


@pytest.fixture(scope="module")
def light():
    return sf.load("links-light")


def made(robot, q, v=None, torque=None, contacts=()):
    """A span of given states; a contact is (step, geom, geom, gap, normal force, normal), in order of steps."""
    q, n = np.atleast_2d(q), len(np.atleast_2d(q))
    steps = [contact[0] for contact in contacts]
    frames = np.zeros((len(contacts), 3, 3))
    for i, contact in enumerate(contacts):
        frames[i, 0] = contact[5]
    forces = np.zeros((len(contacts), 3))
    forces[:, 0] = [contact[4] for contact in contacts]
    names = [[robot.model.geom(name).id for name in contact[1:3]] for contact in contacts]
    return Span(
        robot, 1e-3 * np.arange(n), q, np.zeros((n, robot.nv)) if v is None else np.atleast_2d(v),
        np.zeros((n, len(robot.joints))) if torque is None else np.atleast_2d(torque),
        np.searchsorted(steps, np.arange(n + 1)), np.array(names, dtype=np.int64).reshape(-1, 2),
        np.zeros((len(contacts), 3)), frames, np.array([c[3] for c in contacts], dtype=float), forces,
        np.zeros((len(contacts), 3)), NEAR, TOUCH,
    )  # fmt: skip


def turned(robot, rotations):
    """(n, nq) poses of the base at home but for these turns."""
    q = np.tile(robot.home().q, (len(rotations), 1))
    q[:, 3:7] = rotations.as_quat()[:, [3, 0, 1, 2]]
    return q


@pytest.fixture(scope="module")
def turns():
    some = Rotation.random(200, random_state=0)
    return Rotation.concatenate([some, Rotation.from_rotvec(np.vstack([np.zeros(3), [np.pi, 0, 0], [0, 0, 3.0]]))])


def test_upright_is_the_angle_to_the_vertical(flyer, turns):
    lean = np.arccos(np.clip(turns.as_matrix()[:, 2, 2], -1.0, 1.0))
    for limit in (math.pi / 2, 0.3):
        values = r.Upright(limit).values(made(flyer, turned(flyer, turns)))
        assert values == pytest.approx(1.0 - lean / limit, abs=1e-7 / limit)
    assert r.Upright().values(made(flyer, turned(flyer, turns)))[-1] == pytest.approx(1.0)  # yaw does not count


def test_roll_and_pitch_are_scipys(flyer, turns):
    q = turned(flyer, turns)
    assert angles(q[:, :7]) == pytest.approx(turns.as_euler("xyz"), abs=1e-7)
    for place, about in enumerate(("roll", "pitch")):
        values = r.Tilt(about, 0.5).values(made(flyer, q))
        assert values == pytest.approx(1.0 - np.abs(turns.as_euler("xyz")[:, place]) / 0.5, abs=1e-6)
    assert (r.Tilt("roll").name, r.Tilt("pitch").name, r.Tilt("pitch", name="nod").name) == ("roll", "pitch", "nod")


def test_upright_of_the_first_object_where_nothing_floats(rod):
    world = sf.scene(rod, objects=[sf.Box(size=(0.1, 0.1, 0.1), mass=1.0, position=(1, 0, 1), rpy=(0.6, 0, 0))])
    assert r.Upright(1.2).values(made(world, world.home().q)) == pytest.approx([0.5])


UP, ACROSS, OBLIQUE = (0, 0, 1), (1, 0, 0), (math.sin(0.7), 0, math.cos(0.7))


def test_no_body_contact_is_the_least_gap_of_what_is_no_foot(flyer):
    contacts = [
        (0, "sole", "ground", 0.0, 9.0, UP),  # a foot may
        (1, "trunk", "ground", 3e-3, 0.0, UP),
        (1, "leg", "ground", 1e-3, 0.0, UP),
        (2, "trunk", "ground", TOUCH, 0.0, UP),
        (3, "trunk", "ground", 0.0, 5.0, UP),
        (4, "leg", "ground", 2e-3, 5.0, UP),  # pushed before it is there: it bounces
    ]
    span = made(flyer, np.tile(flyer.home().q, (6, 1)), contacts=contacts)
    gap = np.array([np.inf, 1e-3, TOUCH, 0.0, 0.0, np.inf])
    assert r.NoBodyContact().values(span) == pytest.approx(np.minimum((gap - TOUCH) / NEAR, 1.0), abs=1e-15)
    leg = r.NoBodyContact(bodies=("leg",)).values(span)
    assert leg == pytest.approx([-TOUCH / NEAR, (1e-3 - TOUCH) / NEAR, 1.0, 1.0, -TOUCH / NEAR, 1.0])  # its foot too


def dropped(restitution=0.0):
    """A trunk without legs that falls 1 cm."""
    body = '<geom name="ground" type="plane" size="5 5 1"/><body name="trunk" pos="0 0 0.11"><freejoint/>'
    robot = small.scene(body + '<geom name="trunk" type="sphere" size="0.1" mass="1"/></body>', base="trunk")
    return r.NoBodyContact().values(small.span(robot, duration=0.08, restitution=restitution))


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_body_that_hits_the_ground_is_seen_even_if_it_bounces(restitution):
    values = dropped(restitution)
    hits = math.sqrt(2 * 0.01 / 9.81)
    below = np.flatnonzero(values < 0.0)
    assert len(below) > 0
    assert 1e-3 * below[0] == pytest.approx(hits, abs=2.5e-3)
    assert (values[: below[0]] > 0.0).all()


def test_what_is_fixed_to_the_world_is_not_the_robot(rod):
    table = '<body name="table" pos="1 0 0.5"><geom name="table" type="box" size="0.2 0.2 0.02"/></body>'
    ball = '<body name="ball" pos="1 0 0.57"><freejoint name="ball"/><geom name="ball" size="0.05" mass="1"/></body>'
    world = small.scene(small.ROD + table + ball, joints=("shoulder", "elbow"), objects=("ball",))
    span = small.span(world, duration=0.01)
    assert (span.forces[:, 0] > 0.0).any()
    assert r.NoBodyContact().values(span).tolist() == [1.0] * 10
    assert r.Held().values(span).tolist() == [-1.0] * 10
    assert r.NoSelfCollision().values(span).tolist() == [1.0] * 10


def test_no_strike_is_for_feet_on_what_is_steep(flyer):
    contacts = [
        (0, "sole", "ground", 0.0, 9.0, UP),
        (1, "sole", "ground", 1e-3, 0.0, ACROSS),
        (2, "sole", "ground", 0.0, 9.0, OBLIQUE),
        (3, "trunk", "ground", 0.0, 9.0, ACROSS),  # no foot
        (4, "sole", "trunk", 0.0, 9.0, (-1, 0, 0)),
    ]
    span = made(flyer, np.tile(flyer.home().q, (5, 1)), contacts=contacts)
    struck, near = -TOUCH / NEAR, (1e-3 - TOUCH) / NEAR
    assert r.NoStrike().values(span) == pytest.approx([1.0, near, 1.0, 1.0, struck])  # 0.7 rad is less than 45 degrees
    assert r.NoStrike(slope=0.6).values(span) == pytest.approx([1.0, near, struck, 1.0, struck])
    assert r.NoStrike(geoms=("trunk",)).values(span) == pytest.approx([1.0, 1.0, 1.0, 1.0, struck])


def test_no_self_collision_is_mujocos_distance_of_links_that_are_not_neighbours(light):
    rng, poses = np.random.default_rng(4), []
    for _ in range(12):
        q = light.home().q.copy()
        mujoco.mj_integratePos(light.model, q, 0.7 * rng.normal(size=light.nv), 1.0)
        poses.append(q)
    model, data, wanted = light.model, mujoco.MjData(light.model), []
    bodies = model.geom_bodyid
    pairs = [
        (a, b)
        for a in range(1, model.ngeom)
        for b in range(a)
        if b != 0 and bodies[a] != bodies[b]
        and model.body_parentid[bodies[a]] not in (bodies[b], model.body_parentid[bodies[b]])
        and model.body_parentid[bodies[b]] != bodies[a]
    ]  # fmt: skip
    for q in poses:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        wanted.append(min(mujoco.mj_geomDistance(model, data, a, b, 0.05, None) for a, b in pairs) / 0.05)
    span = made(light, np.array(poses))
    assert r.NoSelfCollision(near=0.05, every=1).values(span) == pytest.approx(wanted, abs=1e-9)
    some = r.NoSelfCollision(near=0.05, every=5).values(span)
    assert some == pytest.approx(np.array(wanted)[[0] * 5 + [5] * 5 + [10] * 2], abs=1e-9)
    assert min(wanted) < 0.0 < max(wanted)


def test_links_that_may_touch_are_passed_over(light):
    q = light.home().q.copy()
    q[7:10] = 0.0, 2.6, 2.6  # a shank in the trunk
    span = made(light, q)
    alone = r.NoSelfCollision(every=1).values(span)
    assert alone[0] < 0.0
    bodies = [f"LF_{link}" for link in ("HIP", "THIGH", "SHANK")]
    others = [light.model.body(i).name for i in range(1, light.model.nbody)]
    for pairs in ([[a, b] for a in bodies for b in others], tuple((b, a) for a in bodies for b in others)):
        assert r.NoSelfCollision(every=1, ignored=pairs).values(span)[0] > 0.0
    text = r"^NoSelfCollision.ignored: no link is called 'TAIL'; The choices are: world, BASE, "
    with pytest.raises(sf.InputError, match=text):
        r.NoSelfCollision(ignored=[("BASE", "TAIL")]).values(span)


def test_torque_and_speed_share_the_line(rod):
    span = made(rod, np.zeros((3, 2)), v=[[1.0, 0.0], [-2.0, 4.0], [0, 0]], torque=[[3.0, 0.0], [-3.0, 1.0], [0, 0]])
    assert r.TorqueSpeed(6.0, 8.0).values(span) == pytest.approx([1 - 0.5 - 0.125, 1 - 0.5 - 0.25, 1.0])
    assert r.TorqueSpeed(6.0).values(span) == pytest.approx([0.5, 0.5, 1.0])
    assert r.TorqueSpeed([6.0, 1.0], [8.0, 8.0]).values(span) == pytest.approx([0.375, -0.5, 1.0])
    named = r.TorqueSpeed({"elbow": 2.0}, {"elbow": 8.0}).values(span)
    assert named == pytest.approx([1.0, 0.0, 1.0])
    assert r.TorqueSpeed().values(span).tolist() == [1.0] * 3  # the file has no limits


def test_the_robots_own_torque_limits_may_differ_by_sign():
    motors = '<actuator><motor joint="shoulder" ctrllimited="true" ctrlrange="-2 8"/></actuator>'
    robot = small.rod(motors=motors)
    span = made(robot, np.zeros((2, 2)), torque=[[4.0, 99.0], [-4.0, -99.0]])
    assert r.TorqueSpeed().values(span) == pytest.approx([0.5, -1.0])


def test_joint_range_is_the_share_of_half_the_range(rod):
    span = made(rod, [[0.0, 0.5], [5.0, -1.0], [0.0, 1.25], [0.0, 2.3]])
    assert r.JointRange().values(span) == pytest.approx([1.0, 0.0, 0.5, -0.2])  # the shoulder has no stops
    assert r.JointRange(low=-1.0, high=3.0).values(span) == pytest.approx([0.5, -1.0, 0.5, 0.35])
    assert r.JointRange(low={"shoulder": -0.5}).values(span) == pytest.approx([0.5, 0.0, 0.5, -0.2])
    assert r.JointRange(high={"elbow": 3.0}).values(span) == pytest.approx([0.75, 0.0, 0.875, 0.35])
    assert r.JointRange(high=[4.0, 2.0]).values(span) == pytest.approx([1.0, -1.0, 0.5, -0.2])


def test_workspace_is_the_distance_to_the_nearest_wall(flyer):
    q = np.tile(flyer.home().q, (3, 1))
    q[:, 0] = 0.0, 1.9, 2.5
    box = r.Workspace((-1, -math.inf, 0.2), (2, math.inf, 5.0))
    assert box.values(made(flyer, q)) == pytest.approx([0.8, 0.1, -0.5])
    for part in ("sole", "foot"):  # 0.3 m below the trunk, 0.1 m ahead
        values = r.Workspace((-1, -1, 0.2), (2, 1, 5.0), part=part).values(made(flyer, q))
        assert values == pytest.approx([0.5, 0.0, -0.6], abs=1e-12)


def test_feet_beyond_is_the_hindmost_foot(light):
    span = made(light, light.home().q)
    data = mujoco.MjData(light.model)
    data.qpos[:] = light.home().q
    mujoco.mj_kinematics(light.model, data)
    feet = {foot.name: data.geom(foot.geoms[0]).xpos[:2] for foot in light.feet}
    for heading in (0.0, 1.0, -2.5):
        ahead = np.array([math.cos(heading), math.sin(heading)])
        wanted = min((place - [0.1, -0.05]) @ ahead for place in feet.values()) / 0.1
        assert r.FeetBeyond((0.1, -0.05), heading).values(span) == pytest.approx([wanted], abs=1e-12)
    one = r.FeetBeyond((0.0, 0.0), feet=("LF_FOOT",)).values(span)
    assert one == pytest.approx([feet["LF_FOOT"][0] / 0.1])


def test_held_is_touched_by_the_robot_and_by_nothing_else(flyer):
    ball = sf.Ball(radius=0.05, mass=0.1, position=(3, 0, 0.05))
    world = sf.scene(flyer, objects=[ball, sf.Ball(radius=0.1, mass=1.0, position=(2, 0, 0.1), name="other")])
    contacts = [
        (1, "ball", "ground", 0.0, 1.0, UP),
        (2, "sole", "ball", 0.0, 1.0, UP),
        (3, "sole", "ball", 0.0, 1.0, UP),
        (3, "ball", "ground", 0.0, 1.0, UP),
        (4, "trunk", "ball", 0.0, 1.0, UP),
        (4, "ball", "ground", 1e-3, 0.0, UP),  # near, but no push
        (5, "leg", "ball", 1e-3, 0.0, UP),
        (6, "sole", "ball", 0.0, 1.0, UP),
        (6, "ball", "other", 0.0, 1.0, UP),
    ]
    span = made(world, np.tile(world.home().q, (7, 1)), contacts=contacts)
    assert r.Held().values(span).tolist() == [-1, -1, 1, -1, 1, -1, -1]
    assert r.Held("other").values(span).tolist() == [-1] * 7


def test_spans_without_contacts_and_robots_without_joints(flyer):
    ball = sf.scene(None, terrain=None, objects=[sf.Ball(radius=0.1, mass=1.0)])
    span = small.span(ball, duration=0.005)
    for requirement in (
        r.Upright(),
        r.NoBodyContact(),
        r.NoStrike(),
        r.NoSelfCollision(),
        r.TorqueSpeed(),
        r.JointRange(),
    ):
        assert requirement.values(span).tolist() == [1.0] * 5


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: r.Upright(0.0), "Upright.limit: expected a number above 0, got 0"),
        (lambda: r.Upright(math.nan), "Upright.limit: expected a finite number, got nan"),
        (lambda: r.Tilt("yaw"), "Tilt.about: expected one of 'roll', 'pitch', got 'yaw'"),
        (lambda: r.Tilt("roll", -1), "Tilt.limit: expected a number above 0, got -1"),
        (lambda: r.NoStrike(0.0), "NoStrike.slope: expected a number above 0, got 0"),
        (lambda: r.NoSelfCollision(near=0.0), "NoSelfCollision.near: expected a number above 0, got 0"),
        (lambda: r.NoSelfCollision(every=0), "NoSelfCollision.every: expected a whole number of at least 1, got 0"),
        (lambda: r.NoSelfCollision(every=2.5), "NoSelfCollision.every: expected a whole number of at least 1, got 2.5"),
        (
            lambda: r.NoSelfCollision(ignored=("BASE", "LF_HIP")),
            "NoSelfCollision.ignored: expected pairs of names of links, got ('BASE', 'LF_HIP')",
        ),
        (lambda: r.NoSelfCollision(ignored=3), "NoSelfCollision.ignored: expected pairs of names of links, got 3"),
        (
            lambda: r.Workspace((0, 0, 0), (1, 0, 1)),
            "Workspace.low, high: expected low below high, got (0, 0, 0), (1, 0, 1)",
        ),
        (lambda: r.Workspace((0, 0), (1, 0, 1)), "Workspace.low: expected shape (3,), got (2,)"),
        (lambda: r.FeetBeyond((0, 0, 0)), "FeetBeyond.point: expected shape (2,), got (3,)"),
        (lambda: r.FeetBeyond((0, 0), math.inf), "FeetBeyond.heading: expected a finite number, got inf"),
    ],
)
def test_is_refused_in_these_words(make, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        make()


@pytest.mark.parametrize(
    ("requirement", "text"),
    [
        (r.Upright(), "base: 'made' has no base that floats and no loose object"),
        (r.Held(), "Held: 'made' has no loose object"),
        (r.FeetBeyond((0, 0)), "FeetBeyond.feet: expected some feet, got none of 'made'"),
        (r.FeetBeyond((0, 0), feet=("toe",)), "FeetBeyond.feet: no foot is called 'toe'; There are none"),
        (
            r.Workspace((0, 0, 0), (1, 1, 1), part="hand"),
            "Workspace.part: no geom is called 'hand'; The choices are: upper, lower",
        ),
        (
            r.NoBodyContact(bodies=("uper",)),
            "NoBodyContact.bodies: no body is called 'uper'; did you mean 'upper'? "
            "The choices are: world, upper, lower",
        ),
        (
            r.NoStrike(geoms=("curb",)),
            "NoStrike.geoms: no geom is called 'curb'; The choices are: upper, lower",
        ),
        (r.TorqueSpeed(0.0), "TorqueSpeed.torque: expected limits above 0, got 0"),
        (r.TorqueSpeed(1.0, [1.0, -2.0]), "TorqueSpeed.speed: expected limits above 0, got -2"),
        (r.TorqueSpeed([1.0, 2.0, 3.0]), "TorqueSpeed.torque: expected shape (2,), got (3,)"),
        (r.TorqueSpeed("much"), "TorqueSpeed.torque: expected an array of numbers, got str"),
        (
            r.TorqueSpeed({"wrist": 1.0}),
            "TorqueSpeed.torque: no actuated joint is called 'wrist'; The choices are: shoulder, elbow",
        ),
        (
            r.JointRange(high={"elbow": -1.0}),
            "JointRange.low, high: expected low below high, got -1, -1 for 'elbow'",
        ),
        (r.JointRange(low=math.nan), "JointRange.low, high: expected low below high, got nan, inf for 'shoulder'"),
    ],
)
def test_what_a_robot_has_not(rod, requirement, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        requirement.values(made(rod, np.zeros((2, 2))))


def test_an_object_that_there_is_not(flyer):
    world = sf.scene(flyer, objects=[sf.Ball(radius=0.05, mass=0.1, position=(3, 0, 0.05))])
    text = "Held.thing: no object is called 'bal'; did you mean 'ball'? The choices are: ball"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        r.Held("bal").values(made(world, world.home().q))


def test_a_nan_is_no_success(flyer):
    q = np.tile(flyer.home().q, (2, 1))
    q[1] = np.nan
    span = made(flyer, q, v=q[:, 1:] * 0, torque=[[0.0], [np.nan]])
    for requirement in (
        r.Upright(),
        r.Tilt("pitch"),
        r.TorqueSpeed(1.0),
        r.JointRange(-1, 1),
        r.Workspace((-9,) * 3, (9,) * 3),
    ):
        values = requirement.values(span)
        assert values[0] >= 0.0
        assert not values[1] >= 0.0


def test_feet_need_not_be_called_as_their_geoms():
    robot = small.scene(small.FLYER, joints=("hip",), base="trunk", feet=(Foot("paw", "leg", ("leg", "sole")),))
    span = made(robot, robot.home().q, contacts=[(0, "leg", "ground", 0.0, 1.0, UP)])
    assert r.NoBodyContact().values(span).tolist() == [1.0]
    assert r.FeetBeyond((0.0, 0.0)).values(span) == pytest.approx([1.0])  # its first geom, 0.1 m ahead
