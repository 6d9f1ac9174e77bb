import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import SolveError
from tests.contact.scenes import ball, block, compiled

PLATE = (
    '<body name="{0}" pos="{1} 0 0"><joint name="{0}" type="slide" axis="{2} 0 0"/>'
    '<geom name="{0}" type="box" size="0.05 1 1" mass="1"/></body>'
)
BALL = '<body name="ball"><freejoint name="ball"/><geom name="ball" type="sphere" size="0.1" mass="1"/></body>'


def plates():
    """A ball between two prescribed plates."""
    return compiled(
        PLATE.format("left", -0.15, 1) + PLATE.format("right", 0.15, -1) + BALL,
        joints=("left", "right"),
        objects=("ball",),
    )


def test_standing_still():
    robot = sf.load("links")
    answer = sf.inverse_dynamics(robot, robot.home(), np.zeros(12), dt=1e-3)
    assert answer.ok
    assert answer.status is sf.Status.SOLVED
    assert answer.ground_force == pytest.approx([0, 0, robot.mass * 9.81], abs=1e-6)
    assert answer.velocity == pytest.approx(np.zeros(18), abs=1e-9)
    assert answer.acceleration == pytest.approx(np.zeros(18), abs=1e-6)
    assert (answer.forces[:, 0] >= 0).all()
    assert not answer.slipping.any()
    assert answer.torque.shape == (12,)
    assert answer.method == "guessed modes"


def test_residuals_are_recomputed_from_the_problem():
    robot = sf.load("links")
    rng = np.random.default_rng(0)
    answer = sf.forward_dynamics(robot, robot.home(), rng.normal(size=12), dt=1e-3)
    residuals = answer.residuals()
    assert set(residuals) == {"dynamics", "reduction", "loops", "normal", "friction", "joints", "penetration"}
    assert max(residuals["normal"], residuals["friction"], residuals["joints"]) <= 1e-9
    assert residuals["dynamics"] <= 1e-12
    assert residuals["reduction"] <= 1e-12
    assert residuals["penetration"] <= 1e-6


@pytest.mark.parametrize(
    ("part", "key"),
    [("f", "dynamics"), ("c0", "reduction"), ("tau", "dynamics"), ("M", "dynamics"), ("W", "reduction")],
)
def test_a_tampered_answer_shows_it(part, key):
    scene = block(mu=0.3)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0, 0, 0, 0]), dt=1e-3)
    answer._problem[part] = answer._problem[part] + 0.1
    assert answer.residuals()[key] > 1e-4


def test_an_answer_whose_impulses_break_the_law_shows_it():
    scene = block(mu=0.3)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0, 0, 0, 0]), dt=1e-3)
    answer._problem["f"] = 2 * answer._problem["f"]
    assert answer.residuals()["normal"] > 1e-4
    answer._problem["f"] = -answer._problem["f"] / 2
    assert answer.residuals()["normal"] > 1e-4


def test_depth_is_reported():
    scene = ball(above=-2e-3)
    answer = sf.forward_dynamics(scene, scene.home(), dt=1e-3)
    assert answer.residuals()["penetration"] == pytest.approx(2e-3)
    assert answer.velocity[2] == pytest.approx(0.0, abs=1e-12)  # depth pushes nothing


def test_slipping_means_sliding_under_load():
    scene = ball(mu=0.3)
    for v, slips in (([1.0, 0, 0, 0, 0, 0], True), ([0.0] * 6, False), ([1.0, 0, 1.0, 0, 0, 0], False)):
        answer = sf.forward_dynamics(scene, scene.state(v=v), dt=1e-3)
        assert answer.slipping.tolist() == [slips]


def test_only_the_worlds_push_counts_as_ground_force():
    boxes = [
        sf.Box(size=(0.2, 0.2, 0.2), mass=m, position=(0, 0, z), name=n) for n, m, z in (("a", 2, 0.1), ("b", 1, 0.3))
    ]
    scene = sf.scene(None, terrain=sf.Plane(mu=0.5), objects=boxes)
    answer = sf.forward_dynamics(scene, scene.home(), dt=1e-3)
    assert answer.ground_force == pytest.approx([0, 0, 3 * 9.81], abs=1e-6)


def test_the_table_is_for_people():
    scene = block(mu=0.3)
    text = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0, 0, 0, 0]), dt=1e-3).table()
    assert text.startswith("scene, coulomb, dt 1 ms: solved: every condition of the law holds")
    assert "box on ground #1" in text
    assert "slips" in text
    robot = sf.load("links")
    text = sf.inverse_dynamics(robot, robot.home(), np.zeros(12), dt=1e-3).table()
    for word in (*robot.joints, "LF_FOOT on ground", "holds", "torque N m"):
        assert word in text


def test_open_contacts_say_so():
    scene = ball(above=1e-3)
    assert "open" in sf.forward_dynamics(scene, scene.home(), dt=1e-3).table()


# Without an answer


def test_plates_that_close_on_a_ball_are_refused_with_names():
    scene = plates()
    with pytest.raises(
        SolveError, match=r"made, coulomb law: infeasible: .* \(at left on ball, right on ball, "
    ) as error:
        sf.solve(scene, scene.home(), dt=1e-3, velocity={"left": 0.1, "right": 0.1})
    answer = error.value.result
    assert answer.status is sf.Status.INFEASIBLE
    assert answer.culprits == ("left on ball", "right on ball", "motion of left", "motion of right")


def test_without_throw_it_comes_back_with_its_status():
    scene = plates()
    answer = sf.solve(scene, scene.home(), dt=1e-3, velocity={"left": 0.1, "right": 0.1}, throw=False)
    assert not answer.ok
    assert answer.raise_if(False) is answer
    with pytest.raises(SolveError):
        answer.raise_if(True)


def test_what_has_diverged_has_no_forces():
    scene = ball()
    answer = sf.forward_dynamics(scene, scene.state(v=[1e13, 0, 0, 0, 0, 0]), dt=1e-3, throw=False)
    assert answer.status is sf.Status.NOT_FINITE
    assert not answer.forces.any()
    assert np.isfinite(answer.velocity).all()


def test_an_answer_keeps_what_it_had():
    """A later call of the same workspace does not change it."""
    robot = sf.load("links")
    sim = sf.Simulator(robot, dt=1e-3)
    _, first = sim.step(robot.home(), np.zeros(12))
    kept = (first.velocity.copy(), first.forces.copy(), first.residuals())
    sim.step(robot.home(), np.ones(12))
    assert np.array_equal(first.velocity, kept[0])
    assert np.array_equal(first.forces, kept[1])
    assert first.residuals() == kept[2]
