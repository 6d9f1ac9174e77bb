"""Programs of random tasks, poses, stances and limits, for the tests of this folder."""

import mujoco
import numpy as np

import surefoot as sf
from tests.whole_body.standing import FEET

wb = sf.whole_body


def touching(robot, state, feet, mu):
    """Contacts below the feet of these names, wherever they are."""
    data = mujoco.MjData(robot.model)
    state.to_mujoco(data)
    mujoco.mj_kinematics(robot.model, data)
    points, bodies = [], []
    for foot in robot.feet:
        if foot.name in feet:
            geom = robot.model.geom(foot.geoms[0]).id
            points.append(data.geom_xpos[geom] - [0.0, 0.0, robot.model.geom_size[geom, 0]])
            bodies.append(foot.body)
    return sf.Contacts.from_points(robot, state, points, bodies, mu=mu)


def random_program(robot, seed, *, speed=0.5, levels=3, spread=3.0, cone="pyramid"):
    """A program: links near home, on one to four feet, with tasks of all kinds, limits, and goals a little away."""
    rng = np.random.default_rng(seed)
    q = np.array(robot.home().q)
    q[7:] += 0.15 * rng.normal(size=12)
    q[3:7] += 0.05 * rng.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    state = robot.state(q=q, v=speed * rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=18))
    stance = rng.permutation(FEET)[: rng.integers(1, 5)].tolist()
    contacts = touching(robot, state, stance, float(rng.choice([0.1, 0.5, 1.0])))
    count = int(rng.integers(1, levels + 1))

    def how(name):
        return {"name": name, "weight": 10.0 ** rng.uniform(-spread, spread), "level": int(rng.integers(count))}

    tasks = [wb.CentreOfMass(kp=50.0, **how("com")), wb.Orientation(**how("base"))]
    lifted = [foot for foot in FEET if foot not in stance]
    if rng.integers(2):
        tasks.append(wb.Momentum(**how("momentum")))
    if lifted and rng.integers(2):
        tasks.append(wb.Position(body=lifted[0], **how("foot")))
    if lifted and rng.integers(2):
        tasks.append(wb.Pose(body=lifted[-1], **how("pose")))
    if rng.integers(2):
        tasks.append(wb.Torque(**how("torque")))
    tasks.append(wb.Posture(name="posture", weight=10.0 ** rng.uniform(-spread, spread), level=count - 1))
    tasks.append(wb.Acceleration(name="still", level=count - 1))
    choices = {"torque_limits": (1.0, 3.0, 10.0), "speed_limits": (0.1, 1.0, 10.0), "least_force": (1.0,),
               "most_force": (30.0,)}  # fmt: skip
    limits = {name: float(rng.choice(values)) for name, values in choices.items() if rng.integers(2)}
    controller = wb.WholeBody(robot, 1e-3, tasks, edges=int(rng.choice([3, 4, 5, 8, 16])), check="trust", **limits)
    for name, goal in controller.goals.items():
        places = 3 if name in ("base", "pose") else len(goal)
        goal[:places] += 0.05 * rng.normal(size=places)
    return controller.build(state, contacts=contacts, cone=cone)


def apart(program, one, other):
    """How far two solutions are from each other: accelerations, torques and forces, each over its size."""
    n, joints = len(program.variables.accelerations), len(program.variables.torques)
    floors = (1.0, *program.variables.scale[[n, n + joints if program.variables.contacts else n]])
    found = []
    for a, b, floor in zip(program.variables.split(one.x), program.variables.split(other.x), floors, strict=True):
        found.append(float(np.abs(a - b).max(initial=0.0) / max(np.abs(a).max(initial=0.0), floor)))
    return found


def optimality(solution):
    """The largest of the levels' relative gradients that nothing holds."""
    return max(value for name, value in solution.residuals.items() if name.startswith("optimality"))
