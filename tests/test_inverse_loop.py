"""A controller call after call: memory, warm starts, order of contacts, selection, failures."""

import gc
import tracemalloc

import numpy as np
import pytest

import surefoot as sf
from tests.laws.stance import DT, standing_contacts, sway
from tests.test_answer import plates

LAWS = (
    sf.Coulomb(mu=0.5),
    sf.Coulomb(mu=0.5, smooth=True),
    sf.NoSlip(),
    sf.NoSlip(release=False),
    sf.Dissipative(mu=0.5),
    sf.Dissipative(mu=0.5, cone="exact"),
    sf.Dissipative(mu=0.5, form="energy"),
    sf.Compliant(stiffness=1e5, damping=100.0, mu=0.5),
    sf.Soft(mu=0.5),
)
every_law = pytest.mark.parametrize("law", LAWS, ids=str)


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


@pytest.fixture(scope="module")
def walk(robot):
    return sway(robot, 200)


# Memory


@every_law
def test_calls_allocate_next_to_nothing(robot, walk, law):
    """Peak within a call of small objects only, and nothing is kept over a thousand calls."""
    controller = sf.InverseDynamics(robot, DT, law)
    for state, wanted in walk:
        controller(state, wanted)  # which loads what is loaded when it is first needed
    kept, peaks = [], []
    for _ in range(3):  # the least of three: what the interpreter keeps for itself comes once, what a call keeps always
        gc.collect()
        tracemalloc.start()
        try:
            for k in range(1000):
                controller(*walk[k % 200])
            after, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        kept.append(after)
        peaks.append(peak - after)
    assert min(kept) <= 16_000  # one object a call would be 56 kB
    assert min(peaks) <= 8_000  # an array of all contact rows alone would be 3 x 64 x 18 x 8 bytes = 27 kB


# Warm starts


@every_law
def test_warm_is_as_cold(robot, walk, law):
    warm = sf.InverseDynamics(robot, DT, law)
    for state, wanted in walk[::4]:
        # Found by geometry, feet that should stand move by 1e-9 m/s, which no law without slip can answer.
        contacts = standing_contacts(robot, state, np.arange(4)) if law.name == "no-slip" else None
        torque = warm(state, wanted, contacts=contacts, throw=True)
        cold = sf.InverseDynamics(robot, DT, law)
        again = cold(state, wanted, contacts=contacts, throw=True)
        assert warm.answer().velocity == pytest.approx(cold.answer().velocity, abs=1e-9)
        if getattr(law, "smooth", law.name == "soft"):  # else the forces are not determined
            assert torque == pytest.approx(again, abs=1e-8)


@every_law
def test_warm_starts_survive_feet_that_come_and_go(robot, walk, law):
    """Stance sets that change every call; each motion is that of a cold call, or a valid one under Coulomb's law."""
    rng = np.random.default_rng(1)
    feet = [foot.name for foot in robot.feet]
    warm = sf.InverseDynamics(robot, DT, law)
    for state, wanted in walk[::8]:
        chosen = [feet[i] for i in np.sort(rng.permutation(4)[: rng.integers(1, 5)])]
        warm(state, wanted, contacts=chosen)
        cold = sf.inverse_dynamics(robot, state, wanted, dt=DT, law=law, contacts=chosen, throw=False)
        assert warm.status.is_answer == cold.ok
        if not cold.ok:
            continue
        answer = warm.answer()
        # Feet that drift apart by 1e-8 m/s cannot all be held; where one chooses, what slips less than 1e-9 m/s rests.
        smooth = getattr(law, "smooth", False)
        tolerance = 1e-6 if answer.status is sf.Status.REGULARISED else 1e-7 if smooth else 1e-8
        assert max(answer.residuals()[part] for part in ("normal", "friction", "reduction")) <= tolerance
        if law.name != "coulomb" and not (law.name == "no-slip" and law.release):
            assert answer.velocity == pytest.approx(cold.velocity, abs=1e-8)


@every_law
def test_the_order_of_contacts_does_not_change_the_motion(robot, walk, law):
    rng = np.random.default_rng(2)
    shuffled, sorted_ = sf.InverseDynamics(robot, DT, law), sf.InverseDynamics(robot, DT, law)
    for state, wanted in walk[::10]:
        shuffled(state, wanted, contacts=standing_contacts(robot, state, rng), throw=True)
        sorted_(state, wanted, contacts=standing_contacts(robot, state, np.arange(4)), throw=True)
        assert shuffled.answer().velocity == pytest.approx(sorted_.answer().velocity, abs=1e-9)


# Failures


@every_law
def test_a_failed_call_keeps_the_previous_torques(law):
    """Plates that close on a ball have no answer under rigid laws."""
    scene = plates()
    controller = sf.InverseDynamics(scene, DT, law)
    good = controller(scene.home(), [-1.0, -1.0]).copy()
    assert controller.status.is_answer
    kept = controller(scene.home(), [100.0, 100.0])
    rigid = not isinstance(law, sf.Compliant | sf.Soft)
    assert controller.status.is_answer != rigid
    assert np.array_equal(kept, good) == rigid
    assert np.isfinite(kept).all()
    after = controller(scene.home(), [-1.0, -1.0])
    assert after == pytest.approx(good, abs=1e-9)


# Selection of the nearest


def test_nearest_is_continuous_where_the_first_found_is_not_asked_to_be(robot, walk):
    """Over a stance whose forces are not determined they change no more than the least-load ones, times a few."""
    controller = sf.InverseDynamics(robot, DT, sf.Coulomb(select="nearest"))
    rng = np.random.default_rng(3)
    torques, forces = [], []
    for state, wanted in walk[:60]:
        contacts = standing_contacts(robot, state, rng)
        torques.append(controller(state, wanted, contacts=contacts, throw=True).copy())
        answer = controller.answer()
        assert max(answer.residuals()[part] for part in ("normal", "friction", "dynamics")) <= 1e-9
        order = [contacts.bodies.index((foot.body, "world")) for foot in robot.feet]
        forces.append(np.einsum("ij,ijk->ik", answer.forces[order], answer.contacts.frames[order]).ravel())
    assert np.abs(np.diff(torques, axis=0)).max() <= 0.05
    assert np.abs(np.diff(forces, axis=0)).max() <= 0.5


def test_nearest_keeps_to_the_same_foot_whatever_the_order(robot):
    """Standing still, the nearest to the last forces are the last forces, foot by foot."""
    controller = sf.InverseDynamics(robot, DT, sf.Coulomb(select="nearest"))
    home, rng = robot.home(), np.random.default_rng(4)
    lean = np.zeros(12)
    lean[1] = 2.0  # at first another load on one leg
    controller(home, lean, contacts=standing_contacts(robot, home, np.arange(4)), throw=True)
    controller(home, np.zeros(12), contacts=standing_contacts(robot, home, np.arange(4)), throw=True)
    first = controller._torque.copy()
    for _ in range(5):
        torque = controller(home, np.zeros(12), contacts=standing_contacts(robot, home, rng), throw=True)
        assert torque == pytest.approx(first, abs=1e-6)


def test_nearest_of_more_contacts(robot):
    """Six points of one foot: of all loads those nearest to none, which share what they can."""
    home = robot.home()
    points = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.1, 0.0, 0.1)]
    crowd = sf.Contacts.from_points(robot, home, points, [robot.feet[0].body] * 6)
    controller = sf.InverseDynamics(robot, DT, sf.Coulomb(select="nearest"))
    controller(home, np.zeros(12), contacts=crowd, throw=True)
    answer = controller.answer()
    assert max(answer.residuals()[part] for part in ("normal", "friction", "dynamics")) <= 1e-9
    other = sf.inverse_dynamics(robot, home, np.zeros(12), dt=DT, contacts=crowd)
    assert np.linalg.norm(answer.forces) <= np.linalg.norm(other.forces) * (1 + 1e-9)
    assert answer.velocity == pytest.approx(other.velocity, abs=1e-9)


def test_nearest_is_refused_with_torque_limits(robot):
    controller = sf.InverseDynamics(robot, DT, sf.Coulomb(select="nearest"), torque_limits=5.0)
    text = "select: 'nearest' cannot be had with dry joint friction or torque limits; leave it out"
    with pytest.raises(sf.InputError, match=text):
        controller(robot.home(), np.zeros(12))
