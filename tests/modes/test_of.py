import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.modes.of import of
from tests.contact.scenes import ball, block, changed, compiled, four_bar, inertia_and_bias, random_state

PLANE = '<geom name="ground" type="plane" size="5 5 1" friction="1.3 0.005 0.0001"/>'
PLANAR = '<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/><joint name="turn" {}/>'
PITCH = PLANAR.format('axis="0 1 0"')
LINK = '<geom type="capsule" size="0.01" fromto="0 0 0 {} 0 0" contype="0" conaffinity="0" mass="1"/>'

# Two links with round ends and elbow, all three on the ground.
TWO_LINK = (
    f'{PLANE}<body name="first" pos="0 0 0.02">{PITCH}{LINK.format(0.3)}'
    '<geom name="p3" type="sphere" size="0.02" mass="0.1"/>'
    '<geom name="p2" type="sphere" size="0.02" pos="0.3 0 0" mass="0.1"/>'
    f'<body name="second" pos="0.3 0 0"><joint name="elbow" axis="0 1 0" armature="0.01"/>{LINK.format(0.4)}'
    '<geom name="p1" type="sphere" size="0.02" pos="0.4 0 0" mass="0.1"/></body></body>'
)


def two_link():
    return compiled(TWO_LINK, joints=("elbow",))


def disc(world, joints=PITCH, at="0 0 0.5"):
    return compiled(f'{world}<body name="disc" pos="{at}">{joints}<geom type="sphere" size="0.5" mass="1"/></body>')


def tangents(system):
    """(k, 2) tangent rows on the two translations."""
    return system.jacobian[1::2, :2].round(9).tolist()


# Dynamics


def test_without_contact_forces_it_accelerates_as_mujoco_says(links):
    rng = np.random.default_rng(3)
    scene = changed(links, lambda spec: [setattr(j, "armature", 0.02) for j in spec.joints if j.name])
    state = random_state(scene, rng)
    system = of(scene, state)
    torque = rng.normal(size=system.torques)
    model, data = scene.model, mujoco.MjData(scene.model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    state.to_mujoco(data)
    data.qfrc_applied[scene.dofs] = torque
    mujoco.mj_forward(model, data)
    no_force = np.zeros(len(system.jacobian))
    assert system.acceleration(no_force, torque) == pytest.approx(data.qacc, rel=1e-9, abs=1e-9)


def test_inertia_and_bias_are_mujocos_with_springs_and_damping():
    scene = compiled(
        '<body name="arm"><joint name="a" axis="0 1 0" damping="0.3" stiffness="2" springref="20" armature="0.1"/>'
        '<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0.1 0.2"/></body>',
        joints=("a",),
    )
    state = scene.state(q=[0.4], v=[2.0])
    M, bias = inertia_and_bias(scene, state)
    system = of(scene, state)
    assert np.array_equal(system.inertia, M)
    assert system.bias == pytest.approx(bias, rel=1e-12)
    assert system.contacts == 0


def test_the_quadruped_at_home_has_four_spatial_contacts(links):
    system = of(links, links.home())
    assert system.names == tuple(f"{foot.name} on ground" for foot in links.feet)
    assert (system.contacts, system.dimension, system.edges) == (4, 3, 8)
    assert system.torque_names == links.joints
    assert system.coordinates[:6] == tuple(
        f"{links.base} {axis}" for axis in ("x", "y", "z", "turn x", "turn y", "turn z")
    )
    assert system.coordinates[6:] == links.joints
    assert np.array_equal(system.inputs, np.eye(links.nv)[:, links.dofs])
    assert not system.jacobian_rate.any()
    assert not system.velocity.any()
    normal, along = system.jacobian[::3], system.jacobian[1::3]
    assert normal[:, :3] == pytest.approx(np.tile([0, 0, 1], (4, 1)), abs=1e-12)
    assert along[:, :3] == pytest.approx(np.tile([1, 0, 0], (4, 1)), abs=1e-12)


def test_rates_and_velocities_belong_to_the_rows(links):
    state = links.home().replace(v=np.random.default_rng(1).normal(size=links.nv))
    system = of(links, state, edges=4)
    later = links.state(q=state.q, v=state.v)
    q = later.q.copy()
    mujoco.mj_integratePos(links.model, q, state.v, 1e-7)
    # Seen as contacts that are planned, feet may have left the ground by a hair.
    moved = of(links, later.replace(q=q), contacts=[foot.name for foot in links.feet])
    change = (moved.contact_velocity - system.contact_velocity) / 1e-7
    assert change[:, 0] == pytest.approx(system.jacobian_rate[::3], rel=1e-3, abs=1e-3)
    slip = np.linalg.norm(system.contact_velocity[:, 1:], axis=1)
    assert system.contact_velocity[:, 1] == pytest.approx(slip)  # the first tangent goes with the slip


def test_at_rest_its_solution_is_a_step_of_the_simulator(links):
    torque = np.random.default_rng(4).normal(size=12)
    for scene, tau in ((links, torque), (block(), np.zeros(0)), (ball(), np.zeros(0))):
        answer = sf.forward_dynamics(scene, scene.home(), tau, dt=1e-3, law=sf.Coulomb(edges=4))
        solutions = of(scene, scene.home(), edges=4).response().solutions(tau)
        assert len(solutions) == 1
        assert solutions[0].acceleration == pytest.approx(answer.acceleration, rel=1e-7, abs=1e-7)
        if solutions.kind == "one":
            assert solutions[0].force == pytest.approx(answer.forces.ravel(), rel=1e-7, abs=1e-7)


def test_a_ball_that_rolls_goes_on_rolling():
    """The centripetal acceleration of a point of the ball would lift it off the ground."""
    scene = ball(radius=0.1)
    (solution,) = of(scene, scene.state(v=[0.3, 0, 0, 0, 3.0, 0])).response().solutions()
    assert (solution.mode, solution.force[0]) == ("F", pytest.approx(9.81))
    assert solution.acceleration == pytest.approx(np.zeros(6), abs=1e-8)


# Friction


@pytest.mark.parametrize(("given", "seen"), [(None, 0.5), (0.2, 0.2), (0, 0.0), (np.inf, np.inf)])
def test_friction_is_the_scenes_or_the_callers(given, seen):
    scene = block(mu=0.5)
    assert of(scene, scene.home(), friction=given).friction.tolist() == [seen] * 4


# Which contacts


def test_a_contact_is_closed_up_to_touch():
    scene = ball(above=1e-5)
    assert of(scene, scene.home()).contacts == 0
    assert of(scene, scene.home(), touch=1e-4).contacts == 1


def test_planned_feet_are_the_contacts_even_if_more_touch(links):
    system = of(links, links.home(), contacts=["LF_FOOT", "RH_FOOT"])
    assert system.names == ("LF_FOOT on ground", "RH_FOOT on ground")


def test_given_contacts_are_taken_as_they_are(links):
    state = links.home().replace(v=np.full(links.nv, 0.1))
    given = sf.Contacts.from_points(links, state, [[0.1, 0, 0], [0, 0, 1]], [links.base] * 2, mu=0.3, gaps=[0.0, 0.1])
    system = of(links, state, contacts=given)
    assert system.contacts == 1
    assert system.friction.tolist() == [0.3]
    assert np.array_equal(system.jacobian, given.J[0])


# Planar systems


def test_a_two_link_robot_in_the_plane_has_the_paper_s_jacobian():
    scene = two_link()
    system = of(scene, scene.home())
    assert (system.dimension, system.contacts, system.edges) == (2, 3, None)
    assert system.names == ("p3 on ground", "p2 on ground", "p1 on ground")
    # Rows normal, tangent; columns x, z, turn about y, elbow. A turn moves x by 0.02 (from the axis to the ground).
    expected = [
        [0, 1, 0, 0],
        [1, 0, -0.02, 0],
        [0, 1, -0.3, 0],
        [1, 0, -0.02, 0],
        [0, 1, -0.7, -0.4],
        [1, 0, -0.02, -0.02],
    ]
    assert system.jacobian == pytest.approx(np.array(expected), abs=1e-12)
    assert system.inputs.ravel().tolist() == [0, 0, 0, 1]
    assert system.torque_names == ("elbow",)


def test_right_is_right_on_the_floor_left_on_the_ceiling_and_round_the_walls():
    room = (
        '<geom name="floor" type="plane" size="5 5 1"/>'
        '<geom name="ceiling" type="plane" size="5 5 1" pos="0 0 1" zaxis="0 0 -1"/>'
        '<geom name="left" type="plane" size="5 5 1" pos="-0.5 0 0" zaxis="1 0 0"/>'
        '<geom name="right" type="plane" size="5 5 1" pos="0.5 0 0" zaxis="-1 0 0"/>'
    )
    scene = disc(room)
    system = of(scene, scene.home())
    assert [name.split()[-1] for name in system.names] == ["floor", "ceiling", "left", "right"]
    assert system.jacobian[0::2, :2].round(9).tolist() == [[0, 1], [0, -1], [1, 0], [-1, 0]]
    assert tangents(system) == [[1, 0], [-1, 0], [0, -1], [0, 1]]


@pytest.mark.parametrize(
    ("axes", "wall"),
    [("0 1 0|0 0 1|1 0 0", "0 0 1"), ("1 0 0|0 1 0|0 0 1", "0 1 0"), ("0.8 0.6 0|0 0 1|-0.6 0.8 0", "0 0 1")],
)
def test_in_other_planes_right_is_along_the_first_axis_of_the_world_that_they_hold(axes, wall):
    first, second, turn = axes.split("|")
    joints = (
        f'<joint type="slide" axis="{first}"/><joint type="slide" axis="{second}"/><joint type="hinge" axis="{turn}"/>'
    )
    at = " ".join(str(0.5 * float(c)) for c in wall.split())
    system_of = disc(f'<geom name="floor" type="plane" size="5 5 1" zaxis="{wall}"/>', joints, at)
    system = of(system_of, system_of.home())
    assert system.dimension == 2
    assert system.jacobian[0, :2].round(9).tolist() == [0, 1]
    assert tangents(system) == [[1, 0]]


def test_points_that_differ_across_the_plane_are_one_contact():
    scene = compiled(
        f'{PLANE}<body name="box" pos="0 0 0.1">{PITCH}<geom type="box" size="0.2 0.3 0.1" mass="1"/></body>'
    )
    system = of(scene, scene.home())
    assert (system.dimension, system.contacts) == (2, 2)
    assert sorted(system.jacobian[::2, 2].round(9).tolist()) == [-0.2, 0.2]
    assert system.friction.tolist() == [1.3, 1.3]


def test_a_planar_robot_that_moves_stays_planar():
    scene = two_link()
    system = of(scene, scene.state(v=[0.3, 0.0, 2.0, -1.0]))
    assert system.dimension == 2
    # p3 rolls about its own centre; p2, p1 go round it: -w^2 r along x, contact points have no part in it.
    normal, along = system.jacobian_rate[::2], system.jacobian_rate[1::2]
    assert normal == pytest.approx([0, 0, 0], abs=1e-9)
    assert along == pytest.approx([0, -4 * 0.3, -4 * 0.3 - 1 * 0.4], abs=1e-8)


def test_a_block_that_moves_up_and_down_only_is_planar_too():
    scene = compiled(
        f'{PLANE}<body name="box" pos="0 0 0.1"><joint type="slide" axis="0 0 1"/><geom type="box" size="0.2 0.3 0.1"/>'
        "</body>"
    )
    system = of(scene, scene.home())
    assert system.jacobian.tolist() == [[1], [0]]


def test_a_leg_that_turns_about_the_vertical_and_leaves_its_plane_is_spatial():
    arm = f'{PLANE}<body name="arm"><joint axis="0 0 1"/><geom type="sphere" size="0.1" pos="0.5 0 0.1"/></body>'
    scene = compiled(arm)
    assert of(scene, scene.home()).dimension == 2
    assert of(scene, scene.state(v=[1.0])).dimension == 3


# Joint limits


def limited(q, **joint):
    text = " ".join(f'{k}="{v}"' for k, v in joint.items())
    scene = compiled(
        f'<body name="arm"><joint name="a" axis="0 1 0" range="-30 30" limited="true" {text}/>'
        '<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/></body>',
        joints=("a",),
    )
    return scene, scene.state(q=[np.radians(q)])


@pytest.mark.parametrize(("q", "row"), [(-30, 1.0), (30, -1.0), (31, -1.0)])
def test_a_joint_at_its_limit_is_a_contact_without_friction(q, row):
    scene, state = limited(q)
    system = of(scene, state, friction=0.8)
    assert system.names == ("limit of a",)
    assert system.jacobian.tolist() == [[row], [0]]
    assert system.friction.tolist() == [0]


def test_a_joint_off_its_limit_is_none():
    scene, state = limited(29.9)
    assert of(scene, state).contacts == 0


def test_limits_come_after_contacts_and_with_as_many_rows(links):
    joint = links.joints[2]
    place = links.joint_positions[2]
    low = links.home().q[place]
    scene = changed(
        links,
        lambda spec: [
            setattr(j, "range", [low, low + 1]) or setattr(j, "limited", 1) for j in spec.joints if j.name == joint
        ],
    )
    system = of(scene, scene.home())
    assert system.names[4:] == (f"limit of {joint}",)
    assert system.jacobian.shape == (15, links.nv)
    assert np.array_equal(np.flatnonzero(system.jacobian[12]), [links.dofs[2]])
    assert not system.jacobian[13:].any()


# Motors


def test_motors_can_be_left_out_and_limited(links):
    chosen = [links.joints[4], links.joints[1]]
    system = of(
        links, links.home(), actuated=chosen, torque_limits={links.joints[1]: 3.0, links.joints[4]: (-1.0, 2.0)}
    )
    assert system.torque_names == tuple(chosen)
    assert np.array_equal(system.inputs, np.eye(links.nv)[:, links.dofs[[4, 1]]])
    assert system.torque_limits.tolist() == [[-1, 2], [-3, 3]]
    assert of(links, links.home(), actuated=[]).torques == 0
    assert of(links, links.home(), torque_limits=7).torque_limits.tolist() == [[-7, 7]] * 12


# What is refused


def refused(text, *args, **kwargs):
    with pytest.raises(InputError) as error:
        of(*args, **kwargs)
    assert str(error.value) == text


ONLY = (
    "robot: expected contacts and joint limits only; a ContactSystem cannot hold loops, coupled joints, dry joint "
    "friction or limits of tendons, got "
)


def test_loops_are_refused_by_name():
    scene = four_bar()
    refused(ONLY + "loop of coupler and rocker", scene, scene.home())


def test_dry_friction_is_refused_by_name():
    scene, state = limited(0, frictionloss="0.1")
    refused(ONLY + "dry friction of a; dry_friction=False leaves that out", scene, state)
    assert np.array_equal(of(scene, state, dry_friction=False).bias, of(*limited(0)).bias)
    refused("dry_friction: expected True or False, got 0", scene, state, dry_friction=0)


def test_a_tendon_at_its_limit_is_refused_by_name():
    scene = compiled(
        '<body name="arm"><joint name="a" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 1 0 0"/></body>',
        '<tendon><fixed name="cord" limited="true" range="0 1"><joint joint="a" coef="1"/></fixed></tendon>',
        joints=("a",),
    )
    refused(ONLY + "limit of tendon cord", scene, scene.home())
    assert of(scene, scene.state(q=[0.5])).contacts == 0


def test_arguments_are_refused_with_a_sentence(links):
    home = links.home()
    refused("robot: expected a robot or scene (see sf.load), got str", "links", home)
    refused("state: expected a State (see robot.home()), got ndarray", links, home.q)
    refused("friction: expected a friction coefficient of at least 0 (inf allowed), got -1", links, home, friction=-1)
    refused("touch: expected a number of at least 1e-12, got 0", links, home, touch=0)
    refused("edges: expected one of 4, 8, 16, got 5", links, home, edges=5)
    refused("actuated: expected a list of joint names, got 'LF_X1'", links, home, actuated="LF_X1")
    refused("actuated: expected every joint once, got 'LF_X1' twice", links, home, actuated=["LF_X1", "LF_X1"])
    refused("contacts: expected a list of foot names, got the string 'LF'", links, home, contacts="LF")
    refused("state.q: expected shape (19,), got (1,)", links, sf.State([0.0], np.zeros(18)))
    choices = f"; The choices are: {', '.join(links.joints)}"
    refused(f"actuated: no actuated joint is called 'knee'{choices}", links, home, actuated=["knee"])


@pytest.mark.real
def test_real_robots_stand_on_their_feet():
    a1 = sf.load("example:a1")
    assert of(a1, a1.home()).names == tuple(f"{foot.name} on ground" for foot in a1.feet)
    go1 = sf.load("example:go1")
    with pytest.raises(InputError, match=r"dry friction of .*; dry_friction=False leaves that out$"):
        of(go1, go1.home())
    assert of(go1, go1.home(), dry_friction=False).contacts == 4
