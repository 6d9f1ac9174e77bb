import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.modes.contact_rate import contact_rates
from tests.contact.scenes import ball, block, compiled, found, random_state

PLANE = '<geom name="ground" type="plane" size="5 5 1"/>'


def rates(scene, state, contacts=None):
    space = found(scene, state, contacts)
    return contact_rates(space.model, state, space.contacts() if not isinstance(contacts, sf.Contacts) else contacts)


def in_world(scene, state):
    """Rates as world vectors, and the contacts."""
    space = found(scene, state)
    contacts = space.contacts()
    return np.einsum("nr,nrk->nk", contact_rates(space.model, state, contacts), contacts.frames), contacts


def free(geom, height, world=PLANE):
    """One free body over the ground."""
    return compiled(f'{world}<body name="thing" pos="3 4 {height}"><freejoint/>{geom}</body>')


# Known answers


@pytest.mark.parametrize("v", [(0.3, -0.2, 0, 2, 3, 0.5), (30, 0, 0, 0, 300, 7), (1e-6, 0, 0, 0, 1e-5, 0)])
def test_the_lowest_point_of_a_rolling_ball_has_no_centripetal_acceleration(v):
    scene = ball()
    state = scene.state(v=v)
    assert np.abs(rates(scene, state)).max() <= 1e-9 * np.abs(v).max() ** 2


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (1.0, -2.0, 3.0)])
def test_a_ball_that_goes_round_a_ball_leaves_it_with_its_speed_squared_over_the_sum_of_radii(spin):
    scene = free('<geom type="sphere" size="0.1"/>', 0.1, '<geom type="sphere" size="0.5" pos="3 4 -0.5"/>')
    v = np.array([0.3, -0.2, 0.0])
    rate, contacts = in_world(scene, scene.state(v=[*v, *spin]))
    # n turns as the centres' line does, n' = v / 0.6; the slip v - 0.1 w x n changes by -0.1 w x n' alone.
    turning = v / 0.6
    assert contacts.frames[0, 0] @ rate[0] == pytest.approx(v @ turning, rel=1e-7)
    slip = -0.1 * np.cross(spin, turning)
    assert rate[0, :2] == pytest.approx(slip[:2], rel=1e-7, abs=1e-9)


def test_two_balls_that_both_move_feel_their_relative_motion():
    two = compiled(
        '<body name="a" pos="0 0 0"><freejoint/><geom type="sphere" size="0.5"/></body>'
        '<body name="b" pos="0.6 0 0.8"><freejoint/><geom type="sphere" size="0.5"/></body>'
    )
    v = np.array([1.0, 2.0, 3.0, 0, 0, 0, 0.5, 2.5, 4.0, 0, 0, 0])
    space = found(two, two.state(v=v))
    normal = space.contacts().frames[0, 0]
    apart = v[:3] - v[6:9]
    across = apart - normal * (normal @ apart)
    assert contact_rates(space.model, two.state(v=v), space.contacts())[0, 0] == pytest.approx(
        across @ across / 1.0, rel=1e-7
    )


def test_a_round_foot_on_a_swinging_leg_feels_the_turning_of_its_centre_only():
    leg = compiled(
        f'{PLANE}<body name="leg" pos="0 0 0.45"><joint name="hip" axis="0 1 0"/>'
        '<geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.3" contype="0" conaffinity="0"/>'
        '<geom type="sphere" size="0.05" pos="0.3 0 -0.4"/></body>'
    )
    # Centre (0.3, -0.4) from the hip, turned about y: velocity w (z, -x), acceleration -w^2 (x, z) at constant w.
    rate, _ = in_world(leg, leg.state(v=[2.0]))
    assert rate[0] == pytest.approx([-4 * 0.3, 0.0, 4 * 0.4], rel=1e-8, abs=1e-9)


def test_the_corner_of_a_box_is_a_point_of_the_box_and_goes_round():
    scene = free('<geom type="box" size="0.1 0.2 0.3"/>', 0.0)
    q = np.zeros(4)
    mujoco.mju_axisAngle2Quat(q, np.array([1.0, 2.0, 0.5]) / np.linalg.norm([1, 2, 0.5]), 0.7)
    data = mujoco.MjData(scene.model)
    data.qpos[3:] = q
    mujoco.mj_kinematics(scene.model, data)
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
    corner = min((data.xmat[1].reshape(3, 3) @ c for c in corners), key=lambda c: c[2])
    state = scene.state(q=[0, 0, -corner[2], *q], v=np.zeros(6))
    turn = np.array([3.0, -1.0, 2.0])
    world = data.xmat[1].reshape(3, 3) @ turn
    v = np.array([0.4, 0.3, -np.cross(world, corner)[2], *turn])  # the corner slides, it does not leave
    rate, _ = in_world(scene, state.replace(v=v))
    assert len(rate) == 1
    assert rate[0] == pytest.approx(np.cross(world, np.cross(world, corner)), rel=1e-8)


def test_the_edge_of_a_leaning_wheel_is_where_its_rim_is_lowest():
    lean = 0.5
    wheel = free('<geom type="cylinder" size="0.2 0.01"/>', 0.0)
    half = lean / 2
    low = 0.2 * np.sin(lean) + 0.01 * np.cos(lean)
    state = wheel.state(q=[0, 0, low, np.cos(half), np.sin(half), 0, 0], v=[0.3, 0.1, 0, 0, 0, 5.0])
    rate, _ = in_world(wheel, state)  # it turns about its own axis: the lowest point stays, and so does its gap
    assert np.abs(rate).max() <= 1e-8 * 25


# Oracles


def test_normal_rates_are_second_derivatives_of_mujocos_gaps(links):
    rng = np.random.default_rng(7)
    state = links.home().replace(v=rng.normal(size=links.nv))
    space = found(links, state)
    contacts = space.contacts()
    h, data = 1e-3, mujoco.MjData(links.model)
    gaps = []
    for side in (-h, 0.0, h):
        data.qpos[:] = state.q
        mujoco.mj_integratePos(links.model, data.qpos, state.v, side)
        mujoco.mj_kinematics(links.model, data)
        gaps.append([mujoco.mj_geomDistance(links.model, data, *sorted(pair), 1.0, None) for pair in contacts.geoms])
    second = (gaps[0] - 2 * np.array(gaps[1]) + gaps[2]) / h**2
    assert len(second) == 4
    assert contact_rates(space.model, state, contacts)[:, 0] == pytest.approx(second, rel=1e-5)


def test_given_points_have_mujocos_own_rate(links):
    rng = np.random.default_rng(8)
    state = random_state(links, rng)
    body = links.feet[0].body
    data = mujoco.MjData(links.model)
    state.to_mujoco(data)
    mujoco.mj_forward(links.model, data)
    point = data.body(body).xpos + np.array([0.01, 0.02, -0.03])
    given = sf.Contacts.from_points(links, state, [point], [body], normals=[[0.1, 0.2, 1.0]])
    J = np.zeros((3, links.nv))
    mujoco.mj_jacDot(links.model, data, J, None, point, data.body(body).id)
    assert rates(links, state, given)[0] == pytest.approx(given.frames[0] @ J @ state.v, rel=1e-6)


def test_a_given_point_on_a_moving_face_turns_with_that_face():
    # A platform that turns under a point fixed in the world: the gap opens by centripetal acceleration of the face.
    scene = compiled(
        '<body name="plate"><joint axis="0 1 0"/><geom type="box" size="1 1 0.1"/></body>'
        '<body name="post" pos="0 0 1"><joint type="slide"/><geom type="sphere" size="0.1"/></body>'
    )
    state = scene.state(v=[2.0, 0.0])
    given = sf.Contacts.from_points(scene, state, [[0.5, 0, 0.3]], ["post"], against=["plate"])
    # In the plate's frame a fixed point p moves by -w x p and accelerates by w x (w x p) = -w^2 p.
    assert rates(scene, state, given)[0, 0] == pytest.approx(-4 * 0.3, rel=1e-6)


# Contacts by iteration, contacts that come and go


@pytest.mark.parametrize("size", [(0.1, 0.1, 0.1), (0.2, 0.15, 0.1)])
def test_contacts_by_iteration_are_right_to_a_hundredth(size):
    v = [0.3, -0.2, 0, 2, 3, 0.5]
    egg = f'<geom type="ellipsoid" size="{size[0]} {size[1]} {size[2]}"/>'
    on_box = free(egg, 0.1, '<geom type="box" size="9 9 0.5" pos="0 0 -0.5"/>')
    on_plane = free(egg, 0.1)
    exact = in_world(on_plane, on_plane.state(v=v))[0]
    assert in_world(on_box, on_box.state(v=v))[0] == pytest.approx(exact, rel=1e-2, abs=1e-3 * 9)


def test_a_contact_that_is_gone_on_one_side_is_taken_from_the_other():
    scene = ball()
    state = scene.state(v=[0, 0, 0.5, 0, 3, 0])
    space = found(scene, state)
    contacts = space.contacts()
    space.model.geom_gap[:] = 0.0  # rising, it touches before and not after
    assert np.abs(contact_rates(space.model, state, contacts)).max() <= 1e-5


def test_a_contact_that_is_gone_on_both_sides_is_a_point_of_its_body():
    scene = ball(above=5e-4)
    state = scene.state(v=[0, 0, 0, 0, 3, 0])
    space = found(scene, state)
    contacts = sf.Contacts.from_points(scene, state, [[0, 0, 0]], ["ball"])
    contacts.geoms[:] = space.contacts().geoms
    space.model.geom_gap[:] = 0.0
    assert contact_rates(space.model, state, contacts)[0, 0] == pytest.approx(9 * 0.1005, rel=1e-6)


def test_at_rest_nothing_is_looked_for(monkeypatch, links):
    space = found(links)
    contacts = space.contacts()

    def never(*_):
        raise AssertionError("a collision call")

    monkeypatch.setattr(mujoco, "mj_collision", never)
    assert not contact_rates(space.model, links.home(), contacts).any()


def test_the_same_bits_twice(links):
    state = random_state(links, np.random.default_rng(0), reach=0.0)
    assert np.array_equal(rates(links, state), rates(links, state))


def test_a_block_that_spins_pulls_its_corners_in():
    scene = block()
    rate, contacts = in_world(scene, scene.state(v=[0, 0, 0, 0, 0, 2.0]))
    assert rate == pytest.approx(-4 * np.column_stack([contacts.points[:, :2], np.zeros(4)]), abs=1e-9)
