import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.laws import LAWS, as_law
from tests.contact.scenes import ball, block

both = pytest.mark.parametrize("release", [True, False])


@both
def test_infinite_friction_whatever_the_ground(release):
    law = sf.NoSlip(release=release)
    assert law.name == "no-slip"
    assert law.numbers().mu == np.inf
    assert law.numbers().dissipative is not release
    for mu in (0.0, 0.1):
        scene = block(mu=mu)
        answer = sf.forward_dynamics(scene, scene.state(v=[2.0, 1.0, 0, 0, 0, 0]), dt=1e-3, law=law)
        assert np.abs(answer.contact_velocity[answer.forces[:, 0] > 0, 1:]).max() <= 1e-9
        assert not answer.slipping.any()
        assert max(answer.residuals()[part] for part in ("normal", "friction", "reduction")) <= 1e-9


@both
def test_a_ball_that_slides_starts_to_roll_at_once(release):
    scene = ball(radius=0.1)
    law = sf.NoSlip(release=release)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0, 0, 0, 0]), dt=1e-3, law=law)
    assert answer.velocity[0] == pytest.approx(5 / 7)
    assert answer.velocity[4] == pytest.approx(5 / 7 / 0.1)


def test_released_what_lifts_off_is_free():
    scene = ball()
    law = sf.NoSlip(release=True)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0.5, 0, 0, 0]), dt=1e-3, law=law)
    assert not answer.forces.any()
    assert answer.velocity[0] == 1.0


def test_held_what_lifts_off_rolls():
    scene = ball()
    law = sf.NoSlip(release=False)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0.5, 0, 0, 0]), dt=1e-3, law=law)
    assert answer.status is sf.Status.SOLVED
    assert answer.forces[0] == pytest.approx([0.0, -2 / 7 * 1000, 0.0])
    assert answer.velocity[:3] == pytest.approx([5 / 7, 0.0, 0.5 - 9.81e-3])
    assert np.abs(answer.contact_velocity[0, 1:]).max() <= 1e-12
    assert max(answer.residuals()[part] for part in ("normal", "friction", "reduction")) <= 1e-9


@both
def test_open_contacts_are_not_held(release):
    scene = ball(above=1e-4)
    law = sf.NoSlip(release=release)
    answer = sf.forward_dynamics(scene, scene.state(v=[1.0, 0, 0.5, 0, 0, 0]), dt=1e-3, law=law)
    assert not answer.forces.any()


def test_released_it_is_coulomb_with_infinite_friction():
    scene = block(mu=0.1)
    state = scene.state(v=[1.0, 0.3, -0.2, 0.1, 0, 0])
    ours = sf.forward_dynamics(scene, state, dt=1e-3, law=sf.NoSlip(release=True))
    same = sf.forward_dynamics(scene, state, dt=1e-3, law=sf.Coulomb(mu=np.inf))
    assert np.array_equal(ours.velocity, same.velocity)


def test_held_it_is_the_dissipative_law_with_infinite_friction():
    scene = block(mu=0.1)
    state = scene.state(v=[1.0, 0.3, -0.2, 0.1, 0, 0])
    ours = sf.forward_dynamics(scene, state, dt=1e-3, law=sf.NoSlip(release=False))
    same = sf.forward_dynamics(scene, state, dt=1e-3, law=sf.Dissipative(mu=np.inf))
    assert np.array_equal(ours.velocity, same.velocity)


# Feet that a prescribed motion drags apart


@both
def test_feet_dragged_apart_are_refused_by_name(links, release):
    drag = np.tile([0.0, 5.0, 0.0], 4)
    with pytest.raises(sf.SolveError, match=r"^links, no-slip law: in(consistent|feasible): ") as refused:
        sf.inverse_dynamics(links, links.home(), drag, dt=1e-3, law=sf.NoSlip(release=release))
    assert any("FOOT" in name for name in refused.value.result.culprits)
    assert any(name.startswith("motion of") for name in refused.value.result.culprits)


@both
def test_feet_dragged_apart_by_next_to_nothing_are_held_by_small_forces(links, release):
    """1e-9 m/s is 1e-7 of the velocity scale: friction that would stop it by itself needs tons."""
    drag = np.tile([0.0, 2e-6, 0.0], 4)
    law = sf.NoSlip(release=release)
    answer = sf.inverse_dynamics(links, links.home(), drag, dt=1e-3, law=law)
    assert answer.status is sf.Status.REGULARISED
    assert 1e-9 < answer.residual <= 1e-6
    assert np.abs(answer.forces).max() <= links.mass * 9.81
    still = sf.inverse_dynamics(links, links.home(), np.zeros(12), dt=1e-3, law=law)
    assert answer.torque == pytest.approx(still.torque, abs=5.0)


# Laws by name


def test_laws_by_name():
    assert list(LAWS) == ["coulomb", "no-slip", "dissipative", "soft"]
    assert as_law("coulomb") == sf.Coulomb()
    assert as_law("no-slip") == sf.NoSlip()
    assert as_law("dissipative") == sf.Dissipative()
    law = sf.Coulomb(mu=1.0)
    assert as_law(law) is law


@pytest.mark.parametrize(
    ("law", "text"),
    [
        ("columb", "law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'columb'"),
        (
            "compliant",
            r"law: 'compliant' needs a stiffness, give sf.Compliant\(stiffness=...\) instead of its name",
        ),
        (3, r"law: expected a law such as sf.Coulomb\(\) or its name, got 3"),
        (sf.Coulomb, r"law: expected a law such as sf.Coulomb\(\) or its name, got <class"),
    ],
)
def test_what_is_no_law_is_refused(law, text):
    with pytest.raises(InputError, match=text):
        as_law(law)
