import hashlib
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

import surefoot as sf
from surefoot.traces import run_json
from surefoot.traces.distributions import Choice, Jitter, Normal, Uniform
from surefoot.traces.disturbances import Fault, Push
from surefoot.traces.requirements import FeetBeyond, Upright, Workspace
from surefoot.traces.result import KNOWN, SUCCESS, UNKNOWN
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.scenario import Scenario
from surefoot.traces.scenario_file import of_run
from surefoot.traces.witness import witness
from tests.traces import small

UNCERTAIN = {
    "robot.*.length": Normal(0.0025),
    "ground.mu": Uniform(0.2, 0.8),
    "law": Choice("coulomb", "no-slip"),
    "start.velocity.y": Normal(0.2),
    "encoder.*": Jitter(0.003, low=-0.01, high=0.01),
    "motor.*.strength": Normal(0.05, factor=True),
    "lag.torque": Uniform(0.0, 0.001),
    "push.0.force.1": Normal(3.0),
    "push.0.time": Uniform(0.02, 0.06),
}
"""Some of everything."""


def compiled(scene, dt):
    """Springs and dampers in the compiled loop."""
    return small.hold(scene, 10.0, 0.05)


def in_python(scene, dt):
    """The same law in Python."""
    home = scene.home().q[7:]
    return lambda state: 10.0 * (home - state.q[7:]) - 0.05 * state.v[6:]


def limp(scene, dt):
    """No torque."""
    return small.idle


@witness
def high(t, q, v, torque, params):
    """Above params[0] m."""
    return q[2] - params[0]


def scenario(**changes):
    known = {
        "name": "stand",
        "robot": "links-light",
        "policies": {"compiled": compiled, "python": in_python, "limp": limp},
        "duration": 0.12,
        "requirements": [Upright(), high.bind([0.1])],
        "objective": [Workspace((-1, -1, 0), (1, 1, 1))],
        "uncertainty": UNCERTAIN,
        "pushes": [Push((0.0, 4.0, 0.0), 0.03, 0.05)],
        "telemetry_dt": 0.01,
    }
    return Scenario(**(known | changes))


def plain(**changes):
    """Without anything uncertain."""
    return scenario(**({"uncertainty": {}, "pushes": (), "duration": 0.02} | changes))


@pytest.fixture(scope="module")
def study():
    return scenario()


def digest(result):
    """All bits of a result but its wall time."""
    total = hashlib.sha256()
    for part in (result.policy, int(result.particle), result.outcome, result.requirement, result.time, result.message):
        total.update(repr(part).encode())
    for table in (result.values, result.margins, result.final, result.events, result.telemetry):
        for name, column in table.items():
            total.update(name.encode())
            total.update(column.tobytes() if isinstance(column, np.ndarray) else repr(column).encode())
    return total.hexdigest()


def digests(study):
    return [digest(study.trace(policy, particle, 3)) for particle in (0, 1, 2) for policy in ("compiled", "python")]


def test_the_same_bits_twice_pickled_and_in_another_process(study):
    first = digests(study)
    assert len(set(first)) == len(first)
    assert digests(study) == first
    again = pickle.loads(pickle.dumps(study))
    assert digests(again) == first
    code = "import pickle, sys; from tests.traces.test_scenario import digests\n"
    code += "print(*digests(pickle.loads(bytes.fromhex(sys.argv[1]))))"
    text = pickle.dumps(study).hex()
    child = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=False, timeout=300)
    assert (child.returncode, child.stdout.split()) == (0, first), child.stderr


def test_one_particle_does_not_know_of_another(study):
    """Whatever ran before, also one that broke or was pushed."""
    alone = digest(scenario().trace("compiled", 5))
    study.trace("limp", 5)
    study.trace("compiled", 9, values={"push.0.force.0": 500.0})
    study.trace("python", 5)
    assert digest(study.trace("compiled", 5)) == alone
    stuck = replace(study, faults=[Fault("stuck", "*", 0.0)], uncertainty={})
    stuck.trace("compiled", 0)
    limp_alone = digest(replace(study, faults=[Fault("stuck", "*", 0.0)], uncertainty={}).trace("limp", 0))
    assert digest(stuck.trace("limp", 0)) == limp_alone


def test_policies_meet_the_same_particles(study):
    for particle in (1, 2):
        first, second = study.trace("compiled", particle), study.trace("limp", particle)
        assert first.values == second.values
        assert first.telemetry["v1"][0] == second.telemetry["v1"][0] != 0.0


@pytest.mark.parametrize("particle", [0, 1, 4])
def test_a_law_in_python_and_compiled_gives_the_same_trace(study, particle):
    first, second = study.trace("compiled", particle, 1), study.trace("python", particle, 1)
    for name, column in first.telemetry.items():
        assert column == pytest.approx(second.telemetry[name], abs=1e-9), name
    assert (first.outcome, first.events) == (second.outcome, second.events)


def test_a_replay_is_the_same_trace_with_every_step(study):
    result, trace = study.trace("compiled", 2), study.replay("compiled", 2)
    assert len(trace) == 120
    assert trace.q[::10, 1].tobytes() == result.telemetry["q1"].tobytes()
    limp = study.trace("limp", 2)
    assert limp.outcome == KNOWN
    short = study.replay("limp", 2)
    assert len(short) * study.dt == pytest.approx(np.ceil(limp.time / study.dt) * study.dt)


def test_particle_0_is_nominal(study):
    result = study.trace("compiled", 0)
    assert result.values["law"] == "coulomb"
    assert result.values["ground.mu"] == study.known["ground.mu"]
    quiet = {name: value for name, value in UNCERTAIN.items() if not isinstance(value, Jitter)}
    noiseless = replace(study, uncertainty=quiet).trace("compiled", 0)
    assert digest(noiseless) == digest(result)  # no noise
    bare = replace(study, uncertainty={}).trace("compiled", 0)
    assert bare.telemetry["q1"].tobytes() == result.telemetry["q1"].tobytes()
    noisy, still = (replace(study, uncertainty=u).trace("compiled", 1) for u in (UNCERTAIN, quiet))
    assert noisy.values == still.values
    assert noisy.telemetry["q1"].tobytes() != still.telemetry["q1"].tobytes()


def test_the_policy_believes_the_nominal_robot(study):
    believed = []

    def spy(scene, dt):
        believed.append((scene, dt))
        return small.hold(scene)

    spied = replace(study, policies={"spy": spy})
    for particle in (0, 3):
        spied.trace("spy", particle)
    assert len(believed) == 1  # a compiled policy is made once
    scene, dt = believed[0]
    assert dt == study.dt
    assert np.array_equal(scene.model.body_pos, study.nominal().model.body_pos)
    assert np.array_equal(scene.home().q, study.replay("compiled", 0).q[0])


def test_a_python_policy_with_a_memory_starts_clean_in_every_trace():
    def counting(scene, dt):
        calls = count(1)
        return lambda state: np.full(12, 0.01 * next(calls))

    study = plain(policies={"counting": counting}, telemetry_dt=1e-3)
    for _ in range(2):
        torque = study.trace("counting", 0).telemetry["torque LF_X1"]
        assert torque[:20] == pytest.approx(0.01 * np.arange(1, 21))


class Counted(sf.control.Stage):
    """A stage in Python that gives more torque at every tick."""

    def __init__(self):
        super().__init__("counted", "control", adds=("torque",))
        self.reset()

    def reset(self):
        self.ticks = 0

    def run(self, board, t):
        self.ticks += 1
        board["torque"] = np.full(12, 0.01 * self.ticks)


@pytest.mark.parametrize("stages", [[], [Counted()]])
def test_a_pipeline_is_called_at_its_own_rate_and_starts_clean(stages):
    def piped(scene, dt):
        springs = [sf.control.Hold(scene), sf.control.JointPID(scene, kp=10.0, kd=0.05)]
        return sf.control.Pipeline(scene, 5 * dt, springs + stages)

    study = plain(policies={"piped": piped}, telemetry_dt=1e-3)
    first, late, again = (study.trace("piped", 0, values={"lag.torque": lag}) for lag in (0.0, 5e-3, 0.0))
    assert digest(again) == digest(first)
    torque, later = (result.telemetry["torque LF_Y2"][:20].reshape(4, 5) for result in (first, late))
    assert (torque == torque[:, :1]).all()
    assert len(np.unique(torque)) == 4
    assert (later[:2] == torque[0, 0]).all()  # one call late


def test_values_in_place_of_those_drawn(study):
    drawn = study.values(4)
    result = study.trace(
        "compiled", 4, values={"ground.mu": 0.33, "motor.LF_Y2.strength": 0.5, "encoder.RF_X1.bias": 0.1}
    )
    assert result.values == {**drawn, "ground.mu": 0.33, "motor.LF_Y2.strength": 0.5, "encoder.RF_X1.bias": 0.1}
    other = plain().trace("compiled", 0, values={"motor.LF_Y2.strength": 0.5})
    assert other.telemetry["q8"].tobytes() != plain().trace("compiled", 0).telemetry["q8"].tobytes()


def test_pushes_and_faults_have_uncertain_numbers():
    study = plain(
        pushes=[Push((0, 0, 0), 0.0, 0.02)],
        faults=[Fault("weak", "*", 0.01)],
        uncertainty={"push.0.force.*": Uniform(1, 2), "fault.0.strength": Uniform(0, 1)},
    )
    values = study.values(1)
    assert list(values) == ["push.0.force.0", "push.0.force.1", "push.0.force.2", "fault.0.strength"]
    force = [values[f"push.0.force.{i}"] for i in range(3)]
    wanted = plain(
        pushes=[Push(tuple(force), 0.0, 0.02)], faults=[Fault("weak", "*", 0.01, strength=values["fault.0.strength"])]
    )
    first, second = study.trace("compiled", 1), wanted.trace("compiled", 0)
    assert first.telemetry["q1"].tobytes() == second.telemetry["q1"].tobytes()


def test_a_start_of_the_users_own():
    robot = sf.load("links-light")
    now = robot.state(v=np.linspace(-0.3, 0.3, 18), t=7.0)
    result = plain(start=now, uncertainty={"start.velocity.x": Normal(0.1)}).trace("compiled", 1)
    assert result.telemetry["t"][0] == 7.0
    assert result.time == pytest.approx(7.02)
    velocity = [result.telemetry[f"v{i}"][0] for i in range(18)]
    wanted = now.v.copy()
    wanted[0] += result.values["start.velocity.x"]
    assert velocity == pytest.approx(wanted, abs=1e-15)


def test_infinite_friction_and_no_duration_to_speak_of():
    sticky = plain(terrain=sf.Plane(mu=np.inf), duration=0.05).trace("compiled", 0)
    assert sticky.outcome == SUCCESS
    one = plain(duration=1e-3).trace("compiled", 0)
    assert (one.outcome, one.time, len(one.telemetry["t"])) == (SUCCESS, 1e-3, 2)


def test_outcomes():
    missed = plain(objective=[FeetBeyond((1.0, 0.0))]).trace("compiled", 0)
    assert (missed.outcome, missed.requirement) == (UNKNOWN, "feet beyond")
    fails = plain(requirements=[high.bind([0.15], name="tall")], duration=0.1).trace("limp", 0)
    assert (fails.outcome, fails.requirement) == (KNOWN, "tall")
    assert fails.margins["tall"] < 0.0


def shouts(scene, dt):
    """A policy that raises in its first steps."""

    def shout(state):
        raise RuntimeError("boom")

    return shout


def test_a_policy_that_raises_at_once_is_broken_in_every_engine():
    made = scenario(policies={"compiled": compiled, "shouts": shouts}, duration=0.02)
    for workers in (0, 1):
        run = sf.falsify(made, 2, workers=workers)
        assert run.counts()["shouts"]["broken"] == 2
        assert run.counts()["compiled"]["broken"] == 0
        assert set(run.particles["message"].to_pylist()) == {"", "RuntimeError: boom"}


@pytest.mark.parametrize(
    "change",
    [
        {"law": "dissipative"},
        {"restitution": 0.1},
        {"terrain": sf.Plane(mu=0.3)},
        {"robot": "links"},
        {"joints": {"LF_Y2": 0.1}},
        {"pushes": [Push((0.0, 4.0, 0.1), 0.03, 0.05)]},
        {"policies": {"compiled": small.hold}},
        {"requirements": [Upright(0.3), high.bind([0.1])]},
        {"requirements": [Upright(), high.bind([0.05])]},
        {"telemetry_dt": 0.002},
    ],
)
def test_a_scenario_that_was_changed_is_not_gone_on_with(change, tmp_path):
    made = scenario(uncertainty={}, policies={"compiled": compiled}, duration=0.002)
    sf.falsify(made, 1, workers=0, out=tmp_path / "run")
    said = f"resume: the run in {tmp_path / 'run'} was of another scenario: it differs in setup"
    with pytest.raises(sf.InputError, match=f"^{re.escape(said)}$"):
        sf.falsify(replace(made, **change), 1, workers=0, out=tmp_path / "run", resume=True)


def test_what_a_folder_tells_is_made_again_unless_it_was_changed(tmp_path):
    read = sf.traces.load_scenario("curb")
    for name, made in (("as read", read), ("changed", replace(read, restitution=0.1))):
        header = run_json.plain({**made.header(), "particles": 1, "seed": 0, "method": "random"})
        with RunFolder.create(tmp_path / name, header) as folder:
            again = of_run(folder)
        assert (again is None) == (name == "changed")
        assert again is None or run_json.plain(again.header()) == run_json.plain(read.header())


def test_the_header_is_plain(study):
    header = study.header()
    assert "0x" not in repr(header["setup"])
    assert header["setup"]["robot"] == "links-light"
    assert header["setup"]["requirements"] == ["Upright(limit=1.5707963267948966, name='upright')", "high([0.1])"]
    assert header["scenario"] == "stand"
    assert header["policies"] == ["compiled", "python", "limp"]
    assert header["requirements"] == ["upright", "high"]
    assert header["objective"] == ["workspace"]
    names = [parameter.name for parameter in study.parameters()]
    assert [parameter["name"] for parameter in header["parameters"]] == names
    assert names[-4:] == ["motor.RH_Y3.strength", "lag.torque", "push.0.force.1", "push.0.time"]
    assert set(study.values(1)) == {name for name in names if not name.startswith("encoder.")}


def test_a_robot_whose_file_has_changed_is_another_scenario(tmp_path):
    """Its name has not; what is nominal here and certain is in no other line of a run's header."""
    file = tmp_path / "robot.xml"
    text = f"<mujoco><worldbody>{small.FLYER}</worldbody><actuator><motor joint='hip'/></actuator></mujoco>"
    file.write_text(text)
    given = {"policies": {"limp": limp}, "duration": 0.01, "uncertainty": {"start.x": Normal(0.02)}}
    out = tmp_path / "run"
    first = sf.falsify(Scenario("file", file, **given), 2, out=out, workers=0)
    assert first.scenario.header() == Scenario("file", file, **given).header()
    file.write_text(text.replace('mass="2"', 'mass="20"'))
    said = f"resume: the run in {out} was of another scenario: it differs in model"
    with pytest.raises(sf.InputError, match=f"^{re.escape(said)}$"):
        sf.falsify(Scenario("file", file, **given), 4, out=out, resume=True, workers=0)


def test_telemetry_of_chosen_particles_has_every_step():
    """The others, and all else of the chosen ones, stay as they are."""
    thin, full = plain(), plain(full_telemetry=[1])
    steps = len(full.replay("limp", 1))
    assert len(full.trace("limp", 1).telemetry["t"]) == steps + 1 == 21
    assert len(thin.trace("limp", 1).telemetry["t"]) == len(full.trace("limp", 2).telemetry["t"]) == 3
    assert np.array_equal(full.trace("limp", 1).telemetry["q2"], full.replay("limp", 1).q[:, 2])
    assert full.trace("limp", 1).margins == thin.trace("limp", 1).margins


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (3, "full_telemetry: expected a list of numbers of particles, got 3"),
        ([-1], "full_telemetry: expected a whole number of at least 0, got -1"),
        (["a"], "full_telemetry: expected a whole number of at least 0, got 'a'"),
    ],
)
def test_full_telemetry_is_of_particles(given, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        plain(full_telemetry=given)
