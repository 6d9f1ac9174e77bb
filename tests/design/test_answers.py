import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.design import read_script, script
from surefoot.design.answers import VERBS, Said, accept, changed, counterpart, understood
from surefoot.errors import InputError

NAMES = ("front thigh length", "hind thigh length", "base length")
CHANGE = np.array([0.2, -0.4, 0.1])


def after(text, change=CHANGE):
    return changed(change, understood(text, NAMES), NAMES)


# Known answers


def test_scale_makes_all_of_it_smaller():
    assert after("scale 0.5") == pytest.approx([0.1, -0.2, 0.05])


def test_zero_leaves_one_alone():
    assert after("zero hind thigh length").tolist() == [0.2, 0.0, 0.1]
    assert after('zero "base length"').tolist() == [0.2, -0.4, 0.0]


@pytest.mark.parametrize("name", NAMES[:2])
def test_symmetrise_gives_both_the_mean(name):
    found = after(f"symmetrise {name}")
    assert found == pytest.approx([-0.1, -0.1, 0.1])
    assert found[0] == found[1]


def test_the_suggestion_itself_is_not_changed():
    given = CHANGE.copy()
    after("zero base length", given)
    assert (given == CHANGE).all()


def test_answers_are_taken_apart():
    assert understood(" accept ", NAMES) == Said("accept", (), "accept")
    assert understood("motor *_Y3 MX-64 at 14.8 V", NAMES).words == ("*_Y3", "MX-64 at 14.8 V")
    assert understood("motor '*' 'hobby servo'", NAMES).words == ("*", "hobby servo")


def test_front_and_hind_are_counterparts():
    assert counterpart("front thigh length", NAMES) == "hind thigh length"
    assert counterpart("thigh of the hind leg", ("thigh of the front leg",)) == "thigh of the front leg"


def test_a_script_gives_its_answers_and_then_quits():
    ask = script(["accept", "", "  # a remark", "scale 0.5  # half", "undo"])
    assert [ask(None) for _ in range(5)] == ["accept", "scale 0.5", "undo", "quit", "quit"]


def test_a_script_is_read_from_a_file(tmp_path):
    file = tmp_path / "script.txt"
    file.write_text("# by hand\naccept\nzero base length\naccept\n")
    ask = read_script(file, NAMES)
    assert [ask(None) for _ in range(4)] == ["accept", "zero base length", "accept", "quit"]


def test_who_takes_everything_accepts():
    assert accept(None) == "accept"


# Properties


@given(st.floats(1e-3, 10.0), st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_scaling_is_linear(factor, change):
    assert after(f"scale {factor!r}", np.array(change)) == pytest.approx(factor * np.array(change))


@given(st.text(max_size=30))
def test_any_text_is_an_answer_or_an_input_error(text):
    try:
        assert understood(text, NAMES).verb in VERBS
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017


# Error texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "answer '': expected one of accept, scale, zero, symmetrise, motor, undo, quit"),
        ("yes", "answer 'yes': expected one of accept, scale, zero, symmetrise, motor, undo, quit"),
        ("accept all", "answer 'accept all': expected nothing after 'accept', got 1"),
        ("scale", "answer 'scale': expected one thing after 'scale', got 0"),
        ("scale half", "answer 'scale half': expected a number after 'scale', got 'half'"),
        ("scale 0", "answer 'scale 0': scale: expected a number above 0, got 0"),
        ("scale -1", "answer 'scale -1': scale: expected a number above 0, got -1"),
        ("scale 11", "answer 'scale 11': scale: expected a number of at most 10, got 11"),
        ("scale nan", "answer 'scale nan': scale: expected a finite number, got nan"),
        ("zero", "answer 'zero': expected one thing after 'zero', got 0"),
        ("symmetrise base length", "symmetrise: 'base length' has no counterpart at the other end of the robot"),
        ("motor *", "answer 'motor *': expected two things after 'motor', got 1"),
        (
            "motor * MX-65",
            "answer 'motor * MX-65': motor: expected one of 'RX-24F', 'MX-64', 'MX-64 at 14.8 V', 'hobby servo', "
            "got 'MX-65'",
        ),
        ("zero 'base", 'answer "zero \'base": No closing quotation'),
        (None, "answer: expected a text such as 'accept', got None"),
        (5, "answer: expected a text such as 'accept', got 5"),
    ],
)
def test_bad_answers_are_refused(text, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        understood(text, NAMES)


def test_an_unknown_parameter_is_refused_with_a_hint():
    with pytest.raises(InputError, match=r"no parameter is called 'base lenght'; did you mean 'base length'\?"):
        understood("zero base lenght", NAMES)


def test_a_malformed_line_of_a_script_is_told_by_its_number(tmp_path):
    file = tmp_path / "script.txt"
    file.write_text("accept\n\n# fine so far\nscale much\naccept\n")
    text = "script: line 4: answer 'scale much': expected a number after 'scale', got 'much'"
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        read_script(file, NAMES)


def test_scripts_that_cannot_be_read_are_refused(tmp_path):
    absent, binary = tmp_path / "absent", tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=rf"^script: '{absent}' cannot be read: No such file or directory$"):
        read_script(absent, NAMES)
    for bad in (binary, tmp_path, None, 5):
        with pytest.raises(InputError, match=r"^script: .* cannot be read: "):
            read_script(bad, NAMES)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (None, "script: expected a list of answers, got None"),
        ("accept", "script: expected a list of answers, got 'accept'"),
        (["accept", 5], "script: line 2: expected a text such as 'accept', got 5"),
    ],
)
def test_what_is_no_script_is_refused(lines, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        script(lines)
