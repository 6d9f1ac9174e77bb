"""What kernels see of a scene, and the arrays they work in."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.contact.friction import friction_tables
from surefoot.kernels.bilateral import bilateral_solvers
from surefoot.kernels.cone_laws import solve_exact_law, solve_soft_law
from surefoot.kernels.contact_law import absent_law, contact_law, law_pointer, make_solver, solve_spring_law
from surefoot.kernels.energy import solve_energy_law
from surefoot.kernels.engine import LAYOUT
from surefoot.kernels.fallback import Ladder
from surefoot.kernels.finding import Finding, row_finder
from surefoot.kernels.memory import make_memory
from surefoot.kernels.plant import Plant, Rows
from surefoot.kernels.problem import ENERGY, EXACT, SOFT, STANDARD
from surefoot.kernels.reduction import Reduced
from surefoot.kernels.settings import Settings
from surefoot.kernels.smooth import smoother
from surefoot.kernels.softness import Mobility, Softening, softener
from surefoot.kernels.step import Step
from surefoot.robots.scene import Scene

Array = NDArray[np.float64]
OTHER_LAWS = {EXACT: solve_exact_law, ENERGY: solve_energy_law, SOFT: solve_soft_law}


def geom_ranks(scene: Scene, m: mujoco.MjModel) -> NDArray[np.int64]:
    """(ngeom,) 0 fixed to the world, 1 loose object, 2 robot: of two geoms that touch the higher one is pushed."""
    objects = {m.body(name).rootid[0] for name in scene.objects}
    body_rank = np.where(m.body_weldid == 0, 0, np.where(np.isin(m.body_rootid, list(objects)), 1, 2))
    return body_rank[m.geom_bodyid].astype(np.int64)


def make_plant(scene: Scene, m: mujoco.MjModel, d: mujoco.MjData) -> Plant:
    """What kernels see of a scene's model and data."""
    flags = scene.model.opt.disableflags
    off = mujoco.mjtDisableBit
    fields = m.geom_type == int(mujoco.mjtGeom.mjGEOM_HFIELD)
    return Plant(
        m=m._address,
        d=d._address,
        layout=LAYOUT,
        qpos=d.qpos,
        qvel=d.qvel,
        qfrc_bias=d.qfrc_bias,
        qfrc_passive=d.qfrc_passive,
        qfrc_applied=d.qfrc_applied,
        dof_damping=m.dof_damping * (not flags & int(off.mjDSBL_DAMPER)),
        dof_frictionloss=m.dof_frictionloss * (not flags & int(off.mjDSBL_FRICTIONLOSS)),
        jnt_type=m.jnt_type,
        jnt_qposadr=m.jnt_qposadr,
        jnt_dofadr=m.jnt_dofadr,
        jnt_limited=m.jnt_limited.astype(bool) & (not flags & int(off.mjDSBL_LIMIT)),
        jnt_range=m.jnt_range,
        tendon_limited=m.tendon_limited.astype(bool) & (not flags & int(off.mjDSBL_LIMIT)),
        tendon_range=m.tendon_range,
        ten_length=d.ten_length,
        ten_J=d.ten_J,
        ten_J_rownnz=m.ten_J_rownnz,
        ten_J_rowadr=m.ten_J_rowadr,
        ten_J_colind=m.ten_J_colind,
        dof_parentid=m.dof_parentid,
        body_last_dof=_last_dofs(m),
        body_rootid=m.body_rootid,
        cdof=d.cdof,
        subtree_com=d.subtree_com,
        geom_bodyid=m.geom_bodyid,
        geom_rank=geom_ranks(scene, m),
        geom_priority=m.geom_priority,
        geom_mu=np.ascontiguousarray(m.geom_friction[:, 0]),
        geom_xpos=d.geom_xpos,
        geom_xmat=d.geom_xmat,
        **friction_tables(scene, m)._asdict(),
        hfield=np.where(fields, m.geom_dataid, -1).astype(np.int64),
        hfield_size=m.hfield_size,
        hfield_shape=np.stack([m.hfield_nrow, m.hfield_ncol], axis=1).astype(np.int64),
        hfield_adr=m.hfield_adr,
        hfield_data=m.hfield_data,
        neq=m.neq,
    )


def make_mobility(model: mujoco.MjModel) -> Mobility:
    """Constants of the soft law: MuJoCo's mean J M^-1 J' of bodies, joints and tendons in the reference pose.

    A body's is that of its centre of mass, 1/m if it is free. Where the centre cannot move, the rest of the body may
    (a wheel): it counts as at least that of its turning at the distance at which a free body has 1/m in both.
    """
    move, turn = model.body_invweight0.T
    inverse = np.divide(1.0, model.body_inertia, out=np.zeros((model.nbody, 3)), where=model.body_inertia > 0.0)
    size = model.body_mass * inverse.mean(axis=1)  # of a free body: its turning / its moving
    body = np.maximum(move, np.divide(turn, size, out=np.zeros(model.nbody), where=size > 0.0))
    dof = model.dof_invweight0.copy()
    return Mobility(body, body[model.geom_bodyid], dof[model.jnt_dofadr], dof, model.tendon_invweight0.copy())


def make_step(
    settings: Settings,
    plant: Plant,
    edges: Array,
    model: mujoco.MjModel,
    dofs: NDArray[np.int64],
    capacity: int,
    level: int,
) -> tuple[Step, Ladder]:
    """Arrays of the kernels for up to `capacity` contacts, limits, dry frictions and motors; see `make_solver`."""
    nv = model.nv
    # Contacts on springs have a velocity of their own.
    columns = nv + (0 if np.isinf(settings.law.stiffness) else capacity)
    form = settings.law.form
    solver, ladder = make_solver(capacity, len(edges), columns, 6 * model.neq, level=level)
    if form != STANDARD:
        law = law_pointer(OTHER_LAWS[form], solver)
    else:
        law = contact_law(solver) if np.isinf(settings.law.stiffness) else law_pointer(solve_spring_law, solver)
    smoothing, smooth = smoother(solver.scratch, settings.law.smooth, capacity, len(edges), nv, columns)
    bilateral = 6 * model.neq
    count = 3 * capacity + bilateral

    def floats(*shape: int) -> Array:
        return np.zeros(shape)

    def ints(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    rows = Rows(
        kind=ints(capacity),
        source=ints(capacity, 2),
        point=floats(capacity, 3),
        frame=floats(capacity, 3, 3),
        gap=floats(capacity),
        mu=floats(capacity),
        bound=floats(capacity),
        drive=floats(capacity),
        turning=floats(capacity, 2),
        J=floats(count, nv),
        J_world=floats(nv, 3),
    )
    reduced = Reduced(
        M=floats(nv, nv),
        kappa=floats(nv),
        free=ints(nv),
        L=floats(nv, nv),
        rise=ints(nv),
        inverse_pivot=floats(nv),
        y0=floats(nv),
        W=floats(count, columns),
        c0=floats(count),
        Q=floats(bilateral + 1, nv),
        R_bilateral=floats(bilateral + 1, bilateral + 1),
        order=ints(bilateral + 1),
        particular=floats(nv),
        y=floats(nv),
    )
    hold, loop_force = bilateral_solvers(reduced, model.neq > 0)
    shared = Finding(
        plant=plant,
        rows=rows,
        settings=settings,
        torque=floats(nv),
        v_next=floats(nv),
        motor=np.full(nv, -1.0),
        planned=np.zeros(1, dtype=np.int64),
        stance=np.zeros(model.ngeom, dtype=bool),
        warnings=ints(2),
    )
    finding, find = row_finder(shared)
    target = floats(bilateral + 1)
    softening, soften = softener(
        Softening(
            rows=rows,
            law=settings.law,
            mobility=make_mobility(model),
            dt=settings.dt,
            v=plant.qvel,
            W=reduced.W,
            S=reduced.L,
            z=reduced.y,
            gaps=target,
            R=solver.R,
            target=solver.target,
            turn=solver.turn,
            M=reduced.M,
            kappa=reduced.kappa,
        ),
        form == SOFT,
    )
    step = Step(
        **shared._asdict(),
        reduced=reduced,
        memory=make_memory(capacity),
        solver=solver,
        finding=finding,
        find=find,
        law=law,
        softening=softening,
        soften=soften,
        hold=hold,
        loop_force=loop_force,
        depth_law=absent_law(solver) if form == SOFT else contact_law(solver),
        smoothing=smoothing,
        smooth=smooth,
        edges=edges,
        offset=floats(capacity),
        impulse_bound=floats(capacity),
        f=floats(3 * capacity),
        target=target,
        dofs=np.asarray(dofs, dtype=np.int64),
        prescribed=np.zeros(nv, dtype=bool),
        nothing=np.zeros(nv, dtype=bool),
        force=floats(nv),
        last_force=floats(nv),
        correction=floats(nv),
        zeros=floats(3 * capacity),
        gaps=floats(capacity),
        normal_only=ints(capacity),
    )
    return step, ladder


def _last_dofs(model: mujoco.MjModel) -> NDArray[np.int64]:
    """The last degree of freedom that moves each body, -1 if none does."""
    last = np.full(model.nbody, -1, dtype=np.int64)
    for body in range(1, model.nbody):
        count = model.body_dofnum[body]
        last[body] = model.body_dofadr[body] + count - 1 if count else last[model.body_parentid[body]]
    return last
