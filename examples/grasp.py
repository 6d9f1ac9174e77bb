"""A hand that holds a box: the arm is told how to move, the fingers how hard to press.

Prescribing every joint of a hand that squeezes an object leaves the squeeze undetermined, or contradicts itself. So
the arm's joints are prescribed and the fingers get torques: the mixed problem. Half the torque is not enough.
"""

import math

import surefoot as sf

LEVER = 0.05 * math.cos(math.pi / 4)  # m from a finger's joint to its tip, across the push
SIDE = 2 * (LEVER - 0.01)  # m between opposite fingertips at home
MASS, MU = 0.1, 0.5

box = sf.Box(size=(SIDE,) * 3, mass=MASS, position=(0.25 + LEVER, 0.0, 0.2), mu=MU)
scene = sf.scene(sf.load("arm"), objects=[box])
state = scene.home()
fingers = [joint for joint in scene.joints if joint.startswith("F_")]
still = {joint: 0.0 for joint in scene.joints if joint not in fingers}

# Four fingers press with torque / LEVER each, and friction must carry the weight.
least = MASS * 9.81 * LEVER / (4 * MU)
print(f"Each finger must press with {least:.5f} N m at least.")
for share in (0.5, 1.1):
    press = dict.fromkeys(fingers, -share * least)
    answer = sf.solve(scene, state, dt=1e-3, velocity=still, torque=press)
    fall = -answer.acceleration[-4]  # of the box, downwards
    what = "slips" if answer.slipping.all() else "is held"
    print(
        f"{share:.1f} x that: {answer.forces[0, 0]:.3f} N a finger; the box {what} and falls with {abs(fall):.3f} m/s^2"
    )
