"""The centre of mass, and what forces at the feet do to it: grasp maps."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.contact.contacts import Contacts
from surefoot.errors import InputError
from surefoot.robots.scene import Scene
from surefoot.robots.state import State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GraspMap:
    """Contact forces (3 nc,), each in its own frame, to their sum and their moment about the centre of mass.

    Attributes:
        force: G_f (3, 3 nc) to N, world axes.
        moment: G_tau (3, 3 nc) to N m, world axes.
        centre: (3,) m, the centre of mass.
    """

    force: Array
    moment: Array
    centre: Array

    @property
    def matrix(self) -> Array:
        """(6, 3 nc) both below each other."""
        return np.vstack([self.force, self.moment])


def centre_of_mass(robot: Scene, state: State) -> Array:
    """(3,) m, world: the centre of mass of the robot, without loose objects."""
    data = mujoco.MjData(robot.model)
    state.to_mujoco(data)
    mujoco.mj_kinematics(robot.model, data)
    mine = _bodies(robot)
    mass = robot.model.body_mass[mine]
    if not mass.sum() > 0:
        raise InputError(f"robot: expected one with mass, got none in {robot.name}")
    return mass @ data.xipos[mine] / mass.sum()


def weight(robot: Scene) -> Array:
    """(3,) N, world: the force that gravity exerts on the robot, without loose objects."""
    return float(robot.model.body_mass[_bodies(robot)].sum()) * np.array(robot.model.opt.gravity)


def grasp_map(robot: Scene, state: State, contacts: Contacts) -> GraspMap:
    """How forces at contacts add up at the centre of mass [Ratliff2014] (20), (21).

    A contact pushes on its first body and pulls on its second: what a robot does to itself adds up to nothing.

    Args:
        robot: robot or scene.
        state: where it is.
        contacts: such as `space.contacts`.
    """
    centre, mine = centre_of_mass(robot, state), _bodies(robot)
    inside = [[mine[robot.model.body(body).id] for body in pair] for pair in contacts.bodies]
    sign = np.array([float(first) - float(second) for first, second in inside])
    frames = sign[:, None, None] * contacts.frames.transpose(0, 2, 1)  # (nc, 3, 3) from the contact's frame to world
    # [Ratliff2014] (20): f_c = sum f_i.
    G_f = frames.transpose(1, 0, 2).reshape(3, -1)
    # [Ratliff2014] (21): tau_c = sum (x_i - x_c) x f_i; footnote 10 there has the sign wrong.
    arms = (contacts.points - centre)[:, None, :]
    G_tau = np.cross(arms, frames.transpose(0, 2, 1)).transpose(2, 0, 1).reshape(3, -1)
    return GraspMap(G_f, G_tau, centre)


def _bodies(robot: Scene) -> NDArray[np.bool_]:
    """(nbody,) which bodies move and are no loose objects."""
    model = robot.model
    loose = {model.body(name).id for name in robot.objects}
    return (model.body_weldid != 0) & ~np.isin(model.body_rootid, list(loose))
