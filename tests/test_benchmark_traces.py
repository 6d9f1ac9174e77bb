"""The set on particle traces: every method has the same robots, and they walk."""

import mujoco
import numpy as np
import pytest
from benchmarks import crowd, particle_traces
from benchmarks.crowd import Crowd
from benchmarks.harness import Laps, Method, Problem, Record, Result
from benchmarks.peers import mujoco_crowd
from benchmarks.sets import traces
from benchmarks.summary import summarise
from benchmarks.workers import Worker, together

ROBOTS, DURATION = 3, 1
SETTING = traces.TEST_SET.settings[0]


def _problem(size=particle_traces.ONE, workers=1, one_by_one=False):
    return Problem(size, size, Crowd(ROBOTS, DURATION, 5, workers, one_by_one), work=ROBOTS * DURATION)


def test_a_worker_does_it_again_and_tells_of_errors():
    workers = [Worker(int), Worker(int)]
    assert together(workers, ["3", "4"]) == [3, 4]
    assert together(workers, [None, "5"]) == [3, 5]
    workers[0].send("six")
    with pytest.raises(RuntimeError) as caught:
        workers[0].receive()
    assert str(caught.value) == "ValueError: invalid literal for int() with base 10: 'six'"
    assert together(workers[:1], ["1"]) == [1]
    for worker in workers:
        worker.close()


def test_shares_are_all_robots_once():
    shares = Crowd(7, 2, 1, 2).shares()
    assert [share[:2] for share in shares] == [(2, 1), (2, 1)]
    assert sorted(number for share in shares for number in share[2]) == list(range(7))


def test_standing_needs_height_and_a_level_base():
    poses = np.array([[0, 0, 0.16, 1, 0, 0, 0], [0, 0, 0.05, 1, 0, 0, 0], [0, 0, 0.16, 0.7, 0.7, 0, 0], [np.nan] * 7])
    assert crowd.standing(poses).tolist() == [True, False, False, False]
    found = crowd.verdict(crowd.standing(poses))
    assert (found.residual, found.counts) == (0.75, {"robots": 4, "upright": 1})


def test_the_pd_is_that_of_numpy():
    policy = crowd.scenario(DURATION).controller("pd")[0]
    goals, rates, _ = crowd.reference(DURATION)
    rng = np.random.default_rng(0)
    q, v, torque = rng.standard_normal(19), rng.standard_normal(18), np.zeros(12)
    for k in (0, 1, 17, 999):
        policy(k * crowd.DT, q, v, torque, np.zeros(0), policy.params)
        assert torque == pytest.approx(crowd.KP * (goals[k] - q[7:]) + crowd.KD * (rates[k] - v[6:]), abs=1e-12)


def test_robots_of_peers_are_those_of_the_traces():
    scenario = crowd.scenario(DURATION)
    models, q, v = mujoco_crowd._crowd(DURATION, 5, (0, 2))
    assert models[0].body_mass.sum() == pytest.approx(scenario.nominal().mass)
    trace = scenario.replay("pd", 2, seed=5)
    assert np.array_equal(trace.scene.model.body_mass, models[1].body_mass)
    assert np.array_equal(trace.scene.model.body_pos, models[1].body_pos)
    assert not np.array_equal(models[0].body_pos, models[1].body_pos)
    assert np.array_equal(trace.q[0], q[1])
    assert np.array_equal(trace.v[0], v[1])
    assert {model.opt.timestep for model in models} == {crowd.DT}


def test_batch_servos_and_the_python_loop_are_one_controller():
    told = mujoco_crowd.stepped((DURATION, 5, tuple(range(ROBOTS))))
    poses = np.array([pose for _, pose in told])
    task = mujoco_crowd.batch().prepare(_problem(), SETTING)
    task.reset()
    task.call()
    assert task.judge(None).counts == {"robots": ROBOTS, "upright": ROBOTS}
    states = mujoco_crowd.open_loop().prepare(_problem(), SETTING).call()
    assert states.shape[:2] == (ROBOTS, 1000)
    assert states[:, -1, 1:8] == pytest.approx(poses, abs=1e-3)  # rounding differs, and feet slip
    assert crowd.standing(poses).all()


def test_servos_give_the_torque_of_the_pd():
    model = crowd.scenario(DURATION).nominal().model
    servo, rng = mujoco_crowd.servos(model), np.random.default_rng(1)
    data, goal, rate = mujoco.MjData(servo), 0.1 * rng.standard_normal(12), 0.1 * rng.standard_normal(12)
    data.qpos[7:], data.qvel[6:] = 0.1 * rng.standard_normal(12), rng.standard_normal(12)
    data.ctrl[:] = goal + crowd.KD / crowd.KP * rate
    mujoco.mj_forward(servo, data)
    wanted = crowd.KP * (goal - data.qpos[7:]) + crowd.KD * (rate - data.qvel[6:])
    assert data.qfrc_actuator[6:] == pytest.approx(np.clip(wanted, -7.3, 7.3), abs=1e-12)
    assert (model.actuator_biastype == mujoco.mjtBias.mjBIAS_NONE).all()


def test_ours_walk_robot_by_robot_and_alone():
    told = particle_traces.traced(("pd", DURATION, 5, (0, 1)))
    assert [upright for _, upright in told] == [True, True]
    assert all(seconds > 0 for seconds, _ in told)
    for method in (particle_traces.walk(), particle_traces.alone()):
        task = method.prepare(_problem(), SETTING)
        laps = task.call()
        assert isinstance(laps, Laps)
        assert len(laps.seconds) == ROBOTS
        assert task.judge(laps.answer).residual == 0.0


def test_clocked_results_say_when_they_were():
    clocked = particle_traces.Clocked(crowd.scenario(DURATION))
    result = clocked.trace("pd", 1, 5)
    assert 0.0 < result.final["ended"] - result.final["began"] < 60.0
    again = crowd.scenario(DURATION).trace("pd", 1, 5)
    assert {name: result.final[name] for name in again.final} == again.final
    assert clocked.header() == crowd.scenario(DURATION).header()


def test_processes_do_all_robots():
    method = particle_traces.joint_pd()
    whole = method.prepare(_problem(particle_traces.TWO, 2), SETTING)
    told = whole.call()
    assert len(told) == ROBOTS
    assert whole.judge(told).counts == {"robots": ROBOTS, "upright": ROBOTS}
    laps = method.prepare(_problem(particle_traces.EACH, 1, True), SETTING).call()
    assert len(laps.seconds) == ROBOTS
    assert min(laps.seconds) > 0.0


def test_the_engine_does_all_robots():
    task = particle_traces.engine().prepare(_problem(particle_traces.TWO, 2), SETTING)
    laps = task.call()
    found = task.judge(laps.answer)
    assert len(laps.seconds) == 1
    assert (found.residual, found.counts["upright"]) == (0.0, ROBOTS)
    counts = found.counts
    assert 0 < counts["ms in traces"] <= counts["ms of its processes"] + 1 <= counts["ms of workers"] + 2
    assert counts["ms before the first"] > 0


def test_time_of_processes_is_summed():
    process, began, ended = np.array([[7, 9, 7, 9], [1.0, 1.5, 2.0, 3.0], [2.0, 2.5, 4.0, 3.5]])
    assert particle_traces._spans(process, began, ended) == (4.0 - 1.0) + (3.5 - 1.5)


def test_bars_compare_the_right_rows():
    seconds = {
        (particle_traces.TWO, "surefoot"): 0.01,
        (particle_traces.TWO, "surefoot-processes"): 0.008,
        (particle_traces.ONE, "surefoot"): 0.02,
        (particle_traces.ONE, "surefoot-walk"): 0.03,
    }
    methods = [
        Method(name, "none", lambda problem, setting: pytest.fail("asked"))
        for name in ("surefoot", "surefoot-processes", "surefoot-walk")
    ]
    counts = {"ms in traces": 80, "ms of workers": 100}
    records = [
        Record(traces.NAME, size, "p", name, value, 1, True, 0.0, counts=counts if name == "surefoot" else {})
        for (size, name), value in seconds.items()
    ]
    rows = summarise(Result(traces.TEST_SET, methods, [], records))
    assert [bar.measure(rows) for bar in traces.TEST_SET.bars] == pytest.approx([100.0, 3.0, 0.2, 0.8])


def test_problems_are_the_same_crowds_for_one_and_two_workers():
    quick, full = traces.problems(True), traces.problems(False)
    assert [problem.size for problem in quick] == [particle_traces.ONE, particle_traces.TWO, particle_traces.EACH]
    assert len(full) == 3 * traces.SEEDS
    for problem in full:
        assert problem.work == problem.data.robots * problem.data.duration
        assert problem.data.workers == (2 if problem.size == particle_traces.TWO else 1)
