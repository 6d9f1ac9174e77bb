import multiprocessing
import pickle
import tomllib

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import GaitPolicy
from surefoot.errors import InputError
from surefoot.traces import SCENARIOS, RunFolder, load_scenario
from surefoot.traces.disturbances import FAULTS
from surefoot.traces.policies import KINDS, Stand, Steps, Walk
from surefoot.traces.scenario_file import FOLDER, KEYS, OBJECTS, REQUIREMENTS, TERRAINS, of_run, read, text
from tests.traces.scenario_texts import FULL, PICKING, SMALL, changed, folder, write


@pytest.fixture
def place(tmp_path):
    return folder(tmp_path)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A file with every key and kind, read."""
    return read(write(folder(tmp_path_factory.mktemp("full")), FULL))


def test_the_full_file_uses_every_key_and_kind():
    content, picking = tomllib.loads(FULL), tomllib.loads(PICKING)
    assert set(content) == set(KEYS)
    asked = [*content["requirements"], *content["objective"]]
    assert {table["kind"] for table in asked} == {*REQUIREMENTS, "python"}
    kinds = {table["kind"] for table in (*content["policies"].values(), *picking["policies"].values())}
    assert kinds == {*KINDS, "python"}
    assert {table["kind"] for table in content["objects"].values()} == set(OBJECTS)
    assert {table["kind"] for table in content["faults"]} == set(FAULTS)


def test_the_full_file_becomes_what_python_would_say(full):
    made, particles = full
    assert (made.name, made.title, particles) == ("made", "Everything at once", 3)
    assert (made.duration, made.dt, made.law, made.restitution) == (0.05, 5e-4, "dissipative", 0.1)
    assert made.telemetry_dt == 0.01
    assert made.full_telemetry == (0, 7)
    assert made.robot == "links-light"
    assert made.source == FULL
    assert made.terrain == sf.HeightMap(3, (2.0, 2.0), 0.1, 20, 0.05, 0.2, 0.01, 0.7)
    assert list(made.objects) == [
        sf.Ball(
            radius=0.03, mass=0.2, position=(0.5, 0.5, 0.2), mu=0.4, name="marble", colour=(1.0, 0.0, 0.0, 1.0)
        ),
        sf.Box(size=(0.1, 0.1, 0.1), density=300.0, position=(0.8, 0.0, 0.2), rpy=(0.0, 0.0, 0.3), name="crate"),
    ]  # fmt: skip
    assert made.joints == {"LF_Y2": 0.75}
    assert list(made.policies) == ["steps, then a trot", "to a point", "walk", "stand", "own"]
    steps = made.policies["steps, then a trot"]
    assert steps == Steps(
        "walk", 0.4, 0.8, 0.02, 0.1, turn=-0.2, ramp=0.2, length=1.1, width=1.2, height=0.9, kp=2e3, kd=25.0,
        feed_forward=True, then=Steps("trot", period=0.3), at=0.5, after=0.6,
    )  # fmt: skip
    assert isinstance(steps.policy(), GaitPolicy)
    assert made.policies["to a point"] == Steps(points=((0.5, 0.0), (0.5, 0.5)), turn=0.5)
    assert made.policies["walk"] == Walk("trot", 0.3, 0.7, 0.02, 0.1, 0.02, 0.1, 0.3, 1500.0, 50.0, "coulomb")
    assert made.policies["stand"] == Stand(20.0, 0.4)
    assert list(made.requirements[:8]) == [
        sf.traces.Upright(1.2, "not over"),
        sf.traces.Tilt("pitch", 0.9),
        sf.traces.NoBodyContact(("BASE",)),
        sf.traces.NoStrike(0.9, ("ground",)),
        sf.traces.NoSelfCollision(0.005, 5),
        sf.traces.TorqueSpeed(40.0, {"LF_Y2": 30.0}),
        sf.traces.JointRange(-3.0, {"LF_Y2": 3.0}),
        sf.traces.Workspace((-1.0, -1.0, -np.inf), (1.0, 1.0, np.inf), "LF_FOOT"),
    ]
    assert [witness.name for witness in made.requirements[8:]] == ["high", "early"]
    assert list(made.objective) == [sf.traces.FeetBeyond((-1.0, 0.0), 0.1, ("LF_FOOT",)), sf.traces.Held("marble")]
    assert list(made.pushes) == [
        sf.Push((0.0, 2.0, 0.0), 0.01, 0.02, (0.0, 0.0, 0.1), "BASE"),
        sf.Push((0.0, 0.0, 1.0), 0.02),
    ]
    assert list(made.faults) == [
        sf.Fault("stuck", "LF_Y2", 0.02, until=0.03),
        sf.Fault("weak", "RF_*", 0.02, strength=0.3),
        sf.Fault("dead", "LH_Y2", 0.02),
        sf.Fault("dropout", "gps.*", 0.01),
    ]


def test_distributions_of_the_full_file(full):
    made, _ = full
    found = {p.name: p.distribution for p in made.parameters()}
    assert found["robot.lf.thigh.length"] == sf.Normal(0.001)  # in place of that of `like`
    assert found["robot.lf.thigh.radius"] == sf.Normal(0.0001, 0.01, 0.005, 0.02)
    assert found["robot.base.density"] == sf.Normal(0.05, factor=True)
    assert found["object.marble.radius"] == sf.measured(0.0301, 0.0005)
    assert found["object.crate.density"] == sf.Uniform(0.9, 1.1, factor=True)
    assert found["restitution"] == sf.traces.Constant(0.2)
    assert found["law"] == sf.Choice("coulomb", "dissipative")
    assert found["gps.x"] == sf.Jitter(0.01, -0.02, 0.02)
    assert found["motor.RH_Y3.strength"] == sf.Normal(0.02)
    assert found["push.0.force.1"] == sf.Uniform(-5.0, 5.0)
    assert "robot.lf.hip.density" in found  # of `like` alone


def test_every_policy_of_the_full_file_can_be_traced(full):
    made, _ = full
    for policy in made.policies:
        result = made.trace(policy, 1)
        assert result.outcome != "broken", result.message
        assert set(result.margins) >= {"not over", "high", "early"}


def test_picking(place):
    made = load_scenario(write(place, PICKING))
    assert made.trace("straight", 1).requirement == "held"  # after a twentieth of a second


@pytest.mark.parametrize("name", SCENARIOS)
def test_bundled_scenarios(name):
    made = load_scenario(name)
    assert made.name == name
    assert made.title
    assert made.source == text(name) == (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("plane", {"mu": 0.5, "z": 0.1}),
        ("slope", {"angle": 0.1, "yaw": 0.2, "mu": 0.5}),
        (
            "curb",
            {"height": 0.02, "position": [0.3, 0.1], "length": 2.0, "thickness": 0.02, "yaw": 0.1, "curb_mu": 0.3},
        ),
        ("height map", {"size": [1.0, 1.0], "cell": 0.1, "hills": 9, "mu": [0.5, 0.9]}),
    ],
)
def test_terrains(place, kind, table):
    made = load_scenario(write(place, changed(SMALL, terrain={"kind": kind, **table})))
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    assert made.terrain == TERRAINS[kind](**fields)


def test_paths_are_relative_to_the_file(place, monkeypatch):
    (place / "deeper").mkdir()
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    lower = SMALL.replace('"hopper.xml"', '"../hopper.xml"').replace('"code.py:', '"../code.py:')
    file = write(place / "deeper", lower)
    there = load_scenario(file)
    monkeypatch.chdir(elsewhere)
    assert load_scenario(file).values(1) == there.values(1)
    monkeypatch.chdir(file.parent)
    here = load_scenario("made.toml")
    assert here.trace("limp", 1).margins == there.trace("limp", 1).margins


def test_the_small_file_runs_in_other_processes_as_here(place):
    """User functions travel by path and name."""
    made, particles = read(write(place, SMALL))
    here = sf.falsify(made, particles, workers=0).particles.drop_columns("seconds")
    there = sf.falsify(made, particles, workers=1).particles.drop_columns("seconds")
    assert set(here["outcome"].to_pylist()) == {"success"}
    assert here.equals(there)


def test_a_pickle_holds_no_code(place):
    made = load_scenario(write(place, SMALL))
    again = pickle.loads(pickle.dumps(made))
    assert again.policies == made.policies
    assert again.requirements == made.requirements
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        other = pool.apply(_margins, (made,))
    assert other == made.trace("limp", 1).margins


def _margins(scenario):
    return scenario.trace("limp", 1).margins


def test_two_files_of_one_name_are_not_mixed_up(tmp_path):
    for name, number in (("a", 1.0), ("b", 2.0)):
        (tmp_path / name).mkdir()
        write(folder(tmp_path / name), SMALL)
        (tmp_path / name / "code.py").write_text(
            f"import numpy as np\n\ndef limp(scene, dt):\n    return lambda state: [0.0, 0.0]\n\n"
            f"def high(span):\n    return np.full(len(span), {number})\n"
        )
    margins = [load_scenario(tmp_path / name / "made.toml").trace("limp", 0).margins["high"] for name in "ab"]
    assert margins == [1.0, 2.0]


def test_code_that_has_changed_is_another_scenario(place):
    file = write(place, SMALL)
    made, _ = read(file)
    sf.falsify(made, 2, out=place / "run", workers=0)
    with (place / "code.py").open("a") as code:
        code.write("# changed\n")
    with pytest.raises(InputError) as caught:
        sf.falsify(made, 3, out=place / "run", workers=0, resume=True)
    assert str(caught.value) == f"resume: the run in {place / 'run'} was of another scenario: it differs in code"


def test_a_scenario_that_does_not_suit_leaves_no_folder(place):
    made = sf.Scenario("x", "arm", {"p": Stand()}, 0.1, [sf.traces.Upright()])
    with pytest.raises(InputError) as caught:
        sf.falsify(made, 2, out=place / "run", workers=0)
    told = "requirements: 'upright': base: 'arm' has no base that floats and no loose object"
    assert str(caught.value) == told
    assert not (place / "run").exists()


def test_the_scenario_of_a_run(place, monkeypatch):
    """A run tells it if its file is all that it takes; what is elsewhere, or is code, is not looked for."""
    monkeypatch.chdir(place)

    def told(source, scenario="made"):
        header = {"scenario": scenario, "source": source}
        return of_run(RunFolder(place, header))

    bundled = told(text("curb"), "curb")
    assert bundled is not None
    assert bundled.values(3) == load_scenario("curb").values(3)
    plain = changed(SMALL, policies={"hold": {"kind": "stand"}}, requirements=[])
    assert told(plain) is not None
    monkeypatch.chdir("/")
    assert told(plain) is None  # the robot lies beside the file
    assert told(SMALL) is None
    for wrong in ("", "a = ", "robot = 3", "policies = 3", "requirements = 3", changed(plain, duration=-1)):
        assert told(wrong) is None
