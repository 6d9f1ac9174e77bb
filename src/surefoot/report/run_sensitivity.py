"""Which parameters decide: bars with intervals, one list a policy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.report.html import Html, join, tag
from surefoot.traces.findings import BY_SUCCESS, SURE
from surefoot.traces.groups import Group
from surefoot.traces.sensitivity import Influence

SHOWN = 8


def figure(group: Group, by: str, found: Sequence[Influence]) -> Html:
    """One policy's list of bars."""
    if not found:
        return tag("figure", tag("figcaption", group.policy), tag("p", "All traces end alike: nothing to rank."))
    sure = sum(each.p < SURE for each in found)
    shown = [each for each in found[: max(3, min(SHOWN, sure + 2))] if each.fails]
    ranked = by if by == BY_SUCCESS else f"the margin of “{by}”"
    caption = tag("figcaption", group.policy, " ", tag("small", f"by {ranked}; {sure} of {len(found)} sure"))
    return tag("figure", caption, tag("ol", *(_bar(each) for each in shown), class_="bars"))


def explanation() -> Html:
    """How to read the bars."""
    return tag(
        "p",
        "A bar is how far a parameter alone tells good traces from bad ones: 0 is not at all, 1 is always. The dark "
        "line is its 95 % interval. Bars in colour are sure (p below 0.05, allowing for the number of parameters); "
        "grey ones may be chance. Where successes and failures show nothing for sure, how near traces came to a "
        "violation is ranked instead.",
    )


def _bar(each: Influence) -> Html:
    sign = -1.0 if each.effect < 0 else 1.0
    low, high = sorted((np.clip(sign * each.low, 0.0, 1.0), np.clip(sign * each.high, 0.0, 1.0)))
    size = abs(each.effect)
    where = {"both ends": "at both ends", "middle": "in the middle"}.get(each.fails, f"when {each.fails}")
    words = f"worse {where}; {size:.2f} ({low:.2f} to {high:.2f}), p {_p(each.p)}"
    track = tag(
        "span",
        tag("span", class_="bar", style=f"width:{100 * size:.1f}%"),
        tag("span", class_="span", style=f"left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"),
        class_="track",
        role="img",
        aria_label=f"{each.name}: {words}",
    )
    name = tag("code", each.name)
    return tag("li", join([name, " ", tag("small", words), track]), class_="sure" if each.p < SURE else "chance")


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-12 else "< 1e-12"
