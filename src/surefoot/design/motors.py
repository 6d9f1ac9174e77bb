"""Motors: a line from the torque at standstill to the speed without load, and a small catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surefoot import checks
from surefoot.errors import InputError


@dataclass(frozen=True)
class Motor:
    """A motor with its gear, as seen at the joint: |torque| / torque_max + |speed| / speed_max is at most 1.

    Attributes:
        name: what tables call it.
        torque: N m at standstill.
        speed: rad/s without load.
        mass: kg; a robot that is given another motor carries the difference on the link before the joint.
    """

    name: str
    torque: float
    speed: float
    mass: float = 0.0

    def __post_init__(self) -> None:
        """Check."""
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"Motor.name: expected a name, got {self.name!r}")
        checks.number("Motor.torque", self.torque, above=0.0)
        checks.number("Motor.speed", self.speed, above=0.0)
        checks.number("Motor.mass", self.mass, at_least=0.0)

    def __str__(self) -> str:
        return f"{self.name} ({self.torque:g} N m, {self.speed:g} rad/s)"


# Torques and speeds of [Zapolsky2017], figures 38 and 44. The same MX-64 at 14.8 V has the numbers that the files of
# that work use for the hips of the hind legs. Masses: the makers' data sheets; the hobby servo's is that of its kind.
CATALOGUE: dict[str, Motor] = {
    motor.name: motor
    for motor in (
        Motor("RX-24F", 2.6, 13.195, 0.067),
        Motor("MX-64", 6.0, 6.597, 0.126),
        Motor("MX-64 at 14.8 V", 7.3, 8.2, 0.126),
        Motor("hobby servo", 1.1, 6.55, 0.055),
    )
}


def as_motor(name: str, value: Any) -> Motor:
    """A Motor as it is, or the one of that name in the catalogue.

    Args:
        name: of the argument, for the error's text.
        value: Motor or name.
    """
    if isinstance(value, Motor):
        return value
    if not isinstance(value, str):
        raise InputError(f"{name}: expected a Motor or the name of one, got {value!r}")
    return CATALOGUE[checks.choice(name, value, CATALOGUE)]
