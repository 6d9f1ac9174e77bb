"""Two stiffnesses of one stance, tried on 64 robots that are not quite as modelled and get a shove.

Every policy meets the same robots. The last lines look at one of them again: the same bits as in the run.
"""

import surefoot as sf
from surefoot.traces.policies import Stand

scenario = sf.Scenario(
    "shove",
    robot="links-light",
    terrain=sf.Plane(mu=0.8),
    policies={"soft": Stand(kp=5.0, kd=0.1), "stiff": Stand(kp=15.0, kd=0.15)},
    duration=0.8,
    pushes=[sf.Push(force=(0.0, 30.0, 0.0), time=0.2, duration=0.1)],
    requirements=[sf.traces.Upright(limit=0.8), sf.traces.NoBodyContact()],
    uncertainty={
        "push.0.force.1": sf.Uniform(15.0, 45.0),  # N
        "robot.*.length": sf.Normal(0.0025),  # m
        "ground.mu": sf.Uniform(0.4, 1.0),
        "encoder.*": sf.Jitter(0.003),  # rad, at every control step
    },
)

if __name__ == "__main__":  # other processes read this file too
    run = sf.falsify(scenario, particles=64)
    for finding in run.findings():
        print(f"{finding.policy}: {finding.verdict}")
    for sentence in sf.traces.comparisons(run.findings()):
        print(sentence)
    worst = min(run.particles.to_pylist(), key=lambda row: row["time"])
    again = run.replay(worst["policy"], worst["particle"])
    print(f"{worst['policy']}, particle {worst['particle']}: {worst['requirement']} violated at {worst['time']:.3f} s")
    print(f"once more: {len(again)} steps until then, the last at {again.t[-1]:.3f} s")
