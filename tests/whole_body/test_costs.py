"""Costs that move between spaces: exact against direct evaluation and against Clarabel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.errors import InputError, SolveError
from surefoot.whole_body import Quadratic, dynamics_space
from tests.whole_body.oracle import minimum
from tests.whole_body.standing import STANCES, biped, equations, space_on

BLOCKS = ("acceleration", "torque", "force")
LINKS, BIPED = sf.load("links"), biped()
SPACES = {len(feet): space_on(LINKS, feet) for feet in ((), *STANCES)}
SPACES["flat"] = dynamics_space(BIPED, BIPED.home())
ONTO = ("acceleration", "torque", "force", ("torque", "force"), ("acceleration", "force"), BLOCKS)


def random_cost(space, rng, blocks=BLOCKS, rank=None):
    """A convex cost with terms between blocks; of the rank given."""
    sizes = {name: len(getattr(space.particular, name)) for name in blocks}
    n = sum(sizes.values())
    A = rng.normal(size=(n if rank is None else rank, n))
    y = rng.normal(size=len(A))
    return Quadratic(sizes, A.T @ A, -A.T @ y, 0.5 * y @ y)


def of(cost, point):
    return cost(**{name: getattr(point, name) for name in cost.sizes})


# By themselves


def test_value_gradient_and_minimiser():
    cost = Quadratic.near(torque=[1.0, 2.0]) + 3 * Quadratic.task("force", [[1.0, 1.0]], [4.0])
    assert cost(torque=[1, 2], force=[1, 3]) == 0.0
    assert cost(torque=[3, 2], force=[0, 0]) == 2.0 + 3 * 8.0
    slope = cost.gradient(torque=[3, 2], force=[0, 0])
    assert slope["torque"].tolist() == [2.0, 0.0]
    assert slope["force"].tolist() == [-12.0, -12.0]
    least = cost.minimiser()
    assert least.point["torque"] == pytest.approx([1, 2])
    assert least.point["force"] == pytest.approx([2, 2]), "the least of those that are as good"
    assert least.value == pytest.approx(0.0, abs=1e-12)
    assert np.abs(least.free["force"][:, 0]) == pytest.approx(np.full(2, 0.5**0.5))


def test_weights():
    cost = Quadratic.near({"torque": [1.0, 4.0]}, torque=[0, 0], force=[0.0])
    assert cost(torque=[1, 1], force=[1]) == 3.0
    assert Quadratic.task("torque", np.eye(2), [0, 0], [2.0, 0.0])(torque=[1, 5]) == 1.0


@given(st.integers(0, 10**6))
def test_sums_are_sums(seed):
    rng = np.random.default_rng(seed)
    space = SPACES[2]
    one, two = random_cost(space, rng, BLOCKS[:2]), random_cost(space, rng, BLOCKS[1:])
    point = space.at(rng.normal(size=space.dimension))
    both = of(one, point) + 2.5 * of(two, point)
    assert of(one + 2.5 * two, point) == pytest.approx(both, rel=1e-12)
    assert of(two * 2.5 + one, point) == pytest.approx(both, rel=1e-12)


def test_gradients_by_differences():
    rng, space = np.random.default_rng(0), SPACES[4]
    cost = random_cost(space, rng)
    x = {name: rng.normal(size=size) for name, size in cost.sizes.items()}
    step = {name: rng.normal(size=size) for name, size in cost.sizes.items()}
    slope = sum(float(cost.gradient(**x)[name] @ step[name]) for name in x)
    far = [cost(**{name: x[name] + h * step[name] for name in x}) for h in (-1e-4, 1e-4)]
    assert slope == pytest.approx((far[1] - far[0]) / 2e-4, rel=1e-8)


# Between spaces


@pytest.mark.parametrize("key", SPACES)
def test_pulled_back_it_is_the_same_cost(key):
    space = SPACES[key]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        cost = random_cost(space, rng)
        beta = 10 * rng.normal(size=space.dimension)
        assert space.pull_back(cost)(beta=beta) == pytest.approx(of(cost, space.at(beta)), rel=1e-10)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_cost_over_one_block_pulls_back(block):
    rng, space = np.random.default_rng(0), SPACES[3]
    cost, beta = random_cost(space, rng, (block,)), rng.normal(size=12)
    assert space.pull_back(cost)(beta=beta) == pytest.approx(of(cost, space.at(beta)), rel=1e-10)


@pytest.mark.parametrize("onto", ONTO, ids=str)
@pytest.mark.parametrize("key", SPACES)
def test_pushed_it_is_the_least_cost_with_these_values(key, onto):
    space = SPACES[key]
    names = (onto,) if isinstance(onto, str) else onto
    if names == ("force",) and key == 0:
        pytest.skip("without contacts there is no force")
    rng = np.random.default_rng(7)
    cost = space.pull_back(random_cost(space, rng))
    pushed = space.push(cost, onto)
    V = np.concatenate([getattr(space.basis, name) for name in names])
    _, sizes, axes = np.linalg.svd(V)
    hidden = axes[(sizes > 1e-9).sum() :].T
    for _ in range(5):
        beta = 10 * rng.normal(size=space.dimension)
        values = {name: getattr(space.at(beta), name) for name in names}
        # Directly: over all beta + hidden z.
        H = hidden.T @ cost.hessian @ hidden
        z = np.linalg.solve(H, -hidden.T @ (cost.hessian @ beta + cost.slope))
        assert pushed(**values) == pytest.approx(cost(beta=beta + hidden @ z), rel=1e-10)


@pytest.mark.parametrize("onto", ONTO[:3])
def test_pushed_it_is_what_clarabel_finds(onto):
    """Over all accelerations, torques and forces that satisfy the equations, with one of them given."""
    rng, space = np.random.default_rng(3), SPACES[4]
    cost = random_cost(space, rng)
    B, right = equations(space)
    point = space.at(rng.normal(size=12))
    first = {"acceleration": 0, "torque": 18, "force": 30}[onto]
    given = np.eye(42)[first : first + len(getattr(point, onto))]
    x, value = minimum(cost.hessian, cost.slope, np.vstack([B, given]), np.concatenate([right, getattr(point, onto)]))
    pushed = space.push(space.pull_back(cost), onto)
    assert pushed(**{onto: getattr(point, onto)}) == pytest.approx(value + cost.constant, rel=1e-6)
    assert np.isfinite(x).all()


@pytest.mark.parametrize("onto", ONTO, ids=str)
@pytest.mark.parametrize("key", [1, 2, 3, 4, "flat"])
def test_the_least_cost_is_the_same_in_every_space(key, onto):
    space = SPACES[key]
    beta = space.pull_back(random_cost(space, np.random.default_rng(11)))
    pushed, best = space.push(beta, onto), beta.minimiser()
    least = pushed.minimiser()
    assert least.value == pytest.approx(best.value, rel=1e-9, abs=1e-9)
    for name, value in least.point.items():
        assert value == pytest.approx(getattr(space.at(best.point["beta"]), name), rel=1e-6, abs=1e-6)


def test_the_minimum_is_what_clarabel_finds():
    rng, space = np.random.default_rng(5), SPACES["flat"]
    cost = random_cost(space, rng)
    best = space.pull_back(cost).minimiser()
    x, value = minimum(cost.hessian, cost.slope, *equations(space))
    assert best.value == pytest.approx(value + cost.constant, rel=1e-8)
    assert space.at(best.point["beta"]).stack() == pytest.approx(x, rel=1e-5, abs=1e-5)


def test_it_holds_on_what_is_possible_and_takes_the_nearest_elsewhere():
    space = SPACES[4]
    pushed = space.push(space.pull_back(random_cost(space, np.random.default_rng(0))), "acceleration")
    assert pushed.domain.directions.shape == (18, 6)
    a = space.at(np.ones(12)).acceleration
    assert pushed.domain.distance(a) < 1e-10
    off = a + np.linalg.svd(pushed.domain.directions)[0][:, -1]
    assert pushed.domain.distance(off) == pytest.approx(1.0)
    assert pushed(acceleration=off) == pytest.approx(pushed(acceleration=a), rel=1e-9)
    slope = pushed.gradient(acceleration=a)["acceleration"]
    assert pushed.domain.directions @ (pushed.domain.directions.T @ slope) == pytest.approx(slope)
    back = space.pull_back(pushed)
    assert back(beta=np.ones(12)) == pytest.approx(pushed(acceleration=a), rel=1e-9)


def test_squeezing_is_left_out_by_itself():
    """Four feet: a cost of torque, seen as one of acceleration, lets the feet squeeze as cheaply as can be."""
    space = SPACES[4]
    pushed = space.push(space.pull_back(Quadratic.near(torque=np.zeros(12))), "acceleration")
    still = np.zeros(18)
    eta = space.acceleration_of_torque()
    tau = np.linalg.lstsq(eta.matrix, still - eta.offset, rcond=1e-9)[0]
    assert pushed(acceleration=still) == pytest.approx(0.5 * tau @ tau, rel=1e-9)


# What goes wrong


def test_costs_without_a_least_value():
    with pytest.raises(SolveError, match="falls without end: it has a slope where it does not curve"):
        Quadratic({"torque": 2}, np.diag([1.0, 0.0]), [0.0, 1.0]).minimiser()
    with pytest.raises(SolveError, match="falls without end: it curves downwards in some direction"):
        Quadratic({"torque": 2}, np.diag([1.0, -1.0]), [0.0, 0.0]).minimiser()
    space = SPACES[4]
    squeeze = Quadratic({"beta": 12}, np.zeros((12, 12)), np.ones(12))
    with pytest.raises(SolveError, match=r"acceleration: the cost falls without end: .*, which this leaves open"):
        space.push(squeeze, "acceleration")


def test_bad_input():
    space = SPACES[4]
    beta = space.pull_back(Quadratic.near(torque=np.zeros(12)))
    with pytest.raises(InputError, match="blocks: no block of this cost is called 'force'"):
        Quadratic.near(torque=[0.0])(force=[0.0])
    with pytest.raises(InputError, match="blocks: expected torque, force, missing force"):
        Quadratic.near(torque=[0.0], force=[0.0])(torque=[0.0])
    with pytest.raises(InputError, match=r"torque: expected shape \(12,\), got \(3,\)"):
        Quadratic.near(torque=np.zeros(12))(torque=[1, 2, 3])
    with pytest.raises(InputError, match="hessian: expected a symmetric matrix"):
        Quadratic({"torque": 2}, [[1, 2], [0, 1]], [0, 0])
    with pytest.raises(InputError, match=r"hessian: expected shape \(2, 2\), got \(3, 3\)"):
        Quadratic({"torque": 2}, np.eye(3), [0, 0])
    with pytest.raises(InputError, match="hessian: expected finite numbers, got nan at index"):
        Quadratic({"torque": 1}, [[np.nan]], [0])
    with pytest.raises(InputError, match="weight: expected numbers of at least 0, got -1"):
        Quadratic.near(-1.0, torque=[0.0])
    with pytest.raises(InputError, match="weight: no block is called 'forces'"):
        Quadratic.near({"forces": 1.0}, torque=[0.0])
    with pytest.raises(InputError, match="targets: expected at least one block"):
        Quadratic.near()
    with pytest.raises(InputError, match="torque: expected blocks of one length, got 2 and 3"):
        Quadratic.near(torque=[0, 0]) + Quadratic.near(torque=[0, 0, 0])
    with pytest.raises(InputError, match="factor: expected a finite number, got 'x'"):
        "x" * Quadratic.near(torque=[0.0])
    with pytest.raises(InputError, match="onto: no block is called 'velocity'"):
        space.push(beta, "velocity")
    with pytest.raises(
        InputError, match="onto: expected one of 'acceleration', 'torque', 'force' or several, got none"
    ):
        space.push(beta, ())
    with pytest.raises(InputError, match=r"cost: expected one over beta of length 12 \(see pull_back\), got one over "):
        space.push(Quadratic.near(torque=np.zeros(12)), "force")
    with pytest.raises(InputError, match="cost: no block is called 'speed'"):
        space.pull_back(Quadratic.near(speed=[0.0]))
    with pytest.raises(InputError, match="cost: expected torque of length 12, got 2"):
        space.pull_back(Quadratic.near(torque=[0.0, 0.0]))
    with pytest.raises(InputError, match="a cost that was pushed holds on its own set only; add costs in beta"):
        space.push(beta, "acceleration") + Quadratic.near(torque=np.zeros(12))
