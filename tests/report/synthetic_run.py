"""A run that nobody simulated: four step heights over a curb, with outcomes, events and telemetry that look real."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot.traces.result import Result
from surefoot.traces.run_folder import RunFolder

HOSTILE = "<script>alert(1)</script>"
DURATION, DT, CURB = 3.0, 0.02, 0.03
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
STEPS = {"step 1 cm": 0.01, "step 2 cm": 0.02, "step 3 cm": 0.03, "step 4 cm": 0.04}
DECIDES = "ground.height"


def parameter_names() -> list[str]:
    """40 names, as a scenario has them."""
    legs = ("lf", "rf", "lh", "rh")
    sizes = [
        f"robot.{leg}.{solid}.{what}"
        for leg in legs
        for solid in ("thigh", "shank", "foot")
        for what in ("length", "density")
    ]
    senses = [f"encoder.{leg.upper()}_Y{k}.bias" for leg in legs for k in (1, 2, 3)]
    return [DECIDES, "ground.mu", "lag", "law", *sizes, *senses]


@dataclass(frozen=True)
class Synthetic:
    """A fake scenario; `results` are what the engine would have found."""

    name: str = "curb"
    policies: tuple[str, ...] = tuple(STEPS)
    heights: tuple[float, ...] = tuple(STEPS.values())
    parameters: tuple[str, ...] = tuple(parameter_names())
    particles: int = 128
    seed: int = 0

    def header(self) -> dict[str, Any]:
        """What `run.json` says of it."""
        distributions = [
            {"choice": ["coulomb", "soft"]} if name == "law" else {"normal": 0.01} for name in self.parameters
        ]
        return {
            "scenario": self.name,
            "title": "Step over a curb of 3 cm",
            "policies": list(self.policies),
            "parameters": [
                {"name": name, "distribution": table, "nominal": "coulomb" if name == "law" else 1.0}
                for name, table in zip(self.parameters, distributions, strict=True)
            ],
            "duration": DURATION,
            "base_q": 0,
        }

    def results(self) -> list[Result]:
        """Every trace, policies outside, particles inside."""
        return [
            self.one(policy, height, particle)
            for policy, height in zip(self.policies, self.heights, strict=True)
            for particle in range(self.particles)
        ]

    def one(self, policy: str, height: float, particle: int) -> Result:
        """One trace: the curb stands higher or lower than the step, and noise does the rest."""
        draw = np.random.default_rng([self.seed, particle])
        z = draw.standard_normal(len(self.parameters)) * (particle > 0)
        clearance = height - CURB + 0.001 - 0.006 * z[0] + 0.002 * z[4]
        noise = np.random.default_rng([self.seed, particle, round(1e4 * height)])
        roll = 0.35 - abs(0.06 * noise.standard_normal()) - (0.3 * noise.uniform() if clearance < 0 else 0.0)
        outcome, requirement, time, message = "success", "", DURATION, ""
        if particle == 77 and policy == self.policies[0]:
            outcome, time, message = "broken", 0.84, "the contact law has no solution at 0.84 s; try a smaller dt"
        elif clearance < 0 and noise.uniform() < 0.75:
            outcome, requirement, time = "known failure", "foot does not strike", 1.2 + 0.3 * noise.uniform()
        elif roll < 0.15:
            outcome, requirement, time = "known failure", "upright", 1.5 + 0.9 * noise.uniform()
        elif clearance < 0:
            outcome, requirement = "unknown failure", "beyond the curb"
        telemetry = self._telemetry(time, clearance, roll, outcome, noise)
        final = {name: float(telemetry[f"q{k}"][-1]) for k, name in enumerate("xyz")}
        final |= {"roll": 0.05 * noise.standard_normal(), "pitch": 0.0, "yaw": float(telemetry["yaw"][-1])}
        del telemetry["yaw"]
        values = {name: 1.0 + 0.01 * z[k] for k, name in enumerate(self.parameters)}
        if "law" in values:
            values["law"] = "soft" if z[3] > 0 else "coulomb"
        margins = {"foot does not strike": clearance, "upright": roll, "beyond the curb": final["x"] - 0.6}
        return Result(
            policy=policy,
            particle=particle,
            outcome=outcome,
            requirement=requirement,
            time=time,
            message=message,
            values=values,
            margins=margins,
            final=final,
            seconds=0.05,
            events=self._events(time, clearance, requirement, noise),
            telemetry=telemetry,
        )

    def _telemetry(self, time, clearance, roll, outcome, noise):
        t = np.arange(0.0, time + 1e-9, DT)
        turn = 0.05 * noise.standard_normal() + (0.25 * noise.standard_normal() if clearance < 0 else 0.0)
        yaw = turn * np.clip(t - 0.9, 0.0, None) ** 2 + 0.01 * np.sin(9 * t)
        speed = np.where((t > 1.2) & (clearance < 0), 0.08, 0.4)
        columns = {"t": t, "q0": np.cumsum(speed) * DT, "q1": np.cumsum(speed * np.sin(yaw)) * DT}
        columns["q2"] = 0.16 + 0.004 * np.sin(18 * t) - (0.05 * np.clip(t - 1.5, 0, 1) if outcome != "success" else 0.0)
        columns |= {"q3": np.cos(yaw / 2), "q4": 0.0 * t, "q5": 0.0 * t, "q6": np.sin(yaw / 2)}
        columns |= {f"v{k}": 0.1 * noise.standard_normal(len(t)) for k in range(6)}
        columns |= {f"force {foot}": 10.0 * (np.sin(9 * t + k) > 0) for k, foot in enumerate(FEET)}
        columns["witness foot does not strike"] = clearance + 0.02 * np.abs(t - time)
        columns["witness upright"] = roll + 0.1 * np.abs(np.sin(3 * (t - time)))
        columns["yaw"] = yaw
        return columns

    def _events(self, time, clearance, requirement, noise):
        t, kind, feature = [], [], []
        for k, at in enumerate(np.arange(0.15, time, 0.15)):
            for foot in (FEET[0], FEET[3]) if k % 2 else (FEET[1], FEET[2]):
                t += [at, at + 0.07]
                kind += ["touchdown", "liftoff"]
                feature += [f"{foot}/ground"] * 2
            if clearance < 0 and 1.2 <= at < 1.35 and requirement != "upright":
                t, kind, feature = [*t, at + 0.08], [*kind, "strike"], [*feature, "LF_FOOT/curb side"]
            if clearance < 0.002 and 1.5 <= at < 1.65:
                t, kind, feature = [*t, at + 0.09], [*kind, "touchdown"], [*feature, "RF_FOOT/curb top"]
        keep = [k for k, at in enumerate(t) if at <= time]
        return {
            "t": np.array(t)[keep],
            "kind": [kind[k] for k in keep],
            "feature": [feature[k] for k in keep],
        }


def hostile() -> Synthetic:
    """The same, named by somebody with bad manners."""
    names = [
        'robot."thigh".length',
        "robot.'shank'.mass",
        "a & b < c",
        "$x_1^2$",
        "</style><script>alert(2)</script>",
    ]
    return Synthetic(
        name=HOSTILE,
        policies=(HOSTILE, 'quoted "policy"'),
        heights=(0.03, 0.04),
        parameters=tuple(names),
        particles=24,
    )


def fill(path, scenario, keep=lambda result: True, bare=False, **changes):
    """A run folder with what `keep` lets through; bare: outcomes alone; `changes` are made in its header."""
    results = [result for result in scenario.results() if keep(result)]
    if bare:
        results = [Result(result.policy, result.particle, result.outcome) for result in results]
    own = {"particles": scenario.particles, "seed": scenario.seed, "method": "random"}
    with RunFolder.create(path, {**scenario.header(), **own}) as folder:
        folder.append(results)
        folder.update(**changes)
        folder.compact()
    return RunFolder.open(path)
