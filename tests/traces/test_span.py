import gc
import re
from weakref import ref

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.traces.span import last_moment, of_scene, scratch, span_of_log
from tests.contact.scenes import ball, block
from tests.traces import small

NAMES = ("t", "q", "v", "torque", "start", "geoms", "points", "frames", "gaps", "forces", "velocities")


@pytest.fixture(scope="module")
def run():
    """A box that lands on one of its edges: its contacts come and go."""
    scene = block(above=0.004)
    begun = sf.Simulator(scene, 1e-3).begin(scene.state(v=[0.2, 0, 0, 1, 2, 0], t=0.5), duration=0.06)
    begun.advance(60)
    return begun


def span_of(run, first, last):
    detection = run.plant.space.detection
    return span_of_log(run.plant.scene, run.log, run.start.t, run.plant.dt, detection, first, last)


def test_a_span_of_all_steps_is_that_of_the_trace(run):
    of_log, of_trace = span_of(run, 0, 60), small.span_of_trace(run.trace(), run.plant.space.detection)
    for name in NAMES:
        assert np.array_equal(getattr(of_log, name), getattr(of_trace, name)), name
    assert (of_log.near, of_log.touch, len(of_log)) == (of_trace.near, of_trace.touch, 60)
    assert of_log.near == pytest.approx(4.5e-3)  # 1.5 steps at 3 m/s


def test_a_span_of_some_steps_is_a_cut(run):
    whole, some = span_of(run, 0, 60), span_of(run, 17, 43)
    assert np.array_equal(some.t, 0.5 + 1e-3 * np.arange(17, 43))
    assert np.array_equal(some.q, whole.q[17:43])
    rows = slice(whole.start[17], whole.start[43])
    assert rows.stop > rows.start
    assert some.start[0] == 0
    for name in ("geoms", "points", "frames", "gaps", "forces", "velocities"):
        assert np.array_equal(getattr(some, name), getattr(whole, name)[rows])
    for k in range(26):
        assert some.start[k + 1] - some.start[k] == whole.start[18 + k] - whole.start[17 + k]


def test_the_last_moment_has_the_state_then_and_the_contacts_of_the_last_step(run):
    span = span_of(run, 50, 60)
    end = last_moment(span, run.log.q[60], run.log.v[60], run.now)
    assert len(end) == 1
    assert (end.t[0], end.start.tolist()) == (0.56, [0, span.start[10] - span.start[9]])
    assert np.array_equal(end.q[0], run.log.q[60])
    assert np.array_equal(end.v[0], run.log.v[60])
    assert np.array_equal(end.gaps, span.gaps[span.start[9] :])
    assert end.start[1] > 0
    assert np.array_equal(end.torque, span.torque[-1:])


def test_the_least_of_each_step(run):
    span = span_of(run, 5, 55)
    chosen = span.gaps > 5e-4
    assert 0 < chosen.sum() < len(chosen)
    wanted = []
    for k in range(len(span)):
        rows = [i for i in range(span.start[k], span.start[k + 1]) if chosen[i]]
        wanted.append(min((span.gaps[i] for i in rows), default=7.0))
    assert span.least(chosen, span.gaps, 7.0).tolist() == wanted
    assert 7.0 in wanted


def test_the_base_of_robots_and_of_things():
    flyer = small.flyer()
    assert np.array_equal(small.span(flyer, duration=0.003).base[0], flyer.home().q[:7])
    rod = sf.scene(small.rod(), objects=[sf.Ball(radius=0.1, mass=1.0, position=(1, 2, 3))])
    assert small.span(rod, duration=0.003).base[0].tolist() == [1, 2, 3, 1, 0, 0, 0]


def test_a_bolted_robot_alone_has_no_base():
    span = small.span(small.rod(), duration=0.003)
    text = re.escape("base: 'made' has no base that floats and no loose object")
    with pytest.raises(sf.InputError, match=f"^{text}$"):
        _ = span.base


def test_places_and_clearances_are_mujocos():
    flyer = small.flyer()
    span = small.span(flyer, flyer.state(v=[0, 0, 0, 1, 2, 3, 5]), 0.02)
    data = mujoco.MjData(flyer.model)
    trunk, sole, ground = (flyer.model.geom(name).id for name in ("trunk", "sole", "ground"))
    near = span.clearances(np.array([[trunk, sole], [ground, sole]]), 1, 0.5)
    places = span.places([sole, trunk])
    for k in (0, 7, 19):
        data.qpos[:] = span.q[k]
        mujoco.mj_kinematics(flyer.model, data)
        assert np.array_equal(places[k], data.geom_xpos[[sole, trunk]])
        wanted = [mujoco.mj_geomDistance(flyer.model, data, a, sole, 0.5, None) for a in (trunk, ground)]
        assert near[k] == pytest.approx(min(wanted), abs=1e-12)
    assert span.geom_names() == ["ground", "trunk", "leg", "sole"]


def test_looking_changes_no_plant(run):
    before = run.plant.space.data.qpos.copy()
    span = span_of(run, 0, 60)
    span.places([0])
    span.clearances(np.array([[0, 1]]), 1, 0.1)
    assert np.array_equal(run.plant.space.data.qpos, before)


def test_what_is_known_of_a_scene_is_asked_once_and_forgotten_with_it():
    asked = []

    @of_scene
    def name(scene):
        asked.append(scene.name)
        return scene.name

    first, second = ball(), ball()
    assert [name(first), name(first), name(second)] == [first.name] * 3
    assert len(asked) == 2
    assert scratch(first) is scratch(first)
    assert scratch(first) is not scratch(second)
    gone = ref(first)
    del first
    gc.collect()
    assert gone() is None
