"""MuJoCo's own simulation as a plant: the same policies drive it, and its roll-outs are the same traces."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot import checks
from surefoot.dynamics import by_joint
from surefoot.errors import InputError, SolveError
from surefoot.kernels import status as codes
from surefoot.kernels.rollout import ask
from surefoot.motion.workspace import check_quaternions, quaternion_places, step_size
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.simulate.arguments import check_progress, check_scene, control_rate, policy_of, step_count
from surefoot.simulate.log import new_log
from surefoot.simulate.mujoco_contacts import ContactRecorder
from surefoot.simulate.policy import Policy, PythonPolicy
from surefoot.simulate.push import Push, Pushes
from surefoot.simulate.trace import Trace
from surefoot.solvers.status import Status

INTEGRATORS = {
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}
CHUNK = 1000  # steps between looks back at their contacts
LARGEST = 1e12  # N m: more is taken for infinite, as in a Simulator
_WARNINGS = {
    codes.NOT_FINITE: ("BADQPOS", "BADQVEL", "BADQACC"),
    codes.CONTACTS_DROPPED: ("CONTACTFULL", "CNSTRFULL"),
    codes.INERTIA: ("INERTIA",),
}
_CODES = {
    int(getattr(mujoco.mjtWarning, f"mjWARN_{name}")): code for code, names in _WARNINGS.items() for name in names
}


class MujocoPlant:
    """A plant whose physics is MuJoCo's own, `mj_step`: soft contact, its solver, its integrators.

    It has its own copy of the scene's model, as the file says it: MuJoCo's friction (100 for infinite friction, the
    mean of a height map's; cones, softness and solver of the model), joint damping, dry friction and limits. Torques
    act on the joints; actuators of the file are switched off. It is called from Python, step by step.

    Attributes:
        scene: robot or scene.
        dt: step in s.
        control_dt: the policy is called this often (s), a multiple of dt.
        integrator: name of MuJoCo's integrator.
        model: MuJoCo's model, its own copy: options that are changed here act from the next step on.
    """

    def __init__(
        self,
        scene: Scene,
        dt: float = 1e-3,
        *,
        control_dt: float | None = None,
        integrator: str | None = None,
    ) -> None:
        """Make a plant.

        Args:
            scene: robot or scene.
            dt: step in s.
            control_dt: how often the policy is called, a multiple of dt; default: every step.
            integrator: "euler", "implicit", "implicitfast" or "rk4"; default: the model's own. Contacts of "rk4" are
                those of its last stage.
        """
        self.scene = check_scene(scene)
        self.dt = step_size(dt)
        self.control_dt, self._every = control_rate(control_dt, self.dt)
        self.model: mujoco.MjModel = copy.copy(scene.model)
        self.model.opt.timestep = self.dt
        if integrator is not None:
            self.model.opt.integrator = INTEGRATORS[checks.choice("integrator", integrator, INTEGRATORS)]
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET | mujoco.mjtDisableBit.mjDSBL_ACTUATION
        self._make_data()

    def _make_data(self) -> None:
        self._data = mujoco.MjData(self.model)
        self._warnings: NDArray[np.int32] = self._data.warning.number
        self._quaternions = quaternion_places(self.model)

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: all but the data."""
        names = ("scene", "dt", "control_dt", "_every", "model")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Put the plant together again, with a model and data of its own."""
        self.__dict__.update(state, model=copy.copy(state["model"]))
        self._make_data()

    @property
    def integrator(self) -> str:
        """Name of MuJoCo's integrator."""
        return next(name for name, number in INTEGRATORS.items() if number == self.model.opt.integrator)

    def step(self, state: State, torque: Any = None) -> State:
        """One step from a cold start, so that it is a function of state and torque alone; returns the next state.

        Args:
            state: where it is and how it moves.
            torque: (len(joints),) N m, or a dict by joint name; None: no torque.

        Raises:
            SolveError: the next state is not finite, or MuJoCo left contacts out.
        """
        torque = by_joint("torque", self.scene, torque)[1]
        self._load(state)
        code = self._advance(torque)
        if code != codes.SOLVED:
            raise SolveError(str(Status.from_code(code)))
        return State(self._data.qpos, self._data.qvel, state.t + self.dt)

    def rollout(
        self,
        state: State,
        policy: Policy | PythonPolicy | None = None,
        duration: float = 1.0,
        *,
        pushes: Sequence[Push] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> Trace:
        """Simulate for `duration` seconds under a policy. MuJoCo's solver starts each step from its last answer.

        The trace has no law: its residuals are NaN, and `replay` is refused. A NaN, dropped contacts or a policy that
        returns a code other than 0 end the roll-out early; `trace.ok` and `trace.message` say so. When accelerations
        grow over all bounds MuJoCo writes a line into MUJOCO_LOG.TXT of the working folder.

        Args:
            state: start.
            policy: `@sf.policy` function (its machine code is called at every step), a Python function of a State that
                returns torques, or None.
            duration: s; rounded to whole steps.
            pushes: forces from outside, see `sf.Push`; no policy knows of them.
            progress: called with (steps done, steps in all) now and then.
        """
        steps = step_count(duration, self.dt)
        compiled, python_policy = policy_of(policy, self.control_dt)
        check_progress(progress)
        self._load(state)
        scene, data, log = self.scene, self._data, new_log(steps, self.scene, state)
        log.residual[:] = np.nan
        contacts = ContactRecorder(scene, self.model, data, log, CHUNK)
        torque, memory, params = np.zeros(len(scene.joints)), compiled.new_memory(), compiled.params.copy()
        q, v = state.q.copy(), state.v.copy()  # what the policy sees: it cannot move the plant
        address = compiled.__wrapper_address__()
        outside, force, change = Pushes(pushes, scene, self.dt), np.zeros(self.model.nv), 0
        code, done = codes.SOLVED, 0
        while done < steps:
            if outside and done >= change:
                force[:], change = 0.0, outside.next(done)
                outside.add(done, self.model, data, force)
            now = state.t + done * self.dt
            if done % self._every == 0 and python_policy is not None:
                given = python_policy(State(log.q[done], log.v[done], now))
                torque[:] = checks.array("the policy's torque", given, torque.shape, finite=False)
            elif done % self._every == 0:
                q[:], v[:] = log.q[done], log.v[done]
                if ask(address, now, q, v, torque, memory, params) != 0:
                    code = codes.POLICY
                    compiled.raise_error(now, q, v, torque, memory, params)
                    break
            code = self._advance(torque, force)
            if code != codes.SOLVED:
                break
            contacts.write(done)
            log.torque[done], log.q[done + 1], log.v[done + 1] = torque, data.qpos, data.qvel
            done += 1
            if done % CHUNK == 0:
                contacts.finish(done)
                if progress is not None and done < steps:
                    progress(done, steps)
        contacts.finish(done)
        if progress is not None:
            progress(done, steps)
        return Trace.from_log(scene, None, self.dt, state.t, contacts.log, done, code, torque, prescribed=())

    def _load(self, state: State) -> None:
        """Put a state into the data; nothing of an earlier call is left."""
        if not isinstance(state, State):
            raise InputError(f"state: expected a State (see robot.home()), got {type(state).__name__}")
        q = checks.array("state.q", state.q, (self.model.nq,))
        checks.array("state.v", state.v, (self.model.nv,))
        check_quaternions(q, self._quaternions)
        mujoco.mj_resetData(self.model, self._data)
        state.to_mujoco(self._data)

    def _advance(self, torque: NDArray[np.float64], pushed: Any = 0.0) -> int:
        """One `mj_step` under torques (joints,) and a generalised force (nv,) from outside; returns a status code."""
        if not (np.abs(torque) <= LARGEST).all():
            return codes.NOT_FINITE
        self._data.qfrc_applied[:] = pushed
        self._data.qfrc_applied[self.scene.dofs] += torque
        try:
            mujoco.mj_step(self.model, self._data)
        except mujoco.FatalError:  # so it ends where memory is short of even a few contacts
            if not self._warnings.any():
                raise
        found = [code for warning, code in _CODES.items() if self._warnings[warning]] if self._warnings.any() else []
        return found[0] if found else codes.SOLVED
