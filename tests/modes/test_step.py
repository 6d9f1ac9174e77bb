import numpy as np
import pytest

import surefoot as sf
from surefoot.answer import Answer
from surefoot.errors import InputError
from tests.contact.scenes import ball, block, compiled, four_bar, random_state

DT = 1e-3
PLANE = '<geom name="ground" type="plane" size="9 9 1" friction="{} 0.005 0.0001" priority="1"/>'
IN_PLANE = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>'


def modes(solutions):
    return [solution.mode for solution in solutions]


def forward(scene, state=None, torque=None, **options):
    return sf.forward_dynamics(scene, scene.home() if state is None else state, torque, dt=DT, **options)


def check(answer, solutions):
    """What holds of every list: the law in each solution, and the answer among them."""
    for solution in solutions:
        assert solution.residual <= 1e-9
        low, high = solution.range()[::2], solution.range()[1::2]
        values = (solution.velocity, solution.forces, solution.torque)
        for a, value, b in zip(low, values, high, strict=True):
            scale = 1e-7 * max(1.0, np.abs(value).max(initial=0.0))
            assert (a - scale <= value).all()
            assert (value <= b + scale).all()
    if answer.status is sf.Status.SOLVED:
        own = solutions[solutions.own]
        low, high = own.range()[::2], own.range()[1::2]
        for a, value, b in zip(low, (answer.velocity, answer.forces, answer.torque), high, strict=True):
            scale = 1e-6 * max(1.0, np.abs(value).max(initial=0.0))
            assert (a - scale <= value).all()
            assert (value <= b + scale).all()


# Known answers


def test_a_ball_at_rest_has_one_solution():
    solutions = forward(ball()).ambiguity()
    assert (solutions.kind, solutions.motions, solutions.own) == ("one", "one", 0)
    assert solutions[0].forces == pytest.approx(np.array([[9.81, 0, 0]]), abs=1e-9)
    assert solutions.table() == (
        "solutions: one; motions: one\n"
        "                                     mode    normal N  friction N\n"
        "1 (the answer)\n"
        "  ball on ground                        F      9.8100      0.0000"
    )
    assert repr(solutions) == "StepSolutions(one: F)"


def test_a_block_at_rest_may_share_its_load_in_many_ways():
    answer = forward(block(mass=1.0))
    solutions = answer.ambiguity()
    check(answer, solutions)
    assert (solutions.kind, solutions.motions) == ("continuum", "one")
    solution = solutions[0]
    assert (solution.mode, solution.dimension, solution.ambiguity) == ("F F F F", 6, "forces")
    ends = solution.range()
    assert ends.forces_low[:, 0] == pytest.approx(np.zeros(4), abs=1e-8)
    assert ends.forces_high[:, 0] == pytest.approx(np.full(4, 9.81 / 2))  # all of it on two opposite corners
    assert np.array_equal(ends.velocity_low, ends.velocity_high)
    assert solutions.table().splitlines()[2] == "1 (the answer): forces free in 6 directions"


def test_a_stool_of_three_legs_has_friction_left_to_choose_only():
    feet = "".join(
        f'<geom type="sphere" size="0.02" pos="{0.2 * np.cos(a)} {0.2 * np.sin(a)} -0.3"/>' for a in (0, 2.1, 4.2)
    )
    stool = compiled(f'{PLANE.format(0.8)}<body name="stool" pos="0 0 0.32"><freejoint/>{feet}</body>')
    (solution,) = forward(stool).ambiguity()
    assert (solution.dimension, solution.ambiguity) == (3, "forces")
    ends = solution.range()
    assert ends.forces_low[:, 0] == pytest.approx(ends.forces_high[:, 0])


def test_a_block_that_slides_and_turns_does_not_know_where_to():
    scene = block()
    straight, turning = (
        forward(scene, scene.state(v=v)).ambiguity() for v in ([1, 0, 0, 0, 0, 0], [1, 0.3, 0, 0, 0, 2])
    )
    assert [(s.mode, s.dimension, s.ambiguity) for s in straight] == [("0 0 0 0", 1, "forces")]
    assert [(s.mode, s.dimension, s.ambiguity) for s in turning] == [("0 0 0 0", 1, "motion")]
    assert (straight.motions, turning.motions) == ("one", "continuum")
    ends = turning[0].range()
    assert (ends.velocity_high - ends.velocity_low)[[0, 1, 5]].min() > 1e-5


# Painleve's rod


def rod(mu, angle):
    """A rod of 1 kg and 2 m in the plane, on its lower end, `angle` over the ground."""
    x, z = -np.cos(angle), -np.sin(angle)
    return compiled(
        f'{PLANE.format(mu)}<body name="rod" pos="0 0 {-z}">{IN_PLANE}'
        f'<inertial pos="0 0 0" mass="1" diaginertia="{1 / 3} {1 / 3} {1 / 3}"/>'
        f'<geom name="tip" type="sphere" size="1e-6" pos="{x} 0 {z + 1e-6}"/></body>'
    )


def test_a_rod_slides_with_its_drag_and_jams_against_it():
    assert modes(forward(rod(0.5, 1.0), rod(0.5, 1.0).state(v=[-1, 0, 0])).ambiguity()) == ["0"]
    steep = rod(2.0, 1.0)
    assert modes(forward(steep, steep.state(v=[1, 0, 0])).ambiguity()) == ["0"]
    jammed = forward(steep, steep.state(v=[-1, 0, 0]))
    solutions = jammed.ambiguity()
    # At the level of accelerations there is no solution: friction presses the tip down faster than it holds.
    assert sf.modes.of(steep, steep.state(v=[-1, 0, 0])).response().solutions().kind == "none"
    assert (modes(solutions), solutions.own) == (["F"], 0)
    assert jammed.contact_velocity == pytest.approx(np.zeros((1, 3)), abs=1e-12)
    check(jammed, solutions)


def test_a_rod_that_lifts_may_as_well_slide_or_jam():
    steep = rod(2.0, 1.0)
    answer = forward(steep, steep.state(v=[-1, 0.05, 0]))
    solutions = answer.ambiguity()
    check(answer, solutions)
    assert (solutions.kind, solutions.motions) == ("several", "several")
    assert sorted(modes(solutions)) == ["0", "F", "S"]
    assert [p.slide for p in solutions.painleve] == ["0"]
    free, slide, jam = sorted(solutions, key=lambda s: s.forces[0, 0])
    assert free.forces[0, 0] == 0
    assert slide.forces[0, 1] == pytest.approx(-2.0 * slide.forces[0, 0])
    assert jam.velocity[0] == pytest.approx(np.sin(1.0) * jam.velocity[2])  # the tip stands still
    assert solutions.table().splitlines()[-1] == solutions.painleve[0].text


# Robots


def test_the_quadruped_at_home_has_one_motion_and_in_inverse_many_torques(links):
    answer = forward(links)
    solutions = answer.ambiguity()
    check(answer, solutions)
    assert (modes(solutions), solutions.kind) == (["F F F F"], "one")
    assert solutions[0].velocity == pytest.approx(answer.velocity, abs=1e-12)
    inverse = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=DT)
    many = inverse.ambiguity()
    check(inverse, many)
    assert (many.kind, many.motions, many[0].dimension) == ("continuum", "one", 6)
    ends = many[0].range()
    assert ((ends.torque_high - ends.torque_low) > 1.0).all()
    assert many[0].velocity == pytest.approx(inverse.velocity, abs=1e-12)


LAWS = [
    sf.Coulomb(),
    sf.Coulomb(edges=8),
    sf.Coulomb(mu=0.1),
    sf.Coulomb(mu=2.0),
    sf.Coulomb(mu=0.0),
    sf.Coulomb(mu=np.inf),
    sf.NoSlip(),
    sf.Compliant(3e4, 30.0),
]


def some_answers(links, count, laws=LAWS, seed=1):
    rng = np.random.default_rng(seed)
    for i in range(count):
        state = random_state(links, rng, reach=0.02 * (i % 2), speed=rng.choice([0.0, 0.01, 0.1, 1.0]))
        demand = rng.choice([0.0, 1.0, 5.0]) * rng.normal(size=12)
        solve = sf.forward_dynamics if i % 3 else sf.inverse_dynamics
        yield solve(links, state, demand, dt=DT, law=laws[i % len(laws)], throw=False)


def test_the_answer_is_always_among_them(links):
    kinds = set()
    for answer in some_answers(links, 80):
        solutions = answer.ambiguity()
        kinds.add((answer.status.name, solutions.kind))
        if answer.status is sf.Status.SOLVED:
            assert solutions.own is not None
            own = solutions[solutions.own]
            if own.ambiguity != "motion":
                assert own.velocity == pytest.approx(answer.velocity, abs=1e-9)
        elif answer.status is sf.Status.REGULARISED:
            assert solutions.own is None
        assert all(solution.residual <= 1e-9 for solution in solutions)
    assert {("SOLVED", "one"), ("SOLVED", "several"), ("REGULARISED", "none")} <= kinds


# Joints


ARM = (
    '<body name="arm"><joint name="a" axis="0 1 0" range="-30 30" limited="true" frictionloss="{}"/>'
    '<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/></body>'
)


def arm(friction):
    return compiled(ARM.format(friction), joints=("a",))


@pytest.mark.parametrize(
    ("degrees", "torque", "mode"), [(0, 0, "R"), (0, -0.6, "F"), (0, -2.0, "L"), (30, 0.0, "N F"), (30, -2.0, "S L")]
)
def test_joints_with_dry_friction_and_limits(degrees, torque, mode):
    scene = arm(0.3)  # its weight asks for about 0.62 N m
    answer = forward(scene, scene.state(q=[np.radians(degrees)]), [torque])
    solutions = answer.ambiguity()
    check(answer, solutions)
    assert modes(solutions) == [mode]
    assert solutions[0].velocity == pytest.approx(answer.velocity, abs=1e-12)
    assert solutions.names == (("limit of a", "dry friction of a") if degrees else ("dry friction of a",))
    # At its limit the weight may rest on the stop or hang on friction.
    assert (solutions[0].dimension, solutions[0].ambiguity) == ((1, "forces") if mode == "N F" else (0, "none"))


@pytest.mark.parametrize(("limit", "mode"), [(0.2, "R"), (5.0, "F")])
def test_motors_of_limited_torque_follow_or_stay_behind(limit, mode):
    scene = arm(0.0)
    answer = sf.inverse_dynamics(scene, scene.home(), [1.0], dt=DT, torque_limits=limit)
    solutions = answer.ambiguity()
    check(answer, solutions)
    assert modes(solutions) == [mode]
    assert solutions[0].torque == pytest.approx(answer.torque)


def test_a_quadruped_with_limited_motors_is_searched_to_the_end(links):
    state = links.home().replace(v=0.1 * np.random.default_rng(0).normal(size=links.nv))
    answer = sf.inverse_dynamics(links, state, np.zeros(12), dt=DT, torque_limits=3.0)
    solutions = answer.ambiguity()
    check(answer, solutions)
    assert len(solutions.names) == 16
    assert solutions.own is not None


def looped(rest=""):
    """A four-bar linkage with dry friction in its joints."""
    linkage = '<body name="frame">' + four_bar().spec.to_xml().split('<body name="frame">')[1].split("</worldbody>")[0]
    loop = '<equality><connect body1="coupler" body2="rocker" anchor="0.4 0 0"/></equality>'
    return compiled(linkage, f'{rest}{loop}<default><joint frictionloss="0.05"/></default>', joints=("a", "b", "c"))


def test_loops_hold_in_every_solution():
    answer = forward(looped('<option><flag contact="disable"/></option>'), torque=[0.5, 0.0, 0.0])
    solutions = answer.ambiguity()
    check(answer, solutions)
    assert modes(solutions) == ["R L R"]
    assert solutions[0].velocity == pytest.approx(answer.velocity, abs=1e-12)
    assert answer._problem["bilateral"] @ solutions[0].velocity == pytest.approx(answer._problem["target"], abs=1e-12)


def test_a_contact_that_a_loop_keeps_from_moving_carries_anything():
    answer = forward(looped(), torque=[0.5, 0.0, 0.0])
    assert answer.contacts.names == ("rocker on coupler",)  # its two links, which the loop holds together
    solutions = answer.ambiguity()
    check(answer, solutions)
    assert {s.tokens[1:] for s in solutions} == {("R", "L", "R")}
    assert all(s.ambiguity == "forces" for s in solutions)
    for solution in solutions:
        assert solution.velocity == pytest.approx(answer.velocity, abs=1e-9)


# Edges


def test_without_contact_there_is_one_solution(links):
    q = links.home().q.copy()
    q[2] += 1.0
    solutions = forward(links, links.state(q=q)).ambiguity()
    assert (solutions.kind, solutions.own, solutions.names) == ("one", 0, ())
    assert solutions.table() == "solutions: one; motions: one\n1 (the answer)"


def test_an_impossible_demand_has_none(links):
    squeezed = sf.inverse_dynamics(
        links, links.home(), 100 * np.ones(12), dt=DT, law=sf.NoSlip(), throw=False, contacts=["LF_FOOT", "RH_FOOT"]
    )
    assert squeezed.status is sf.Status.INCONSISTENT
    assert (squeezed.ambiguity().kind, squeezed.ambiguity().own) == ("none", None)
    assert squeezed.ambiguity().table() == "solutions: none; motions: none"


def test_the_same_bits_twice(links):
    answer = forward(links, torque=np.ones(12))
    one, two = answer.ambiguity(), answer.ambiguity()
    assert np.array_equal(one[0].velocity, two[0].velocity)
    assert np.array_equal(one[0].forces, two[0].forces)


@pytest.mark.parametrize(
    "law",
    [sf.Dissipative(), sf.Dissipative(form="energy"), sf.Soft(), sf.NoSlip(release=False)],
    ids=lambda law: law.name,
)
def test_convex_laws_are_refused(law, links):
    with pytest.raises(InputError) as error:
        forward(links, law=law).ambiguity()
    assert str(error.value) == (
        f"ambiguity: expected an answer under Coulomb's law, without slip or on springs; the {law.name} law of this "
        "one is convex and has one motion by construction"
    )


def test_an_answer_that_was_never_posed_is_refused(links):
    answer: Answer = forward(links, links.home().replace(v=np.full(links.nv, 1e13)), throw=False)
    with pytest.raises(InputError) as error:
        answer.ambiguity()
    text = f"ambiguity: expected an answer whose problem could be posed, got one that is {answer.status}"
    assert str(error.value) == text


@pytest.mark.real
@pytest.mark.parametrize(("name", "blocks"), [("a1", 4), ("solo12", 16), ("go1", 16), ("talos", 28)])
def test_real_robots_at_home_have_one_motion(name, blocks):
    robot = sf.load(f"example:{name}")
    answer = forward(robot)
    solutions = answer.ambiguity()
    assert (len(solutions.names), solutions.motions, solutions.own) == (blocks, "one", 0)
    assert solutions[0].velocity == pytest.approx(answer.velocity, abs=1e-9)
