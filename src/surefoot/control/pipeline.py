"""A pipeline of stages: perception, planning and control on one blackboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from surefoot import checks
from surefoot.control.arguments import as_robot, check_state
from surefoot.control.blackboard import PHASES, Array, names_of
from surefoot.control.layout import Layout
from surefoot.control.replay import replay
from surefoot.control.stage import Stage
from surefoot.control.wiring import wire
from surefoot.errors import InputError, SolveError
from surefoot.kernels.pipeline import PYTHON, RAISED, begin_tick, run_pipeline, run_stages
from surefoot.motion.workspace import step_size
from surefoot.robots.scene import Scene
from surefoot.robots.state import State
from surefoot.simulate.policy import Policy
from surefoot.solvers.status import Status


class Pipeline:
    """Stages that run in order, each at its own rate, and exchange named values on a blackboard.

    Torques and accelerations add up: feedback and feed-forward are two stages. Wiring mistakes are found when the
    pipeline is built or changed. A pipeline of compiled stages compiles into the simulation loop.

    Example:
        stages = [sf.control.Hold(robot), sf.control.JointPID(robot, kp=30.0, kd=0.2)]
        pipeline = sf.control.Pipeline(robot, 1e-3, stages)
        trace = sf.Simulator(robot, 1e-3).rollout(robot.home(), pipeline.policy(), duration=2.0)

    Attributes:
        robot: the robot.
        dt: time between ticks in s; a stage runs at every n-th of them.
        stages: in the order they run.
        senses_torque: it takes the torques of the last tick as measured.
    """

    senses_torque = True

    def __init__(self, robot: Scene, dt: float, stages: Iterable[Stage]) -> None:
        """Build.

        Args:
            robot: robot or scene.
            dt: time between ticks in s: the step of the simulator, or its `control_dt`.
            stages: in the order they are to run.
        """
        self.robot = as_robot(robot)
        self.dt = step_size(dt)
        if isinstance(stages, Stage) or not isinstance(stages, Iterable):
            raise InputError(f"stages: expected a list of Stages, got {type(stages).__name__}")
        self._q, self._v = np.zeros(robot.nq), np.zeros(robot.nv)
        self._layout = self._next = self._laid_out(tuple(stages))
        self._use(np.zeros(self._layout.size))
        self._time: float | None = None
        self._ticking = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are made anew, at the start of a run."""
        return Pipeline, (self.robot, self.dt, self.stages)

    @property
    def control_dt(self) -> float:
        """How often a plant must call it, in s."""
        return self.dt

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages in the order they run."""
        return self._next.wiring.stages

    def __call__(self, state: State, torque: Any = None) -> Array:
        """One tick: torques (joints,) in N m. When time runs back a new run begins.

        Stages in Python may raise what they like. An error in a compiled stage is an InputError, and a code other than
        0 a SolveError; both name the stage.

        Args:
            state: as measured.
            torque: (joints,) N m of the last tick as measured, for stages that read `torque_now`; None: as given then.
        """
        check_state(self.robot, state)
        if torque is not None:
            torque = checks.array("torque", torque, (len(self.robot.joints),), finite=False)
        if self._time is not None and state.t < self._time:
            self.reset()
        self._time = state.t
        self._ticking = True
        try:
            self._tick(state, torque)
            return self.value("torque")
        finally:
            self._ticking = False
            self._change()

    def _tick(self, state: State, torque: Array | None) -> None:
        layout, memory = self._layout, self._memory
        torque = memory[: len(self.robot.joints)] if torque is None else torque
        self._q[:], self._v[:] = state.q, state.v
        begin_tick(state.t, self._q, self._v, torque, memory, layout.params)
        code, s = run_stages(state.t, memory, layout.params, 0, False)
        while code == PYTHON:
            layout.wiring.stages[s].run(self._boards[s], state.t)
            code, s = run_stages(state.t, memory, layout.params, s, True)
        if code != 0:
            _raise_code(layout, s, code, state.t, memory)

    def policy(self) -> Policy | Callable[[State], Array]:
        """For `sim.rollout`: compiled into its loop if every stage is compiled, else this pipeline itself, reset.

        The compiled policy is made of the stages as they are now, and has a memory of its own that starts clean in
        every roll-out.
        """
        if all(stage.compiled for stage in self.stages):
            return _PipelinePolicy(self.robot, self.dt, self._next)
        self.reset()
        return self

    def reset(self) -> None:
        """Start a new run: all values and memories are zero."""
        self._memory[:] = 0.0
        self._time = None
        for stage in self.stages:
            stage.reset()

    def value(self, name: str) -> Array:
        """A value as it stands on the blackboard after the last tick in Python; a copy.

        Args:
            name: name of a value that a stage reads, writes or adds to.
        """
        checks.indices("name", [name], list(self._layout.wiring.shapes), "value")
        return self._layout.view(name, self._memory).copy()

    def replay(self, trace: Any, *names: str) -> dict[str, Array]:
        """What stood on the blackboard during a roll-out that this pipeline drove; its stages run again, reset.

        Args:
            trace: the `Trace` of `sim.rollout(state, pipeline.policy(), ...)`.
            names: values that a stage reads, writes or adds to; torques of joints that followed a motion are zero.

        Returns:
            For each name an array (ticks, ...) of the value after every tick.

        Raises:
            InputError: the trace is of another robot, or the torques are not those of the trace.
        """
        again = Pipeline(self.robot, self.dt, self.stages)
        again.reset()
        return replay(again, trace, names)

    def add(self, stage: Stage, *, before: str | None = None, after: str | None = None) -> None:
        """Add a stage, from the next tick on. The others keep their memories; so they do in `remove` and `swap`.

        A stage in Python may call all three; the change then waits for the end of the tick.

        Args:
            stage: the new stage; it runs at the next tick, whatever its rate.
            before: name of the stage that it shall stand before.
            after: name of the stage that it shall stand after; with neither, it is the last of its phase.
        """
        if before is not None and after is not None:
            raise InputError(f"before, after: expected one of them, got {before!r} and {after!r}")
        stages = list(self.stages)
        if before is not None:
            place = self._find("before", before)
        elif after is not None:
            place = self._find("after", after) + 1
        elif isinstance(stage, Stage):
            place = sum(PHASES.index(other.phase) <= PHASES.index(stage.phase) for other in stages)
        else:
            place = len(stages)
        self._rearrange([*stages[:place], stage, *stages[place:]])

    def remove(self, name: str) -> Stage:
        """Take a stage out and return it.

        Args:
            name: name of the stage.
        """
        place, stages = self._find("name", name), self.stages
        self._rearrange([*stages[:place], *stages[place + 1 :]])
        return stages[place]

    def swap(self, name: str, stage: Stage) -> Stage:
        """Put a stage in the place of another, which is returned. The new one starts with a clean memory.

        Args:
            name: name of the stage that goes.
            stage: the one that comes.
        """
        place, stages = self._find("name", name), self.stages
        self._rearrange([*stages[:place], stage, *stages[place + 1 :]])
        return stages[place]

    def table(self) -> str:
        """Stages, rates and values as text for people; a + stands before what a stage adds to."""
        rows: list[tuple[str, ...]] = [("phase", "stage", "Hz", "code", "reads", "gives")]
        for stage in self.stages:
            rate, code = f"{1.0 / (self.dt * stage.every):.4g}", "compiled" if stage.compiled else "Python"
            gives = (*names_of(stage.writes), *(f"+{name}" for name in names_of(stage.adds)))
            lists = (", ".join(names) or "-" for names in (names_of(stage.reads), gives))
            rows.append((stage.phase, stage.name, rate, code, *lists))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Pipeline of {self.robot.name}, {1e3 * self.dt:g} ms: {', '.join(s.name for s in self.stages)}>"

    def _find(self, argument: str, name: str) -> int:
        return checks.indices(argument, [name], [stage.name for stage in self.stages], "stage")[0]

    def _laid_out(self, stages: tuple[Any, ...]) -> Layout:
        """Stages wired and laid out, each at the rate that it is made for."""
        wiring = wire(self.robot, stages)
        for stage in wiring.stages:
            time = stage.every * self.dt
            if stage.period is not None and abs(time - stage.period) > 1e-9 * time:
                raise InputError(
                    f"stages: {stage.name!r} is made to run every {stage.period:g} s, but would run every {time:g} s"
                )
        return Layout(wiring)

    def _rearrange(self, stages: list[Stage]) -> None:
        """Take other stages, if their wiring is in order; in the middle of a tick they wait for its end."""
        self._next = self._laid_out(tuple(stages))
        if not self._ticking:
            self._change()

    def _change(self) -> None:
        """Take the stages that wait, with the memories of those that stay."""
        if self._next is not self._layout:
            memory = self._layout.carry_over(self._memory, self._next)
            self._layout = self._next
            self._use(memory)

    def _use(self, memory: Array) -> None:
        self._memory = memory
        self._boards = [self._layout.board(s, memory) for s in range(len(self._layout.wiring.stages))]


class _PipelinePolicy(Policy):
    """A pipeline of compiled stages as a policy; it keeps them, and what they point to, alive."""

    def __init__(self, robot: Scene, dt: float, layout: Layout) -> None:
        super().__init__(run_pipeline, layout.params, layout.size, senses_torque=True, kept=True)
        self.control_dt = dt
        self._made_of = robot, dt, layout

    def __reduce__(self) -> tuple[Any, ...]:
        """Addresses do not travel: copies and pickles are made anew."""
        robot, dt, layout = self._made_of
        return _remade, (robot, dt, layout.wiring.stages)

    def bind(self, params: Any = (), memory: int = 0, *, senses_torque: bool = False) -> Policy:
        """Refused: the parameters are those of the stages."""
        raise InputError("bind: the parameters of a pipeline are those of its stages; bind them, and build it anew")

    def __call__(self, t: float, q: Any, v: Any, torque_out: Any, memory: Any, params: Any) -> int:
        """One tick from Python; an error in a stage is an InputError that names it."""
        begin_tick(t, q, v, torque_out, memory, params)
        code, s = run_stages(t, memory, params, 0, False)
        if code == RAISED:
            _raise_code(self._made_of[2], s, code, t, memory)
        torque_out[:] = memory[: len(torque_out)]
        return code


def _remade(robot: Scene, dt: float, stages: tuple[Stage, ...]) -> Any:
    return Pipeline(robot, dt, stages).policy()


def _raise_code(layout: Layout, s: int, code: int, t: float, memory: Array) -> None:
    """Raise what a stage's code stands for; an error is found by calling the stage in Python."""
    stage = layout.wiring.stages[s]
    if code != RAISED or stage.function is None:
        why = f": {Status.from_code(code)}" if stage.kept else ""
        raise SolveError(f"stage {stage.name!r} ended the run with code {code}, at t = {t:.6g} s{why}")
    cause = "an error"
    try:
        stage.function(t, *layout.arguments(s, memory))
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
    raise InputError(f"stage {stage.name!r} raised {cause}, at t = {t:.6g} s")
