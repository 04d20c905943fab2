"""What a piece of evidence applies to, in words: every part of its scope, in one order on each surface."""

from collections.abc import Mapping
from typing import Any

ORDER = ("text", "paths", "component", "branch", "commits", "since", "from", "until")
PARTS_MAX, LENGTH_MAX = 20, 400


def applies_to(scope: Mapping[str, Any]) -> str:
    """The scope as a line: its own words first, then each part by its name; empty where it has none."""
    names = [name for name in ORDER if name in scope] + sorted(set(scope) - set(ORDER))
    told = [(name, _told(scope[name])) for name in names[:PARTS_MAX]]
    return "; ".join(words if name == "text" else f"{name} {words}" for name, words in told if words)


def _told(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value[:PARTS_MAX])[:LENGTH_MAX]
    return "" if value is None else str(value).strip()[:LENGTH_MAX]
