"""What fits: a bounded choice from everything found, spread over kinds, with room kept for what speaks against."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import zip_longest
from math import ceil
from typing import Any, TypeVar

from shoebox.material import Found
from shoebox.models import Item

Thing = TypeVar("Thing")

RESERVED = 5
"""One part in this many is kept for likely-contradicting material."""

BY_HAND = 5
"""One part in this many stays free after a gathering, for what people and Workers add themselves."""

SHARES = {
    "named": 0.25,
    "own": 0.3,
    "relations": 0.35,
    "commits": 0.2,
    "citing": 0.15,
    "searched": 0.3,
    "outcomes": 0.3,
    "counter": 0.25,
    "writers": 0.1,
    "around": 0.2,
}
"""How much of the room one step may take at first, so that no step starves the next. What stays free is shared."""

SOURCE_SHARE = 0.15
"""How much of the budget the parts of one source may take, the task's own records excepted."""

DAY_SHARE = 0.25
"""How much of the budget what a search found of one day may take: a busy day is not the whole story."""


FOLLOWED = frozenset({"named", "own", "relations", "commits", "citing", "around"})
"""Steps that follow what somebody wrote down on purpose: they come before what searches find, which share by turns."""

SEARCHED = frozenset({Item.Came.SEARCHED, Item.Came.COUNTER_SEARCHED})


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something found, by which step, and by which queries (their places in what was sought)."""

    found: Found
    step: str
    queries: tuple[int, ...] = ()

    @property
    def contradicts(self) -> bool:
        return self.found.leaning == Item.Leaning.CONTRADICTS

    @property
    def day(self) -> str:
        """The day of what a search found; links are followed whatever their day."""
        return f"{self.found.at:%Y-%m-%d}" if self.queries and self.found.at else ""


@dataclass(slots=True)
class Room:
    """How much more the shoebox takes, in items and characters, and how much of that is kept for the contrary."""

    items: int
    characters: int
    kept_items: int
    kept_characters: int

    @classmethod
    def of(cls, *, items: int, characters: int, held: Sequence[Item], to_the_brim: bool = False) -> "Room":
        """What a gathering may fill beside the items that are held (those set aside take no room).

        `to_the_brim`: also the part that is otherwise left free, for what somebody asked for in so many words.
        """
        free = 0 if to_the_brim else items // BY_HAND
        shown = [item for item in held if not item.is_set_aside]
        against = [item for item in shown if item.leaning == Item.Leaning.CONTRADICTS]
        return cls(
            items=max(0, items - free - len(shown)),
            characters=characters - sum(item.characters for item in shown),
            kept_items=max(0, ceil(items / RESERVED) - len(against)),
            kept_characters=max(0, ceil(characters / RESERVED) - sum(item.characters for item in against)),
        )

    def takes(self, candidate: Candidate) -> bool:
        """Whether this one still fits. What speaks against may use all of the room."""
        size = candidate.found.characters
        if candidate.contradicts:
            return self.items >= 1 and self.characters >= size
        return self.items - self.kept_items >= 1 and self.characters - self.kept_characters >= size

    def less(self, taken: "Sequence[Candidate]") -> None:
        """Give room away to what was chosen before."""
        self.items = max(0, self.items - len(taken))
        self.characters -= sum(candidate.found.characters for candidate in taken)

    def take(self, candidate: Candidate) -> None:
        size = candidate.found.characters
        self.items -= 1
        self.characters -= size
        if candidate.contradicts:
            self.kept_items = max(0, self.kept_items - 1)
            self.kept_characters = max(0, self.kept_characters - size)


@dataclass(slots=True)
class Fitted:
    """What got a place, in the order of gathering, and what did not."""

    chosen: list[Candidate] = field(default_factory=list)
    left: list[Candidate] = field(default_factory=list)
    crowded: int = 0
    """How many of those left there was room for, but their source or their day has enough places."""

    @classmethod
    def of(cls, candidates: "Sequence[Candidate]", taken: "Set[int]", room: Room) -> "Fitted":
        """Told apart by their places, with the room that is left when all are told."""
        left = [candidate for index, candidate in enumerate(candidates) if index not in taken]
        chosen = [candidate for index, candidate in enumerate(candidates) if index in taken]
        return cls(chosen, left, sum(room.takes(candidate) for candidate in left))


def fit(candidates: Sequence[Candidate], room: Room, *, items: int, own: str = "", held: Sequence[Item] = ()) -> Fitted:
    """Choose within the room: first each step up to its share, then whatever stays free, step by step in turn.

    What follows links comes first; searches share by turns. `items` is the whole budget, of which
    one source and one day may take a part; `own` is the task's source, which may take more places
    than another. What is held counts, so that gathering twice brings in no more than gathering once.
    """
    taken: set[int] = set()
    free = room.items
    per_step: dict[str, int] = defaultdict(int)
    per_source = Counter(item.source for item in held)
    per_day = Counter(f"{item.at:%Y-%m-%d}" for item in held if item.at and item.came in SEARCHED)
    most, most_a_day = max(2, ceil(items * SOURCE_SHARE)), max(2, ceil(items * DAY_SHARE))

    def try_take(index: int, candidate: Candidate) -> None:
        source, day = str(candidate.found.ref.source), candidate.day
        crowded = (source != own and per_source[source] >= most) or (day and per_day[day] >= most_a_day)
        if not crowded and room.takes(candidate):
            room.take(candidate)
            taken.add(index)
            per_step[candidate.step] += 1
            per_source[source] += 1
            per_day[day] += 1

    numbered = list(enumerate(candidates))
    followed = [pair for pair in numbered if pair[1].step in FOLLOWED]
    sought = in_turn([pair for pair in numbered if pair[1].step not in FOLLOWED], key=lambda pair: pair[1].step)
    for index, candidate in [*followed, *sought]:
        if per_step[candidate.step] < ceil(free * SHARES.get(candidate.step, 1.0)):
            try_take(index, candidate)
    rest = [(index, candidate) for index, candidate in enumerate(candidates) if index not in taken]
    for index, candidate in in_turn(rest, key=lambda pair: pair[1].step):
        try_take(index, candidate)
    return Fitted.of(candidates, taken, room)


def in_turn(things: Iterable[Thing], *, key: Callable[[Thing], str]) -> Iterator[Thing]:
    """One of each group after another, each group in its own order: a spread over kinds, steps or sources."""
    groups: dict[str, list[Thing]] = defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    for row in zip_longest(*groups.values()):
        yield from (thing for thing in row if thing is not None)


def over_time(things: Sequence[Thing], most: int) -> list[Thing]:
    """At most so many of a dated row of things, evenly from first to last, so that no busy day takes all places."""
    if len(things) <= most:
        return list(things)
    if most == 1:
        return [things[-1]]
    step = (len(things) - 1) / (most - 1)
    return [things[round(step * place)] for place in range(most)]


def left_told(sought: Mapping[str, Any]) -> str:
    """What the last gathering left out and what to do about it, in sentences; empty where that is nothing."""
    left, crowded, new = sought.get("left_out", 0), sought.get("left_out_crowded", 0), sought.get("left_out_new", 0)
    over = left - crowded
    said = []
    if over:
        told = f" ({new} of them new)" if new else ""
        said.append(f"{over} more fit no longer{told}: set something aside, or widen the budget.")
    if crowded:
        verb = "is" if crowded == 1 else "are"
        said.append(f"{crowded} more {verb} of sources or days that have enough places here: add by ref what you miss.")
    return " ".join(said)
