"""A quadruped as users have them: a URDF with straight legs, its feet in no order, and the TOML that lets it walk."""

from tests.robots.files import diagonal, joint, link, robot, shape, write

LEGS = {
    "hind_right": (-0.15, -0.07),
    "front_right": (0.15, -0.07),
    "hind_left": (-0.15, 0.07),
    "front_left": (0.15, 0.07),
}
FEET = tuple(f"{leg}_foot" for leg in ("front_left", "front_right", "hind_left", "hind_right"))
_LIMIT = '<limit lower="-2.5" upper="2.5" effort="{effort}" velocity="20"/>'

TOML = """
robot = "parts/my_robot.urdf"
feet = ["front_left_foot", "front_right_foot", "hind_left_foot", "hind_right_foot"]

[gait]
name = "trot"
period = 0.4
step_height = 0.02

[stance.joints]
front_left_thigh = 0.6
front_left_knee = -1.2
front_right_thigh = 0.6
front_right_knee = -1.2
hind_left_thigh = -0.6
hind_left_knee = 1.2
hind_right_thigh = -0.6
hind_right_knee = 1.2

[command]
forward = 0.15
ramp = 0.4

[gains]
kp = 1500
kd = 50

[ground]
mu = 0.8
"""


def urdf(effort=8):
    """4.6 kg on legs of 2 x 0.12 m, straight at zero; links whose order is not that of a gait."""
    inside = _LIMIT.format(effort=effort)
    parts = [link("trunk", diagonal(0.01, 0.03, 0.035, mass=3.4) + shape('<box size="0.3 0.1 0.06"/>'))]
    for leg, (x, y) in LEGS.items():
        parts += [
            link(f"{leg}_hip", diagonal(5e-5, 5e-5, 5e-5, mass=0.1)),
            link(f"{leg}_upper", diagonal(1.5e-4, 1.5e-4, 2e-5, mass=0.1)),
            link(
                f"{leg}_foot",
                diagonal(1.5e-4, 1.5e-4, 2e-5, mass=0.1) + shape('<sphere radius="0.015"/>', xyz="0 0 -0.12"),
            ),
            joint(f"{leg}_roll", "trunk", f"{leg}_hip", xyz=f"{x} {y} 0", axis="1 0 0", inside=inside),
            joint(f"{leg}_thigh", f"{leg}_hip", f"{leg}_upper", inside=inside),
            joint(f"{leg}_knee", f"{leg}_upper", f"{leg}_foot", xyz="0 0 -0.12", inside=inside),
        ]
    return robot(*parts, name="my_robot")


def files(folder, toml=TOML, effort=8):
    """Write both files; returns the path of the TOML."""
    write(folder / "parts", urdf(effort), "my_robot.urdf")
    return write(folder, toml, "my_walk.toml")
