"""Matrices of planar bodies against MuJoCo's, and against positions that are differentiated twice."""

import re

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.modes import Body, Hinge, Push, Touch, planar

LENGTHS = (0.5, 0.4, 0.3)
MASSES = (1.0, 0.7, 0.4)
INERTIAS = (0.03, 0.02, 0.01)
ANGLES = (0.4, 1.1, -0.5)  # rad, of the links in the world
RATES = (0.9, -1.7, 2.3)  # rad/s, of the first in the world and of the others against the one before
DRIFT = (0.3, -0.8)  # m/s


def chain(base="free"):
    """Three links in a row; the first free, or on a hinge of the world. Returns bodies, hinges and the last end."""
    at, bodies, hinges = np.array([0.2, 0.3]), [], []
    for i, (length, angle) in enumerate(zip(LENGTHS, ANGLES, strict=True)):
        along = length * np.array([np.cos(angle), np.sin(angle)])
        carried = i > 0 or base == "world"
        velocity = None if carried else (*DRIFT, RATES[0])
        bodies.append(Body(f"link {i}", MASSES[i], INERTIAS[i], at + 0.5 * along, velocity))
        if carried:
            hinges.append(Hinge(f"hinge {i}", f"link {i - 1}" if i else "world", f"link {i}", at, RATES[i]))
        at = at + along
    return bodies, hinges, at


def mujoco_chain(base):
    """The same by MuJoCo, in the plane of x and z: its model and data at the same state."""
    turn = "<joint type='hinge' axis='0 -1 0' pos='{} 0 0'/>"
    text, close = "", ""
    for i, (length, angle) in enumerate(zip(LENGTHS, ANGLES, strict=True)):
        degrees = -np.degrees(angle - (ANGLES[i - 1] if i else 0.0))
        x, z = (0.2, 0.3) if i == 0 else (LENGTHS[i - 1], 0.0)
        joints = turn.format(0)
        if i == 0 and base == "free":
            # Slides in the axes of the world, on a body that is not turned, and a hinge at the mass centre.
            text += f"<body pos='{x} 0 {z}'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
            text += "<inertial pos='0 0 0' mass='1e-12' diaginertia='1e-12 1e-12 1e-12'/>"
            close += "</body>"
            x, z, joints = 0.0, 0.0, turn.format(0.5 * length)
        text += f"<body name='link{i}' pos='{x} 0 {z}' euler='0 {degrees} 0'>{joints}"
        text += f"<inertial pos='{0.5 * length} 0 0' mass='{MASSES[i]}' diaginertia='1 {INERTIAS[i]} 1'/>"
        text += f"<site name='end{i}' pos='{length} 0 0'/>"
        close += "</body>"
    xml = "<mujoco><compiler boundmass='0' boundinertia='0' balanceinertia='true'/><worldbody>"
    model = mujoco.MjModel.from_xml_string(f"{xml}{text}{close}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    data.qvel[:] = ((*DRIFT, *RATES) if base == "free" else RATES)[: model.nv]
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("base", ["free", "world"])
def test_a_chain_is_mujocos(base):
    bodies, hinges, end = chain(base)
    system = planar(bodies, [Touch("end", "link 2", end, [0, 1], 0.5)], hinges=hinges)
    model, data = mujoco_chain(base)
    M = np.empty((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    np.testing.assert_allclose(system.inertia, M, atol=1e-9)
    np.testing.assert_allclose(system.bias, data.qfrc_bias, atol=1e-9)
    np.testing.assert_allclose(system.velocity, data.qvel, atol=0)
    J, Jdot = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    site = model.site("end2").id
    mujoco.mj_jacSite(model, data, J, None, site)
    mujoco.mj_jacDot(model, data, Jdot, None, data.site_xpos[site], int(model.site_bodyid[site]))
    np.testing.assert_allclose(system.jacobian, J[[2, 0]], atol=1e-9)
    np.testing.assert_allclose(system.jacobian_rate, (Jdot @ data.qvel)[[2, 0]], atol=1e-9)


def test_torques_turn_what_they_hold_against_what_carries_it():
    bodies, hinges, end = chain()
    hinges[0] = Hinge("hinge 1", "link 0", "link 1", hinges[0].at, RATES[1], motor=False)
    pushes = [Push("pull", "link 2", end, [0, 2]), Push("turn", "link 1"), Push("middle", "link 0", direction=[1, 0])]
    system = planar(bodies, [], hinges=hinges, pushes=pushes)
    assert system.torque_names == ("hinge 2 [N m]", "pull [N]", "turn [N m]", "middle [N]")
    assert system.coordinates == ("link 0 x", "link 0 y", "link 0 angle", "hinge 1", "hinge 2")
    up = planar(bodies, [Touch("end", "link 2", end, [0, 1], 0.5)], hinges=hinges).jacobian[0]
    expected = np.column_stack([[0, 0, 0, 0, 1], up, [0, 0, 1, 1, 0], [1, 0, 0, 0, 0]])
    np.testing.assert_allclose(system.inputs, expected, atol=1e-15)


def moved(t):
    """A wheel over a plank that both move steadily: positions and angles after t seconds."""
    wheel = np.array([0.1, 0.35]) + t * np.array([0.7, -0.4])
    plank, angle = np.array([0.4, 0.0]) + t * np.array([-0.2, 0.3]), 0.25 + 0.9 * t
    return wheel, plank, angle


def gap_and_slip(t, spin=1.3, turning=0.9, radius=0.2):
    """Gap between the rim of the wheel and the plank, and how fast the rim slides along it to the right."""
    wheel, plank, angle = moved(t)
    normal, tangent = np.array([-np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    gap = normal @ (wheel - plank) - radius
    at = wheel - radius * normal
    rim = np.array([0.7, -0.4]) + spin * np.array([-(at - wheel)[1], (at - wheel)[0]])
    board = np.array([-0.2, 0.3]) + turning * np.array([-(at - plank)[1], (at - plank)[0]])
    return gap, tangent @ (rim - board)


@pytest.mark.parametrize("radius", [0.0, 0.2])
def test_a_contact_between_bodies_that_turn(radius):
    """A round wheel on a plank that turns: curvature and Coriolis' acceleration are in the rates."""
    wheel, plank, angle = moved(0.0)
    normal = np.array([-np.sin(angle), np.cos(angle)])
    bodies = [Body("wheel", 1.0, 0.1, wheel, (0.7, -0.4, 1.3)), Body("plank", 2.0, 0.3, plank, (-0.2, 0.3, 0.9))]
    touch = Touch("rim", "wheel", wheel - radius * normal, normal, 0.5, against="plank", radius=radius)
    system = planar(bodies, [touch], gravity=(0, 0))
    h = 1e-4
    gaps, slips = zip(*(gap_and_slip(t, radius=radius) for t in (-h, 0.0, h)), strict=True)
    assert system.contact_velocity[0, 0] == pytest.approx((gaps[2] - gaps[0]) / (2 * h), abs=1e-7)
    assert system.contact_velocity[0, 1] == pytest.approx(slips[1], abs=1e-12)
    assert system.jacobian_rate[0] == pytest.approx((gaps[2] - 2 * gaps[1] + gaps[0]) / h**2, abs=1e-6)
    assert system.jacobian_rate[1] == pytest.approx((slips[2] - slips[0]) / (2 * h), abs=1e-7)


def test_a_wheel_that_rolls_does_not_leave_the_floor():
    """The point that touches is at rest and accelerates upwards, but the wheel stays at its height."""
    body = Body("wheel", 1.0, 0.005, [0.0, 0.1], (-0.3, 0.0, 3.0))
    rolling = planar([body], [Touch("rim", "wheel", [0, 0], [0, 1], 0.5, radius=0.1)])
    corner = planar([body], [Touch("rim", "wheel", [0, 0], [0, 1], 0.5)])
    np.testing.assert_allclose(rolling.contact_velocity, [[0, 0]], atol=1e-15)
    np.testing.assert_allclose(rolling.jacobian_rate, [0, 0], atol=1e-15)
    np.testing.assert_allclose(corner.jacobian_rate, [0.9, 0], atol=1e-15)


LINK = Body("link", 1.0, 0.1, [0, 0])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([LINK, LINK], []), "bodies: expected names that differ, got 'link' twice"),
        (([Body("world", 1, 1, [0, 0])], []), "bodies: expected names that differ, got 'world' twice"),
        (([Body("a", 0, 1, [0, 0])], []), "a: mass: expected a number above 0, got 0"),
        (([Body("a", 1, -1, [0, 0])], []), "a: inertia: expected a number above 0, got -1"),
        (([Body("a", 1, 1, [0])], []), "a: position: expected shape (2,), got (1,)"),
        (([Body("a", 1, 1, [0, 0], [1, 2])], []), "a: velocity: expected shape (3,), got (2,)"),
        (
            ([LINK], [Touch("tip", "lonk", [0, 0], [0, 1], 0.5)]),
            "tip: body: no body is called 'lonk'; did you mean 'link'? The choices are: link",
        ),
        (
            ([LINK], [Touch("tip", "link", [0, 0], [0, 1], 0.5, against="me")]),
            "tip: against: no body is called 'me'; The choices are: world, link",
        ),
        (
            ([LINK], [Touch("tip", "link", [0, 0], [0, 1], 0.5, against="link")]),
            "tip: against: expected another body than 'link', got the same",
        ),
        (([LINK], [Touch("tip", "link", [0, 0], [0, 0], 0.5)]), "tip: normal: expected a direction, got [0.0, 0.0]"),
        (
            ([LINK], [Touch("tip", "link", [0, np.nan], [0, 1], 0.5)]),
            "tip: at: expected finite numbers, got nan at index 1",
        ),
        (
            ([LINK], [Touch("tip", "link", [0, 0], [0, 1], -0.5)]),
            "tip: friction: expected a friction coefficient of at least 0 (inf allowed), got -0.5",
        ),
    ],
)
def test_wrong_bodies_and_contacts_are_refused(arguments, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        planar(*arguments)


@pytest.mark.parametrize(
    ("hinges", "text"),
    [
        (
            [Hinge("h", "world", "a", [0, 0]), Hinge("i", "b", "a", [0, 0])],
            "i: expected each body to be carried by one hinge, got h and i",
        ),
        (
            [Hinge("h", "b", "a", [0, 0]), Hinge("i", "a", "b", [0, 0])],
            "hinges: expected no loop, got one through a, b",
        ),
        ([Hinge("h", "a", "b", [0, 0])] * 2, "hinges: expected names that differ, got 'h' twice"),
        ([Hinge("h", "a", "world", [0, 0])], "h: body: no body is called 'world'; The choices are: a, b"),
        (
            [Hinge("h", "a", "b", [0, 0])],
            "b: velocity: expected none, since a body on a hinge takes its velocity from the rate of h",
        ),
    ],
)
def test_wrong_hinges_are_refused(hinges, text):
    bodies = [Body("a", 1, 1, [0, 0]), Body("b", 1, 1, [0, 0], [0, 0, 1] if len(hinges) == 1 else None)]
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        planar(bodies, [], hinges=hinges)


def test_a_moment_acts_nowhere():
    text = "turn: at: expected none, since a moment acts on the whole body"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        planar([LINK], [], pushes=[Push("turn", "link", at=[0, 0])])
