"""Small contact problems whose answer is known by hand. Steps last one second, so impulses are forces times 1 s."""

from typing import NamedTuple

import numpy as np

from surefoot.kernels import status
from surefoot.kernels.plant import BOX, NORMAL
from tests.kernels.problems import TOLERANCE, UP, Problem, made, point_mass, solve, velocity, violation

INF = np.inf


class Known(NamedTuple):
    """A problem and its impulses; None where only their sum or their motion is determined."""

    problem: Problem
    f: list[float] | None = None
    motion: list[float] | None = None  # contact velocities at the end


def _bar():
    """A bar of 2 kg on two points at x = +-1 m, falling at 1 m/s: three planar velocities x, z, turn about y."""
    J = [[0, 1, -1], [1, 0, 0], [0, 0, 0], [0, 1, 1], [1, 0, 0], [0, 0, 0]]
    return made(J, np.diag([2.0, 2.0, 0.5]), [0, -1, 0], mu=0.5)


def _rod(mu):
    """A rod that leans 45 degrees against a wall (normal +x) and on the floor (normal +z), at rest but for gravity."""
    # Centre at (0.5, 0.5); the lower end at (1, 0), the upper one at (0, 1). Velocities x, z, turn about y.
    low, high = np.array([0.5, -0.5]), np.array([-0.5, 0.5])

    def point(r):
        return np.array([[1, 0, r[1]], [0, 1, -r[0]]])  # velocity of the point: x, z

    zero = np.zeros(3)
    floor, wall = point(low), point(high)
    J = np.array([floor[1], floor[0], zero, wall[0], wall[1], zero])
    return made(J, np.diag([1.0, 1.0, 1 / 6]), [0, -1, 0], mu=mu)


def _stack(ratio):
    """A block of `ratio` kg on one of 1 kg on the ground; three velocities each."""
    J = np.zeros((6, 6))
    J[:3, :3] = UP
    J[3:, 3:] = UP
    J[3:, :3] = -UP
    return made(J, np.diag([1.0] * 3 + [ratio] * 3), [0, 0, -1] * 2, mu=0.5)


def _joint(v, bound):
    """One joint of 2 kg m^2 with dry friction."""
    return made([[0.0], [1.0], [0.0]], [[2.0]], [v], kind=BOX, mu=0.0, bound=bound)


def _joint_on_stop():
    """A joint with dry friction that runs into its stop."""
    J = [[1.0], [0.0], [0.0], [0.0], [1.0], [0.0]]
    return made(J, [[2.0]], [-3.0], kind=[NORMAL, BOX], mu=0.0, bound=[0.0, 1.0])


KNOWN = {
    "at rest": Known(point_mass([0, 0, -9.81], mass=3.0), [29.43, 0, 0], [0, 0, 0]),
    "nothing moves": Known(point_mass([0, 0, 0]), [0, 0, 0], [0, 0, 0]),
    "sticks": Known(point_mass([0.2, -0.1, -1], mu=0.5), [1, -0.2, 0.1], [0, 0, 0]),
    "just sticks": Known(point_mass([0.5, 0, -1], mu=0.5), [1, -0.5, 0], [0, 0, 0]),
    "slides along x": Known(point_mass([2, 0, -1], mass=2.0, mu=0.5), [2, -1, 0], [0, 1.5, 0]),
    "slides along -y": Known(point_mass([0, -2, -1], mu=0.25), [1, 0, 0.25], [0, 0, -1.75]),
    "slides across a face": Known(point_mass([2, 2, -1], mu=0.5), [1, -0.25, -0.25], [0, 1.75, 1.75]),
    "slides with a smaller slip aside": Known(point_mass([3, 0.4, -1], mu=0.5), [1, -0.5, 0], [0, 2.5, 0.4]),
    "lifts off": Known(point_mass([1, 1, 0.5]), [0, 0, 0], [0.5, 1, 1]),
    "falls towards the ground": Known(point_mass([0, 0, -1], kind=NORMAL, offset=2.0), [0, 0, 0], [-1, 0, 0]),
    "reaches the ground": Known(point_mass([0, 0, -3], kind=NORMAL, offset=2.0), [1, 0, 0], [-2, 0, 0]),
    "open contacts have no friction": Known(point_mass([1, 0, -3], kind=NORMAL, offset=2.0), [1, 0, 0], None),
    "without friction": Known(point_mass([1, 2, -1], mu=0.0), [1, 0, 0], [0, 1, 2]),
    "infinite friction": Known(point_mass([7, 5, -1], mu=INF), [1, -7, -5], [0, 0, 0]),
    "infinite friction lifts off": Known(point_mass([7, 5, 1], mu=INF), [0, 0, 0], [1, 7, 5]),
    "a light point": Known(point_mass([2, 0, -1], mass=1e-9, mu=0.5), [1e-9, -0.5e-9, 0], [0, 1.5, 0]),
    "a heavy point": Known(point_mass([2, 0, -1], mass=1e9, mu=0.5), [1e9, -0.5e9, 0], [0, 1.5, 0]),
    "slow": Known(point_mass([2e-9, 0, -1e-9], mu=0.5), [1e-9, -0.5e-9, 0], [0, 1.5e-9, 0]),
    "fast": Known(point_mass([2e9, 0, -1e9], mu=0.5), [1e9, -0.5e9, 0], [0, 1.5e9, 0]),
    "twice the same contact": Known(point_mass([2, 0, -1], copies=2), None, [0, 1.5, 0] * 2),
    "nine times the same contact": Known(point_mass([2, 0, -1], copies=9), None, [0, 1.5, 0] * 9),
    "a bar on two points": Known(_bar(), None, [0] * 6),
    "a rod leans on rough walls": Known(_rod(1.0), None, [0] * 6),
    "a heavy block on a light one": Known(_stack(1e5), [100001, 0, 0, 1e5, 0, 0], [0] * 6),
    "a light block on a heavy one": Known(_stack(1e-5), [1.00001, 0, 0, 1e-5, 0, 0], [0] * 6),
    "dry friction holds": Known(_joint(0.4, 1.0), [0, -0.8, 0], [0, 0, 0]),
    "dry friction is overcome": Known(_joint(-3.0, 1.0), [0, 1, 0], [0, -2.5, 0]),
    "dry friction of a joint on its stop": Known(_joint_on_stop(), [5, 0, 0, 0, 1, 0], [0] * 6),
    "different friction at each": Known(
        made(np.kron(np.eye(2), UP), np.eye(6), [2, 0, -1, 2, 0, -1], mu=[0.25, INF]), [1, -0.25, 0, 1, -2, 0], None
    ),
}
"""By name."""

WITH_DRY_FRICTION = [name for name, known in KNOWN.items() if (known.problem.kind == BOX).any()]


def plates(closing=0.1, mu=0.5):
    """A ball of three velocities between two plates that close: no answer."""
    left = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    right = np.array([[-1.0, 0, 0], [0, 1.0, 0], [0, 0, -1.0]])
    ground = [closing, 0, 0, closing, 0, 0]
    return made(np.concatenate([left, right]), np.eye(3), [0, 0, -1], mu=mu, ground=ground)


def dragged_apart(mu=INF):
    """A bar on two points that the ground drags apart: both must carry it, so one slips; no answer without slip."""
    bar = _bar()
    return bar._replace(c0=bar.c0 - np.array([0, 0.1, 0, 0, -0.1, 0]), mu=np.full(2, mu))


def check_known(name, method, edges):
    """A method finds the known answer, in its impulses or in its motion where they are determined."""
    problem, f, motion = KNOWN[name]
    if not problem.c0.any() or (name == "slides across a face" and edges > 4):
        return  # the first is the caller's, the second is not a face of more than four edges
    result = solve(problem, method, edges)
    assert result.status == status.SOLVED
    assert violation(problem, result.f, edges) <= 2 * TOLERANCE
    if motion is not None:
        assert np.abs(velocity(problem, result.f).ravel() - motion).max() <= 2e-9 * np.abs(problem.c0).max()
    if f is not None:
        assert np.abs(result.f - f).max() <= 1e-8 * np.abs(f).max(initial=1e-300)
