import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import SolveError
from tests.contact.scenes import FOUR_BAR, LOOP, compiled, four_bar

HINGE = (
    '<body name="{0}" pos="{1} 0 0"><joint name="{0}" axis="0 0 1"/><geom type="sphere" size="0.1" mass="1"/></body>'
)
THREE = "".join(HINGE.format(name, 2 * k) for k, name in enumerate("abc"))


def coupled(rest, joints="abc"):
    return compiled(THREE, f"<equality>{rest}</equality>", joints=tuple(joints))


def refused(scene, velocity, **wishes):
    """The text and the answer of a solve that must fail."""
    with pytest.raises(SolveError) as error:
        sf.solve(scene, scene.home(), dt=1e-3, velocity=velocity, **wishes)
    return str(error.value), error.value.result


# Residuals


@pytest.mark.parametrize("prescribed", [{}, {"a": 0.7}])
def test_a_held_loop_has_no_residual(prescribed):
    scene = four_bar(17)
    answer = sf.solve(scene, scene.state([0.3, -0.3, 0.3], [0.4, -0.4, 0.4]), dt=1e-3, velocity=prescribed)
    assert answer.residuals()["loops"] <= 1e-12
    answer._problem["target"] = answer._problem["target"] + 0.1
    assert answer.residuals()["loops"] == pytest.approx(0.1)


@pytest.mark.parametrize("prescribed", [{}, {"a": 0.0}])
def test_an_open_loop_closes_at_the_rate_that_was_asked(prescribed):
    """The crank's tip is 0.3 x 0.02 m off: a fifth of it goes in a step of 1 ms, which is 1.2 m/s."""
    scene = four_bar()
    answer = sf.solve(scene, scene.state([0.02, -0.02, 0.0]), dt=1e-3, velocity=prescribed)
    assert answer.residuals()["loops"] <= 1e-12
    assert np.linalg.norm(answer._problem["target"]) == pytest.approx(0.2 * 0.3 * 0.02 / 1e-3, rel=1e-3)


def test_an_open_loop_that_all_joints_keep_open_says_by_how_much():
    scene = four_bar()
    still = {"a": 0.0, "b": 0.0, "c": 0.0}
    answer = sf.solve(scene, scene.state([0.02, -0.02, 0.0]), dt=1e-3, velocity=still)
    assert answer.residuals()["loops"] == pytest.approx(0.2 * 0.3 * 0.02 / 1e-3, rel=1e-3)


def test_a_coupling_counts_in_radians_a_second():
    scene = coupled('<joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/>')
    answer = sf.forward_dynamics(scene, scene.home(), {"b": 1.0}, dt=1e-3)
    assert answer.residuals()["loops"] <= 1e-12
    answer._problem["bilateral"] = 0 * answer._problem["bilateral"] + [[1.0, 0.0, 0.0]]
    assert answer.residuals()["loops"] == pytest.approx(abs(answer.velocity[0]))


def test_a_failed_search_leaves_no_loops_of_the_call_before():
    scene = four_bar()
    sim = sf.Simulator(scene, dt=1e-3)
    assert len(sim.solve(scene.home(), np.zeros(3))._problem["bilateral"]) == 3
    lost = sim.solve(scene.home(), [np.nan, 0, 0])
    assert lost.status is sf.Status.NOT_FINITE
    assert len(lost._problem["bilateral"]) == 0


# Names of what a demand breaks


def test_a_broken_loop_is_named_by_its_bodies_and_joints():
    """Upright the coupler's own joint moves its end up and down, which the crank and the rocker do not contradict."""
    text, answer = refused(four_bar(), {"a": 1.0, "b": -1.0, "c": 0.0})
    assert answer.status is sf.Status.INCONSISTENT
    assert answer.culprits == ("loop of coupler and rocker", "motion of a", "motion of c")
    assert "(at loop of coupler and rocker, motion of a, motion of c);" in text
    assert refused(four_bar(), {"a": 1.0, "b": 1.0, "c": 0.0})[1].culprits[1:] == (
        "motion of a",
        "motion of b",
        "motion of c",
    )


def test_a_loop_with_a_name_is_called_by_it():
    scene = compiled(FOUR_BAR, LOOP.replace("<connect", '<connect name="hook"'), joints=("a", "b", "c"))
    assert refused(scene, {"a": 1.0, "c": 0.0})[1].culprits[0] == "equality hook"


def test_a_loop_of_sites_is_named_by_them():
    world = FOUR_BAR.replace("</body></body>", '<site name="tip" pos="0.4 0 0"/></body></body>').replace(
        '"0 0 0 0 0 0.3"/></body>\n', '"0 0 0 0 0 0.3"/><site name="top" pos="0 0 0.3"/></body>\n'
    )
    loop = LOOP.replace('body1="coupler" body2="rocker" anchor="0.4 0 0"', 'site1="tip" site2="top"')
    scene = compiled(world, loop, joints=("a", "b", "c"))
    assert refused(scene, {"a": 1.0, "c": 0.0})[1].culprits[0] == "loop of tip and top"


def test_only_the_coupling_and_the_joints_that_contradict_it_are_named():
    scene = coupled(
        '<joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/><joint joint1="c" polycoef="0 0 0 0 0"/>', joints="abc"
    )
    text, answer = refused(scene, {"a": 1.0, "b": 1.0, "c": 0.0})
    assert answer.culprits == ("coupling of a to b", "motion of a", "motion of b")
    assert "(at coupling of a to b, motion of a, motion of b);" in text
    assert refused(scene, {"c": 1.0})[1].culprits == ("coupling of c", "motion of c")


def test_a_chain_of_couplings_is_named_as_a_whole():
    """The middle joint is free: only both couplings together contradict the outer ones."""
    scene = coupled(
        '<joint name="first" joint1="a" joint2="b" polycoef="0 1 0 0 0"/>'
        '<joint name="second" joint1="b" joint2="c" polycoef="0 1 0 0 0"/>'
    )
    assert refused(scene, {"a": 1.0, "c": 0.5})[1].culprits == (
        "equality first",
        "equality second",
        "motion of a",
        "motion of c",
    )


def test_contacts_that_contradict_a_demand_are_not_blamed_on_a_loop_that_holds():
    plate = (
        '<body name="{0}" pos="{1} 0 5"><joint name="{0}" type="slide" axis="{2} 0 0"/>'
        '<geom name="{0}" type="box" size="0.05 1 1" mass="1"/></body>'
    )
    thing = '<body name="ball" pos="0 0 5"><freejoint name="ball"/><geom name="ball" size="0.1" mass="1"/></body>'
    scene = compiled(
        plate.format("left", -0.15, 1) + plate.format("right", 0.15, -1) + thing + THREE,
        '<equality><joint joint1="a" joint2="b"/></equality>',
        joints=("left", "right", "a", "b"),
        objects=("ball",),
    )
    _, answer = refused(scene, {"left": 0.1, "right": 0.1, "a": 0.3, "b": 0.3})
    assert answer.culprits == ("left on ball", "right on ball", "motion of left", "motion of right")
