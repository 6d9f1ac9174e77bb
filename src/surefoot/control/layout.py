"""Where everything in a pipeline lies: values, what stages add, their memories, and the table that the kernel reads."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.control.blackboard import GIVEN, Array, Board, names_of
from surefoot.control.stage import Stage
from surefoot.control.wiring import Wiring
from surefoot.kernels import pipeline as kernel


class Layout:
    """The memory and the parameters of a pipeline, as `kernels/pipeline.py` describes them.

    Attributes:
        wiring: stages and values.
        size: length of the memory.
        params: table and parameters of the stages.
    """

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring
        self._place = 0
        first = [*wiring.adding, *GIVEN]
        names = [*first, *(name for name in wiring.shapes if name not in first)]
        self._value = {name: self._room(name) for name in names}
        self._added = [{name: self._room(name) for name in names_of(stage.adds)} for stage in wiring.stages]
        board = self._place
        self._block, self._kept, self._own = [], [], []
        for stage in wiring.stages:
            self._block.append(self._place)
            self._place += 1  # ticks to wait
            self._kept.append({name: self._room(name) for name in names_of(stage.writes)})
            self._own.append(self._place)
            self._place += stage.memory
        self._block.append(self._place)
        self.size = self._place
        self.params = self._table(board)

    def _room(self, name: str) -> int:
        """Place for a value, behind all that came before."""
        place = self._place
        self._place += self._length(name)
        return place

    def _length(self, name: str) -> int:
        return int(np.prod(self.wiring.shapes[name], dtype=np.int64))

    def _table(self, board: int) -> Array:
        """Whole numbers as the bits of float64, then the parameters of the stages."""
        stages = self.wiring.stages
        header = [len(stages), self._value["time"], board]
        rows, lists, given = np.zeros((len(stages), kernel.WIDTH), np.int64), [], [stage.params for stage in stages]
        start = len(header) + rows.size
        for s, stage in enumerate(stages):
            where = self.where(s)
            rows[s, kernel.ADDRESS] = stage.address()
            rows[s, kernel.EVERY] = stage.every
            rows[s, kernel.WAIT] = self._block[s]
            rows[s, kernel.WHERE] = start + len(lists)
            rows[s, kernel.WHERES] = len(where)
            rows[s, kernel.WRITES] = len(stage.writes)
            rows[s, kernel.ADDS] = len(stage.adds)
            rows[s, kernel.OWN] = self._own[s]
            rows[s, kernel.OWN_SIZE] = stage.memory
            rows[s, kernel.GIVEN_SIZE] = len(given[s])
            lists += where
            for kept in (self._kept[s], self._added[s]):
                for name, place in kept.items():
                    lists += [self._value[name], place, self._length(name)]
        lengths = rows[:, kernel.GIVEN_SIZE]
        rows[:, kernel.GIVEN] = start + len(lists) + np.cumsum(lengths) - lengths
        table = np.array([*header, *rows.ravel(), *lists], dtype=np.int64)
        return np.concatenate([table.view(np.float64), *given])

    def where(self, s: int) -> list[int]:
        """Where each read, write and add of a stage begins on the blackboard."""
        stage = self.wiring.stages[s]
        values = [self._value[name] for name in names_of(stage.reads + stage.writes)]
        return values + list(self._added[s].values())

    def arguments(self, s: int, memory: Array) -> tuple[Array, NDArray[np.int64], Array, Array]:
        """What a compiled stage is called with after the time: board, where, memory, params."""
        stage = self.wiring.stages[s]
        board = memory[: self._block[0]]
        return board, np.array(self.where(s)), memory[self._own[s] : self._own[s] + stage.memory], stage.params

    def view(self, name: str, memory: Array, place: int | None = None) -> Array:
        """A value in its shape, on the blackboard or at another place."""
        place = self._value[name] if place is None else place
        return memory[place : place + self._length(name)].reshape(self.wiring.shapes[name])

    def span(self, name: str) -> tuple[int, int]:
        """Where a value begins and ends on the blackboard."""
        return self._value[name], self._value[name] + self._length(name)

    def board(self, s: int, memory: Array) -> Board:
        """What a stage in Python sees."""
        stage = self.wiring.stages[s]
        views: dict[str, Array] = {}
        for name in names_of(stage.reads):
            views[name] = self.view(name, memory)
            views[name].setflags(write=name in names_of(stage.writes))
        for name in names_of(stage.writes):
            views.setdefault(name, self.view(name, memory))
        for name, place in self._added[s].items():
            views[name] = self.view(name, memory, place)
        return Board(stage.name, views)

    def carry_over(self, memory: Array, other: Layout) -> Array:
        """The memory of another layout with all that both have: values, and what stages remember."""
        result = np.zeros(other.size)
        for name in other.wiring.shapes:
            if name in self.wiring.shapes:
                other.view(name, result)[...] = self.view(name, memory)
        for s, stage in enumerate(self.wiring.stages):
            new = _place_of(stage, other.wiring.stages)
            if new is None:
                continue
            old_block, new_block = (slice(*list(pairwise(lay._block))[i]) for lay, i in ((self, s), (other, new)))
            result[new_block] = memory[old_block]
            for name, place in self._added[s].items():
                other.view(name, result, other._added[new][name])[...] = self.view(name, memory, place)
        return result


def _place_of(stage: Stage, stages: tuple[Stage, ...]) -> Any:
    """Number of this very stage, or None."""
    return next((s for s, other in enumerate(stages) if other is stage), None)
