"""The space of dynamics: its dimension, its points, what it says in words; Pinocchio and plain SVDs as oracles."""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError
from surefoot.whole_body import dynamics_space
from tests.contact.scenes import block, changed, compiled, four_bar
from tests.whole_body.standing import FEET, STANCES, biped, equations, space_on

ROBOT = sf.load("links")


def random_point(space, seed=0, size=10.0):
    return space.at(size * np.random.default_rng(seed).normal(size=space.dimension))


# Dimensions and ranks: [Ratliff2014] section 2.2.


@pytest.mark.parametrize("feet", STANCES, ids=len)
def test_the_dimension_is_the_number_of_motors_if_contacts_are_independent(links, feet):
    space = space_on(links, feet)
    assert (space.dimension, space.rank) == (12, 18 + 3 * len(feet))
    assert space.basis.acceleration.shape == (18, 12)
    assert space.basis.torque.shape == (12, 12)
    assert space.basis.force.shape == (3 * len(feet), 12)
    assert np.linalg.matrix_rank(equations(space)[0]) == space.rank
    assert space.force_of_torque().free.shape[1] == 0
    assert space.is_consistent


@pytest.mark.parametrize(("feet", "moved"), [*zip(STANCES, (12, 11, 9, 6), strict=True)])
def test_how_many_accelerations_torques_can_choose(links, feet, moved):
    space = space_on(links, feet)
    # 18 velocities, less what contacts hold, less what neither motor nor ground moves: 3, 1, 0 and 0 turns.
    assert space.acceleration_of_torque().rank == moved
    assert np.linalg.matrix_rank(space.basis.acceleration, tol=1e-9) == moved
    assert space.force_of_torque().rank == 3 * len(feet)


def test_flat_feet_hold_themselves():
    robot = biped()
    space = dynamics_space(robot, robot.home())
    assert len(space.contacts) == 8
    # A flat foot takes six forces and moments out of twelve; and no joint of either leg turns about the vertical.
    assert space.force_of_torque().free.shape[1] == 24 - np.linalg.matrix_rank(space.jacobian, tol=1e-9) == 13
    assert space.dimension == 10 + 13
    assert np.linalg.matrix_rank(equations(space)[0], tol=1e-9) == space.rank == 16 + 11
    assert space.notes == (
        "the 4 points of LEFT_FOOT hold each other: 6 of 12 force directions are internal",
        "the 4 points of RIGHT_FOOT hold each other: 6 of 12 force directions are internal",
        "LEFT_FOOT and RIGHT_FOOT hold each other where no joint gives way: 1 further force direction is open",
        "joints move LEFT_FOOT in 5 of 6 ways in this posture: 1 of its force directions costs no torque",
        "joints move RIGHT_FOOT in 5 of 6 ways in this posture: 1 of its force directions costs no torque",
    )


def test_a_box_without_motors():
    scene = block()
    space = dynamics_space(scene, scene.home())
    assert (space.dimension, space.rank) == (6, 6 + 6)
    assert space.basis.torque.shape == (0, 6)
    assert space.particular.acceleration == pytest.approx(np.zeros(6), abs=1e-12)
    assert float(space.contains(*random_point(space))) < 1e-12


def test_a_bolted_arm_has_as_many_dimensions_as_motors():
    arm = sf.load("arm")
    space = dynamics_space(arm, arm.home(), [])
    assert space.dimension == len(arm.joints) == space.acceleration_of_torque().rank
    assert space.notes == ()


# Points of the space


@pytest.mark.parametrize("feet", [(), *STANCES], ids=len)
def test_every_point_satisfies_dynamics_and_contact(links, feet):
    rng = np.random.default_rng(1)
    space = space_on(links, feet, v=rng.normal(size=18))
    B, right = equations(space)
    for seed in range(5):
        point = random_point(space, seed)
        assert np.abs(B @ point.stack() - right).max() <= 1e-10 * np.abs(B).max() * np.abs(point.stack()).max()
        found = space.contains(*point)
        assert found
        assert float(found) < 1e-11


@pytest.mark.parametrize("feet", [(), *STANCES], ids=len)
def test_the_particular_solution_and_the_basis_are_those_of_the_singular_values(links, feet):
    space = space_on(links, feet, v=np.random.default_rng(2).normal(size=18))
    B, right = equations(space)
    assert space.particular.stack() == pytest.approx(np.linalg.pinv(B) @ right, rel=1e-8, abs=1e-9)
    V = space.basis.stack()
    assert np.abs(V.T @ V - np.eye(space.dimension)).max() < 1e-12
    null = np.linalg.svd(B)[2][space.rank :].T
    assert null @ (null.T @ V) == pytest.approx(V, abs=1e-10)


def test_what_does_not_go_together_is_told_apart(links):
    space = space_on(links, FEET)
    a, tau, force = random_point(space)
    off = space.contains(a, tau + 1e-3, force.reshape(-1, 3))
    assert not off
    assert off.dynamics[links.dofs] == pytest.approx(np.full(12, -1e-3), rel=1e-6)
    off = space.contains(a + np.eye(18)[2], tau, force)
    assert off.contact[::3] == pytest.approx(np.ones(4), rel=1e-9)


def test_canonical_coordinates_come_back(links):
    space = space_on(links, FEET)
    beta = np.random.default_rng(3).normal(size=12)
    assert space.nearest(*space.at(beta)) == pytest.approx(beta, abs=1e-10)


@pytest.mark.parametrize("feet", STANCES, ids=len)
def test_forces_and_accelerations_follow_from_torques(links, feet):
    space = space_on(links, feet, v=0.3 * np.random.default_rng(4).normal(size=18))
    tau = 5 * np.random.default_rng(5).normal(size=12)
    force, a = space.force_of_torque()(tau), space.acceleration_of_torque()(tau)
    assert space.contains(a, tau, force)
    # [Ratliff2014] (9) as it is written
    inverse, J = np.linalg.inv(space.inertia), space.jacobian
    S = np.eye(18)[:, links.dofs]
    written = np.linalg.solve(J @ inverse @ J.T, space.rate + J @ inverse @ (space.bias - S @ tau))
    assert force == pytest.approx(written, rel=1e-8, abs=1e-8)


def test_open_forces_change_nothing_else():
    robot = biped()
    space = dynamics_space(robot, robot.home())
    zeta, rng = space.force_of_torque(), np.random.default_rng(6)
    tau, z = rng.normal(size=10), 30 * rng.normal(size=13)
    least, other = zeta(tau), zeta(tau, z)
    a = space.acceleration_of_torque()(tau)
    assert space.contains(a, tau, least)
    assert space.contains(a, tau, other)
    assert np.linalg.norm(least) < np.linalg.norm(other)
    assert zeta.free.T @ least == pytest.approx(np.zeros(13), abs=1e-9)


@given(st.integers(0, 10**6), st.sampled_from(STANCES), st.floats(0.0, 3.0))
def test_any_velocity_any_stance(seed, feet, speed):
    rng = np.random.default_rng(seed)
    space = space_on(ROBOT, feet, v=speed * rng.normal(size=18))
    assert space.dimension == 12
    assert float(space.contains(*random_point(space, seed))) < 1e-9


@pytest.mark.parametrize("factor", [1e-9, 1e-6, 1e6, 1e9])
def test_masses_of_any_size(links, factor):
    def explicit(spec):
        for i, body in enumerate(spec.bodies):
            if i:
                body.explicitinertial = True
                body.mass, body.ipos = links.model.body_mass[i] * factor, links.model.body_ipos[i]
                body.iquat, body.inertia = links.model.body_iquat[i], links.model.body_inertia[i] * factor

    robot = changed(links, explicit)
    assert robot.mass == pytest.approx(factor * links.mass)
    space = dynamics_space(robot, robot.home())
    assert (space.dimension, space.rank, space.notes) == (12, 30, ())
    assert space.acceleration_of_torque().rank == 6
    tau = factor * np.random.default_rng(0).normal(size=12)
    assert space.contains(space.acceleration_of_torque()(tau), tau, space.force_of_torque()(tau))


# Pinocchio


def test_pinocchio_agrees(links):
    pin = pytest.importorskip("pinocchio", reason="the oracle of this test is Pinocchio (extra `test`)")
    from tests.motion.test_pinocchio_oracle import rebuilt, turn

    model, rng = rebuilt(links.model), np.random.default_rng(7)
    space = space_on(links, FEET[:3], v=rng.normal(size=18))
    tau = 3 * rng.normal(size=12)
    a, force = space.acceleration_of_torque()(tau), space.force_of_torque()(tau)
    q_pin, v_pin = links.to_pinocchio(space.state.q, space.state.v, pin_model=model)
    T = turn(links, model, space.state.q)
    convective = np.zeros(18)
    convective[:3] = T[:3, :3] @ np.cross(v_pin[3:6], v_pin[:3])
    a_pin = np.linalg.solve(T, a - convective)
    needed = np.linalg.solve(T.T, pin.rnea(model, model.createData(), q_pin, v_pin, a_pin))
    assert needed == pytest.approx(np.eye(18)[:, links.dofs] @ tau + space.jacobian.T @ force, rel=1e-8, abs=1e-8)


# Words


def test_no_contact_in_words(links):
    space = space_on(links, [])
    assert space.dimension == 12
    assert space.force_of_torque()(np.zeros(12)).shape == (0,)
    assert space.notes == (
        "no contact: torques change the shape; the centre of mass falls, and angular momentum stays as it is",
    )


def test_one_and_two_feet_in_words(links):
    assert space_on(links, FEET[:1]).notes == (
        "LF_FOOT alone touches: the ground turns the robot about no axis through that point",
    )
    assert space_on(links, (FEET[0], FEET[3])).notes == (
        "the ground cannot turn the robot about the line through LF_FOOT and RH_FOOT, (0.922, 0.386, 0)",
    )
    assert space_on(links, FEET[:3]).notes == ()


def test_straight_legs_in_words(links):
    robot = biped(bend=0.0)
    space = dynamics_space(robot, robot.home())
    assert (
        "joints move LEFT_FOOT in 4 of 6 ways in this posture: 2 of its force directions cost no torque" in space.notes
    )
    assert float(space.contains(*random_point(space))) < 1e-10
    # A leg of the quadruped, straight down.
    q = links.home().q.copy()
    q[7:10] = 0.0, np.pi / 2, 0.0
    at = mujoco.MjData(links.model)
    at.qpos[:] = q
    mujoco.mj_kinematics(links.model, at)
    foot = at.geom(links.feet[0].geoms[0]).xpos - [0, 0, 0.01]
    state = links.state(q)
    space = dynamics_space(links, state, sf.Contacts.from_points(links, state, [foot], [links.feet[0].body]))
    assert [note for note in space.notes if note.startswith("no joint moves")] == [
        "no joint moves LF_SHANK on world along (0, 0, 1) in this posture: its force along it costs no torque"
    ]


def test_a_joint_that_contacts_hold_in_words():
    scene = compiled(
        '<geom name="ground" type="plane" size="5 5 1"/><body name="arm" pos="0 0 0.3"><joint name="a" axis="0 1 0"/>'
        '<geom name="tip" type="sphere" size="0.05" pos="0.1 0 -0.25" mass="1"/></body>',
        joints=("a",),
    )
    space = dynamics_space(scene, scene.home())
    assert space.acceleration_of_torque().rank == 0
    assert "joint a cannot move: tip on ground holds it" in space.notes
    assert space.particular.acceleration == pytest.approx([0.0], abs=1e-12)
    assert space.dimension == 1 + 3 - 1


def test_contacts_that_contradict_each_other_are_told():
    scene = block()
    turning = scene.state(v=[0, 0, 0, 0, 0, 5.0])
    space = dynamics_space(scene, turning)
    # Corners of a spinning box want to stay and cannot: each is drawn to the middle with 25 / s^2 times 0.14 m.
    assert not space.is_consistent
    assert np.linalg.norm(space.inconsistent.reshape(-1, 3), axis=1) == pytest.approx(np.full(4, 3.536), rel=1e-3)
    assert space.notes[0].startswith("box on ground cannot stay in contact together at this velocity: what is nearest ")
    assert float(space.contains(*random_point(space))) < 1e-9


def test_the_table(links):
    assert space_on(links, (FEET[0], FEET[3])).table() == (
        "links on LF_FOOT and RH_FOOT: 12 numbers to choose\n"
        "                  size  free\n"
        "  acceleration      18    11   the rest follows from contact and from where there is no motor\n"
        "  torque            12    12   1 press contacts together and move nothing\n"
        "  force              6     6   0 no torque decides\n"
        "  equations 24, of rank 24\n"
        "  - the ground cannot turn the robot about the line through LF_FOOT and RH_FOOT, (0.922, 0.386, 0)"
    )


# Bad input


def test_bad_input(links):
    with pytest.raises(InputError, match=r"robot: expected a robot or scene \(see sf.load\), got str"):
        dynamics_space("links", links.home())
    with pytest.raises(InputError, match=r"state: expected a State \(see robot.home\(\)\), got int"):
        dynamics_space(links, 3)
    with pytest.raises(InputError, match=r"State.v: expected finite numbers, got nan at index 0"):
        dynamics_space(links, links.state().replace(v=np.full(18, np.nan)))
    with pytest.raises(InputError, match=r"state.v: expected shape \(18,\), got \(3,\)"):
        dynamics_space(links, links.home().replace(v=np.zeros(3)))
    with pytest.raises(InputError, match="contacts: no foot is called 'LEG'"):
        dynamics_space(links, links.home(), ["LEG"])
    with pytest.raises(InputError, match="touch: expected a number of at least 1e-12, got -1"):
        dynamics_space(links, links.home(), touch=-1)
    space = space_on(links, FEET)
    with pytest.raises(InputError, match=r"beta: expected shape \(12,\), got \(3,\)"):
        space.at(np.zeros(3))
    with pytest.raises(InputError, match=r"force: expected shape \(12,\), got \(4,\)"):
        space.contains(np.zeros(18), np.zeros(12), np.zeros(4))
    with pytest.raises(InputError, match=r"x: expected shape \(12,\), got \(2,\)"):
        space.force_of_torque()([1, 2])


def test_loops_are_refused():
    scene = four_bar()
    with pytest.raises(InputError, match="robot: expected joints and contacts only, without loops or coupled joints, "):
        dynamics_space(scene, scene.home())


@pytest.mark.real
@pytest.mark.parametrize(("name", "dimension"), [("solo12", 12), ("a1", 12)])
def test_real_quadrupeds(name, dimension):
    robot = sf.load(f"example:{name}", meshes="spheres")
    space = dynamics_space(robot, robot.home())
    assert len(space.contacts) == 4
    assert (space.dimension, space.rank) == (dimension, 18 + 12)
    assert space.contains(*random_point(space))
