import itertools
import math
import re

import numpy as np
import pytest

from surefoot.design import Morphology, Parameter, Problem, improve, read_script, script
from surefoot.design.history import STEPS, answers_of
from surefoot.errors import InputError
from surefoot.traces import TorqueSpeed
from tests.design import small

SPEEDS = [0.1, 0.2]
HARD = [0.1, 0.3]  # takes many updates


def problem(**kwargs):
    """`links` with strong, slow motors: fails at 0.2 m/s, and can be mended there within the bounds."""
    parts = (("thigh.length", 0.05, 0.12), ("shank.length", 0.08, 0.16))
    parameters = [small.part(end, *one) for end in small.LEGS for one in parts]
    return small.trotting(parameters, motors="MX-64", dt=4e-2, **kwargs)


def armed(low=0.01, torque=1.0):
    """Two links that hold their tip still: only a lighter lower link, or a shorter upper one, takes less torque."""
    morphology = Morphology(small.arm(), [small.lower_mass(low)])
    return Problem(morphology, small.resting(), witnesses=[TorqueSpeed(torque, 10.0)])


@pytest.fixture(scope="module")
def done():
    return improve(problem(), SPEEDS)


@pytest.fixture(scope="module")
def widened():
    return improve(problem(), SPEEDS, margin=math.inf, updates=8)


def same(one, other):
    """Whether two improvements are the same bit for bit, but for the clock."""
    assert one.p.tolist() == other.p.tolist()
    assert one.reason == other.reason
    assert one.updates == other.updates
    assert [step.to_json() for step in one.steps] == [step.to_json() for step in other.steps]
    assert one.difficulty == other.difficulty or math.isnan(one.difficulty)


# Known answers


def test_a_robot_that_fails_is_improved_until_it_does_not(done):
    assert done.problem.look(done.start, 0.2).worst < 0.0
    assert done.reached
    assert done.difficulty == done.wanted == 0.2
    for speed in SPEEDS[1:]:
        assert done.problem.look(done.p, speed).worst >= 0.0
    assert done.margin == done.problem.look(done.p, 0.2).worst
    assert re.match(r"^all limits hold at 0.2 with 0\.\d+ to spare$", done.reason)
    assert done.updates == max(step.number for step in done.steps) <= 20


def test_the_least_mass_that_has_to_go_goes():
    """The torque of the shoulder is linear in the mass: by the levers, not by the loop."""
    before = armed()
    mass = before.morphology.start
    torques = [np.abs(before.look([m], 1.0).rehearsals[0].torque).max() for m in (mass[0], mass[0] - 0.1)]
    limit = torques[0] - 0.5 * (torques[0] - torques[1])  # reached after 50 g
    found = improve(armed(torque=limit), [1.0])
    assert found.reached
    assert 0.05 <= mass[0] - found.p[0] <= 0.07
    assert found.scene.model.body("lower").mass[0] == found.p[0]


def test_each_difficulty_is_done_before_the_next(done):
    assert [step.difficulty for step in done.steps] == sorted(step.difficulty for step in done.steps)
    assert [step.difficulty for step in done.steps if step.number == 0] == SPEEDS
    assert done.steps[0].worst >= 0.0


def test_steps_tell_the_whole_story(done):
    p = done.start
    for step in done.steps:
        assert list(step.before.values()) == pytest.approx(p.tolist(), abs=1e-15)
        p = p + np.array([step.applied.get(name, 0.0) for name in done.morphology.names])
        if step.number:
            assert step.violations[0].value == step.worst
            assert set(step.because) <= set(done.morphology.names)
            assert set(step.because.values()) <= set(done.problem.look(done.start, 0.2).names)
    assert p == pytest.approx(done.p, abs=1e-15)


def test_the_table_has_before_and_after(done):
    lines = done.table().splitlines()
    assert lines[-1] == done.reason
    assert lines[0].startswith("front thigh length       0.077 -> ")


def test_what_is_asked_in_vain_names_the_witness_and_the_bound():
    """3 m/s is out of reach of these legs."""
    found = improve(small.trotting(dt=4e-2), [3.0], updates=60)
    assert not found.reached
    assert math.isnan(found.difficulty)
    assert found.updates < 60
    assert re.match(
        r"^no change within the bounds helps: at difficulty 3 reach .._FOOT stays at -0\.\d+ at \d+ % of the course; "
        r"at their bounds: (front|hind) thigh length \(highest 0.2\)",
        found.reason,
    )


def test_a_bound_that_holds_is_named():
    found = improve(armed(low=0.4, torque=1.0), [1.0])
    assert found.p.tolist() == [0.4]
    assert re.match(
        r"^no change within the bounds helps: at difficulty 1 torque-speed shoulder stays at -1\.\d+ at \d+ % of the "
        r"course; at their bounds: lower mass \(lowest 0.4\)$",
        found.reason,
    )


def test_the_margin_grows_once_limits_are_met(done, widened):
    assert widened.difficulty == 0.2
    assert widened.margin > done.margin + 0.01
    assert widened.problem.look(widened.p, 0.2).worst == widened.margin
    assert widened.reason.startswith(("8 updates are used up", "no more room to gain"))


def test_a_margin_that_is_asked_for_is_met():
    found = improve(problem(), SPEEDS, margin=0.03)
    assert found.reached
    assert found.margin >= 0.03


# Properties


@pytest.mark.parametrize("name", ["done", "widened"])
def test_bounds_are_never_crossed_in_any_step(name, request):
    found = request.getfixturevalue(name)
    low, high = found.morphology.low, found.morphology.high
    for step in found.steps:
        before = np.array(list(step.before.values()))
        after = before + np.array([step.applied.get(name, 0.0) for name in found.morphology.names])
        for p in (before, np.clip(after, after - 1e-15, after + 1e-15)):
            assert (low - 1e-15 <= p).all()
            assert (p <= high + 1e-15).all()


def test_an_automatic_update_that_makes_things_worse_is_taken_back(widened):
    worst = [step.worst for step in widened.steps if step.difficulty == 0.2]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(worst))
    for step in widened.steps:
        if not step.accepted:
            assert not any(step.applied.values())


def test_the_same_inputs_give_the_same_robot_bit_for_bit(done):
    same(done, improve(problem(), SPEEDS))


def test_left_and_right_stay_equal_to_the_bit(done):
    model = done.scene.model
    for link in ("THIGH", "SHANK"):
        for left, right in (("LF", "RF"), ("LH", "RH")):
            assert (model.body(f"{left}_{link}").inertia == model.body(f"{right}_{link}").inertia).all()


@pytest.mark.parametrize("share", [0.15, 0.4, 0.62, 0.9, 1.0])
@pytest.mark.parametrize("margin", [0.0, math.inf])
def test_a_run_that_was_killed_goes_on_to_the_same_robot(tmp_path, done, widened, share, margin):
    """The log is cut in the middle of a line."""
    whole = widened if margin else done
    options = {"margin": margin, "updates": 8 if margin else 100}
    text = "".join(step.to_json() + "\n" for step in whole.steps)
    (tmp_path / STEPS).write_text(text[: int(share * len(text))])
    same(whole, improve(problem(), SPEEDS, out=tmp_path, resume=True, **options))
    assert (tmp_path / STEPS).read_text() == text


def test_a_run_in_vain_that_was_killed_goes_on_to_the_same_end(tmp_path):
    """With leaps, and with updates that were taken back."""
    whole = improve(small.trotting(dt=4e-2), [3.0], updates=12, out=tmp_path / "whole")
    text = (tmp_path / "whole" / STEPS).read_text()
    for share in (0.5, 0.8):
        folder = tmp_path / str(share)
        folder.mkdir()
        (folder / STEPS).write_text(text[: int(share * len(text))])
        same(whole, improve(small.trotting(dt=4e-2), [3.0], updates=12, out=folder, resume=True))


# A designer


def test_answers_change_the_suggestion(done):
    suggested = next(step for step in done.steps if step.number == 1).suggested
    names = list(suggested)
    asked = []

    def ask(step):
        asked.append(step)
        return ["scale 0.5", "zero front thigh length", "symmetrise hind shank length", "accept", "quit"][
            len(asked) - 1
        ]

    found = improve(problem(), SPEEDS, ask=ask)
    step = next(step for step in found.steps if step.number == 1)
    half = {name: 0.5 * value for name, value in suggested.items()}
    shank = 0.5 * (half["front shank length"] + half["hind shank length"])
    wanted = {**half, "front thigh length": 0.0, "front shank length": shank, "hind shank length": shank}
    assert step.applied == pytest.approx(wanted, abs=1e-15)
    assert step.suggested == suggested
    assert step.answers == ("scale 0.5", "zero front thigh length", "symmetrise hind shank length", "accept")
    assert [one.suggested[names[0]] for one in asked[:3]] == [suggested[names[0]], half[names[0]], 0.0]
    assert found.reason == "stopped by the designer"
    assert found.p == pytest.approx(found.start + np.array([wanted[name] for name in found.morphology.names]))


def test_undo_takes_the_last_update_back_to_the_bit():
    found = improve(problem(), HARD, ask=script(["accept", "accept", "undo", "undo", "quit"]))
    assert found.p.tolist() == found.start.tolist()
    assert found.reason == "stopped by the designer"


def test_a_change_of_ones_own_stays_even_if_it_makes_things_worse():
    found = improve(armed(torque=1.0), [1.0], ask=script(["scale 10", "accept", "quit"]), updates=1)
    assert found.steps[0].accepted
    assert found.p[0] < found.start[0]


def test_a_motor_of_the_catalogue_can_be_fitted():
    weak = small.trotting([small.part("front", "thigh.length", 0.05, 0.12)], motors="hobby servo", dt=4e-2)
    found = improve(weak, [0.05], ask=script(["motor * MX-64", "quit"]))
    assert found.reached
    assert found.morphology.motor("LF_Y3").name == "MX-64"
    assert found.steps[0].motors == {"*": "MX-64"}
    undone = improve(weak, [0.05], ask=script(["motor *_X1 RX-24F", "undo", "quit"]))
    assert undone.morphology.motor("LF_X1").name == "hobby servo"


def test_motors_are_chosen_in_order_when_nothing_else_helps(monkeypatch):
    monkeypatch.setattr("surefoot.design.leaps.SCOUTS", 4)
    weak = small.trotting([small.part("front", "thigh.length", 0.06, 0.08)], motors="hobby servo", dt=4e-2)
    found = improve(weak, [0.05], choices={"*": ["RX-24F", "MX-64"]}, updates=60)
    assert next(step.motors for step in found.steps if step.motors) == {"*": "RX-24F"}
    assert found.reached


def test_the_answers_of_a_log_make_the_same_robot(tmp_path):
    lines = ["accept", "scale 0.5", "accept", "undo", "zero front shank length", "accept", "quit"]
    once = improve(problem(), HARD, ask=script(lines), out=tmp_path)
    assert answers_of(once.steps) == lines[:-1]
    same(once, improve(problem(), HARD, ask=script(answers_of(once.steps))))


def test_a_designer_who_was_interrupted_goes_on(tmp_path):
    """Answers that are in the log are not asked for again; what was undone stays undone."""
    lines = ["accept", "accept", "undo", "scale 0.5", "accept", "undo", "accept", "quit"]
    whole = improve(problem(), HARD, ask=script(lines), out=tmp_path / "whole")
    text = (tmp_path / "whole" / STEPS).read_text().splitlines(keepends=True)
    for count, rest in ((3, lines[2:]), (4, lines[3:]), (5, lines[5:]), (6, lines[6:])):
        folder = tmp_path / str(count)
        folder.mkdir()
        (folder / STEPS).write_text("".join(text[:count]))
        again = improve(problem(), HARD, ask=script(rest), out=folder, resume=True)
        same(whole, again)


def test_a_script_from_a_file(tmp_path, done):
    (tmp_path / "script.txt").write_text("accept  # the first\nquit\n")
    found = improve(problem(), SPEEDS, ask=read_script(tmp_path / "script.txt", done.morphology.names))
    first = next(step for step in done.steps if step.number == 1)
    assert next(step for step in found.steps if step.number == 1).suggested == first.suggested


# Edge cases


def test_the_first_violation_alone_also_gets_there():
    found = improve(problem(), SPEEDS, scope="first")
    assert found.reached


def test_a_robot_that_can_do_it_already_is_left_alone():
    found = improve(problem(), [0.05])
    assert found.p.tolist() == found.start.tolist()
    assert found.updates == 0
    assert [step.number for step in found.steps] == [0]


def test_it_begins_where_it_is_told(done):
    found = improve(problem(), SPEEDS, p=done.p)
    assert found.updates == 0
    assert found.start.tolist() == done.p.tolist()


def test_without_updates_or_parameters_it_says_so():
    assert improve(problem(), SPEEDS, updates=0).reason.startswith("0 updates are used up: at difficulty 0.2 ")
    bare = small.trotting([], motors="hobby servo", dt=4e-2)
    assert improve(bare, [0.1]).reason.startswith("no change within the bounds helps: at difficulty 0.1 torque-speed")


def test_the_difficulty_is_that_of_the_very_design():
    """What an update in vain at 0.6 m/s costs at 0.2 m/s is not passed over."""
    found = improve(problem(), [0.1, 0.2, 0.6], updates=8)
    assert not found.reached
    assert math.isnan(found.difficulty) or found.problem.look(found.p, found.difficulty).worst >= 0.0


def test_two_workers_give_the_same_bits(done):
    same(done, improve(problem(), SPEEDS, workers=2))


def test_progress_is_told_step_by_step(done):
    told = []
    improve(problem(), SPEEDS, progress=told.append)
    assert tuple(told) == done.steps


def test_a_witness_without_slopes_ends_in_words():
    morphology = Morphology(small.arm(), [small.lower_mass()])
    hopeless = Problem(morphology, small.resting(), witnesses=[lambda span: np.full(len(span), -np.inf)])
    found = improve(hopeless, [1.0])
    assert found.reason.startswith("no change within the bounds helps: at difficulty 1 <lambda> stays at -1000000")
    assert found.updates < 30


# Error texts


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"problem": None}, "problem: expected a Problem, got NoneType"),
        ({"difficulties": None}, "difficulties: expected one or more rising numbers, got None"),
        ({"difficulties": 0.5}, "difficulties: expected one or more rising numbers, got 0.5"),
        ({"difficulties": []}, "difficulties: expected one or more rising numbers, got []"),
        ({"difficulties": [0.2, 0.1]}, "difficulties: expected one or more rising numbers, got [0.2, 0.1]"),
        ({"difficulties": ["a"]}, "difficulties: expected a finite number, got 'a'"),
        ({"p": [9.0]}, "p: 'lower mass' is 9, beyond its bounds 0.01 to 2"),
        ({"ask": 5}, "ask: expected a function of a step, got 5"),
        ({"progress": "x"}, "progress: expected a function of a step, got 'x'"),
        ({"scope": "last"}, "scope: expected one of 'all', 'first', got 'last'"),
        ({"margin": -1}, "margin: expected a number of at least 0, inf allowed, got -1"),
        ({"margin": math.nan}, "margin: expected a number of at least 0, inf allowed, got nan"),
        ({"updates": -1}, "updates: expected a whole number of at least 0, got -1"),
        ({"workers": 0}, "workers: expected a whole number of at least 1, got 0"),
        ({"resume": True}, "resume: expected a folder (out) with the log to go on with, got none"),
        ({"choices": 5}, "choices: expected names of motors by pattern of joints, got 5"),
        ({"choices": {"*": "MX-64"}}, "choices['*']: expected a list of names of motors, got 'MX-64'"),
        (
            {"choices": {"knee": ["MX-64"]}},
            "choices: motors: no joint matches 'knee'; the joints are shoulder, elbow",
        ),
        ({"ask": lambda step: None}, "answer: expected a text such as 'accept', got None"),
        ({"ask": lambda step: "undo"}, "answer 'undo': there is no update to take back"),
    ],
)
def test_bad_input_is_refused(arguments, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        improve(**{"problem": armed(), "difficulties": [1.0], "updates": 1, **arguments})


def test_a_log_of_something_else_is_refused(tmp_path):
    improve(armed(), [1.0], updates=1, out=tmp_path)
    with pytest.raises(InputError, match=rf"^out: {re.escape(str(tmp_path))} has a run already; resume it, or choose "):
        improve(armed(), [1.0], out=tmp_path)
    other = Problem(
        Morphology(small.arm(), [Parameter("upper mass", "robot.upper.mass", 0.1, 1.0)]),
        small.resting(),
        witnesses=[small.wave],
    )
    with pytest.raises(InputError, match=r"^resume: the log is of other parameters: lower mass$"):
        improve(other, [1.0], out=tmp_path, resume=True)
    with pytest.raises(InputError, match=r"^resume: the log has difficulty 1, which is not asked for$"):
        improve(armed(), [2.0], out=tmp_path, resume=True)


def test_a_witness_that_is_no_number_is_told():
    broken = Problem(
        Morphology(small.arm(), [small.lower_mass()]), small.resting(), witnesses=[lambda span: span.t + np.nan]
    )
    with pytest.raises(InputError, match=r"^witness '<lambda>': expected numbers, got nan at 0 s$"):
        improve(broken, [1.0])
