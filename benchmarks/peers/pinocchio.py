"""Pinocchio's `ADMMConstraintSolver`: Coulomb's law on the exact cone [Carpentier, Le Lidec, Montaut 2024]."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.harness import Absent, Method, Problem, Setting, Task, Verdict, require
from surefoot.solvers.contact_problem import ContactProblem


def admm() -> Method:
    """With its default update rule."""
    pin = _pinocchio("pinocchio-admm")
    return _admm(
        pin, "pinocchio-admm", {}, "Its default settings but for the tolerance; at most 1000 iterations, its default."
    )


def admm_tuned() -> Method:
    """With the settings that were best of a dozen tried on these problems."""
    pin = _pinocchio("pinocchio-admm-tuned")
    options = {"admm_update_rule": pin.ADMMUpdateRule.SPECTRAL, "anderson_capacity": 5}
    return _admm(
        pin,
        "pinocchio-admm-tuned",
        options,
        "Spectral update rule, Anderson acceleration of 5, at most 1000 iterations.",
    )


def _pinocchio(name: str) -> Any:
    pin = require(name, "pinocchio", "pin")
    if not hasattr(pin, "ADMMConstraintSolver"):
        raise Absent(
            name, f"Pinocchio {pin.__version__} has no ADMMConstraintSolver in Python", "pip install 'pin>=4.1'"
        )
    return pin


def _admm(pin: Any, name: str, options: dict[str, Any], note: str) -> Method:
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")

    def prepare(problem: Problem, setting: Setting) -> Task:
        contact: ContactProblem = problem.data
        normal_last = np.arange(3 * contact.size).reshape(-1, 3)[:, [1, 2, 0]].ravel()
        G = contact.G[np.ix_(normal_last, normal_last)]
        g = contact.c0.copy()
        g[::3] += contact.gap_rate
        g = g[normal_last]
        models, datas = _cones(pin, model, contact.mu)
        settings = pin.ADMMSolverSettings()
        settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = setting.options["stop"]
        settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
        settings.max_iterations = setting.options["iterations"]
        for key, value in options.items():
            setattr(settings, key, value)
        solver = pin.ADMMConstraintSolver(len(g))
        fresh: list[Any] = [None, None]

        def reset() -> None:
            # A used operator keeps its damping, a used result would warm-start the next solve.
            fresh[:] = pin.DelassusOperatorDense(G), pin.ADMMSolverResult()

        def judge(converged: bool) -> Verdict:
            f = np.empty(len(g))
            f[normal_last] = fresh[1].retrieveConstraintImpulses()
            return Verdict(converged, contact.residual(f, None))

        return Task(lambda: solver.solve(fresh[0], g, models, datas, settings, fresh[1]), judge, reset)

    timed = "Timed: `ADMMConstraintSolver.solve` on a dense Delassus matrix built beforehand, cold start. "
    return Method(name, "Coulomb's law, exact cone", prepare, note=timed + note)


def _cones(pin: Any, model: Any, mu: np.ndarray) -> tuple[Any, Any]:
    """Constraint models that only carry friction: the matrix is given."""
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for value in mu:
        cone = pin.PointContactConstraintModel(model, 1)
        cone.setFriction(float(value))
        models.append(pin.ConstraintModel(cone))
    for cone in models:
        datas.append(cone.createData())
    return models, datas
