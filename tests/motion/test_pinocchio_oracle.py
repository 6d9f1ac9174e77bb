"""Inertia, bias and contact Jacobians against Pinocchio, which shares no code with MuJoCo."""

import mujoco
import numpy as np
import pytest

import surefoot as sf
from surefoot.motion.workspace import Workspace
from tests.contact.scenes import random_state

pin = pytest.importorskip("pinocchio", reason="the oracle of these tests is Pinocchio (extra `test`)")

TWO_LINKS = """
<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0.1 -0.2" rpy="0.1 0.2 0.3"/><mass value="1.5"/>
    <inertia ixx="0.03" iyy="0.02" izz="0.025" ixy="0.001" ixz="0.002" iyz="-0.001"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.05 0 -0.15"/><mass value="0.7"/>
    <inertia ixx="0.01" iyy="0.012" izz="0.008" ixy="0" ixz="0.001" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.3"/><geometry><sphere radius="0.03"/></geometry></collision></link>
  <joint name="hip" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
  <joint name="knee" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -0.4" rpy="0.2 0 0.1"/>
    <axis xyz="0 0.8 0.6"/><limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
</robot>
"""


def rebuilt(m):
    """Pinocchio's model of a tree with at most one joint a body, built from its lengths, masses and axes."""
    model = pin.Model()
    model.gravity.linear = np.array(m.opt.gravity)
    at = {0: (0, pin.SE3.Identity())}  # body: joint that moves it, pose in that joint's frame
    for body in range(1, m.nbody):
        joint, pose = at[int(m.body_parentid[body])]
        pose = pose * _pose(m.body_pos[body], m.body_quat[body])
        if m.body_jntnum[body]:
            j = int(m.body_jntadr[body])
            kind = int(m.jnt_type[j])
            axis = np.array(m.jnt_axis[j])
            if kind == int(mujoco.mjtJoint.mjJNT_FREE):
                what, pose, offset = pin.JointModelFreeFlyer(), pin.SE3.Identity(), np.zeros(3)
            else:
                hinge = kind == int(mujoco.mjtJoint.mjJNT_HINGE)
                what = pin.JointModelRevoluteUnaligned(axis) if hinge else pin.JointModelPrismaticUnaligned(axis)
                offset = np.array(m.jnt_pos[j])
            pose = pose * pin.SE3(np.eye(3), offset)
            joint = model.addJoint(joint, what, pose, m.joint(j).name)
            model.armature[model.joints[joint].idx_v] = m.dof_armature[m.jnt_dofadr[j]]
            pose = pin.SE3(np.eye(3), -offset)
        at[body] = joint, pose
        place = pose * _pose(m.body_ipos[body], m.body_iquat[body])
        inertia = place.rotation @ np.diag(m.body_inertia[body]) @ place.rotation.T
        if joint:
            model.appendBodyToJoint(
                joint, pin.Inertia(float(m.body_mass[body]), place.translation, inertia), pin.SE3.Identity()
            )
    return model


def _pose(position, quaternion):
    w, x, y, z = quaternion
    return pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(position))


@pytest.fixture(scope="module", params=["two links", "links", "links-light", "arm", "ur10"])
def pair(request, tmp_path_factory):
    """A scene and Pinocchio's model of the same robot: from the same file, or rebuilt from a compiled one's numbers."""
    if request.param == "two links":
        file = tmp_path_factory.mktemp("pin") / "two.urdf"
        file.write_text(TWO_LINKS)
        return sf.load(file, floating=False), pin.buildModelFromUrdf(str(file))
    scene = sf.load(request.param)
    return scene, rebuilt(scene.model)


def turn(scene, pin_model, q):
    """T with v = T v_pin: Pinocchio's linear base velocity is in the body frame."""
    return np.linalg.inv(np.array([scene.to_pinocchio(q, e, pin_model=pin_model)[1] for e in np.eye(scene.nv)]).T)


def solved(scene, seed):
    """A workspace that has assembled its problem at a random state."""
    space = Workspace(scene, 1e-3)
    space.load(random_state(scene, np.random.default_rng(seed)))
    assert space.find() == 0
    space.solve()
    return space


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_inertia(pair, seed):
    scene, model = pair
    space = solved(scene, seed)
    q, v = space.data.qpos, space.data.qvel
    theirs = pin.crba(model, model.createData(), scene.to_pinocchio(q, v, pin_model=model)[0])
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    T = turn(scene, model, q)
    ours = space.step.reduced.M - space.dt * np.diag(space.model.dof_damping)
    assert np.abs(T.T @ ours @ T - theirs).max() <= 1e-12 * np.abs(theirs).max()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_bias(pair, seed):
    scene, model = pair
    space = solved(scene, seed)
    q, v = space.data.qpos, space.data.qvel
    q_pin, v_pin = scene.to_pinocchio(q, v, pin_model=model)
    theirs = pin.nonLinearEffects(model, model.createData(), q_pin, v_pin)
    T = turn(scene, model, q)
    convective = np.zeros(scene.nv)
    if scene.base is not None:  # d/dt (R v_body) = R (dv + w x v)
        convective[:3] = T[:3, :3] @ np.cross(v_pin[3:6], v_pin[:3])
    M = space.step.reduced.M - space.dt * np.diag(space.model.dof_damping)
    ours = T.T @ (space.data.qfrc_bias + M @ convective)
    assert np.abs(ours - theirs).max() <= 1e-10 * max(np.abs(theirs).max(), 1.0)


def test_contact_jacobians_of_feet(pair):
    scene, model = pair
    if not scene.feet:
        return
    state = scene.state(v=np.random.default_rng(3).normal(size=scene.nv))
    space = Workspace(scene, 1e-3)
    space.load(state)
    space.find()
    contacts = space.contacts()
    q_pin, v_pin = scene.to_pinocchio(state.q, state.v, pin_model=model)
    data = model.createData()
    pin.forwardKinematics(model, data, q_pin, v_pin)
    pin.computeJointJacobians(model, data, q_pin)
    T = turn(scene, model, state.q)
    compared = 0
    for i, (body, against) in enumerate(contacts.bodies):
        moved = _moved(scene, body)
        joints = [scene.model.joint(j).name for j in range(scene.model.njnt) if scene.model.jnt_bodyid[j] == moved]
        if against != "world" or not joints or not model.existJointName(joints[-1]):
            continue
        joint = model.getJointId(joints[-1])
        J = pin.getJointJacobian(model, data, joint, pin.ReferenceFrame.WORLD)
        skew = pin.skew(contacts.points[i])
        point = J[:3] - skew @ J[3:]  # velocity of the point that now is at the contact
        assert np.abs(contacts.frames[i] @ point - contacts.J[i] @ T).max() <= 1e-12
        compared += 1
    assert compared >= (4 if scene.base is not None else 0)


def _moved(scene, body):
    """The body itself or the first above it that has a joint."""
    index = scene.model.body(body).id
    while index and scene.model.body_jntnum[index] == 0:
        index = scene.model.body_parentid[index]
    return index


def test_forward_dynamics_in_mid_air(pair):
    """Away from all contact the accelerations over a short step are Pinocchio's."""
    scene, model = pair
    nothing = sf.Contacts.from_points(scene, scene.home(), np.zeros((0, 3)), [])
    rng = np.random.default_rng(4)
    state = random_state(scene, rng, reach=0.05, speed=0.3)
    torque = rng.normal(size=len(scene.joints))
    dt = 1e-6
    answer = sf.forward_dynamics(scene, state, torque, dt=dt, contacts=nothing)
    if any(row.force for row in answer.joint_rows):
        return  # a joint at its limit: Pinocchio knows none
    q_pin, v_pin = scene.to_pinocchio(state.q, state.v, pin_model=model)
    T = turn(scene, model, state.q)
    tau = np.zeros(scene.nv)
    tau[scene.dofs] = torque
    a_pin = pin.aba(model, model.createData(), q_pin, v_pin, T.T @ tau)
    expected = T @ a_pin
    if scene.base is not None:
        expected[:3] += T[:3, :3] @ np.cross(v_pin[3:6], v_pin[:3])
    assert np.abs(answer.acceleration - expected).max() <= 1e-6 * np.abs(expected).max()
