"""Contacts and forces of MuJoCo's own physics, told as ours are."""

import mujoco
import numpy as np
import pytest

import surefoot as sf

DT = 1e-3


def box():
    lies = sf.Box(size=(0.2, 0.2, 0.2), mass=2.0, position=(0.0, 0.0, 0.1))
    return sf.scene(terrain=sf.Plane(mu=0.5), objects=[lies])


def test_a_box_at_rest_is_carried():
    scene = box()
    trace = sf.MujocoPlant(scene, DT).rollout(scene.home(), duration=1.0)
    rows = trace.contacts_of(999)
    assert trace.contact_forces[rows, 0].sum() == pytest.approx(2.0 * 9.81, rel=1e-3)
    assert trace.contact_frames[rows, 0] == pytest.approx(np.tile([0.0, 0.0, 1.0], (4, 1)))
    assert (trace.contact_gaps[rows] < 0.0).all()
    ground = scene.model.geom("ground").id
    assert (trace.contact_geoms[rows, 1] == ground).all()
    assert trace.to_pandas()[1]["name"].iloc[-1] == "box on ground #4"


def test_friction_of_a_sliding_box_is_against_its_slip():
    flat = sf.Box(size=(0.2, 0.2, 0.02), mass=2.0, position=(0.0, 0.0, 0.01))
    scene = sf.scene(terrain=sf.Plane(mu=0.3), objects=[flat])
    plant = sf.MujocoPlant(scene, DT)
    plant.model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC  # pyramids of four sides pull aslant
    rest = plant.rollout(scene.home(), duration=0.3).state()
    trace = plant.rollout(rest.replace(v=[1.0, 0.5, 0.0, 0.0, 0.0, 0.0]), duration=0.1)
    rows = trace.contacts_of(99)
    frames = trace.contact_frames[rows]
    force = np.einsum("kij,ki->j", frames, trace.contact_forces[rows])
    slip = np.einsum("kij,ki->kj", frames, trace.contact_velocities[rows])
    along = trace.v[99, :2] / np.linalg.norm(trace.v[99, :2])
    assert force[:2] == pytest.approx(-0.3 * force[2] * along, abs=0.05 * force[2])
    arms = trace.contact_points[rows] - trace.q[99, :3]
    assert slip == pytest.approx(trace.v[100, :3] + np.cross(trace.v[100, 3:], arms), abs=1e-4)


def test_forces_say_how_the_momentum_changes(links):
    trace = sf.MujocoPlant(links, DT).rollout(links.home(), duration=0.3)  # it collapses: feet, shanks, base
    model, data, worst = links.model, mujoco.MjData(links.model), 0.0
    masses = model.body_mass[:, None]

    def momentum(k):
        data.qpos[:], data.qvel[:] = trace.q[k], trace.v[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        J = np.zeros((3, model.nv))
        mujoco.mj_jacSubtreeCom(model, data, J, links.model.body(links.base).id)
        return masses.sum() * J @ data.qvel

    for k in range(50, 300, 25):
        rows = trace.contacts_of(k)
        force = np.einsum("kij,ki->j", trace.contact_frames[rows], trace.contact_forces[rows])
        force[2] -= 9.81 * links.mass
        worst = max(worst, np.abs((momentum(k + 1) - momentum(k)) / DT - force).max())
    assert worst < 0.02 * 9.81 * links.mass  # the inertia turns within a step


def test_of_two_bodies_the_robot_is_pushed_and_forces_of_both_orders_agree():
    """MuJoCo sorts geoms by type; a sphere on a box is told the other way round than a box on a plane."""
    ball = sf.Ball(radius=0.05, mass=1.0, position=(0.0, 0.0, 0.25))
    scene = sf.scene(
        terrain=sf.Plane(mu=0.5), objects=[sf.Box(size=(0.2, 0.2, 0.2), mass=2.0, position=(0.0, 0.0, 0.1)), ball]
    )
    trace = sf.MujocoPlant(scene, DT).rollout(scene.home(), duration=1.0)
    contacts = trace.to_pandas()[1]
    last = contacts[contacts["step"] == 999]
    on_top = last[~last["name"].str.contains("ground")]
    assert on_top["force normal"].sum() == pytest.approx(9.81, rel=1e-2)
    assert last[last["name"].str.contains("ground")]["force normal"].sum() == pytest.approx(3 * 9.81, rel=1e-2)


def test_contacts_of_more_steps_than_a_chunk_and_more_than_the_log_holds():
    scene = sf.scene(
        terrain=sf.Plane(),
        objects=[sf.Box(size=(0.1, 0.1, 0.1), name=f"b{i}", mass=1.0, position=(i, 0, 0.05)) for i in range(6)],
    )
    trace = sf.MujocoPlant(scene, DT).rollout(scene.home(), duration=2.1)
    assert len(trace.contact_gaps) == trace.contact_start[-1] > 8 * 2100 + 64
    assert np.isfinite(trace.contact_velocities).all()
    assert np.abs(trace.contact_velocities[-24:]).max() < 1e-6


def test_infinite_friction_is_a_hundred_and_a_friction_map_its_mean(links):
    ice = sf.scene(links, terrain=sf.Plane(mu=np.inf))
    assert sf.MujocoPlant(ice).model.geom_friction[ice.model.geom("ground").id, 0] == 100.0
    rough = sf.HeightMap(seed=3, mu=(0.3, 0.9))
    scene = sf.scene(links, terrain=rough)
    assert sf.MujocoPlant(scene).model.geom_friction[scene.model.geom("ground").id, 0] == pytest.approx(
        rough.friction.mean()
    )
