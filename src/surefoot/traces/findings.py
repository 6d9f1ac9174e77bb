"""What a run says: every policy in a word, with the numbers, what fails and the parameter that decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.behaviours import Behaviours, behaviours
from surefoot.traces.groups import Group, groups, texts
from surefoot.traces.paired import compare
from surefoot.traces.rates import Rate
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.scatter import Scatter, scatter
from surefoot.traces.sensitivity import Influence, ranking
from surefoot.traces.signatures import Parting, Signature, parting, signature
from surefoot.traces.verdict import Verdict, verdict

SURE = 0.05  # p-value, enlarged for the number of parameters, below which a parameter decides
MOST_TRACES = 2000  # of a policy, the first ones, whose events are read
TOGETHER = 0.02  # s: impacts this near to each other count as one moment
BY_SUCCESS = "success"
BIFURCATES = "bifurcates"


@dataclass(frozen=True, eq=False)
class Finding:
    """All that a run says of one policy.

    Attributes:
        group: its traces.
        verdict: word and reason.
        by: what parameters were ranked by: "success", the name of a margin, or "" if nothing could be.
        influences: the parameters, the surest first.
        signatures: order of impacts of its traces (the first 2000).
        scatter: whether the traces that succeed end in one cloud or in two.
        parting: where successes and failures part, or None.
        looked: whether the run could stop early; intervals then hold at every look.
    """

    group: Group
    verdict: Verdict
    by: str
    influences: list[Influence]
    signatures: list[Signature]
    scatter: Scatter
    parting: Parting | None
    looked: bool = False

    @property
    def policy(self) -> str:
        """Its name."""
        return self.group.policy

    @property
    def rate(self) -> Rate:
        """Of success, among all traces."""
        return Rate(int(self.group.success.sum()), len(self.group), looked=self.looked)

    @cached_property
    def behaviours(self) -> Behaviours:
        """Its traces (the first 2000) grouped by the impacts that they meet; see `surefoot.traces.behaviours`."""
        return behaviours(self.signatures)

    def ways(self) -> list[tuple[int, int]]:
        """Of every behaviour the number of its traces, and how many of them succeed."""
        return [(len(each), int(self.group.success[each.members].sum())) for each in self.behaviours.groups]

    @property
    def decides(self) -> str:
        """Name of the parameter that decides between success and failure, "" if none does for sure."""
        return deciding(self.influences) if self.by == BY_SUCCESS else ""

    def row(self) -> tuple[str, str, str, str, str]:
        """Policy, verdict, rate, what fails and what decides, as texts."""
        causes = ", ".join(f"{name or 'unnamed'} {often}" for name, often, _ in self.group.causes()[:2])
        lost = int((~self.group.answered).sum())
        failed = ", ".join(text for text in (causes, f"broken {lost}" if lost else "") if text)
        return self.policy, self.verdict.word, str(self.rate), failed or "-", self.decides or "-"


def findings(folder: RunFolder) -> list[Finding]:
    """All that a run says, one Finding a policy, in the order of the policies."""
    return [_finding(folder, group) for group in groups(folder.particles(), folder.policies)]


def _finding(folder: RunFolder, group: Group) -> Finding:
    found = signatures_of(folder, group)
    by, ranked = influences(group, _closest(group))
    success, answered = group.success[: len(found)], group.answered[: len(found)]
    good = [each for each, yes in zip(found, success, strict=True) if yes]
    bad = [each for each, yes in zip(found, answered & ~success, strict=True) if yes]
    clouds = scatter(_ends(group))
    ways = [int((~clouds.second).sum()), int(clouds.second.sum())] if clouds.word == BIFURCATES else []
    decides = deciding(ranked) if by == BY_SUCCESS else ""
    looked = folder.header.get("stop") is not None
    word = verdict(int(group.success.sum()), len(group), ways, decides, looked=looked)
    return Finding(group, word, by, ranked, found, clouds, parting(good, bad) if good and bad else None, looked)


def comparisons(found: Sequence[Finding]) -> list[str]:
    """Policies against each other on the same particles, one sentence a pair that differs for sure."""
    known = {
        one.policy: dict(zip(one.group.particle.tolist(), one.group.success.tolist(), strict=True)) for one in found
    }
    shared = sorted(set.intersection(*(set(each) for each in known.values()))) if known else []
    if len(known) < 2 or not shared:
        return []
    outcomes = {name: np.array([each[k] for k in shared], dtype=bool) for name, each in known.items()}
    return [str(each) for each in compare(outcomes) if each.p < SURE]


def ways_told(found: Sequence[Finding]) -> list[str]:
    """How traces behave, one sentence a policy that neither always nor never succeeds and behaves in several ways."""
    told = []
    for one in found:
        ways = one.ways()
        if len(ways) > 1 and 0 < one.rate.successes < one.rate.n:
            (count, good), *rest = ways
            first = f"{count} traces ({100 * good / count:.0f} % succeed)"
            more = "".join(f", {n} ({100 * well / n:.0f} %)" for n, well in rest)
            told.append(f"{one.policy}: {len(ways)} behaviours by their impacts: {first}{more}.")
    return told


def influences(group: Group, margin: str | None) -> tuple[str, list[Influence]]:
    """Parameters ranked by what they do to success, or, if that shows nothing for sure, to the margin named.

    Returns:
        What was ranked by (`BY_SUCCESS`, the margin's name, or "" if nothing could be), and the ranking.
    """
    kept = group.answered
    names = list(group.values)
    if not names or kept.sum() < 2:
        return "", []
    matrix = np.array([_scores(group.values[name][kept]) for name in names]).T
    success = group.success[kept]
    found = ranking(matrix, success, names) if success.any() and not success.all() else []
    if deciding(found) or margin is None or not np.isfinite(group.margins.get(margin, np.empty(0))).any():
        return (BY_SUCCESS, found) if found else ("", [])
    return margin, ranking(matrix, group.margins[margin][kept], names)


def deciding(found: Sequence[Influence]) -> str:
    """Name of the parameter that decides, "" if none does for sure."""
    return found[0].name if found and found[0].p < SURE and found[0].fails else ""


def signatures_of(folder: RunFolder, group: Group) -> list[Signature]:
    """Signatures of the first traces of a policy, in the order of the group."""
    if len(group) <= MOST_TRACES:
        return _split(folder.events(policy=group.policy), group.particle.tolist())
    chosen = group.particle[:MOST_TRACES].tolist()
    return [_split(folder.events(policy=group.policy, particle=k), [k])[0] for k in chosen]


def _split(events: Any, particles: list[int]) -> list[Signature]:
    """Signature of each of these particles from a table of events."""
    of = np.asarray(events.column("particle"), dtype=np.int64)
    kind, feature = texts(events.column("kind")), texts(events.column("feature"))
    times = np.asarray(events.column("t"), dtype=np.float64)
    order = np.lexsort((np.arange(len(of)), of))
    starts = np.searchsorted(of[order], particles, side="left")
    ends = np.searchsorted(of[order], particles, side="right")
    rows = [order[a:b] for a, b in zip(starts, ends, strict=True)]
    return [signature(kind[r].tolist(), feature[r].tolist(), times[r], TOGETHER) for r in rows]


def _ends(group: Group) -> NDArray[np.float64]:
    """(successes, k) where the traces that succeed end."""
    states = [values[group.success] for values in group.final.values()]
    return np.array(states).T if states else np.empty((int(group.success.sum()), 0))


def _closest(group: Group) -> str | None:
    """The margin that is nearest to violation, among those that vary; None if none does."""
    varied = {name: values for name, values in group.margins.items() if _varies(values)}
    return min(varied, key=lambda name: float(np.nanmedian(varied[name])), default=None)


def _varies(values: NDArray[np.float64]) -> bool:
    known = values[np.isfinite(values)]
    return len(Counter(known.tolist())) > 2


def _scores(values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers as they are; choices by the order of their names."""
    if values.dtype.kind == "f":
        return values
    return np.unique(values, return_inverse=True)[1].astype(np.float64)
