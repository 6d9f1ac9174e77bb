"""[Zapolsky2017], section 3.2.3: pseudo-random against quasi-random (Sobol) draws of a state of 24 dimensions.

A pendulum of twelve links swings past a small ball that flies across its way. Nominally they miss; from few of the
starts nearby it strikes. How likely is that, and how many starts must be drawn until it is seen for the first time?

    surefoot reproduce 004-section-3-2-3
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri
from scipy.stats import qmc

import surefoot as sf
from surefoot.report.comparison import Comparison
from surefoot.traces import NoBodyContact, Normal, Scenario
from surefoot.traces.rates import Rate

MODEL = Path(__file__).with_name("pendulum.xml")
METHODS = {"random": "pseudo-random", "sobol": "Sobol"}
SEEDS, SAMPLES = 32, 128
MANY = 2000  # seeds of the linearised pendulum
ANGLE, RATE = 0.45, -3.5  # rad, rad/s of the first hinge at the start; the chain is straight
POSITION, VELOCITY = 0.02, 0.1  # rad, rad/s, standard deviations of all hinges
MEET = 0.1  # s, when the ball crosses the plane of the swing
WHERE = (0.012, 0.0, 0.646)  # m, where it crosses: the tip arrives there 20 ms later
SPEED = 5.0  # m/s, three times that of the tip
RADIUS, MASS = 0.005, 0.005  # m, kg
DURATION, DT = 0.105, 5e-4  # s; in one step the ball flies half its radius
SAME = "about the same"
GRAVITY = np.array([0.0, 0.0, -9.81])  # m/s^2


def reproduce(
    folder: Path, *, quick: bool = False, progress: Callable[[int, int], None] | None = None, seed: int = 0
) -> Comparison:
    """Run the experiment and write the figure into `folder`; `quick`: fewer seeds and samples."""
    seeds, count = (4, 64) if quick else (SEEDS, SAMPLES)
    scenario = swing()
    strikes: dict[str, list[Any]] = {method: [] for method in METHODS}
    for k in range(seeds):
        for method, found in strikes.items():
            found.append(struck(scenario, method, seed + k, count))
            if progress is not None:
                progress(sum(map(len, strikes.values())), seeds * len(METHODS))
    samples = {method: Sampled(np.array(found)) for method, found in strikes.items()}
    rate = float(np.mean([sampled.rate.rate for sampled in samples.values()]))
    many = linearised(slopes(scenario), rate, count, seed)
    figure = _draw(folder / "004-section-3-2-3.png", samples, many)
    return Comparison(_rows(samples, many), _notes(samples, many), figure)


@sf.policy
def limp(t, q, v, torque_out, memory, params):
    """No torque."""
    torque_out[:] = 0.0
    return 0


def swing() -> Scenario:
    """The pendulum and the ball; all positions and velocities of the pendulum are uncertain."""
    flight = np.array([0.0, SPEED, 0.0])
    begin, velocity = WHERE - MEET * flight + 0.5 * MEET**2 * GRAVITY, flight - MEET * GRAVITY  # level when they meet
    scenario = Scenario(
        "pendulum",
        robot=sf.load(MODEL, ground=None),
        policies={"limp": lambda scene, dt: limp},
        duration=DURATION,
        requirements=[NoBodyContact(bodies=("ball",), name="no strike")],
        uncertainty={"start.hinge*": Normal(POSITION), "start.velocity.hinge*": Normal(VELOCITY)},
        terrain=None,
        dt=DT,
        objects=[sf.Ball(radius=RADIUS, mass=MASS, position=tuple(begin))],
    )
    scene = scenario.nominal()
    q, v = scene.home().q.copy(), np.zeros(scene.nv)
    q[0], v[0] = ANGLE, RATE
    v[12:15] = velocity
    return replace(scenario, start=scene.state(q, v))


def struck(scenario: Scenario, method: str, seed: int, count: int) -> NDArray[np.bool_]:
    """(count,) whether the pendulum strikes the ball, sample by sample."""
    results = [scenario.trace("limp", 1 + k, seed, method) for k in range(count)]
    for result in results:
        if result.outcome not in ("success", "known failure"):
            raise sf.SolveError(f"particle {result.particle}: {result.outcome}, {result.message}")
    return np.array([result.outcome == "known failure" for result in results])


def slopes(scenario: Scenario) -> NDArray[np.float64]:
    """(24,) how far in m the tip is ahead when the ball crosses, by one standard deviation of each parameter."""
    model = scenario.nominal().model
    data, rod = mujoco.MjData(model), model.geom("rod12").id

    def ahead(name: str, offset: float) -> float:
        trace = scenario.replay("limp", 0, values={name: offset})
        data.qpos[:] = trace.q[round(MEET / DT)]
        mujoco.mj_kinematics(model, data)
        down = data.geom_xmat[rod].reshape(3, 3)[:, 2]
        return float((data.geom_xpos[rod] + model.geom_size[rod, 1] * down)[0])

    step = 0.1
    sizes = {p.name: POSITION if p.name.startswith("start.hinge") else VELOCITY for p in scenario.parameters()}
    return np.array([(ahead(n, step * sd) - ahead(n, -step * sd)) / (2 * step) for n, sd in sizes.items()])


def linearised(slopes: Any, rate: float, count: int, seed: int) -> dict[str, Sampled]:
    """The same for a tip that is ahead linearly, and strikes from where it does so as often as `rate`; many seeds."""
    weights, limit = slopes / np.linalg.norm(slopes), stats.norm.isf(rate)
    random = np.random.default_rng(seed)
    bits = (2.0**32 * qmc.Sobol(24, scramble=False).random_base2(8)[1 : count + 1]).astype(np.uint64)
    shifts = random.integers(2**32, size=(MANY, 1, 24), dtype=np.uint64)
    drawn = {
        "random": random.standard_normal((MANY, count, 24)),
        "sobol": ndtri(((bits ^ shifts) + 0.5) / 2.0**32),
    }
    return {method: Sampled(z @ weights > limit) for method, z in drawn.items()}


@dataclass(frozen=True)
class Sampled:
    """What one way of drawing found.

    Attributes:
        strikes: (seeds, samples) whether there was a strike.
    """

    strikes: NDArray[np.bool_]

    @property
    def rate(self) -> Rate:
        """Of all samples."""
        return Rate(int(self.strikes.sum()), self.strikes.size)

    @property
    def estimates(self) -> NDArray[np.float64]:
        """(seeds,) likelihood of a strike as each seed sees it."""
        return self.strikes.mean(axis=1)

    @property
    def first(self) -> NDArray[np.int64]:
        """(seeds,) number of the first sample that strikes, one more than there are if none does."""
        return np.where(self.strikes.any(axis=1), self.strikes.argmax(axis=1), self.strikes.shape[1]) + 1

    @property
    def seen(self) -> int:
        """Number of seeds that saw a strike."""
        return int(self.strikes.any(axis=1).sum())

    def mean_first(self) -> tuple[float, float, float]:
        """Samples until the first strike in the mean, and its interval of 95 %.

        Seeds that saw none count with all that they drew; the interval is that of waits without memory.
        """
        drawn, seen = int(np.minimum(self.first, self.strikes.shape[1]).sum()), self.seen
        most, least = 0.5 * stats.chi2.ppf([0.975, 0.025], [2 * seen + 2, 2 * max(seen, 1)])
        return (drawn / seen, drawn / most, drawn / least) if seen else (np.inf, drawn / most, np.inf)


def _rows(samples: dict[str, Sampled], many: dict[str, Sampled]) -> tuple[dict[str, str], ...]:
    def row(what: str, cell: Callable[[Sampled], str], paper: str = "not given", of: Any = samples) -> dict[str, str]:
        return {"of a strike": what} | {METHODS[m]: cell(sampled) for m, sampled in of.items()} | {"the paper": paper}

    def waits(sampled: Sampled) -> str:
        mean, low, high = sampled.mean_first()
        return f"{mean:.0f} ({low:.0f} to {high:.0f})"

    def median(sampled: Sampled) -> str:
        return f"{np.median(sampled.first):.0f}"

    def spread(sampled: Sampled) -> str:
        return f"{100 * sampled.estimates.std(ddof=1):.2f}"

    return (
        row("likelihood, %", _likelihood, SAME),
        row("spread of a seed's likelihood, %", spread),
        row("samples until the first, mean", waits, SAME),
        row("samples until the first, median", median, SAME),
        row("seeds that saw one", lambda s: f"{s.seen} of {len(s.strikes)}"),
        row("linearised: likelihood, %", _likelihood, SAME, many),
        row("linearised: spread of a seed's likelihood, %", spread, of=many),
        row("linearised: samples until the first, mean", waits, SAME, many),
        row("linearised: samples until the first, median", median, SAME, many),
        row("linearised: seeds that saw one", lambda s: f"{s.seen} of {len(s.strikes)}", of=many),
    )


def _likelihood(sampled: Sampled) -> str:
    rate = sampled.rate
    return f"{100 * rate.rate:.2f} ({100 * rate.low:.2f} to {100 * rate.high:.2f})"


def _notes(samples: dict[str, Sampled], many: dict[str, Sampled]) -> tuple[str, ...]:
    seeds, n = samples["random"].strikes.shape
    return (
        f"{seeds} seeds of {n} samples each way; intervals of 95 %.",
        f"Traces: {_compared(samples)}",
        f"Linearised, such draws without traces, {MANY} seeds: {_compared(many)}",
        "Both ways are right in the mean, for every point of a shifted Sobol sequence is as random as any: what "
        "likelihoods differ by is the luck of the seeds. Its points keep apart from one another, though, and so come "
        "upon a strike a little sooner.",
        "Waits are compared with seeds that saw no strike put last. The intervals in the table are those of "
        "independent samples (Wilson's; waits without memory), which Sobol's are not quite.",
        f"The pendulum: twelve hinges about y and x in turns, 3 cm apart, straight at {ANGLE:g} rad and "
        f"{RATE:g} rad/s; standard deviations {POSITION:g} rad and {VELOCITY:g} rad/s. "
        f"The ball: radius {1e3 * RADIUS:g} mm, {SPEED:g} m/s. "
        "The paper gives no numbers but the 24 dimensions; its Sobol sequence has no seed, ours is shifted by it.",
    )


def _compared(samples: dict[str, Sampled]) -> str:
    """Both ways side by side, in words."""
    one, other = samples.values()
    difference = stats.ttest_ind(one.estimates, other.estimates, equal_var=False)
    low, high = 100 * np.array(difference.confidence_interval(0.95))
    waits = stats.mannwhitneyu(one.first, other.first).pvalue
    with np.errstate(invalid="ignore"):  # few seeds may have no spread at all, and p is then not a number
        spread = stats.levene(one.estimates, other.estimates).pvalue
    rate, n = np.mean([one.rate.rate, other.rate.rate]), one.strikes.shape[1]
    return (
        f"likelihood, pseudo-random less Sobol, {100 * (one.rate.rate - other.rate.rate):.2f} % "
        f"({low:.2f} to {high:.2f} %; Welch, p = {difference.pvalue:.2g}): {_word(difference.pvalue)}. "
        f"Samples until the first: {_word(waits)} (Mann-Whitney, p = {waits:.2g}). "
        f"Spread over the seeds: {_word(spread)} (Levene, p = {spread:.2g}); "
        f"independent samples would spread by {100 * np.sqrt(rate * (1 - rate) / n):.2f} %."
    )


def _word(p: float) -> str:
    return "the same, as far as this can tell" if not p < 0.05 else "not the same"


def _draw(path: Path, samples: dict[str, Sampled], many: dict[str, Sampled]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for method, colour in zip(samples, ("black", "tab:orange"), strict=True):
        sampled, name = samples[method], METHODS[method]
        n = 1 + np.arange(sampled.strikes.shape[1])
        running = 100 * np.cumsum(sampled.strikes, axis=1) / n
        left.fill_between(n, *np.percentile(running, [10, 90], axis=0), color=colour, alpha=0.15, linewidth=0)
        left.plot(n, running.mean(axis=0), color=colour, label=name)
        for of, style, label in ((samples, "-", name), (many, "--", f"{name}, linearised, {MANY} seeds")):
            right.step(n, _seen_by(of[method], n), style, where="post", color=colour, label=label)
    left.set(
        xlabel="samples", ylabel="%", title="Likelihood of a strike: mean of the seeds, 8 of 10 of them", ylim=(0, 6)
    )
    right.set(xlabel="samples", ylabel="%", title="Seeds that have seen a strike", ylim=(0, 102))
    left.legend()
    right.legend(loc="lower right")
    figure.savefig(path, dpi=110)
    return path


def _seen_by(sampled: Sampled, n: Any) -> Any:
    """Share of the seeds in % that have seen a strike by sample n."""
    return 100 * np.mean(sampled.first[:, None] <= n, axis=0)
