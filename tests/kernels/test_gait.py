import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.kernels.gait import foothold

numbers = st.floats(-1.0, 1.0)


@given(numbers, numbers, st.floats(-3.0, 3.0), st.floats(0.01, 1.0))
@settings(max_examples=60, deadline=None)
def test_a_foothold_comes_to_its_place(vx, vy, turn, time):
    """The base moves as commanded for that time, by many small steps; the foothold stays on the ground."""
    place, out = np.array([0.2, -0.1, -0.15]), np.zeros(3)
    foothold(np.array([vx, vy, turn]), place, time, out)

    def rate(x):
        return np.array([-(vx - turn * x[1]), -(vy + turn * x[0]), 0.0])  # -(v + w x x)

    x = out.copy()
    steps = 2000
    for _ in range(steps):  # midpoint rule
        x += time / steps * rate(x + 0.5 * time / steps * rate(x))
    np.testing.assert_allclose(x, place, atol=1e-6)


def test_straight_on_it_lies_half_a_stance_ahead():
    out = np.zeros(3)
    foothold(np.array([0.2, 0.1, 0.0]), np.array([0.1, 0.05, -0.2]), 0.1, out)
    assert out == pytest.approx([0.12, 0.06, -0.2])
    foothold(np.array([0.2, 0.1, 1e-9]), np.array([0.1, 0.05, -0.2]), 0.1, out)
    assert out == pytest.approx([0.12, 0.06, -0.2])
