"""The quadrupeds from which the improvements of Zapolsky's dissertation start [Zapolsky2017, chapter 6].

`PRINTED` is its 3D-printed robot, `RECONFIGURABLE_SMALL` and `RECONFIGURABLE_LARGE` are the smallest and the largest
form of its robot of Dynamixels and bars. Inertias follow from the shapes. What the text does not say is chosen here,
and said to be.
"""

from __future__ import annotations

import math

from surefoot.robots.families.links import mirrored_leg
from surefoot.robots.families.parts import Block, Orb, Rod
from surefoot.robots.families.quadruped import Leg, Quadruped

# The reconfigurable robot. Sizes: [Zapolsky2017], table 9. All else: Pacer's BotBuilder, whose model of the modified
# small robot has a base of 0.109 x 0.106 x 0.0762 m and 0.7133 kg, links of 0.0127 m radius and 0.10, 0.045, 0.045 kg.
# Densities are kept when sizes change, so the large robot is the heavier one.
RADIUS = 0.0127  # m, half of a bar of one inch
HIP = 0.025  # m
BASE_HEIGHT = 0.0762  # m
BASE_DENSITY = 0.7133 / (0.109 * 0.106 * BASE_HEIGHT)  # kg/m^3, 810


def _density(mass: float, length: float) -> float:
    """kg/m^3 of a round bar of this mass in kg and length in m."""
    return mass / (math.pi * RADIUS**2 * length)


HIP_DENSITY = _density(0.10, HIP)  # kg/m^3, 7894: most of it is the motors
THIGH_DENSITY = _density(0.045, 0.5 * (0.073 + 0.086))  # kg/m^3, 1117: mean of the front and the hind one
SHANK_DENSITY = _density(0.045, 0.5 * (0.075 + 0.089))  # kg/m^3, 1083: the same, lengths of table 9


def _reconfigurable(name: str, upper: float, lower: float, length: float, width: float) -> Quadruped:
    def leg(place: str) -> Leg:
        return mirrored_leg(
            place,
            mount=(0.0, 0.0, 0.0),  # m: limbs originate from the corners of the base, figure 36
            hip=Rod(length=HIP, radius=RADIUS, density=HIP_DENSITY),
            thigh=Rod(length=upper, radius=RADIUS, density=THIGH_DENSITY),
            shank=Rod(length=lower, radius=RADIUS, density=SHANK_DENSITY),
            foot=Orb(radius=0.020, mass=0.0),  # m
            home=(0.2, 0.8, 1.2),  # rad, as `links-light`
        )

    return Quadruped(
        name=name,
        base=Block(size=(length, width, BASE_HEIGHT), density=BASE_DENSITY),
        lf=leg("LF"),
        rf=leg("RF"),
        lh=leg("LH"),
        rh=leg("RH"),
    )


RECONFIGURABLE_SMALL = _reconfigurable("reconfigurable-small", 0.05715, 0.09715, 0.07112, 0.05080)  # m
RECONFIGURABLE_LARGE = _reconfigurable("reconfigurable-large", 0.13335, 0.13335, 0.30734, 0.23495)  # m


# The printed robot: [Zapolsky2017], table 7, column "initial".
def _printed_leg(name: str) -> Leg:
    radius = 0.023  # m
    return mirrored_leg(
        name,
        mount=(0.0, 0.0, 0.0),  # m
        hip=Rod(length=0.062, radius=radius, mass=0.017),  # m, kg
        thigh=Rod(length=0.072, radius=radius, mass=0.018),
        shank=Rod(length=0.140, radius=radius, mass=0.029),  # mass with the foot's
        foot=Orb(radius=0.020, mass=0.0),
        home=(0.1, 0.8, 1.2),  # rad, as `links`
    )


PRINTED = Quadruped(
    name="printed",
    base=Block(size=(0.087, 0.064, 0.020), density=1300.0),  # m; PVC, kg/m^3
    load=Block(size=(0.050, 0.040, 0.015), mass=0.2),  # m, kg: computer and battery, which the text does not weigh
    lf=_printed_leg("LF"),
    rf=_printed_leg("RF"),
    lh=_printed_leg("LH"),
    rh=_printed_leg("RH"),
)
