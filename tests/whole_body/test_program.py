"""The task program in the open: its rows are what they say, its tables read well, its errors name what is wrong."""

import builtins
import copy

import mujoco
import numpy as np
import pytest

import surefoot as sf
from tests.whole_body.programs import apart, optimality, random_program, touching
from tests.whole_body.standing import FEET, STANCES, biped

wb = sf.whole_body
RNG = np.random.default_rng(7)
V = 0.3 * RNG.normal(size=18)


@pytest.fixture(scope="module")
def links():
    return sf.load("links")


def all_tasks():
    """One of each kind."""
    return [
        wb.CentreOfMass(name="com"), wb.Momentum(name="momentum"), wb.Posture(name="posture"),
        wb.Orientation(name="base"), wb.Position(name="foot", body="RH_FOOT"), wb.Pose(name="pose", body="RF_FOOT"),
        wb.ContactForce(name="push", foot="LF_FOOT"), wb.Torque(name="torque"), wb.Acceleration(name="still"),
    ]  # fmt: skip


def moved(robot, state, a, h):
    """The state after h seconds of constant acceleration, with MuJoCo's data at it."""
    data = mujoco.MjData(robot.model)
    q = state.q.copy()
    mujoco.mj_integratePos(robot.model, q, state.v + 0.5 * h * a, h)
    data.qpos[:], data.qvel[:] = q, state.v + h * a
    mujoco.mj_fwdPosition(robot.model, data)
    mujoco.mj_fwdVelocity(robot.model, data)
    mujoco.mj_subtreeVel(robot.model, data)
    return data


def test_task_rows_are_accelerations_by_finite_differences(links):
    """T a less what was wanted is the second derivative of place, turning and momentum, whatever their Jacobians."""
    state = links.state(v=V)
    controller = wb.WholeBody(links, 1e-3, all_tasks())
    program = controller.build(state)
    a, h = RNG.normal(size=18), 1e-5
    x = np.concatenate([a, np.zeros(len(program.variables) - 18)])
    base = links.model.body(links.base).id
    before, after, now = (moved(links, state, a, t) for t in (-h, h, 0.0))

    def rate(read):
        return (read(after) - read(before)) / (2 * h)

    def point(data, name):
        body, place = controller.tasks[name]._place(links)
        J = np.zeros((3, 18))
        at = data.xpos[body] + data.xmat[body].reshape(3, 3) @ place
        mujoco.mj_jac(links.model, data, J, None, at, body)
        return J @ data.qvel

    def turning(data):
        J = np.zeros((3, 18))
        mujoco.mj_jacBody(links.model, data, None, J, base)
        return J @ data.qvel

    got = {name: block.residual(x) for name, block in program.tasks.items()}
    mass = links.mass
    for name, read in (
        ("com", lambda data: data.subtree_linvel[base]),
        ("momentum", lambda data: np.concatenate([data.subtree_linvel[base], data.subtree_angmom[base] / mass])),
        ("foot", lambda data: point(data, "foot")),
        ("base", turning),
    ):
        task = controller.tasks[name]
        kd = task.kd if task.kd is not None else 2 * np.sqrt(task.kp)
        assert got[name] == pytest.approx(rate(read) + kd * read(now), abs=2e-6), name  # errors are zero here
    assert got["still"] == pytest.approx(a)
    assert got["posture"] == pytest.approx(a[links.dofs] + 20.0 * V[links.dofs])


def test_rows_of_forces_and_torques(links):
    controller = wb.WholeBody(links, 1e-3, all_tasks())
    program = controller.build(links.state(v=V))
    x = RNG.normal(size=len(program.variables))
    _, torque, forces = program.variables.split(x)
    controller(links.state(v=V))
    frame = controller.contacts.frames[0]
    assert program.tasks["push"].residual(x) == pytest.approx(frame.T @ forces[0])
    assert program.tasks["torque"].residual(x) == pytest.approx(torque)
    assert program.tasks["even load"].residual(x) == pytest.approx(forces[:, 0] / (9.81 * links.mass) - 0.25)


def test_dynamics_are_those_of_the_engine(links):
    """Accelerations, torques and forces that satisfy the equalities are what MuJoCo's forward dynamics gives."""
    state = links.state(v=V)
    program = wb.WholeBody(links, 1e-3, settle=0.02).build(state)
    solution = program.solve()
    data = mujoco.MjData(links.model)
    state.to_mujoco(data)
    mujoco.mj_forward(links.model, data)
    held = {rows.family: rows for rows in program.equalities}["contacts held"]
    J = held.matrix[:, :18]
    M = np.zeros((18, 18))
    mujoco.mj_fullM(links.model, data, M)
    wanted = data.qfrc_passive - data.qfrc_bias + J.T @ solution.forces.ravel()
    wanted[links.dofs] += solution.torque
    assert M @ solution.acceleration == pytest.approx(wanted, abs=1e-9)
    assert J @ (V + 0.02 * solution.acceleration) == pytest.approx(np.zeros(12), abs=1e-12)


def test_table(links):
    program = wb.WholeBody(links, 1e-3, torque_limits=5.0, speed_limits=4.0).build(links.home())
    assert str(program) == program.table()
    assert program.table().splitlines() == [
        "links over 1 ms: 42 variables (18 accelerations, 12 torques, 12 forces of 4 contacts)",
        "  level  task              rows  weight   error now",
        "  0      com                  3  1        0 m",
        "  0      base                 3  0.3      0 rad",
        "  0      posture             12  1e-06    0 rad",
        "  0      still               18  1e-08",
        "  0      even load            4  0.001",
        "  0      little friction      8  0.01",
        "  equal                    rows",
        "  dynamics                   18",
        "  contacts held              12",
        "  limits                   rows  counts as one",
        "  force                       4  47.088 N",
        "  friction                   16  47.088 N",
        "  torque                     24  5 N m",
        "  joint speed                24  100 rad/s^2",
    ]
    assert repr(program) == "<Program links over 1 ms: 42 variables, 1 levels>"


def test_names_and_units_are_as_many_as_rows(links):
    program = wb.WholeBody(links, 1e-3, all_tasks(), torque_limits=5.0, most_force=40.0).build(links.home())
    v = program.variables
    assert len(v.names) == len(v.units) == len(v) == 42
    assert (v.names[0], v.units[0]) == ("acceleration of BASE x", "m/s^2")
    assert (v.names[18], v.units[18]) == ("torque of LF_X1", "N m")
    assert (v.names[30], v.units[30]) == ("normal force of LF_FOOT on ground", "N")
    for rows in (*program.equalities, *program.inequalities):
        m = len(rows.names)
        assert rows.matrix.shape == (m, 42)
        assert len(rows.units) == m
        assert len(set(rows.names)) == m
    assert {"pose place", "pose turn"} <= set(program.tasks)


def test_value_and_residuals_are_what_their_formulas_say(links):
    program = random_program(links, 3)
    x = RNG.normal(size=len(program.variables))
    for level, value in zip(program.levels, program.value(x), strict=True):
        by_hand = sum(
            w * (row @ x - t) ** 2 for b in level for w, row, t in zip(b.weight, b.matrix, b.right, strict=True)
        )
        assert value == pytest.approx(by_hand)
    found = program.residuals(x)
    for rows in program.equalities:
        assert found[rows.family] == np.abs(rows.matrix @ x - rows.right).max()
    for rows in program.inequalities:
        assert found[rows.family] == max(0.0, -(rows.matrix @ x + rows.offset).min())


@pytest.mark.parametrize("solver", ["daqp", "clarabel"])
def test_multipliers_tell_what_room_is_worth(links, solver):
    controller = wb.WholeBody(links, 1e-3, torque_limits=0.5)
    program = controller.build(links.home())
    solution = program.solve(solver)
    name, worth = max(solution.multipliers[0].items(), key=lambda item: item[1])
    assert name in solution.active
    easier = copy.deepcopy(program.inequalities)
    room = 1e-5
    for rows in easier:
        rows.offset[[other == name for other in rows.names]] += room
    relaxed = sf.whole_body.Program(program.title, program.variables, program.levels, program.equalities, easier,
                                    program._source).solve(solver)  # fmt: skip
    fall = program.value(solution.x)[0] - program.value(relaxed.x)[0]
    assert fall == pytest.approx(worth * room, rel=1e-3)


def test_priorities(links):
    """What comes first is met as if nothing else were wanted; the rest as well as that allows."""

    def solve(level):
        tasks = [wb.CentreOfMass(name="com", weight=[1.0, 0.0, 0.0]), wb.Torque(name="torque", weight=1.0, level=level)]
        controller = wb.WholeBody(links, 1e-3, tasks, mu=0.2)
        controller.goals["com"][0] += 0.2  # more than friction can give
        program = controller.build(links.home())
        return program.solve(), abs(program.solve().task_residuals["com"][0])

    (together, missed), (strict, least) = solve(0), solve(1)
    assert least < missed
    assert np.linalg.norm(together.torque) < np.linalg.norm(strict.torque)
    alone = wb.WholeBody(links, 1e-3, [wb.CentreOfMass(name="com", weight=[1.0, 0.0, 0.0])], mu=0.2, force_weight=0.0)
    alone.goals["com"][0] += 0.2
    assert abs(alone.build(links.home()).solve().task_residuals["com"][0]) == pytest.approx(least, abs=1e-9)


def test_a_level_that_contradicts_an_earlier_one_changes_nothing_of_it(links):
    tasks = [wb.CentreOfMass(name="up", level=0), wb.CentreOfMass(name="down", level=1), *wb.standing()[1:]]
    for task in tasks[2:]:
        task.level = 2
    controller = wb.WholeBody(links, 1e-3, tasks)
    controller.goals["up"][2] += 0.05
    controller.goals["down"][2] -= 0.05
    solution = controller.build(links.home()).solve()
    assert np.linalg.norm(solution.task_residuals["up"]) < 1e-9
    assert solution.task_residuals["down"][2] == pytest.approx(2 * 0.05 * 100.0)
    same = [wb.CentreOfMass(name="up"), wb.CentreOfMass(name="down", weight=3.0), wb.Acceleration(weight=1e-9)]
    controller = wb.WholeBody(links, 1e-3, same)
    controller.goals["up"][2] += 0.05
    controller.goals["down"][2] -= 0.05
    solution = controller.build(links.home()).solve()  # on one level: the weighted middle
    assert solution.task_residuals["up"][2] == pytest.approx(-0.75 * 10.0, rel=1e-2)


@pytest.mark.parametrize("feet", [(), *STANCES])
def test_stances(links, feet):
    q = np.array(links.home().q)
    q[2] += 0.0 if feet else 0.5
    controller = wb.WholeBody(links, 1e-3)
    controller.hold(links.state(q=q))
    program = controller.build(links.state(q=q), contacts=list(feet) if feet else None)
    solution = program.solve()
    assert solution.status is sf.Status.SOLVED
    assert len(program.variables.contacts) == len(feet)
    assert optimality(solution) < 1e-12
    if not feet:
        assert "no forces: nothing touches" in str(program)
        assert np.linalg.norm(solution.task_residuals["com"] - [0, 0, -9.81]) < 1e-9  # it falls


def test_straight_legs():
    robot = biped(bend=0.0)
    program = wb.WholeBody(robot, 1e-3).build(robot.home())
    a, b, c = (program.solve(solver) for solver in ("daqp", "clarabel", "pivoting"))
    assert optimality(a) < 1e-10
    assert max(apart(program, a, b)) < 1e-9
    assert max(apart(program, a, c)) < 1e-8


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_tiny_and_huge_masses(links, factor):
    spec = links.spec.copy() if hasattr(links, "spec") else None
    if spec is None:
        pytest.skip("no spec to scale")
    robot = copy.deepcopy(links)
    robot.model.body_mass[:] *= factor
    robot.model.body_inertia[:] *= factor
    mujoco.mj_setConst(robot.model, mujoco.MjData(robot.model))
    program = wb.WholeBody(robot, 1e-3).build(robot.home())
    a, b = program.solve(), program.solve("clarabel")
    assert a.status is sf.Status.SOLVED
    assert max(apart(program, a, b)) < 1e-8


def test_exact_cones_hold_more_than_pyramids(links):
    tasks = [wb.CentreOfMass(name="com", kp=50.0), wb.Orientation(weight=0.3), wb.Posture(), wb.Acceleration()]
    controller = wb.WholeBody(links, 1e-3, tasks, mu=0.3)
    controller.goals["com"][:2] += 0.2, 0.2
    values = []
    for edges in (4, 8, 64):
        controller.edges = edges
        values.append(controller.build(links.home()).solve().program.value(controller.build(links.home()).solve().x)[0])
    exact = controller.build(links.home(), cone="exact")
    assert "friction, exact cones       4  47.088 N" in str(exact)
    solution = exact.solve()
    assert solution.solver == "clarabel"
    assert solution.residuals["friction"] < 1e-8
    values.append(exact.value(solution.x)[0])
    assert sorted(values, reverse=True) == values
    assert values[2] == pytest.approx(values[3], rel=0.02)
    assert optimality(solution) < 1e-7
    ratio = np.linalg.norm(solution.forces[:, 1:], axis=1) / solution.forces[:, 0]
    assert ratio.max() == pytest.approx(0.3, abs=1e-7)


def test_geoms_are_kept_apart(links):
    names = [links.model.geom(i).name for i in range(links.model.ngeom)]
    feet = [foot.geoms[0] for foot in links.feet[:2]]
    data = mujoco.MjData(links.model)
    links.home().to_mujoco(data)
    mujoco.mj_kinematics(links.model, data)
    now = mujoco.mj_geomDistance(links.model, data, *(names.index(name) for name in feet), 10.0, None)
    controller = wb.WholeBody(links, 1e-3, apart={tuple(feet): now - 0.01}, brake=0.1)
    program = controller.build(links.home(), contacts=[])
    rows = program.limits["distance"]
    assert rows.names == (f"distance of {feet[0]} and {feet[1]}",)
    x, a, h = np.zeros(len(program.variables)), RNG.normal(size=18), 1e-6
    x[:18] = a
    q = links.home().q.copy()
    mujoco.mj_integratePos(links.model, q, 1e-3 * a, h)
    data.qpos[:] = q
    mujoco.mj_kinematics(links.model, data)
    later = mujoco.mj_geomDistance(links.model, data, *(names.index(name) for name in feet), 10.0, None)
    assert rows.room(x)[0] == pytest.approx((0.01 / 0.1 + (later - now) / h) / 1e-3, rel=1e-5)


def test_the_controller_is_left_as_it_was(links):
    controller = wb.WholeBody(links, 1e-3)
    program = controller.build(links.home())
    controller.goals["com"][2] += 0.1
    goals = {name: goal.copy() for name, goal in controller.goals.items()}
    program.solve("pivoting")
    assert all(np.array_equal(goals[name], goal) for name, goal in controller.goals.items())
    assert program.tasks["com"].error == pytest.approx(np.zeros(3))
    assert int(controller._c.check[0]) == 1


def test_given_contacts(links):
    contacts = touching(links, links.home(), FEET, 0.5)
    controller = wb.WholeBody(links, 1e-3)
    given, found = controller.build(links.home(), contacts=contacts), controller.build(links.home())
    assert given.solve().torque == pytest.approx(found.solve().torque, abs=1e-9)
    assert len(given.variables.contacts) == 4


def test_errors(links, monkeypatch):
    controller = wb.WholeBody(links, 1e-3)
    program = controller.build(links.home())
    for call, text in (
        (lambda: wb.build(links, links.home()), f"controller: expected a WholeBody, got {type(links).__name__}"),
        (lambda: controller.build(3), "state: expected a State (see robot.home()), got int"),
        (lambda: controller.build(links.home(), cone="round"), "cone: expected one of 'pyramid', 'exact', got 'round'"),
        (lambda: program.solve("simplex"), "solver: expected one of 'daqp', 'clarabel', 'pivoting', got 'simplex'"),
        (lambda: controller.build(links.home(), cone="exact").solve("daqp"),
         "solver: expected 'clarabel' for a program with exact cones, got 'daqp'"),
        (lambda: program.value(np.zeros(3)), "x: expected shape (42,), got (3,)"),
        (lambda: controller.build(links.home(), contacts="LF_FOOT"),
         "contacts: expected a list of foot names, got the string 'LF_FOOT'"),
        (lambda: controller.build(links.state(v=np.full(18, np.nan))),
         "v: expected finite numbers, got nan at index 0"),
    ):  # fmt: skip
        with pytest.raises(sf.InputError) as caught:
            call()
        assert str(caught.value) == text
    real = builtins.__import__

    def without(name, *args, **more):
        if name == "clarabel":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(sf.InputError) as caught:
        program.solve("clarabel")
    assert str(caught.value) == (
        "solver: 'clarabel' needs Clarabel, which is not installed: pip install 'surefoot[cones]'"
    )
