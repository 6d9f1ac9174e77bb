"""A controller called from compiled policies: the torques of the Python controller, and handles that stay good."""

import gc

import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from tests.laws.stance import feet_of

DT = 1e-3
follow = sf.follow
LAWS = (
    sf.Coulomb(mu=0.6),
    sf.Coulomb(mu=0.6, smooth=True),
    sf.Coulomb(mu=0.6, smooth="change"),
    sf.NoSlip(release=False, smooth=True),
    sf.Dissipative(mu=0.6),
    sf.Dissipative(mu=0.6, cone="exact"),
    sf.Compliant(stiffness=1e5, damping=100.0, mu=0.6),
    sf.Soft(mu=0.6),
)


@sf.policy
def crouch(t, q, v, torque_out, memory, params):
    """Joints follow a small swing around home by accelerations; memory: accelerations, then the last status."""
    for i in range(12):
        wanted = params[1 + i] + 0.02 * np.sin(20.0 * t + i)
        memory[i] = 100.0 * (wanted - q[7 + i]) - 20.0 * v[6 + i]
    memory[12] = follow(params[0], q, v, memory[:12], torque_out)
    return 0


def start(robot):
    q = robot.home().q.copy()
    q[2] -= 2e-5
    return robot.state(q)


def rolled(robot, controller, law, duration=0.1):
    bound = crouch.bind([controller.handle, *robot.home().q[7:]], memory=13)
    return sf.Simulator(robot, DT, law=law).rollout(start(robot), bound, duration)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_compiled_policy_gives_the_torques_of_the_python_controller(links, law):
    plain, home = sf.InverseDynamics(links, DT, law), links.home()
    if law.name == "no-slip":
        law_of_plant = sf.Coulomb(mu=5.0)
    else:
        law_of_plant = law
    trace = rolled(links, sf.InverseDynamics(links, DT, law), law_of_plant)
    assert trace.ok
    worst = 0.0
    for k in range(len(trace.torque)):
        t, q, v = trace.t[k], trace.q[k], trace.v[k]
        wanted = 100.0 * (home.q[7:] + 0.02 * np.sin(20.0 * t + np.arange(12)) - q[7:]) - 20.0 * v[6:]
        torque = plain(sf.State(q, v, t), wanted)
        worst = max(worst, np.abs(torque - trace.torque[k]).max())
    assert worst <= 1e-9


def test_a_failed_call_leaves_the_torques_and_tells_the_code(links):
    controller = sf.InverseDynamics(links, DT, sf.NoSlip(release=False))
    home = links.home()
    _, J = feet_of(links, home.q)
    apart = np.zeros(12)
    apart[:3] = np.linalg.solve(J[:3, links.dofs[:3]], [100.0, 0.0, 0.0])  # one foot goes, three stand
    torque = np.full(12, 7.0)
    code = follow(controller.handle, home.q, home.v, apart, torque)
    assert not sf.Status.from_code(code).is_answer
    assert (torque == 7.0).all()
    assert follow(controller.handle, home.q, home.v, np.zeros(12), torque) == 0
    assert (torque != 7.0).all()


def test_what_is_not_finite_is_a_code(links):
    controller = sf.InverseDynamics(links, DT)
    home, torque = links.home(), np.full(12, 7.0)
    bad = home.q.copy()
    bad[3] = np.nan
    for q, v, a in ((bad, home.v, np.zeros(12)), (home.q, np.full(18, np.inf), np.zeros(12)),
                    (home.q, home.v, np.full(12, np.nan))):  # fmt: skip
        assert sf.Status.from_code(follow(controller.handle, q, v, a, torque)) is sf.Status.NOT_FINITE
        assert (torque == 7.0).all()
    assert follow(controller.handle, home.q, home.v, np.zeros(12), torque) == 0
    assert torque == pytest.approx(sf.inverse_dynamics(links, home, np.zeros(12), dt=DT).torque, abs=1e-9)


def test_the_handle_outlives_a_growth_of_the_arrays(links):
    """A call from Python with more contacts than there is room for moves the arrays; the number stays good."""
    controller = sf.InverseDynamics(links, DT)
    handle = controller.handle
    home = links.home()
    points = np.column_stack([np.linspace(-0.05, 0.05, 150), np.zeros(150), np.zeros(150)])
    crowd = sf.Contacts.from_points(links, home, points, [links.feet[0].body] * 150)
    controller(home, np.zeros(12), contacts=crowd)
    junk = [np.ones(100_000) for _ in range(20)]  # over what was freed
    torque = np.zeros(12)
    assert follow(handle, home.q, home.v, np.zeros(12), torque) == 0
    assert torque == pytest.approx(sf.inverse_dynamics(links, home, np.zeros(12), dt=DT).torque, abs=1e-9)
    assert controller.handle == handle
    assert len(junk) == 20


def test_two_controllers_in_one_policy_do_not_mix(links):
    soft, hard = sf.InverseDynamics(links, DT, sf.Coulomb(mu=0.1)), sf.InverseDynamics(links, DT, torque_limits=0.1)
    home = links.home()
    one, two = np.zeros(12), np.zeros(12)
    for _ in range(3):
        assert follow(soft.handle, home.q, home.v, np.zeros(12), one) == 0
        assert follow(hard.handle, home.q, home.v, np.zeros(12), two) == 0
    assert np.abs(two).max() <= 0.1 * (1 + 1e-9)
    assert one == pytest.approx(sf.inverse_dynamics(links, home, np.zeros(12), dt=DT).torque, abs=0.5)
    assert not np.array_equal(one, two)


def test_selection_is_for_python(links):
    controller = sf.InverseDynamics(links, DT, sf.Coulomb(select="nearest"))
    with pytest.raises(InputError, match="handle: select='nearest' is for calls from Python; leave it out"):
        controller.handle  # noqa: B018


def test_copies_have_handles_of_their_own(links):
    import pickle

    controller = sf.InverseDynamics(links, DT)
    other = pickle.loads(pickle.dumps(controller))
    assert other.handle != controller.handle


def test_a_handle_outlives_its_controller_without_harm():
    robot = sf.load("links")
    controller = sf.InverseDynamics(robot, dt=1e-3)
    handle, home, torque = controller.handle, robot.home(), np.zeros(12)
    assert sf.follow(handle, home.q, home.v, np.zeros(12), torque) == 0
    del controller
    gc.collect()
    before = torque.copy()
    assert sf.Status.from_code(sf.follow(handle, home.q, home.v, np.zeros(12), torque)) is sf.Status.GONE
    assert np.array_equal(torque, before)


def test_zero_is_no_handle(links):
    home, torque = links.home(), np.full(12, 0.5)
    assert sf.Status.from_code(sf.follow(0.0, home.q, home.v, np.zeros(12), torque)) is sf.Status.GONE
    assert np.array_equal(torque, np.full(12, 0.5))
