import numpy as np
import pytest

import surefoot as sf
from surefoot.kernels.memory import make_memory, recall, remember
from surefoot.kernels.plant import CONE, NORMAL
from tests.kernels.door import door


def rows(sources, kinds):
    from surefoot.kernels.plant import Rows

    n = len(sources)
    fields = {name: np.zeros(n) for name in Rows._fields}
    fields["source"] = np.array(sources, dtype=np.int64)
    fields["kind"] = np.array(kinds, dtype=np.int64)
    return Rows(**fields)


def test_contacts_are_known_again_by_their_geoms_in_any_order():
    memory = make_memory(4)
    door(remember)(rows([(5, 0), (6, 0), (6, 0)], [CONE] * 3), 3, np.array([1, 2, 3]), memory)
    mode = np.zeros(4, dtype=np.int64)
    door(recall)(rows([(6, 0), (6, 0), (9, 0), (5, 0)], [CONE] * 4), 4, memory, mode)
    assert mode.tolist() == [2, 3, 0, 1]


def test_an_open_contact_does_not_slide():
    memory = make_memory(1)
    door(remember)(rows([(5, 0)], [CONE]), 1, np.array([4]), memory)
    mode = np.zeros(1, dtype=np.int64)
    door(recall)(rows([(5, 0)], [NORMAL]), 1, memory, mode)
    assert mode.tolist() == [0]


@pytest.mark.parametrize("law", [sf.Coulomb(mu=0.4), sf.NoSlip(release=False), sf.Dissipative(mu=0.4)], ids=str)
def test_a_warm_start_finds_the_motion_of_a_cold_one(law):
    robot = sf.load("links")
    controller = sf.InverseDynamics(robot, 1e-3, law)
    rng = np.random.default_rng(2)
    for k in range(20):
        v = np.r_[0.02 * np.sin(0.3 * k + np.arange(6)), np.zeros(12)]
        state, wanted = robot.home().replace(v=v), 0.05 * rng.standard_normal(12) * (law.name != "no-slip")
        controller(state, wanted, throw=True)
        cold = sf.inverse_dynamics(robot, state, wanted, dt=1e-3, law=law)
        assert controller.answer().velocity == pytest.approx(cold.velocity, abs=1e-9)
