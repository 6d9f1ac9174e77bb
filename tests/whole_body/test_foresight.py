"""What the law foresees of contacts, judged by what the program plans for them."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.whole_body import WholeBody

DT = 1e-3


@pytest.mark.parametrize(("mu", "otherwise"), [(0.7, 0), (0.05, 4)])
def test_a_contact_that_moves_is_seen_otherwise_only_if_it_will_not_come_to_rest_as_planned(links, mu, otherwise):
    """All feet slide forward with the base: enough friction stops them within 20 ms, ice does not."""
    scene = sf.scene(links, terrain=sf.Plane(mu=mu))
    home = scene.home()
    velocity = np.zeros(scene.nv)
    velocity[0] = 0.05
    controller = WholeBody(scene, DT, mu=0.7, settle=0.02)
    controller(sf.State(home.q, velocity, 0.0), contacts=[foot.name for foot in scene.feet])
    assert controller.disagreements == otherwise
    assert {one.agrees for one in controller.foresight()} == {otherwise == 0}
