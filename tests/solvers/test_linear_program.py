import numpy as np
import pytest

from surefoot.solvers.linear_program import LinearProgram

NONE = np.zeros((0, 2)), np.zeros(0)


def triangle():
    return LinearProgram(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0.0, 0.0, -1.0]), *NONE)


def test_corners_of_a_triangle_one_after_the_other():
    program = triangle()
    for c, corner in (([1.0, 2.0], [0, 1]), ([2.0, 1.0], [1, 0]), ([-1.0, -1.0], [0, 0])):
        found = program.maximise(np.array(c))
        assert found.status == "optimal"
        assert found.x == pytest.approx(corner)
        assert found.value == pytest.approx(np.dot(c, corner))


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_units_do_not_matter(unit):
    rows, offset = np.array([[1.0, 0.0], [0.0, 1e6], [-1.0, -1e6]]), np.array([0.0, 0.0, -1.0]) * unit
    found = LinearProgram(rows, offset, *NONE).maximise(np.array([0.0, 1.0]))
    assert found.status == "optimal"
    assert found.x == pytest.approx([0.0, 1e-6 * unit])


def test_empty_and_unbounded():
    program = triangle()
    program.relax(2, np.inf)
    found = program.maximise(np.array([1.0, 0.0]))
    assert found.status == "unbounded"
    assert found.value == np.inf
    program = LinearProgram(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 0.0]), *NONE)
    found = program.maximise(np.zeros(2))
    assert found.status == "empty"
    assert found.value == -np.inf
    assert np.isnan(found.x).all()


def test_relax_and_back():
    program, c = triangle(), np.array([1.0, 1.0])
    program.relax(2, 1.0)
    assert program.maximise(c).value == pytest.approx(2.0)
    program.relax(2, 0.0)
    assert program.maximise(c).value == pytest.approx(1.0)


def test_rows_that_hold_a_corner():
    program = triangle()
    program.maximise(np.array([2.0, 1.0]))
    rows, still = program.active()
    assert rows.tolist() == [1, 2]
    assert still.tolist() == []
    program = LinearProgram(np.array([[-1.0, 0.0]]), np.array([-3.0]), *NONE)
    assert program.maximise(np.array([1.0, 0.0])).x == pytest.approx([3.0, 0.0])
    rows, still = program.active()
    assert (rows.tolist(), still.tolist()) == ([0], [1])
