import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from tests.contact.scenes import ball, block
from tests.test_answer import plates


@pytest.fixture(scope="module")
def sliding():
    """Twenty steps of a block that slides, from t = 2 s."""
    scene = block(mu=0.3)
    state = scene.state(v=[1.0, 0, 0, 0, 0, 0], t=2.0)
    return sf.Simulator(scene, dt=1e-3).rollout(state, duration=0.02)


def test_shapes_and_times(sliding):
    assert len(sliding) == 20
    assert sliding.t == pytest.approx(2.0 + 1e-3 * np.arange(21))
    assert sliding.q.shape == (21, 7)
    assert sliding.v.shape == (21, 6)
    assert sliding.torque.shape == (20, 0)
    assert sliding.status.tolist() == [0] * 20
    assert sliding.contact_start.tolist() == list(range(0, 84, 4))
    assert sliding.contact_forces.shape == (80, 3)
    assert sliding.ok
    assert sliding.message == "20 steps, all solved"
    assert sliding.end is sf.Status.SOLVED


def test_numbers_are_those_of_mechanics(sliding):
    assert np.diff(sliding.v[:, 0]) == pytest.approx(np.full(20, -0.3 * 9.81e-3))
    for k in range(20):
        rows = sliding.contacts_of(k)
        assert sliding.contact_forces[rows, 0].sum() == pytest.approx(9.81)
        assert sliding.contact_forces[rows, 1].sum() == pytest.approx(-0.3 * 9.81)
        assert sliding.contact_velocities[rows, 1] == pytest.approx(sliding.v[k + 1, 0])


def test_states(sliding):
    first, last = sliding.state(0), sliding.state()
    assert (first.t, last.t) == (2.0, pytest.approx(2.02))
    assert np.array_equal(last.q, sliding.q[20])
    assert np.array_equal(sliding.state(-2).v, sliding.v[19])


@pytest.mark.parametrize("step", [21, -22, 0.5, "a", None, True])
def test_a_state_that_is_not_there(sliding, step):
    with pytest.raises(InputError, match="step: expected -21 to 20, got"):
        sliding.state(step)


@pytest.mark.parametrize("step", [20, -1])
def test_contacts_that_are_not_there(sliding, step):
    with pytest.raises(InputError, match=f"step: expected 0 to 19, got {step}"):
        sliding.contacts_of(step)


def test_a_replay_is_the_same_step(sliding):
    for step in (0, 7, 19):
        answer = sliding.replay(step)
        assert np.array_equal(answer.velocity, sliding.v[step + 1])
        assert np.array_equal(answer.forces, sliding.contact_forces[sliding.contacts_of(step)])
    assert np.array_equal(sliding.replay().velocity, sliding.v[20])


def test_a_replay_knows_the_plants_restitution():
    scene = ball()
    trace = sf.Simulator(scene, dt=1e-3, restitution=0.5).rollout(scene.state(v=[0, 0, -1.0, 0, 0, 0]), duration=0.001)
    assert trace.v[1, 2] == pytest.approx(0.5)
    assert trace.replay(0).velocity[2] == pytest.approx(0.5)


def test_to_pandas(sliding):
    states, contacts = sliding.to_pandas()
    assert len(states) == 20
    assert len(contacts) == 80
    assert list(states.columns)[:3] == ["t", "status", "q0"]
    assert set(states["status"]) == {"SOLVED"}
    assert contacts["name"].iloc[0] == "box on ground #1"
    assert contacts.groupby("step")["force normal"].sum().to_numpy() == pytest.approx(np.full(20, 9.81))
    assert np.array_equal(states["v0"], sliding.v[:20, 0])


def test_torques_are_those_applied():
    robot = sf.load("arm")
    trace = sf.Simulator(robot, dt=1e-3, control_dt=2e-3).rollout(
        robot.home(), lambda state: np.full(11, state.t), duration=0.005
    )
    assert trace.torque[:, 0] == pytest.approx([0, 0, 0.002, 0.002, 0.004])
    assert "torque X_1" in trace.to_pandas()[0].columns


def test_plot_writes_a_picture(sliding, tmp_path):
    assert sliding.plot(tmp_path / "slide.png").stat().st_size > 1000
    with pytest.raises(InputError, match="path: expected a file name, got 3"):
        sliding.plot(3)


# Roll-outs that stop


def test_a_nan_stops_it_and_can_be_replayed():
    robot = sf.load("arm")

    def breaks(state):
        return np.full(11, np.nan if state.t > 0.0035 else 0.0)

    trace = sf.Simulator(robot, dt=1e-3).rollout(robot.home(), breaks, duration=0.01)
    assert not trace.ok
    assert len(trace) == 4
    assert trace.end is sf.Status.NOT_FINITE
    assert trace.message.startswith("stopped at step 4, t = 0.004 s: not finite:")
    assert trace.message.endswith("; trace.replay() runs that step again")
    assert np.isnan(trace.failed_torque).all()
    assert trace.replay().status is sf.Status.NOT_FINITE
    assert np.isfinite(trace.q).all()


def test_a_policy_that_stops_leaves_what_was_done():
    @sf.policy
    def stop(t, q, v, torque_out, memory, params):
        return 7 if t > 0.0025 else 0

    robot = sf.load("arm")
    trace = sf.Simulator(robot, dt=1e-3).rollout(robot.home(), stop, duration=0.01)
    assert len(trace) == 3
    assert trace.end is sf.Status.POLICY
    assert trace.failed_torque is None
    assert trace.message == f"stopped at step 3, t = 0.003 s: {sf.Status.POLICY}"
    assert np.array_equal(trace.replay().velocity, trace.v[3])


def test_a_trace_without_steps_says_so():
    robot = sf.load("arm")
    trace = sf.Simulator(robot, dt=1e-3).rollout(robot.home(), lambda state: np.full(11, np.nan), duration=0.01)
    assert len(trace) == 0
    assert trace.state().t == 0.0
    with pytest.raises(InputError, match="step: the trace has no steps to choose from, got 0"):
        trace.contacts_of(0)
    assert [len(table) for table in trace.to_pandas()] == [0, 0]


def test_scenes_with_more_contacts_than_the_log_expects():
    boxes = [sf.Box(size=(0.2, 0.2, 0.1), mass=1, position=(0.5 * i, 0, 0.05), name=f"b{i}") for i in range(9)]
    scene = sf.scene(None, terrain=sf.Plane(mu=0.5), objects=boxes)
    trace = sf.Simulator(scene, dt=1e-3).rollout(scene.home(), duration=0.02)
    assert trace.ok
    assert trace.contact_start[-1] == 20 * 36
    assert trace.contact_forces[:, 0].sum() == pytest.approx(20 * 9 * 9.81)


def test_free_plates_are_simulated_where_prescribed_ones_are_refused():
    scene = plates()
    trace = sf.Simulator(scene, dt=1e-3).rollout(scene.home(), lambda state: [1.0, 1.0], duration=0.01)
    assert trace.ok
    assert trace.contact_forces[:, 0].max() > 0.9
