"""How unlike its model a bundled robot may be: figures 15 and 10 of [Zapolsky2017], as distributions by pattern.

The numbers are those of the files that the dissertation's studies were run with (Pacer: uncertainty.xml and
control-uncertainty.xml of LINKS, uncertainty.xml of the arm). There "Gaussian with 3-sigma limits" was never truncated;
here it is. Three things differ from the files, each on purpose:

- Densities are factors of the nominal ones. Drawn as such, they gave robots of 1.0 to 1.9 kg to a controller that
  believed in 3.8 kg.
- Friction, restitution and the contact model are in the figures, but in no file: their numbers are ours.
- The files delay the planned positions of feet and joints by 0.18 s, and torques not at all. A plan that is late as a
  whole is the same plan later, so here the lag is that of the torques, of up to half a control step: a whole one makes
  the dissertation's gains unstable.

Noise on accelerations, on force sensors and on the IMU's accelerations is in the figures too; no controller here reads
any of them, and they have no names.
"""

from __future__ import annotations

from surefoot.traces.distributions import Choice, Distribution, Jitter, Normal, Uniform

LINK_DENSITY = 1100.0  # kg/m^3, the middle of 1000 to 1200


def _within(limit: float) -> Normal:
    """A normal offset whose limits are three standard deviations."""
    return Normal(limit / 3, low=-limit, high=limit)


def _noise(limit: float) -> Jitter:
    return Jitter(limit / 3, low=-limit, high=limit)


def _between(low: float, high: float) -> Normal:
    """A normal distribution whose limits are three standard deviations from its mean."""
    return Normal((high - low) / 6, mean=(low + high) / 2, low=low, high=high)


SURROUNDINGS: dict[str, Distribution] = {
    "ground.mu": Uniform(0.8, 1.2, factor=True),
    "restitution": Uniform(0.0, 0.2),
    "law": Choice("coulomb", "dissipative"),
}

QUADRUPED: dict[str, Distribution] = {
    "robot.*.density": Uniform(1000 / LINK_DENSITY, 1200 / LINK_DENSITY, factor=True),
    "robot.base.density": Uniform(1200 / 1956, 2712 / 1956, factor=True),
    "robot.*.length": Normal(0.0025),  # m: hips, thighs, shanks
    "robot.*.radius": Normal(0.0025 / 3, low=0.007, high=0.012),  # m
    "robot.*.foot.radius": _between(0.007, 0.010),  # m
    "robot.rh.foot.radius": _between(0.007, 0.012),  # m; the files have this foot apart
    "robot.*.axis": Normal(0.01),
    **SURROUNDINGS,
    "start.*": _within(0.01),  # m, rad, m/s, rad/s
    "lag.torque": Uniform(0.0, 0.0005),  # s
    "encoder.*": _noise(0.01),  # rad
    "encoder_rate.*": _noise(0.01),  # rad/s
    "motor.*": _noise(0.01),  # N m
    "gps.*": _noise(0.01),  # m
    "magnetometer.*": _noise(0.01),  # rad
    "estimate.*": _noise(0.01),  # m, m/s
    **{f"estimate.velocity.{turn}": _noise(0.001) for turn in ("roll", "pitch", "yaw")},  # rad/s
    "lag.torque.jitter": _noise(0.0001),  # s
}
"""Figure 15, for the bundled robot `links-feet` on a ground with a friction coefficient."""

QUADRUPED_MORE: dict[str, Distribution] = {
    "robot.base.size.*": Normal(0.001),  # m; the hips move with the corners
    "robot.*.tare": Normal(0.025),  # rad
}
"""What the quadruped's files vary and figure 15 does not list."""

ARM: dict[str, Distribution] = {
    "robot.links.*.density": Normal(0.01, factor=True),
    "robot.hand.density": Normal(0.01, factor=True),
    "robot.fingers.*.limb.density": Normal(0.01, factor=True),
    "robot.links.*.length": Normal(0.01),  # m
    "robot.fingers.*.length": Normal(0.005),  # m
    "robot.links.*.width": Normal(0.002, low=0.01, high=0.03),  # m: twice the radius that the files give the links
    "robot.links.*.depth": Normal(0.002, low=0.01, high=0.03),  # m
    "robot.hand.radius": Normal(0.001),  # m; the hand is a ball and has no length
    "robot.fingers.*.limb.radius": Normal(1e-4),  # m
    "robot.fingers.*.tip.radius": Normal(0.002, low=0.004, high=0.016),  # m
    "robot.*.axis": Normal(0.01),
    **SURROUNDINGS,
    "start.*": _within(0.01),  # rad, rad/s
    "lag.torque": Uniform(0.0, 0.0005),  # s
    "encoder.*": _noise(0.01),  # rad
    "encoder_rate.*": _noise(0.01),  # rad/s
    "motor.*": _noise(0.01),  # N m
    "lag.torque.jitter": _noise(0.0001),  # s
}
"""Figure 10, for the arm on a ground with a friction coefficient."""

ARM_MORE: dict[str, Distribution] = {"robot.*.tare": Normal(0.025)}  # rad
"""What the arm's file varies and figure 10 does not list."""

BUNDLED: dict[str, dict[str, Distribution]] = {
    "quadruped": QUADRUPED,
    "quadruped and more": QUADRUPED | QUADRUPED_MORE,
    "arm": ARM,
    "arm and more": ARM | ARM_MORE,
}
"""By the names that a scenario's file knows."""
