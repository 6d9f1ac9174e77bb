import io

import numpy as np
import pytest
from PIL import Image

from surefoot.errors import EngineError, InputError
from surefoot.report.renderer import find_renderer
from surefoot.report.timelapse import overlay, pictures
from tests.report.soft_trace import quadruped, soft_trace


def moving(metres, n=50):
    """The quadruped at home, carried forward."""
    trace = soft_trace(quadruped(), duration=0.01)
    q = np.repeat(trace.scene.home().q[None], n, axis=0)
    q[:, 0] += np.linspace(0.0, metres, n)
    return trace.but(q=q, t=np.linspace(0.0, 1.0, n))


def feet(image):
    """Where the feet's orange is, strong and pale, by column."""
    image = image.astype(int)
    return (image[..., 0] - image[..., 2]).clip(0).max(axis=0)


@pytest.mark.usefixtures("drawing")
class TestDrawing:
    def test_a_png_of_the_size_asked_for(self, landed):
        with Image.open(io.BytesIO(pictures(landed, 3, width=320, height=160))) as image:
            assert (image.format, image.size) == ("PNG", (320, 160))

    def test_poses_stand_beside_each_other_and_the_last_is_strongest(self):
        image, times = overlay(moving(0.8), 3, width=480, height=160)
        np.testing.assert_allclose(times, [0.0, 0.5, 1.0], atol=0.02)
        orange = feet(image)
        left, right = orange[:160].max(), orange[320:].max()
        assert 25 < left < 0.75 * right

    def test_one_pose_is_the_picture_of_the_last_state(self):
        trace = moving(0.8)
        image, times = overlay(trace, 1, width=160, height=90)
        assert times.tolist() == [1.0]
        assert feet(image).max() > 100

    def test_of_a_long_way_the_last_part_is_shown(self):
        _, times = overlay(moving(30.0, n=3000), 4, width=160, height=90)
        assert 0.9 < times[0] < times[-1] == 1.0

    def test_a_way_sideways_goes_to_the_right_too(self):
        trace = moving(0.0)
        q = trace.q.copy()
        q[:, 1] += np.linspace(0.0, 0.8, len(q))
        orange = feet(overlay(trace.but(q=q), 3, width=480, height=160)[0])
        assert orange[:160].max() < 0.75 * orange[320:].max()

    def test_states_after_a_failure_are_left_out(self):
        trace = moving(0.5)
        trace.q[30:] = np.nan
        assert overlay(trace, 2, width=64, height=48)[1][-1] == trace.t[29]

    def test_the_same_bits_every_time(self, landed):
        assert pictures(landed, 3, width=64, height=48) == pictures(landed, 3, width=64, height=48)


def test_no_pose_at_all():
    trace = moving(0.5)
    trace.q[:] = np.nan
    with pytest.raises(InputError, match=r"^trace: expected at least one finite pose, got none$"):
        pictures(trace)


@pytest.mark.parametrize("n", [0, 51])
def test_wrong_number_of_poses(n):
    with pytest.raises(InputError, match=r"^n: expected a number of at (least 1|most 50), got"):
        pictures(moving(0.5), n)


def test_without_a_renderer(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "disable")
    find_renderer.cache_clear()
    with pytest.raises(EngineError, match=r"^No renderer works here, so nothing can be drawn"):
        pictures(moving(0.5))
    find_renderer.cache_clear()
