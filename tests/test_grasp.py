"""Grasps: the mixed problem (arm prescribed, finger torques given), and squeezes that no impulses can answer."""

import math

import mujoco
import numpy as np
import pytest

import surefoot as sf

G = 9.81
DT = 1e-3
LEVER = 0.05 * math.cos(math.pi / 4)  # m from a finger's joint to its tip, across the push
SIDE = 2 * (LEVER - 0.01)  # m between opposite tips at home
CENTRE = np.array([0.25 + LEVER, 0.0, 0.2])
MASS, MU = 0.1, 0.5
# Four fingers push with torque / LEVER each, and friction carries the weight: 4 mu torque / LEVER = m g.
ENOUGH = MASS * G * LEVER / (4 * MU)

LAWS = [sf.Coulomb(), sf.NoSlip(release=True), sf.NoSlip(release=False), sf.Dissipative()]
every_law = pytest.mark.parametrize("law", LAWS, ids=str)


@pytest.fixture(scope="module")
def gripped():
    box = sf.Box(size=(SIDE,) * 3, mass=MASS, position=tuple(CENTRE), mu=MU)
    return sf.scene(sf.load("arm"), objects=[box])


def fingers(scene):
    return [joint for joint in scene.joints if joint.startswith("F_")]


def arm(scene):
    return [joint for joint in scene.joints if not joint.startswith("F_")]


def grip(scene, state, torque, law, motion=None):
    """One mixed problem: the arm moves as told (or stands), each finger closes with `torque`."""
    velocity = dict.fromkeys(arm(scene), 0.0) | (motion or {})
    return sf.solve(scene, state, dt=DT, velocity=velocity, torque=dict.fromkeys(fingers(scene), -torque), law=law)


def advance(scene, answer):
    """The state at the end of the answer's step."""
    q = np.array(answer.state.q)
    mujoco.mj_integratePos(scene.model, q, answer.velocity, DT)
    return sf.State(q, answer.velocity, answer.state.t + DT)


def run(scene, torque, law, steps, motion=lambda t: None):
    state, answers = scene.home(), []
    for _ in range(steps):
        answers.append(grip(scene, state, torque, law, motion(state.t + DT)))
        state = advance(scene, answers[-1])
    return state, answers


def test_the_box_just_fits(gripped):
    answer = grip(gripped, gripped.home(), ENOUGH, sf.Coulomb())
    assert len(answer.contacts) == 4
    assert np.abs(answer.contacts.gaps).max() < 1e-12
    assert answer.contacts.mu == pytest.approx(np.full(4, MU))
    assert all("box" in name and "TIP" in name for name in answer.contacts.names)


@pytest.mark.parametrize("share", [1.02, 2.0, 10.0])
def test_the_arm_holds_a_box_by_friction(gripped, share):
    state, answers = run(gripped, share * ENOUGH, sf.Coulomb(), 200)
    assert state.q[-7:] == pytest.approx(gripped.home().q[-7:], abs=1e-9)
    for answer in answers[::20]:
        assert answer.forces[:, 0].sum() == pytest.approx(4 * share * ENOUGH / LEVER, rel=1e-6)
        assert max(answer.residuals()[part] for part in ("normal", "friction", "reduction")) < 1e-9


@pytest.mark.parametrize("share", [0.0, 0.3, 0.98])
def test_too_small_a_torque_drops_the_box(gripped, share):
    state, answers = run(gripped, share * ENOUGH, sf.Coulomb(), 60)
    assert answers[0].acceleration[-4] == pytest.approx(-G * (1 - share), rel=1e-9)
    if share:
        assert answers[0].slipping.all()
    # Later the tips may also wander along the box, which leaves less friction to hold it up, never more.
    assert -G * 60 * DT - 1e-9 <= state.v[-4] <= -G * (1 - share) * 60 * DT + 1e-9


def test_no_slip_holds_with_any_push_and_drops_without_one(gripped):
    state, _ = run(gripped, 0.05 * ENOUGH, sf.NoSlip(release=True), 100)
    assert state.q[-7:] == pytest.approx(gripped.home().q[-7:], abs=1e-9)
    for torque in (0.0, -0.5 * ENOUGH):
        state, _ = run(gripped, torque, sf.NoSlip(release=True), 20)
        assert state.v[-4] == pytest.approx(-G * 20 * DT, rel=1e-9)


def test_the_arms_torques_carry_its_own_weight_and_the_boxs(gripped):
    answer = grip(gripped, gripped.home(), 2 * ENOUGH, sf.Coulomb())
    data = mujoco.MjData(gripped.model)
    gripped.home().to_mujoco(data)
    mujoco.mj_forward(gripped.model, data)
    J = np.zeros((3, gripped.nv))
    mujoco.mj_jac(gripped.model, data, J, None, CENTRE, gripped.model.body("HAND").id)
    expected = data.qfrc_bias[:7] + MASS * G * J[2, :7]
    assert answer.torque[:7] == pytest.approx(expected, abs=1e-8)
    assert answer.torque[7:] == pytest.approx(np.full(4, -2 * ENOUGH), abs=0)


@pytest.mark.parametrize("law", [sf.Coulomb(), sf.Coulomb(edges=8), sf.Coulomb(edges=16), *LAWS[1:]], ids=str)
def test_a_moving_arm_takes_the_box_along(gripped, law):
    """With constant torques hand and box may turn about the fingers' common axis, but the tips keep their places."""
    state, _ = run(gripped, 20 * ENOUGH, law, 300, lambda t: {"Y_5": 0.3 * math.sin(10 * t)})
    data = mujoco.MjData(gripped.model)
    hand, box = gripped.model.body("HAND").id, gripped.model.body("box").id
    held = []
    for at in (gripped.home(), state):
        at.to_mujoco(data)
        mujoco.mj_kinematics(gripped.model, data)
        held.append(data.xmat[hand].reshape(3, 3).T @ (data.xpos[box] - data.xpos[hand]))
    assert np.linalg.norm(data.xpos[box] - CENTRE) > 5e-3  # it went somewhere
    assert held[1][1] == pytest.approx(held[0][1], abs=2e-5)  # along the axis of the fingers
    assert np.hypot(*held[1][[0, 2]]) == pytest.approx(LEVER, abs=2e-5)  # across it


@every_law
def test_all_fingers_prescribed_leaves_the_grip_undetermined_and_says_so(gripped, law):
    """Any squeeze, or none, goes with standing fingers: the contract asks that the answer say that."""
    answer = sf.inverse_dynamics(gripped, gripped.home(), np.zeros(11), dt=DT, law=law, throw=False)
    assert answer.ok
    assert answer.status is sf.Status.INDETERMINATE or "internal force free" in answer.table()


@every_law
def test_closing_prescribed_fingers_are_refused_by_name(gripped, law):
    closing = dict.fromkeys(arm(gripped), 0.0) | dict.fromkeys(fingers(gripped), -0.1)
    with pytest.raises(sf.SolveError, match=r"arm, .* law: in(feasible|consistent).*TIP_.. on box") as error:
        sf.solve(gripped, gripped.home(), dt=DT, velocity=closing, law=law)
    assert not error.value.result.ok


# --- a ball between two plates -----------------------------------------------------------------------------------

PLATES = """
<mujoco model="plates">
  <option gravity="0 0 {gravity}"/>
  <worldbody>
    <body name="left" pos="-0.06 0 0">
      <joint name="push_left" type="slide" axis="1 0 0"/>
      <geom name="left" type="box" size="0.01 0.1 0.1" mass="1" friction="{mu}"/>
    </body>
    <body name="right" pos="0.06 0 0">
      <joint name="push_right" type="slide" axis="-1 0 0"/>
      <geom name="right" type="box" size="0.01 0.1 0.1" mass="1" friction="{mu}"/>
    </body>
    <body name="ball">
      <freejoint/>
      <geom name="ball" type="sphere" size="0.05" mass="0.5" friction="{mu}"/>
    </body>
  </worldbody>
</mujoco>
"""


def plates(folder, mu=0.5, gravity=-9.81):
    path = folder / "plates.xml"
    path.write_text(PLATES.format(mu=mu, gravity=gravity))
    return sf.load(path, ground=None)


@every_law
@pytest.mark.parametrize("gravity", [0.0, -9.81])
@pytest.mark.parametrize("speed", [1e-3, 0.1, 2.0])
def test_a_ball_between_closing_plates_is_refused_with_names(tmp_path, law, gravity, speed):
    scene = plates(tmp_path, gravity=gravity)
    assert scene.objects == ("ball",)
    closing = {"push_left": speed, "push_right": speed}
    with pytest.raises(sf.SolveError, match=rf"plates, {law.name} law: in(feasible|consistent)") as error:
        sf.solve(scene, scene.home(), dt=DT, velocity=closing, law=law)
    assert "left" in str(error.value)
    assert "right" in str(error.value)
    assert "ball" in str(error.value)
    answer = sf.solve(scene, scene.home(), dt=DT, velocity=closing, law=law, throw=False)
    assert not answer.ok


@every_law
def test_one_plate_closes_faster_than_the_other_leaves(tmp_path, law):
    scene = plates(tmp_path)
    with pytest.raises(sf.SolveError, match="left"):
        sf.solve(scene, scene.home(), dt=DT, velocity={"push_left": 0.5, "push_right": -0.4}, law=law)
    answer = sf.solve(scene, scene.home(), dt=DT, velocity={"push_left": 0.5, "push_right": -0.6}, law=law)
    assert answer.ok
    ball = scene.model.joint(int(scene.model.body("ball").jntadr[0])).dofadr[0]
    assert answer.velocity[ball] >= 0.5 - 1e-9


@pytest.mark.parametrize("law", [law for law in LAWS if law != sf.NoSlip(release=False)], ids=str)
def test_opening_plates_let_the_ball_fall(tmp_path, law):
    scene = plates(tmp_path)
    answer = sf.solve(scene, scene.home(), dt=DT, velocity={"push_left": -0.1, "push_right": -0.1}, law=law)
    assert np.array_equal(answer.forces, np.zeros((2, 3)))
    assert answer.velocity[-6:] == pytest.approx([0, 0, -G * DT, 0, 0, 0], abs=1e-12)


def test_one_plate_prescribed_one_pushed_holds_the_ball(tmp_path):
    """The right plate pushes with F: normals F and F, friction 2 mu F carries m g if F is large enough."""
    scene = plates(tmp_path, mu=0.5)
    weight = 0.5 * G
    for force, acceleration in ((1.05 * weight, 0.0), (0.5 * weight, -0.5 * G)):
        answer = sf.solve(scene, scene.home(), dt=DT, velocity={"push_left": 0.0}, torque={"push_right": force})
        assert answer.forces[:, 0] == pytest.approx([force, force], rel=1e-9)
        assert answer.acceleration[-4] == pytest.approx(acceleration, abs=1e-8)
        assert answer.torque[scene.joints.index("push_left")] == pytest.approx(force, rel=1e-9)
