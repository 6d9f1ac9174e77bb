"""Virtual forces under the standing feet: known directions, SciPy's least squares, and robots that tilt less."""

import re

import mujoco
import numpy as np
import pytest
import scipy.optimize

import surefoot as sf
from surefoot.control import Balance, Command, GaitPlanner, Hold, InverseKinematics, JointPID, Pipeline, Stage, stage
from surefoot.gait import Gait, Legs, Planner, stance

DT = 1e-3
SHORT = 0.3
STANCES = [(1, 1, 1, 1), (1, 0, 0, 1), (0, 1, 1, 0), (1, 1, 1, 0), (0, 0, 1, 0)]


def stand(pattern=(1, 1, 1, 1)):
    """A planner that says which feet stand."""

    def say(board, t):
        board["stance"] = pattern

    return Stage("stand", "planning", writes=("stance",), function=say)


def tilted(robot, roll=0.0, pitch=0.0, w=(0.0, 0.0, 0.0), lower=0.0, seed=None):
    """Home with the base turned and moving; a seed moves the joints as well."""
    q, v = robot.home().q.copy(), np.zeros(robot.nv)
    mujoco.mju_euler2Quat(q[3:7], [0.3, pitch, roll], "zyx")
    q[2] -= lower
    v[3:6] = w
    if seed is not None:
        q[7:] += 0.2 * np.random.default_rng(seed).standard_normal(12)
    return robot.state(q=q, v=v)


def balanced(robot, state, pattern=(1, 1, 1, 1), **numbers):
    """Torques and forces of one tick."""
    pipeline = Pipeline(robot, DT, [stand(pattern), Balance(Legs(robot), **numbers)])
    torque = pipeline(state).copy()
    return torque, pipeline.value("balance_force").copy()


def by_mujoco(robot, state):
    """In the base's frame: the vertical, the feet from the centre of mass and from the base (feet, 3), Jacobians."""
    model = robot.model
    data, jacobians, places = mujoco.MjData(model), [], []
    data.qpos[:] = state.q
    mujoco.mj_forward(model, data)
    base = model.body(robot.base).id
    turn = data.xmat[base].reshape(3, 3)
    for foot in robot.feet:
        full, point = np.zeros((3, model.nv)), data.geom_xpos[model.geom(foot.geoms[0]).id]
        mujoco.mj_jac(model, data, full, None, point, model.body(foot.body).id)
        jacobians.append(turn.T @ full[:, robot.dofs])
        places.append(turn.T @ point)
    places = np.array(places)
    return turn[2], places - turn.T @ data.subtree_com[base], places - turn.T @ data.xpos[base], np.array(jacobians)


@pytest.mark.parametrize(
    ("state", "pushes"),
    [
        ({"roll": 0.1}, [False, True, False, True]),  # left side up: the right feet push
        ({"roll": -0.1}, [True, False, True, False]),
        ({"pitch": 0.1}, [True, True, False, False]),  # nose down: the front feet push
        ({"pitch": -0.1}, [False, False, True, True]),
        ({"w": (0.5, 0.0, 0.0)}, [False, True, False, True]),
        ({"w": (0.0, -0.5, 0.0)}, [False, False, True, True]),
    ],
)
def test_the_low_side_pushes(links, state, pushes):
    _, force = balanced(links, tilted(links, **state))
    assert (force >= 0.0).all()
    assert np.array_equal(force > 0.05 * force.max(), pushes)


@pytest.mark.parametrize("pattern", STANCES)
def test_forces_and_torques_are_those_of_scipy_and_mujoco(links, pattern):
    rng = np.random.default_rng(0)
    kp, kd, height = np.array([50.0, 40.0, 800.0]), np.array([5.0, 6.0, 20.0]), 0.18
    standing, home = np.array(pattern, dtype=bool), Legs(links).home
    lever = np.linalg.norm(home[:, :2] - home[:, :2].mean(axis=0), axis=1).mean()
    soft, pushing = SHORT * lever * np.eye(standing.sum()), 0
    for seed in range(8):
        roll, pitch, *w = 0.2 * rng.standard_normal(5)
        state = tilted(links, roll, pitch, w, seed=seed)
        torque, force = balanced(links, state, pattern, kp=kp, kd=kd, height=height)
        up, arms, places, jacobians = by_mujoco(links, state)
        error = np.array([roll, pitch, np.mean(-places[standing] @ up) - height])
        wanted = (-kp * error - kd * [*w[:2], 0.0]) * [1.0, 1.0, lever]
        A = np.column_stack([np.cross(arms, up)[:, :2], np.full(4, lever)]).T[:, standing]
        expected = np.zeros(4)
        expected[standing] = scipy.optimize.nnls(np.vstack([A, soft]), [*wanted, *np.zeros(standing.sum())])[0]
        np.testing.assert_allclose(force, expected, atol=1e-8)
        np.testing.assert_allclose(torque, np.einsum("f,k,fkj->j", -force, up, jacobians), atol=1e-9)
        pushing += np.count_nonzero(force > 0.1)
    assert 0 < pushing < 8 * standing.sum()


@pytest.mark.parametrize("pattern", STANCES[:4])
@pytest.mark.parametrize("seed", range(3))
def test_the_ground_turns_the_robot_back(links, pattern, seed):
    """The virtual wrench works against the tilt, and is never larger than what is wanted."""
    roll, pitch = 0.2 * np.random.default_rng(seed).standard_normal(2)
    state = tilted(links, roll, pitch)
    _, force = balanced(links, state, pattern, kp=(50.0, 50.0, 0.0))
    up, arms, _, _ = by_mujoco(links, state)
    moment = (force[:, None] * np.cross(arms, up)).sum(axis=0)[:2]
    against = -moment @ [roll, pitch] / np.hypot(roll, pitch)
    assert 0.0 < against <= 50.0 * np.hypot(roll, pitch)


def test_level_and_at_rest_it_gives_nothing(links):
    torque, force = balanced(links, tilted(links))
    assert not torque.any()
    assert not force.any()


@pytest.mark.parametrize("height", [0.05, 0.3])
def test_where_nobody_stands_it_gives_nothing(links, height):
    state = tilted(links, 0.3, -0.2, (1.0, 2.0, 3.0))
    torque, force = balanced(links, state, (0, 0, 0, 0), kp=(50.0, 50.0, 1e3), height=height)
    assert not torque.any()
    assert not force.any()


def test_it_lifts_a_low_base_but_pulls_no_high_one_down(links):
    gains = {"kp": (0.0, 0.0, 1e3), "kd": (0.0, 0.0, 0.0)}
    now = -Legs(links).home[:, 2].mean()
    _, force = balanced(links, links.home(), height=now + 0.01, **gains)
    assert force == pytest.approx(np.full(4, force.mean()), rel=1e-9)
    assert force.sum() == pytest.approx(10.0 / (1.0 + 0.25 * SHORT**2), rel=1e-9)
    _, force = balanced(links, links.home(), height=now - 0.01, **gains)
    assert not force.any()


def test_one_foot_alone_lifts_the_base(links, tmp_path):
    file = tmp_path / "hopper.xml"
    file.write_text(links.spec.to_xml())
    hopper = sf.load(file, feet=["LF_FOOT"])
    height = -Legs(hopper).home[0, 2] + 0.01
    _, force = balanced(hopper, hopper.home(), (1,), kp=(0.0, 0.0, 1e3), kd=(0.0, 0.0, 0.0), height=height)
    assert force == pytest.approx([10.0 / (1.0 + SHORT**2)], rel=1e-9)


@pytest.mark.parametrize("angles", [(0.1, 0.0), (0.0, -0.1), (-0.05, 0.05)])
def test_on_the_ground_the_base_begins_to_turn_back(links, angles):
    """Level feet under a tilted base: one step of simulation with the torques, and one without."""
    state, legs = tilted(links, *angles), Legs(links)
    q = state.q.copy()
    q[7:] = legs.angles(stance(legs, orientation=(*angles, 0.0)))
    state = links.state(q=q)
    torque, _ = balanced(links, state)
    simulator = sf.Simulator(links, dt=DT)
    plain, pushed = (simulator.step(state, tau)[0].v[3:5] for tau in (np.zeros(12), torque))
    assert (pushed - plain) @ angles < -0.1 * np.hypot(*angles)


# In simulation


@stage(phase="planning", writes=("stance",))
def all_stand(t, board, where, memory, params):
    for foot in range(4):
        board[where[0] + foot] = 1.0
    return 0


def tilt(robot, stages, start, duration, mu=0.5):
    """Angle of the base against level at each time, in degrees."""
    ground = sf.scene(robot, terrain=sf.Plane(mu=mu))
    trace = sf.Simulator(ground, dt=DT).rollout(start, Pipeline(robot, DT, stages).policy(), duration=duration)
    assert trace.end is sf.Status.SOLVED
    return np.degrees(np.arccos(np.clip(1.0 - 2.0 * (trace.q[:, 4] ** 2 + trace.q[:, 5] ** 2), -1.0, 1.0)))


@pytest.mark.parametrize("w", [(6.0, 0.0, 0.0), (0.0, 6.0, 0.0), (-10.0, 0.0, 0.0)])
def test_a_standing_robot_that_is_pushed_tilts_less(links, w):
    legs, v = Legs(links), np.zeros(18)
    v[3:6] = w
    stages = [Hold(links), all_stand, JointPID(links, kp=20.0, kd=0.1)]
    start = links.home().replace(v=v)
    plain, helped = (tilt(links, [*stages, *more], start, 1.0) for more in ([], [Balance(legs)]))
    assert plain.max() >= 3.0
    assert helped.max() <= 0.5 * plain.max()
    assert helped[500:].max() <= 0.5


@pytest.mark.parametrize("mu", [0.3, 0.5])
def test_a_trotting_robot_on_soft_joints_tilts_less(links, mu):
    legs = Legs(links)
    planner = Planner(legs, Gait.named("trot", period=0.3, duty=0.75, step_height=0.015), DT)
    stages = [Command(0.15, ramp=0.3), GaitPlanner(planner), InverseKinematics(legs, DT)]
    stages += [JointPID(links, kp=20.0, kd=0.1)]
    plain, helped = (tilt(links, [*stages, *more], links.home(), 3.0, mu) for more in ([], [Balance(legs)]))
    assert plain.mean() >= 2.0
    assert helped.mean() <= 0.5 * plain.mean()
    assert helped.max() <= 5.0


MISTAKES = [
    (lambda legs: Balance(None), "legs: expected Legs (see sf.gait), got NoneType"),
    (lambda legs: Balance(legs, kp=10.0), "kp: expected shape (3,), got ()"),
    (lambda legs: Balance(legs, kd=(1.0, -1.0, 0.0)), "kd of pitch: expected a number of at least 0, got -1"),
    (lambda legs: Balance(legs, kd=(1.0, np.nan, 0.0)), "kd: expected finite numbers, got nan at index 1"),
    (lambda legs: Balance(legs, height=0.0), "height: expected a number above 0, got 0"),
    (
        lambda legs: Pipeline(legs.robot, DT, [Balance(legs)]),
        "stages: 'balance' reads 'stance', which no stage before it writes",
    ),
]


@pytest.mark.parametrize(("call", "text"), MISTAKES)
def test_is_refused_in_these_words(links, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(Legs(links))
