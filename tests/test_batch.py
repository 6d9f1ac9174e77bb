import numpy as np
import pytest

import surefoot as sf
from surefoot import batch

DT = 1e-3


def many(robot, count, seed=0):
    rng = np.random.default_rng(seed)
    Q = np.tile(robot.home().q, (count, 1))
    V = 0.02 * rng.standard_normal((count, robot.nv))
    return Q, V, 0.1 * rng.standard_normal((count, len(robot.joints)))


@pytest.mark.parametrize("law", ["coulomb", "dissipative", sf.Dissipative(smooth="change")], ids=str)
def test_every_state_as_by_itself_on_any_number_of_threads(links, law):
    Q, V, A = many(links, 150)
    one = sf.inverse_dynamics_batch(links, (Q, V), A, dt=DT, law=law, threads=1)
    two = sf.inverse_dynamics_batch(links, (Q, V), A, dt=DT, law=law, threads=2)
    assert one.ok.all()
    assert np.array_equal(one.torque, two.torque)
    assert np.array_equal(one.velocity, two.velocity)
    assert one.residual.max() <= 1e-8
    for i in (0, 77, 149):
        single = sf.inverse_dynamics(links, sf.State(Q[i], V[i]), A[i], dt=DT, law=law)
        assert np.array_equal(single.torque, one.torque[i])
        assert one.status(i) is sf.Status.SOLVED


@pytest.mark.parametrize("law", ["coulomb", "dissipative", "soft"])
def test_the_second_call_is_as_the_first_and_sees_a_changed_model(law):
    robot = sf.load("links")
    Q, V, A = many(robot, 100)
    first = sf.inverse_dynamics_batch(robot, (Q, V), A, dt=DT, law=law)
    sf.inverse_dynamics_batch(robot, (Q, -V), -A, dt=DT, law=law)
    again = sf.inverse_dynamics_batch(robot, (Q, V), A, dt=DT, law=law)
    assert np.array_equal(first.torque, again.torque)
    robot.model.body_mass *= 2.0
    heavy = sf.inverse_dynamics_batch(robot, (Q, V), A, dt=DT, law=law)
    assert np.abs(heavy.torque - first.torque).max() > 0.1 * np.abs(first.torque).max()
    assert len(batch._IDLE) <= batch.MOST_IDLE


def test_states_as_a_list(links):
    Q, V, A = many(links, 3)
    states = [sf.State(q, v) for q, v in zip(Q, V, strict=True)]
    listed = sf.inverse_dynamics_batch(links, states, A, dt=DT)
    assert np.array_equal(listed.torque, sf.inverse_dynamics_batch(links, (Q, V), A, dt=DT).torque)
    assert len(listed) == 3
    assert len(sf.inverse_dynamics_batch(links, [], np.zeros((0, 12)), dt=DT)) == 0


def test_a_state_without_an_answer_spoils_no_other(links):
    Q, V, A = many(links, 4)
    A[2] = 1e4  # feet dragged apart
    result = sf.inverse_dynamics_batch(links, (Q, V), A, dt=DT, law=sf.NoSlip(release=False))
    alone = sf.inverse_dynamics_batch(links, (Q[:1], V[:1]), A[:1], dt=DT, law=sf.NoSlip(release=False))
    assert np.array_equal(result.torque[0], alone.torque[0], equal_nan=True)
    for i in np.flatnonzero(~result.ok):
        assert np.isnan(result.torque[i]).all()
        assert np.isnan(result.velocity[i]).all()
        assert result.status(int(i)) is not sf.Status.SOLVED


@pytest.mark.parametrize(
    ("states", "accelerations", "text"),
    [
        ((np.zeros((2, 3)), np.zeros((2, 18))), np.zeros((2, 12)), r"states\[0\]: expected shape \(any, 19\)"),
        ((np.zeros((2, 19)), np.zeros((3, 18))), np.zeros((2, 12)), r"states\[1\]: expected shape \(2, 18\)"),
        ([1, 2], np.zeros((2, 12)), r"states\[0\]: expected a State, got int"),
        ((np.ones((2, 19)), np.zeros((2, 18))), np.zeros((2, 5)), r"accelerations: expected shape \(2, 12\)"),
    ],
)
def test_wrong_shapes_are_named(links, states, accelerations, text):
    with pytest.raises(sf.InputError, match=text):
        sf.inverse_dynamics_batch(links, states, accelerations, dt=DT)
