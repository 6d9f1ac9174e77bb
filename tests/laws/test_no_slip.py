import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.laws import LAWS, as_law
from tests.contact.scenes import ball, block


def test_infinite_friction_whatever_the_ground():
    law = sf.NoSlip()
    assert law.name == "no-slip"
    assert law.believed_mu == np.inf
    for mu in (0.0, 0.1):
        scene = block(mu=mu)
        answer = sf.forward_dynamics(scene, scene.state(v=[2.0, 1.0, 0, 0, 0, 0]), dt=1e-3, law=law)
        assert np.abs(answer.contact_velocity[answer.forces[:, 0] > 0, 1:]).max() <= 1e-9
        assert not answer.slipping.any()


def test_a_ball_that_slides_starts_to_roll_at_once():
    scene = ball(radius=0.1)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0, 0, 0, 0]), dt=1e-3, law="no-slip")
    assert answer.velocity[0] == pytest.approx(5 / 7)
    assert answer.velocity[4] == pytest.approx(5 / 7 / 0.1)


def test_what_lifts_off_is_free():
    scene = ball()
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0.5, 0, 0, 0]), dt=1e-3, law="no-slip")
    assert not answer.forces.any()
    assert answer.velocity[0] == 1.0


def test_it_is_coulomb_with_infinite_friction():
    scene = block(mu=0.1)
    state = scene.state(v=[1.0, 0.3, -0.2, 0.1, 0, 0])
    ours = sf.forward_dynamics(scene, state, dt=1e-3, law=sf.NoSlip())
    same = sf.forward_dynamics(scene, state, dt=1e-3, law=sf.Coulomb(mu=np.inf))
    assert np.array_equal(ours.velocity, same.velocity)


# Laws by name


def test_laws_by_name():
    assert list(LAWS) == ["coulomb", "no-slip"]
    assert as_law("coulomb") == sf.Coulomb()
    assert as_law("no-slip") == sf.NoSlip()
    law = sf.Coulomb(mu=1.0)
    assert as_law(law) is law


@pytest.mark.parametrize(
    ("law", "text"),
    [
        ("columb", "law: expected one of 'coulomb', 'no-slip', got 'columb'"),
        (3, r"law: expected a law such as sf.Coulomb\(\) or its name, got 3"),
        (sf.Coulomb, r"law: expected a law such as sf.Coulomb\(\) or its name, got <class"),
    ],
)
def test_what_is_no_law_is_refused(law, text):
    with pytest.raises(InputError, match=text):
        as_law(law)
