import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from surefoot.errors import InputError
from surefoot.report.animation import _camera_boxes, animate, force_arrows, frame_steps
from tests.report.soft_trace import pendulum, soft_trace


@pytest.mark.usefixtures("drawing")
def test_length_speed_and_size(tmp_path, landed):
    told = []
    path = animate(
        landed, tmp_path / "fall.webp", fps=10, speed=0.5, width=160, height=120, progress=lambda *x: told.append(x)
    )
    with Image.open(path) as image:
        # 0.6 s at half speed is 1.2 s of viewing: pictures at 0, 0.1, ..., 1.2 s.
        assert image.n_frames == 13
        assert image.size == (160, 120)
        image.seek(5)
        image.load()
        assert image.info["duration"] == 100
    assert told == [(i, 13) for i in range(1, 14)]
    assert path.stat().st_size < 200_000


@pytest.mark.usefixtures("drawing")
def test_a_robot_that_is_bolted_down_and_touches_nothing(tmp_path):
    trace = soft_trace(pendulum(), duration=0.2)
    with Image.open(animate(trace, tmp_path / "swing.webp", width=64, height=48)) as image:
        assert image.n_frames == 6


@given(st.floats(1, 60), st.floats(0.1, 4), st.floats(1e-3, 0.01))
def test_pictures_show_the_state_of_their_time(fps, speed, dt):
    t = dt * np.arange(301)
    steps = frame_steps(t, fps, speed)
    wanted = np.arange(len(steps)) * speed / fps
    assert steps[0] == 0
    assert (t[steps] <= wanted + 2e-9).all()
    assert (wanted < t[steps] + dt + 1e-9).all()
    assert t[-1] - wanted[-1] < speed / fps + 1e-6


class TestArrows:
    def test_at_rest_they_carry_the_weight(self, landed):
        weight = landed.scene.mass * 9.81
        starts, ends = force_arrows(landed, 280, 300, scale=1e-3, longest=10.0)
        assert starts.shape == (4, 3)
        np.testing.assert_allclose((ends - starts).sum(axis=0), [0, 0, 1e-3 * weight], atol=2e-4 * 1e-3 * weight)
        feet = {tuple(np.round(p, 2)) for p in starts[:, :2]}
        assert feet == {(x, y) for x in (0.11, -0.11) for y in (0.06, -0.06)}

    def test_none_in_the_air(self, landed):
        assert force_arrows(landed, 0, 10, scale=1.0, longest=1.0) is None

    def test_an_impact_is_cut_to_length(self, landed):
        starts, ends = force_arrows(landed, 40, 60, scale=1.0, longest=0.25)
        np.testing.assert_allclose(np.linalg.norm(ends - starts, axis=1), 0.25)

    def test_frames_turn_forces_into_the_world(self, landed):
        """A known answer: normal along y, first tangent along z; normal 3 N and first tangential 4 N."""
        frame = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
        made = landed.but(
            contact_start=np.array([0, 1]),
            contact_geoms=np.array([[1, 0]]),
            contact_points=np.array([[0.1, 0.2, 0.3]]),
            contact_frames=frame[None],
            contact_forces=np.array([[3.0, 4, 0]]),
        )
        starts, ends = force_arrows(made, 0, 1, scale=0.1, longest=10.0)
        np.testing.assert_allclose(starts, [[0.1, 0.2, 0.3]])
        np.testing.assert_allclose(ends - starts, [[0.0, 0.3, 0.4]])


def test_the_camera_stands_still_for_a_fall_and_follows_a_walk():
    box = np.array([[-0.1, -0.1, 0.0], [0.1, 0.1, 0.2]])
    falling = box + np.linspace(0.2, 0.0, 40)[:, None, None] * [0, 0, 1]
    still = _camera_boxes(falling, 0.2, 25)
    assert (still == still[0]).all()
    np.testing.assert_allclose(still[0], [[-0.1, -0.1, 0], [0.1, 0.1, 0.4]])
    walking = box + np.linspace(0.0, 5.0, 200)[:, None, None] * [1, 0, 0]
    followed = _camera_boxes(walking, 0.2, 25)
    np.testing.assert_allclose(followed[50:150], walking[50:150], atol=1e-9)


def test_wrong_ending(landed):
    with pytest.raises(InputError, match=r"^path: expected a file name ending in \.webp, got 'fall\.mp4'$"):
        animate(landed, "fall.mp4")


def test_wrong_speed(landed, tmp_path):
    with pytest.raises(InputError, match=r"^speed: expected a number above 0, got 0$"):
        animate(landed, tmp_path / "fall.webp", speed=0)


def test_wrong_direction(landed, tmp_path):
    with pytest.raises(InputError, match=r"^azimuth: expected a finite number, got nan$"):
        animate(landed, tmp_path / "fall.webp", azimuth=float("nan"))


def test_a_trace_that_blew_up(landed, tmp_path):
    q = landed.q.copy()
    q[-1, 3] = np.nan
    with pytest.raises(InputError, match=r"^trace: expected finite positions; draw the part before"):
        animate(landed.but(q=q), tmp_path / "fall.webp", fps=50)
