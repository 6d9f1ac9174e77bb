"""Prescribed motion against what it must not pass over: friction it feels, limits, fast ground, dry joints."""

import numpy as np
import pytest

import surefoot as sf


def scene(tmp_path, text):
    path = tmp_path / "scene.xml"
    path.write_text(f'<mujoco model="scene"><worldbody>{text}</worldbody></mujoco>')
    return sf.load(path)


GANTRY = """
<geom name="ground" type="plane" size="0 0 0.1" friction="0.5"/>
<body name="cart" pos="0 0 0.1"><joint name="x" type="slide" axis="1 0 0"/>
  <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
  <body name="tip"><joint name="z" type="slide" axis="0 0 1"/>
    <geom name="tip" type="sphere" size="0.1" mass="1" friction="0.5"/></body></body>
"""


def test_a_dragged_tip_is_felt_by_what_drags_it(tmp_path):
    robot = scene(tmp_path, GANTRY)
    state = robot.state(v=[1.0, 0.0])
    answer = sf.solve(robot, state, dt=1e-3, velocity={"x": 1.0})
    assert answer.forces[0] == pytest.approx([9.81, -4.905, 0.0], abs=1e-9)
    assert answer.torque[0] == pytest.approx(4.905, abs=1e-9)
    assert max(answer.residuals()[name] for name in ("dynamics", "normal", "friction")) < 1e-12
    again = sf.forward_dynamics(robot, state, answer.torque, dt=1e-3)
    assert again.velocity == pytest.approx(answer.velocity, abs=1e-12)


def test_the_ground_is_found_however_fast_the_ball(tmp_path):
    ball = sf.scene(terrain=sf.Plane(mu=0.5), objects=[sf.Ball(radius=0.1, mass=1.0, position=(0, 0, 0.105))])
    answer = sf.forward_dynamics(ball, ball.state(v=[0, 0, -10.0, 0, 0, 0]), dt=1e-3)
    assert answer.velocity[2] == pytest.approx(-5.0, abs=1e-9)  # it ends on the ground


def test_a_prescribed_joint_may_not_pass_its_limit(tmp_path):
    robot = scene(
        tmp_path,
        '<body><joint name="j" type="slide" axis="1 0 0" limited="true" range="-1 0.05"/>'
        '<geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>',
    )
    with pytest.raises(sf.SolveError, match=r"infeasible: .* \(at limit of j, motion of j\);"):
        sf.solve(robot, robot.state(q=[0.03]), dt=1e-2, velocity={"j": 10.0})


def test_a_pair_of_one_dimension_has_no_friction(tmp_path):
    path = tmp_path / "pair.xml"
    path.write_text("""<mujoco model="pair"><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body name="block" pos="0 0 0.1"><freejoint/><geom name="block" type="box" size="0.1 0.1 0.1" mass="1"/></body>
      </worldbody><contact><pair geom1="floor" geom2="block" condim="1"/></contact></mujoco>""")
    robot = sf.load(path)
    answer = sf.forward_dynamics(robot, robot.state(v=[1.0, 0, 0, 0, 0, 0]), dt=1e-3)
    assert answer.contacts.mu == pytest.approx(0.0)
    assert answer.velocity[0] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("speed", "torque", "friction"), [(0.5, 2.0, -2.0), (-0.5, -2.0, 2.0), (0.0, 0.0, 0.0)])
def test_a_motor_overcomes_the_dry_friction_of_its_joint(tmp_path, speed, torque, friction):
    robot = scene(
        tmp_path,
        '<body><joint name="j" type="slide" axis="1 0 0" frictionloss="2"/>'
        '<geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>',
    )
    answer = sf.solve(robot, robot.state(v=[speed]), dt=1e-3, velocity={"j": speed})
    assert answer.torque == pytest.approx([torque], abs=1e-12)
    assert answer.joint_rows[0].force == pytest.approx(friction, abs=1e-12)
    assert answer.residuals()["dynamics"] < 1e-15
    again = sf.forward_dynamics(robot, robot.state(v=[speed]), answer.torque, dt=1e-3)
    assert np.allclose(again.velocity, answer.velocity, atol=1e-12)


def test_fluids_and_switched_off_parts_stay_out(tmp_path):
    path = tmp_path / "off.xml"
    path.write_text("""<mujoco model="off"><option density="1000" viscosity="1" gravity="0 0 0">
      <flag limit="disable" damper="disable" frictionloss="disable"/></option><worldbody>
      <body><joint name="j" type="slide" axis="1 0 0" damping="9" frictionloss="9" limited="true" range="-1 0"/>
      <geom size="0.1" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>""")
    robot = sf.load(path, ground=None)
    answer = sf.forward_dynamics(robot, robot.state(v=[1.0]), dt=1e-3)
    assert answer.velocity == pytest.approx([1.0], abs=1e-15)
