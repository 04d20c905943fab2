"""A timeline as a picture: where each dot, rule and label of the lane chart stands. Pure geometry, no markup."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from hypotheses.bearings import Bearing, bearing_words
from hypotheses.places import lane_order

WIDTH, LEFT, RIGHT = 1080.0, 160.0, 1060.0
TOP, LANE, STEP, DOT = 22.0, 44.0, 12.0, 4.0
CROWDED = 3
"""As many rows must crowd before the chart enlarges them."""
LABEL_CHARACTERS = 42
TICKS = 11
"""At most so many steps of the axis, so that dates stand apart."""

_UNITS = [
    *((timedelta(seconds=n), "%H:%M:%S") for n in (1, 5, 15, 30)),
    *((timedelta(minutes=n), "%H:%M") for n in (1, 5, 15, 30)),
    *((timedelta(hours=n), "%H:%M") for n in (1, 3, 6, 12)),
    *((timedelta(days=n), "%m-%d") for n in (1, 2, 7, 14, 28, 91)),
    *((timedelta(days=365 * n), "%Y-%m") for n in (1, 2, 5, 10, 50)),
]


class Dated(Protocol):
    """A row as the chart sees it."""

    @property
    def at(self) -> datetime: ...
    @property
    def lane(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def bears(self) -> list[Bearing]: ...
    @property
    def later(self) -> bool: ...


class Rows(Protocol):
    """A timeline as the chart sees it: rows in order of time."""

    @property
    def as_of(self) -> datetime | None: ...
    @property
    def rows(self) -> Sequence[Dated]: ...


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Dot:
    """One row: where it stands, the anchor of its table row, its tone, and what a pointer is told."""

    x: float
    y: float
    row: int
    tone: str
    later: bool
    title: str
    label: str = ""
    label_y: float = 0.0

    @property
    def label_x(self) -> float:
        return self.x + 6

    @property
    def stem_y(self) -> float:
        return self.label_y - 9


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    note: str
    y: float
    dots: list[Dot]

    @property
    def name_y(self) -> float:
        return self.y + 1

    @property
    def note_y(self) -> float:
        return self.y + 17


@dataclass(frozen=True, slots=True)
class Chart:
    """The lane chart: lanes from top to bottom, the as-of line through all of them."""

    height: float
    bottom: float
    ticks: list[Tick]
    lanes: list[Lane]
    as_of: float | None
    as_of_label: str

    @property
    def as_of_turned(self) -> bool:
        """Past the middle the label stands left of the line."""
        return self.as_of is not None and self.as_of > (LEFT + RIGHT) / 2

    @property
    def as_of_x(self) -> float:
        return (self.as_of or 0) + (-6 if self.as_of_turned else 6)

    @property
    def as_of_y(self) -> float:
        return self.bottom + 12


@dataclass(frozen=True, slots=True)
class Detail:
    """The stretch in which events crowd, enlarged."""

    height: float
    axis: float
    span: str
    ticks: list[Tick]
    dots: list[Dot]
    as_of: float | None

    @property
    def tick_y(self) -> float:
        return self.axis + 19


def tone_of(row: Dated, target: str = "") -> str:
    """The relation that colours a row: to one hypothesis when it is named, else where all it bears on agree."""
    relations = {bearing.relation for bearing in row.bears if not target or bearing.target == target}
    return relations.pop() if len(relations) == 1 else ""


def draw_timeline(timeline: Rows, *, target: str = "", only: Collection[int] | None = None) -> Chart | None:
    """The lane chart of a timeline, or of only the rows of these numbers; None where nothing is dated.

    The line of the as-of widens the whole picture, and a stretch of it not: there it is drawn where it falls inside.
    """
    shown = _numbered(timeline.rows, only)
    if not shown:
        return None
    instants = [row.at for _, row in shown]
    inside = timeline.as_of is not None and (only is None or min(instants) <= timeline.as_of <= max(instants))
    line = timeline.as_of if inside else None
    scale = _Scale.around(instants, line, LEFT + 14, RIGHT - 14)
    lanes, y = [], TOP + 14
    for name in lane_names(row for _, row in shown):
        lane, height = _lane(name, [(number, row) for number, row in shown if row.lane == name], scale, y, target)
        lanes.append(lane)
        y += height
    return Chart(
        height=y + 20, bottom=y, ticks=scale.ticks(), lanes=lanes, as_of=scale.x(line) if line else None,
        as_of_label=f"as of {line:%Y-%m-%d %H:%M:%S}Z, later is open" if line else "",
    )  # fmt: skip


def draw_detail(timeline: Rows, *, target: str = "", only: Collection[int] | None = None) -> Detail | None:
    """The crowded stretch enlarged with its labels, or None where every dot stands free."""
    crowd = _crowd(_numbered(timeline.rows, only))
    if not crowd:
        return None
    scale = _Scale.around([row.at for _, row in crowd], None, LEFT + 6, RIGHT - 290)
    ends: list[float] = []
    places = []
    for number, row in crowd:
        x, words = scale.x(row.at), fitted(row.label)
        level = next((level for level, end in enumerate(ends) if end < x), len(ends))
        ends[level:] = [x + 24 + 6.6 * _columns(words), *ends[level + 1 :]]
        places.append((number, row, x, level, words))
    axis = 30 + 22 * len(ends)
    dots = [
        Dot(
            x=x, y=axis, row=number, tone=tone_of(row, target), later=row.later, title=_title(row), label=words,
            label_y=14 + 22 * level,
        )
        for number, row, x, level, words in places
    ]  # fmt: skip
    inside = timeline.as_of is not None and crowd[0][1].at <= timeline.as_of <= crowd[-1][1].at
    return Detail(
        height=axis + 26, axis=axis, span=_words(crowd[-1][1].at - crowd[0][1].at), ticks=scale.ticks(), dots=dots,
        as_of=scale.x(timeline.as_of) if timeline.as_of and inside else None,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Scale:
    """Instants to x, with a margin so that no dot stands on the edge."""

    first: datetime
    last: datetime
    left: float
    right: float

    @classmethod
    def around(cls, instants: Sequence[datetime], as_of: datetime | None, left: float, right: float) -> "_Scale":
        every = [*instants, *([as_of] if as_of else [])]
        first, last = min(every).astimezone(UTC), max(every).astimezone(UTC)
        if first == last:
            first, last = first - timedelta(hours=1), last + timedelta(hours=1)
        return cls(first, last, left, right)

    def x(self, at: datetime) -> float:
        share = (at - self.first) / (self.last - self.first)
        return round(self.left + share * (self.right - self.left), 1)

    def ticks(self) -> list[Tick]:
        span = self.last - self.first
        step, form = next(((step, form) for step, form in _UNITS if span / step <= TICKS), _UNITS[-1])
        day = self.first.replace(hour=0, minute=0, second=0, microsecond=0)
        if step >= timedelta(days=1) and day.year != self.last.year:
            form = "%Y-%m-%d"
        count = -((day - self.first) // step)
        found = []
        while (at := day + count * step) <= self.last:
            found.append(Tick(self.x(at), at.strftime(form)))
            count += 1
        return found


def _numbered(rows: Sequence[Dated], only: Collection[int] | None) -> list[tuple[int, Dated]]:
    """The rows with their numbers in the table, which stay as they are when only some are drawn."""
    return [(number, row) for number, row in enumerate(rows, 1) if only is None or number in only]


def lane_names(rows: Iterable[Dated]) -> list[str]:
    """The lanes in which there are rows, from top to bottom."""
    return sorted({row.lane for row in rows}, key=lane_order)


def _lane(name: str, rows: Sequence[tuple[int, Dated]], scale: _Scale, top: float, target: str) -> tuple[Lane, float]:
    """One lane and its height: dots that would cover one another step down."""
    ends: list[float] = []
    places = []
    for number, row in rows:
        x = scale.x(row.at)
        level = next((level for level, end in enumerate(ends) if end < x), len(ends))
        ends[level:] = [x + 2 * DOT + 1, *ends[level + 1 :]]
        places.append((number, row, x, level))
    dots = [
        Dot(x=x, y=top + 12 + STEP * level, row=number, tone=tone_of(row, target), later=row.later, title=_title(row))
        for number, row, x, level in places
    ]
    note = f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
    return Lane(name=name, note=note, y=top + 12, dots=dots), max(LANE, 28 + STEP * len(ends))


def _crowd(numbered: Sequence[tuple[int, Dated]]) -> list[tuple[int, Dated]]:
    """The stretch of at most a twentieth of the whole that holds most rows, if they crowd."""
    if len(numbered) <= CROWDED:
        return []
    reach = (numbered[-1][1].at - numbered[0][1].at) / 20
    best: list[tuple[int, Dated]] = []
    for start in range(len(numbered)):
        found = [each for each in numbered[start : start + 12] if each[1].at - numbered[start][1].at <= reach]
        if len(found) > len(best):
            best = found
    apart = bool(best) and best[-1][1].at > best[0][1].at
    return best if len(best) >= CROWDED and apart else []


def _title(row: Dated) -> str:
    bears = bearing_words(row.bears)
    later = ", later than the as-of" if row.later else ""
    return f"{row.at:%Y-%m-%d %H:%M:%S} UTC{later}: {row.label}" + (f" ({bears})" if bears else "")


def fitted(label: str, columns: int = LABEL_CHARACTERS) -> str:
    """A label short enough to stand in a picture; the table holds it whole."""
    taken, width = "", 0
    for char in label:
        width += _columns(char)
        if width > columns:
            return taken.rstrip() + "…"
        taken += char
    return taken


def _columns(text: str) -> int:
    """Widths of Latin letters; a full-width letter takes two."""
    return sum(2 if ord(char) > 0x2E7F else 1 for char in text)


def _words(span: timedelta) -> str:
    """A length of time in its largest unit, rounded up."""
    seconds = int(span.total_seconds())
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = -(-seconds // size)
            return f"{count} {name}{'' if count == 1 else 's'}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
