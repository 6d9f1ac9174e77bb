"""Corners: nothing that moves, nothing that touches, too much of either, and reuse after failure."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import surefoot as sf

DT = 1e-3
LAWS = ["coulomb", "no-slip", "dissipative"]


@pytest.fixture(scope="module")
def robot():
    return sf.load("links")


def loaded(folder, name, text):
    """A scene of an MJCF made of this text."""
    file = folder / f"{name}.xml"
    file.write_text(f'<mujoco model="{name}">{text}</mujoco>')
    return sf.load(file)


@pytest.fixture(scope="module")
def press(tmp_path_factory):
    """A ball on a vertical slide that stands on the floor: bolted down, one motor, no feet."""
    return loaded(
        tmp_path_factory.mktemp("press"),
        "press",
        """<worldbody><geom name="floor" type="plane" size="0 0 1"/>
        <body name="ram" pos="0 0 0.1"><joint name="lift" type="slide" axis="0 0 1"/>
        <geom name="ram" type="sphere" size="0.1" mass="1"/></body></worldbody>
        <actuator><motor joint="lift"/></actuator>""",
    )


# Nothing that moves, no feet, no contacts


@pytest.mark.parametrize("terrain", [None, sf.Plane()])
@pytest.mark.parametrize("law", LAWS)
def test_a_world_in_which_nothing_moves(terrain, law):
    still = sf.scene(terrain=terrain)
    answer = sf.solve(still, still.home(), dt=DT, law=law)
    assert (answer.status, answer.velocity.shape, len(answer.contacts)) == (sf.Status.SOLVED, (0,), 0)
    assert set(answer.residuals().values()) == {0.0}
    assert answer.table() == f"scene, {law}, dt 1 ms: solved: every condition of the law holds"
    trace = sf.Simulator(still, DT, law).rollout(still.home(), duration=0.01)
    assert trace.message == "10 steps, all solved"
    assert trace.q.shape == (11, 0)
    assert sf.InverseDynamics(still, DT)(still.home(), []).shape == (0,)


def test_objects_without_a_robot_have_no_joints_to_name():
    ball = sf.scene(terrain=sf.Plane(), objects=[sf.Ball(radius=0.1, mass=1.0, position=(0, 0, 0.1))])
    for option, text in (
        ({"torque": {"knee": 1.0}}, "torque: no actuated joint is called 'knee'; There are none"),
        ({"contacts": ["foot"]}, "contacts: no foot is called 'foot'; There are none"),
    ):
        with pytest.raises(sf.InputError, match=f"^{text}$"):
            sf.solve(ball, ball.home(), dt=DT, **option)
    answer = sf.inverse_dynamics(ball, ball.home(), [], dt=DT)
    assert answer.forces == pytest.approx(np.array([[9.81, 0.0, 0.0]]), abs=1e-9)


def test_no_contacts_at_all_is_free_fall(robot):
    for contacts in ([], (), sf.Contacts.from_points(robot, robot.home(), np.zeros((0, 3)), [])):
        answer = sf.forward_dynamics(robot, robot.home(), dt=DT, contacts=contacts)
        assert len(answer.contacts) == 0
        assert answer.ground_force == pytest.approx(np.zeros(3))
        assert answer.velocity[:3] == pytest.approx([0, 0, -9.81 * DT], abs=1e-12)


# What touches, named twice, given at a distance, or by another order


def test_a_contact_given_twice_is_the_same_contact(robot):
    home = robot.home()
    found = sf.forward_dynamics(robot, home, dt=DT)
    bodies = [first for first, _ in found.contacts.bodies]
    for times in (1, 2, 10):  # 40 contacts: more than the arrays hold at first
        points, mu = np.repeat(found.contacts.points, times, axis=0), np.repeat(found.contacts.mu, times)
        given = sf.Contacts.from_points(robot, home, points, [b for b in bodies for _ in range(times)], mu=mu)
        answer = sf.forward_dynamics(robot, home, dt=DT, contacts=given)
        assert len(answer.forces) == 4 * times
        assert answer.velocity == pytest.approx(found.velocity, abs=1e-9)
        assert answer.ground_force == pytest.approx(found.ground_force, abs=1e-6)
    assert sf.forward_dynamics(robot, home, dt=DT, contacts=["LF_FOOT"] * 2).contacts.names == ("LF_FOOT on ground",)
    assert len(sf.forward_dynamics(robot, home, dt=DT, contacts=(name for name in ["LF_FOOT"])).contacts) == 1


@pytest.mark.parametrize("law", LAWS)
def test_a_given_contact_with_a_gap_has_no_friction(robot, law):
    """It lands within the step, so its normal acts; contract: tangent rows exist for what is closed at the start."""
    v = np.zeros(18)
    v[0], v[2] = 1.0, -1.0
    state = robot.state(v=v)
    answers = {}
    for gap in (0.0, 5e-4):
        given = sf.Contacts.from_points(robot, state, [[0.0, 0.0, 0.1]], ["BASE"], gaps=gap, mu=0.7)
        answers[gap] = sf.forward_dynamics(robot, state, dt=DT, contacts=given, law=law)
        assert answers[gap].forces[0, 0] > 1.0
    assert answers[0.0].contacts.closed.all()
    assert np.abs(answers[0.0].forces[0, 1:]).max() > 1.0
    assert not answers[5e-4].contacts.closed.any()
    assert (answers[5e-4].forces[0, 1:] == 0).all()
    assert answers[5e-4].contact_velocity[0, 0] == pytest.approx(-0.5)


def test_torques_by_name_need_no_order(robot):
    torque = dict(zip(robot.joints, np.linspace(-1, 1, 12), strict=True))
    turned = dict(reversed(torque.items()))
    wanted = sf.forward_dynamics(robot, robot.home(), list(torque.values()), dt=DT)
    simulator = sf.Simulator(robot, DT)
    for given in (torque, turned, pd.Series(turned), pd.Series(list(torque.values()))):
        assert np.array_equal(sf.forward_dynamics(robot, robot.home(), given, dt=DT).velocity, wanted.velocity)
        assert np.array_equal(simulator.step(robot.home(), given)[1].torque, wanted.torque)


@pytest.mark.parametrize("law", LAWS)
def test_a_bolted_robot_whose_every_joint_is_prescribed_on_an_obstacle(press, law):
    def pressed(speed, **options):
        return sf.solve(press, press.home(), dt=DT, velocity={"lift": speed}, law=law, **options)

    held = pressed(0.0)
    assert held.status is sf.Status.INDETERMINATE
    assert held.ok
    assert str(held.status).startswith("indeterminate: internal force free")
    assert (held.forces == 0).all()
    assert held.torque == pytest.approx([9.81])
    named = r"\(at ram on floor, motion of lift\);"
    with pytest.raises(sf.SolveError, match=rf"^press, {law} law: infeasible: .* {named}") as error:
        pressed(-0.1)
    assert error.value.result.culprits == ("ram on floor", "motion of lift")
    lifted = pressed(0.1)
    assert lifted.status is sf.Status.SOLVED
    assert lifted.torque == pytest.approx([9.81 + 0.1 / DT])


# Numbers at the ends of their ranges


@pytest.mark.parametrize("mu", [0.0, 1e-300, 1e300, np.inf])
def test_friction_from_none_to_infinite(robot, mu):
    answer = sf.forward_dynamics(robot, robot.home(), dt=DT, law=sf.Coulomb(mu=mu))
    assert answer.status is sf.Status.SOLVED
    assert max(answer.residuals()[name] for name in ("normal", "friction")) < 1e-9
    assert (answer.forces[:, 0] > 0.1).all()
    if mu < 1:
        assert np.abs(answer.forces[:, 1:]).max() < 1e-290
        assert answer.slipping.all()
    else:
        assert np.abs(answer.forces[:, 1:]).max() > 0.1
        assert not answer.slipping.any()


@pytest.mark.parametrize("dt", [1e-7, 1e-6, 1e-2, 1.0])
@pytest.mark.parametrize("law", LAWS)
def test_steps_from_the_shortest_to_the_longest(robot, dt, law):
    answer = sf.forward_dynamics(robot, robot.home(), dt=dt, law=law)
    assert answer.ok
    assert max(answer.residuals()[name] for name in ("normal", "friction")) < 1e-9
    assert answer.ground_force[2] > 0
    assert sf.Simulator(robot, dt, law).rollout(robot.home(), duration=3 * dt).ok


@pytest.mark.parametrize("masses", [(1e6, 1e-6), (1.0, 1e-6), (1e-6, 1.0), (1.0, 1e6)], ids=str)
def test_a_light_box_and_a_heavy_one(masses):
    """Masses in kg of the lower and the upper box."""
    stack = sf.scene(
        terrain=sf.Plane(mu=0.5),
        objects=[
            sf.Box(size=(0.1,) * 3, mass=mass, position=(0, 0, 0.05 + 0.1 * k), name=f"box{k}")
            for k, mass in enumerate(masses)
        ],
    )
    answer = sf.forward_dynamics(stack, stack.home(), dt=DT)
    assert answer.ground_force == pytest.approx([0, 0, 9.81 * sum(masses)], rel=1e-6, abs=1e-6 * sum(masses))
    assert np.abs(answer.velocity).max() < 1e-6


@pytest.mark.parametrize("scale", [1e-3, 0.5, -1.0, 1e3])
def test_a_quaternion_of_any_length_is_the_same_pose(robot, scale):
    q = np.array(robot.home().q)
    q[3:7] = [0.9, 0.1, -0.2, 0.3]
    q[3:7] /= np.linalg.norm(q[3:7])
    other = q.copy()
    other[3:7] *= scale
    simulator = sf.Simulator(robot, DT)
    one, two = simulator.rollout(robot.state(q), duration=0.02), simulator.rollout(robot.state(other), duration=0.02)
    assert two.v == pytest.approx(one.v, abs=1e-9)
    assert np.linalg.norm(two.q[1:, 3:7], axis=1) == pytest.approx(np.ones(20), abs=1e-12)


def test_a_ball_joint_needs_a_quaternion_too(tmp_path):
    pendulum = loaded(
        tmp_path,
        "bob",
        """<worldbody><body name="bob" pos="0 0 1"><joint name="neck" type="ball"/>
        <geom type="sphere" size="0.1" pos="0 0 -0.5" mass="1"/></body></worldbody>""",
    )
    with pytest.raises(
        sf.InputError, match=r"^state\.q: expected a quaternion of some length at index 0 to 3, got zero"
    ):
        sf.forward_dynamics(pendulum, sf.State(np.zeros(4), np.zeros(3)), dt=DT)
    assert sf.forward_dynamics(pendulum, pendulum.home(), dt=DT).ok


def test_a_duration_is_rounded_to_whole_steps_and_a_policy_may_outlast_it(robot):
    simulator = sf.Simulator(robot, DT, control_dt=0.25)
    seen = []
    trace = simulator.rollout(robot.home(), lambda s: seen.append(s.t) or np.zeros(12), 0.0104)
    assert (len(trace), seen) == (10, [0.0])
    assert trace.t[-1] == pytest.approx(0.01)


# Many contacts, long runs, reuse, threads, memory


def test_forty_balls_in_a_heap_outgrow_the_first_arrays():
    rng = np.random.default_rng(1)
    places = [(0.11 * (i % 4), 0.11 * (i // 4 % 4), 0.06 + 0.11 * (i // 16)) for i in range(40)]
    heap = sf.scene(
        terrain=sf.Plane(mu=0.5),
        objects=[
            sf.Ball(radius=0.05, mass=0.1, name=f"ball{i}", position=tuple(p + 0.004 * rng.uniform(-1, 1, 3)))
            for i, p in enumerate(places)
        ],
    )
    trace = sf.Simulator(heap, 2e-3).rollout(heap.home(), duration=0.4)
    assert trace.ok, trace.message
    assert np.diff(trace.contact_start).max() > 48  # the arrays hold 24 at first, and double
    assert trace.residual.max() < 1e-9
    answer = trace.replay(len(trace) - 1)  # a workspace of its own, grown in one go
    assert np.array_equal(answer.forces, trace.contact_forces[trace.contacts_of(len(trace) - 1)])


def test_a_log_that_grows_keeps_what_it_holds():
    """At first there is room for 8 contacts a step; three boxes have 12."""
    crowd = sf.scene(
        terrain=sf.Plane(),
        objects=[sf.Box(size=(0.1,) * 3, mass=1.0, position=(0.3 * k, 0, 0.05), name=f"box{k}") for k in range(3)],
    )
    simulator = sf.Simulator(crowd, DT)
    trace = simulator.rollout(crowd.home(), duration=0.3)
    assert len(trace.contact_gaps) == 12 * 300 > 8 * 300 + 64
    assert trace.contact_forces.reshape(300, 12, 3)[:, :, 0].sum(axis=1) == pytest.approx(np.full(300, 3 * 9.81))


def test_a_simulator_is_as_new_after_a_failure(robot):
    simulator, home = sf.Simulator(robot, DT), robot.home()
    before = simulator.rollout(home, duration=0.05)
    failures = (
        lambda: simulator.rollout(home, lambda s: np.full(12, np.nan)),
        lambda: simulator.rollout(home, lambda s: np.full(12, 1e11)),
        lambda: simulator.rollout(robot.state(v=np.full(18, 1e11))),
        lambda: simulator.step(home, np.full(12, 1e300), throw=False),
    )
    for fail in failures:
        fail()
        after = simulator.rollout(home, duration=0.05)
        assert np.array_equal(after.q, before.q)
        assert np.array_equal(after.contact_forces, before.contact_forces)


def test_a_controller_recovers_and_speaks_of_its_last_call_only(robot):
    controller, home = sf.InverseDynamics(robot, DT), robot.home()
    torque = controller(home, np.zeros(12)).copy()
    assert np.array_equal(controller(home, np.full(12, 1e300)), torque)  # the previous ones
    assert controller.status is sf.Status.NOT_FINITE
    assert not controller.answer().ok
    with pytest.raises(sf.InputError, match=r"^contacts: no foot"):
        controller(home, np.zeros(12), contacts=["TAIL"])
    with pytest.raises(sf.InputError, match=r"^answer: call the controller first$"):
        controller.answer()
    assert np.array_equal(controller(home, np.zeros(12)), torque)
    assert controller.status is sf.Status.SOLVED


def test_threads_give_the_bits_of_one(robot):
    start = robot.state(v=np.linspace(-0.2, 0.2, 18))
    alone = sf.Simulator(robot, DT).rollout(start, duration=0.3)
    results = [None, None]

    def work(k):
        results[k] = sf.Simulator(robot, DT).rollout(start, duration=0.3)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for trace in results:
        for name in ("q", "v", "contact_forces", "contact_start", "residual"):
            assert np.array_equal(getattr(trace, name), getattr(alone, name))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_hundred_simulators_fit_and_single_solves_leave_nothing_behind():
    code = (
        "import gc\n"
        "from pathlib import Path\n"
        "import surefoot as sf\n"
        "def megabytes():\n"
        "    gc.collect()\n"
        "    return int(Path('/proc/self/statm').read_text().split()[1]) * 4096 / 1e6\n"
        "robot = sf.load('links')\n"
        "for _ in range(20):\n"
        "    sf.forward_dynamics(robot, robot.home(), dt=1e-3)\n"
        "start = megabytes()\n"
        "for _ in range(200):\n"
        "    sf.forward_dynamics(robot, robot.home(), dt=1e-3)\n"
        "print(megabytes() - start)\n"
        "simulators = [sf.Simulator(robot) for _ in range(200)]\n"
        "print(megabytes() - start)\n"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    left, held = map(float, child.stdout.split())
    assert left < 20
    assert held < 800


# Copies and comparisons


def test_what_can_be_copied_and_pickled_is_equal(robot):
    home = robot.home()
    for copied in (pickle.loads(pickle.dumps(home)), copy.deepcopy(home), copy.copy(home)):
        assert np.array_equal(copied.q, home.q)
        assert np.array_equal(copied.v, home.v)
    contacts = sf.forward_dynamics(robot, home, dt=DT).contacts
    assert np.array_equal(pickle.loads(pickle.dumps(contacts)).J, contacts.J)
    for thing in (
        sf.Coulomb(mu=0.3, edges=8),
        sf.NoSlip(),
        sf.Dissipative(mu=0.1),
        sf.Compliant(1e4),
        sf.Curb(),
        sf.Ball(radius=1.0, mass=1.0),
    ):
        assert pickle.loads(pickle.dumps(thing)) == copy.deepcopy(thing) == thing
    assert copy.copy(robot).joints == robot.joints


def test_results_compare_by_identity_and_can_be_kept_in_sets(robot):
    one, two = (sf.forward_dynamics(robot, robot.home(), dt=DT) for _ in range(2))
    assert one != two
    assert one == one
    assert len({one, two, one.contacts, two.contacts}) == 4
