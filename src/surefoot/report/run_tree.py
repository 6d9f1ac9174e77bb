"""Where traces part: the tree of their touchdowns and strikes, as nested lists with bars of outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from surefoot.report.html import Html, tag
from surefoot.report.run_outcomes import KINDS
from surefoot.report.run_verdict import stack
from surefoot.traces.findings import TOGETHER
from surefoot.traces.groups import Group
from surefoot.traces.signatures import END, Signature, Tree, parting

DEPTH = 4
RARE = 0.03
MAIN = 0.9
_SIGNS = {"touchdown": "↓", "strike": "✕"}


def parting_sentence(group: Group, found: list[Signature]) -> str:
    """Where successes and failures part, or that they do not."""
    success = group.success[: len(found)]
    answered = group.answered[: len(found)]
    good = [each for each, yes in zip(found, success, strict=True) if yes]
    bad = [each for each, yes in zip(found, answered & ~success, strict=True) if yes]
    if not good or not bad:
        return f"No trace {'fails' if good else 'succeeds'}, so there are no two groups that could part."
    where = parting(good, bad)
    if where is None:
        return "Successes and failures go through the same events."
    after = f"after {event_words(where.before[-1])}" if where.before else "from the start"
    good_share, bad_share = f"{100 * where.share_a:.0f} % of successes", f"{100 * where.share_b:.0f} % of failures"
    choice = f"{_next(where.a)} ({good_share}) against {_next(where.b)} ({bad_share})"
    return f"Successes and failures part at event {where.position + 1}, {after}: {choice}."


def figure(group: Group, found: list[Signature]) -> Html:
    """One policy's tree."""
    root = Tree.of(found, group.outcome[: len(found)].tolist())
    orders = len(set(found))
    words = "one order of events" if orders == 1 else f"{orders} different orders of events"
    caption = tag("figcaption", group.policy, " ", tag("small", words))
    return tag("figure", caption, tag("ol", _node(root, root.count, 0), class_="tree"))


def _node(node: Tree, total: int, depth: int) -> Html:
    """One run of events and what came next; where nearly all go on alike, their next run is told in one breath."""
    count, outcomes, events = node.count, node.outcomes, [*node.events]
    while node.children and node.children[0].count >= MAIN * count:
        node = node.children[0]
        events += node.events
    lost = count - node.count
    run = _run(events) if events else "the start"
    aside = f" ({lost} {'trace leaves' if lost == 1 else 'traces leave'} on the way)" if lost else ""
    common = [child for child in node.children if child.count >= max(2, RARE * total)] if depth < DEPTH else []
    below = [_node(child, total, depth + 1) for child in common]
    rest = node.children[len(common) :]
    if rest:
        below.append(_rest(rest, total))
    ends = f"; {node.ends} end here" if node.ends and node.children else ""
    children = tag("ol", *below) if below else None
    return tag("li", _bar(outcomes, count, total), tag("b", f"{count} of {total}"), f": {run}{aside}{ends}", children)


def _rest(nodes: Sequence[Tree], total: int) -> Html:
    """Branches that are not told further."""
    outcomes: Counter[str] = Counter()
    for node in nodes:
        outcomes.update(node.outcomes)
    words = f"{outcomes.total()} in {len(nodes)} {'way' if len(nodes) == 1 else 'ways'} more"
    return tag("li", _bar(outcomes, outcomes.total(), total), words, class_="more")


def _bar(outcomes: dict[str, int], count: int, total: int) -> Html:
    often = [sum(outcomes.get(word, 0) for word in kind.outcomes) for kind in KINDS]
    return stack(often, f"{count} of {total}", count / max(total, 1))


def _run(events: Sequence[str]) -> str:
    """A run of events, the middle of a long one left out."""
    names = [event_words(event) for event in events]
    if len(names) > 4:
        names = [names[0], f"… {len(names) - 2} more …", names[-1]]
    return ", ".join(names)


def event_words(event: str) -> str:
    """An impact with a sign for its kind."""
    kind, _, feature = event.partition(" ")
    return f"{_SIGNS.get(kind, kind)}\u00a0{feature}"


def _next(event: str) -> str:
    return "the end" if event == END else event_words(event)


def explanation() -> Html:
    """How to read the tree."""
    return tag(
        "p",
        "Events in order: ↓ is a touchdown and ✕ a strike, by foot and what it meets; impacts less than "
        f"{TOGETHER:g} s apart count as one moment. A bar is as long as the share of traces that came there, "
        "coloured by how they ended.",
    )
