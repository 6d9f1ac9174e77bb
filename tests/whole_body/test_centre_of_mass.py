"""Forces on the centre of mass through the feet: Pinocchio's and MuJoCo's momenta, Clarabel's optima."""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError, SolveError
from surefoot.whole_body import centre_of_mass, centre_of_mass_forces, dynamics_space, grasp_map
from surefoot.whole_body.pyramids import cone_rows
from tests.contact.scenes import changed
from tests.whole_body.oracle import minimum
from tests.whole_body.standing import FEET, STANCES, biped, space_on

LINKS, BIPED = sf.load("links"), biped()
QUADRUPED = space_on(LINKS, FEET)
WEIGHT = LINKS.mass * 9.81


def grasp(space):
    return grasp_map(space.robot, space.state, space.contacts).matrix


# Grasp maps


def test_the_centre_of_mass_is_mujocos(links):
    data = mujoco.MjData(links.model)
    links.home().to_mujoco(data)
    mujoco.mj_forward(links.model, data)
    assert centre_of_mass(links, links.home()) == pytest.approx(data.subtree_com[0], abs=1e-12)


@pytest.mark.parametrize("feet", STANCES, ids=len)
def test_grasp_maps_written_out(links, feet):
    space = space_on(links, feet, v=np.random.default_rng(0).normal(size=18))
    found = grasp_map(links, space.state, space.contacts)
    force = np.random.default_rng(1).normal(size=(len(feet), 3))
    world = [frame.T @ f for frame, f in zip(space.contacts.frames, force, strict=True)]
    moments = [np.cross(p - found.centre, f) for p, f in zip(space.contacts.points, world, strict=True)]
    assert found.force @ force.ravel() == pytest.approx(sum(world))
    assert found.moment @ force.ravel() == pytest.approx(sum(moments))


def test_momentum_changes_by_these_forces_and_gravity(links):
    pin = pytest.importorskip("pinocchio", reason="the oracle of this test is Pinocchio (extra `test`)")
    from tests.motion.test_pinocchio_oracle import rebuilt, turn

    model, rng = rebuilt(links.model), np.random.default_rng(2)
    space = space_on(links, FEET[:2], v=rng.normal(size=18))
    tau = rng.normal(size=12)
    a, lam = space.acceleration_of_torque()(tau), space.force_of_torque()(tau)
    q, v = links.to_pinocchio(space.state.q, space.state.v, pin_model=model)
    T, convective = turn(links, model, space.state.q), np.zeros(18)
    convective[:3] = T[:3, :3] @ np.cross(v[3:6], v[:3])
    data = model.createData()
    pin.computeCentroidalMomentumTimeVariation(model, data, q, v, np.linalg.solve(T, a - convective))
    wrench = grasp(space) @ lam + np.r_[0, 0, -WEIGHT, 0, 0, 0]
    assert np.array(data.dhg) == pytest.approx(wrench, rel=1e-8, abs=1e-8)


def test_what_a_robot_does_to_itself_adds_up_to_nothing(links):
    state = links.home()
    own = sf.Contacts.from_points(
        links, state, [[0, 0, 0.1]], [links.feet[0].body], against=[links.feet[1].body], normals=[[0, 1, 0]]
    )
    assert not grasp_map(links, state, own).matrix.any()


# The wrench


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([FEET[:3], FEET]))
def test_what_can_be_reached_is_reached(seed, cones, feet):
    rng = np.random.default_rng(seed)
    space = space_on(LINKS, feet)
    heavy = space.robot.mass * 9.81
    wanted = np.r_[0, 0, heavy, 0, 0, 0] + heavy * rng.normal(size=6) * ([1, 1, 1, 0.2, 0.2, 0.2])
    if cones:  # forces within the cones, so the sum is within reach
        push = heavy * rng.uniform(0.05, 1.0, size=len(space.contacts))
        slide = rng.uniform(-0.6, 0.6, size=(2, len(space.contacts))) * space.contacts.mu * push / 2
        wanted = grasp(space) @ np.stack([push, *slide], axis=1).ravel()
    found = centre_of_mass_forces(space, wanted[:3], wanted[3:], cones=cones)
    assert np.abs(found.missing).max() <= 1e-9 * max(heavy, np.abs(wanted).max())
    assert found.is_reached
    assert found.text() == "reached"
    assert space.contains(found.acceleration, found.torque, found.forces)
    if cones:
        assert (cone_rows(space.contacts.mu, 8) @ found.forces.ravel()).min() >= -1e-8 * heavy


@given(st.integers(0, 10**6))
def test_flat_feet_without_a_joint_that_yaws(seed):
    space, rng = dynamics_space(BIPED, BIPED.home()), np.random.default_rng(seed)
    zeta = space.force_of_torque()
    wanted = grasp(space) @ zeta(50 * rng.normal(size=10), 50 * rng.normal(size=13))
    assert centre_of_mass_forces(space, wanted[:3], wanted[3:]).is_reached
    found = centre_of_mass_forces(space, wanted[:3], wanted[3:] + np.eye(3)[2])
    assert not found.is_reached
    assert found.limits == ("in this posture torques choose 5 of 6 forces and moments",)


@pytest.mark.parametrize("feet", STANCES, ids=len)
def test_what_cannot_be_reached_is_approached(links, feet):
    space, rng = space_on(links, feet), np.random.default_rng(0)
    for _ in range(5):
        wanted = 30 * rng.normal(size=6)
        found = centre_of_mass_forces(space, wanted[:3], wanted[3:])
        G = grasp(space)
        nearest = G @ np.linalg.lstsq(G, wanted, rcond=1e-10)[0]
        assert found.reached == pytest.approx(nearest, abs=1e-9)


@given(st.integers(0, 10**6), st.sampled_from(STANCES), st.sampled_from([None, 1.5]))
def test_within_cones_the_nearest_is_clarabels(seed, feet, limit):
    space, rng = space_on(LINKS, feet), np.random.default_rng(seed)
    wanted = np.r_[0, 0, WEIGHT, 0, 0, 0] + WEIGHT * rng.normal(size=6) * [2, 2, 1, 0.3, 0.3, 0.3]
    zeta = space.force_of_torque()
    cone, G = cone_rows(np.full(len(feet), 0.6), 8), grasp(space)
    rows, most = -cone @ zeta.matrix, cone @ zeta.offset
    if limit is not None:
        rows, most = np.vstack([rows, np.eye(12), -np.eye(12)]), np.r_[most, np.full(24, limit)]
    A, y = G @ zeta.matrix, wanted - G @ zeta.offset
    x, _ = minimum(A.T @ A, -A.T @ y, rows=rows, most=most)
    options = {"cones": True, "mu": 0.6, "torque_limits": limit}
    if np.isnan(x).any():
        with pytest.raises(SolveError, match="no forces and torques are within the bounds: the contacts cannot stay"):
            centre_of_mass_forces(space, wanted[:3], wanted[3:], **options)
        return
    found = centre_of_mass_forces(space, wanted[:3], wanted[3:], **options)
    # Within the bounds nobody is nearer; Clarabel itself is good to a few millinewtons here.
    assert np.linalg.norm(found.missing) <= np.linalg.norm(A @ x - y) + 1e-7 * WEIGHT
    assert (cone @ found.forces.ravel()).min() >= -1e-7 * WEIGHT
    assert limit is None or np.abs(found.torque).max() <= limit * (1 + 1e-7)


def test_reactions_are_those_that_the_wishes_like_best():
    """Level two against Clarabel: of all forces with this sum and moment the best by (23)."""
    wanted = np.r_[3.0, -2.0, WEIGHT, 0.3, -0.2, 0.1]
    found = centre_of_mass_forces(QUADRUPED, wanted[:3], wanted[3:], tangential=2.0, normal=0.5, nominal=9.0)
    likes = np.tile([0.5, 2.0, 2.0], 4)
    load = np.tile([9.0, 0, 0], 4)
    x, _ = minimum(np.diag(likes), -likes * load, grasp(QUADRUPED), wanted)
    assert found.forces.ravel() == pytest.approx(x, abs=1e-6)


def test_one_foot_can_be_spared():
    found = centre_of_mass_forces(QUADRUPED, (0, 0, WEIGHT), nominal={"LF_FOOT": 2.0, "RF_FOOT": 15.0}, normal=1.0)
    even = centre_of_mass_forces(QUADRUPED, (0, 0, WEIGHT))
    assert found.forces[0, 0] < even.forces[0, 0] - 2.0
    assert even.forces[:, 0].sum() == pytest.approx(WEIGHT)


def test_torques_are_the_least_with_these_forces():
    space = dynamics_space(BIPED, BIPED.home())
    found = centre_of_mass_forces(space, (0, 0, BIPED.mass * 9.81))
    zeta = space.force_of_torque()
    tau, _ = minimum(np.eye(10), np.zeros(10), *_fixed(space, zeta, found.forces.ravel()))
    assert found.torque == pytest.approx(tau, abs=1e-6)


def _fixed(space, zeta, lam):
    """Rows that leave those torques free that do not change these forces."""
    rest = np.eye(len(lam)) - zeta.free @ zeta.free.T
    left, sizes, right = np.linalg.svd(rest @ zeta.matrix)
    r = int((sizes > 1e-9 * sizes[0]).sum())
    return sizes[:r, None] * right[:r], left[:, :r].T @ rest @ (lam - zeta.offset)


def test_to_stand_still_is_inverse_dynamics(links):
    answer = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=1e-3)
    found = centre_of_mass_forces(QUADRUPED, (0, 0, WEIGHT), cones=True)
    assert found.acceleration[:3] == pytest.approx(np.zeros(3), abs=1e-1)
    assert found.forces.sum(axis=0)[0] == pytest.approx(answer.ground_force[2])


def test_a_lever_weighs_newtons_against_newton_metres():
    space = space_on(LINKS, FEET[:1])
    near = [centre_of_mass_forces(space, (0, 0, WEIGHT), lever=lever).missing for lever in (0.01, 100.0)]
    assert np.linalg.norm(near[0][3:]) < np.linalg.norm(near[1][3:])
    assert np.linalg.norm(near[0][:3]) > np.linalg.norm(near[1][:3])


# Words


def test_what_is_missing_is_named():
    found = centre_of_mass_forces(QUADRUPED, (0, 0, -20.0), cones=True)
    assert found.text() == "missing -20 N of force z; " + "; ".join(
        f"{foot} on ground carries nothing" for foot in FEET
    )
    found = centre_of_mass_forces(QUADRUPED, (40.0, 0, WEIGHT), cones=True, mu=0.5)
    assert not found.is_reached
    assert "LH_FOOT on ground is at its friction limit" in found.limits
    assert found.text().startswith("missing ")
    weak = centre_of_mass_forces(QUADRUPED, (0, 0, 3 * WEIGHT), torque_limits={"LF_Y3": 0.5, "RF_Y3": 0.5})
    assert set(weak.limits) == {"LF_Y3 is at its torque limit", "RF_Y3 is at its torque limit"}
    none = centre_of_mass_forces(space_on(LINKS, []), (0, 0, WEIGHT), cones=True)
    assert none.text() == (
        f"missing {WEIGHT:.4g} N of force z; no contact: torques change the shape; the centre of mass falls, and "
        "angular momentum stays as it is"
    )
    assert none.forces.shape == (0, 3)


def test_the_table():
    assert (
        centre_of_mass_forces(QUADRUPED, (0, 0, -20.0), cones=True)
        .table()
        .startswith(
            "                wanted   reached   missing\n"
            "force x          0.000     0.000     0.000 N\n"
            "force y          0.000     0.000     0.000 N\n"
            "force z        -20.000     0.000   -20.000 N\n"
            "moment x         0.000     0.000     0.000 N m\n"
        )
    )


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_masses_of_any_size(links, factor):
    def explicit(spec):
        for i, body in enumerate(spec.bodies):
            if i:
                body.explicitinertial = True
                body.mass, body.ipos = links.model.body_mass[i] * factor, links.model.body_ipos[i]
                body.iquat, body.inertia = links.model.body_iquat[i], links.model.body_inertia[i] * factor

    robot = changed(links, explicit)
    space = dynamics_space(robot, robot.home())
    one = centre_of_mass_forces(QUADRUPED, (30, 5, WEIGHT), cones=True)
    other = centre_of_mass_forces(space, np.array([30, 5, WEIGHT]) * factor, cones=True)
    assert other.forces / factor == pytest.approx(one.forces, rel=1e-5, abs=1e-5)
    assert other.limits == one.limits


def test_bad_input(links):
    with pytest.raises(InputError, match=r"space: expected a DynamicsSpace \(see dynamics_space\), got Scene"):
        centre_of_mass_forces(links, (0, 0, 1))
    arm = sf.load("arm")
    with pytest.raises(
        InputError, match="space: expected a robot that floats; the bolts of arm carry what feet do not"
    ):
        centre_of_mass_forces(dynamics_space(arm, arm.home(), []), (0, 0, 1))
    with pytest.raises(InputError, match=r"force: expected shape \(3,\), got \(2,\)"):
        centre_of_mass_forces(QUADRUPED, (0, 1))
    with pytest.raises(InputError, match="moment: expected finite numbers, got nan at index 0"):
        centre_of_mass_forces(QUADRUPED, (0, 0, 1), (np.nan, 0, 0))
    with pytest.raises(InputError, match="nominal: no foot in contact is called 'X'"):
        centre_of_mass_forces(QUADRUPED, (0, 0, 1), nominal={"X": 3.0})
    with pytest.raises(InputError, match="tangential: expected numbers of at least 0, got -1"):
        centre_of_mass_forces(QUADRUPED, (0, 0, 1), tangential=[-1, 1, 1, 1])
    with pytest.raises(InputError, match="normal: expected a number of at least 0, got -1"):
        centre_of_mass_forces(QUADRUPED, (0, 0, 1), normal=-1)
    with pytest.raises(InputError, match="edges: expected an even number of at least 4, got 5"):
        centre_of_mass_forces(QUADRUPED, (0, 0, 1), cones=True, edges=5)
    with pytest.raises(InputError, match="lever: expected a number above 0, got 0"):
        centre_of_mass_forces(QUADRUPED, (0, 0, 1), lever=0)
