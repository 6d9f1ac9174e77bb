"""Mutations of valid scenario files, the same for the same number."""

import copy
import random
import string
import tomllib

from tests.traces.scenario_texts import FULL, PICKING, SMALL, dump

NAN, INF = float("nan"), float("inf")
JUNK = (
    0, -1, 1, 7, 10**9, 10**400, -(10**30), 0.0, -0.0, 1e-300, 1e-12, 1e300, -1e300, 1.5, NAN, INF, -INF, True, False,
    "", " ", "x", "coulomb", "Ünïcödé ✓ 機", "a\nb", "\x00", "../..", "/", "/dev/null", "no.xml", "code.py", "code.py:",
    "code.py:nothing", "missing.py:f", "broken.py:f", "raises.py:f", "quits.py:f", "code.py:raises", "code.py:nonsense",
    "code.py:number", "code.py:Limp", "code.py:__name__", "empty.xml", "bad.xml", "robot.sdf", "links", "arm", "*",
    "x" * 2000, [], [[]], [1], [1, 2], [1, 2, 3], [NAN, NAN], [1, 2, 3, 4, 5, 6, 7], ["a"], [1, "a"], [[1, 2], [3]],
    {}, {"a": 1}, {"kind": 3}, {"kind": "python"}, {"kind": "stand"}, {"kind": {}}, {"normal": -1}, {"normal": 0.0},
    {"normal": NAN}, {"normal": {"sd": 1e308, "factor": True}}, {"normal": {"sd": 1, "low": 2, "high": 1}},
    {"normal": {"sd": "1"}}, {"normal": {"mean": 1.0}}, {"uniform": [1, 0]}, {"uniform": [1, 1]}, {"uniform": []},
    {"uniform": [-1e308, 1e308]}, {"uniform": [0, 1, 2]}, {"uniform": 3}, {"choice": []}, {"choice": [1, 1]},
    {"choice": ["a", 2.0]}, {"choice": [[1], {}]}, {"choice": 3}, {"jitter": -1}, {"jitter": {"low": 1}}, {"jitter": 1},
    {"measured": {"value": 1}}, {"measured": 3}, {"constant": "a"}, {"constant": []}, {"gauss": 1},
    {"normal": 1, "x": 1},
    [{}], [{"kind": "upright"}], [{"kind": "python", "function": "code.py:high"}], [3], [[{}]], ["upright"],
    "1979-05-27T07:32:00Z", "07:32:00",
)  # fmt: skip
"""Values that are wrong nearly everywhere; the last two are written without quotes: a date and a time."""
NAMES = (
    "kind", "x", "", " ", "Robot", "robots", "ünicode", "a\nb", "a.b", "like", "name", "nothing.*", "*", "robot.*",
    "[", "robot.[", "start.hip", "encoder.*", "law", "ground.mu", "push.0.force.1", "push.9.time", "x" * 300, "\x00",
)  # fmt: skip
TEXTS = (
    "=",
    "[",
    "]",
    "[[",
    "{",
    '"',
    "'",
    "\\",
    "\n",
    "\r",
    "\x00",
    "#",
    ",",
    "nan",
    "é",
    "\ufeff",
    "= =",
    "[terrain]",
)
BASES = tuple(map(tomllib.loads, (SMALL, FULL, PICKING)))
CODE = """

def raises(*arguments):
    raise ValueError("two\\nlines")


def nonsense(*arguments):
    return "nonsense"


number = 3
"""
FILES = {
    "broken.py": "def f(:\n",
    "raises.py": "raise RuntimeError('two\\nlines')\n",
    "quits.py": "raise SystemExit(3)\n",
    "empty.xml": "",
    "bad.xml": "<mujoco><worldbody><body><geom/></body></worldbody></mujoco>",
    "robot.sdf": "<sdf/>",
}


def folder(path):
    """Put files with all sorts of faults beside the scenarios."""
    with (path / "code.py").open("a") as file:
        file.write(CODE)
    for name, text in FILES.items():
        (path / name).write_text(text)
    return path


def mutated(number):
    """The text of a valid file after one to three changes."""
    rng = random.Random(number)
    content = copy.deepcopy(rng.choices(BASES, (30, 1, 1))[0])
    if rng.random() < 0.15:
        return _text(rng, dump(content))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choices((_replace, _scale, _remove, _rename, _add, _wrap, _double), (8, 3, 2, 1, 2, 1, 1))[0](rng, content)
    return dump(content)


def _places(part):
    """All (container, key) within tables and lists."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    found = []
    for key, value in list(items):
        found += [(part, key), *_places(value)]
    return found


def _replace(rng, content):
    part, key = rng.choice(_places(content) or [(content, "x")])
    part[key] = copy.deepcopy(rng.choice(JUNK))


def _scale(rng, content):
    numbers = [(part, key) for part, key in _places(content) if _is_number(part[key])]
    if numbers:
        part, key = rng.choice(numbers)
        part[key] = rng.choice((-part[key], part[key] * 1e6, part[key] * 1e-9, part[key] * 1e290, NAN, INF, -INF))


def _is_number(value):
    return type(value) in (int, float) and abs(value) < 1e15


def _remove(rng, content):
    part, key = rng.choice(_places(content) or [({"x": 1}, "x")])
    del part[key]


def _rename(rng, content):
    tables = [(part, key) for part, key in _places(content) if isinstance(part, dict)]
    part, key = rng.choice(tables or [({"x": 1}, "x")])
    part[rng.choice((*NAMES, key + "s", key[:-1], key.upper()))] = part.pop(key)


def _add(rng, content):
    tables = [content] + [part[key] for part, key in _places(content) if isinstance(part[key], dict)]
    rng.choice(tables)[rng.choice(NAMES)] = copy.deepcopy(rng.choice(JUNK))


def _wrap(rng, content):
    part, key = rng.choice(_places(content) or [(content, "x")])
    value = part.get(key, 0) if isinstance(part, dict) else part[key]
    part[key] = rng.choice(([value], {"x": value}, [[value]], str(value), {"normal": value}))


def _double(rng, content):
    lists = [part[key] for part, key in _places(content) if isinstance(part[key], list) and part[key]]
    if lists:
        chosen = rng.choice(lists)
        chosen.append(copy.deepcopy(rng.choice(chosen)))


def _text(rng, text):
    """Changes that may leave no TOML."""
    at, length = rng.randrange(len(text)), rng.choice((1, 2, 5, 40))
    line = rng.choice(text.splitlines(keepends=True))
    return rng.choice(
        (
            text[:at],
            text[:at] + text[at + length :],
            text[:at] + rng.choice(TEXTS) + text[at:],
            text + line,
            line + text,
            text.replace(" = ", rng.choice((" ", " == ", ": ")), 1),
            "".join(rng.choice(string.printable) for _ in range(200)),
            text[:at].encode() + bytes(rng.randrange(256) for _ in range(4)) + text[at:].encode(),
            text.encode("utf-16"),
            "a = " + "[" * 5000 + "]" * 5000,
            ".".join("a" * 2000) + " = 1\n" + text,
            "robot" + ".a" * 3000 + " = 1\nduration = 1\npolicies = {}",
            "",
        )
    )
