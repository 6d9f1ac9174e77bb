"""Programs with exact cones where limits give way and in a closed loop, and contacts that the law sees slide."""

import mujoco
import numpy as np
import pytest

import surefoot as sf
from tests.whole_body.programs import optimality

wb = sf.whole_body
DT = 1e-3


@pytest.fixture(scope="module")
def links():
    return sf.load("links")


def test_exact_cones_and_limits_that_give_way(links):
    """Friction helps: the least sum of squared violations is less than without; all else holds."""
    tasks = [wb.CentreOfMass(name="com"), wb.Orientation(level=1), wb.Posture(level=1), wb.Acceleration(level=1)]
    state = links.state(v=np.r_[0.3, 0.1, -0.3, np.zeros(15)])
    limits = {"most_force": 8.0, "speed_limits": 1e-3, "torque_limits": 0.3, "check": "trust", "settle": 0.01}

    def total(solution):
        by_name = {n: s for f in solution.program.inequalities for n, s in zip(f.names, f.scale, strict=True)}
        return sum((one.amount / by_name[one.name]) ** 2 for one in solution.violations)

    exact = wb.WholeBody(links, DT, tasks, mu=0.2, **limits).build(state, cone="exact").solve()
    assert exact.status is sf.Status.RELAXED
    assert np.isfinite(exact.x).all()
    assert optimality(exact) < 1e-6
    no_friction = wb.WholeBody(links, DT, tasks, mu=1e-6, **limits).build(state).solve()
    assert total(exact) < total(no_friction)
    for family in exact.program.inequalities:
        gave = {one.name: one.amount for one in exact.violations}
        room = family.room(exact.x) + [gave.get(name, 0.0) for name in family.names]
        assert (room >= -1e-6 * family.scale).all()


def test_closed_loop_with_exact_cones(links):
    """Standing on friction of 0.3, pushed for 10 ms: every cycle's program is solved, and the robot stays up."""
    ground = sf.scene(links, terrain=sf.Plane(mu=0.3))
    controller = wb.WholeBody(ground, DT, check="trust", mu=0.27)
    state = ground.home()
    height = state.q[2]
    for step in range(50):
        program = controller.build(state, cone="exact")
        solution = program.solve()
        assert solution.status is sf.Status.SOLVED, step
        assert max(program.residuals(solution.x).values()) < 1e-6
        v = np.array(sf.forward_dynamics(ground, state, solution.torque, dt=DT).velocity)
        if step < 10:
            v[0] += 0.01  # m/s: the push
        q = state.q.copy()
        mujoco.mj_integratePos(ground.model, q, v, DT)
        state = ground.state(q=q, v=v)
    assert abs(state.q[2] - height) < 5e-3
    assert np.abs(state.v).max() < 5.0


@pytest.mark.parametrize(
    ("speed", "settle", "limit", "corrected"), [(0.05, 0.02, None, "sticks"), (0.3, DT, 1.5, "slips")]
)
def test_contacts_that_the_law_sees_slide(links, speed, settle, limit, corrected):
    """Feet that slide on ice, taken for good ground: the law foresees it.

    What is corrected comes to rest with the friction that there is, or, where motors are too weak for that, slides in
    the program as it does under the law.
    """
    ice = sf.scene(links, terrain=sf.Plane(mu=0.05))
    v = np.zeros(18)
    v[0] = speed
    state = ice.state(v=v)
    for check, planned, foreseen in (("tell", "sticks", "slips"), ("correct", corrected, corrected)):
        controller = wb.WholeBody(ice, DT, check=check, mu=0.7, settle=settle, torque_limits=limit)
        torque = controller(state)
        assert controller.status is sf.Status.SOLVED
        assert {(one.planned, one.foreseen) for one in controller.foresight()} == {(planned, foreseen)}
        again = sf.forward_dynamics(ice, state, torque, dt=DT)
        assert (np.abs(again.velocity - (v + DT * controller.acceleration)).max() > 1e-2) == (check == "tell")
    assert controller.disagreements == 0
    forces = controller.forces
    assert (np.linalg.norm(forces[:, 1:], axis=1) <= (1 + 1e-9) * 0.05 * forces[:, 0] + 1e-9).all()
    if corrected == "slips":
        assert np.abs(again.velocity - (v + DT * controller.acceleration)).max() < 1e-9
        assert np.linalg.norm(forces[:, 1:], axis=1) == pytest.approx(0.05 * forces[:, 0])
    assert controller.build(state).solve().status in (sf.Status.SOLVED, sf.Status.RELAXED)  # which holds what touches
