"""Measure what docs/choose_a_law.md says of every law, and put it there.

    python docs/laws/measure.py            # print both tables; about two minutes once all is compiled
    python docs/laws/measure.py --write    # and put them into the page

Times are of the machine that ran it; everything else is the same on every machine to the digits shown.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from cases import CASES
from tasks import TASKS, run_task

import surefoot as sf
from surefoot.laws import Law

DT = 1e-3
PAGE = Path(__file__).parents[1] / "choose_a_law.md"
LAWS = {
    "`Coulomb()`": sf.Coulomb(),
    "`Coulomb(smooth=True)`": sf.Coulomb(smooth=True),
    "`NoSlip(smooth=True)`": sf.NoSlip(smooth=True),
    "`NoSlip(release=False)`": sf.NoSlip(release=False),
    "`Dissipative()`": sf.Dissipative(),
    '`Dissipative(form="energy")`': sf.Dissipative(form="energy"),
    "`Compliant(2e4, 100)`": sf.Compliant(2e4, 100.0),
    "`Soft()`": sf.Soft(),
}
USES = dict(
    zip(
        LAWS,
        (
            "simulation; questions about one step",
            "control of legs on any ground",
            "stances planned not to slip",
            "the same with one motion only",
            "control with many contacts; grasps",
            "comparison with the literature",
            "soft ground and pads; demands that contradict",
            "recorded motions; learning, estimation",
        ),
        strict=True,
    )
)
METHODS = {
    "no slip: `NoSlip(smooth=True)`": lambda mu: sf.NoSlip(smooth=True),
    "Coulomb: `Coulomb(smooth=True)`": lambda mu: sf.Coulomb(mu=mu, smooth=True),
    "dissipative: `Dissipative()`": lambda mu: sf.Dissipative(mu=mu),
}
# Zapolsky2015, table 6: no slip without and with an impact model, Coulomb, the two-stage dissipative method
THEIRS = {
    "two-footed gait, high friction": ("pass, best", "pass", "pass", "pass"),
    "two-footed gait, low friction": ("falls", "falls", "pass, best", "pass"),
    "four-footed gait, high friction": ("pass", "pass, best", "chatters", "pass"),
    "four-footed gait, low friction": ("falls", "falls", "chatters", "pass, best"),
    "grasp, high friction": ("pass", "pass, best", "chatters", "pass"),
    "grasp, low friction": ("falls", "falls", "chatters", "pass, best"),
}


def resting(robot: sf.Scene, law: Law) -> sf.State:
    """Where the robot comes to rest under a law: soft ones sink in."""
    state = robot.home()
    home = state.q[robot.joint_positions]
    stand = sf.inverse_dynamics(robot, state, np.zeros(12), dt=DT).torque

    def springs(state: sf.State) -> np.ndarray:
        return stand + 20.0 * (home - state.q[robot.joint_positions]) - 0.06 * state.v[robot.dofs]

    if law.name not in ("compliant", "soft"):
        return state
    return sf.Simulator(robot, DT, law=law).rollout(state, springs, duration=1.0).state()


def calls(robot: sf.Scene, law: Law, count: int = 4000) -> str:
    """Time of a call in a control loop, state in, torque out, four feet on the ground: p50 and p99 in us."""
    controller, rng = sf.InverseDynamics(robot, DT, law), np.random.default_rng(0)
    state = resting(robot, law)
    J = sf.inverse_dynamics(robot, state, np.zeros(12), dt=DT, law=law).contacts.J
    base = rng.standard_normal((count + 100, 6))  # m/s^2, rad/s^2: the feet keep still while the base moves
    demands = np.zeros((count + 100, 12))
    for i, foot in enumerate(J):
        demands[:, 3 * i : 3 * i + 3] = -base @ np.linalg.solve(foot[:, robot.dofs[3 * i : 3 * i + 3]], foot[:, :6]).T
    times = np.zeros(count + 100)
    for k, demand in enumerate(demands):
        began = time.perf_counter()
        controller(state, demand, throw=True)
        times[k] = time.perf_counter() - began
    assert len(controller.answer().contacts) == 4
    p50, p99 = np.percentile(1e6 * times[100:], [50, 99])
    return f"{p50:.0f}, {p99:.0f}"


def round_trip(robot: sf.Scene, law: Law, count: int = 200) -> str:
    """Forward, inverse, forward again from random states: largest difference of velocities, and how many differ."""
    rng, worst, others = np.random.default_rng(1), 0.0, 0
    rest = resting(robot, law)
    for _ in range(count):
        v = np.concatenate([0.1 * rng.standard_normal(6), 0.5 * rng.standard_normal(12)])
        state = robot.state(rest.q, v)
        torque = rng.choice([0.1, 0.5, 2.0]) * rng.standard_normal(12)
        forward = sf.forward_dynamics(robot, state, torque, dt=DT, law=law)
        inverse = sf.inverse_dynamics(robot, state, forward.acceleration[robot.dofs], dt=DT, law=law, throw=False)
        if not inverse.ok:
            others += 1
            continue
        again = sf.forward_dynamics(robot, state, inverse.torque, dt=DT, law=law)
        off = np.abs(again.velocity - forward.velocity).max()
        others += off > 1e-9
        worst = max(worst, off)
    return f"{count} of {count}" if others == 0 else f"{count - others} of {count}, worst {worst:.0e}"


def first_table() -> str:
    """What each law does: a column a law, a row a property."""
    robot = sf.load("links")
    rows = {
        "use it for": USES,
        "time of a call: p50, p99, us": {name: calls(robot, law) for name, law in LAWS.items()},
        "forward, inverse, forward: same velocities within 1e-9": {
            name: round_trip(robot, law) for name, law in LAWS.items()
        },
    }
    for title, case in CASES.items():
        rows[title] = {name: case(law, resting(robot, law)) for name, law in LAWS.items()}
    lines = ["| | " + " | ".join(LAWS) + " |", "|---" * (len(LAWS) + 1) + "|"]
    lines += [f"| {title} | " + " | ".join(cells.values()) + " |" for title, cells in rows.items()]
    return "\n".join(lines) + "\n"


def second_table() -> str:
    """Tasks of [Zapolsky2015], table 6: theirs beside ours."""
    heads = [*METHODS, "theirs: no slip", "no slip, impact", "Coulomb", "dissipative"]
    lines = ["| task | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for title, (task, mu) in TASKS.items():
        ours = [run_task(task, mu, law(mu)) for law in METHODS.values()]
        lines.append(f"| {title} | " + " | ".join([*ours, *THEIRS[title]]) + " |")
    return "\n".join(lines) + "\n"


def put(page: str, name: str, table: str) -> str:
    """A page with the part between the two marks of this name replaced."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    head, rest = page.split(begin)
    return head + begin + table + end + rest.split(end)[1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure every law.")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/choose_a_law.md")
    write = parser.parse_args().write
    for name, table in (("laws", first_table), ("tasks", second_table)):
        text = table()
        print(text)
        if write:
            PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), name, text), encoding="utf-8")
