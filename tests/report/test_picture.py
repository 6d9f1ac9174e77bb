import numpy as np
import pytest
from PIL import Image

from surefoot.errors import InputError
from surefoot.report.picture import Painter, picture, writable
from tests.report.soft_trace import quadruped


@pytest.mark.usefixtures("drawing")
class TestDrawing:
    def test_the_robot_fills_the_picture_and_none_of_it_is_cut_off(self, tmp_path):
        scene = quadruped()
        path = picture(scene, tmp_path / "robot.png", width=320, height=240)
        with Image.open(path) as opened:
            image = np.asarray(opened).astype(int)
        assert image.shape == (240, 320, 3)
        # The feet's orange is nowhere else in the picture.
        orange = (image[..., 0] > image[..., 2] + 60) & (image[..., 0] > image[..., 1] + 30)
        rows, columns = np.nonzero(orange)
        assert orange.sum() > 30
        assert np.ptp(columns) > 80
        assert rows.min() > 5
        assert rows.max() < 235
        assert columns.min() > 5
        assert columns.max() < 315

    def test_up_is_up(self):
        with Painter(quadruped(), 64, 48) as painter:
            image = painter.paint(quadruped().home().q).astype(int)
        sky, floor = image[:6].mean(axis=(0, 1)), image[-6:].mean(axis=(0, 1))
        assert sky[2] - sky[0] > floor[2] - floor[0] + 10

    def test_arrows_are_drawn_red(self):
        scene = quadruped()
        with Painter(scene, 160, 120) as painter:
            camera = painter.frame(*painter.bounds(scene.home().q))
            plain = painter.paint(scene.home().q, camera).astype(int)
            start = np.array([[0.0, 0.0, 0.25]])
            arrow = painter.paint(
                scene.home().q, camera, (start, start + np.array([0, 0, 0.1])), thickness=0.02
            ).astype(int)
        changed = np.abs(arrow - plain).sum(axis=2) > 30
        red = arrow[changed]
        assert changed.sum() > 20
        assert np.mean(red[:, 0] > red[:, 1] + 50) > 0.5

    def test_two_painters_do_not_disturb_each_other(self):
        scene = quadruped()
        q, moved = scene.home().q, scene.home().q + np.r_[0, 0, 0.1, np.zeros(scene.nq - 3)]
        with Painter(scene, 64, 48) as first:
            camera = first.frame(*first.bounds(q))
            before = first.paint(q, camera)
            with Painter(scene, 96, 72) as second:
                second.paint(moved)
                np.testing.assert_array_equal(first.paint(q, camera), before)
            np.testing.assert_array_equal(first.paint(q, camera), before)

    def test_closing_twice_is_harmless(self):
        painter = Painter(quadruped(), 64, 48)
        painter.close()
        painter.close()

    def test_wrong_configuration(self):
        with (
            Painter(quadruped(), 64, 48) as painter,
            pytest.raises(InputError, match=r"^q: expected shape \(15,\), got \(3,\)$"),
        ):
            painter.paint(np.zeros(3))


def test_wrong_ending():
    expected = r"^path: expected a file name ending in \.png, \.jpg, \.jpeg, \.webp, got 'robot\.gif'$"
    with pytest.raises(InputError, match=expected):
        picture(quadruped(), "robot.gif")


def test_missing_folder(tmp_path):
    with pytest.raises(InputError, match=r"^output: the folder '.*nowhere' does not exist$"):
        writable("output", tmp_path / "nowhere" / "a.png", (".png",))


@pytest.mark.parametrize("width", [0, -5, 100_000])
def test_wrong_size(width):
    with pytest.raises(InputError, match=r"^width: expected a number of at (least 16|most 4096), got"):
        Painter(quadruped(), width=width)
