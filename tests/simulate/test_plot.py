import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import surefoot as sf
from surefoot.errors import InputError
from surefoot.simulate.plot import base_angles, contact_steps, figure, plot_trace, touching_parts
from tests.report.soft_trace import SoftTrace, pendulum, quadruped, soft_trace


@pytest.fixture(scope="module")
def landed() -> SoftTrace:
    return soft_trace(quadruped())


def _lines(panel):
    return {line.get_label(): line for line in panel.lines if not line.get_label().startswith("_")}


def _panels(trace):
    return {panel.get_title(): panel for panel in figure(trace).axes}


def test_a_picture_is_written(landed, tmp_path):
    path = plot_trace(landed, tmp_path / "fall.png")
    with Image.open(path) as image:
        assert min(image.size) > 800
        assert np.asarray(image.convert("L")).std() > 10


@pytest.mark.parametrize("terrain", [None, sf.Plane()])
def test_a_world_in_which_nothing_moves_is_drawn_without_a_warning(terrain, tmp_path):
    still = sf.scene(terrain=terrain)
    trace = sf.Simulator(still, dt=1e-3).rollout(still.home(), duration=0.01)
    trace.plot(tmp_path / "still.png")
    panels = _panels(trace)
    assert panels["normal force"].get_ylim() == (-0.05, 1.6)
    texts = {title: panel.texts[0].get_text() for title, panel in panels.items() if panel.texts}
    assert texts["joint position"] == texts["torque as applied"] == "no actuated joints"
    assert texts["slip speed under load"] == "nothing touched"


def test_panels_titles_and_units(landed):
    assert {title: panel.get_ylabel() for title, panel in _panels(landed).items()} == {
        "base height": "m",
        "base orientation": "degrees",
        "normal force": "N",
        "torque as applied": "N m",
        "slip speed under load": "mm/s",
        "gap where near (below zero: depth)": "mm",
    }


def test_curves_carry_the_traces_numbers(landed):
    panels = _panels(landed)
    forces = _lines(panels["normal force"])
    assert list(forces)[:4] == ["LF", "RF", "LH", "RH"]
    standing = sum(forces[foot].get_ydata()[-1] for foot in ("LF", "RF", "LH", "RH"))
    assert standing == pytest.approx(landed.scene.mass * 9.81, rel=1e-2)
    (height,) = _lines(panels["base height"]).values()
    np.testing.assert_array_equal(height.get_ydata(), landed.q[:, 2])
    knee = _lines(panels["torque as applied"])["RF_knee"]
    np.testing.assert_array_equal(knee.get_ydata(), landed.torque[:, 3])
    gap = _lines(panels["gap where near (below zero: depth)"])["LF"].get_ydata()
    assert np.isnan(gap[0])
    assert np.nanmin(gap) == pytest.approx(1e3 * landed.contact_gaps.min(), rel=0.05)


def test_an_impact_is_named(landed):
    texts = [text.get_text() for text in _panels(landed)["normal force"].texts]
    assert len(texts) == 1
    assert texts[0].startswith("peak of all together ")


def test_slip_counts_only_under_load(landed):
    forces = landed.contact_forces.copy()
    forces[:, 0] = 0.0
    slip = _lines(_panels(landed.but(contact_forces=forces))["slip speed under load"])
    assert all(np.isnan(line.get_ydata()).all() for line in slip.values())


def test_every_contact_belongs_to_one_part(landed):
    geoms = landed.contact_geoms.copy()
    geoms[0] = [1, 0]  # the trunk on the ground
    parts = touching_parts(landed.but(contact_geoms=geoms))
    assert list(parts) == ["LF", "RF", "LH", "RH", "other parts"]
    np.testing.assert_array_equal(sum(mask.astype(int) for mask in parts.values()), 1)
    assert np.flatnonzero(parts["other parts"]).tolist() == [0]


def test_steps_of_contact_rows(landed):
    made = landed.but(torque=np.zeros((3, 8)), contact_start=np.array([0, 2, 2, 3]))
    assert contact_steps(made).tolist() == [0, 0, 2]


@given(st.floats(-3, 3), st.floats(-1.5, 1.5), st.floats(-3, 3))
def test_angles_of_a_known_turn(roll, pitch, yaw):
    import mujoco

    quaternion = np.empty(4)
    mujoco.mju_euler2Quat(quaternion, np.array([roll, pitch, yaw]), "XYZ")  # about the world's axes, in this order
    scene = quadruped()
    trace = soft_trace(scene, duration=2e-3)
    q = np.tile(np.r_[0, 0, 1, quaternion, np.zeros(8)], (2, 1))
    np.testing.assert_allclose(base_angles(trace.but(q=q))[0], [roll, pitch, yaw], atol=1e-7)


def test_a_robot_that_is_bolted_down(tmp_path):
    trace = soft_trace(pendulum(), duration=0.1)
    panels = _panels(trace)
    assert {"joint position", "joint velocity"} <= set(panels)
    assert panels["joint position"].get_ylabel() == "rad"
    assert panels["slip speed under load"].texts[0].get_text() == "nothing touched"
    plot_trace(trace, tmp_path / "swing.svg")


def test_a_failed_roll_out_says_so(landed):
    q = landed.q.copy()
    q[-1] = np.nan
    drawn = figure(landed.but(q=q, ok=False, message="step 300: not finite"))
    assert drawn.get_suptitle().endswith("; stopped: step 300: not finite")


def test_wrong_ending(landed):
    expected = r"^path: expected a file name ending in \.png, \.pdf, \.svg, \.jpg, \.webp, got 'fall\.txt'$"
    with pytest.raises(InputError, match=expected):
        plot_trace(landed, "fall.txt")


def test_missing_folder(landed, tmp_path):
    with pytest.raises(InputError, match=r"^path: the folder '.*nowhere' does not exist$"):
        plot_trace(landed, tmp_path / "nowhere" / "fall.png")


def test_no_step(landed, tmp_path):
    with pytest.raises(InputError, match=r"^trace: expected at least one step, got none$"):
        plot_trace(landed.but(t=landed.t[:1]), tmp_path / "fall.png")
