"""The walking pipeline by one call, and walks described by numbers, names and files."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Command, Hold, Pipeline, Walk, Waypoints, walker
from surefoot.control.walk import walking_limits, weight
from surefoot.gait import Gait, Legs
from tests.control.quadruped import FEET, TOML, files
from tests.robots.files import write

DT = 1e-3


@pytest.fixture(scope="module")
def ground():
    return sf.scene(sf.load("links"), terrain=sf.Plane(mu=0.5))


def test_it_is_a_plain_pipeline(ground):
    pipeline = walker(ground, Command(0.2))
    names = ["command", "gait_planner", "inverse_kinematics", "feed_forward", "joint_pid", "follow"]
    assert type(pipeline) is Pipeline
    assert [stage.name for stage in pipeline.stages] == names
    pipeline.remove("feed_forward")
    pipeline.swap("command", Command(turn=0.2))
    assert [stage.name for stage in pipeline.stages] == [name for name in names if name != "feed_forward"]


def test_its_numbers_arrive(ground):
    gait = Gait.named("pace", period=0.5)
    pipeline = walker(ground, Command(0.1), gait, 2e-3, law="no-slip", kp=7.0, kd=3.0, torque_limits=4.0)
    planner, pid, follow = (pipeline.stages[i] for i in (1, 4, 5))
    assert (pipeline.dt, planner.planner.dt, follow.controller.dt) == (2e-3, 2e-3, 2e-3)
    assert planner.planner.gait is gait
    assert np.array_equal(pid.params[:24], [7.0] * 12 + [3.0] * 12)
    assert follow.controller.law == sf.NoSlip()
    assert np.abs(pipeline(ground.home())).max() <= 4.0


def test_a_command_must_be_a_stage_that_commands(ground):
    with pytest.raises(
        sf.InputError, match=r"^stages: 'gait_planner' reads 'command', which no stage before it writes$"
    ):
        walker(ground, Hold(ground))
    with pytest.raises(sf.InputError, match=r"^command: expected a stage such as Command\(forward=0.2\), got 0.2$"):
        walker(ground, 0.2)


# Walks


def test_the_default_walk_is_the_trot_of_links(ground):
    walk = Walk()
    mine, theirs = walk.stand_on(sf.Plane(mu=0.5)), ground
    assert np.array_equal(mine.home().q, theirs.home().q)
    limits = walking_limits(ground)
    pipeline = walk.pipeline(mine, DT)
    other = walker(ground, Command(0.2, ramp=0.5), "trot", DT, torque_limits=limits)
    a, b = (
        sf.Simulator(s, DT).rollout(s.home(), p.policy(), duration=0.5) for s, p in ((mine, pipeline), (theirs, other))
    )
    assert np.array_equal(a.q, b.q)


def test_default_limits_are_the_files_and_at_most_half_the_weight_on_a_stretched_leg(tmp_path, ground):
    most = 0.5 * ground.mass * 9.81 * Legs(ground).reach.max()
    assert walking_limits(ground) == pytest.approx(np.tile([-most, most], (12, 1)))
    weak, strong = (Walk.from_toml(files(tmp_path, effort=effort)).stand_on(sf.Plane()) for effort in (3, 1000))
    assert np.array_equal(walking_limits(weak), np.tile([-3.0, 3.0], (12, 1)))
    most = 0.5 * 4.6 * 9.81 * 0.95 * 0.24
    assert walking_limits(strong) == pytest.approx(np.tile([-most, most], (12, 1)))


def test_a_file_lets_a_urdf_walk(tmp_path):
    walk = Walk.from_toml(files(tmp_path, effort=4))
    ground = walk.stand_on(sf.Plane(mu=walk.mu))
    assert tuple(foot.name for foot in ground.feet) == FEET
    assert (walk.gait, walk.mu, walk.kp) == (Gait.named("trot", period=0.4, step_height=0.02), 0.8, 1500)
    home = dict(zip(ground.joints, ground.home().q[ground.joint_positions], strict=True))
    assert home == {
        j: {"thigh": 0.6, "knee": -1.2}.get(j.split("_")[2], 0.0) * (-1 if "hind" in j else 1) for j in home
    }
    # two links of 0.12 m at 0.6 rad to either side, and the foot's radius
    assert ground.home().q[2] == pytest.approx(0.24 * np.cos(0.6) + 0.015, abs=1e-9)
    pipeline = walk.pipeline(ground, DT)
    trace = sf.Simulator(ground, DT).rollout(ground.home(), pipeline.policy(), duration=3.0)
    _, x, y, _ = trace.q[:, 3:7].T
    assert (1 - 2 * (x**2 + y**2)).min() >= 0.99
    assert trace.q[-1, :2] == pytest.approx((0.42, 0.0), abs=0.08)
    assert np.abs(trace.torque).max() <= 4.0 + 1e-9  # the file's effort


def test_feet_that_nobody_names_are_put_in_order(tmp_path):
    path = files(tmp_path, "\n".join(line for line in TOML.splitlines() if not line.startswith("feet")))
    ground = Walk.from_toml(path).stand_on(sf.Plane())
    assert tuple(foot.name for foot in ground.feet) == FEET


def test_places_of_the_feet_make_the_stance(ground):
    places = Legs(ground).home + np.array([0.0, 0.0, 0.02])
    lower = Walk(places=places).stand_on(sf.Plane(mu=0.5))
    assert Legs(lower).home == pytest.approx(places, abs=1e-9)
    assert lower.home().q[2] == pytest.approx(ground.home().q[2] - 0.02, abs=1e-9)


def test_feet_of_a_bundled_robot_in_another_order():
    names = ["RH_FOOT", "LF_FOOT", "RF_FOOT", "LH_FOOT"]
    assert [foot.name for foot in Walk(feet=names).stand_on(sf.Plane()).feet] == names


def test_what_is_bolted_down_cannot_walk():
    with pytest.raises(sf.InputError, match=r"^robot: 'arm' is bolted down and cannot walk$"):
        Walk("arm").stand_on(sf.Plane())


def test_a_joint_of_the_stance_that_does_not_exist():
    with pytest.raises(
        sf.InputError, match=r"^joints: no actuated joint is called 'knee'; The choices are: LF_X1, .*, RH_Y3$"
    ):
        Walk(joints={"knee": 1.0}).stand_on(sf.Plane())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", 'expected a robot, such as robot = "my_robot.urdf", got none'),
        ("robot = 3", "robot: expected a bundled name or a path, got 3"),
        (
            "robot = 'links'\ngaits = 3",
            "no key is called 'gaits'; did you mean 'gait'? The choices are: robot, feet, torque_limit, gait, stance, "
            "command, gains, ground",
        ),
        ("robot = 'links'\nfeet = 'all'", "feet: expected a list of names or a table of sphere radii in m, got 'all'"),
        ("robot = 'links'\nfeet = {A = 'x'}", "feet.A: expected a finite number, got 'x'"),
        ("robot = 'links'\ngait = 'trot'", "gait: expected a table, [gait], got 'trot'"),
        (
            "robot = 'links'\n[gait]\nperiode = 1",
            "[gait]: no key is called 'periode'; did you mean 'period'? The choices are: name, touchdown, duty, "
            "period, step_height, overshoot, redirect, reach_speed, stand",
        ),
        (
            "robot = 'links'\n[gait]\nname = 'gallop'",
            "[gait] name: expected one of 'trot', 'walk', 'pace', 'bound', got 'gallop'",
        ),
        (
            "robot = 'links'\n[gait]\nname = 'trot'\ntouchdown = [0]",
            "[gait] name, touchdown: expected one of them, got both",
        ),
        (
            "robot = 'links'\n[gait]\ntouchdown = [0, 'x']",
            "[gait] touchdown: expected an array of numbers, got list",
        ),
        ("robot = 'links'\n[gait]\nperiod = 'long'", "[gait] period: expected a finite number, got 'long'"),
        (
            "robot = 'links'\n[gait]\nduty = 1.5",
            "[gait] duty[0]: expected a share of the period between 0 and 1, got 1.5",
        ),
        ("robot = 'links'\n[gait]\nstand = 1", "[gait] stand: expected true or false, got 1"),
        ("robot = 'links'\n[stance]\njoints = 3", "[stance] joints: expected a table of numbers by name, got 3"),
        ("robot = 'links'\n[stance]\nplaces = [1]", "[stance] places: expected shape (any, 3), got (1,)"),
        ("robot = 'links'\n[command]\nforward = true", "[command] forward: expected a finite number, got True"),
        ("robot = 'links'\n[command]\nwaypoints = [1]", "[command] waypoints: expected shape (any, 2), got (1,)"),
        ("robot = 'links'\n[gains]\nkp = -1", "[gains] kp: expected a number of at least 0, got -1"),
        ("robot = 'links'\n[gains]\nkp = inf", "[gains] kp: expected a finite number, got inf"),
        ("robot = 'links'\n[gains]\nkd = {LF_X1 = -1}", "[gains] kd.LF_X1: expected a number of at least 0, got -1"),
        ("robot = 'links'\ntorque_limit = 'a'", "torque_limit: expected a finite number, got 'a'"),
        ("robot = 'links'\ntorque_limit = {LF_X1 = nan}", "torque_limit.LF_X1: expected a finite number, got nan"),
        (
            "robot = 'links'\n[ground]\nmu = -1",
            "[ground] mu: expected a friction coefficient of at least 0 (inf allowed), got -1",
        ),
        ("robot = ", "not readable as TOML: Invalid value (at end of document)"),
    ],
)
def test_wrong_files(tmp_path, text, error):
    path = write(tmp_path, text, "walk.toml")
    with pytest.raises(sf.InputError) as caught:
        Walk.from_toml(path)
    assert str(caught.value).replace(f"{path}: ", "", 1) == error
    assert str(caught.value).startswith(str(path))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(sf.InputError) as caught:
        Walk.from_toml(tmp_path / "no.toml")
    assert str(caught.value) == f"{tmp_path / 'no.toml'}: cannot be read: No such file or directory"


def test_all_keys_arrive(tmp_path):
    text = """
    robot = "links"
    feet = ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"]
    torque_limit = inf
    gait = {touchdown = [0, 0.5, 0.5, 0], duty = [0.6, 0.6, 0.7, 0.7], stand = false}
    stance = {joints = {LF_X1 = 0.1}}
    command = {forward = 0.1, left = 0.02, turn = 0.3, ramp = 0.0}
    gains = {kp = {LF_X1 = 100}, kd = 10}
    ground = {mu = inf}
    """
    walk = Walk.from_toml(write(tmp_path, text, "walk.toml"))
    assert (walk.robot, walk.torque_limits, walk.mu) == ("links", np.inf, np.inf)
    assert walk.gait == Gait((0.0, 0.5, 0.5, 0.0), duty=[0.6, 0.6, 0.7, 0.7], stand=False)
    assert (walk.forward, walk.left, walk.turn, walk.ramp) == (0.1, 0.02, 0.3, 0.0)
    assert (walk.joints, walk.kp, walk.kd) == ({"LF_X1": 0.1}, {"LF_X1": 100}, 10)
    ground = walk.stand_on(sf.Plane(mu=walk.mu))
    assert walk.pipeline(ground, DT).stages[0].params.tolist() == [0.1, 0.02, 0.3, 0.0]


def test_waypoints_of_a_file(tmp_path):
    text = "robot = 'links'\n[command]\nforward = 0.1\nturn = 0.3\nwaypoints = [[0.2, 0.0], [0.0, 0.1]]"
    walk = Walk.from_toml(write(tmp_path, text, "walk.toml"))
    stage = walk.command(sf.load("links"))
    assert isinstance(stage, Waypoints)
    assert stage.points.tolist() == [[0.2, 0.0], [0.0, 0.1]]
    assert stage.params[1:3].tolist() == [0.1, 0.3]
    assert Walk(waypoints=[(1.0, 0.0)]).command(sf.load("links")).params[1:3].tolist() == [0.2, 0.5]


def test_a_joint_of_a_file_may_have_no_limit(tmp_path):
    walk = Walk.from_toml(write(tmp_path, "robot = 'links'\ntorque_limit = {LF_X1 = inf, LF_Y2 = 2}", "walk.toml"))
    assert walk.torque_limits == {"LF_X1": np.inf, "LF_Y2": 2.0}
    walk.pipeline(walk.stand_on(sf.Plane()), DT)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (None, "path: expected a file name, got None"),
        (5, "path: expected a file name, got 5"),
        ("a\0b.toml", "a\0b.toml: not readable as TOML: embedded null byte"),
    ],
)
def test_what_is_no_file_name(path, text):
    with pytest.raises(sf.InputError) as caught:
        Walk.from_toml(path)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ({"robot": ["links"]}, "robot: expected a bundled name or a path, got list"),
        ({"feet": 4}, "feet: expected a list of names, got 4"),
        ({"feet": ["LF_FOOT"] * 4}, "feet: 'LF_FOOT' stands there twice"),
        ({"feet": {"LF_FOOT": 0.1}}, "feet: expected a list of names, since links has its own feet, got sphere radii"),
        ({"left": "a", "waypoints": [(1.0, 0.0)]}, "left: expected a finite number, got 'a'"),
        (
            {"left": 0.1, "waypoints": [(1.0, 0.0)]},
            "left: expected none beside waypoints, which say where to go, got 0.1",
        ),
    ],
)
def test_wrong_walks(numbers, text):
    walk = Walk(**numbers)
    with pytest.raises(sf.InputError) as caught:
        walk.pipeline(walk.stand_on(sf.Plane()), DT)
    assert str(caught.value) == text


def test_a_walk_wants_a_robot():
    with pytest.raises(sf.InputError, match=r"^robot: expected a robot or scene \(see sf\.load\), got NoneType$"):
        Walk().pipeline(None, DT)
    with pytest.raises(sf.InputError, match=r"^robot: expected a floating base, but arm is bolted down$"):
        Walk().pipeline(sf.load("arm"), DT)


def test_loose_objects_stay_and_weigh_nothing(tmp_path):
    """Limits are of the robot's own weight, and a ball of its file is no part of it."""
    legs = "".join(
        f"<body pos='{x} {y} 0'><joint name='{x} {y}' axis='0 1 0'/><geom name='foot {x} {y}' size='.02' pos='0 0 -.2' "
        "mass='.1'/></body>"
        for x in (-0.2, 0.2)
        for y in (-0.1, 0.1)
    )
    ball = "<body name='ball' pos='2 0 .1'><freejoint/><geom size='.1' mass='1000'/></body>"
    trunk = f"<body name='trunk' pos='0 0 .22'><freejoint/><geom type='box' size='.2 .1 .05' mass='1'/>{legs}</body>"
    path = write(tmp_path, f"<mujoco><worldbody>{ball}{trunk}</worldbody></mujoco>", "both.xml")
    walk = Walk(path, feet=[f"foot {x} {y}" for x in (0.2, -0.2) for y in (0.1, -0.1)])
    ground = walk.stand_on(sf.Plane(mu=0.5))
    assert (ground.base, ground.objects) == ("trunk", ("ball",))
    assert weight(ground) == pytest.approx(1.4 * 9.81, rel=1e-12)
    most = 0.5 * 1.4 * 9.81 * 0.95 * 0.2
    assert walking_limits(ground) == pytest.approx(np.tile([-most, most], (4, 1)), rel=1e-9)
