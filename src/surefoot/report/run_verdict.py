"""The first ten seconds of the page: what each policy is, in a word, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.report.html import Html, join, tag
from surefoot.report.run_outcomes import BROKEN, KINDS, counts
from surefoot.traces.findings import Finding
from surefoot.traces.paired import compare
from surefoot.traces.rates import Rate, percent

MOST_PAIRS = 12
MOST_NAMES = 4


def headline(judged: Sequence[Finding]) -> str:
    """All verdicts in a sentence, the best first, with the parameter that decides if it is the same for all."""
    says = {
        "robust": ("is robust", "are robust"),
        "unpredictable": ("succeeds, but unpredictably", "succeed, but unpredictably"),
        "brittle": ("is brittle", "are brittle"),
        "fails": ("fails", "fail"),
        "untested": ("is untested", "are untested"),
    }
    parts = []
    for word, (one, several) in says.items():
        alike = [each for each in judged if each.verdict.word == word]
        if not alike:
            continue
        names = [each.group.policy for each in alike]
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        if len(names) > MOST_NAMES:
            listed = f"{len(names)} of {len(judged)} policies"
        deciding = {each.decides for each in alike}
        why = f", decided by {alike[0].decides}" if len(deciding) == 1 and alike[0].decides else ""
        parts.append(f"{listed} {one if len(names) == 1 else several}{why}")
    return "; ".join(parts) + "." if parts else "Nothing was run."


def card(judged: Finding) -> Html:
    """One policy: word, rate, outcomes, what goes wrong and what decides it."""
    group, rate = judged.group, judged.rate
    facts = []
    for name, often, time in group.causes()[:3]:
        when = f", median {time:.3g}\u00a0s" if np.isfinite(time) else ""
        facts.append(tag("dd", f"{name or 'unnamed'}: {often} of {len(group)}{when}"))
    if facts:
        facts.insert(0, tag("dt", "what goes wrong"))
    if judged.decides:
        facts += [tag("dt", "what decides"), tag("dd", tag("code", judged.decides))]
    shown = f"{percent(rate.rate)} %" if rate.n else "no trace"
    return tag(
        "article",
        tag("h3", group.policy),
        tag("p", judged.verdict.word.capitalize(), class_="word"),
        tag("p", tag("b", shown), " succeed" if rate.n else None, class_="rate"),
        interval(rate) if rate.n else None,
        stack(counts(group.outcome), group.policy),
        tag("p", judged.verdict.because),
        tag("dl", *facts) if facts else None,
        class_=f"card {judged.verdict.word}",
    )


def interval(rate: Rate) -> Html:
    """A rate and its interval on a line from 0 to 100 %."""
    label = f"{percent(rate.rate)} %, between {percent(rate.low)} and {percent(rate.high)} %"
    band = f"left:{100 * rate.low:.2f}%;width:{100 * (rate.high - rate.low):.2f}%"
    return tag(
        "span",
        tag("span", class_="span", style=band),
        tag("span", class_="dot", style=f"left:{100 * rate.rate:.2f}%"),
        class_="track",
        role="img",
        aria_label=label,
        title=label,
    )


def stack(often: Sequence[int], of: str, share: float | None = None) -> Html:
    """Outcomes as one bar; `share` of the width (0 to 1) if it is one of several."""
    total = max(sum(often), 1)
    words = ", ".join(f"{n} {kind.word}" for n, kind in zip(often, KINDS, strict=True) if n) or "no trace"
    pieces = [
        tag("span", class_=kind.key, style=f"width:{100 * n / total:.3f}%")
        for n, kind in zip(often, KINDS, strict=True)
        if n
    ]
    wide = None if share is None else f"--share:{100 * share:.2f}%"
    return tag("div", *pieces, class_="stack", role="img", aria_label=f"{of}: {words}", title=words, style=wide)


def legend() -> Html:
    """What the colours mean."""
    items = (
        tag("li", tag("span", class_=f"key {kind.key}"), tag("b", f"{kind.word} ({kind.letter})"), f": {kind.means}")
        for kind in KINDS
    )
    return tag("ul", *items, class_="legend")


def outcome_table(judged: Sequence[Finding], looked: bool) -> Html:
    """Policies by outcome, with the rate and its interval, and failures by what was violated or missed.

    Args:
        judged: all policies.
        looked: whether the run could stop early; its intervals then hold however often one looked.
    """
    names = list(dict.fromkeys(name for each in judged for name, _, _ in each.group.causes()))
    interval = "95 % after early stop" if looked else "95 % interval"
    heads = ["policy", "verdict", *(kind.letter for kind in KINDS), "success", interval]
    rows = []
    for each in judged:
        often, rate = counts(each.group.outcome), each.rate
        causes = {name: n for name, n, _ in each.group.causes()}
        cells = [each.verdict.word, *often, f"{percent(rate.rate)} %" if rate.n else "-", _ends(rate.low, rate.high)]
        cells += [causes.get(name, 0) for name in names]
        numbers = (tag("td", cell, class_="nowrap") for cell in cells)
        rows.append(tag("tr", tag("th", each.group.policy, scope="row"), *numbers))
    titles = {kind.letter: kind.word for kind in KINDS}
    head = [tag("th", text, scope="col", title=titles.get(text)) for text in heads]
    head += [tag("th", f"by {name or 'unnamed'}", scope="col") for name in names]
    return scrolling(tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows)), "outcomes")


def _ends(low: float, high: float) -> str:
    return f"{percent(low)} to {percent(high)} %"


def scrolling(table: Html, label: str) -> Html:
    """A table that scrolls in a box of its own, by touch or keys."""
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)


def comparisons(judged: Sequence[Finding]) -> Html | None:
    """Every pair of policies on the particles that both met; None if there is no pair."""
    groups = [each.group for each in judged if len(each.group)]
    if len(groups) < 2:
        return None
    common = np.array(sorted(set.intersection(*(set(group.particle.tolist()) for group in groups))), dtype=np.int64)
    if not common.size:
        return None
    won = {group.policy: group.success[np.searchsorted(group.particle, common)] for group in groups}
    found = sorted(compare(won), key=lambda each: (each.p, -abs(each.paired.difference)))
    items = [tag("li", str(each)) for each in found]
    more = None
    if len(items) > MOST_PAIRS:
        rest = tag("ul", *items[MOST_PAIRS:], class_="plain")
        more = tag("details", tag("summary", f"{len(items) - MOST_PAIRS} more pairs"), rest)
    text = (
        f"Both policies of a pair met the same {len(common)} particles, so luck with particles cancels. Points are "
        "per cent of success with their 95 % interval; p is the exact paired test, enlarged for the number of pairs."
    )
    return join([tag("p", text), tag("ul", *items[:MOST_PAIRS], class_="plain"), more or ""])


def broken_note(judged: Sequence[Finding]) -> str:
    """What to know of traces without an answer; "" if there are none."""
    broken = sum(counts(each.group.outcome)[KINDS.index(BROKEN)] for each in judged)
    if not broken:
        return ""
    noun = "trace" if broken == 1 else "traces"
    return f"{broken} {noun} gave no answer; the rates count them as not successful. Their messages are listed below."
