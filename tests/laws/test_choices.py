import re

import numpy as np
import pytest

import surefoot as sf
from surefoot.kernels import smooth as goals
from surefoot.laws.choices import belief, pyramid, smoothing


def test_known_choices():
    assert [smoothing(choice) for choice in (False, True, "torque", "change", "load")] == [
        goals.NOTHING,
        goals.LEAST_TORQUE,
        goals.LEAST_TORQUE,
        goals.LEAST_CHANGE,
        goals.EVEN_LOAD,
    ]
    assert np.isnan(belief(None))
    assert belief(np.inf) == np.inf
    assert pyramid(8) == 8


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: sf.Coulomb(smooth="soft"),
            "smooth: expected one of False, True, 'torque', 'change', 'load', got 'soft'",
        ),
        (lambda: sf.NoSlip(smooth=2), "smooth: expected one of False, True, 'torque', 'change', 'load', got 2"),
        (lambda: sf.Dissipative(edges=5), "edges: expected one of 4, 8, 16, got 5"),
        (lambda: sf.Dissipative(form="power"), "form: expected one of 'slip', 'energy', got 'power'"),
        (lambda: sf.Dissipative(cone="round"), "cone: expected one of 'pyramid', 'exact', got 'round'"),
        (
            lambda: sf.Dissipative(form="energy", cone="exact"),
            "cone: expected 'pyramid' with form='energy', got 'exact'",
        ),
        (lambda: sf.Soft(epsilon=0.0), "epsilon: expected a number above 0, got 0"),
        (lambda: sf.Soft(kappa=-1.0), "kappa: expected a number above 0, got -1"),
        (lambda: sf.Soft(critical=1), "critical: expected True or False, got 1"),
        (lambda: sf.Soft(mu=-0.1), "mu: expected a friction coefficient of at least 0 (inf allowed), got -0.1"),
    ],
)
def test_others_are_refused_in_these_words(call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call()
