import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.kernels.settings import LawNumbers
from surefoot.motion.workspace import Workspace
from tests.contact.scenes import ball, block


def test_defaults_ask_the_scene():
    law = sf.Coulomb()
    assert law.name == "coulomb"
    numbers = law.numbers()
    assert np.isnan(numbers.mu)
    assert numbers.edges == 4
    assert (numbers.dissipative, numbers.stiffness) == (False, np.inf)


def test_a_belief_overrides_the_ground():
    law = sf.Coulomb(mu=0.25, edges=16)
    assert (law.numbers().mu, law.numbers().edges) == (0.25, 16)
    scene = block(mu=0.9)
    state = scene.state(v=[1.0, 0, 0, 0, 0, 0])
    slow = sf.forward_dynamics(scene, state, dt=1e-3, law=law)
    assert slow.acceleration[0] == pytest.approx(-0.25 * 9.81)
    assert sf.forward_dynamics(scene, state, dt=1e-3).acceleration[0] == pytest.approx(-0.9 * 9.81)


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.5])
@pytest.mark.parametrize("edges", [4, 8, 16])
def test_a_sliding_block_is_braked_along_its_slip_at_any_heading(mu, edges):
    scene = ball(mu=mu)
    for angle in (0.0, 0.3, 0.8, 2.0):
        v = np.array([np.cos(angle), np.sin(angle), 0, 0, 0, 0])
        answer = sf.forward_dynamics(scene, scene.state(v=v), dt=1e-4, law=sf.Coulomb(edges=edges))
        assert answer.forces[0] == pytest.approx([9.81, -mu * 9.81, 0], abs=1e-6)  # tangent 1 follows the slip


@pytest.mark.parametrize("edges", [4, 8, 16])
def test_at_rest_the_pyramid_is_inscribed(edges):
    """A push at half an edge's angle is held up to cos(pi / k) of mu."""
    scene = ball(mu=0.5)
    angle, limit = np.pi / edges, 0.5 * np.cos(np.pi / edges) * 9.81
    for share, holds in ((0.99, True), (1.01, False)):
        # A ball that rolls needs 2/7 of the push at its contact.
        push = share * limit * 3.5 * np.array([np.cos(angle), np.sin(angle), 0])
        space = Workspace(scene, 1e-3, law=LawNumbers(edges=edges))
        space.load(scene.home())
        space.data.qfrc_applied[:3] = push
        assert space.find() == 0
        assert space.solve()[0] == 0
        slip = np.linalg.norm(space.step.rows.J[1:3] @ space.step.v_next)
        assert (slip < 1e-9) == holds


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"mu": -0.1}, r"mu: expected a friction coefficient of at least 0 \(inf allowed\), got -0.1"),
        ({"mu": np.nan}, r"mu: expected a friction coefficient of at least 0 \(inf allowed\), got nan"),
        ({"mu": "rough"}, r"mu: expected a friction coefficient of at least 0 \(inf allowed\), got 'rough'"),
        ({"edges": 5}, "edges: expected one of 4, 8, 16, got 5"),
        ({"edges": "4"}, "edges: expected one of 4, 8, 16, got '4'"),
    ],
)
def test_bad_numbers_are_refused(settings, text):
    with pytest.raises(InputError, match=text):
        sf.Coulomb(**settings)


def test_laws_are_values():
    assert sf.Coulomb(mu=0.5) == sf.Coulomb(mu=0.5)
    assert sf.Coulomb(mu=0.5) != sf.Coulomb(mu=0.6)
    assert len({sf.Coulomb(), sf.Coulomb(), sf.NoSlip()}) == 2
