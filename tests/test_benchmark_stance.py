"""Swaying `links`: every point touches in every state, and no foot's middle slips."""

import mujoco
import numpy as np
import pytest
from experiments.stance import DT, RING, motion, robot

import surefoot as sf


@pytest.mark.parametrize("contacts", [1, 2, 4, 8, 16, 40])
def test_all_points_touch_and_no_others(contacts):
    sway = motion([7, contacts], contacts, 5)
    assert (sway.contacts, len(sway.states), len(sway.accelerations)) == (contacts, 5, 5)
    for state, acceleration in zip(sway.states, sway.accelerations, strict=True):
        found = sf.inverse_dynamics(sway.robot, state, acceleration, dt=DT, throw=False).contacts
        assert len(found) == contacts
        assert found.closed.all()
        assert found.depth.max() < 1e-3


@pytest.mark.parametrize("contacts", [1, 2, 4])
def test_the_demand_drags_no_foot(contacts):
    sway = motion([7, contacts], contacts, 5)
    for state, acceleration in zip(sway.states, sway.accelerations, strict=True):
        answer = sf.inverse_dynamics(sway.robot, state, acceleration, dt=DT, law=sf.NoSlip())
        assert np.abs(answer.contacts.J @ state.v).max() < 1e-12
        assert np.abs(answer.contact_velocity).max() < 1e-12


def test_states_follow_each_other_smoothly():
    sway = motion([7], 4, 5)
    for before, after in zip(sway.states, sway.states[1:], strict=False):
        moved = np.zeros(18)
        mujoco.mj_differentiatePos(sway.robot.model, moved, DT, before.q, after.q)
        assert np.abs(moved[:3] - before.v[:3]).max() < 1e-3  # m/s
        assert np.abs(after.v - before.v).max() < 0.05


def test_motions_are_seeded():
    first, second, other = motion([1], 4, 2), motion([1], 4, 2), motion([2], 4, 2)
    assert first.states == second.states
    assert first.states != other.states


def test_at_rest_keeps_the_postures():
    sway = motion([1], 8, 2)
    still = sway.at_rest()
    assert [state.q.tolist() for state in still.states] == [state.q.tolist() for state in sway.states]
    assert not any(state.v.any() for state in still.states)
    assert not np.any(still.accelerations)


def test_a_foot_of_many_points_is_level_at_home():
    made, links = robot(40), robot(4)
    assert made.mass == pytest.approx(links.mass)
    assert [len(foot.geoms) for foot in made.feet] == [10] * 4
    data = mujoco.MjData(made.model)
    made.home().to_mujoco(data)
    mujoco.mj_kinematics(made.model, data)
    for foot in made.feet:
        places = np.array([data.geom(name).xpos for name in foot.geoms])
        assert np.ptp(places[:, 2]) < 1e-12
        centre = places.mean(axis=0)
        assert np.linalg.norm(places - centre, axis=1) == pytest.approx(RING)
