"""Behaviours: traces that meet the same impacts, about as often and one after another in about the same way.

Feet chatter, and of a hundred walks over a curb no two have the same signature, nor one within a few edits of another;
even which impacts are met at all differs in nearly every trace. What tells walks apart is how often each impact, and
each pair of successive impacts, occurs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

from surefoot.traces.signatures import Signature

MOST = 5  # behaviours
LEAST = 0.02  # share of the traces that a behaviour has at least, and no fewer than two
FIRST = 3  # impacts of the example
MARKS = 2  # impacts by which a behaviour is told from the others
_CLEAR = 0.25  # in the root of a count: half of the standard deviation of rare, independent impacts
_TINY = 1e-9  # of all variation


@dataclass(frozen=True)
class Mark:
    """An impact, or two in succession, that a behaviour has more or less often than the others.

    Attributes:
        events: one or two, such as "strike LF_FOOT/curb side".
        here: times a trace, in the mean.
        elsewhere: the same for all other traces.
    """

    events: Signature
    here: float
    elsewhere: float


@dataclass(frozen=True, eq=False)
class Behaviour:
    """Traces that are alike.

    Attributes:
        members: (count,) places of its traces among those given.
        example: place of the trace nearest to its middle.
        first: the first impacts of the example, each once, of those that not every trace meets.
        marks: what tells it from the others, the clearest first.
    """

    members: NDArray[np.int64]
    example: int
    first: Signature
    marks: tuple[Mark, ...]

    def __len__(self) -> int:
        return len(self.members)


@dataclass(frozen=True, eq=False)
class Behaviours:
    """Traces grouped by what they meet.

    Attributes:
        groups: the behaviours, the most frequent first.
        explained: share of the variation between traces that lies between behaviours, 0 to 1; 0 if there is one. The
            rest lies within them: a small share means that traces differ by degrees, and the groups only sort them.
    """

    groups: tuple[Behaviour, ...]
    explained: float

    def __len__(self) -> int:
        return len(self.groups)


def behaviours(signatures: Sequence[Signature]) -> Behaviours:
    """Group traces by their signatures, knowing nothing of how they ended.

    A trace is described by the roots of how often each impact, and each pair of successive impacts, occurs in it: the
    root makes a count's chance variation the same for rare and frequent ones. Ward's method ([Ward1963]) merges the
    nearest groups; its tree is cut where that leaves most of the variation between groups, into at most five of at
    least 2 % of the traces. Traces too few for a group of their own join the nearest. A trace that ends early has fewer
    impacts: falls are told apart by that too. The same signatures give the same groups.
    """
    table, names = _described(signatures)
    labels = _nearest(table, _cut(table))
    total = float(((table - table.mean(axis=0)) ** 2).sum()) if len(table) else 0.0
    members = [np.flatnonzero(labels == k) for k in range(labels.max(initial=-1) + 1)]
    within = math.fsum(float(((table[each] - table[each].mean(axis=0)) ** 2).sum()) for each in members)
    shared = {
        name[0] for name, met in zip(names, np.all(table > 0.0, axis=0).tolist(), strict=True) if met and len(name) == 1
    }
    found = []
    for each in sorted(members, key=lambda places: (-len(places), places[0])):
        away = ((table[each] - table[each].mean(axis=0)) ** 2).sum(axis=1)
        example = int(each[np.argmin(away)])
        found.append(Behaviour(each, example, _first(signatures[example], shared), _marks(table, each, names)))
    return Behaviours(tuple(found), 1.0 - within / total if len(found) > 1 else 0.0)


def _described(signatures: Sequence[Signature]) -> tuple[NDArray[np.float64], list[Signature]]:
    """(traces, columns) roots of how often each impact and each pair of them occurs; and which those are."""
    counted = [Counter([*((event,) for event in each), *pairwise(each)]) for each in signatures]
    names = sorted({name for each in counted for name in each}, key=lambda name: (len(name), name))
    table = [[each[name] for name in names] for each in counted]
    return np.sqrt(np.array(table, dtype=np.float64).reshape(len(signatures), len(names))), names


def _cut(table: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Places of the traces in each group; those in no group of sufficient size are left out."""
    n = len(table)
    if n < 2 or not table.shape[1]:
        return [np.arange(n)] if n else []
    tree = linkage(table, "ward")
    least, gains = max(2, math.ceil(LEAST * n)), tree[:, 2] ** 2 / 2.0  # what each merger adds to the variation within
    smallest = _TINY * gains.sum()
    open_nodes, whole = [2 * n - 2], []
    while len(open_nodes) + len(whole) < MOST:
        split = max((node for node in open_nodes if node >= n), key=lambda node: (gains[node - n], node), default=-1)
        if split < 0 or gains[split - n] <= smallest:
            break
        open_nodes.remove(split)
        halves = [int(tree[split - n, side]) for side in (0, 1)]
        kept = [half for half in halves if _size(tree, half, n) >= least]
        open_nodes += kept  # a half that is too small is left out
        whole += [] if kept else [split]
    return _leaves(tree, [*whole, *open_nodes], n)


def _size(tree: Any, node: int, n: int) -> int:
    return 1 if node < n else int(tree[node - n, 3])


def _leaves(tree: Any, nodes: Sequence[int], n: int) -> list[NDArray[np.int64]]:
    """The traces below each of some nodes."""
    found = []
    for node in nodes:
        stack, places = [node], []
        while stack:
            top = stack.pop()
            if top < n:
                places.append(top)
            else:
                stack += [int(tree[top - n, 0]), int(tree[top - n, 1])]
        found.append(np.array(sorted(places), dtype=np.int64))
    return found


def _nearest(table: NDArray[np.float64], groups: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """(traces,) number of each trace's group; one that is in none joins that with the nearest mean."""
    labels = np.full(len(table), -1, dtype=np.int64)
    for k, each in enumerate(groups):
        labels[each] = k
    strays = np.flatnonzero(labels < 0)
    if len(strays):
        means = np.array([table[each].mean(axis=0) for each in groups])
        labels[strays] = [int(np.argmin(((means - table[k]) ** 2).sum(axis=1))) for k in strays]
    return labels


def _first(signature: Signature, shared: set[str]) -> Signature:
    """What a trace meets first, each impact once: what some traces never meet or, if there is no such, all."""
    met = list(dict.fromkeys(signature))
    return tuple([event for event in met if event not in shared][:FIRST] or met[:FIRST])


def _marks(table: NDArray[np.float64], members: NDArray[np.int64], names: Sequence[Signature]) -> tuple[Mark, ...]:
    """The impacts whose counts differ most between some traces and all others; pairs only if no single one does."""
    inside = np.zeros(len(table), dtype=bool)
    inside[members] = True
    if inside.all():
        return ()
    here, elsewhere = table[inside], table[~inside]
    lead = np.abs(here.mean(axis=0) - elsewhere.mean(axis=0))
    clear = [k for k in np.argsort(-lead, kind="stable") if lead[k] >= _CLEAR]
    chosen = [k for k in clear if len(names[k]) == 1] or clear
    means = np.rint(here**2).mean(axis=0), np.rint(elsewhere**2).mean(axis=0)
    return tuple(Mark(names[k], float(means[0][k]), float(means[1][k])) for k in chosen[:MARKS])
