import multiprocessing
import pickle
import tomllib

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import GaitPolicy
from surefoot.errors import InputError, ModelError
from surefoot.traces import SCENARIOS, load_scenario
from surefoot.traces.disturbances import FAULTS
from surefoot.traces.policies import KINDS, Stand, Steps, Walk
from surefoot.traces.scenario_file import FOLDER, KEYS, OBJECTS, REQUIREMENTS, TERRAINS, find, read, text
from tests.traces.scenario_texts import FULL, PICKING, SMALL, changed, folder, write


@pytest.fixture
def place(tmp_path):
    return folder(tmp_path)


def error_of(file):
    """The text of the error that reading a file ends in, without the file."""
    with pytest.raises((InputError, ModelError)) as caught:
        read(file)
    told = str(caught.value)
    assert told.startswith(f"{file}: ")
    assert told.isprintable()
    return told.removeprefix(f"{file}: ")


# What a file says


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


# What is wrong with a file

KINDS_ASKED = (
    "'upright', 'tilt', 'no body contact', 'no strike', 'no self-collision', 'torque-speed', 'joint range', "
    "'workspace', 'feet beyond', 'held', 'python'"
)
OF_FILE = (
    "title, robot, duration, dt, law, restitution, telemetry_dt, particles, terrain, objects, joints, policies, "
    "requirements, objective, uncertainty, pushes, faults"
)
HOLD = {"kind": "stand"}
HIGH = {"kind": "python", "function": "code.py:high"}


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"robot": None}, "robot: expected in every scenario, got none"),
        ({"duration": None}, "duration: expected in every scenario, got none"),
        ({"policies": None}, "policies: expected in every scenario, got none"),
        ({"durations": 1}, f"this file: no key is called 'durations'; did you mean 'duration'? The choices are: {OF_FILE}"),
        ({"title": 3}, "title: expected a text, got 3"),
        ({"duration": "1"}, "duration: expected a finite number, got '1'"),
        ({"duration": -1}, "duration: expected a number above 0, got -1"),
        ({"duration": 1e-5}, "duration: expected at least one step of 0.001 s, got 1e-05"),
        ({"dt": 0}, "dt: expected a number above 0, got 0"),
        ({"telemetry_dt": float("nan")}, "telemetry_dt: expected a finite number, got nan"),
        ({"particles": 0}, "particles: expected a whole number of at least 1, got 0"),
        ({"particles": 2.5}, "particles: expected a whole number of at least 1, got 2.5"),
        ({"restitution": 2}, "restitution: expected a number of at most 1, got 2"),
        ({"law": "mud"}, "law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'mud'"),
        ({"joints": {"hip": "a"}}, "joints.'hip': expected a finite number, got 'a'"),
        ({"joints": {"hop": 1}}, "joints: no joint is called 'hop'; did you mean 'hip'? The choices are: hip, root"),
        (
            {"robot": "lnks"},
            "robot: no bundled robot, and no file beside this one, is called 'lnks'; did you mean 'links'? "
            "The choices are: links, links-light, links-feet, arm, ur10",
        ),
        ({"robot": "."}, "robot: expected a file, got '.', which is a folder"),
        ({"robot": ["links"]}, "robot: expected a bundled name or a path, got ['links']"),
        ({"terrain": {"mu": 1}}, "terrain: expected a kind, one of 'plane', 'slope', 'curb', 'height map', got none"),
        ({"terrain": "plane"}, "terrain: expected a table with a kind, got 'plane'"),
        (
            {"terrain": {"kind": "plane", "mue": 1}},
            "terrain: kind 'plane': no key is called 'mue'; did you mean 'mu'? The choices are: mu, z",
        ),
        ({"terrain": {"kind": "slope"}}, "terrain: expected 'angle' to be given"),
        (
            {"terrain": {"kind": "curb", "position": ["a", 1]}},
            "terrain: position: expected a list of 2 numbers, got ('a', 1)",
        ),
        (
            {"objects": {"b": {"kind": "ball", "radius": 1, "mass": 1, "name": "c"}}},
            "objects.b: kind 'ball': no key is called 'name'; The choices are: radius, mass, density, position, mu, "
            "colour",
        ),
        (
            {"objects": {"a\nb": {"kind": "ball"}}},
            "objects: expected names of one or more printable characters, got 'a\\nb'",
        ),
        ({"policies": {}}, "policies: expected one or more, [policies.NAME], got none"),
        ({"policies": {"": HOLD}}, "policies: expected names of one or more printable characters, got ''"),
        (
            {"policies": {"p": {"kind": "stnd"}}},
            "policies.p: kind: expected one of 'steps', 'walk', 'stand', 'picking', 'python', got 'stnd'",
        ),
        ({"policies": {"p": {**HOLD, "kp": -1}}}, "policies.p: kp: expected a number of at least 0, got -1"),
        (
            {"policies": {"p": {"kind": "steps", "then": {"kind": "walk"}}}},
            "policies.p: then: kind: expected one of 'steps', got 'walk'",
        ),
        (
            {"policies": {"p": {"kind": "steps", "after": 1e300, "period": 1e-300}}},
            "policies.p: after: expected a number of at most 1e-291, got 1e+300",
        ),
        (
            {"policies": {"p": {"kind": "picking", "way": "direct"}}},
            "policies: 'p': ball: expected where it is, for hopper has no loose object",
        ),
        ({"requirements": {"kind": "upright"}}, "requirements: expected a list of tables, [[requirements]], got {'kind': 'upright'}"),
        ({"requirements": [{}]}, f"requirements[0]: expected a kind, one of {KINDS_ASKED}, got none"),
        ({"requirements": [{"kind": "up"}]}, f"requirements[0]: kind: expected one of {KINDS_ASKED}, got 'up'"),
        (
            {"requirements": [HIGH, {"kind": "upright", "name": 3}]},
            "requirements[1]: name: expected a text, got 3",
        ),
        (
            {"requirements": [{"kind": "no body contact", "bodies": "leg"}]},
            "requirements[0]: bodies: expected a list of texts, got 'leg'",
        ),
        (
            {"requirements": [{"kind": "no body contact", "bodies": ["log"]}]},
            "requirements: 'no body contact': NoBodyContact.bodies: no body is called 'log'; did you mean 'leg'? "
            "The choices are: world, trunk, leg, tail",
        ),
        (
            {"requirements": [{"kind": "joint range", "low": 2, "high": 1}]},
            "requirements: 'joint range': JointRange.low, high: expected low below high, got 2, 1 for 'hip'",
        ),
        ({"objective": [{"kind": "held"}]}, "objective: 'held': Held: 'hopper' has no loose object"),
        (
            {"objective": [{"kind": "feet beyond", "point": [0, 0], "scale": 0}]},
            "objective[0]: FeetBeyond.scale: expected a number above 0, got 0",
        ),
        ({"objective": [HIGH]}, "requirements, objective: two are called 'high'; give one another name"),
        ({"uncertainty": {"x": {"normal": 1}}}, "uncertainty: no parameter matches 'x'; names that come near are: gps.x"),
        ({"uncertainty": {"law": {"choice": ["mud"]}}}, "uncertainty: 'law': law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'mud'"),
        ({"uncertainty": {"law": {"uniform": [0, 1]}}}, "uncertainty: 'law': expected a choice of contact laws, got Uniform(low=0, high=1, factor=False)"),
        ({"uncertainty": {"ground.mu": {"choice": [0.1, "a"]}}}, "uncertainty: 'ground.mu': value: expected a friction coefficient of at least 0 (inf allowed), got 'a'"),
        ({"uncertainty": {"start.x": {"constant": "a"}}}, "uncertainty: 'start.x': value: expected a finite number, got 'a'"),
        ({"uncertainty": {"start.x": {"normal": -1}}}, "uncertainty: 'start.x': Normal.sd: expected a number above 0, got -1"),
        ({"uncertainty": {"start.x": {"uniform": [1, 0]}}}, "uncertainty: 'start.x': Uniform.low, Uniform.high: expected low below high, got 1, 0"),
        ({"uncertainty": {"start.x": 0.1}}, "uncertainty: 'start.x': expected a distribution such as {normal = 0.01}, got 0.1"),
        ({"uncertainty": {"like": "dog"}}, "uncertainty.like: expected one of 'quadruped', 'quadruped and more', 'arm', 'arm and more', got 'dog'"),
        ({"pushes": [3]}, "pushes[0]: expected a table, got 3"),
        ({"pushes": [{"force": [1, 2, 3]}]}, "pushes[0]: expected 'time' to be given"),
        ({"pushes": [{"force": [1, 2], "time": 0}]}, "pushes[0]: Push.force: expected shape (3,), got (2,)"),
        (
            {"pushes": [{"force": [1, 2, 3], "time": 0, "body": "x"}]},
            "pushes[0]: Push.body: no body is called 'x'; The choices are: trunk, leg, tail",
        ),
        ({"faults": [{"part": "hip"}]}, "faults[0]: expected a table with a kind, one of 'stuck', 'weak', 'dead', 'dropout', got {'part': 'hip'}"),
        ({"faults": [{"kind": "dead", "part": "hop", "time": 0}]}, "faults[0]: Fault.part: no joint is called 'hop'; did you mean 'hip'? The choices are: hip, root"),
        ({"faults": [{"kind": "dead", "part": "hip", "time": -1}]}, "faults[0]: Fault.time: expected a number of at least 0, got -1"),
    ],
)  # fmt: skip
def test_errors_of_keys(place, keys, told):
    if keys.get("pushes") or keys.get("faults") or "uncertainty" in keys:
        keys = {"uncertainty": None, "pushes": None, "faults": None, **keys}
    assert error_of(write(place, changed(SMALL, **keys))) == told


@pytest.mark.parametrize(
    ("function", "code", "told"),
    [
        ("f", "", 'expected function = "my_file.py:my_function", got \'f\''),
        ("none.py:f", "", "function: no file is called 'none.py' beside the scenario"),
        ("own.py:g", "def f(): pass\n", "function: no function of own.py is called 'g'; The choices are: f"),
        ("own.py:x", "x = 3\n", "function: no function of own.py is called 'x'; There are none"),
        ("own.py:f", "def f(:\n", "function: own.py: reading it raised SyntaxError: invalid syntax (own.py, line 1) in line 1"),
        ("own.py:f", "\nimport nothing_such\n", "function: own.py: reading it raised ModuleNotFoundError: No module named 'nothing_such' in line 2"),
        ("own.py:f", "\n\nraise SystemExit\n", "function: own.py: reading it raised SystemExit in line 3"),
        ("own.py:f", "raise ValueError('two\\nlines')\n", "function: own.py: reading it raised ValueError: two lines in line 1"),
    ],
)  # fmt: skip
def test_errors_of_user_files(place, function, code, told):
    (place / "own.py").write_text(code)
    keys = {"kind": "python", "function": function}
    policy = write(place, changed(SMALL, policies={"p": keys}))
    assert error_of(policy) == f"policies.p: {told}"
    assert error_of(write(place, changed(SMALL, requirements=[keys]))) == f"requirements[0]: {told}"


def test_errors_of_user_functions(place):
    (place / "own.py").write_text(
        "def fails(*_):\n    x = 1\n    return x / 0\n\n"
        "def text(*_):\n    return 'text'\n\ndef none(*_):\n    pass\n\nclass Thing:\n    pass\n"
    )
    name = "function: own.py: fails raised ZeroDivisionError: division by zero in line 3"
    for function, policy, witness in (
        ("fails", f"policies: 'p': {name}", f"requirements: 'fails': {name}"),
        (
            "text",
            "policies: 'p': policy: expected @sf.policy, a function of a State, or None, got str",
            "requirements: 'text': witness 'text': expected an array of numbers, got str",
        ),
        (
            "none",
            "policies: 'p': expected a Pipeline, an @sf.policy or a function of a State, got None",
            "requirements: 'none': witness 'none': expected an array of numbers, got NoneType",
        ),
    ):
        keys = {"kind": "python", "function": f"own.py:{function}"}
        assert error_of(write(place, changed(SMALL, policies={"p": keys}))) == policy
        assert error_of(write(place, changed(SMALL, requirements=[keys]))) == witness
    thing = error_of(write(place, changed(SMALL, requirements=[{"kind": "python", "function": "own.py:Thing"}])))
    assert thing.startswith("requirements[0]: function: expected a requirement such as Upright(), or a function of a S")


def test_errors_of_robots(place):
    (place / "empty.xml").write_text("")
    (place / "other.xml").write_text("<sdf/>")
    start = "robot: "
    assert error_of(write(place, changed(SMALL, robot="empty.xml"))) == (
        f"{start}{place}/empty.xml: not readable as XML: no element found: line 1, column 0"
    )
    assert error_of(write(place, changed(SMALL, robot="other.xml"))) == (
        f"{start}{place}/other.xml: SDF is not read; convert it to MJCF, for example with sdf2mjcf of gz-mujoco"
    )
    assert error_of(write(place, changed(SMALL, robot="/dev/null"))) == (
        "robot: expected a file, got '/dev/null', which is none"
    )


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a = ", "not readable as TOML: Invalid value (at end of document)"),
        ("dt = 1\ndt = 2\n", "not readable as TOML: Cannot overwrite a value (at line 2, column 7)"),
        (b"\xff\xfe", "not readable as TOML: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        ("a = " + "[" * 9999, "not readable as TOML: nested too deeply"),
        ("title" + ".a" * 3000 + " = 1\nrobot = 'links'\nduration = 1\npolicies = {p = {kind = 'stand'}}", "nested too deeply"),
        ("#" * 1_000_001, "expected a TOML file of at most 1000000 bytes, got 1000001"),
        ("", "robot: expected in every scenario, got none"),
    ],
)  # fmt: skip
def test_errors_of_text(place, content, told):
    assert error_of(write(place, content)) == told


def test_errors_of_places(place):
    assert error_of(place) == "expected a TOML file, got a folder"
    assert error_of(place / "none.toml") == "cannot be read: No such file or directory"
    with pytest.raises(InputError) as caught:
        read("/dev/zero")
    assert str(caught.value) == "/dev/zero: expected a TOML file, got no file of text"
    with pytest.raises(InputError) as caught:
        read("crub")
    assert str(caught.value).startswith(
        "scenario: no file or bundled scenario is called 'crub'; did you mean 'curb'? The choices are: "
    )
    with pytest.raises(InputError) as caught:
        read("x" * 5000)
    assert str(caught.value).startswith("scenario: no file or bundled scenario is called 'xxx")
    with pytest.raises(InputError) as caught:
        find(3)  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == "scenario: expected a file name or the name of a bundled scenario, got 3"


def test_long_values_are_cut(place):
    told = error_of(write(place, changed(SMALL, law="x" * 5000)))
    assert told.startswith("law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'xxx")
    assert told.endswith("x ...")
    assert len(told) == 1004
