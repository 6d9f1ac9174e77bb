"""What can the feet do for the centre of mass, on grippy ground, on ice, on two feet, and with weak motors?

    python examples/reachable_forces.py -o reachable.png

The ground pushes and rubs, and that is all that moves a robot's centre of mass. The forces it can exert without turning
the robot are a convex set: here are its extents, and a picture of it.
"""

import argparse

import surefoot as sf

FEET = {"four feet": None, "three feet": ["LF_FOOT", "RF_FOOT", "RH_FOOT"], "two feet": ["LF_FOOT", "RH_FOOT"]}

parser = argparse.ArgumentParser(description="Forces that the feet can exert on the centre of mass.")
parser.add_argument("-o", "--output", default="reachable.png", help="where to draw")
target = parser.parse_args().output

robot = sf.load("links")
weight = robot.mass * 9.81


def show(what, found):
    """One line: how far the robot can be pushed while its weight is carried, and whether it can stand still."""
    flat = found.at_height(weight)
    forward, sideways = flat.max(axis=0) if len(flat) else (0.0, 0.0)
    stands = "stands" if found.can_stand else "cannot stand still"
    print(f"{what:<28}forward {forward:5.1f} N   sideways {sideways:5.1f} N   {stands}")


for name, feet in FEET.items():
    space = sf.whole_body.dynamics_space(robot, robot.home(), feet)
    show(f"{name}, friction 0.7", sf.whole_body.reachable_forces(space, mu=0.7))
space = sf.whole_body.dynamics_space(robot, robot.home())
show("four feet, friction 0.1", sf.whole_body.reachable_forces(space, mu=0.1))
show("four feet, motors of 2 N m", sf.whole_body.reachable_forces(space, mu=0.7, torque_limits=2.0))

sf.whole_body.plot_reachable(sf.whole_body.reachable_forces(space, mu=0.7, edges=16), target)
print("figure:", target)
