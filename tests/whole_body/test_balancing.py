"""Robots squat, shift their weight, lift their feet and are pushed, in our plant and in MuJoCo's."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.report.balancing import balancing
from surefoot.report.balancing_plot import figure, plot_balance
from surefoot.whole_body import balancer, largest_push, lifts, ready, shifts, squats, stand
from surefoot.whole_body.push_recovery import DIRECTIONS

PLANTS = ("rigid", "mujoco")
REAL = {"example:solo12": {"meshes": "spheres"}, "example:a1": {}, "example:g1": {}}


def ground(robot, mu=0.7):
    return ready(sf.scene(robot, terrain=sf.Plane(mu=mu)))


def act(scene, moves, plant="rigid", seconds=None, pushes=(), **options):
    """Trace and numbers of a balancing act."""
    pipeline = balancer(scene, moves, 1e-3, **options)
    simulator = sf.MujocoPlant(scene, 1e-3) if plant == "mujoco" else sf.Simulator(scene, 1e-3)
    seconds = moves.duration if seconds is None else seconds
    trace = simulator.rollout(scene.home(), pipeline.policy(), duration=seconds, pushes=pushes)
    return trace, balancing(trace, pipeline)


@pytest.mark.parametrize("plant", PLANTS)
def test_links_squats_and_shifts_its_weight(links, plant):
    scene = ground(links)
    trace, found = act(scene, squats(scene, 1.5).then(shifts(scene, 3.0)), plant)
    assert trace.ok
    assert found.fell is None
    assert found.error < 3e-4
    assert found.worst < 1e-3
    assert np.degrees(found.lean) < 0.3
    assert found.solved == len(trace)
    assert not found.disagrees.any()
    assert max(found.slips.values()) < (1e-6 if plant == "rigid" else 1e-2)
    assert np.ptp(found.centre[:, 2]) > 0.02


@pytest.mark.parametrize("plant", PLANTS)
def test_links_lifts_a_foot(links, plant):
    scene = ground(links)
    trace, found = act(scene, lifts(scene, feet=["RF_FOOT"]), plant)
    assert trace.ok
    assert found.fell is None
    assert found.error < 3e-4
    rise = found.feet[:, :, 2] - found.feet[0, :, 2]
    assert rise[:, 1].max() == pytest.approx(0.0169, abs=5e-4)
    assert np.abs(rise[:, [0, 2, 3]]).max() < 2e-3
    assert (~found.stance[:, 1]).sum() > 500


def test_a_push_is_survived_up_to_some_impulse(links):
    scene = ground(links)
    pipeline = balancer(scene, stand(scene), 1e-3)
    told = []
    way = (np.cos(DIRECTIONS["left"]), np.sin(DIRECTIONS["left"]))
    found = largest_push(
        sf.Simulator(scene, 1e-3), pipeline.policy(), scene.home(), way, duration=1.5, progress=told.append
    )
    assert 1.0 < found.survived < found.fell < 1.06 * found.survived
    assert told == list(range(1, found.tried + 1))
    for impulse, falls in ((found.survived, False), (found.fell, True)):
        push = sf.Push((0.0, impulse / 0.1, 0.0), 0.2)
        assert (act(scene, stand(scene), seconds=1.5, pushes=[push])[1].fell is not None) == falls


@pytest.mark.parametrize("plant", PLANTS)
def test_a_push_changes_momentum_by_its_impulse_in_flight(links, plant):
    scene = links
    start = scene.home().q.copy()
    start[2] += 1.0
    simulator = sf.MujocoPlant(scene, 1e-3) if plant == "mujoco" else sf.Simulator(scene, 1e-3)
    push = sf.Push((20.0, -10.0, 0.0), 0.05, 0.1)
    trace = simulator.rollout(sf.State(start, np.zeros(scene.nv), 0.0), None, duration=0.2, pushes=[push])
    again = simulator.rollout(sf.State(start, np.zeros(scene.nv), 0.0), None, duration=0.2)
    momentum = [_momentum(scene, trace.q[-1], trace.v[-1]), _momentum(scene, again.q[-1], again.v[-1])]
    np.testing.assert_allclose(momentum[0][:2], [2.0, -1.0], atol=2e-2)
    np.testing.assert_allclose(momentum[1][:2], 0.0, atol=1e-6)


def _momentum(scene, q, v):
    import mujoco

    data = mujoco.MjData(scene.model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(scene.model, data)
    mujoco.mj_subtreeVel(scene.model, data)
    root = scene.model.body(scene.base).rootid[0]
    return scene.model.body_subtreemass[root] * data.subtree_linvel[root]


def test_pushes_are_checked(links):
    with pytest.raises(sf.InputError, match=r"^pushes: expected a list of sf.Push, got Push$"):
        sf.Simulator(links).rollout(links.home(), None, 0.01, pushes=sf.Push((1.0, 0.0, 0.0), 0.0))
    with pytest.raises(sf.InputError, match=r"^pushes: expected a list of sf.Push, got int in it$"):
        sf.MujocoPlant(links).rollout(links.home(), None, 0.01, pushes=[1])


def test_on_ice_the_plain_program_slips_and_the_check_says_so_before(links):
    """The program counts on mu 0.7 and the ground has 0.05: told in the very call whose torques make a foot slip."""
    scene = ground(links, mu=0.05)
    moves = shifts(scene, 3.0, mu=0.7)
    _, blind = act(scene, moves, mu=0.7)
    assert blind.first_slip is not None
    assert blind.seen <= blind.first_slip
    assert max(blind.slips.values()) > 1e-3
    _, unasked = act(scene, moves, mu=0.7, check="trust", seconds=0.5)
    assert not unasked.asked
    assert not unasked.disagrees.any()


def test_on_ice_who_counts_on_what_there_is_does_not_slip(links):
    scene = ground(links, mu=0.05)
    _, within = act(scene, shifts(scene, 3.0))
    assert within.fell is None
    assert within.first_slip is None
    assert within.error < 3e-4
    _, beyond = act(scene, shifts(scene, 2.0, share=0.25, period=1.0, mu=0.7))
    assert beyond.fell is None
    assert max(beyond.slips.values()) < 1e-3  # m/s: it settles, it does not slide
    assert beyond.worst > 0.01, "it keeps its feet, and cannot follow"


@pytest.mark.parametrize("pushes", [[], [sf.Push((0.0, 5.0, 0.0), 1.0)]], ids=["alone", "pushed"])
def test_on_ice_a_corrected_program_neither_falls_nor_flings_its_feet(links, pushes):
    """Contacts given up as slipping or lifting are free to move, but stay where they are if nothing else wants."""
    scene = ground(links, mu=0.05)
    moves = shifts(scene, 3.0, mu=0.7)
    _, told = act(scene, moves, mu=0.7, pushes=pushes)
    assert told.fell is not None
    _, found = act(scene, moves, mu=0.7, check="correct", pushes=pushes)
    assert found.fell is None
    assert max(found.slips.values()) < 5e-3
    assert (found.feet[:, :, 2] - found.feet[0, :, 2]).max() < 2e-3
    assert found.disagrees.sum() < 0.5 * told.disagrees.sum()
    assert found.unanswered == 0


def test_a_planned_foot_is_held_in_a_push_that_found_contacts_do_not_survive(links):
    """Held by touch and stopped within a step links falls at 4.5 N s forward; as planned within 20 ms it does not."""
    scene = ground(links)
    _, found = act(scene, stand(scene), seconds=3.0, pushes=[sf.Push((48.0, 0.0, 0.0), 0.2)])
    assert found.fell is None


def test_limits_that_gave_way_are_counted_as_such(links):
    """Feet that must push with 20 N each lift a robot of 47 N against motors that hardly can."""
    scene = ground(links)
    trace, found = act(scene, stand(scene), seconds=0.05, least_force=20.0, torque_limits=0.2)
    assert found.gave_way > 0
    assert found.unanswered == 0
    assert found.solved + found.gave_way == len(trace)


def test_numbers_need_a_trace_of_their_own(links):
    scene = ground(links)
    pipeline = balancer(scene, stand(scene), 1e-3)
    trace = sf.Simulator(scene).rollout(scene.home(), None, duration=0.01)
    with pytest.raises(sf.InputError, match=r"^trace: at t = 0 s this pipeline gives other torques"):
        balancing(trace, pipeline)
    with pytest.raises(sf.InputError, match=r"^trace: expected a Trace of sim.rollout, got NoneType$"):
        balancing(None, pipeline)
    other = sf.control.Pipeline(scene, 1e-3, [sf.control.Hold(scene)])
    text = "^pipeline: expected one that leads a centre of mass, see sf.whole_body.balancer, got hold$"
    with pytest.raises(sf.InputError, match=text):
        balancing(trace, other)


def test_a_fall_is_drawn_too(links, tmp_path):
    scene = ground(links)
    trace, found = act(scene, stand(scene), seconds=0.7, pushes=[sf.Push((0.0, 60.0, 0.0), 0.1)])
    assert found.fell is not None
    assert plot_balance(trace, found, tmp_path / "fall.png").stat().st_size > 10_000
    panels = figure(trace, found).axes
    assert [panel.get_xlim()[1] for panel in panels if panel.get_title() == "torque"] == [pytest.approx(found.fell)]


@pytest.mark.real
@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("name", REAL)
def test_real_robots_squat_shift_their_weight_and_lift_their_feet(name, plant):
    scene = ground(sf.load(name, **REAL[name]))
    moves = squats(scene, 5.0).then(shifts(scene, 5.0)).then(lifts(scene))
    trace, found = act(scene, moves, plant, torque_limits=scene.torque_limits)
    assert trace.ok
    assert found.fell is None
    assert found.error < 1e-3
    assert found.worst < 5e-3
    assert np.degrees(found.lean) < 1.0
    assert (found.feet[:, :, 2].max(axis=0) - found.feet[0, :, 2]).min() > 0.015
    assert found.unanswered == 0


@pytest.mark.real
@pytest.mark.parametrize("name", REAL)
def test_real_robots_survive_a_push(name):
    scene = ground(sf.load(name, **REAL[name]))
    push = sf.Push((1.5 * scene.mass, 1.5 * scene.mass, 0.0), 0.2)
    _, found = act(scene, stand(scene), seconds=3.0, pushes=[push], torque_limits=scene.torque_limits)
    assert found.fell is None
