"""Stages of one's own, in Python and compiled."""

import re
import subprocess
import sys

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Board, Command, Hold, JointPID, Pipeline, Stage, Value, stage

DT = 1e-3
KINDS = "a function of (board, t), or of (t, board, where, memory, params) to be compiled"


@stage(phase="control", reads=("v", "time"), adds=("torque",))
def damp(board, t):
    assert board["time"] == t
    board["torque"] -= 0.25 * board["v"][6:]


@stage(phase="control", reads=("v", "time"), adds=("torque",), params=[0.25])
def damp_compiled(t, board, where, memory, params):
    if board[where[1]] != t:
        return 1
    for i in range(12):
        board[where[2] + i] -= params[0] * board[where[0] + 6 + i]
    return 0


@stage(phase="planning", writes=(Value("beat", (), "1"),), memory=1, every=4)
def beat(t, board, where, memory, params):
    memory[0] += 1.0
    board[where[0]] = memory[0]
    return 0


@stage(phase="control", reads=("beat",), adds=("torque",), name="tap")
def any_name(t, board, where, memory, params):
    board[where[1]] = board[where[0]]
    return 0


class Integral(Stage):
    """A stage in Python that remembers."""

    def __init__(self, robot):
        super().__init__("integral", "control", reads=("joint_position", "q"), adds=("torque",))
        self.places = robot.joint_positions
        self.reset()

    def reset(self):
        self.total = np.zeros(12)

    def run(self, board, t):
        self.total += board["joint_position"] - board["q"][self.places]
        board["torque"] = self.total


def start(robot):
    return robot.home().replace(v=np.linspace(-0.1, 0.1, robot.nv))


def test_python_and_compiled_are_the_same_stage(links):
    trace = [
        sf.Simulator(links, DT).rollout(start(links), Pipeline(links, DT, [one]).policy(), 0.05)
        for one in (damp, damp_compiled)
    ]
    assert (damp.compiled, damp_compiled.compiled) == (False, True)
    assert trace[0].ok
    assert trace[0].torque.tobytes() == trace[1].torque.tobytes()
    assert np.array_equal(trace[0].torque[0], -0.25 * start(links).v[6:])


def test_a_compiled_stage_has_a_memory_and_a_value_of_its_own(links):
    pipeline = Pipeline(links, DT, [beat, any_name])
    trace = sf.Simulator(links, DT).rollout(links.home(), pipeline.policy(), 0.01)
    assert trace.torque[:, 0].tolist() == [1.0] * 4 + [2.0] * 4 + [3.0] * 2
    assert [stage.name for stage in pipeline.stages] == ["beat", "tap"]


def test_parameters_are_bound(links):
    strong = damp_compiled.bind([0.5], name="strong", every=2)
    torque = Pipeline(links, DT, [damp_compiled, strong])(start(links))
    assert np.array_equal(torque, -0.25 * start(links).v[6:] - 0.5 * start(links).v[6:])
    assert (strong.every, damp_compiled.every, damp_compiled.params.tolist()) == (2, 1, [0.25])


def test_a_class_that_remembers_forgets_when_a_run_begins(links):
    pipeline = Pipeline(links, DT, [Hold(links), JointPID(links, 20.0, 0.2), Integral(links)])
    sim = sf.Simulator(links, DT)
    one, two = (sim.rollout(start(links), pipeline.policy(), 0.02) for _ in range(2))
    assert one.torque.tobytes() == two.torque.tobytes()
    assert np.abs(one.torque).max() > 0.0


def test_a_stage_sees_only_what_it_declares(links):
    def check(board, t):
        assert list(board) == ["q", "torque"]
        assert board["q"].shape == (19,)
        assert not board["torque"].any()
        with pytest.raises(ValueError, match="read-only"):
            board["q"][0] = 1.0
        with pytest.raises(sf.InputError, match=r"^stage 'check': reads 'q'; to write it, name it in writes or adds$"):
            board["q"] = np.zeros(19)
        text = "stage 'check': no declared value is called 'v'; The choices are: q, torque"
        with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
            board["v"]
        with pytest.raises(sf.InputError, match=r"^stage 'check': torque: expected shape \(12,\), got \(3,\)$"):
            board["torque"] = np.zeros(3)
        seen.append(board)

    seen = []
    pipeline = Pipeline(links, DT, [damp, Stage("check", "control", reads=("q",), adds=("torque",), function=check)])
    for k in range(3):
        pipeline(start(links).replace(t=DT * k))
    assert isinstance(seen[2], Board)


def test_an_error_in_python_is_its_own(links):
    def fails(board, t):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        Pipeline(links, DT, [Stage("fails", "control", function=fails)])(links.home())


@stage(phase="control", reads=("time",))
def stops(t, board, where, memory, params):
    return 5 if t >= 0.0035 else 0


def test_a_code_ends_the_run(links):
    pipeline = Pipeline(links, DT, [stops])
    trace = sf.Simulator(links, DT).rollout(links.home(), pipeline.policy(), 0.01)
    assert (trace.end, len(trace)) == (sf.Status.POLICY, 4)
    with pytest.raises(sf.SolveError, match=r"^stage 'stops' ended the run with code 5, at t = 0\.004 s$"):
        pipeline(links.home().replace(t=0.004))


@stage(phase="control", adds=("torque",))
def beyond(t, board, where, memory, params):
    if t > 0.0015:
        board[where[0] + 100_000_000] = 1.0
    return 0


@pytest.mark.parametrize("how", ["pipeline.policy()", "lambda state: pipeline(state)"])
def test_an_error_in_a_compiled_stage_kills_nothing_and_names_it(how):
    code = (
        "import surefoot as sf\n"
        "from tests.control.test_stage import beyond, damp_compiled\n"
        "robot = sf.load('links')\n"
        "pipeline = sf.control.Pipeline(robot, 1e-3, [damp_compiled, beyond])\n"
        "try:\n"
        f"    sf.Simulator(robot).rollout(robot.home(), {how})\n"
        "except sf.InputError as error:\n"
        "    print(error)\n"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    text = r"stage 'beyond' raised IndexError: index \d+ is out of bounds for axis 0 with size \d+, at t = 0\.002 s\n"
    assert child.returncode == 0, child.stderr
    assert re.fullmatch(text, child.stdout)


@stage(phase="control")
def forgets_to_return(t, board, where, memory, params):
    memory[0] = 1.0


def test_what_does_not_compile_is_refused_when_the_pipeline_is_built(links):
    with pytest.raises(sf.InputError) as error:
        Pipeline(links, DT, [forgets_to_return])
    text = "stage 'forgets_to_return': numba cannot compile forgets_to_return: No conversion from none to int64"
    assert str(error.value).startswith(text)
    assert str(error.value).endswith("; it must be plain numeric code that returns 0")


def nothing(board, t):
    pass


MISTAKES = [
    (lambda: stage(phase="control")(3), f"stage: expected {KINDS}, got 3"),
    (lambda: stage(phase="control")(lambda q: 0), f"stage '<lambda>': expected {KINDS}, got <lambda>(q)"),
    (
        lambda: Stage("empty", "control"),
        f"stage 'empty': expected {KINDS}, or a subclass with a method run(board, t)",
    ),
    (
        lambda: Stage("s", "acting", function=nothing),
        "stage 's': phase: expected one of 'perception', 'planning', 'control', got 'acting'",
    ),
    (lambda: Stage("", "control", function=nothing), "name: expected the name of a stage, got ''"),
    (
        lambda: Stage("s", "control", reads="q", function=nothing),
        "stage 's': reads: expected a tuple of names or Values, got 'q'",
    ),
    (
        lambda: Stage("s", "control", writes=("q", 3), function=nothing),
        "stage 's': writes: expected a tuple of names or Values, got 3 in it",
    ),
    (
        lambda: Stage("s", "control", reads=("q", "q"), function=nothing),
        "stage 's': reads: 'q' stands there twice",
    ),
    (
        lambda: Stage("s", "control", reads=("torque",), adds=("torque",), function=nothing),
        "stage 's': 'torque' stands in adds, and in reads or writes as well",
    ),
    (
        lambda: Stage("s", "control", every=0, function=nothing),
        "stage 's': every: expected a number of at least 1, got 0",
    ),
    (lambda: damp.bind(every=1.5), "stage 'damp': every: expected a whole number, got 1.5"),
    (lambda: damp.bind("abc"), "stage 'damp': params: expected an array of numbers, got str"),
    (lambda: damp.bind(name=""), "name: expected the name of a stage, got ''"),
    (lambda: damp.bind(name=5), "name: expected the name of a stage, got 5"),
    (
        lambda: Command(0.1).bind([0.2]),
        "stage 'command': params: those of Command follow from its arguments; make a new one",
    ),
    (lambda: Value("two words", (), "1"), "Value.name: expected a name such as 'torque', got 'two words'"),
    (lambda: Value("x", 3, "1"), "Value.shape: expected a tuple such as (3,) or ('joints',), got 3"),
    (
        lambda: Value("x", ("legs",), "1"),
        "Value.shape: expected one of 'nq', 'nv', 'joints', 'feet', got 'legs'",
    ),
    (lambda: Value("x", (-1,), "1"), "Value.shape: expected whole numbers or names of lengths, got -1"),
    (lambda: Value("x", (), 1), "Value.unit: expected a text such as 'N m', got 1"),
]


@pytest.mark.parametrize(("call", "text"), MISTAKES)
def test_is_refused_in_these_words(call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call()
