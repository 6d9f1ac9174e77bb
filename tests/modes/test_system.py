import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.modes import ContactSystem, Linear
from tests.modes.systems import block, body

M, H, J = np.diag([1.0, 1.0, 0.1]), [0.0, 9.81, 0.0], [[0.0, 1.0, 0.0], [1.0, 0.0, 0.5]]


def refused(text, *args, **options):
    with pytest.raises(InputError) as error:
        ContactSystem(*args, **options)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("inertia: expected shape (2, 2), got (2, 3)", {"inertia": np.ones((2, 3))}),
        (
            "inertia: expected a symmetric matrix, got 0.5 at (0, 1) and 0 at (1, 0)",
            {"inertia": [[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]},
        ),
        (
            "inertia: expected a positive definite matrix (massless coordinates have rows of zeros), got one with "
            "eigenvalue -1",
            {"inertia": [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]},
        ),
        ("inertia: expected finite numbers, got nan at index (0, 0)", {"inertia": np.diag([np.nan, 1.0, 1.0])}),
        ("bias: expected shape (3,), got (2,)", {"bias": [0.0, 1.0]}),
        ("jacobian: expected shape (any, 3), got (2, 2)", {"jacobian": np.ones((2, 2))}),
        ("jacobian: expected 2 rows a contact (normal, tangent), got 3 rows", {"jacobian": np.ones((3, 3))}),
        (
            "jacobian: expected 3 rows a contact (normal, two tangents), got 2 rows",
            {"jacobian": np.ones((2, 3)), "edges": 4},
        ),
        ("friction: expected a friction coefficient of at least 0 (inf allowed), got -0.1", {"friction": -0.1}),
        ("friction[0]: expected a friction coefficient of at least 0 (inf allowed), got -1.0", {"friction": [-1.0]}),
        ("friction: expected shape (1,), got (2,)", {"friction": [0.1, 0.2]}),
        ("inputs: expected shape (3, any), got (2, 1)", {"inputs": np.ones((2, 1))}),
        ("velocity: expected shape (3,), got (1,)", {"velocity": [1.0]}),
        ("jacobian_rate: expected shape (2,), got (3,)", {"jacobian_rate": [1.0, 2.0, 3.0]}),
        ("jacobian_rate: expected shape (2, 3), got (3, 3)", {"jacobian_rate": np.eye(3)}),
        ("torque_limits: expected a number of at least 0, got -1", {"torque_limits": -1.0}),
        ("torque_limits: expected low <= high, got 1 and -1 at index 0", {"torque_limits": [[1, -1], [0, 1], [0, 1]]}),
        ("torque_limits: expected shape (3,), got (2,)", {"torque_limits": [1.0, 2.0]}),
        ("edges: expected one of 4, 8, 16, got 5", {"edges": 5}),
        ("threshold: expected a number of at least 0, got -1", {"threshold": -1.0}),
        ("threshold: expected numbers of at least 0, got -0.1", {"threshold": [-0.1]}),
        ("names: expected a list of 1 names, got 2 of them", {"names": ["a", "b"]}),
        ("names: expected a list of 1 names, got 'ab'", {"names": "ab"}),
        ("physical: expected a list of sf.modes.Linear, got int", {"physical": 3}),
        ("physical[0]: expected a sf.modes.Linear, got int", {"physical": [3]}),
        (
            "task[0]: expected one of equals and at_least, got neither",
            {"task": [Linear(force=[1.0, 0.0])]},
        ),
        (
            "task[0]: expected one of equals and at_least, got equals and at_least",
            {"task": [Linear(force=[1.0, 0.0], equals=1.0, at_least=0.0)]},
        ),
        (
            "task[0]: expected at least one of acceleration, force and torque, got none",
            {"task": [Linear(equals=1.0)]},
        ),
        ("task[0].force: expected shape (1, 2), got (1, 3)", {"task": [Linear(force=[1.0, 0.0, 0.0], equals=1.0)]}),
        (
            "physical: no accelerations, forces and torques satisfy press together with the constraints before it and "
            "the torque limits; loosen one of them",
            {
                "physical": [
                    Linear(force=[1.0, 0.0], at_least=2.0),
                    Linear(force=[-1.0, 0.0], at_least=-1.0, name="press"),
                ]
            },
        ),
        (
            "physical: no accelerations, forces and torques satisfy physical[0] together with the constraints before "
            "it and the torque limits; loosen one of them",
            {"physical": [Linear(torque=[1.0, 0.0, 0.0], equals=5.0)], "torque_limits": 1.0},
        ),
    ],
)
def test_bad_systems_are_refused_with_a_sentence(text, changes):
    refused(text, **{"inertia": M, "bias": H, "jacobian": J, "friction": 0.5, **changes})


def test_what_a_system_says_of_itself():
    system = block(velocity=[1.0, 0.0, 2.0])
    assert (system.nv, system.contacts, system.torques, system.dimension) == (3, 2, 3, 2)
    assert system.names == ("contact 1", "contact 2")
    assert system.contact_velocity == pytest.approx(np.array([[-2.0, 2.0], [2.0, 2.0]]))
    assert system.change(friction=0.1).friction.tolist() == [0.1, 0.1]


def test_acceleration_under_forces():
    system = block()
    weight = 9.81
    assert system.acceleration([weight / 2, 0, weight / 2, 0], np.zeros(3)) == pytest.approx(np.zeros(3), abs=1e-14)
    assert system.acceleration(np.zeros(4), [1.0, 0.0, 0.2]) == pytest.approx([1.0, -9.81, 2.0])


def test_rates_as_matrix_and_as_product():
    rate = np.arange(6.0).reshape(2, 3)
    v = [1.0, 2.0, 3.0]
    by_matrix = ContactSystem(M, H, J, 0.5, velocity=v, jacobian_rate=rate)
    assert by_matrix.jacobian_rate == pytest.approx(rate @ v)


def test_no_contacts_is_free_flight():
    free = body([], [], 0.5, inputs=np.zeros((3, 0)))
    response = free.response()
    assert response.names == ("",)
    found = response.solutions()
    assert found.kind == "one"
    assert found[0].acceleration == pytest.approx([0.0, -9.81, 0.0])


def test_an_impact_has_no_mode():
    falling = block(velocity=[0.0, -1.0, 0.0])
    response = falling.response()
    assert len(response.modes) == 0
    assert response.solutions(np.zeros(3)).kind == "none"
    assert response.considered == 0


def test_rows_of_different_lengths_are_refused():
    ragged, text = [[1.0, 2.0], [3.0]], "expected an array of numbers, got rows of different lengths"
    for name in ("jacobian_rate", "torque_limits", "threshold"):
        refused(f"{name}: {text}", M, H, J, 0.5, **{name: ragged})
    refused(f"friction: {text}", M, H, J, ragged)
    for name in ("acceleration", "force", "torque"):
        refused(f"physical[0].{name}: {text}", M, H, J, 0.5, physical=[Linear(**{name: ragged}, equals=0.0)])
    refused(f"physical[0].equals: {text}", M, H, J, 0.5, physical=[Linear(torque=[1, 0, 0], equals=ragged)])
    with pytest.raises(InputError, match=f"^low: {text}$"):
        block().robust(ragged, 1.0)


def test_limits_without_a_torque_between_are_refused():
    for end in (np.inf, -np.inf):
        text = f"torque_limits: expected finite torques between them, got {end:g} and {end:g} at index 1"
        refused(text, M, H, J, 0.5, torque_limits=[[-1.0, 1.0], [end, end], [-1.0, 1.0]])


def test_number_of_edges_becomes_an_integer():
    point = ContactSystem(
        np.eye(3), [0.0, 0.0, 9.81], [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], 0.5, edges=4.0
    )
    assert type(point.edges) is int
    assert "F" in point.response()
