"""Solo12 as contact problems: kinematics and inertia by MuJoCo from the URDF of example-robot-data."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np

from benchmarks.harness import Absent
from benchmarks.inertia import whiten
from surefoot.solvers.contact_problem import ContactProblem

FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
CROUCH = np.array([0.0, 0.8, -1.6, 0.0, 0.8, -1.6, 0.0, -0.8, 1.6, 0.0, -0.8, 1.6])
DT = 1e-3  # s
MU = 0.7
RING = 0.012  # m, radius of the ring of extra points around a foot
TORQUE = 1.0  # N m, standard deviation
SPEED = 0.1  # m/s and rad/s, standard deviation when moving


class Solo12:
    """The robot without its meshes: only inertia and kinematics matter here."""

    def __init__(self) -> None:
        self.model = mujoco.MjModel.from_xml_string(_bare(urdf()))
        self.data = mujoco.MjData(self.model)

    def problem(self, seed: Sequence[int], contacts: int, *, moving: bool) -> ContactProblem:
        """One step in a random crouch with `contacts` points of contact, a quarter of them on each foot."""
        rng, model, data = np.random.default_rng(seed), self.model, self.data
        mujoco.mj_resetData(model, data)
        data.qpos[7:] = CROUCH + 0.1 * rng.standard_normal(12)
        data.qpos[3:7] += 0.025 * rng.standard_normal(4)
        data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
        data.qvel[:] = SPEED * rng.standard_normal(model.nv) if moving else 0.0
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        force = -data.qfrc_bias
        force[6:] += TORQUE * rng.standard_normal(12)
        J = np.vstack([self._jacobian(i, contacts) for i in range(contacts)])
        W = whiten(J, M)
        c0 = J @ (data.qvel + DT * np.linalg.solve(M, force))
        return ContactProblem(W, c0, np.zeros(contacts), np.full(contacts, MU), np.ones(contacts, dtype=bool))

    def _jacobian(self, index: int, contacts: int) -> np.ndarray:
        """(3, nv) rows normal (world z), x, y of point `index`: the foot's centre, or one of a ring around it."""
        body = self.model.body(FEET[index % 4]).id
        around = contacts // 4
        point = self.data.xpos[body].copy()
        if around > 1:
            angle = 2 * np.pi * (index // 4) / around + 0.3
            point[:2] += RING * np.array([np.cos(angle), np.sin(angle)])
        J = np.zeros((3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, J, None, point, body)
        return J[[2, 0, 1]]


def urdf() -> Path:
    """Path of the URDF, wherever pip put it."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "solo12.urdf":
            return Path(str(file.locate()))
    raise Absent("Solo12's URDF", "example-robot-data is not installed", "pip install example-robot-data")


def _bare(path: Path) -> str:
    """The URDF with a floating base and without shapes."""
    robot = ET.parse(path).getroot()
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    root = (
        {link.get("name") for link in robot.iter("link")} - {child.get("link") for child in robot.iter("child")}
    ).pop()
    ET.SubElement(robot, "link", name="world")
    joint = ET.SubElement(robot, "joint", name="floating_base", type="floating")
    ET.SubElement(joint, "parent", link="world")
    ET.SubElement(joint, "child", link=str(root))
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", fusestatic="false", balanceinertia="false")
    return ET.tostring(robot, encoding="unicode")
