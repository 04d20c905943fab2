"""How a text is laid out for reading: cards for events and turns, numbered lines, a bounded part of a long one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from evidence.lines import Line, Text
from yoimemory.desk.rendering import Rendered
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.reading import Document, Passage

LINES_MAX = 1_500
"""Lines in one view; what is before and after is a link away."""

CHARACTERS_MAX = 400_000

_CARDS = ("event-", "entry-")


@dataclass(frozen=True, slots=True)
class Window:
    """The lines that are shown, from 1; all of them unless the text is long."""

    first: int
    last: int
    count: int

    @property
    def partial(self) -> bool:
        return (self.first, self.last) != (1, self.count)

    @property
    def before(self) -> int:
        """Where the part before this one begins, or 0."""
        return max(1, self.first - LINES_MAX) if self.first > 1 else 0

    @property
    def after(self) -> int:
        """Where the part after this one begins, or 0."""
        return self.last + 1 if self.last < self.count else 0


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: one event, one turn, or what stands between them."""

    lines: Sequence[Line] = ()
    fragment: str = ""
    kind: str = ""
    author: str = ""
    speaker: str = ""
    at: datetime | None = None
    change: str = ""
    tags: Sequence[str] = ()
    later: bool = False
    rendered: Rendered | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def window_of(starts: Sequence[int], length: int, count: int, around: int) -> Window:
    """The lines to show so that `around` is among them, early but not first."""
    if count <= LINES_MAX and length <= CHARACTERS_MAX:
        return Window(1, count, count)
    first = max(1, min(around - 10, count - LINES_MAX + 1)) if around > 1 else 1
    last = min(count, first + LINES_MAX - 1)
    while last > first and starts[last - 1] - starts[first - 1] > CHARACTERS_MAX:
        last = first + (last - first) // 2
    return Window(first, max(last, min(around, count)), count)


def has_cards(document: Document) -> bool:
    """Whether the text is a sequence of events or turns."""
    return any(passage.fragment.startswith(_CARDS) for passage in document.passages)


def blocks_of(document: Document, text: Text, window: Window, as_of: datetime | None) -> list[Block]:
    """The lines of the window as cards, or as one block where the text is no sequence of events."""
    if not has_cards(document):
        return [Block(list(text.lines(window.first, window.last)))]
    events = _events(document)
    blocks, next_line = [], window.first
    for passage in _cards(document):
        first, last = max(passage.start_line, window.first), min(passage.end_line, window.last)
        if last < window.first or first > window.last or first < next_line:
            continue
        blocks += _between(text, next_line, first - 1)
        if first == passage.start_line and document.text.startswith("<!--", text.starts[first - 1]):
            first += 1  # the header of an event is told by its card
        while first < last and not _line(text, first).strip():
            first += 1
        blocks.append(_card(events, passage, list(text.lines(first, last)), as_of))
        next_line = last + 1
    return blocks + _between(text, next_line, window.last)


def count_cards(document: Document) -> int:
    """How many events or turns a text has."""
    return len({passage.fragment for passage in document.passages if passage.fragment.startswith(_CARDS)})


def part_texts(document: Document, window: Window, as_of: datetime | None) -> Iterator[tuple[Block, str]]:
    """The cards that begin in the window, without their lines, each with its text, for the rendered view."""
    events = _events(document)
    for passage in _cards(document):
        if not window.first <= passage.start_line <= window.last:
            continue
        words = passage.text
        if words.startswith("<!--"):
            words = words.partition("\n")[2]
        yield _card(events, passage, [], as_of), words


def count_lines(text: str) -> int:
    """How many lines a text has; a last line feed opens no further one."""
    return max(len(lines_of(text)), 1)


def _cards(document: Document) -> list[Passage]:
    """One passage for each event or turn; further passages of a turn lie within it."""
    cards: dict[str, Passage] = {}
    for passage in document.passages:
        if not passage.fragment.startswith(_CARDS):
            continue
        known = cards.get(passage.fragment)
        if known is None or passage.end_line - passage.start_line > known.end_line - known.start_line:
            cards[passage.fragment] = passage
    return sorted(cards.values(), key=lambda passage: passage.start_line)


_Events = dict[str, dict[str, Any]]


def _card(events: _Events, passage: Passage, lines: list[Line], as_of: datetime | None) -> Block:
    facts = events.get(passage.fragment, {})
    change = f"{facts['from']} → {facts['to']}" if facts.get("from") and facts.get("to") else ""
    kind = str(facts.get("kind", "")) or passage.heading or passage.fragment
    tags = [str(facts[name]) for name in ("status", "result") if facts.get(name)]
    tags += [signal for signal in passage.signals if signal not in tags]
    return Block(
        lines=lines,
        fragment=passage.fragment,
        kind=kind.replace("_", " "),
        author=passage.author,
        speaker=passage.speaker,
        at=passage.at,
        change=change,
        tags=tags,
        later=bool(as_of and passage.at and passage.at > as_of),
        facts=facts,
    )


def _events(document: Document) -> _Events:
    """What the header of each event says beside its time and author, by its fragment."""
    events = document.facts.get("events")
    return {f"event-{event.get('number')}": event for event in events} if isinstance(events, list) else {}


def _line(text: Text, number: int) -> str:
    return text.text[text.starts[number - 1] : text.starts[number] if number < len(text.starts) else len(text.text)]


def _between(text: Text, first: int, last: int) -> list[Block]:
    """What stands between two cards, unless it only separates them."""
    if last < first:
        return []
    words = text.text[text.starts[first - 1] : text.starts[last] if last < len(text.starts) else len(text.text)]
    if not words.replace("---", "").strip():
        return []
    return [Block(list(text.lines(first, last)))]
