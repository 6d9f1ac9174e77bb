import re

import pytest

from surefoot.design import CATALOGUE, Motor
from surefoot.design.motors import as_motor
from surefoot.errors import InputError


def test_the_catalogue_has_the_motors_of_the_dissertation():
    """[Zapolsky2017, figures 38 and 44]: torque at standstill in N m, speed without load in rad/s."""
    known = {"RX-24F": (2.6, 13.195), "MX-64": (6.0, 6.597), "hobby servo": (1.1, 6.55)}
    assert {name: (CATALOGUE[name].torque, CATALOGUE[name].speed) for name in known} == known


def test_motors_of_the_catalogue_are_called_by_their_keys():
    assert all(motor.name == name for name, motor in CATALOGUE.items())
    assert all(motor.mass > 0.0 for motor in CATALOGUE.values())


def test_a_motor_is_taken_as_it_is_or_by_name():
    own = Motor("own", 1.0, 2.0)
    assert as_motor("motor", own) is own
    assert as_motor("motor", "MX-64") is CATALOGUE["MX-64"]


def test_a_motor_tells_what_it_is():
    assert str(CATALOGUE["RX-24F"]) == "RX-24F (2.6 N m, 13.195 rad/s)"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("", 1, 1), "Motor.name: expected a name, got ''"),
        ((None, 1, 1), "Motor.name: expected a name, got None"),
        (("a", 0, 1), "Motor.torque: expected a number above 0, got 0"),
        (("a", "1", 1), "Motor.torque: expected a finite number, got '1'"),
        (("a", 1, float("inf")), "Motor.speed: expected a finite number, got inf"),
        (("a", 1, 1, -1), "Motor.mass: expected a number of at least 0, got -1"),
    ],
)
def test_bad_motors_are_refused(arguments, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        Motor(*arguments)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "motor: expected a Motor or the name of one, got None"),
        ("MX-65", "motor: expected one of 'RX-24F', 'MX-64', 'MX-64 at 14.8 V', 'hobby servo', got 'MX-65'"),
    ],
)
def test_what_is_no_motor_is_refused(value, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        as_motor("motor", value)
