"""Where the feet are and how they move, seen from the base: against MuJoCo."""

import pickle
import re

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.control import ForwardKinematics, Pipeline
from surefoot.gait import Legs

DT = 1e-3
NAMES = ("foot_position_now", "foot_velocity_now")


def seen(robot, state, legs=None):
    """(feet, 3) places and velocities that the stage gives."""
    pipeline = Pipeline(robot, DT, [ForwardKinematics(legs or Legs(robot))])
    pipeline(state)
    return [pipeline.value(name) for name in NAMES]


def anywhere(robot, seed):
    """A state with base and joints anywhere, all of them moving."""
    rng = np.random.default_rng(seed)
    q, v = robot.home().q.copy(), rng.standard_normal(robot.nv)
    q[:7] = rng.standard_normal(7)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[robot.joint_positions] += 0.5 * rng.standard_normal(len(robot.joints))
    return robot.state(q=q, v=v)


def by_mujoco(robot, state):
    """The same, from velocities in the world."""
    model = robot.model
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.q, state.v
    mujoco.mj_forward(model, data)
    base = model.body(robot.base).id
    turn, origin, jacobian = data.xmat[base].reshape(3, 3), data.xpos[base], np.zeros((3, model.nv))
    places, velocities = [], []
    for foot in robot.feet:
        point = np.mean([data.geom_xpos[model.geom(name).id] for name in foot.geoms], axis=0)
        mujoco.mj_jac(model, data, jacobian, None, point, model.body(foot.body).id)
        moved_along = state.v[:3] + np.cross(turn @ state.v[3:6], point - origin)
        places.append(turn.T @ (point - origin))
        velocities.append(turn.T @ (jacobian @ state.v - moved_along))
    return np.array(places), np.array(velocities)


@pytest.mark.parametrize("name", ["links", "links-light"])
@pytest.mark.parametrize("seed", range(3))
def test_as_mujoco_sees_the_feet_from_the_base(name, seed):
    robot = sf.load(name)
    state = anywhere(robot, seed)
    for ours, theirs in zip(seen(robot, state), by_mujoco(robot, state), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_velocities_are_the_change_of_the_places(links):
    state, h = anywhere(links, 5), 1e-6
    later = state.q.copy()
    later[links.joint_positions] += h * state.v[links.dofs]
    there, here = seen(links, state.replace(q=later))[0], seen(links, state)[0]
    np.testing.assert_allclose(seen(links, state)[1], (there - here) / h, atol=1e-5)


def test_how_the_base_moves_does_not_matter(links):
    state = anywhere(links, 6)
    q, v = state.q.copy(), state.v.copy()
    q[:7], v[:6] = links.home().q[:7], 0.0
    for one, other in zip(seen(links, state), seen(links, state.replace(q=q, v=v)), strict=True):
        assert np.array_equal(one, other)


def test_with_loose_objects_beside_it():
    robot = sf.load("links")
    scene = sf.scene(robot, objects=[sf.Box(size=(0.1, 0.1, 0.1), mass=1.0, position=(1.0, 0.0, 0.1))])
    state = scene.home().replace(v=np.arange(scene.nv) / 10.0)
    alone = robot.home().replace(v=state.v[:18])
    for one, other in zip(seen(scene, state), seen(robot, alone), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-14)


def test_a_copy_sees_the_same_and_a_slow_one_holds_what_it_saw(links):
    pipeline = Pipeline(links, DT, [ForwardKinematics(Legs(links), every=2)])
    twin = pickle.loads(pickle.dumps(pipeline))
    states = [anywhere(links, seed).replace(t=seed * DT) for seed in range(3)]
    places = []
    for state in states:
        pipeline(state)
        twin(state)
        assert np.array_equal(pipeline.value(NAMES[0]), twin.value(NAMES[0]))
        places.append(pipeline.value(NAMES[0]).copy())
    assert np.array_equal(places[0], places[1])
    assert not np.array_equal(places[1], places[2])


MISTAKES = [
    (lambda robot: ForwardKinematics(robot), "legs: expected Legs (see sf.gait), got Scene"),
    (
        lambda robot: ForwardKinematics(Legs(robot, ["RF_FOOT", "LF_FOOT"])),
        "legs: expected all feet in the robot's order (LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT), got RF_FOOT, LF_FOOT",
    ),
    (
        lambda robot: ForwardKinematics(Legs(robot), every=0),
        "stage 'forward_kinematics': every: expected a number of at least 1, got 0",
    ),
]


@pytest.mark.parametrize(("call", "text"), MISTAKES)
def test_is_refused_in_these_words(links, call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call(links)
