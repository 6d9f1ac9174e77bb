import numpy as np
import pytest

from surefoot.errors import InputError
from tests.modes.systems import GRAVITY, block


def push_only(**options):
    return block(inputs=[[1.0], [0.0], [0.0]], torque_limits=20.0, **options)


def test_block_pushed_on_ground_of_unknown_friction():
    """Fixed for sure below mu_low m g, sliding for sure above mu_high m g, either in between."""
    response = push_only().robust(0.3, 0.6)
    assert response.certain("FF").torques.bounds()[1] == pytest.approx([0.3 * GRAVITY])
    assert response.possible["FF"].torques.bounds()[1] == pytest.approx([0.6 * GRAVITY])
    assert response.certain("RR").torques.bounds()[0] == pytest.approx([0.6 * GRAVITY])
    assert response.possible["RR"].torques.bounds()[0] == pytest.approx([0.3 * GRAVITY])
    assert response.certain("RR").proven
    sure = response.guaranteed("RR")
    assert sure.bounds()[0] == pytest.approx([0.6 * GRAVITY])
    assert sure.contains([0.7 * GRAVITY])
    assert not sure.contains([0.5 * GRAVITY])


def test_certain_means_for_every_friction_in_between():
    system = block(torque_limits=30.0)
    response = system.robust(0.2, 0.7)
    rng = np.random.default_rng(0)
    checked = 0
    corners = np.array([[0.2, 0.2], [0.2, 0.7], [0.7, 0.2], [0.7, 0.7]])
    each = [system.change(friction=mu).response() for mu in (*corners, *rng.uniform(0.2, 0.7, size=(6, 2)))]
    for name in response.possible.names:
        certain = response.certain(name)
        assert certain.proven
        if certain.torques.dimension < 3:
            continue
        for torque in rng.uniform(-30, 30, size=(20, 3)):
            slack = certain.torques.rows @ torque - certain.torques.offset
            if np.abs(slack).min() < 1e-6:
                continue
            inside = bool((slack > 0).all())
            possible = [name in r and r[name].contains(torque) for r in each]
            assert all(possible) == inside
            if any(possible):
                assert response.possible[name].contains(torque)
            checked += inside
    assert checked > 10


def test_known_friction_is_a_box_without_width():
    system = block(torque_limits=30.0)
    usual, robust = system.response(), system.robust(0.5, 0.5)
    assert robust.possible.names == usual.names
    for name in usual.names:
        mine, theirs = usual[name].torques.bounds(), robust.certain(name).torques.bounds()
        assert np.allclose(mine, theirs, atol=1e-7)


def test_refusals():
    system = block()
    for text, low, high in (
        ("low: expected no more than high, got 0.5 and 0.2 at index 0", 0.5, 0.2),
        ("low: expected a friction coefficient of at least 0 (inf allowed), got -1", -1, 0.2),
        ("high: expected friction below 10000, got inf at index 0", 0.5, np.inf),
        ("high: expected shape (2,), got (3,)", 0.5, [1.0, 1.0, 1.0]),
    ):
        with pytest.raises(InputError) as error:
            system.robust(low, high)
        assert str(error.value) == text
