"""Front matter, read from YAML events: nothing is typed, nothing is expanded, nothing raises.

Every scalar stays the text that was written (`2024-06-01`, `1.10`, `no`); anchors, aliases, tags
and merge keys are refused. What cannot be read becomes a warning with its line, and simple
`key: value` lines are still taken.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from yoimemory.sources.decoding import clean

BYTES_MAX = 64 << 10
NODES_MAX = 2_000
DEPTH_MAX = 8

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_SIMPLE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):[ \t]+(.*?)[ \t\r]*")
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands before a Markdown text: values by key, their lines, what was odd, and where the body starts."""

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    warnings: tuple[tuple[int, str], ...] = ()
    body_line: int = 1

    def text(self, key: str) -> str:
        """One value as written; empty where it is missing, null or no plain text."""
        value = self.values.get(key)
        return "" if not isinstance(value, str) or value in _NOTHING else value

    def texts(self, key: str) -> list[str]:
        """The plain texts of a list; one plain text counts as a list of one."""
        value = self.values.get(key)
        items = value if isinstance(value, list) else [value]
        return [item for item in items if isinstance(item, str) and item not in _NOTHING]


class _Odd(Exception):
    """Something in the front matter that is not read; carries its line and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


def read_front_matter(text: str) -> FrontMatter:
    """The front matter of a text, empty where it has none. Never raises."""
    lines = text.split("\n", 4_000)
    if lines[0].rstrip() != "---":
        return FrontMatter()
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() in {"---", "..."}), None)
    if end is None:
        return FrontMatter(warnings=((1, "The front matter is never closed by a line of three hyphens."),))
    source = "\n".join(line.rstrip("\r") for line in lines[1:end]) + "\n"
    if len(source.encode("utf-8", "replace")) > BYTES_MAX:
        return FrontMatter(
            warnings=((1, "The front matter is longer than 64 KB and was not read."),), body_line=end + 2
        )
    values, places, warnings = _read(source)
    return FrontMatter(values, places, tuple(warnings), end + 2)


def _read(source: str) -> tuple[dict[str, Any], dict[str, int], list[tuple[int, str]]]:
    warnings: list[tuple[int, str]] = []
    places: dict[str, int] = {}
    try:
        value = _document(_Events(source), places, warnings)
    except _Odd as odd:
        warnings.append((odd.line, odd.reason))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = (error.problem or error.context or "not well formed").rstrip(".")
        warnings.append((mark.line + 2 if mark else 1, f"The front matter is not YAML: {reason}."))
    except (yaml.YAMLError, ValueError, RecursionError):
        warnings.append((1, "The front matter is not YAML."))
    else:
        if value is None or isinstance(value, dict):
            return value or {}, places, warnings
        warnings.append((2, "The front matter is not a list of keys with values."))
    return *_simple_lines(source), warnings


def _simple_lines(source: str) -> tuple[dict[str, Any], dict[str, int]]:
    """What plain `key: value` lines say, when the whole cannot be read."""
    values: dict[str, Any] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(source.split("\n"), start=2):
        match = _SIMPLE.fullmatch(line)
        if match and match[1] not in values:
            value = match[2]
            if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
                value = value[1:-1]
            values[match[1]], places[match[1]] = value, number
    return values, places


class _Events:
    """The events of a YAML text, counted."""

    def __init__(self, source: str) -> None:
        self._events: Iterator[yaml.Event] = iter(yaml.parse(source, Loader=_LOADER))
        self._count = 0

    def next(self) -> yaml.Event:
        self._count += 1
        event = next(self._events, None)
        if event is None:
            raise _Odd(1, "The front matter ends in the middle.")
        if self._count > NODES_MAX:
            raise _Odd(_line(event), f"The front matter has more than {NODES_MAX:,} parts.")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _Odd(_line(event), "Anchors and aliases are not read in front matter.")
        tag = getattr(event, "tag", None)
        if tag and tag != "!":
            raise _Odd(_line(event), "Tags are not read in front matter.")
        return event


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    return (mark.line if mark else 0) + 2


def _document(events: _Events, places: dict[str, int], warnings: list[tuple[int, str]]) -> Any:
    events.next()  # the stream
    if isinstance(events.next(), yaml.StreamEndEvent):
        return None
    value = _node(events, events.next(), 0, warnings, places)
    return None if isinstance(value, str) and value in _NOTHING else value


def _node(
    events: _Events,
    event: yaml.Event,
    depth: int,
    warnings: list[tuple[int, str]],
    places: dict[str, int] | None = None,
) -> Any:
    if depth > DEPTH_MAX:
        raise _Odd(_line(event), f"The front matter is nested deeper than {DEPTH_MAX} steps.")
    if isinstance(event, yaml.ScalarEvent):
        return clean(event.value)[0]
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := events.next(), yaml.SequenceEndEvent):
            items.append(_node(events, event, depth + 1, warnings))
        return items
    if not isinstance(event, yaml.MappingStartEvent):
        raise _Odd(_line(event), "The front matter is not well formed.")
    found: dict[str, Any] = {}
    while not isinstance(event := events.next(), yaml.MappingEndEvent):
        key, line = _node(events, event, depth + 1, warnings), _line(event)
        value = _node(events, events.next(), depth + 1, warnings)
        if not isinstance(key, str) or key == "<<":
            warnings.append((line, "A key that is no plain text, or a merge key, was passed by."))
        elif key in found:
            warnings.append((line, f"The key {key!r} stands twice; the first one counts."))
        else:
            found[key] = value
            if places is not None:
                places[key] = line
    return found
