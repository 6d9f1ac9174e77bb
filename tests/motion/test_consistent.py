import numpy as np
import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError, SolveError
from surefoot.laws.compliant import Compliant
from surefoot.laws.dissipative import Dissipative
from surefoot.motion.consistent import Allowed, adjust, allowed_velocities, nearest_demand
from surefoot.motion.loops import equality_rows
from tests.contact.scenes import FOUR_BAR, LOOP, compiled, found, four_bar

DT = 1e-3
LAWS = [sf.Coulomb(), sf.Coulomb(mu=2.0, edges=8), Dissipative(), sf.NoSlip(), sf.NoSlip(release=False)]
OFFER = '; on_inconsistent="nearest" offers the nearest consistent demand'

PLATE = (
    '<body name="{0}" pos="{1} 0 5"><joint name="{0}" type="slide" axis="{2} 0 0"/>'
    '<geom name="{0}" type="box" size="0.05 1 1" mass="1"/></body>'
)
BALL = '<body name="ball" pos="0 0 5"><freejoint name="ball"/><geom name="ball" size="0.1" mass="1"/></body>'
HINGE = '<body name="{0}" pos="{1} 0 9"><joint name="{0}" axis="0 0 1" {2}/><geom size="0.1" mass="1"/></body>'
HINGES = HINGE.format("a", 0, "") + HINGE.format("b", 2, "")
FOOT = (
    '<body name="{0}" pos="{1} 0 0"><joint name="{0}" type="slide" axis="1 0 0"/>'
    '<geom name="{0}" type="sphere" size="0.1" mass="1"/></body>'
)


def plates(gap=0.0, more="", rest="", joints=()):
    """A ball between two plates; a positive speed of either closes."""
    world = PLATE.format("left", -0.15 - gap, 1) + PLATE.format("right", 0.15, -1) + BALL + more
    return compiled(world, rest, joints=("left", "right", *joints), objects=("ball",))


def rails():
    """A trunk that moves along x and z and pitches; its two feet slide along x under it and stand on the ground."""
    return compiled(
        '<geom name="ground" type="plane" size="0 0 1"/><body name="trunk" pos="0 0 0.1">'
        '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>'
        '<geom size="0.05" mass="5"/>' + FOOT.format("left", -0.3) + FOOT.format("right", 0.3) + "</body>",
        joints=("left", "right"),
    )


def at_the_wall():
    """Two coupled sliders, the first of which touches a wall in front of it."""
    world = (
        '<geom name="wall" type="box" size="0.1 1 1" pos="0.2 0 0"/>' + FOOT.format("near", 0) + FOOT.format("far", 2)
    )
    return compiled(world, '<equality><joint joint1="near" joint2="far"/></equality>', joints=("near", "far"))


def nearest(scene, velocity, law=None, state=None, dt=DT, **wishes):
    state = scene.home() if state is None else state
    return sf.solve(scene, state, dt=dt, velocity=velocity, law=law, on_inconsistent="nearest", **wishes)


def refused(scene, velocity, law=None, **wishes):
    """The text and the answer of a demand that must be refused."""
    with pytest.raises(SolveError) as error:
        sf.solve(scene, scene.home(), dt=DT, velocity=velocity, law=law, **wishes)
    return str(error.value), error.value.result


# Known answers


@pytest.mark.parametrize("law", [sf.NoSlip(), sf.NoSlip(release=False)], ids=str)
def test_feet_on_rails_meet_half_way(law):
    """Both stand, so the trunk leaves each at minus its speed: the speeds must be equal."""
    answer = nearest(rails(), {"left": -0.001, "right": 0.004}, law)
    assert answer.status is sf.Status.SOLVED
    assert answer.adjusted == pytest.approx([0.0025, -0.0025], abs=1e-12)
    assert answer.velocity == pytest.approx([-0.0015, 0, 0, 0.0015, 0.0015], abs=1e-12)
    assert answer.contact_velocity == pytest.approx(np.zeros((2, 3)), abs=1e-12)
    assert answer.ground_force[2] == pytest.approx(7 * 9.81)


def test_feet_that_may_slip_move_apart_as_they_are_told():
    answer = nearest(rails(), {"left": -0.1, "right": 0.4}, sf.Coulomb(mu=0.5))
    assert answer.status is sf.Status.SOLVED
    assert np.array_equal(answer.adjusted, [0.0, 0.0])


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize(
    ("wanted", "change"), [((0.1, 0.1), (-0.1, -0.1)), ((0.1, 0.3), (-0.2, -0.2)), ((0.5, -0.4), (-0.05, -0.05))]
)
def test_closing_plates_come_to_a_stop_relative_to_each_other(law, wanted, change):
    scene = plates()
    answer = nearest(scene, dict(zip(("left", "right"), wanted, strict=True)), law)
    assert answer.ok
    assert answer.adjusted == pytest.approx(change, abs=1e-12)
    assert answer.velocity[:2] == pytest.approx(np.add(wanted, change), abs=1e-12)
    assert (answer.contact_velocity[:, 0] >= -1e-9).all()


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_plates_with_a_gap_may_close_it(law):
    """2e-4 m in 1e-3 s: together they may close at 0.2 m/s."""
    answer = nearest(plates(gap=2e-4), {"left": 0.3, "right": 0.3}, law)
    assert answer.adjusted == pytest.approx([-0.2, -0.2], abs=1e-9)


def test_a_joint_goes_as_far_as_its_limit():
    world = HINGE.format("a", 0, 'limited="true" range="-1 0.05"')
    scene = compiled(world, '<compiler angle="radian"/>', joints=("a",))
    answer = nearest(scene, {"a": 10.0}, state=scene.state(q=[0.03]), dt=1e-2)
    assert answer.velocity == pytest.approx([2.0])
    assert answer.adjusted == pytest.approx([-8.0])


def test_a_limit_out_of_reach_of_the_demand_counts_too():
    """Coupled joints meet at 50 rad/s, where the second one, which was to stand, would pass its limit: 0.3 rad off."""
    world = HINGE.format("a", 0, "") + HINGE.format("b", 2, 'limited="true" range="-1 0.3"')
    rest = '<compiler angle="radian"/><equality><joint joint1="a" joint2="b"/></equality>'
    answer = nearest(compiled(world, rest, joints=("a", "b")), {"a": 100.0, "b": 0.0}, dt=1e-2)
    assert answer.ok
    assert answer.velocity == pytest.approx([30.0, 30.0])


def test_a_broken_loop_is_projected_on_what_it_allows():
    scene, wanted = four_bar(17), np.array([1.0, -0.5, 0.2])
    answer = nearest(scene, dict(zip("abc", wanted, strict=True)))
    J = answer._problem["bilateral"]
    expected = wanted - np.linalg.pinv(J, rcond=1e-9) @ J @ wanted
    assert answer.status is sf.Status.SOLVED
    assert answer.velocity == pytest.approx(expected, abs=1e-12)
    assert answer.residuals()["loops"] <= 1e-12


def test_springs_give_way_but_loops_do_not():
    scene = plates(more=HINGES, rest='<equality><joint joint1="a" joint2="b"/></equality>', joints=("a", "b"))
    wanted = {"left": 0.1, "right": 0.1, "a": 0.3, "b": 0.5}
    soft = nearest(scene, wanted, Compliant(stiffness=1e5, mu=0.5))
    assert soft.ok
    assert soft.adjusted == pytest.approx([0.0, 0.0, 0.1, -0.1], abs=1e-12)
    assert nearest(scene, wanted).adjusted == pytest.approx([-0.1, -0.1, 0.1, -0.1], abs=1e-12)


def test_nothing_is_nearest_where_nothing_is_allowed():
    """Two rows ask for v >= 1 and v <= -1."""
    none = Allowed(np.zeros((0, 1)), np.zeros(0), np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0]))
    assert nearest_demand(none, np.array([True]), np.array([0.5])) is None


@pytest.mark.parametrize("wanted", [(0.5, -0.5), (0.5, 0.0), (0.2, 0.4)])
def test_joints_that_are_all_prescribed_need_not_close_an_open_loop(wanted):
    """The coupling is 2 cm off and would ask for 4 m/s; a wall stops the first joint, the coupling the second."""
    scene = at_the_wall()
    answer = nearest(scene, wanted, state=scene.state(q=[0.0, 0.02]))
    assert answer.ok
    assert answer.velocity == pytest.approx([0.0, 0.0], abs=1e-12)


def test_a_loop_that_must_close_is_closed():
    """The coupler is free but cannot close the gap; demands that leave it open contradict each other."""
    scene = four_bar(17)
    answer = nearest(scene, {"a": 0.41, "c": 1.04}, state=scene.state([-0.021, -0.016, -0.009]))
    assert answer.status is sf.Status.SOLVED
    assert answer.residuals()["loops"] <= 1e-9
    assert answer.adjusted[0] == pytest.approx(-answer.adjusted[2], rel=1e-2)


def test_a_free_joint_closes_its_loop_and_takes_the_prescribed_one_along():
    """Near is free and must gain 4 m/s on far, but stands at the wall: far must go back at 4 m/s."""
    scene = at_the_wall()
    answer = nearest(scene, {"far": 0.0}, state=scene.state(q=[0.0, 0.02]))
    assert answer.ok
    assert answer.velocity == pytest.approx([0.0, -4.0], abs=1e-8)


# Properties


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), free=st.integers(0, 6), fixed=st.integers(1, 6), rows=st.integers(0, 12))
@example(seed=992643321, free=6, fixed=1, rows=6)  # free velocities must go far
@example(seed=2744345267, free=6, fixed=6, rows=6)
@example(seed=3236092068, free=6, fixed=3, rows=11)  # the weakest spring spoils the last round
def test_the_answer_is_allowed_and_no_allowed_one_is_nearer(seed, free, fixed, rows):
    """The change is J_a'y of weights y >= 0 on rows that are met, which push no free velocity: optimal, and a proof."""
    rng = np.random.default_rng(seed)
    nv = free + fixed
    count = int(rng.integers(0, 3))
    V = rng.normal(size=(rows, nv))
    V = np.vstack([V, -V[: rows // 2]])  # squeezes
    b = np.where(rng.random(len(V)) < 0.5, 0.0, rng.random(len(V)))
    allowed = Allowed(rng.normal(size=(count, nv)), np.zeros(count), V, b)
    prescribed = rng.permutation(np.arange(nv) < fixed)
    wanted = rng.normal(size=nv)
    v = nearest_demand(allowed, prescribed, wanted)
    assert v is not None
    assert (V @ v + b).min(initial=0.0) >= -1e-8
    assert allowed.E @ v == pytest.approx(np.zeros(count), abs=1e-9)
    change = np.where(prescribed, v - wanted, 0.0)
    met = V[V @ v + b <= 1e-7]
    weights = np.vstack([met, allowed.E, -allowed.E])
    if len(weights):
        assert scipy.optimize.nnls(weights.T, change)[1] <= 1e-6
    else:
        assert change == pytest.approx(np.zeros(nv), abs=1e-9)


@pytest.mark.parametrize("law", [sf.NoSlip(), sf.NoSlip(release=False)], ids=str)
def test_a_demand_that_was_made_consistent_is_left_alone(law):
    robot, rng = sf.load("links"), np.random.default_rng(3)
    changed = 0
    for k in range(16):
        state = robot.state(v=0.01 * rng.normal(size=18) * (k % 2))
        answer = nearest(robot, 0.01 * rng.normal(size=12), law, state)
        assert answer.ok
        changed += answer.adjusted.any()
        again = nearest(robot, answer.velocity[robot.dofs], law, state)
        assert not again.adjusted.any()
        assert np.array_equal(again.velocity, answer.velocity)
    assert changed >= 3


@pytest.mark.parametrize("law", [*LAWS, sf.Coulomb(mu=0.0)], ids=str)
def test_a_hand_that_squeezes_a_box_always_finds_a_demand(law):
    lever = 0.05 * np.cos(np.pi / 4)
    box = sf.Box(size=(2 * (lever - 0.01),) * 3, mass=0.1, position=(0.25 + lever, 0.0, 0.2), mu=0.5)
    scene, rng = sf.scene(sf.load("arm"), objects=[box]), np.random.default_rng(1)
    for _ in range(8):
        wanted = 10 ** rng.uniform(-2, 1) * rng.normal(size=11)
        answer = nearest(scene, wanted, law)
        assert answer.ok
        assert answer.velocity[scene.dofs] == pytest.approx(wanted + answer.adjusted, abs=1e-12)
        assert np.linalg.norm(answer.adjusted) <= np.linalg.norm(wanted) + 1e-9  # to stand still is consistent


# Oracles


def least_squares(allowed, prescribed, wanted):
    """The prescribed part of the optimum by DAQP, with a weight of 1e-10 on the free velocities."""
    daqp = pytest.importorskip("daqp")
    weight = np.where(prescribed, 1.0, 1e-10)
    rows = np.ascontiguousarray(np.vstack([allowed.V, allowed.E]))
    low = np.concatenate([-allowed.b, allowed.target])
    high = np.concatenate([np.full(len(allowed.b), 1e30), allowed.target])
    kind = np.repeat([0, 5], [len(allowed.b), len(allowed.target)]).astype(np.int32)
    v, _, flag, _ = daqp.solve(np.diag(weight), -np.where(prescribed, wanted, 0.0), rows, high, low, kind)
    assert flag == 1
    return v[prescribed]


def demanded(scene, law, velocity, state=None):
    """A workspace with this demand, before any solve."""
    state = scene.home() if state is None else state
    space = found(scene, state, law=law.numbers(), dt=DT)
    space.step.prescribed[scene.dofs] = True
    space.step.v_next[scene.dofs] = velocity
    return space


@pytest.mark.parametrize("law", [sf.NoSlip(), sf.Coulomb(), Dissipative(mu=0.8)], ids=str)
@pytest.mark.parametrize("name", ["links", "plates"])
def test_the_optimum_is_daqps(law, name):
    scene = plates(gap=1e-4) if name == "plates" else sf.load(name)
    rng = np.random.default_rng(0)
    for k in range(20):
        state = scene.state(v=0.3 * rng.normal(size=scene.nv) * (k % 2))
        wanted = np.zeros(scene.nv)
        wanted[scene.dofs] = 10 ** rng.uniform(-1, 0.5) * rng.normal(size=len(scene.joints))
        space = demanded(scene, law, wanted[scene.dofs], state)
        space.solve()
        allowed, fixed = allowed_velocities(space, equality_rows(space)), space.step.prescribed
        v = nearest_demand(allowed, fixed, wanted)
        assert v[fixed] == pytest.approx(least_squares(allowed, fixed, wanted), abs=1e-8)


def test_feet_that_are_nearly_level_are_told_apart():
    """The feet stand some 30 um apart in height: the trunk may turn very fast and let them part almost as wanted."""
    scene = sf.load("links")
    q = scene.home().q.copy()
    q[2] -= 1e-4
    q[3:7] = [np.cos(1e-4), 0, np.sin(1e-4), 0]
    wanted = np.zeros(scene.nv)
    wanted[scene.dofs] = np.tile([0.02, -0.03, 0.01], 4)
    space = demanded(scene, sf.NoSlip(), wanted[scene.dofs], scene.state(q))
    space.solve()
    allowed, fixed = allowed_velocities(space, equality_rows(space)), space.step.prescribed
    v = nearest_demand(allowed, fixed, wanted)
    assert np.abs(v[:6]).max() > 10.0
    assert np.abs(v - wanted)[fixed].max() <= 1e-6
    assert allowed.E @ v == pytest.approx(np.zeros(len(allowed.E)), abs=1e-9)
    assert (allowed.V @ v + allowed.b).min() >= -1e-9


def test_offsets_are_the_kernels():
    scene = sf.load("links")
    q = scene.home().q.copy()
    q[3:7] = [np.cos(0.0005), np.sin(0.0005), 0, 0]  # two feet lift
    space = demanded(scene, Dissipative(mu=0.8), np.zeros(12), scene.state(q, np.linspace(-0.4, 0.4, 18)))
    space.solve()
    allowed = allowed_velocities(space, equality_rows(space))
    kinds = space.step.rows.kind[: space.count]
    assert set(kinds.tolist()) == {0, 1}
    assert allowed.b == pytest.approx(np.repeat(space.step.offset[: space.count], np.where(kinds == 1, 4, 1)))


# Edges


def test_without_a_demand_there_is_nothing_to_change():
    answer = nearest(plates(), None)
    assert answer.status is sf.Status.SOLVED
    assert np.array_equal(answer.adjusted, [0.0, 0.0])


def test_a_workspace_without_contacts_is_left_as_it_is():
    space = demanded(compiled(HINGES, joints=("a", "b")), sf.Coulomb(), [0.3, 0.4])
    space.solve()
    assert np.array_equal(adjust(space, None, np.array([0.3, 0.4])), [0.0, 0.0])
    assert np.array_equal(space.step.v_next, [0.3, 0.4])


def test_all_joints_of_a_robot_at_once():
    robot = sf.load("links")
    stretch = np.tile([0.0, 0.0, 50.0], 4)
    answer = sf.inverse_dynamics(robot, robot.home(), stretch, dt=DT, law="no-slip", on_inconsistent="nearest")
    assert answer.status is sf.Status.SOLVED
    assert answer.acceleration[robot.dofs] == pytest.approx(stretch + answer.adjusted / DT)
    assert np.abs(answer.contact_velocity[:, 1:]).max() <= 1e-12


def test_a_planned_stance_is_kept():
    robot = sf.load("links")
    feet = ["LF_FOOT", "RH_FOOT"]
    answer = nearest(robot, np.tile([0.2, -0.3, 0.4], 4), sf.NoSlip(release=False), contacts=feet)
    assert answer.contacts.names == ("LF_FOOT on ground", "RH_FOOT on ground")
    swing = [joint.startswith(("RF", "LH")) for joint in robot.joints]
    assert answer.adjusted[np.logical_not(swing)].all()
    assert not answer.adjusted[swing].any()


# What is said


def test_the_table_tells_of_the_change():
    lines = nearest(plates(), {"left": 0.1, "right": 0.3}).table().splitlines()
    assert lines[-2:] == ["left: demand changed by -0.2 m/s", "right: demand changed by -0.2 m/s"]
    assert nearest(four_bar(), {"a": 1.0, "c": 0.0}).table().splitlines()[-1] == "c: demand changed by +0.5 rad/s"
    assert "changed" not in nearest(plates(), {"left": -0.1, "right": -0.1}).table()


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_contacts_and_joints_that_contradict_are_named_and_no_others(law):
    scene = plates(more=HINGES, joints=("a", "b"))
    text, answer = refused(scene, {"left": 0.1, "right": 0.1, "a": 3.0, "b": -2.0}, law)
    assert answer.culprits == ("left on ball", "right on ball", "motion of left", "motion of right")
    named = "left on ball, right on ball, motion of left, motion of right"
    assert text == f"made, {law.name} law: {sf.Status.INFEASIBLE} (at {named}){OFFER}"
    assert not answer.adjusted.any()


def test_joints_that_only_slide_are_not_blamed_for_a_squeeze():
    """Coulomb's law lets the left plate slide past the puck, which does not roll, at any speed."""
    past = '<joint name="past" type="slide" axis="0 1 0"/><geom'
    sliders = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
    puck = BALL.replace("ball", "puck").replace('<freejoint name="puck"/>', sliders)
    world = PLATE.format("left", -0.15, 1).replace("<geom", past) + PLATE.format("right", 0.15, -1) + puck
    scene = compiled(world, joints=("left", "past", "right"))
    _, answer = refused(scene, {"left": 0.1, "past": 5.0, "right": 0.1})
    assert len(answer.contacts) == 2
    assert set(answer.culprits) == {*answer.contacts.names, "motion of left", "motion of right"}
    assert nearest(scene, {"left": -0.1, "past": 5.0, "right": -0.1}).ok


def test_only_joints_of_the_feet_that_are_named_are_named():
    text, answer = refused(rails(), {"left": -0.001, "right": 0.004}, sf.NoSlip())
    named = "left on ground, right on ground, motion of left, motion of right"
    assert text == f"made, no-slip law: {sf.Status.INCONSISTENT} (at {named}){OFFER}"
    robot = sf.load("links")
    _, answer = refused(robot, np.tile([0.0, 0.0, 0.05], 4), sf.NoSlip())
    feet = {name[:2] for name in answer.culprits if "FOOT" in name}
    assert len(feet) >= 2
    assert {name.removeprefix("motion of ")[:2] for name in answer.culprits if name.startswith("motion")} == feet


def test_a_loop_is_offered_the_nearest_too():
    scene = compiled(FOUR_BAR, LOOP, joints=("a", "b", "c"))
    text, _ = refused(scene, {"a": 1.0, "c": 0.0})
    named = "loop of coupler and rocker, motion of a, motion of c"
    assert text == f"made, coulomb law: {sf.Status.INCONSISTENT} (at {named}){OFFER}"


def test_an_unknown_wish_is_refused():
    scene = plates()
    text = "^on_inconsistent: expected one of 'raise', 'nearest', got 'near'$"
    with pytest.raises(InputError, match=text):
        sf.solve(scene, scene.home(), dt=DT, velocity={"left": 0.1}, on_inconsistent="near")
    with pytest.raises(InputError, match=text):
        sf.inverse_dynamics(scene, scene.home(), [0.0, 0.0], dt=DT, on_inconsistent="near")
