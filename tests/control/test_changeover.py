"""A stage with other numbers from some time on: when it changes, what it remembers, what it refuses."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.control import Changeover, Command, Delay, GaitPlanner, Hold, JointPID, Pipeline, Stage
from surefoot.gait import Gait, Legs, Planner

DT = 1e-3


@pytest.fixture(scope="module")
def robot():
    return sf.load("links-light")


def test_the_second_stage_runs_from_the_tick_of_that_time_on(robot):
    change = Changeover(Command(0.1, turn=0.3), Command(0.5), 0.3)
    pipeline = Pipeline(robot, DT, [change, Hold(robot), JointPID(robot, 30.0, 0.2)])
    given = {}
    for tick in (0, 299, 300, 301):
        pipeline(robot.home().replace(t=tick * DT))
        given[tick] = pipeline.value("command").tolist()
    assert given == {0: [0.1, 0.0, 0.3], 299: [0.1, 0.0, 0.3], 300: [0.5, 0.0, 0.0], 301: [0.5, 0.0, 0.0]}


def test_a_tick_that_falls_short_by_a_rounding_counts(robot):
    pipeline = Pipeline(robot, DT, [Changeover(Command(0.1), Command(0.5), 0.3), Hold(robot), JointPID(robot, 30, 1)])
    pipeline(robot.home().replace(t=np.nextafter(0.3, 0.0)))
    assert pipeline.value("command")[0] == 0.5


def test_what_the_first_remembers_the_second_goes_on_with(robot):
    """The ramp of the second command began when that of the first did."""
    change = Changeover(Command(1.0, ramp=1.0), Command(2.0, ramp=1.0), 0.4)
    pipeline = Pipeline(robot, 0.1, [change, Hold(robot), JointPID(robot, 30.0, 0.2)])
    seen = []
    for tick in range(6):
        pipeline(robot.home().replace(t=0.1 * tick))
        seen.append(pipeline.value("command")[0])
    assert np.allclose(seen, [0.0, 0.1, 0.2, 0.3, 0.8, 1.0], rtol=0, atol=1e-12)


def test_a_foot_in_mid_swing_stays_where_it_is(robot):
    """Both gaits lift the left front foot then: its goal does not jump, and the later gait is the second one."""
    legs = Legs(robot)
    walk, late = Gait.named("walk", period=0.4), Gait((0.3, 0.75, 0.0, 0.5), period=0.4)
    stages = [GaitPlanner(Planner(legs, gait, DT)) for gait in (walk, late)]
    change = Changeover(stages[0], stages[1], 0.05)
    pipeline = Pipeline(robot, DT, [Command(0.2), change, Hold(robot), JointPID(robot, 30.0, 0.2)])
    alone = Pipeline(robot, DT, [Command(0.2), stages[0], Hold(robot), JointPID(robot, 30.0, 0.2)])
    places, same = [], []
    for tick in range(120):
        state = robot.home().replace(t=tick * DT)
        pipeline(state)
        alone(state)
        places.append(pipeline.value("foot_position")[0])
        same.append(np.array_equal(pipeline.value("stance"), alone.value("stance")))
    assert np.abs(np.diff(places, axis=0)).max() < 1.6e-3  # m in a step: 1.6 m/s
    assert all(same[:99])
    assert not same[105]


def test_it_compiles_into_the_loop_to_the_same_bits(robot):
    change = Changeover(Command(0.1), Command(0.2), 0.02)
    stages = [change, GaitPlanner(Planner(Legs(robot), "walk", DT)), Hold(robot), JointPID(robot, 30.0, 0.2)]
    pipeline = Pipeline(robot, DT, stages)
    assert all(stage.compiled for stage in pipeline.stages)
    plant = sf.Simulator(robot, DT)
    one, two = (plant.rollout(robot.home(), policy, 0.05) for policy in (pipeline.policy(), pipeline))
    assert np.array_equal(one.q, two.q)


def test_refused(robot):
    command = Command(0.1)
    with pytest.raises(sf.InputError, match=r"^first: expected a compiled stage, got 0\.1$"):
        Changeover(0.1, command, 1.0)
    said = Stage("say", "perception", writes=("command",), function=lambda board, t: None)
    with pytest.raises(
        sf.InputError, match=r"^then: expected a compiled stage, got <Stage 'say': perception, Python, every 1>$"
    ):
        Changeover(command, said, 1.0)
    same = r"^then: expected a stage of the same kind as <Command 'command': perception, compiled, every 1>, got "
    for other in (Hold(robot), Command(0.1, every=2), Delay(robot, 1, "q")):
        with pytest.raises(sf.InputError, match=same):
            Changeover(command, other, 1.0)
    with pytest.raises(sf.InputError, match=r"^time: expected a finite number, got nan$"):
        Changeover(command, command, np.nan)
