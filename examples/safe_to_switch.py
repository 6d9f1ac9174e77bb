"""A robot in mid-walk asks a few particles, within a budget of time, when to change to a fast trot."""

from dataclasses import replace

import surefoot as sf

NOW = 0.9  # s: three periods of the walk are over

scenario = sf.traces.load_scenario("transition")  # changes over at four moments of the period after 1 s
ahead = replace(scenario, duration=2.4)  # s to look ahead

# Where the robot is now: here from a simulation of one that is not as modelled, else from its sensors.
walked = scenario.replay("0 %", particle=7)
step = round(NOW / scenario.dt)
state = sf.State(walked.q[step], walked.v[step], NOW)

sf.safe_to_switch(ahead, state, particles=1, least=1)  # once before time counts: what it builds is kept
decision = sf.safe_to_switch(ahead, state, particles=16, budget=600.0)
for moment, rate in decision.rates.items():
    print(f"change at {moment:>4}: {rate.successes} of {rate.n} particles stay upright")
print(f"Best at {decision.best}; {'safe' if decision else 'not safe'}.")

hasty = sf.safe_to_switch(ahead, state, particles=16, budget=0.05)
print(f"In a hurry: best at {hasty.best}, {'safe' if hasty else 'too few particles to call it safe'}.")
