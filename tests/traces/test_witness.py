import copy
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import surefoot as sf
from surefoot.traces.requirements import Upright
from surefoot.traces.witness import CompiledWitness, FunctionWitness, Witness, as_witness, crossing, witness
from tests.traces import small

DT = 1e-3


@witness
def low(t, q, v, torque, params):
    """Height of the base above params[0], the time and the torque."""
    return q[2] - params[0] + 0.0 * v[0] + 10.0 * t + 0.5 * torque[0]


@witness
def far(t, q, v, torque, params):
    """Reaches too far."""
    return params[3]


@witness
def divided(t, q, v, torque, params):
    """Divides by zero in the third step."""
    return 1.0 / (t - params[0])


def bare(t, q, v, torque, params):
    """Not decorated where it is defined."""
    return q[2]


other_name = witness(bare)


@pytest.fixture(scope="module")
def span():
    flyer = small.flyer()
    return small.span(flyer, duration=0.01, policy=small.telling(flyer, calls=0.1))


def test_a_compiled_witness_is_its_function_in_every_step(span):
    wanted = [low.function(t, q, v, u, [0.2]) for t, q, v, u in zip(span.t, span.q, span.v, span.torque, strict=True)]
    assert low.bind([0.2]).values(span) == pytest.approx(wanted, abs=1e-15)
    assert len(set(wanted)) == len(span)


def test_bindings_have_their_own_constants_and_name(span):
    one, two = low.bind([0.2]), low.bind([0.5], name="half a metre")
    assert (low.name, one.name, two.name) == ("low", "low", "half a metre")
    assert one.values(span) - two.values(span) == pytest.approx(np.full(len(span), 0.3), abs=1e-15)
    assert low.params.tolist() == []


@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_copies_and_pickles_are_the_same_witness(span, through):
    for made in (low.bind([0.25], name="quarter"), other_name):
        again = through(made)
        assert isinstance(again, CompiledWitness)
        assert again.name == made.name
        assert np.array_equal(again.values(span), made.values(span))


def test_a_pickle_opens_in_another_process():
    code = (
        "import pickle, sys\n"
        "made = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "print(made.name, made.params.tolist(), made.function.__module__)\n"
    )
    text = pickle.dumps(low.bind([0.25], name="quarter")).hex()
    child = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=False, timeout=300)
    assert (child.returncode, child.stdout) == (0, f"quarter [0.25] {__name__}\n"), child.stderr


def test_a_function_within_a_function_cannot_travel():
    @witness
    def inner(t, q, v, torque, params):
        return 1.0

    text = "witness 'inner': cannot be copied or pickled; define it at the top of a module"
    with pytest.raises(sf.InputError, match=f"^{text}$"):
        pickle.dumps(inner)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (far.bind([1.0]), "witness 'far': raised IndexError: index is out of bounds"),
        (divided.bind([0.002], name="mine"), "witness 'mine': raised ZeroDivisionError: division by zero"),
    ],
)
def test_errors_within_are_told_with_the_name(span, made, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        made.values(span)


def test_what_numba_cannot_compile_is_refused(span):
    @witness
    def words(t, q, v, torque, params):
        return "much"

    @witness
    def writes(t, q, v, torque, params):
        q[0] = 1.0
        return 1.0

    with pytest.raises(sf.InputError, match=r"^witness 'words': numba cannot compile it: No conversion from "):
        words.values(span)
    with pytest.raises(
        sf.InputError, match=r"^witness 'writes': numba cannot compile it: No implementation of .*setitem"
    ):
        writes.values(span)


def test_a_compiled_witness_that_tells_true_or_false_is_refused(span):
    """False is 0 as a number, which violates nothing."""

    @witness
    def high(t, q, v, torque, params):
        return q[2] > 0.2

    text = "witness 'high': expected signed distances to violation, got true and false"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        high.values(span)


def test_a_function_of_a_span_is_a_witness(span):
    def height(looked):
        return looked.q[:, 2]

    made = as_witness("requirements", height)
    assert isinstance(made, Witness)
    assert made.name == "height"
    assert np.array_equal(made.values(span), span.q[:, 2])
    assert FunctionWitness(height, name="how high").name == "how high"
    assert as_witness("requirements", made) is made


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda span: 1.0, "witness 'height': expected shape (10,), got ()"),
        (lambda span: np.ones(9), "witness 'height': expected shape (10,), got (9,)"),
        (lambda span: np.ones((10, 1)), "witness 'height': expected shape (10,), got (10, 1)"),
        (lambda span: None, "witness 'height': expected an array of numbers, got NoneType"),
        (lambda span: ["a"] * 10, "witness 'height': expected an array of numbers, got list"),
        (
            lambda span: span.q[:, 2] > 0.2,
            "witness 'height': expected signed distances to violation, got true and false",
        ),
    ],
)
def test_what_a_function_returns_is_checked(span, answer, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        FunctionWitness(answer, "height").values(span)


def test_a_functions_own_error_is_its_own(span):
    def broken(looked):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match=r"^mine$"):
        as_witness("requirements", broken).values(span)


def test_a_function_may_return_nan_and_infinities(span):
    values = FunctionWitness(lambda looked: np.full(10, np.nan), "x").values(span)
    assert np.isnan(values).all()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: witness(3), "witness: expected a function of (t, q, v, torque, params), got 3"),
        (
            lambda: witness(lambda t, q: 1.0),
            "witness: expected a function of (t, q, v, torque, params), got <lambda>(t, q)",
        ),
        (lambda: low.bind(0.3), "params: expected shape (any,), got ()"),
        (lambda: low.bind("x"), "params: expected an array of numbers, got str"),
        (
            lambda: as_witness("objective", Upright),
            "objective: expected a requirement such as Upright(), or a function of a Span, got "
            "<class 'surefoot.traces.requirements.Upright'>",
        ),
        (
            lambda: as_witness("requirements", 3),
            "requirements: expected a requirement such as Upright(), or a function of a Span, got 3",
        ),
    ],
)
def test_is_refused_in_these_words(call, text):
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        call()


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        (1.0, -1.0, 0.5),
        (3.0, -1.0, 0.75),
        (1e-300, -1.0, 0.0),
        (0.0, -1.0, 0.0),
        (1.0, -1e-12, 1.0),
        (1.0, np.nan, 1.0),
        (np.inf, -1.0, 1.0),
        (1.0, -np.inf, 1.0),
    ],
)
def test_a_crossing_lies_between_two_steps(before, after, share):
    t = np.array([0.1, 0.2, 0.3])
    assert crossing(t, np.array([1.0, before, after]), 2) == pytest.approx(0.2 + 0.1 * share)
    assert crossing(t, np.array([after, 1.0, 1.0]), 0) == 0.1
