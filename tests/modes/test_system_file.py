"""Systems from TOML: what is read, and what is said of what cannot be read."""

import re
from pathlib import Path

import numpy as np
import pytest

import surefoot as sf
from surefoot.modes import Body, Hinge, Push, Touch, planar
from surefoot.modes.system_file import FOLDER, KEYS, about

MATRICES = """
inertia = [[2, 0], [0, 2]]
bias = [0, 19.62]
jacobian = [[0, 1], [1, 0]]
friction = 0.5
"""
ROD = """
friction = 0.5
[[body]]
mass = 2.0
rod = 1.0
position = [0.3, 0.4]
"""
TIP = """
[[contact]]
at = [0, 0]
"""
LEG = """
<mujoco model="leg">
  <worldbody>
    <geom name="ground" type="plane" size="0 0 0.05"/>
    <body name="leg" pos="0 0 0.5">
      <joint name="rail" type="slide" axis="0 0 1"/>
      <geom name="foot" type="capsule" fromto="0 0 -0.4 0 0 0.2" size="0.1" mass="3"/>
    </body>
  </worldbody>
  <actuator><motor joint="rail"/></actuator>
</mujoco>"""


@pytest.fixture
def write(tmp_path):
    """Write a file; returns its path."""

    def _write(text, name="system.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return _write


def same(left, right):
    for name in ("inertia", "bias", "jacobian", "friction", "inputs", "jacobian_rate", "velocity", "torque_limits"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), err_msg=name)
    for name in ("names", "torque_names", "coordinates", "edges"):
        assert getattr(left, name) == getattr(right, name), name


def test_matrices(write):
    more = """
velocity = [0.1, 0]
jacobian_rate = [0.5, 0.25]
inputs = [[1], [0]]
torque_limits = [[-3, inf]]
threshold = 0.01
names = ["floor"]
torque_names = ["push"]
coordinates = ["x", "y"]
[[physical]]
force = [1, 0]
at_least = 2
[[task]]
name = "go"
acceleration = [1, 0]
torque = [3]
equals = 4
"""
    system = sf.modes.load(write(MATRICES + more))
    expected = sf.modes.ContactSystem(
        [[2, 0], [0, 2]],
        [0, 19.62],
        [[0, 1], [1, 0]],
        0.5,
        velocity=[0.1, 0],
        jacobian_rate=[0.5, 0.25],
        inputs=[[1], [0]],
        torque_limits=[[-3, np.inf]],
        names=["floor"],
        torque_names=["push"],
        coordinates=["x", "y"],
    )
    same(system, expected)
    np.testing.assert_array_equal(system.threshold, [[0.01, 0.01]])
    (physical,), (task,) = system.physical, system.task
    assert (physical.name, physical.force, physical.at_least, physical.equals) == ("physical 1", [1, 0], 2, None)
    assert (task.name, task.acceleration, task.torque, task.equals) == ("go", [1, 0], [3], 4)


def test_no_torques(write):
    assert sf.modes.load(write(MATRICES + "inputs = []")).torques == 0


def test_spatial_matrices(write):
    text = MATRICES.replace("[[0, 1], [1, 0]]", "[[0, 1], [1, 0], [0, 0]]") + "edges = 8"
    system = sf.modes.load(write(text))
    assert (system.dimension, system.edges, system.contacts) == (3, 8, 1)


def test_bodies(write):
    text = """
gravity = [0, -1.62]
friction = 0.5
torque_limits = 7
[[body]]
name = "arm"
mass = 2.0
box = [0.6, 0.2]
position = [0.3, 0.4]
velocity = [1, 2, 3]
[[body]]
name = "hand"
mass = 0.5
inertia = 0.01
position = [0.8, 0.5]
degrees = 90
[[hinge]]
name = "wrist"
carrier = "arm"
body = "hand"
on = [-0.1, 0.2]
rate = -4
[[contact]]
name = "heel"
body = "arm"
at = [0, 0]
friction = inf
[[contact]]
body = "hand"
on = [0.1, 0]
normal = [-2, 0]
radius = 0.05
against = "arm"
[[push]]
name = "pull"
body = "hand"
at = [0.9, 0.5]
direction = [1, 1]
[[push]]
body = "arm"
moment = true
"""
    bodies = [
        Body("arm", 2.0, 2.0 * 0.4 / 12, [0.3, 0.4], [1, 2, 3]),
        Body("hand", 0.5, 0.01, [0.8, 0.5]),
    ]
    turn = np.array([[np.cos(np.pi / 2), -1.0], [1.0, np.cos(np.pi / 2)]])
    contacts = [
        Touch("heel", "arm", [0, 0], [0, 1], np.inf),
        Touch("contact 2", "hand", [0.8, 0.5] + turn @ [0.1, 0], [-1, 0], 0.5, "arm", 0.05),
    ]
    hinge = Hinge("wrist", "arm", "hand", [0.8, 0.5] + turn @ [-0.1, 0.2], -4)
    pushes = [Push("pull", "hand", [0.9, 0.5], [1, 1]), Push("push 2", "arm")]
    expected = planar(bodies, contacts, hinges=[hinge], pushes=pushes, gravity=(0, -1.62), torque_limits=7)
    same(sf.modes.load(write(text)), expected)


def test_a_disc_knows_where_it_touches(write):
    text = "friction = 1\n[[body]]\nmass = 3\ndisc = 0.2\nposition = [1, 2]\n[[contact]]\nnormal = [3, 4]"
    expected = planar(
        [Body("body 1", 3, 0.06, [1, 2])], [Touch("contact 1", "body 1", [0.88, 1.84], [0.6, 0.8], 1, radius=0.2)]
    )
    loaded = sf.modes.load(write(text))
    np.testing.assert_allclose(loaded.jacobian, expected.jacobian, atol=1e-15)
    np.testing.assert_allclose(loaded.inertia, expected.inertia, atol=1e-15)


def test_a_robot(write, tmp_path):
    of = pytest.importorskip("surefoot.modes.of").of
    write(LEG, "leg.xml")
    system = sf.modes.load(write('robot = "leg.xml"\nq = [0]\nv = [0]\nfriction = 0.25\nactuated = []'))
    robot = sf.load(tmp_path / "leg.xml")
    same(system, of(robot, robot.home(), friction=0.25, actuated=[]))
    assert system.torques == 0


@pytest.mark.parametrize("name", sf.modes.EXAMPLES)
def test_examples_load_and_say_what_they_are(name):
    same(sf.modes.load(name), sf.modes.load(FOLDER / f"{name}.toml"))
    assert 40 < len(about(name)) < 120
    assert all(len(line) <= 120 for line in (FOLDER / f"{name}.toml").read_text().splitlines())


def test_every_key_is_in_the_document():
    page = (Path(__file__).parents[2] / "docs" / "modes.md").read_text(encoding="utf-8")
    for table in KEYS.values():
        for key in table:
            assert f"`{key}`" in page or f"`[[{key}]]`" in page, key


CHOICES = "The choices are: ambiguous_rod, ball_bearing, block, painleve_rod, rod_in_corner, table, two_link_arm"


@pytest.mark.parametrize(
    ("system", "text"),
    [
        ("tabel", f"system: no file or example is called 'tabel'; did you mean 'table'? {CHOICES}"),
        ("no.toml", "no.toml: cannot be read: No such file or directory"),
        (3, "system: expected a file name or the name of an example, got 3"),
    ],
)
def test_no_such_system(system, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        sf.modes.load(system)


BODY_KEYS = "name, mass, inertia, rod, box, disc, position, degrees, velocity"
CONTACT_KEYS = "name, body, against, at, on, normal, friction, radius"
OTHER_KEYS = "about, friction, torque_limits, threshold, physical, task"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            "about = 'nothing'",
            "expected a system, got none: give matrices (inertia, bias, jacobian, friction), planar bodies ([[body]], "
            "[[contact]]) or a robot",
        ),
        ("a = [", "not readable as TOML: Invalid value (at end of document)"),
        (
            ROD + "[[contacts]]\nat = [0, 0]",
            "this file: no key is called 'contacts'; did you mean 'contact'? The choices are: "
            f"{OTHER_KEYS}, gravity, body, hinge, contact, push",
        ),
        (
            MATRICES + "gravity = [0, -9.81]",
            f"this file: no key is called 'gravity'; The choices are: {OTHER_KEYS}, inertia, bias, jacobian, "
            "jacobian_rate, inputs, velocity, edges, names, torque_names, coordinates",
        ),
        (MATRICES.replace("bias", "#"), "bias: expected beside inertia, got none"),
        (MATRICES + "about = 3", "about: expected a text, got 3"),
        (MATRICES.replace("[[2, 0], [0, 2]]", "2"), "inertia: expected shape (any, any), got ()"),
        (MATRICES.replace("[[2, 0], [0, 2]]", "[[2, 'a'], [0, 2]]"), "inertia: expected an array of numbers, got list"),
        (MATRICES.replace("[[2, 0], [0, 2]]", "[[2, 0]]"), "inertia: expected shape (1, 1), got (1, 2)"),
        (MATRICES.replace("[0, 19.62]", "[0]"), "bias: expected shape (2,), got (1,)"),
        (
            MATRICES.replace("[[0, 1], [1, 0]]", "[[0, 1]]"),
            "jacobian: expected 2 rows a contact (normal, tangent), got 1 rows",
        ),
        (MATRICES + "names = 'floor'", "names: expected a list of texts, got 'floor'"),
        (
            MATRICES + "[physical]\nforce = [1, 0]",
            "physical: expected tables, each under [[physical]], got {'force': [1, 0]}",
        ),
        (
            MATRICES + "[[task]]\nforces = [1, 0]",
            "task 1: no key is called 'forces'; did you mean 'force'? The choices are: name, acceleration, force, "
            "torque, equals, at_least",
        ),
        (MATRICES + "[[task]]\nforce = [1, 0]", "task[0]: expected one of equals and at_least, got neither"),
        (ROD.replace("mass = 2.0", ""), "body 1: expected mass, got none"),
        (ROD.replace("mass = 2.0", "mass = 0"), "body 1: mass: expected a number above 0, got 0"),
        (ROD.replace("mass", "weight"), f"body 1: no key is called 'weight'; The choices are: {BODY_KEYS}"),
        (
            ROD + "inertia = 1",
            "body 1: expected one of inertia (kg m^2), rod (length), box (sides) or disc (radius), got inertia and rod",
        ),
        (
            ROD.replace("rod = 1.0", ""),
            "body 1: expected one of inertia (kg m^2), rod (length), box (sides) or disc (radius), got none",
        ),
        (ROD + "degrees = 'a'", "body 1: degrees: expected a finite number, got 'a'"),
        (ROD + "name = ''", "body 1: name: expected a text, got ''"),
        (ROD + TIP + "wall = 1", f"contact 1: no key is called 'wall'; The choices are: {CONTACT_KEYS}"),
        (ROD + TIP + "on = [0, 0]", "contact 1: at, on: expected one of them, got both"),
        (
            ROD + "[[contact]]\nname = 'tip'",
            "tip: expected where it is: at, in the world, or on, in the axes of the body; got none",
        ),
        (ROD.replace("friction = 0.5", "") + TIP, "contact 1: expected friction, got none"),
        (ROD + TIP + "body = 'me'", "contact 1: body: no body is called 'me'; The choices are: body 1"),
        (
            ROD + "[[body]]\nmass = 1\nrod = 1\nposition = [0, 1]" + TIP,
            "contact 1: expected body, got none",
        ),
        (
            ROD + TIP + "friction = -1",
            "contact 1: friction: expected a friction coefficient of at least 0 (inf allowed), got -1",
        ),
        (ROD + "[[push]]\nname = 'p'", "p: expected a direction, or moment = true, and not both"),
        (ROD + "[[push]]\nmoment = 3", "push 1: expected a direction, or moment = true, and not both"),
        (
            ROD + "[[hinge]]\ncarrier = 'world'\nat = [0, 0]\nmotor = 1",
            "hinge 1: motor: expected true or false, got 1",
        ),
        (ROD + "[[hinge]]\nat = [0, 0]", "hinge 1: expected carrier, got none"),
        ("robot = 3", "robot: expected a bundled name or a path, got 3"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_named_with_what_is_wrong(write, content, text):
    path = write(content)
    with pytest.raises(sf.InputError, match=f"^{re.escape(f'{path}: {text}')}$"):
        sf.modes.load(path)
