"""The numbers of LINKS, the quadruped of Zapolsky and Drumwright 2015 and of Zapolsky's dissertation.

`LINKS` is the robot of the paper: masses and lengths of the Pacer model of summer 2015. `LINKS_LIGHT` is the lighter
robot of the dissertation's particle traces: the Pacer model of May 2016; `LINKS_FEET` is that one with feet of some
mass. The inertias written in those files are not kept (some break the triangle inequality, some belong to other
masses): here they follow from the shapes, centres of mass are mid-limb, and left and right are mirror images.
"""

from __future__ import annotations

import math
from typing import Any

from surefoot.robots.families.parameters import with_values
from surefoot.robots.families.parts import Bar, Block, Joint, Limb, Orb, Rod, Vector
from surefoot.robots.families.quadruped import LEGS, SIDES, Leg, Quadruped


def mirrored_leg(
    name: str,
    *,
    mount: Vector,
    hip: Limb,
    thigh: Limb,
    shank: Limb,
    foot: Orb,
    home: Vector,
    drop: float = 0.0,
    stops: bool = False,
    **motor: Any,
) -> Leg:
    """A leg from the sizes that all share; axes, signs and stops follow from where it is (Pacer, 2014-2016)."""
    front, left = SIDES[name]
    sign = front * left  # home is (+, +, +) for LF and RH, (-, -, -) for RF and LH
    flexion = {"axis": (0.0, float(left), 0.0), **motor}
    abduction = {"axis": (float(front), 0.0, 0.0), **motor}
    if (
        stops
    ):  # Pacer HEAD, model-limits.sdf (same geometry): X1 from -30 to 310 degrees outward, Y2 and Y3 +-150 degrees
        inward, outward, bend = math.radians(30), math.radians(310), math.radians(150)
        abduction |= {"low": -inward, "high": outward} if sign > 0 else {"low": -outward, "high": inward}
        flexion |= {"low": -bend, "high": bend}
    return Leg(
        mount=mount,
        hip=hip,
        drop=drop,
        thigh=thigh,
        shank=shank,
        foot=foot,
        x1=Joint(**abduction),
        y2=Joint(**flexion),
        y3=Joint(**flexion),
        home=(sign * home[0], sign * home[1], sign * home[2]),
    )


# Pacer LINKS model of July to September 2015, the only one in Pacer while the paper's data were made.
# X1 at (+-0.115, +-0.050, 0) m; 4.80 kg x 9.81 m/s^2 = 47.088 N, the paper's 47.0882 N.
def _links_leg(name: str) -> Leg:
    front = SIDES[name][0] > 0
    return mirrored_leg(
        name,
        mount=(0.040, 0.010, 0.0),  # m
        hip=Bar(length=0.040 if front else 0.051, width=0.03, depth=0.03, mass=0.10),  # m, kg
        thigh=Bar(length=0.077, width=0.03, depth=0.02, mass=0.10),
        shank=Rod(length=0.129, radius=0.005, mass=0.10),  # mass with the foot's, centre of mass mid-shank
        foot=Orb(radius=0.010, mass=0.0),
        home=(0.1, 0.8, 1.2),  # rad; the planner's stance of 0.309926 x 0.1344496 m
        stops=True,
        speed=15.0,  # rad/s, 2015 configurations; torque unlimited
    )


LINKS = Quadruped(
    name="links",
    base=Block(size=(0.15, 0.08, 0.05), mass=3.6),  # m, kg
    bar=(0.04, 0.125, 0.04),  # m
    lf=_links_leg("LF"),
    rf=_links_leg("RF"),
    lh=_links_leg("LH"),
    rh=_links_leg("RH"),
)


# Pacer LINKS model of May 2016 (body 2.6 kg), with init.xml's pose and motors, and uncertainty.xml's mean link radius.
# X1 at (+-0.0775, +-0.0625, 0) m.
def _light_leg(name: str) -> Leg:
    front = SIDES[name][0] > 0
    return mirrored_leg(
        name,
        mount=(0.0, -0.0125, 0.0),  # m
        hip=Rod(length=0.025, radius=0.0095, mass=0.10),  # m, kg
        drop=0.0050 if front else 0.0065,  # m
        thigh=Rod(length=0.077, radius=0.0095, mass=0.10),
        shank=Rod(length=0.100, radius=0.0095, mass=0.10),
        foot=Orb(radius=0.010, mass=0.0),
        home=(0.2, 0.8, 1.2),  # rad
        effort=7.3,  # N m
        speed=15.0,  # rad/s
    )


LINKS_LIGHT = Quadruped(
    name="links-light",
    base=Block(size=(0.155, 0.150, 0.035), mass=2.6),  # m, kg
    lf=_light_leg("LF"),
    rf=_light_leg("RF"),
    lh=_light_leg("LH"),
    rh=_light_leg("RH"),
)


# The same robot with feet of plastic, whose mass the shanks give up: for studies in which the feet's density counts.
FOOT_DENSITY = 1100.0  # kg/m^3, the middle of the 1000 to 1200 of uncertainty.xml


def _with_feet(robot: Quadruped, name: str) -> Quadruped:
    """The robot whose feet have the mass of their density, which the shanks give up."""
    values: dict[str, Any] = {"name": name}
    for leg in (name.lower() for name in LEGS):
        foot = FOOT_DENSITY * getattr(robot, leg).foot.volume
        values |= {f"{leg}.foot.mass": foot, f"{leg}.shank.mass": getattr(robot, leg).shank.kilograms - foot}
    return with_values(robot, values)


LINKS_FEET = _with_feet(LINKS_LIGHT, "links-feet")
