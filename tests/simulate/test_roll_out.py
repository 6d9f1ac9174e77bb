import re
from itertools import count

import numpy as np
import pytest

import surefoot as sf
from surefoot.simulate.roll_out import PIECE
from tests.simulate.motions import trotting

DT = 1e-3
SAME = ("t", "q", "v", "torque", "wanted", "aim", "status", "residual", "method", "contact_start", "contact_geoms")
SAME += ("contact_points", "contact_frames", "contact_gaps", "contact_forces", "contact_velocities")


def same(first, second):
    for name in SAME:
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes(), name
    assert (first.end, first.prescribed, first.message) == (second.end, second.prescribed, second.message)


@sf.policy
def counts(t, q, v, torque_out, memory, params):
    """A law with a memory, so that a call too many or too few is seen."""
    memory[0] += 1.0
    for i in range(torque_out.shape[0]):
        torque_out[i] = 0.5 * np.sin(3.0 * memory[0] + i) - 0.02 * v[6 + i] + t
    return 0


def counting():
    """The same law in Python, new."""
    calls = count(1)

    def law(state):
        return 0.5 * np.sin(3.0 * next(calls) + np.arange(12)) - 0.02 * state.v[6:] + state.t

    return law


def swaying(robot):
    home = dict(zip(robot.joints, robot.home().q[7:], strict=True))
    return {joint: lambda t, joint=joint: home[joint] + 0.05 * np.sin(9.0 * t) for joint in robot.joints[:6]}


@pytest.fixture(scope="module")
def sim(links):
    return sf.Simulator(links, DT, control_dt=4 * DT)


def started(links):
    return links.state(v=np.linspace(-0.5, 0.5, links.nv), t=0.25)


def whole(sim, start, **given):
    return sim.rollout(start, duration=0.037, **{name: make() for name, make in given.items()})


def in_pieces(sim, start, piece, **given):
    run = sim.begin(start, duration=0.037, **{name: make() for name, make in given.items()})
    while run.going:
        run.advance(run.done + piece)
    assert run.done == run.steps == 37
    return run.trace()


@pytest.mark.parametrize("piece", [1, 3, 4, 10, 37, 1000])
def test_pieces_make_the_same_steps(sim, links, piece):
    def motions():
        return swaying(links)

    for given in ({"policy": lambda: counts.bind(memory=1)}, {"policy": counting}, {"motion": motions}):
        start = started(links)
        same(in_pieces(sim, start, piece, **given), whole(sim, start, **given))


@pytest.mark.parametrize("piece", [1, 7])
def test_pieces_of_a_compiled_motion_make_the_same_steps(sim, links, piece):
    start = links.state(t=0.25)
    for limits in (None, 2.0):
        given = {"motion": lambda: trotting(links), "torque_limits": lambda limits=limits: limits}
        same(in_pieces(sim, start, piece, **given), whole(sim, start, **given))


def test_pieces_make_the_same_steps_while_the_arrays_grow():
    boxes = [sf.Box(size=(0.1, 0.1, 0.1), mass=1.0, position=(0.3 * i, 0, 0.05), name=f"box {i}") for i in range(7)]
    pile = sf.scene(None, terrain=sf.Plane(mu=0.3), objects=boxes)
    start = pile.state(v=0.3 * np.random.default_rng(0).normal(size=pile.nv))
    sim = sf.Simulator(pile, DT)
    trace = sim.rollout(start, duration=0.037)
    assert trace.contact_start[-1] > 8 * 37 + 64  # more than the log first holds
    run = sim.begin(start, duration=0.037)
    seen = []
    while run.going:
        seen.append(run.log)
        run.advance(run.done + 5)
    same(run.trace(), trace)
    assert len(run.log.gaps) > len(seen[0].gaps)  # its arrays were replaced


def test_a_roll_out_tells_how_far_it_is(sim, links):
    start = started(links)
    run = sim.begin(start, counts.bind(memory=1), 0.02)
    assert (run.done, run.steps, run.now, run.going) == (0, 20, 0.25, True)
    run.advance(7)
    assert (run.done, run.now, run.going) == (7, 0.25 + 7 * DT, True)
    assert run.memory[0] == 2  # calls at steps 0 and 4
    run.advance(3)  # behind it: nothing
    run.advance(-1)
    assert run.done == 7
    assert np.array_equal(run.log.q[0], start.q)
    run.advance(10**9)
    assert (run.done, run.going) == (20, False)


def test_the_first_steps_are_a_trace(sim, links):
    start = started(links)
    run = sim.begin(start, counts.bind(memory=1), 0.02)
    run.advance(20)
    same(run.trace(8), sim.rollout(start, counts.bind(memory=1), 0.008))
    assert len(run.trace(0)) == 0
    kept = run.trace()
    kept.q[:] = 7.0  # a copy
    assert not (run.log.q == 7.0).any()


@pytest.mark.parametrize("done", [-1, 6, 2.5, "3", True])
def test_so_many_steps_there_are_not(sim, links, done):
    run = sim.begin(started(links), duration=0.01)
    run.advance(5)
    with pytest.raises(sf.InputError, match=f"^{re.escape(f'done: expected 0 to 5 steps, got {done!r}')}$"):
        run.trace(done)


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (0.0, "duration: expected a number above 0, got 0"),
        (-1.0, "duration: expected a number above 0, got -1"),
        (np.nan, "duration: expected a finite number, got nan"),
        (1e-5, "duration: expected at least one step of 0.001 s, got 1e-05"),
    ],
)
def test_durations_that_are_none(sim, links, duration, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        sim.begin(started(links), duration=duration)


def test_who_changes_the_parameters_changes_the_policy(links):
    @sf.policy
    def gives(t, q, v, torque_out, memory, params):
        torque_out[0] = params[0]
        return 0

    bound = gives.bind([1.0])
    run = sf.Simulator(links, DT).begin(links.home(), bound, 0.006)
    run.advance(3)
    run.params[0] = 2.0
    run.advance(6)
    assert run.trace().torque[:, 0].tolist() == [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    assert bound.params.tolist() == [1.0]


def test_a_policy_that_breaks_is_told_with_what_was_done(links):
    @sf.policy
    def breaks(t, q, v, torque_out, memory, params):
        if t > 0.0045:
            torque_out[99] = 1.0
        return 0

    run = sf.Simulator(links, DT).begin(links.home(), breaks, 0.01)
    text = "policy: breaks raised IndexError: index 99 is out of bounds for axis 0 with size 12, at t = 0.005 s"
    with pytest.raises(sf.InputError, match=f"^{text}$"):
        run.advance(10)
    assert (run.done, run.going) == (5, False)
    assert len(run.trace()) == 5


def test_a_policy_that_stops_ends_it(links):
    @sf.policy
    def stops(t, q, v, torque_out, memory, params):
        return 1 if t > 0.0025 else 0

    run = sf.Simulator(links, DT).begin(links.home(), stops, 0.01)
    run.advance(10)
    assert (run.done, run.going) == (3, False)
    assert run.trace().end is sf.Status.POLICY
    assert run.trace(2).ok


def test_a_torque_that_is_not_finite_ends_it(links):
    run = sf.Simulator(links, DT).begin(links.home(), lambda state: np.full(12, np.nan), 0.01)
    run.advance(10)
    assert (run.done, run.going) == (0, False)
    assert run.trace().end is sf.Status.NOT_FINITE


def test_progress_is_told_after_every_piece():
    ball = sf.scene(None, terrain=None, objects=[sf.Ball(radius=0.1, mass=1.0)])
    told = []
    trace = sf.Simulator(ball, DT).rollout(
        ball.home(), duration=4.5, progress=lambda done, steps: told.append((done, steps))
    )
    assert told == [(PIECE, 4500), (2 * PIECE, 4500), (4500, 4500)]
    assert trace.ok
