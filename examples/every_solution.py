"""Three futures of one arm: contact with friction may allow several motions, and a controller should know.

    python examples/every_solution.py -o arm.png

Two links stand between two walls, and the motor of the elbow braces them. With an elbow torque of 1 N m rigid bodies
and Coulomb's law allow the arm to slide down, to hang by its upper link and drop the lower one, and to hold. All three
are found and drawn with the least contact forces that they need, then the torque from which on the arm surely holds.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import surefoot as sf

TORQUE = -1.0  # N m; negative closes the elbow and presses the ends against the walls
POINTS = {"p1": (0.4, 0.3), "p2": (0.0, 0.0), "p3": (0.4, -0.3)}
CENTRES = np.array([[0.2, -0.15], [0.2, 0.15]])  # m, of the lower and the upper link
WHAT = {"LRL": "slides down", "FFS": "drops its lower link", "FFF": "holds"}

system = sf.modes.load("two_link_arm")
response = system.response()


def gentlest(mode):
    """Accelerations and forces of the solution with the least sum of normal forces."""
    normals = np.tile([-1.0, 0.0], system.contacts)
    coefficients, _ = mode.objective(None, normals, None)
    w = mode.fibre([TORQUE]).maximise(coefficients[system.torques :]).x
    return mode.respond([TORQUE], w)


def centres_move(acceleration):
    """(2, 2) accelerations of the mass centres of both links in m/s^2."""
    lower, angle, elbow = acceleration[:2], acceleration[2], acceleration[3]
    corner = lower + angle * np.array([-0.15, -0.2])  # p2 is (-0.2, 0.15) from the lower centre
    return np.array([lower, corner + (angle + elbow) * np.array([-0.15, 0.2])])


def draw(panel, name, acceleration, force):
    """Walls, links, contact forces where they push (orange) and accelerations of the mass centres (blue)."""
    for x in (-0.06, 0.4):
        panel.add_patch(Rectangle((x, -0.5), 0.06, 1.0, color="0.85"))
    panel.plot(*np.array(list(POINTS.values())).T, "o-", color="0.3", lw=5, ms=9)
    look = {"angles": "xy", "scale_units": "xy", "width": 0.016, "zorder": 3}
    for (x, y), (normal, tangent) in zip(POINTS.values(), force.reshape(-1, 2), strict=True):
        side, size = -1.0 if x > 0 else 1.0, np.hypot(normal, tangent)  # the tangent is the normal turned to the right
        if size > 1e-6:
            along = 0.14 * np.array([side * normal, -side * tangent]) / size
            panel.quiver(x, y, *along, scale=1.0, pivot="tip", color="#d55e00", **look)
            panel.text(
                x - 1.5 * along[0], y - 1.5 * along[1], f"{size:.1f} N", ha="center", va="center", color="#a04000"
            )
    for centre, move in zip(CENTRES, centres_move(acceleration), strict=True):
        if np.linalg.norm(move) > 1e-6:
            panel.quiver(*centre, *move, scale=30.0, color="#0072b2", **look)
    panel.set(xlim=(-0.35, 0.75), ylim=(-0.5, 0.5), aspect="equal")
    panel.set_title(f"{name}: it {WHAT[name]}", pad=10)
    panel.axis("off")


parser = argparse.ArgumentParser(description="Draw every solution of an arm between two walls.")
parser.add_argument("-o", "--output", default="arm.png", help="where to draw")
target = parser.parse_args().output
solutions = response.solutions([TORQUE])
print(f"{solutions.kind}: {len(solutions)} modes of {response.combinations} at {TORQUE:g} N m")
figure = Figure(figsize=(11, 4.0), layout="constrained")
for solution, panel in zip(solutions, figure.subplots(1, len(solutions)), strict=True):
    acceleration, force = gentlest(response[solution.mode])
    fall = round(-centres_move(acceleration)[:, 1].mean(), 2) + 0.0
    press = f"presses with {force[::2].sum():.1f} N in sum at least"
    print(f"{solution.mode}: it {WHAT[solution.mode]}, falls with {fall:.2f} m/s^2, {press}; {solution.dimension} open")
    draw(panel, solution.mode, acceleration, force)
(sure,) = response.unambiguous("FFF").pieces
print(f"It surely holds at torques below {sure.bounds()[1][0]:.3f} N m.")
figure.savefig(target, dpi=110)
print("figure:", target)
