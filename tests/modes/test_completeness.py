"""Every mode there is, and no other: the search of modes beside programs that know nothing of it."""

import numpy as np
import pytest

from tests.modes.brute_force import brute_force, disagreements
from tests.modes.conditions import violation
from tests.modes.lemke_oracle import one_answer
from tests.modes.mechanisms import Sample
from tests.modes.random_systems import at_rest, planar, some_torque, spatial

SEED = 2005
SYSTEMS, CHUNK = 300, 25
CLOSE = 1e-8


def check_modes(sample, label):
    """The modes are those of the oracle, and each shows an answer of its own."""
    response = sample.system().response()
    judged = brute_force(sample)
    names = [mode.name for mode in response.modes]
    assert len(names) == len(set(names)) == len(response.modes), label
    assert disagreements(names, judged) == ([], []), label
    assert response.considered == len(judged), label
    for mode in response.modes:
        torque, qdd, force = mode.point
        assert violation(sample, mode.name, qdd, force, torque) <= CLOSE * scale(qdd, force, torque), (label, mode.name)


def check_solutions(sample, torque, label):
    """The answers at a torque have the modes of the oracle, and each is one."""
    solutions = sample.system().response().solutions(torque)
    assert disagreements([s.mode for s in solutions], brute_force(sample, torque)) == ([], []), label
    for s in solutions:
        missed = violation(sample, s.mode, s.acceleration, s.force, torque)
        assert missed <= CLOSE * scale(s.acceleration, s.force, torque), (label, s.mode)
    return solutions


def scale(*parts):
    """Size of the numbers of an answer, at least 1."""
    return max(1.0, *(np.abs(part).max(initial=0.0) for part in parts))


@pytest.mark.parametrize("first", range(0, SYSTEMS, CHUNK))
def test_planar_modes_are_exactly_those_of_brute_force(first):
    for index in range(first, first + CHUNK):
        sample = planar(SEED, index)
        check_modes(sample, (sample.kind, index))


def test_four_contacts_at_rest():
    for index, kind in enumerate(("chain", "table")):
        check_modes(planar(SEED + 1, index, contacts=4, kind=kind, motion="rest"), kind)


NONE2, NONE3 = np.zeros((2, 0)), np.zeros((3, 0))
WEIGHT = np.array([0.0, 9.81, 0.0])
LEGS = np.concatenate([[[0.0, 1.0, x], [1.0, 0.0, 0.75]] for x in (-0.7, 0.36, 0.8)])
HARD = {
    # The second contact runs into its wall: there is no mode at all.
    "impact": ((np.eye(2), WEIGHT[:2], [[0, 1], [1, 0], [1, 0], [0, 1]], 0.5, NONE2), {"velocity": [-1, 0]}, []),
    # Nothing pulls: rest is the only answer, however much friction there could be.
    "weightless": ((np.eye(3), 0 * WEIGHT, [[0, 1, 0.4], [1, 0, 0.8]], np.inf, NONE3), {}, ["F"]),
    # A table whose middle leg cannot slip stands.
    "glued leg": ((np.diag([3, 3, 1]), [0, 30, 0], LEGS, [0.77, np.inf, 0.74], NONE3), {}, ["FFF"]),
    # It falls from a sticky ceiling along a wall, and neither leaves nor presses the wall.
    "ceiling": ((np.eye(2), WEIGHT[:2], [[0, -1], [-1, 0], [1, 0], [0, 1]], [np.inf, 0.5], NONE2), {}, ["FF", "SL"]),
    # Two contacts close to each other: one fixed leaves the other hardly any way, but not none.
    "close": (
        (
            np.eye(3),
            [0, 25, 5],
            [[-0.36, 0.93, -0.07], [0.93, 0.36, -0.16], [0, 1, 0.22], [1, 0, 0.66]],
            2.0,
            NONE3,
        ),
        {},
        None,
    ),
    # Two legs beside each other stand: then the third cannot lift off, though a little error would let it.
    "two legs": (
        (
            np.eye(3),
            [0, 9, 0],
            np.concatenate([[[0, 1, x], [1, 0, 0.9]] for x in (-0.6, -0.7, 0.7)]),
            [0.4, 0.0, 0.5],
            np.array([[-1.0], [-1.0], [1.0]]),
        ),
        {},
        None,
    ),
    # One direction of slip is left, near the border of two sectors but not on it.
    "beside a border": ((np.eye(2), [0, 0], [[1, 0], [0, -1], [0, 0.9]], 0.0), {"edges": 4}, ["0", "2", "F", "S"]),
}


@pytest.mark.parametrize("name", HARD)
def test_systems_on_which_tolerances_are_put_to_the_test(name):
    arguments, options, expected = HARD[name]
    arrays = [np.asarray(a, float) for a in arguments[:3]]
    options = {key: np.asarray(value, float) if key == "velocity" else value for key, value in options.items()}
    sample = Sample(name, *arrays, *arguments[3:], **options)
    check_modes(sample, name)
    if expected is not None:
        assert sorted(mode.name for mode in sample.system().response().modes) == expected


@pytest.mark.parametrize(("contacts", "edges", "count"), [(1, 4, 8), (2, 4, 4), (1, 8, 8), (1, 16, 2)])
def test_spatial_modes_are_exactly_those_of_brute_force(contacts, edges, count):
    for index in range(count):
        check_modes(spatial(SEED, index, contacts, edges), index)


@pytest.mark.parametrize("first", range(0, 100, CHUNK))
def test_solutions_at_a_torque_are_exactly_those_of_brute_force(first):
    for index in range(first, first + CHUNK):
        rng = np.random.default_rng([SEED, index, 1])
        sample = planar(SEED + 2, index, contacts=int(rng.integers(1, 4)))
        check_solutions(sample, some_torque(rng, sample), (sample.kind, index))


@pytest.mark.parametrize(("contacts", "edges", "count"), [(1, 8, 8), (2, 4, 3)])
def test_spatial_solutions_are_exactly_those_of_brute_force(contacts, edges, count):
    for index in range(count):
        sample = spatial(SEED + 3, index, contacts, edges)
        check_solutions(sample, some_torque(np.random.default_rng([SEED, index]), sample), index)


@pytest.mark.parametrize("contacts", [1, 2, 3, 4, 6])
def test_the_answer_of_coulombs_law_is_among_the_solutions(contacts):
    for index in range(20 if contacts < 4 else 4):
        sample = at_rest(SEED, index, contacts)
        torque = some_torque(np.random.default_rng([SEED, index, 2]), sample)
        qdd, force = one_answer(sample, torque)
        solutions = sample.system().response().solutions(torque)
        assert any(holds(sample, s, qdd, force, torque) for s in solutions), (contacts, index)


def holds(sample, solution, qdd, force, torque):
    """Whether an answer lies in the set of a solution: it obeys the mode, and the range says so too."""
    if violation(sample, solution.mode, qdd, force, torque) > CLOSE * scale(qdd, force, torque):
        return False
    found = solution.range()
    near = 1e-6 * scale(qdd, force)
    low, high = (np.concatenate(part) for part in (found[::2], found[1::2]))
    answer = np.concatenate([qdd, force])
    return bool(((answer >= low - near) & (answer <= high + near)).all())
