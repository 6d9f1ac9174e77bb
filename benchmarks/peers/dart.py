"""DART's contact solvers on bare matrices.

dartpy binds `BoxedLcpSolver.solve` with a single number where C++ takes an array, so it cannot be used from Python for
more than one row. The wheel exports the C++ functions, though, and they take plain arrays: they are called through
ctypes on the object that dartpy made. That rests on the layout of one release; any other release counts as absent.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from benchmarks.harness import Absent, Method, Problem, Setting, Task, Verdict, require
from surefoot.solvers.contact_problem import ContactProblem

TESTED = "6.20."
_BOUND = "dartpy binds solve() with single numbers for arrays; the C++ symbol is called instead, tried with 6.20 only"
_POINTER = ctypes.c_void_p


def dantzig() -> Method:
    """The default solver of a DART world: friction bounds follow from normal impulses found without friction."""
    constraint = _constraint("dart-dantzig")
    world = require("dart-dantzig", "dartpy", "dartpy").simulation.World()
    solver = world.getConstraintSolver().getBoxedLcpSolver()
    if not isinstance(solver, constraint.DantzigBoxedLcpSolver):
        raise Absent("dart-dantzig", "a world's default solver is not Dantzig's any more")

    def prepare(problem: Problem, setting: Setting) -> Task:
        # Keep the world: it owns the solver.
        return _task(
            problem.data, (world, solver), _symbol("DantzigBoxedLcpSolver"), solver, _box_residual, lambda: True
        )

    note = (
        "Timed: `DantzigBoxedLcpSolver::solve` through ctypes. It freezes friction bounds at mu times normal "
        "impulses found without friction; judged with the bounds of its own final normal impulses, which shows how "
        "far that is off"
    )
    return Method("dart-dantzig", "box friction: |f_x|, |f_y| <= mu f_n", prepare, note=note)


def nsgs() -> Method:
    """Non-smooth Gauss-Seidel on the exact cone."""
    constraint = _constraint("dart-nsgs")

    def prepare(problem: Problem, setting: Setting) -> Task:
        options = constraint.NsgsFrictionSolver.Options()
        options.tolerance = setting.options.get("stop", options.tolerance)
        options.maxSweeps = setting.options.get("iterations", options.maxSweeps)
        solver = constraint.NsgsFrictionSolver(options)
        solver.reserve(3 * problem.data.size)

        def claimed() -> bool:
            return solver.getStats().numConverged > 0

        task = _task(problem.data, (solver,), _symbol("NsgsFrictionSolver"), solver, _cone_residual, claimed)
        return Task(task.call, task.judge, lambda: (solver.resetStats(), task.reset()))

    note = "Timed: `NsgsFrictionSolver::solve` through ctypes, on a dense matrix built beforehand, from zero impulses"
    return Method("dart-nsgs", "Coulomb's law, exact cone", prepare, note=note)


def _constraint(name: str) -> Any:
    dartpy = require(name, "dartpy", "dartpy")
    version = metadata.version("dartpy")
    if not version.startswith(TESTED):
        raise Absent(name, f"{_BOUND}, this is {version}", "pip install 'dartpy==6.20.*'")
    return dartpy.constraint


def _symbol(name: str) -> Any:
    import dartpy

    try:
        function = getattr(
            ctypes.CDLL(dartpy.__file__), f"_ZN4dart10constraint{len(name)}{name}5solveEiPdS2_S2_iS2_S2_Pib"
        )
    except AttributeError:
        raise Absent(f"dart {name}", f"{_BOUND}, and this build does not export it") from None
    size = ctypes.c_int
    function.argtypes = [
        _POINTER,
        size,
        _POINTER,
        _POINTER,
        _POINTER,
        size,
        _POINTER,
        _POINTER,
        _POINTER,
        ctypes.c_bool,
    ]
    function.restype = ctypes.c_bool
    return function


def _task(
    contact: ContactProblem,
    owners: tuple[Any, ...],
    function: Any,
    solver: Any,
    residual: Callable[[ContactProblem, np.ndarray], float],
    claimed: Callable[[], bool],
) -> Task:
    """A x = b + w with lo <= x <= hi; rows with an index in `findex` have bounds +-hi times that row's x."""
    n = 3 * contact.size
    padded = ((n - 1) | 3) + 1
    A, x, b, lo, hi = np.zeros((n, padded)), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    findex = np.full(n, -1, dtype=np.int32)
    pointers = [array.ctypes.data for array in (A, x, b, lo, hi, findex)]
    # A pybind11 object keeps the address of its C++ object right behind the Python header.
    this = _POINTER.from_address(id(solver) + object.__basicsize__).value
    G = contact.G

    def reset() -> None:
        A[:, :n] = G
        x[:], b[:] = 0.0, -contact.c0
        b[::3] -= contact.gap_rate
        lo[::3], hi[::3], findex[:] = 0.0, np.inf, -1
        for tangent in (1, 2):
            hi[tangent::3], lo[tangent::3], findex[tangent::3] = contact.mu, -contact.mu, np.arange(0, n, 3)

    def call() -> bool:
        return function(this, n, pointers[0], pointers[1], pointers[2], 0, pointers[3], pointers[4], pointers[5], False)

    def judge(returned: bool) -> Verdict:
        assert owners
        return Verdict(returned and claimed(), residual(contact, x.copy()))

    return Task(call, judge, reset)


def _cone_residual(contact: ContactProblem, f: np.ndarray) -> float:
    return contact.residual(f, None)


def _box_residual(contact: ContactProblem, f: np.ndarray) -> float:
    """A box is a pyramid of 4 edges turned by 45 degrees, sqrt(2) wider."""
    turn = np.array([[1, 0, 0], [0, np.sqrt(0.5), np.sqrt(0.5)], [0, -np.sqrt(0.5), np.sqrt(0.5)]])
    turned = ContactProblem(
        (turn @ contact.W.reshape(-1, 3, contact.W.shape[1])).reshape(contact.W.shape),
        (contact.c0.reshape(-1, 3) @ turn.T).ravel(),
        contact.gap_rate,
        np.sqrt(2) * contact.mu,
        contact.closed,
    )
    return turned.residual((f.reshape(-1, 3) @ turn.T).ravel(), 4)
