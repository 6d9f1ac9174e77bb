import mujoco
import numpy as np
import pytest

from surefoot.motion.arrays import make_mobility

BODY = '<body name="{name}" pos="{x} 0 0">{joint}<inertial pos="{off} 0 0" mass="2" diaginertia="0.1 0.2 0.3"/></body>'


def mobility(joint, off=0.0):
    text = BODY.format(name="body", x=1, joint=joint, off=off)
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    return make_mobility(model)


@pytest.mark.parametrize("off", [0.0, 0.7])
def test_a_free_body_has_one_over_its_mass_wherever_its_frame_is(off):
    assert mobility("<freejoint/>", off).body == pytest.approx([0.0, 0.5])


def test_a_wheel_moves_though_its_centre_does_not():
    """Turning 1/(3 * 0.2), of a free body (1/0.1 + 1/0.2 + 1/0.3) / 3: the share of 1/m that the axle leaves it."""
    free = (1 / 0.1 + 1 / 0.2 + 1 / 0.3) / 3
    assert mobility('<joint axis="0 1 0"/>').body[1] == pytest.approx(0.5 * (1 / 0.2 / 3) / free)


def test_joints_have_one_over_their_inertia():
    lever = mobility('<joint axis="0 1 0" armature="0.5"/>', off=0.5)
    inertia = 0.2 + 0.5 + 2 * 0.25
    assert (lever.dof.tolist(), lever.joint.tolist()) == (pytest.approx([1 / inertia]), pytest.approx([1 / inertia]))
    assert lever.body[1] == pytest.approx(0.25 / inertia / 3)
    slide = mobility('<joint type="slide" axis="0 1 0"/>')
    assert slide.joint == pytest.approx([0.5])


def test_without_masses_nothing_is_divided_by_zero():
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    assert np.isfinite(make_mobility(model).geom).all()
