import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.design import Step, Violation
from surefoot.design.history import STEPS, Log, answers_of, as_dict, read_steps
from surefoot.errors import InputError

NUMBERS = st.floats(allow_nan=False)


def step(number=1, **kwargs):
    return Step(number, 0.1, {"a": 0.3}, 0.5, -0.2, **kwargs)


# Known answers


def test_a_violation_tells_what_where_and_by_how_much():
    assert str(Violation("torque-speed LF_Y3", -0.3094, 0.12, 0.351)) == "torque-speed LF_Y3 -0.309 at 35 %"


def test_steps_are_written_as_they_happen_and_read_again(tmp_path):
    log = Log(tmp_path / "deep" / "run")
    for k in range(3):
        log.add(step(k, violations=(Violation("w", -0.1, 0.2, 0.3),), answers=("scale 0.5", "accept"), rough=("w",)))
        assert list(read_steps(tmp_path / "deep" / "run" / STEPS)) == log.steps
    assert len(log.steps) == 3


def test_a_log_in_memory_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Log().add(step())
    assert list(tmp_path.iterdir()) == []


def test_steps_can_be_forgotten(tmp_path):
    log = Log(tmp_path)
    for k in range(4):
        log.add(step(k))
    log.keep(2)
    assert [one.number for one in read_steps(tmp_path / STEPS)] == [0, 1]
    assert [path.name for path in tmp_path.iterdir()] == [STEPS]


def test_answers_are_a_script_without_leaps():
    steps = [step(answers=("scale 2", "accept")), step(answers=("leap",)), step(0), step(answers=("undo",))]
    assert answers_of(steps) == ["scale 2", "accept", "undo"]


def test_numbers_by_name():
    assert as_dict(("a", "b"), [1, 2]) == {"a": 1.0, "b": 2.0}


# Properties


@given(NUMBERS, NUMBERS, st.dictionaries(st.text(min_size=1), NUMBERS), st.lists(st.text(), max_size=3))
def test_a_step_is_the_same_bit_for_bit_after_json(difficulty, worst, before, answers):
    one = Step(3, difficulty, before, 0.5, worst, applied=before, answers=tuple(answers), memory={"recent": [worst]})
    line = one.to_json()
    assert "\n" not in line
    assert Step.from_json(line) == one


# Edge cases


def test_a_step_without_a_difficulty_that_is_done():
    assert math.isnan(Step.from_json(step(memory={"done": math.nan}).to_json()).memory["done"])


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_line_that_was_left_half_written_is_passed_over(tmp_path, cut):
    log = Log(tmp_path)
    log.add(step(1))
    log.add(step(2))
    text = (tmp_path / STEPS).read_text()
    (tmp_path / STEPS).write_text(text[: len(text) - cut - 1])
    again = Log(tmp_path, resume=True)
    assert [one.number for one in again.steps] == [1]
    again.add(step(7))
    assert [one.number for one in read_steps(tmp_path / STEPS)] == [1, 7]


def test_a_last_line_without_its_end_counts(tmp_path):
    Log(tmp_path).add(step(1))
    (tmp_path / STEPS).write_text((tmp_path / STEPS).read_text().rstrip("\n"))
    assert len(list(read_steps(tmp_path / STEPS))) == 1


# Error texts


def test_a_folder_with_a_run_is_refused_unless_it_is_resumed(tmp_path):
    Log(tmp_path).add(step())
    text = f"out: {tmp_path} has a run already; resume it, or choose another folder"
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        Log(tmp_path)


@pytest.mark.parametrize(
    "line", ["{}", "5", "[]", "{broken", '{"violations": null}', step().to_json()[:-1] + ', "x": 1}']
)
def test_a_line_that_is_no_step_is_told_by_its_number(tmp_path, line):
    path = tmp_path / STEPS
    path.write_text(f"{step().to_json()}\n{line}\n{step().to_json()}\n")
    with pytest.raises(InputError, match=f"^log: line 2 of '{re.escape(str(path))}' is no step: "):
        list(read_steps(path))


def test_folders_that_cannot_be_made_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^out: '.*file' cannot be made: File exists$"):
        Log(tmp_path / "file")
    with pytest.raises(InputError, match=r"^out: '5' cannot be made: "):
        Log(5)
    with pytest.raises(InputError, match=r"^log: '.*absent' cannot be read: No such file or directory$"):
        list(read_steps(tmp_path / "absent"))
    with pytest.raises(InputError, match=r"^resume: expected a folder \(out\) with the log to go on with, got none$"):
        Log(resume=True)
