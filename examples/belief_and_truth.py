"""A controller believes in one robot, the world holds another.

The controller owns the model it believes in, the simulator owns the plant; only states and torques pass between them.
Where the true base is heavier, the robot sags in proportion. Where the ground is also more slippery than believed, the
feet slide, the controller keeps asking for forces that the ground does not give, and its torques jump.
"""

import numpy as np

import surefoot as sf
from surefoot.robots.families import family, with_values

believed = sf.load("links")
controller = sf.InverseDynamics(believed, dt=1e-3, law=sf.Coulomb(mu=0.7))
home = believed.home().q[believed.joint_positions]


def hold(state):
    """Torques for joint accelerations that pull each joint home."""
    offset = home - state.q[believed.joint_positions]
    return controller(state, 900.0 * offset - 60.0 * state.v[believed.dofs])


print("believed: 4.8 kg, mu 0.7")
for mu in (0.7, 0.4):
    for extra in (0.0, 0.2, 0.4):
        plant = with_values(family("links"), {"base.mass": 3.6 + extra}).scene(ground=sf.Plane(mu=mu))
        trace = sf.Simulator(plant, dt=1e-3).rollout(plant.home(), hold, duration=0.5)
        sag, torque = abs(trace.q[0, 2] - trace.q[-1, 2]), np.abs(trace.torque).max()
        print(
            f"{plant.mass:.1f} kg, mu {mu}: sags by {1e3 * sag:.2f} mm, peak torque {torque:.1f} N m; {trace.message}"
        )
