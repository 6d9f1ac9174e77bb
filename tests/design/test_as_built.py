"""Designs as built: the same draws for all, judged by the limits they were designed for."""

from dataclasses import replace

import numpy as np
import pytest

import surefoot as sf
from surefoot.design import AsBuilt, Improvement
from surefoot.design.as_built import before_and_after, shapes
from surefoot.errors import InputError
from tests.design.small import arm, lower_mass, resting, trotting

PROBLEM = trotting()
START = PROBLEM.morphology.start


def scenario(**kwargs):
    return AsBuilt(PROBLEM, {"short": START, "long": START + 0.05}, 0.1, **kwargs)


def test_the_robot_as_drawn_is_particle_0():
    """Its margins are those of a look at the design."""
    found, look = scenario().trace("short", 0), PROBLEM.look(START, 0.1)
    assert found.margins == {
        name: pytest.approx(v) for name, v in zip(look.names, look.values.min(axis=0), strict=True)
    }
    assert (found.outcome == "success") == (look.worst >= 0.0)


def test_a_violation_is_named_and_located():
    found = AsBuilt(PROBLEM, {"short": START}, 1.0).trace("short", 0)
    look = PROBLEM.look(START, 1.0)
    assert found.outcome == "known failure"
    assert found.margins[found.requirement] < 0.0
    assert found.time <= look.rehearsals[0].t[look.first]


def test_all_designs_meet_the_same_draws():
    """What is drawn differs from each design's own numbers by the same amount."""
    one, other = (scenario().trace(name, 3).values for name in ("short", "long"))
    name = "robot.lf.thigh.length"
    assert other[name] - one[name] == pytest.approx(0.05, abs=1e-12)
    assert one["robot.lf.shank.length"] == other["robot.lf.shank.length"]


def test_runs_are_the_same_on_any_number_of_workers(tmp_path):
    """And a run has a row for each design and particle."""
    tables = [
        sf.falsify(scenario(), particles=4, seed=5, workers=workers, out=tmp_path / str(workers)).particles
        for workers in (0, 2)
    ]
    columns = [name for name in tables[0].column_names if name != "seconds"]
    assert tables[0].select(columns).equals(tables[1].select(columns))
    assert tables[0].num_rows == 8


def test_before_and_after(tmp_path):
    """Two runs of the same particles, which go on where they are."""
    found = Improvement(PROBLEM, START, START + 0.05, 0.1, 0.1, 0.0, (), "", 0)
    before, after = before_and_after(found, 3, tmp_path, workers=0)
    assert list(before.rates()) == list(after.rates()) == ["rehearsal"]
    again, _ = before_and_after(found, 3, tmp_path, workers=0)
    assert again.particles.equals(before.particles)
    former, longer = after.particles, replace(found, p=START + 0.1)
    _, other = before_and_after(longer, 3, tmp_path, workers=0)  # in place of the run of a robot that has changed
    assert not other.particles.equals(former)


def test_the_spread_of_robots_from_files():
    names = sf.design.Morphology(arm(), [lower_mass()]).parts.names
    assert list(shapes(names)) == ["robot.*.length", "robot.*.mass"]


def test_robots_from_files_are_built():
    problem = sf.design.Problem(sf.design.Morphology(arm(), [lower_mass()]), resting())
    built = AsBuilt(problem, {"drawn": problem.morphology.start}, 1.0)
    margins = [built.trace("drawn", particle).values["robot.lower.mass"] for particle in range(3)]
    assert margins[0] == pytest.approx(0.45)
    assert len(set(margins)) == 3


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("links", {"a": START}, 0.1), "problem: expected a Problem, got 'links'"),
        ((PROBLEM, {}, 0.1), "designs: expected parameters by name, got {}"),
        ((PROBLEM, {"a": START}, np.nan), "speed: expected a finite number, got nan"),
        ((PROBLEM, {"a": START + 1.0}, 0.1), "p: 'front thigh length' is 1.077, beyond its bounds 0.05 to 0.2"),
    ],
)
def test_errors(arguments, text):
    with pytest.raises(InputError) as error:
        AsBuilt(*arguments)
    assert str(error.value) == text
