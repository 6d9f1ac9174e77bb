import pickle
import re

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.design import Crowd, GaitTask, Morphology, Motor, Parameter, Problem
from surefoot.errors import InputError
from tests.design import small

THIGHS = Parameter("front thigh length", ("robot.lf.thigh.length", "robot.rf.thigh.length"), 0.05, 0.2)


def links(*parameters, **kwargs):
    return Morphology("links", parameters, **kwargs)


def box(mass, x, y, z):
    """(3,) kg m^2 of full lengths, in MuJoCo's order: the largest first."""
    return np.sort(mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y]))[::-1]


# Known answers


def test_it_starts_as_the_robot_is():
    morphology = links(THIGHS, small.part("hind", "hip.length", 0.03, 0.1))
    assert morphology.start.tolist() == [0.077, 0.051]
    assert morphology.names == ("front thigh length", "hind hip length")
    assert morphology.low.tolist() == [0.05, 0.03]
    assert morphology.high.tolist() == [0.2, 0.1]
    assert THIGHS.range == pytest.approx(0.15)


def test_a_longer_box_has_the_mass_and_inertia_of_its_density():
    model = links(THIGHS).scene([0.1]).model
    thigh, mass = model.body("LF_THIGH"), 0.1 * 0.1 / 0.077
    assert thigh.mass[0] == pytest.approx(mass)
    assert np.sort(thigh.inertia)[::-1] == pytest.approx(box(mass, 0.02, 0.03, 0.1))
    assert np.linalg.norm(model.body("LF_SHANK").pos) == pytest.approx(0.1)
    assert model.body("LH_THIGH").mass[0] == 0.1


def test_a_thicker_cylinder_has_the_mass_and_inertia_of_its_density():
    """Solid cylinder: m r^2 / 2 about its axis, m (3 r^2 + h^2) / 12 across; the foot has no mass."""
    model = links(Parameter("shanks", "robot.*.shank.radius", 0.002, 0.02)).scene([0.008]).model
    shank, height, mass = model.body("RH_SHANK"), 0.129, 0.1 * (0.008 / 0.005) ** 2
    assert shank.mass[0] == pytest.approx(mass)
    across = mass * (3 * 0.008**2 + height**2) / 12
    assert np.sort(shank.inertia)[::-1] == pytest.approx([across, across, mass * 0.008**2 / 2])


def test_a_pattern_stands_for_all_that_match():
    morphology = links(Parameter("thighs", "robot.?f.thigh.length", 0.05, 0.2))
    assert morphology.values([0.11]) == {"robot.lf.thigh.length": 0.11, "robot.rf.thigh.length": 0.11}


def test_what_is_mirrored_takes_the_other_sign():
    """A pair of joints of a user's file, on both sides of the base."""
    world = """
    <body name="trunk" pos="0 0 1"><freejoint/><geom name="trunk" type="box" size="0.1 0.1 0.05" mass="2"/>
      <body name="left" pos="0 0.1 0"><joint name="a" axis="1 0 0"/>
        <geom name="l" size="0.02" pos="0 0 -0.2" mass="1"/></body>
      <body name="right" pos="0 -0.1 0"><joint name="b" axis="1 0 0"/>
        <geom name="r" size="0.02" pos="0 0 -0.2" mass="1"/></body></body>
    """
    robot = small.scene(world, joints=("a", "b"), base="trunk")
    side = Parameter("side", ("robot.left.place.1", "-robot.right.place.1"), 0.05, 0.3)
    morphology = Morphology(robot, [side])
    assert morphology.start.tolist() == [0.1]
    model = morphology.scene([0.17]).model
    assert model.body("left").pos[1] == 0.17
    assert model.body("right").pos[1] == -0.17


def test_a_factor_multiplies_what_differs():
    morphology = links(Parameter("hips", "robot.*.hip.length", 0.5, 2.0, factor=True))
    assert morphology.start.tolist() == [1.0]
    values = morphology.values([1.5])
    assert values["robot.lf.hip.length"] == 1.5 * 0.04
    assert values["robot.rh.hip.length"] == 1.5 * 0.051


def test_a_longer_link_of_a_file_has_the_mass_and_inertia_of_the_stretched_one():
    """A rod of points along x: mass times the factor, its inertia across times the cube of it."""
    world = """<body name="rod" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
      <geom name="rod" type="box" pos="0.2 0 0" size="0.2 0.01 0.02" mass="0.6"/></body>"""
    robot = small.scene(world, joints=("hinge",))
    rod = Morphology(robot, [Parameter("length", "robot.rod.length", 0.5, 2.0)]).scene([1.5]).model.body("rod")
    assert rod.mass[0] == pytest.approx(0.9)
    assert rod.ipos == pytest.approx([0.3, 0.0, 0.0])
    assert np.sort(rod.inertia)[::-1] == pytest.approx(box(0.9, 0.6, 0.02, 0.04))


def test_a_heavier_link_of_a_file_has_more_inertia_by_the_same_factor():
    arm = small.arm()
    heavy = Morphology(arm, [small.lower_mass()]).scene([0.9]).model.body("lower")
    assert heavy.mass[0] == pytest.approx(0.9)
    assert heavy.inertia == pytest.approx(2.0 * arm.model.body("lower").inertia)


def test_a_link_of_a_file_is_moved():
    model = Morphology(small.arm(), [small.upper()]).scene([0.33]).model
    assert model.body("lower").pos == pytest.approx([0.33, 0.0, 0.0])


def test_sizes_of_a_file_are_full_lengths_and_radii():
    sizes = [Parameter("tip", "robot.tip.radius", 0.005, 0.05), Parameter("box", "robot.lower.size.1", 0.01, 0.1)]
    model = Morphology(small.arm(), sizes).scene([0.02, 0.05]).model
    assert model.geom("tip").size[0] == 0.02
    assert model.geom("lower").size[1] == 0.025


def test_another_motor_is_carried_by_the_link_before_its_joint():
    """MX-64 for RX-24F: 59 g more at each joint; the base carries the first joints of four legs."""
    morphology = links(THIGHS, motors={"*": "RX-24F"})
    before, after = (one.scene([0.1]).model for one in (morphology, morphology.with_motor("*", "MX-64")))
    more = {name: after.body(name).mass[0] - before.body(name).mass[0] for name in ("BASE", "LF_HIP", "RH_THIGH")}
    assert more == pytest.approx({"BASE": 4 * 0.059, "LF_HIP": 0.059, "RH_THIGH": 0.059})
    assert after.body("LF_SHANK").mass[0] == before.body("LF_SHANK").mass[0]
    scale = after.body("LF_HIP").mass[0] / before.body("LF_HIP").mass[0]
    assert after.body("LF_HIP").inertia == pytest.approx(scale * before.body("LF_HIP").inertia)
    assert (after.geom_size == before.geom_size).all()
    assert after.body_pos == pytest.approx(before.body_pos)


def test_motors_have_their_torque_and_speed_and_the_later_one_counts():
    own = Motor("own", 9.0, 4.0)
    morphology = links(THIGHS, motors={"*": "RX-24F", "*_Y3": own})
    assert morphology.torque.tolist() == [2.6, 2.6, 9.0] * 4
    assert morphology.speed.tolist() == [13.195, 13.195, 4.0] * 4
    assert morphology.motor("LF_Y3") is own


def test_without_motors_the_file_counts_and_speed_has_no_limit():
    morphology = links(THIGHS)
    assert np.isinf(morphology.torque).all()
    assert np.isinf(morphology.speed).all()
    assert morphology.motor("LF_Y3") is None


# Properties


@given(st.floats(0.05, 0.2), st.floats(0.05, 0.2), st.floats(0.03, 0.1))
@settings(max_examples=20)
def test_symmetric_parameters_stay_equal_to_the_bit(thigh, hind, hip):
    morphology = links(
        THIGHS, small.part("hind", "thigh.length", 0.05, 0.2), small.part("hind", "hip.length", 0.03, 0.1)
    )
    model = morphology.scene([thigh, hind, hip]).model
    for front, side in (("LF", "RF"), ("LH", "RH")):
        for link in ("HIP", "THIGH", "SHANK"):
            one, other = model.body(f"{front}_{link}"), model.body(f"{side}_{link}")
            assert one.mass[0] == other.mass[0]
            assert (one.inertia == other.inertia).all()
            assert (np.abs(one.pos) == np.abs(other.pos)).all()
    values = morphology.values([thigh, hind, hip])
    assert values["robot.lf.thigh.length"] == values["robot.rf.thigh.length"] == thigh


@given(st.floats(0.2, 0.4), st.floats(0.1, 2.0))
@settings(max_examples=20)
def test_the_start_is_the_robot_bit_for_bit_and_order_does_not_matter(length, mass):
    one = Morphology(small.arm(), [small.upper(), small.lower_mass()]).scene([length, mass]).model
    other = Morphology(small.arm(), [small.lower_mass(), small.upper()]).scene([mass, length]).model
    assert (one.body_inertia == other.body_inertia).all()
    assert (one.body_pos == other.body_pos).all()


def test_the_start_is_the_robot():
    ours, theirs = links(THIGHS).scene([0.077]).model, sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.7)).model
    for field in ("body_mass", "body_inertia", "body_pos", "geom_size", "jnt_range"):
        assert (getattr(ours, field) == getattr(theirs, field)).all()


# Oracles


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "target"), [("example:a1", "robot.*_thigh.length"), ("example:solo12", "robot.*_UPPER_LEG.length")]
)
def test_links_of_a_urdf_grow(name, target):
    """MuJoCo's kinematics: all knees are farther from their hips by the factor."""
    morphology = Morphology(name, [Parameter("thighs", target, 0.5, 1.5)])
    before, after = (morphology.scene([factor]) for factor in (1.0, 1.25))
    link = target[6:-7].replace("*", "FL")
    children = [b for b in range(before.model.nbody) if before.model.body_parentid[b] == before.model.body(link).id]
    far = max(children, key=lambda b: np.linalg.norm(before.model.body_pos[b]))
    along = before.model.body_pos[far] / np.linalg.norm(before.model.body_pos[far])
    assert after.model.body_pos[far] @ along == pytest.approx(1.25 * np.linalg.norm(before.model.body_pos[far]))
    assert after.model.body(link).mass[0] == pytest.approx(1.25 * before.model.body(link).mass[0])
    data = mujoco.MjData(after.model)
    data.qpos[:] = after.home().q
    mujoco.mj_forward(after.model, data)  # it stands on its ground, not in it
    assert min(data.contact.dist, default=0.0) > -1e-3


# Edge cases


def test_particles_of_a_robot_with_another_motor_are_named_as_before_and_carry_it():
    crowd = Crowd({"robot.lf.thigh.length": sf.Uniform(0.07, 0.08)}, 3)
    morphology = links(THIGHS, motors={"*": "RX-24F"}).with_motor("*", "MX-64")
    problem = Problem(morphology, GaitTask(small.TROT, dt=4e-2), crowd=crowd)
    assert morphology.at([0.1]).names.keys() >= {"robot.lf.thigh.length"}
    masses = [problem.scene([0.1], particle).model.body("BASE").mass[0] for particle in range(3)]
    assert masses == pytest.approx([3.6 + 4 * 0.059] * 3)
    assert problem.look([0.1], 0.1).values.shape[0] == 10


def test_another_motor_back_and_forth_weighs_nothing():
    morphology = links(THIGHS, motors={"*": "RX-24F"})
    again = morphology.with_motor("*", "MX-64").with_motor("*", "RX-24F")
    assert (again.scene([0.1]).model.body_mass == morphology.scene([0.1]).model.body_mass).all()


def test_it_travels():
    morphology = pickle.loads(pickle.dumps(links(THIGHS, motors={"*": "RX-24F"}).with_motor("*_Y3", "MX-64")))
    assert morphology.torque.tolist() == [2.6, 2.6, 6.0] * 4
    assert morphology.scene([0.1]).model.body("LF_THIGH").mass[0] == pytest.approx(0.1 * 0.1 / 0.077 + 0.059)


def test_no_parameters_are_allowed():
    assert links().scene([]).nv == 18


def test_terrain_is_what_it_stands_on():
    morphology = links(THIGHS, terrain=sf.Plane(mu=0.2))
    assert morphology.scene([0.1]).surfaces[0].mu == 0.2


# Error texts


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"name": ""}, "parameter: expected a name, got ''"),
        ({"name": None}, "parameter: expected a name, got None"),
        ({"name": "a#b"}, r"parameter 'a#b': expected words with single spaces, without quotes, \ and #"),
        ({"name": "a  b"}, r"parameter 'a  b': expected words with single spaces, without quotes, \ and #"),
        ({"targets": None}, "parameter 'a': expected targets such as 'robot.lf.thigh.length', got None"),
        ({"targets": 5}, "parameter 'a': expected targets such as 'robot.lf.thigh.length', got 5"),
        ({"targets": []}, "parameter 'a': expected targets such as 'robot.lf.thigh.length', got []"),
        ({"low": None}, "parameter 'a': low: expected a finite number, got None"),
        ({"high": np.inf}, "parameter 'a': high: expected a finite number, got inf"),
        ({"low": 1.0}, "parameter 'a': expected low below high, got 1 and 1"),
        ({"low": 2.0}, "parameter 'a': expected low below high, got 2 and 1"),
        ({"weight": 0}, "parameter 'a': weight: expected a number above 0, got 0"),
        ({"factor": "yes"}, "parameter 'a': factor: expected true or false, got 'yes'"),
    ],
)
def test_bad_parameters_are_refused(arguments, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        Parameter(**{"name": "a", "targets": "robot.base.mass", "low": 0.0, "high": 1.0, **arguments})


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        (None, "parameters: expected a list of Parameters, got None"),
        (["x"], "parameters: expected Parameters, got 'x'"),
        ([THIGHS, THIGHS], "parameters: 'front thigh length' stands there twice"),
        (
            [THIGHS, Parameter("b", "robot.l?.thigh.length", 0.01, 1)],
            "parameter 'b': robot.lf.thigh.length belongs to 'front thigh length' already",
        ),
        (
            [Parameter("b", ("robot.lf.hip.length", "robot.l?.hip.length"), 0.01, 1)],
            "parameter 'b': robot.lf.hip.length belongs to 'b' already",
        ),
        (
            [Parameter("b", "robot.l?.hip.length", 0.01, 1)],
            "parameter 'b': its targets differ (robot.lf.hip.length 0.04, robot.lh.hip.length 0.051); "
            "name them one by one, or set factor",
        ),
        (
            [Parameter("b", "robot.base.mass", 0.1, 1.0)],
            "parameter 'b': it starts at 3.6, beyond its bounds 0.1 to 1",
        ),
        (
            [Parameter("b", "robot.base.mass", 1.1, 2.0, factor=True)],
            "parameter 'b': it starts at 1, beyond its bounds 1.1 to 2",
        ),
    ],
)
def test_parameters_that_do_not_fit_are_refused(parameters, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        Morphology("links", parameters)


@pytest.mark.parametrize("target", ["robot.lf.thigh.lenght", "-robot.lf.thigh.lenght", "lf.thigh.length", "ground.mu"])
def test_unknown_targets_are_refused_with_a_hint(target):
    with pytest.raises(InputError, match=r"^parameter 'a': targets: no number is called '") as error:
        links(Parameter("a", target, 0.0, 1.0))
    assert "ground" in target or "did you mean 'robot.lf.thigh.length'?" in str(error.value)


@pytest.mark.parametrize(
    ("motors", "text"),
    [
        ("RX-24F", "motors: expected motors by pattern of joint names, got 'RX-24F'"),
        ({"*": None}, "motors['*']: expected a Motor or the name of one, got None"),
        ({5: "RX-24F"}, "motors: no joint matches 5; the joints are shoulder, elbow"),
        ({"knee": "RX-24F"}, "motors: no joint matches 'knee'; the joints are shoulder, elbow"),
    ],
)
def test_bad_motors_are_refused(motors, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        Morphology(small.arm(), [], motors)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (None, "p: expected an array of numbers, got NoneType"),
        ([], "p: expected shape (1,), got (0,)"),
        ([np.nan], "p: expected finite numbers, got nan at index 0"),
        ([0.21], "p: 'front thigh length' is 0.21, beyond its bounds 0.05 to 0.2"),
        ([-1], "p: 'front thigh length' is -1, beyond its bounds 0.05 to 0.2"),
    ],
)
def test_parameters_beyond_their_bounds_are_refused(p, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        links(THIGHS).scene(p)
