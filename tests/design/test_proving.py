"""Improved robots trot under error feedback and their motors' limits, the robots they come from do not."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Pipeline
from surefoot.control.stages import Command, GaitPlanner, InverseKinematics, JointPID
from surefoot.design.course import GaitTask
from surefoot.design.morphology import Morphology, Parameter
from surefoot.design.problem import Problem
from surefoot.design.prototypes import PRINTED, RECONFIGURABLE_LARGE, RECONFIGURABLE_SMALL
from surefoot.design.proving import Proof, prove, prove_both
from surefoot.gait import Gait, Legs, Planner
from surefoot.robots.families import with_values

GROUND = sf.Plane(mu=0.7)
TROT = {"period": 0.3, "duty": 0.6}
SERVO = np.full(12, 1.1), np.full(12, 6.55)
MX = np.isin(np.arange(12), (7, 10))  # LH_Y2 and RH_Y2
DYNAMIXEL = np.where(MX, 7.3, 2.6), np.where(MX, 8.2, 13.195)


def corners(length, width, height):
    """Places of four feet, of spheres of whatever radius, on a rectangle below the base."""
    return np.array([(x * length / 2, y * width / 2, -height) for x in (1, -1) for y in (1, -1)])


def reconfigurable(sizes, speed, **options):
    """A trot as in table 8. Sizes: front and hind thigh and shank, base length and width."""
    upper, lower, hind_upper, hind_lower, length, width = sizes
    values = {"base.size.0": length, "base.size.1": width}
    for side in "lr":
        values |= {f"{side}f.thigh.length": upper, f"{side}f.shank.length": lower}
        values |= {f"{side}h.thigh.length": hind_upper, f"{side}h.shank.length": hind_lower}
    scene = with_values(RECONFIGURABLE_SMALL, values).scene(GROUND)
    gait = Gait.named("trot", step_height=0.02, **TROT)
    return prove(scene, gait, speed, corners(0.30, 0.20, 0.13), *DYNAMIXEL, **options)


def printed(robot, speed, **options):
    """A trot as in table 6."""
    length, width, _ = robot.base.size
    legs = [leg.thigh.length + leg.shank.length for leg in (robot.lf, robot.lh)]
    height = 0.75 * min(legs) - robot.lf.foot.radius
    gait = Gait.named("trot", step_height=0.01, **TROT)
    return prove(robot.scene(GROUND), gait, speed, corners(2 * length, 1.1 * width, height), *SERVO, **options)


def improved_printed():
    """All motors at least 8 % away from their limits at 0.5 m/s."""
    values = {"base.size.0": 0.202, "base.size.1": 0.064, "base.size.2": 0.015}
    for leg in ("lf", "rf", "lh", "rh"):
        values |= {f"{leg}.hip.length": 0.020, f"{leg}.thigh.length": 0.180, f"{leg}.shank.length": 0.300}
        values |= {f"{leg}.{limb}.mass": 0.005 for limb in ("hip", "thigh", "shank")}
        values |= {f"{leg}.foot.radius": 0.008}
    return with_values(PRINTED, values)


def test_the_improved_reconfigurable_robot_trots():
    proof = reconfigurable((0.168, 0.136, 0.136, 0.213, 0.05, 0.04), 0.4)
    assert proof.trots
    assert proof.fell is None
    assert 0.8 < proof.share < 1.3
    assert proof.distance == pytest.approx(proof.trace.q[-1, 0])
    assert 0.0 < proof.strayed < 0.1


def test_witnesses_and_simulation_agree():
    """This design keeps its limits up to 0.35 m/s; at 0.4 m/s it lacks 3 % of a hind hip's speed."""
    sizes = (0.162, 0.118, 0.128, 0.209, 0.07, 0.05)
    assert reconfigurable(sizes, 0.35).trots
    fallen = reconfigurable(sizes, 0.4)
    assert not fallen.trots
    assert fallen.fell is not None


def test_the_small_robot_cannot_stand_so_wide_and_tall():
    proof = reconfigurable((0.05715, 0.09715, 0.05715, 0.09715, 0.07112, 0.0508), 0.1)
    assert (proof.trace, proof.trots) == (None, False)
    assert str(proof) == (
        "reconfigurable-small: cannot stand: places: LF_FOOT cannot reach (0.15, 0.1, -0.13) m in the base's frame, "
        "20.2 mm are missing; its leg reaches 0.17 m from its hip"
    )


def test_the_large_robot_falls():
    gait = Gait.named("trot", step_height=0.02, **TROT)
    scene = RECONFIGURABLE_LARGE.scene(GROUND)
    proof = prove(scene, gait, 0.4, corners(0.30, 0.20, 0.13), *DYNAMIXEL, name="large")
    assert not proof.trots
    assert str(proof) == f"large: falls after {proof.fell:.2f} s at 0.4 m/s"
    assert proof.distance < 0.4 * proof.fell


def test_the_printed_robot_trots_slowly_and_its_improvement_fast():
    assert printed(PRINTED, 0.1).trots
    assert printed(PRINTED, 0.2).fell is not None
    fast = printed(improved_printed(), 0.5)
    assert fast.trots
    assert str(fast).startswith("printed: trots at 0.5 m/s: 0.5")


def test_motors_give_no_more_than_they_have():
    torque, speed = DYNAMIXEL
    trace = reconfigurable((0.168, 0.136, 0.136, 0.213, 0.05, 0.04), 0.4, duration=0.5, ramp=0.0).trace
    left = torque * np.maximum(0.0, 1.0 - np.abs(trace.v[:-1, 6:]) / speed)
    assert (np.abs(trace.torque) <= left + 1e-9).all()
    assert (np.abs(trace.torque) > left - 1e-9).any()


def test_what_strays_is_the_distance_to_the_goals_of_the_pipeline():
    """The pipeline, run again in Python, shows its goals."""
    scene, gait = PRINTED.scene(GROUND), Gait.named("trot", **TROT)
    proof = prove(scene, gait, 0.1, None, np.full(12, 1e3), kp=20.0, kd=0.02, duration=0.2, ramp=0.1)
    legs, every = Legs(scene), round(1e-3 / proof.trace.dt)
    assert every > 1
    stages = [
        Command(0.1, ramp=0.1, every=every),
        GaitPlanner(Planner(legs, gait, 1e-3), every=every),
        InverseKinematics(legs, 1e-3, every=every),
        JointPID(scene, 20.0, 0.02),
    ]
    goals = Pipeline(scene, proof.trace.dt, stages).replay(proof.trace, "joint_position")["joint_position"]
    off = np.abs(goals - proof.trace.q[:-1, 7:])[every::every]
    assert proof.strayed == pytest.approx(off.max(), rel=0.05)
    assert proof.strayed >= off.max() - 1e-9  # which lacks the last state


def test_stronger_dampers_take_shorter_steps():
    """The step is dt over the least whole number at which kd times mobility times the step is at most one."""
    scene = PRINTED.scene(GROUND)
    steps = [prove(scene, "trot", 0.05, kp=20.0, kd=kd, duration=0.01).trace.dt for kd in (0.0, 1e-4, 0.02, 0.04, 0.08)]
    assert steps[:2] == [1e-3, 1e-3]
    rates = 1e-3 / np.array(steps[2:])
    assert np.allclose(rates, rates.round())
    assert (np.abs(rates[1:] - 2 * rates[:-1]) <= 1.0).all()


def test_a_robot_that_slips_does_not_keep_up():
    scene = PRINTED.scene(sf.Plane(mu=0.0))
    proof = prove(scene, Gait.named("trot", **TROT), 0.1, None, *SERVO, duration=1.0, ramp=0.0)
    assert not proof.trots
    assert proof.fell is not None or proof.share < 0.8


def test_a_proof_that_stops_early_says_so():
    trace = prove(PRINTED.scene(GROUND), "trot", 0.1, None, *SERVO, duration=0.01).trace
    object.__setattr__(trace, "end", sf.Status.NOT_FINITE)
    proof = Proof("it", 0.1, 1.0, reached=0.1, trace=trace)
    assert not proof.trots
    assert str(proof).startswith("it: stopped at step ")


def study(**task):
    gait = Gait.named("trot", step_height=0.01, **TROT)
    parameters = [Parameter("base height", "robot.base.size.2", 0.01, 0.05)]
    morphology = Morphology(PRINTED, parameters, {"*": "hobby servo"})
    return Problem(morphology, GaitTask(gait, length=2.0, width=1.1, height=0.75, relative=True, **task))


class Found:
    """As much of an improvement as is looked at."""

    def __init__(self, problem, difficulty):
        self.problem, self.difficulty, self.wanted = problem, difficulty, 0.2
        self.start, self.p = np.array([0.02]), np.array([0.015])


def test_before_and_after():
    before, after = prove_both(Found(study(), 0.1), duration=0.5)
    assert (before.name, after.name) == ("printed before", "printed after")
    assert before.speed == after.speed == 0.1
    heavy, light = (proof.trace.scene.model.body("BASE").mass[0] for proof in (before, after))
    assert heavy - light == pytest.approx(1300 * 0.087 * 0.064 * 0.005)
    assert -before.trace.q[0, 2] == pytest.approx(-0.75 * 0.212)
    assert prove_both(Found(study(), np.nan), duration=0.01)[0].speed == 0.2


def test_other_tasks_are_not_proved():
    assert prove_both(Found(study(turn=0.1), 0.1)) is None


def test_errors():
    scene = PRINTED.scene(GROUND)
    with pytest.raises(sf.InputError, match=r"^speed: expected a number above 0, got 0$"):
        prove(scene, "trot", 0.0)
    with pytest.raises(sf.InputError, match=r"^places: expected shape \(4, 3\), got \(3,\)$"):
        prove(scene, "trot", 0.1, (0.0, 0.0, 0.0))
    with pytest.raises(
        sf.InputError, match=r"^kp: LF_X1 has no torque limit that a gain could follow from; give kp, or torque$"
    ):
        prove(scene, "trot", 0.1)
    with pytest.raises(sf.InputError, match=r"^torque of LF_X1: expected a number above 0, got -1$"):
        prove(scene, "trot", 0.1, None, np.full(12, -1.0))
    with pytest.raises(sf.InputError, match=r"^motor_speed of LF_X1: expected a number above 0, got 0$"):
        prove(scene, "trot", 0.1, None, np.ones(12), np.zeros(12))
    with pytest.raises(sf.InputError, match=r"^dt: expected a number above 0, got 0$"):
        prove(scene, "trot", 0.1, None, np.ones(12), dt=0.0)
    with pytest.raises(sf.InputError, match=r"^kd: expected a number of at least 0, got -1$"):
        prove(scene, "trot", 0.1, None, np.ones(12), kd=-1.0)
