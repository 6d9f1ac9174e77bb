"""Which form of the dissipative law predicts the ground's forces on a walking robot?

    python examples/dissipative_forms.py -o forms.png

A quadruped trots on ground that obeys Coulomb's law, driven by springs and dampers at its joints: no law has a part in
its control. In every step each form is told the state and the accelerations of the joints, which a controller would
know, and predicts what every foot feels. What is printed leaves out the first period, in which the gait grows.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import surefoot as sf

DT, PERIOD, PERIODS, MU = 1e-3, 0.4, 4, 0.5
FORMS = {
    "Coulomb": sf.Coulomb(smooth=True),
    "slip": sf.Dissipative(),
    "slip, no offset": sf.Dissipative(offset=False),
    "energy": sf.Dissipative(form="energy"),
}
COLOURS = dict(zip(FORMS, ("#3f9a57", "#2f6db5", "#d9772b", "#b33c4a"), strict=True))

robot = sf.scene(sf.load("links"), terrain=sf.Plane(mu=MU))
start = robot.home()
home = start.q[robot.joint_positions]
feet = [f"{foot.name} on ground" for foot in robot.feet]
stand = sf.inverse_dynamics(robot, start, np.zeros(12), dt=DT).torque
bend = np.sign(home) * np.tile([0.0, 0.5, 1.0], 4)  # hip and knee that draw up a foot
swing = np.kron([-1.0, 1.0, -1.0, 1.0], [0.0, 1.0, 0.0])  # left and right hips turn in opposite senses
offsets = np.repeat([0.0, np.pi, np.pi, 0.0], 3)  # feet on a diagonal move together


def gait(t):
    """Joint angles of the trot."""
    phase = 2 * np.pi * t / PERIOD + offsets
    up = np.maximum(np.sin(phase), 0.0) ** 2
    return home + min(t / PERIOD, 1.0) * (0.4 * up * bend - 0.1 * np.cos(phase) * swing)


def springs(state):
    """Torques that follow the gait."""
    rate = (gait(state.t + 1e-5) - gait(state.t - 1e-5)) / 2e-5
    behind = gait(state.t) - state.q[robot.joint_positions]
    return stand + 20.0 * behind + 0.06 * (rate - state.v[robot.dofs])


def on_feet(answer):
    """(4, 3) N on each foot in world axes."""
    total = np.zeros((4, 3))
    for name, force, frame in zip(answer.contacts.names, answer.forces, answer.contacts.frames, strict=True):
        total[feet.index(name)] += force @ frame
    return total


def measure():
    """Returns times (n,), when the left front foot slips (n,), and forces (n, 4, 3), true and predicted, by name."""
    trace = sf.Simulator(robot, dt=DT).rollout(start, springs, duration=PERIODS * PERIOD)
    controllers = {name: sf.InverseDynamics(robot, DT, law) for name, law in FORMS.items()}
    forces = {name: np.zeros((len(trace), 4, 3)) for name in ("true", *FORMS)}
    slips = np.zeros((len(trace), 4), dtype=bool)
    for k in range(len(trace)):
        truth = trace.replay(k)
        forces["true"][k] = on_feet(truth)
        for name in np.array(truth.contacts.names)[truth.slipping]:
            slips[k, feet.index(name)] = True
        for name, controller in controllers.items():
            controller(truth.state, truth.acceleration[robot.dofs], throw=True)
            forces[name][k] = on_feet(controller.answer())
    first = round(PERIOD / DT)
    share = 100 * slips[first:].any(axis=1).mean()
    print(f"{trace.message}; {trace.q[-1, 0]:.2f} m forward; a foot slips in {share:.0f} % of them")
    return trace.t[first:-1], slips[first:, 0], {name: f[first:] for name, f in forces.items()}


def errors(forces):
    """RMS error per foot, normal and friction, and median and 95th percentile of the error of their sum, all in N."""
    table = {}
    for name in FORMS:
        miss = forces[name] - forces["true"]
        total = np.linalg.norm(miss.sum(axis=1), axis=1)
        normal, friction = np.sqrt((miss[..., 2] ** 2).mean()), np.sqrt((miss[..., :2] ** 2).sum(axis=2).mean())
        table[name] = (normal, friction, np.median(total), np.percentile(total, 95))
    return table


def draw(t, slips, forces, table):
    """Time series of one foot beside the errors of all."""
    figure = Figure(figsize=(10, 7.5), layout="constrained")
    grid = figure.add_gridspec(len(FORMS), 2, width_ratios=[2.6, 1])
    panels = [figure.add_subplot(grid[i, 0]) for i in range(len(FORMS))]
    for panel, name in zip(panels, FORMS, strict=True):
        whole = panel.get_xaxis_transform()
        panel.fill_between(t, 0, 1, where=slips, transform=whole, color="0.9", lw=0, label="this foot slips")
        panel.plot(t, forces["true"][:, 0, 2], color="black", lw=1.0, label="true", zorder=3)
        panel.plot(t, forces[name][:, 0, 2], color=COLOURS[name], lw=1.4, label="predicted")
        panel.set_title(f"Left front foot, {name}", loc="left", fontsize=10, color=COLOURS[name])
        panel.set(ylabel="normal force, N", xlim=(t[0], t[-1]))
        panel.set_ylim(bottom=0)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelbottom=panel is panels[-1])
    panels[-1].set_xlabel("time, s")
    handles, labels = panels[0].get_legend_handles_labels()
    labels[-1] = "predicted (in the colour of the form)"
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    bars = figure.add_subplot(grid[:, 1])
    places = np.arange(len(FORMS))[::-1]
    for shift, column, what, alpha in ((0.2, 0, "normal", 1.0), (-0.2, 1, "friction", 0.5)):
        values = [table[name][column] for name in FORMS]
        drawn = bars.barh(places + shift, values, 0.38, color=list(COLOURS.values()), alpha=alpha)
        labels = bars.bar_label(drawn, [f"{value:.1f} {what}" for value in values], padding=3, fontsize=8)
        for label in labels:
            label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})
    bars.set_yticks(places, [name.replace(", ", ",\n") for name in FORMS])
    bars.axvline(robot.mass * 9.81, color="0.5", lw=0.8, ls="--", zorder=0)
    bars.text(robot.mass * 9.81, -0.5, " the robot's weight", color="0.4", fontsize=8)
    bars.set(xscale="log", xlim=(1, 2000), xlabel="RMS error per foot, N")
    bars.set_title("All feet", loc="left", fontsize=10)
    bars.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"Ground forces on a trotting quadruped, predicted by inverse dynamics (friction {MU})")
    return figure


parser = argparse.ArgumentParser(description="Predict the ground's forces on a trotting robot under every form.")
parser.add_argument("-o", "--output", default="forms.png", help="where to draw")
target = parser.parse_args().output
t, slips, forces = measure()
table = errors(forces)
print(f"{'N':<17}{'RMS normal':>12}{'RMS friction':>14}{'sum, median':>13}{'sum, 95 %':>11}")
for name, row in table.items():
    print("{:<17}{:>12.1f}{:>14.1f}{:>13.1f}{:>11.1f}".format(name, *row))
draw(t, slips, forces, table).savefig(target, dpi=110)
print("figure:", target)
