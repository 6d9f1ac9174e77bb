"""Every solution of one step: what else the contact law allows beside the answer that was found.

The problem of a step, `c+ = W W' f + c0` with the law on f and c+, is a contact system at rest: its coordinates are the
free velocities in units in which their inertia is 1, its accelerations are velocities at the end of the step over dt.
So the search for modes serves it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from surefoot.errors import InputError
from surefoot.kernels.plant import BOX, CONE
from surefoot.kernels.problem import STANDARD
from surefoot.laws.conditions import law_conditions
from surefoot.modes.blocks import Block
from surefoot.modes.linear import Linear
from surefoot.modes.mode import Mode
from surefoot.modes.painleve import painleve
from surefoot.modes.scaling import scaled
from surefoot.modes.search import inequalities, search
from surefoot.modes.solutions import solution_of
from surefoot.modes.step_blocks import box_block, contact_block, normal_block
from surefoot.modes.step_cut import with_cut
from surefoot.modes.step_solutions import StepRange, StepSolution, StepSolutions
from surefoot.modes.system import ContactSystem

Array = NDArray[np.float64]

NOTHING = np.zeros(0)  # a step leaves no torques to choose
SAME = 1e-6
"""Without units: an answer that misses the conditions of a mode by less is in that mode."""


class Step(NamedTuple):
    """One solved step.

    Attributes:
        problem: of an `Answer`.
        law: name of the law.
        dt: s.
        velocity: (nv,) at the end of the step; only that of prescribed ones is used.
        names: of all blocks, contacts first.
        contacts: how many contacts there are.
        dofs: (joints,) actuated velocities.
        motors: numbers of the blocks that are motors.
        solved: whether the impulses in the problem are a solution.
    """

    problem: Mapping[str, Any]
    law: str
    dt: float
    velocity: Array
    names: tuple[str, ...]
    contacts: int
    dofs: NDArray[np.int64]
    motors: tuple[int, ...]
    solved: bool


def step_solutions(step: Step, progress: bool = False) -> StepSolutions:
    """Find every solution; `progress` shows a bar."""
    p = step.problem
    if p["form"] != STANDARD or p["dissipative"]:
        raise InputError(
            f"ambiguity: expected an answer under Coulomb's law, without slip or on springs; the {step.law} law of "
            "this one is convex and has one motion by construction"
        )
    modes = step_modes(step, progress)
    slides = painleve(*step_system(step))
    found = [_solution(step, mode) for mode in modes]
    return StepSolutions(step.names, found, _own(p, _own_force(step), modes), slides)


def step_modes(step: Step, progress: bool = False) -> list[Mode]:
    """Every mode in which the step has a solution."""
    p = step.problem
    system, blocks = step_system(step)
    units, short = scaled(system), (system, blocks)
    if step.solved:
        joints = np.flatnonzero(p["kind"] == BOX)
        short = with_cut(system, blocks, _own_force(step), {int(i): p["bound"][i] / step.dt for i in joints})
    found = search(inequalities(*short, units), progress=progress)
    return [Mode(system, units, blocks, leaf) for leaf in found.leaves]


def step_system(step: Step) -> tuple[ContactSystem, list[Block]]:
    """The step as a contact system, and the modes of its blocks."""
    p, kind, dt = step.problem, step.problem["kind"], step.dt
    W, n, edges = _without_rounding(p), len(kind), len(p["edges"])
    offset = np.column_stack([p["offset"], np.zeros((n, 2))]).ravel()
    boxes = np.flatnonzero(kind == BOX)
    system = ContactSystem(
        inertia=np.eye(W.shape[1]),
        bias=np.zeros(W.shape[1]),
        jacobian=W,
        friction=np.where(kind == CONE, p["mu"], np.where(kind == BOX, 1.0, 0.0)),
        inputs=np.zeros((W.shape[1], 0)),
        jacobian_rate=(p["c0"] + offset) / dt,
        physical=[Linear(force=np.eye(3 * n)[3 * i], equals=p["bound"][i] / dt) for i in boxes],
        edges=edges,
        names=step.names,
    )
    blocks = []
    for i in range(n):
        if kind[i] == CONE:
            blocks.append(contact_block(float(p["mu"][i]), edges, W[3 * i + 1 : 3 * i + 3]))
        else:
            blocks.append(box_block() if kind[i] == BOX else normal_block())
    return system, blocks


def _without_rounding(problem: Mapping[str, Any]) -> Array:
    """(3n, nu) W, zero where loops leave nothing but rounding of a row: scaled up, that would count."""
    W, free = problem["W"], ~problem["prescribed"]
    if not len(problem["bilateral"]):
        return W
    J, M = problem["J"][:, free], problem["M"][np.ix_(free, free)]
    whole = np.einsum("ij,ji->i", J, scipy.linalg.solve(M, J.T, assume_a="pos"))  # squared sizes of W without loops
    return np.where((W**2).sum(axis=1) > 1e-18 * whole, W.T, 0.0).T


def _impulses(step: Step, force: Array) -> Array:
    """(3n,) N s, from the forces of the contact system."""
    f = step.dt * force.reshape(-1, 3)
    f[step.problem["kind"] == BOX, 0] = 0.0  # there the first component is the bound
    return f.ravel()


def _own_force(step: Step) -> Array:
    """(3n,) the answer itself as forces of the contact system."""
    p = step.problem
    force = p["f"].reshape(-1, 3) / step.dt
    force[p["kind"] == BOX, 0] = p["bound"][p["kind"] == BOX] / step.dt
    return force.ravel()


def _own(problem: Mapping[str, Any], force: Array, modes: list[Mode]) -> int | None:
    """Number of the mode in which the answer itself is."""
    misses = [mode.residual(NOTHING, problem["W"].T @ force, force) for mode in modes]
    if not misses or min(misses) > SAME:
        return None
    return int(np.argmin(misses))


def _solution(step: Step, mode: Mode) -> StepSolution:
    p, inner = step.problem, solution_of(mode, NOTHING)
    f = _impulses(step, inner.force)
    velocity, torque = _motion(step, f)
    miss = law_conditions({**p, "f": f})
    return StepSolution(
        mode=mode.name,
        tokens=mode.tokens,
        velocity=velocity,
        forces=f.reshape(-1, 3)[: step.contacts] / step.dt,
        torque=torque,
        dimension=inner.dimension,
        ambiguity="motion" if inner.ambiguity == "accelerations" else inner.ambiguity,
        residual=max(miss.values()),
        _range=lambda: _extent(step, mode),
    )


def _motion(step: Step, f: Array) -> tuple[Array, Array]:
    """Velocities (nv,) at the end of the step and torques (joints,) under impulses f (3n,)."""
    p, dt = step.problem, step.dt
    M, B, fixed = p["M"], p["bilateral"], p["prescribed"]
    free = ~fixed
    push = p["kappa"] + dt * np.where(fixed, 0.0, p["tau"]) + p["J"].T @ f
    v = np.where(fixed, step.velocity, 0.0)
    inner = scipy.linalg.cho_factor(M[np.ix_(free, free)])
    v[free] = scipy.linalg.cho_solve(inner, push[free] - M[np.ix_(free, fixed)] @ v[fixed])
    hold = np.zeros(len(v))
    if len(B):
        reach = scipy.linalg.cho_solve(inner, B[:, free].T)
        pull = np.linalg.lstsq(B[:, free] @ reach, p["target"] - B @ v, rcond=1e-12)[0]
        v[free] += reach @ pull
        hold = B.T @ pull
    torque = np.where(fixed, (M @ v - push - hold) / dt, p["tau"])
    for i in step.motors:
        torque += p["J"][3 * i + 1] * f[3 * i + 1] / dt
    return v, torque[step.dofs]


def _extent(step: Step, mode: Mode) -> StepRange:
    """Lowest and highest velocities, forces and torques of a mode."""
    n, count = 3 * len(step.problem["kind"]), mode.ambiguity_variables

    def outcome(force: Array) -> Array:
        f = _impulses(step, force)
        return np.concatenate([*_motion(step, f), f[: 3 * step.contacts] / step.dt])

    start = mode.respond(NOTHING)[1]
    base = outcome(start)
    per_force = np.array([outcome(axis) - outcome(np.zeros(n)) for axis in np.eye(n)]).reshape(n, len(base)).T
    ways = np.array([mode.respond(NOTHING, axis)[1] - start for axis in np.eye(count)]).reshape(count, n).T
    directions = per_force @ ways
    directions[np.abs(directions) <= 1e-9 * (np.abs(per_force) @ np.abs(ways))] = 0.0
    fibre = mode.fibre(NOTHING)
    high = base + [fibre.maximise(row).value for row in directions]
    low = base - [fibre.maximise(-row).value for row in directions]
    nv, last = len(step.velocity), 3 * step.contacts
    parts = []
    for end in (low, high):
        parts.append((end[:nv], end[len(base) - last :].reshape(-1, 3), end[nv : len(base) - last]))
    return StepRange(*(part for pair in zip(*parts, strict=True) for part in pair))
