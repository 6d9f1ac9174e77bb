"""What is said of a scenario's file that is wrong: one line that begins with the file and names the key."""

import pytest

from surefoot.errors import InputError, ModelError
from surefoot.traces.scenario_file import find, read
from tests.traces.scenario_texts import SMALL, changed, folder, write


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


KINDS_ASKED = (
    "'upright', 'tilt', 'no body contact', 'no strike', 'no self-collision', 'torque-speed', 'joint range', "
    "'workspace', 'feet beyond', 'held', 'python'"
)
OF_FILE = (
    "title, robot, duration, dt, law, restitution, telemetry_dt, full_telemetry, particles, terrain, objects, "
    "joints, policies, requirements, objective, uncertainty, pushes, faults"
)
HOLD = {"kind": "stand"}
HIGH = {"kind": "python", "function": "code.py:high"}


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"robot": None}, "robot: expected in every scenario, got none"),
        ({"duration": None}, "duration: expected in every scenario, got none"),
        ({"policies": None}, "policies: expected in every scenario, got none"),
        (
            {"durations": 1},
            f"this file: no key is called 'durations'; did you mean 'duration'? The choices are: {OF_FILE}",
        ),
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
        (
            {"requirements": {"kind": "upright"}},
            "requirements: expected a list of tables, [[requirements]], got {'kind': 'upright'}",
        ),
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
        (
            {"uncertainty": {"x": {"normal": 1}}},
            "uncertainty: no parameter matches 'x'; names that come near are: gps.x",
        ),
        (
            {"uncertainty": {"law": {"choice": ["mud"]}}},
            "uncertainty: 'law': law: expected one of 'coulomb', 'no-slip', 'dissipative', 'soft', got 'mud'",
        ),
        (
            {"uncertainty": {"law": {"uniform": [0, 1]}}},
            "uncertainty: 'law': expected a choice of contact laws, got Uniform(low=0, high=1, factor=False)",
        ),
        (
            {"uncertainty": {"ground.mu": {"choice": [0.1, "a"]}}},
            "uncertainty: 'ground.mu': value: expected a friction coefficient of at least 0 (inf allowed), "
            "got 'a'",
        ),
        (
            {"uncertainty": {"start.x": {"constant": "a"}}},
            "uncertainty: 'start.x': value: expected a finite number, got 'a'",
        ),
        (
            {"uncertainty": {"start.x": {"normal": -1}}},
            "uncertainty: 'start.x': Normal.sd: expected a number above 0, got -1",
        ),
        (
            {"uncertainty": {"start.x": {"uniform": [1, 0]}}},
            "uncertainty: 'start.x': Uniform.low, Uniform.high: expected low below high, got 1, 0",
        ),
        (
            {"uncertainty": {"start.x": 0.1}},
            "uncertainty: 'start.x': expected a distribution such as {normal = 0.01}, got 0.1",
        ),
        (
            {"uncertainty": {"like": "dog"}},
            "uncertainty.like: expected one of 'quadruped', 'quadruped and more', 'arm', 'arm and more', "
            "got 'dog'",
        ),
        ({"pushes": [3]}, "pushes[0]: expected a table, got 3"),
        ({"pushes": [{"force": [1, 2, 3]}]}, "pushes[0]: expected 'time' to be given"),
        ({"pushes": [{"force": [1, 2], "time": 0}]}, "pushes[0]: Push.force: expected shape (3,), got (2,)"),
        (
            {"pushes": [{"force": [1, 2, 3], "time": 0, "body": "x"}]},
            "pushes[0]: Push.body: no body is called 'x'; The choices are: trunk, leg, tail",
        ),
        (
            {"faults": [{"part": "hip"}]},
            "faults[0]: expected a table with a kind, one of 'stuck', 'weak', 'dead', 'dropout', got "
            "{'part': 'hip'}",
        ),
        (
            {"faults": [{"kind": "dead", "part": "hop", "time": 0}]},
            "faults[0]: Fault.part: no joint is called 'hop'; did you mean 'hip'? The choices are: hip, root",
        ),
        (
            {"faults": [{"kind": "dead", "part": "hip", "time": -1}]},
            "faults[0]: Fault.time: expected a number of at least 0, got -1",
        ),
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
        (
            "own.py:f", "def f(:\n",
            "function: own.py: reading it raised SyntaxError: invalid syntax (own.py, line 1) in line 1",
        ),
        (
            "own.py:f", "\nimport nothing_such\n",
            "function: own.py: reading it raised ModuleNotFoundError: No module named 'nothing_such' in "
            "line 2",
        ),
        ("own.py:f", "\n\nraise SystemExit\n", "function: own.py: reading it raised SystemExit in line 3"),
        (
            "own.py:f", "raise ValueError('two\\nlines')\n",
            "function: own.py: reading it raised ValueError: two lines in line 1",
        ),
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
        (
            "title" + ".a" * 3000 + " = 1\nrobot = 'links'\nduration = 1\npolicies = {p = {kind = 'stand'}}",
            "nested too deeply",
        ),
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
