"""Newton's step of the convex route: after it the slip is the one assumed, while rows and edges stay."""

import numpy as np
import pytest

from surefoot.kernels.convex_route import _impulses, _rows, _shift_rows, make_convex
from surefoot.kernels.plant import CONE
from surefoot.kernels.principal_pivoting import principal_pivoting
from surefoot.kernels.slip_step import follow_slip, read_slip, read_tangents
from surefoot.kernels.status import SOLVED
from tests.kernels.door import door
from tests.kernels.problems import point_mass, ready
from tests.kernels.problems import velocity as contact_velocity


class Route:
    """One problem on the convex route, step by step."""

    def __init__(self, problem):
        self.problem, self.n = problem, len(problem.kind)
        self.p, self.s = ready(problem)
        self.work = make_convex(self.n, 4, problem.W.shape[1])
        self.count = door(_rows)(self.p, self.work)
        door(read_tangents)(self.p, self.work.slips)

    def solve(self, s):
        """The convex problem for slips s; returns how far they are from those found."""
        work, nu = self.work, self.p.nu
        work.shift[:] = s
        door(_shift_rows)(self.count, work)
        rows = work.rows[: self.count * nu].reshape(self.count, nu)
        result = door(principal_pivoting)(
            rows, work.b[: self.count], work.basis, 0, False, work.options, work.work, work.u, work.x[: self.count],
            work.certificate[: self.count],
        )  # fmt: skip
        assert result.status == SOLVED
        self.basic = result.basic
        return door(read_slip)(self.p, work)

    def step(self, newton=True):
        """The slips that the step leads to."""
        door(follow_slip)(self.p, self.count, self.basic, newton, self.work)
        door(read_slip)(self.p, self.work)
        return self.work.slip.copy()

    def impulses(self):
        f = np.zeros(3 * self.n)
        door(_impulses)(self.p, self.work, f)
        return f


def random_route(seed, contacts=3, nu=6):
    rng = np.random.default_rng(seed)
    problem = point_mass([0.0, 0.0, -1.0], copies=contacts)
    W = rng.normal(size=(3 * contacts, nu))
    W[:, 0] = np.tile([1.0, 0.0, 0.0], contacts)  # along the first velocity all open and none slips
    c0 = rng.normal(size=3 * contacts)
    c0[::3] = -np.abs(c0[::3])
    return Route(problem._replace(W=W, c0=c0, kind=np.full(contacts, CONE), mu=rng.uniform(0.1, 0.8, contacts)))


def test_a_sliding_mass_is_there_after_one_step():
    route = Route(point_mass([1.0, 0.0, -0.1]))
    assert route.solve(0.0) > 0.1
    s = route.step()
    assert route.solve(s) <= 1e-15
    slip = contact_velocity(route.problem, route.impulses())[0]
    assert slip[0] == pytest.approx(0.0, abs=1e-15)  # it does not hop
    assert np.abs(slip[1:]).max() > 0.0


def test_newtons_steps_reach_the_slip_in_few_rounds():
    rounds = []
    for seed in range(60):
        route, s = random_route(seed), np.zeros(3)
        for k in range(25):
            moved = route.solve(s)
            if moved <= 1e-12 * route.p.scale:
                rounds.append(k)
                break
            s = route.step(newton=k % 3 != 2)
    print(f"{len(rounds)} of 60 reached, after {np.mean(rounds):.1f} rounds, {max(rounds)} at most")
    assert len(rounds) >= 55
    assert np.median(rounds) <= 4


@pytest.mark.parametrize("newton", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_a_step_stays_finite(seed, newton):
    route = random_route(seed, contacts=4, nu=3)  # dependent rows
    route.solve(0.0)
    assert np.isfinite(route.step(newton)).all()


def test_contacts_that_rest_do_not_move():
    route = Route(point_mass([0.0, 0.0, -1.0]))
    assert route.solve(0.0) == pytest.approx(0.0, abs=1e-15)
    assert route.step() == pytest.approx([0.0], abs=1e-15)
