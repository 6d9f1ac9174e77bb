import numpy as np
import pytest

import surefoot as sf
from surefoot.errors import InputError
from surefoot.motion.limits import torque_range
from tests.contact.scenes import compiled
from tests.test_answer import plates

DT = 1e-3
G = 9.81
LAWS = (
    sf.Coulomb(),
    sf.Coulomb(smooth=True),
    sf.NoSlip(),
    sf.NoSlip(release=False),
    sf.Dissipative(),
    sf.Dissipative(cone="exact"),
    sf.Dissipative(form="energy"),
    sf.Compliant(stiffness=1e5, damping=100.0),
    sf.Soft(),
)
every_law = pytest.mark.parametrize("law", LAWS, ids=str)


def pendulum():
    """2 kg at 0.5 m from a hinge, level: gravity turns it by + m g l, its inertia about the hinge is 0.6 kg m^2."""
    return compiled(
        '<body name="arm"><joint name="hinge" axis="0 1 0"/>'
        '<inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.1 0.1"/></body>',
        joints=("hinge",),
    )


# A pendulum


@every_law
@pytest.mark.parametrize(("limit", "wanted"), [(5.0, 0.5), (5.0, -0.5), (0.0, 0.5), ((-20.0, -5.0), 0.5)])
def test_a_joint_that_cannot_follow_slips_at_its_limit(law, limit, wanted):
    """I (v+ - v) = dt (tau + m g l) with tau at the end of its range that is nearer to what is asked."""
    scene = pendulum()
    low, high = (-limit, limit) if np.ndim(limit) == 0 else limit
    tau = high if wanted > 0 else low
    answer = sf.solve(
        scene, scene.state(v=[0.3]), dt=DT, velocity={"hinge": wanted}, torque_limits={"hinge": limit}, law=law
    )
    v = 0.3 + DT * (tau + 2 * G * 0.5) / 0.6
    assert answer.status is sf.Status.SOLVED
    assert answer.torque == pytest.approx([tau], abs=1e-9)
    assert answer.velocity == pytest.approx([v], abs=1e-12)
    assert answer.missed == pytest.approx([wanted - v], abs=1e-12)
    assert answer.joint_rows[0].kind == "motor"


@every_law
def test_a_joint_that_can_follow_does(law):
    """(v+ - v) I / dt - m g l within the limit: the demand is met, with the torque of the unlimited answer."""
    scene = pendulum()
    for wanted in (0.3, 0.31, 0.29):
        free = sf.solve(scene, scene.state(v=[0.3]), dt=DT, velocity={"hinge": wanted}, law=law)
        answer = sf.solve(scene, scene.state(v=[0.3]), dt=DT, velocity={"hinge": wanted}, torque_limits=20.0, law=law)
        assert answer.velocity == pytest.approx([wanted], abs=1e-12)
        assert answer.torque == pytest.approx(free.torque, abs=1e-6)
        assert answer.torque == pytest.approx([0.6 * (wanted - 0.3) / DT - 2 * G * 0.5], abs=1e-6)
        assert not answer.missed.any()


def test_exactly_at_the_limit_nothing_is_missed():
    scene = pendulum()
    edge = 0.3 + DT * (5.0 + 2 * G * 0.5) / 0.6
    answer = sf.solve(scene, scene.state(v=[0.3]), dt=DT, velocity={"hinge": edge}, torque_limits=5.0)
    assert answer.torque == pytest.approx([5.0], abs=1e-6)
    assert not answer.missed.any()


# A robot


@every_law
def test_large_limits_change_nothing(links, law):
    rng = np.random.default_rng(2)
    q = links.home().q.copy()
    q[2] -= 1e-4
    for _ in range(5):
        state = links.state(q, np.r_[0.1 * rng.normal(size=6), 0.1 * rng.normal(size=12)])
        wanted = np.zeros(12) if law.name == "no-slip" else 5.0 * rng.normal(size=12)
        free = sf.inverse_dynamics(links, state, wanted, dt=DT, law=law, throw=False)
        if not free.ok:
            assert law.name == "no-slip"
            continue
        limited = sf.inverse_dynamics(links, state, wanted, dt=DT, law=law, torque_limits=1e4)
        # Coulomb's motion need not be unique; least energy counts that of limited joints, too.
        if law.name != "coulomb" and getattr(law, "form", "slip") != "energy":
            assert limited.velocity == pytest.approx(free.velocity, abs=1e-8)
        assert limited.velocity[links.dofs] == pytest.approx(state.v[links.dofs] + DT * wanted, abs=1e-8)
        assert not limited.missed.any()


@every_law
def test_torques_stay_within_their_limits_and_the_law_holds(links, law):
    rng = np.random.default_rng(3)
    q = links.home().q.copy()
    q[2] -= 1e-4
    state = links.state(q)
    at_limit = 0
    for _ in range(5):
        wanted = 50.0 * rng.normal(size=12)
        answer = sf.inverse_dynamics(links, state, wanted, dt=DT, law=law, torque_limits=0.4)
        assert answer.ok
        assert np.abs(answer.torque).max() <= 0.4 * (1 + 1e-9)
        missing = np.flatnonzero(answer.missed)
        at_limit += len(missing)
        assert np.abs(answer.torque[missing]) == pytest.approx(np.full(len(missing), 0.4), rel=1e-6)
        assert (np.sign(answer.torque[missing]) == np.sign(answer.missed[missing])).all()
        assert answer.velocity[links.dofs] + answer.missed == pytest.approx(DT * wanted, abs=1e-8)
        assert max(answer.residuals()[part] for part in ("normal", "friction", "joints", "reduction")) <= 2e-9
        again = sf.forward_dynamics(links, state, answer.torque, dt=DT, law=law)
        if law.name in ("soft", "compliant") or (law.name == "dissipative" and law.form == "slip"):
            assert again.velocity == pytest.approx(answer.velocity, abs=1e-7)
    assert at_limit > 0


@every_law
def test_a_controller_keeps_its_torques_within_the_limits(links, law):
    controller = sf.InverseDynamics(links, DT, law, torque_limits=0.4)
    rng = np.random.default_rng(4)
    for _ in range(5):
        wanted = 50.0 * rng.normal(size=12)
        torque = controller(links.home(), wanted, throw=True)
        one_off = sf.inverse_dynamics(links, links.home(), wanted, dt=DT, law=law, torque_limits=0.4)
        assert np.abs(torque).max() <= 0.4 * (1 + 1e-9)
        assert controller.answer().missed == pytest.approx(one_off.missed, abs=1e-7)


# Squeezes


@every_law
def test_limits_cure_a_squeeze(law):
    """Two plates that close on a ball have no answer; with motors of 10 N they press with 10 N and stand still."""
    scene = plates()
    state = scene.home()
    demand = {"left": 0.1, "right": 0.1}
    if not isinstance(law, sf.Compliant | sf.Soft) and not (law.name == "dissipative" and law.form == "energy"):
        assert not sf.solve(scene, state, dt=DT, velocity=demand, law=law, throw=False).ok
    answer = sf.solve(scene, state, dt=DT, velocity=demand, torque_limits=10.0, law=law)
    assert answer.ok
    assert answer.torque == pytest.approx([10.0, 10.0], abs=1e-6)
    assert (answer.missed > 0).all()
    if not isinstance(law, sf.Compliant | sf.Soft):
        assert np.abs(answer.velocity[scene.dofs]).max() <= 1e-9
        assert answer.missed == pytest.approx([0.1, 0.1], abs=1e-9)
        assert answer.forces[:, 0] == pytest.approx([10.0, 10.0], rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_random_squeezes_always_have_an_answer(seed):
    """A pure copositive problem: Lemke's method is sure to end."""
    rng = np.random.default_rng(seed)
    scene = plates()
    v = 0.2 * rng.normal(size=scene.nv)
    demand = dict(zip(scene.joints, rng.normal(size=2), strict=True))
    limits = 10.0 ** rng.uniform(-1, 3, size=2)
    for law in (sf.Coulomb(mu=float(rng.choice([0.0, 0.3, 1.0]))), sf.Dissipative(mu=0.5)):
        answer = sf.solve(scene, scene.state(v=v), dt=DT, velocity=demand, torque_limits=limits, law=law)
        assert answer.ok
        assert (np.abs(answer.torque) <= limits * (1 + 1e-9)).all()
        assert max(answer.residuals()[part] for part in ("normal", "friction", "joints")) <= 2e-9


# What the user may give


def test_none_is_no_limit(links):
    low, high = torque_range(links, None)
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()


def test_all_ways_to_say_it(links):
    wanted = np.full(12, -3.0), np.full(12, 3.0)
    for given in (3, 3.0, np.float64(3), [3.0] * 12, np.full(12, 3.0), np.tile([-3.0, 3.0], (12, 1)),
                  dict.fromkeys(links.joints, 3.0), dict.fromkeys(links.joints, (-3.0, 3.0))):  # fmt: skip
        low, high = torque_range(links, given)
        assert np.array_equal(low, wanted[0])
        assert np.array_equal(high, wanted[1])
        assert low.shape == high.shape == (12,)


def test_a_dict_limits_those_it_names(links):
    low, high = torque_range(links, {links.joints[2]: (-1.0, 2.0), links.joints[5]: 4})
    assert (low[2], high[2], low[5], high[5]) == (-1.0, 2.0, -4.0, 4.0)
    others = np.setdiff1d(np.arange(12), [2, 5])
    assert np.isinf(low[others]).all()
    assert np.isinf(high[others]).all()


def test_infinite_pairs_are_no_limit(links):
    low, high = torque_range(links, np.array([[-np.inf, np.inf]] * 11 + [[-1.0, 1.0]]))
    assert np.isinf(low[:11]).all()
    assert high[11] == 1.0


def test_only_what_follows_a_motion_is_limited(links):
    """A joint with a given torque feels it whole, and one that is named nowhere feels none."""
    answer = sf.solve(links, links.home(), dt=DT, velocity={"LF_Y2": 0.0}, torque={"LF_Y3": 9.0}, torque_limits=1.0)
    torque = dict(zip(links.joints, answer.torque, strict=True))
    assert torque["LF_Y3"] == 9.0
    assert torque["RF_Y3"] == 0.0
    assert abs(torque["LF_Y2"]) <= 1.0


def test_legs_that_squat_alike_at_their_limits(links):
    """Nearly tied ratios: pivoting that takes them for ties is led off its path. These digits show it."""
    q = np.array([
        -0.03394971307852604, 0.0005547604739443875, 0.18141205146121064, 0.9999987100936679, 2.970962761659281e-14,
        1.3236390554361341e-14, 0.0016061790068351604, 0.10039170025567982, 0.8031336020448581, 1.2047004030677313,
        -0.10039170025558569, -0.8031336020455493, -1.2047004030678945, -0.10039170025557954, -0.803133602045552,
        -1.204700403067897, 0.10039170025568685, 0.8031336020448562, 1.204700403067722,
    ])  # fmt: skip
    v = np.array([
        0.0035611278547703906, -0.0002657725386316705, -0.011151937450708516, -5.242595165971755e-13,
        5.1645064218536534e-11, 0.022554139504482432, 0.016455262657347213, 0.13164210126464101, 0.19746315189224975,
        -0.01645526265829795, -0.13164210125765963, -0.19746315189060237, -0.016455262658360083,
        -0.13164210125763215, -0.19746315189057745, 0.01645526265727626, 0.131642101264661, 0.19746315189234673,
    ])  # fmt: skip
    wanted = np.array([
        0.016801160410415267, 0.1344092832891275, 0.20161392492930252, -0.016801160411356597, -0.13440928328221524,
        -0.2016139249276705, -0.016801160411418076, -0.1344092832821886, -0.20161392492764607, 0.016801160410345045,
        0.13440928328914636, 0.20161392492939578,
    ])  # fmt: skip
    answer = sf.solve(links, sf.State(q, v), dt=DT, velocity=wanted, torque_limits=2.4, law=sf.Coulomb(mu=0.5))
    assert answer.ok
    assert max(answer.residuals()[name] for name in ("normal", "friction", "joints")) <= 1e-8


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (-1.0, "torque_limits: expected a number of at least 0, got -1"),
        ("1", r"torque_limits: expected a finite number, got '1'"),
        ([1.0] * 11, r"torque_limits: expected shape \(12,\), got \(11,\)"),
        (np.ones((12, 3)), r"torque_limits: expected shape \(12, 2\), got \(12, 3\)"),
        (
            np.full(12, -1.0),
            r"torque_limits\[0\]: expected low <= high, or a largest torque of at least 0, got 1 to -1",
        ),
        (np.full(12, np.nan), r"torque_limits\[0\]: expected a largest torque, or \(low, high\), got nan"),
        ({"LF_Y2": (2.0, 1.0)}, r"torque_limits\['LF_Y2'\]: expected low <= high, or .* got 2 to 1"),
        ({"LF_Y2": (-np.inf, 1.0)}, r"torque_limits\['LF_Y2'\]: expected both or none of low and high to be finite"),
        ({"LF_Y2": (1.0, 2.0, 3.0)}, r"torque_limits\['LF_Y2'\]: expected a largest torque, or \(low, high\), got"),
        ({"LF_Y2": "strong"}, r"torque_limits\['LF_Y2'\]: expected a largest torque, or \(low, high\), got 'strong'"),
        ({"LF_Y9": 1.0}, "torque_limits: .*'LF_Y9'"),
    ],
)
def test_bad_limits_are_refused(links, limits, text):
    with pytest.raises(InputError, match=text):
        torque_range(links, limits)
    with pytest.raises(InputError, match=text):
        sf.InverseDynamics(links, DT, torque_limits=limits)


def test_limits_beside_a_full_motion_are_refused(links):
    with pytest.raises(InputError, match="velocity_next: prescribes everything, so torque_limits has no place beside"):
        sf.inverse_dynamics(links, links.home(), velocity_next=np.zeros(18), dt=DT, torque_limits=1.0)
