"""Traces told apart by the order of their impacts: signatures, their tree, and where groups part.

After [Zapolsky2017], section 3.6.1: a trace that meets a new event, or the same events in a new order, has come past a
bifurcation, whether it failed or not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from surefoot import checks
from surefoot.errors import InputError

Signature = tuple[str, ...]
IMPACTS = ("touchdown", "strike")
END = "end"


def signature(kinds: Sequence[str], features: Sequence[str], times: Any = None, together: float = 0.0) -> Signature:
    """The impacts of a trace in order: touchdowns and strikes, as "touchdown RF_FOOT/ground".

    Args:
        kinds: (events,) what happened, in order of time; all but touchdowns and strikes are left out.
        features: (events,) between which features.
        times: (events,) in s, if `together` shall count.
        together: time in s; impacts no later than this after the first of them are taken as simultaneous, in the order
            of their names and each once, so that neither two feet that touch down as one nor chatter make a difference.
    """
    if len(kinds) != len(features):
        raise InputError(f"features: expected {len(kinds)} names, one for each event, got {len(features)}")
    kept = [k for k, kind in enumerate(kinds) if kind in IMPACTS]
    names = [f"{kinds[k]} {features[k]}" for k in kept]
    if times is None or checks.number("together", together, at_least=0.0) == 0.0:
        return tuple(names)
    at = checks.array("times", times, (len(kinds),))[kept]
    result: list[str] = []
    first = 0
    for k in range(1, len(names) + 1):
        if k == len(names) or at[k] > at[first] + together:
            result += sorted(set(names[first:k]))
            first = k
    return tuple(result)


@dataclass
class Tree:
    """What happened in common, then the branches: a prefix tree in which a run without branching is one node.

    Attributes:
        events: the run of events that all traces of this node share, after those of its parents.
        count: number of traces that came here.
        outcomes: their outcomes, by word.
        ends: number of traces that end with this run.
        children: what came next, the most frequent first.
    """

    events: Signature
    count: int
    outcomes: dict[str, int]
    ends: int
    children: list[Tree] = field(default_factory=list)

    @classmethod
    def of(cls, signatures: Sequence[Signature], outcomes: Sequence[str] | None = None) -> Tree:
        """The tree of some traces; the root's events are those that all of them share."""
        words = list(outcomes) if outcomes is not None else [""] * len(signatures)
        if len(words) != len(signatures):
            raise InputError(f"outcomes: expected {len(signatures)} words, one for each trace, got {len(words)}")
        root, open_nodes = None, [(None, list(range(len(signatures))), 0)]
        while open_nodes:
            parent, members, start = open_nodes.pop()
            stop = start + _shared([signatures[k] for k in members], start)
            groups: dict[str, list[int]] = {}
            for k in members:
                if len(signatures[k]) > stop:
                    groups.setdefault(signatures[k][stop], []).append(k)
            run = signatures[members[0]][start:stop] if members else ()
            ends = len(members) - sum(map(len, groups.values()))
            node = cls(run, len(members), dict(Counter(words[k] for k in members)), ends)
            if parent is None:
                root = node
            else:
                parent.children.append(node)
            order = sorted(groups, key=lambda event: (len(groups[event]), event))  # popped from the end
            open_nodes += [(node, groups[event], stop) for event in order]
        return root  # pyright: ignore[reportReturnType]

    def walk(self) -> Iterator[tuple[int, Tree]]:
        """Every node with its depth, parents before children."""
        stack = [(0, self)]
        while stack:
            depth, node = stack.pop()
            yield depth, node
            stack += [(depth + 1, child) for child in reversed(node.children)]


@dataclass(frozen=True)
class Parting:
    """Where two groups of traces part.

    Attributes:
        position: number of events before.
        before: those events.
        a: what comes next in the first group ("end": its trace ends).
        b: what comes next in the second group.
        share_a: share of the first group that does so there.
        share_b: share of the second group that does so there.
    """

    position: int
    before: Signature
    a: str
    b: str
    share_a: float
    share_b: float

    def __str__(self) -> str:
        after = f"after {self.before[-1]}" if self.before else "from the start"
        shares = f"{self.a} ({100 * self.share_a:.0f} %) against {self.b} ({100 * self.share_b:.0f} %)"
        return f"event {self.position + 1}, {after}: {shares}"


def parting(group_a: Sequence[Signature], group_b: Sequence[Signature]) -> Parting | None:
    """The first event where two groups of traces part; None if they do not.

    The distance of the groups up to an event is the total variation between how often each beginning of that length
    occurs in them; it can only grow from event to event. They part where it first reaches half of its final value, at
    the beginning that adds most to it.
    """
    groups = [[(*each, END) for each in group] for group in (group_a, group_b)]
    if not groups[0] or not groups[1]:
        return None
    longest = max(len(each) for group in groups for each in group)
    distance = _distance(groups, longest)
    if distance == 0.0:
        return None
    low, high = 0, longest  # the distance is below half its final value at low, and not at high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _distance(groups, middle) >= 0.5 * distance else (middle, high)
    return _at(groups, low)


def _shared(signatures: Sequence[Signature], start: int) -> int:
    """How many events from `start` on all signatures share."""
    stop, least = start, min(map(len, signatures), default=0)
    while stop < least and all(each[stop] == signatures[0][stop] for each in signatures):
        stop += 1
    return stop - start


def _shares(group: Iterable[Signature], length: int) -> dict[Signature, float]:
    """How often each beginning of some length occurs in a group."""
    found = Counter(each[:length] for each in group)
    return {each: count / found.total() for each, count in found.items()}


def _distance(groups: Sequence[Sequence[Signature]], length: int) -> float:
    """Total variation between the beginnings of some length in two groups, 0 to 1."""
    a, b = (_shares(group, length) for group in groups)
    return 0.5 * math.fsum(abs(a.get(each, 0.0) - b.get(each, 0.0)) for each in {*a, *b})


def _at(groups: Sequence[Sequence[Signature]], length: int) -> Parting:
    """The parting after `length` events, at the beginning of that length which adds most to the distance."""
    before = [_shares(group, length) for group in groups]
    after = [_shares(group, length + 1) for group in groups]
    gain = {each: -abs(before[0].get(each, 0.0) - before[1].get(each, 0.0)) for each in {*before[0], *before[1]}}
    lead = {each: after[0].get(each, 0.0) - after[1].get(each, 0.0) for each in {*after[0], *after[1]}}
    for each, value in lead.items():
        gain[each[:length]] += abs(value)
    there = max(sorted(gain), key=lambda each: gain[each])
    nexts = sorted(each for each in lead if each[:length] == there and len(each) > length)
    a, b = max(nexts, key=lambda each: lead[each]), min(nexts, key=lambda each: lead[each])
    return Parting(length, there, a[-1], b[-1], after[0].get(a, 0.0), after[1].get(b, 0.0))
