"""HTML that escapes whatever it is given, unless that is HTML already."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

_WITHOUT_END = ("img", "link", "meta")
_NOT_IN_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Html(str):
    """Text that is HTML already."""


def text(value: object) -> Html:
    """`value` as HTML: as it is if it is HTML, else escaped; characters that no page may hold become U+FFFD."""
    if isinstance(value, Html):
        return value
    return Html(html.escape(_NOT_IN_TEXT.sub("\ufffd", str(value)), quote=True))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Parts one after the other, each escaped unless it is HTML."""
    return Html(text(between).join(text(part) for part in parts))


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """An element.

    Args:
        name: of the element.
        children: its content in order; None is left out.
        attributes: by name; an underscore at the end is dropped (`class_`), others become hyphens (`aria_label`). None
            leaves the attribute out, True writes its name alone.
    """
    written = ""
    for key, value in attributes.items():
        if value is None:
            continue
        key = key.rstrip("_").replace("_", "-")
        written += f" {key}" if value is True else f' {key}="{text(str(value))}"'
    if name in _WITHOUT_END:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(child for child in children if child is not None)}</{name}>")
