"""How much two models of one robot differ: MuJoCo's against MuJoCo's, and against Pinocchio's."""

import mujoco
import numpy as np


def poses(model, n=5, seed=0):
    """Random configurations: every joint a step away from its zero, floating bases turned and shifted."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        q = np.array(model.qpos0)
        mujoco.mj_integratePos(model, q, rng.normal(size=model.nv), 1.0)
        yield q


def quantities(model, q, armature=True):
    """Places and turns of the bodies by name, mass matrix and torques of gravity in pose q."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    places = {model.body(b).name: (data.xpos[b].copy(), data.xmat[b].reshape(3, 3).copy()) for b in range(model.nbody)}
    mass = np.empty((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, mass[k], unit)
    return places, mass if armature else mass - np.diag(model.dof_armature), np.array(data.qfrc_bias)


def mujoco_error(first, second, armature=True):
    """Largest difference of places, mass matrix and gravity over random poses of the first."""
    worst = 0.0
    for q in poses(first):
        places_1, mass_1, gravity_1 = quantities(first, q, armature)
        places_2, mass_2, gravity_2 = quantities(second, q, armature)
        for name, (at, turn) in places_1.items():
            worst = max(worst, np.abs(places_2[name][0] - at).max(), np.abs(places_2[name][1] - turn).max())
        worst = max(worst, np.abs(mass_2 - mass_1).max(), np.abs(gravity_2 - gravity_1).max())
    return worst


def pinocchio_error(robot, pin, pin_model):
    """Largest difference of body frames, mass matrix (without armature) and gravity between a robot and Pinocchio's."""
    model, data = robot.model, pin_model.createData()
    worst = 0.0
    for q in poses(model):
        places, mass, gravity = quantities(model, q, armature=False)
        q_pin, _ = robot.to_pinocchio(q, np.zeros(model.nv), pin_model=pin_model)
        change = np.array([robot.to_pinocchio(q, unit, pin_model=pin_model)[1] for unit in np.eye(model.nv)]).T
        pin.framesForwardKinematics(pin_model, data, q_pin)
        for name, (at, turn) in list(places.items())[1:]:
            frame = data.oMf[pin_model.getFrameId(name)]
            worst = max(worst, np.abs(frame.translation - at).max(), np.abs(frame.rotation - turn).max())
        upper = np.triu(pin.crba(pin_model, data, q_pin))
        theirs = change.T @ (upper + np.triu(upper, 1).T) @ change
        weight = change.T @ pin.computeGeneralizedGravity(pin_model, data, q_pin)
        worst = max(worst, np.abs(theirs - mass).max(), np.abs(weight - gravity).max())
    return worst
