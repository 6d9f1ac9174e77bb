import math

import numpy as np
import pytest

import surefoot as sf
from surefoot.robots.scene import Foot
from surefoot.simulate.log import new_log
from surefoot.traces.events import events_of
from tests.contact.scenes import ball, block
from tests.traces import small

DT = 1e-3


def happened(scene, duration, state=None, *, dt=DT, done=None, **settings):
    """Events of a roll-out as (t, kind, feature)."""
    run = sf.Simulator(scene, dt, **settings).begin(scene.home() if state is None else state, duration=duration)
    run.advance(run.steps)
    assert run.done == run.steps
    columns = events_of(scene, run.log, run.start.t, dt, run.done if done is None else done)
    return list(zip(columns["t"], columns["kind"], columns["feature"], strict=True))


def near(t, steps=2.0):
    return pytest.approx(t, abs=steps * DT)


def test_a_ball_that_is_dropped_touches_down_when_galileo_says():
    scene = ball(above=0.02)
    falls = math.sqrt(2 * 0.02 / 9.81)
    assert happened(scene, 0.1) == [(near(falls), "touchdown", "ball/ground")]
    later = happened(scene, 0.1, scene.state(t=3.0))
    assert later == [(near(3.0 + falls), "touchdown", "ball/ground")]


def test_what_stands_touches_from_the_start():
    assert happened(block(), 0.02) == [(0.0, "touchdown", "box/ground")]  # four points, one event


def test_what_is_thrown_up_lifts_off_and_comes_back():
    scene = ball()
    up = scene.state(v=[0, 0, 0.2, 0, 0, 0])
    flies = 2 * 0.2 / 9.81
    assert happened(scene, 0.1, up) == [(near(flies), "touchdown", "ball/ground")]
    pushed = happened(small.flyer(), 0.02)
    assert pushed == []  # in the air


def test_a_foot_that_is_pulled_up_lifts_off():
    body = '<geom name="ground" type="plane" size="5 5 1"/><body name="foot" pos="0 0 0.05"><joint name="lift" '
    body += 'type="slide" axis="0 0 1"/><geom name="foot" type="sphere" size="0.05" mass="1"/></body>'
    robot = small.scene(body, joints=("lift",), feet=(Foot("foot", "foot", ("foot",)),))
    run = sf.Simulator(robot, DT).begin(robot.home(), lambda state: [30.0 if 0.02 < state.t < 0.04 else 0.0], 0.3)
    run.advance(run.steps)
    columns = events_of(robot, run.log, 0.0, DT, run.done)
    speed = (30.0 - 9.81) * 0.019
    height = 0.5 * (30.0 - 9.81) * 0.019**2
    back = 0.04 + (speed + math.sqrt(speed**2 + 2 * 9.81 * height)) / 9.81
    assert columns["kind"] == ["touchdown", "liftoff", "touchdown"]
    assert columns["t"] == [0.0, near(0.021), near(back, 4)]
    assert columns["feature"] == ["foot/ground"] * 3


def test_a_box_that_slides_sticks_when_friction_has_stopped_it():
    scene = block(mu=0.5, size=(0.4, 0.4, 0.02))
    found = happened(scene, 0.2, scene.state(v=[0.5, 0, 0, 0, 0, 0]))
    stops = (0.5 - 0.01) / (0.5 * 9.81)  # below 1 cm/s it sticks
    assert found == [(0.0, "touchdown", "box/ground"), (near(stops), "stick", "box/ground")]


def test_a_box_that_is_pushed_slips_and_sticks_again():
    scene = block(mu=0.5, size=(0.4, 0.4, 0.02))
    run = sf.Simulator(scene, DT).begin(scene.home(), duration=0.2)
    for until, force in ((50, 0.0), (100, 9.81), (200, 0.0)):
        run.plant.space.data.qfrc_applied[0] = force
        run.advance(until)
    columns = events_of(scene, run.log, 0.0, DT, run.done)
    faster = 0.01 / (0.5 * 9.81)
    stops = 0.1 + (0.05 * 0.5 * 9.81 - 0.01) / (0.5 * 9.81)
    assert columns["kind"] == ["touchdown", "slip", "stick"]
    assert columns["t"] == [0.0, near(0.05 + faster), near(stops)]


def test_what_flickers_is_no_event():
    """A ball that bounces touches for a step at a time."""
    found = happened(ball(above=0.02), 0.25, restitution=0.8)
    assert [kind for _, kind, _ in found if kind == "liftoff"] == []
    quick = happened(ball(above=0.02), 0.1, dt=5e-3)  # a step as long as a touch must be
    assert [kind for _, kind, _ in quick] == ["touchdown"]


@pytest.mark.parametrize(
    ("place", "v", "kind", "feature"),
    [
        ((0.45, 0.0, 0.3), (1.0, 0.0, 0.0), "strike", "ball/step side"),
        ((0.45, 0.0, 0.25), (1.0, 0.0, 0.0), "strike", "ball/step side"),
        ((1.0, 0.0, 0.56), (0.0, 0.0, -0.5), "touchdown", "ball/step top"),
        ((0.47, 0.0, 0.55), (0.6, 0.0, -1.0), "touchdown", "ball/step edge"),
        ((0.45, 0.0, 0.53), (1.0, 0.0, -0.6), "strike", "ball/step edge"),
    ],
)
def test_sides_tops_and_edges_of_a_step(place, v, kind, feature):
    """A ball of 5 cm against a step that begins at x = 0.5 m and is 0.5 m high; nothing falls."""
    world = '<geom name="step" type="box" size="1 1 0.25" pos="1.5 0 0.25"/><body name="ball"><freejoint name="ball"/>'
    world += '<geom name="ball" type="sphere" size="0.05" mass="1"/></body>'
    scene = small.scene(world, '<option gravity="0 0 0"/>', objects=("ball",))
    # a wind presses it on, so that it stays where it touches
    run = sf.Simulator(scene, DT).begin(scene.state([*place, 1, 0, 0, 0], [*v, 0, 0, 0]), duration=0.05)
    run.plant.space.data.qfrc_applied[:3] = 5.0 * np.array(v)
    run.advance(50)
    columns = events_of(scene, run.log, 0.0, DT, run.done)
    assert (columns["kind"][0], columns["feature"][0]) == (kind, feature)


def test_a_steep_box_has_its_own_sides():
    """A ramp of 60 degrees is struck, though with its top."""
    turn = math.pi / 3
    world = f'<geom name="ramp" type="box" size="1 1 0.1" pos="0 0 0" euler="0 {turn} 0"/>'
    world += '<body name="ball"><freejoint name="ball"/><geom name="ball" type="sphere" size="0.05" mass="1"/></body>'
    scene = small.scene(world, '<option gravity="0 0 0"/>', objects=("ball",))
    normal = np.array([math.sin(turn), 0.0, math.cos(turn)])
    run = sf.Simulator(scene, DT).begin(scene.state([*(0.16 * normal), 1, 0, 0, 0], [*-normal, 0, 0, 0]), duration=0.03)
    run.plant.space.data.qfrc_applied[:3] = -5.0 * normal
    run.advance(30)
    columns = events_of(scene, run.log, 0.0, DT, run.done)
    assert (columns["kind"], columns["feature"]) == (["strike"], ["ball/ramp top"])


def test_only_the_steps_that_are_asked_for_count():
    scene = ball(above=0.02)
    falls = math.sqrt(2 * 0.02 / 9.81)
    assert happened(scene, 0.1, done=int(falls / DT) - 2) == []
    assert happened(scene, 0.1, done=0) == []


def test_an_empty_log_has_empty_columns():
    scene = ball()
    log = new_log(5, scene, scene.home())
    assert events_of(scene, log, 0.0, DT, 0) == {"t": [], "kind": [], "feature": []}


def test_events_are_in_order_of_their_beginning():
    balls = [sf.Ball(radius=0.02, mass=0.1, position=(0.1 * i, 0, 0.02 + 0.002 * i), name=f"b{i}") for i in range(5)]
    scene = sf.scene(None, terrain=sf.Plane(mu=0.5), objects=balls[::-1])
    found = happened(scene, 0.05)
    assert found == [(near(math.sqrt(2 * 0.002 * i / 9.81)), "touchdown", f"b{i}/ground") for i in range(5)]


def test_more_events_than_the_list_first_holds():
    scene, steps = ball(), 10_000
    log = new_log(steps, scene, scene.home())
    on = np.arange(steps) // 5 % 2 == 0  # five steps on, five off
    log.start[1:] = np.cumsum(on)
    log.geoms[:], log.forces[:], log.velocities[:] = [1, 0], [1.0, 0.0, 0.0], 0.0
    log.frames[:] = np.eye(3)[[2, 0, 1]]
    columns = events_of(scene, log, 0.0, DT, steps)
    assert columns["kind"] == ["touchdown", "liftoff"] * 1000
    assert columns["t"] == pytest.approx(5 * DT * np.arange(2000))
    assert set(columns["feature"]) == {"ball/ground"}


def test_geoms_without_a_name_have_that_of_their_body():
    world = '<geom name="ground" type="plane" size="5 5 1"/><body name="thing" pos="0 0 0.05"><freejoint/>'
    scene = small.scene(world + '<geom size="0.05" mass="1"/></body>', objects=("thing",))
    assert happened(scene, 0.01) == [(0.0, "touchdown", "thing geom 1/ground")]
