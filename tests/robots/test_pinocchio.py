import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import InputError
from surefoot.robots.load import example_robot, load
from tests.robots.files import BALL, TWO_HINGES, from_mjcf, joint, link, robot, walker, write

pin = pytest.importorskip("pinocchio", reason="the oracle of these tests is Pinocchio (extra `test`)")

# Joints whose file order is not Pinocchio's, one of them continuous.
TREE = robot(
    link("root"),
    link("z_link"),
    link("a_link"),
    link("tip"),
    joint("z", "root", "z_link"),
    joint("a", "root", "a_link", "continuous", axis="1 0 0", inside=""),
    joint("m", "z_link", "tip", "prismatic", axis="0 0 1"),
)


def pair(scene, file):
    """Pinocchio's model of the same file."""
    if scene.base is None:
        return pin.buildModelFromUrdf(str(file))
    return pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())


def random_state(scene, seed):
    rng = np.random.default_rng(seed)
    q = np.array(scene.home().q)
    mujoco.mj_integratePos(scene.model, q, rng.normal(size=scene.nv), 1.0)
    return q, rng.normal(size=scene.nv)


def inertia_error(scene, pin_model, seed=0):
    """Largest difference of the two inertia matrices, relative to their largest entry."""
    q, v = random_state(scene, seed)
    q_pin, _ = scene.to_pinocchio(q, v, pin_model=pin_model)
    theirs = pin.crba(pin_model, pin_model.createData(), q_pin)
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    turn = np.array([scene.to_pinocchio(q, e, pin_model=pin_model)[1] for e in np.eye(scene.nv)]).T
    data = mujoco.MjData(scene.model)
    data.qpos[:] = q
    mujoco.mj_forward(scene.model, data)
    ours = np.empty((scene.nv, scene.nv))
    mujoco.mj_fullM(scene.model, data, ours)
    return np.abs(turn.T @ theirs @ turn - ours).max() / np.abs(ours).max()


@pytest.fixture(scope="module", params=["bolted", "floating", "walker"])
def both(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("urdf")
    file = write(folder, walker() if request.param == "walker" else TREE)
    scene = load(file, floating=request.param != "bolted")
    return scene, pair(scene, file)


# Known answers


def test_one_free_body_by_hand(tmp_path):
    scene = from_mjcf(tmp_path, BALL.format("ball", 1))
    half = np.sqrt(0.5)  # a quarter turn about z: body x is world y
    q, v = [1, 2, 3, half, 0, 0, half], [0, 5, 0, 0.1, 0.2, 0.3]
    q_pin, v_pin = scene.to_pinocchio(q, v)
    assert q_pin == pytest.approx([1, 2, 3, 0, 0, half, half])
    assert v_pin == pytest.approx([5, 0, 0, 0.1, 0.2, 0.3])


# Properties


@given(st.integers(0, 2**32 - 1))
def test_there_and_back(both, seed):
    scene, pin_model = both
    q, v = random_state(scene, seed)
    for model in (None, pin_model):
        back_q, back_v = scene.from_pinocchio(*scene.to_pinocchio(q, v, pin_model=model), pin_model=model)
        # A continuous joint comes back within a turn.
        turn = (back_q - q) / (2 * np.pi)
        assert np.allclose(turn, np.round(turn), atol=1e-12)
        assert np.allclose(back_v, v, atol=1e-12)


# Oracle: Pinocchio


def test_our_guess_of_the_order_is_pinocchios(both):
    scene, pin_model = both
    q, v = random_state(scene, 1)
    guessed, known = scene.to_pinocchio(q, v), scene.to_pinocchio(q, v, pin_model=pin_model)
    assert np.array_equal(guessed[0], known[0])
    assert np.array_equal(guessed[1], known[1])


def test_inertia_agrees(both):
    assert inertia_error(*both) < 1e-12


@pytest.mark.real
@pytest.mark.parametrize("name", ["a1", "solo12", "go1", "go2", "anymal", "talos", "ur5", "panda"])
def test_inertia_agrees_for_real_robots(name):
    scene = load(f"example:{name}")
    pin_model = pair(scene, example_robot(name))
    assert inertia_error(scene, pin_model) < 1e-12
    q, v = random_state(scene, 2)
    assert np.array_equal(scene.to_pinocchio(q, v)[0], scene.to_pinocchio(q, v, pin_model=pin_model)[0])


# Edge cases and errors


def test_loose_objects_are_left_out_and_come_back_at_home(tmp_path):
    scene = from_mjcf(tmp_path, BALL.format("ball", 1) + TWO_HINGES)
    q, v = scene.home().q, np.zeros(scene.nv)
    q_pin, v_pin = scene.to_pinocchio(q, v)
    assert (len(q_pin), len(v_pin)) == (2, 2)
    assert np.array_equal(scene.from_pinocchio(q_pin, v_pin)[0], q)


def test_joints_that_pinocchio_knows_and_we_do_not(both, tmp_path):
    other = pin.buildModelFromUrdf(str(write(tmp_path, robot(link("a"), link("b"), joint("knee", "a", "b")))))
    with pytest.raises(InputError, match="pin_model: no joint is called 'knee'"):
        both[0].to_pinocchio(both[0].home().q, both[0].home().v, pin_model=other)


def test_shapes_are_checked(both):
    scene, _ = both
    with pytest.raises(InputError, match=rf"q: expected shape \({scene.nq},\), got \(2,\)"):
        scene.to_pinocchio([0, 0], np.zeros(scene.nv))
    with pytest.raises(InputError, match="v: expected shape"):
        scene.from_pinocchio(scene.to_pinocchio(scene.home().q, scene.home().v)[0], [0])
