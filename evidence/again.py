"""Finding a quote again in another state of its text: where it surely stands, or what a person must look at.

The order is that of the contract: the same text; its lines carried through the line diff; the exact
words in what took their place, then in whatever else is new; the words made comparable; and the
words nearly so, first in what took their place and then anywhere. Nothing is guessed: of two places
that fit equally, none is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from evidence import gate
from evidence.fuzzy import Like, alikeness, most_like
from evidence.meaning import Change, changes_of_meaning
from evidence.models import Evidence
from evidence.normal import Comparable, plain
from evidence.shift import Shift

REGION_BUDGET = 0.4
"""Edits, as a share of the quote, within what took the place of its lines."""
TEXT_BUDGET = 0.2
"""Edits within the whole text, where nothing but likeness speaks for a place."""
ALIKE, VERY_ALIKE, SAME_SURROUNDINGS = 0.80, 0.90, 0.5
GAP = 0.08
"""How much less alike the next best place must be."""
SHORT_ALIKE = 0.75
"""A quote under 32 characters is only found reworded where its own line stood, and not as one word."""
WEAK, WEAK_SURROUNDINGS = 0.75, 0.5
"""Words that are less alike than this count as reworded only where what stands round them is alike."""
NEAR_LINES = 3
CLEARLY_SAME = 0.75
"""From here on what stands round a place speaks for it against other places of the same words."""


class Outcome(StrEnum):
    """What a search came to."""

    EXACT = "exact"
    LAYOUT = "layout"
    TO_CONFIRM = "to confirm"
    REWORDED = "reworded"
    MEANING = "meaning"
    AMBIGUOUS = "ambiguous"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Sought:
    """The words that are looked for, with what stood round them when they were taken."""

    words: str
    prefix: str = ""
    suffix: str = ""
    occurrences: int = 1
    code: bool = False
    exact_only: bool = False
    """Set for what was never committed, once the text is that of a commit: a likeness would be another's words."""

    @classmethod
    def of(cls, evidence: Evidence, *, exact_only: bool = False) -> "Sought":
        return cls(
            evidence.quote, evidence.prefix, evidence.suffix, evidence.occurrences,
            evidence.place.startswith("code:"), exact_only,
        )  # fmt: skip

    @property
    def one_word(self) -> bool:
        return len(self.words.split()) == 1 and self.words.isascii()


@dataclass(frozen=True, slots=True)
class Again:
    """Where a quote stands now, how that was found, and in how many places its words stand."""

    outcome: Outcome
    method: str
    found: gate.Found | None = None
    times: int = 0
    similarity: float | None = None
    changes: Sequence[Change] = field(default_factory=tuple)

    @property
    def is_firm(self) -> bool:
        return self.outcome in {Outcome.EXACT, Outcome.LAYOUT}


def find_again(sought: Sought, shift: Shift, start: int, end: int) -> Again:
    """Find words that stood at a span of the old text in the new one."""
    own = shift.lines_of(start, end)
    there = shift.projected(*own)
    if there is not None:
        again = _carried(sought, shift, start, own, there)
        if again is not None:
            return again
    until = (there[0], there[1] + 1) if there else shift.region(*own)
    region = shift.span(*until)
    return (
        _exact_in_region(sought, shift, (start, end), region)
        or _exact_elsewhere(sought, shift, own, region)
        or _alike_in_region(sought, shift, region)
        or _alike_in_text(sought, shift.new, shift.fresh, _without(shift.old, start, end))
        or Again(Outcome.LOST, "line diff", times=len(gate.every(shift.new, sought.words)))
    )


def find_without(sought: Sought, text: str) -> Again:
    """Find words in a text of which no earlier state is at hand: by the words and what stood round them alone."""
    places = gate.every(text, sought.words)
    if len(places) == 1 and (
        sought.occurrences == 1
        and (
            len(sought.words) >= Evidence.EXACT_BELOW or _surroundings(sought, text, places[0].start, places[0].end) > 0
        )
    ):
        return Again(_outcome_of(places[0]), "unique words", places[0], 1)
    fit = [(_surroundings(sought, text, place.start, place.end), place) for place in places]
    fit.sort(key=lambda pair: -pair[0])
    if fit and fit[0][0] >= SAME_SURROUNDINGS and (len(fit) == 1 or fit[0][0] - fit[1][0] >= GAP):
        return Again(_outcome_of(fit[0][1]), "words and surroundings", fit[0][1], len(places))
    if len(places) == 1:
        return Again(Outcome.TO_CONFIRM, "unique words, other surroundings", places[0], 1)
    if places:
        return Again(Outcome.AMBIGUOUS, "words in several places", times=len(places))
    return _alike_in_text(sought, text, text) or Again(Outcome.LOST, "whole text")


def same_words(one: str, other: str) -> bool:
    """Whether two texts differ in layout alone: white space, line ends, quotation marks, dashes, composition."""
    first, second = plain(one).strip(), plain(other).strip()
    return first == second or _unwrapped(first) == _unwrapped(second)


def _unwrapped(text: str) -> str:
    """Without the spaces beside Japanese characters, where a line was wrapped and no space is meant."""
    if text.isascii():
        return text
    return "".join(
        char
        for at, char in enumerate(text)
        if not (char == " " and (_is_cjk(text[at - 1 : at]) or _is_cjk(text[at + 1 : at + 2])))
    )


def _is_cjk(char: str) -> bool:
    return bool(char) and ("\u3000" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef")


def _outcome_of(place: gate.Found) -> Outcome:
    return Outcome.EXACT if place.match == Evidence.Match.EXACT else Outcome.LAYOUT


def _carried(sought: Sought, shift: Shift, start: int, own: tuple[int, int], there: tuple[int, int]) -> Again | None:
    """The words in the very lines that the diff carried over; lines that occur often need neighbours that agree."""
    first, until = shift.span(there[0], there[1] + 1)
    text = shift.new[first:until]
    offset = start - shift.old_starts[own[0]]
    place = _nearest_to(_every(text, sought.words), offset)
    if place is None:
        return None
    found = gate.Found(first + place.start, first + place.end, place.match)
    copies = _exact_copies(sought, shift, own, found)
    if copies:
        method = "line diff, exact words elsewhere"
        fit = sorted(copies, key=lambda at: -_surroundings(sought, shift.new, at.start, at.end))
        return Again(Outcome.TO_CONFIRM, method, fit[0], len(copies) + 1)
    rival = _better_fit(sought, shift, own, found)
    if rival is not None:
        return Again(Outcome.TO_CONFIRM, "line diff, like surroundings elsewhere", rival, 2)
    if not _stands_firm(sought, shift, own, there, found):
        times = len(gate.every(shift.new, sought.words))
        return Again(Outcome.TO_CONFIRM if times == 1 else Outcome.AMBIGUOUS, "line diff", found, times)
    return Again(_outcome_of(found), "line diff", found, 1)


def _exact_copies(sought: Sought, shift: Shift, own: tuple[int, int], found: gate.Found) -> list[gate.Found]:
    """Where the very words stand that did not before, while the carried lines hold them in another layout only."""
    if found.match == Evidence.Match.EXACT or sought.words not in shift.new:
        return []
    every = gate.every(shift.new, sought.words)
    if shift.old.count(sought.words) == 1:
        return every
    return [place for place in every if shift.is_fresh(place.start, place.end, own)]


def _stands_firm(sought: Sought, shift: Shift, own: tuple[int, int], there: tuple[int, int], found: gate.Found) -> bool:
    """Whether more than a common line speaks for a place: its words are unique, or what stands round it agrees."""
    if shift.new.count(sought.words) <= 1:
        return True
    for step in (-1, 1):
        line, landed = (own[0], there[0]) if step < 0 else (own[1], there[1])
        for _ in range(NEAR_LINES):
            line, landed = line + step, landed + step
            if not (0 <= line < len(shift.forward)) or shift.forward[line] != landed:
                break
            if shift.new[slice(*shift.span(landed, landed + 1))].strip():
                return True
    return _surroundings(sought, shift.new, found.start, found.end) >= SAME_SURROUNDINGS


def _better_fit(sought: Sought, shift: Shift, own: tuple[int, int], found: gate.Found) -> gate.Found | None:
    """Where the words stand in other lines that are new, with surroundings that are much more like their own.

    Among common lines the diff is free to carry either one; what stands round them tells which it was.
    """
    if shift.new.count(sought.words) <= 1:
        return None
    here = _surroundings(sought, shift.new, found.start, found.end)
    if here >= CLEARLY_SAME:
        return None
    every = [at for at in gate.every(shift.new, sought.words) if shift.is_fresh(at.start, at.end, own)]
    best = _best_fit(sought, shift.new, [found, *(at for at in every if at.start != found.start)])
    return best if best is not found else None


def _best_fit(sought: Sought, text: str, places: Sequence[gate.Found]) -> gate.Found | None:
    """The only place, or the one of several whose surroundings are alike while those of no other come near."""
    if len(places) == 1:
        return places[0]
    fit = sorted(((_surroundings(sought, text, at.start, at.end), at) for at in places), key=lambda pair: -pair[0])
    return fit[0][1] if fit[0][0] >= CLEARLY_SAME and fit[0][0] - fit[1][0] >= GAP else None


def _exact_in_region(sought: Sought, shift: Shift, was: tuple[int, int], region: tuple[int, int]) -> Again | None:
    text = shift.new[slice(*region)]
    places = [gate.Found(region[0] + at.start, region[0] + at.end, at.match) for at in _every(text, sought.words)]
    if not places:
        return None
    place = places[0]
    if len(places) > 1:
        fit = sorted(
            ((_surroundings(sought, shift.new, at.start, at.end), at) for at in places), key=lambda pair: -pair[0]
        )
        if fit[0][0] - fit[1][0] < GAP:
            return Again(Outcome.AMBIGUOUS, "changed lines", times=len(places))
        place = fit[0][1]
    turned = _turned_round(sought, shift, was, place)
    if turned:
        return Again(Outcome.TO_CONFIRM, "changed lines", place, len(places), changes=turned)
    return Again(_outcome_of(place), "changed lines", place, len(places))


def _turned_round(sought: Sought, shift: Shift, was: tuple[int, int], place: gate.Found) -> list[Change]:
    """A negation or a modal that came or went in the rest of the line: the same words may then say the opposite."""

    def rest(text: str, start: int, end: int) -> str:
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        return f"{text[first:start]} \u2026 {text[end : last if last >= 0 else len(text)]}"[:1_000]

    before, after = rest(shift.old, *was), rest(shift.new, place.start, place.end)
    return [change for change in changes_of_meaning(before, after) if change.kind in {"negation", "modal"}]


def _exact_elsewhere(sought: Sought, shift: Shift, own: tuple[int, int], region: tuple[int, int]) -> Again | None:
    """The words in another new place: a move that only a person can confirm. Where they stood before does not count."""
    every = [place for place in gate.every(shift.new, sought.words) if shift.is_fresh(place.start, place.end, own)]
    places = [place for place in every if place.end <= region[0] or place.start >= region[1]]
    if not places:
        return None
    best = _best_fit(sought, shift.new, places)
    if best is None:
        return Again(Outcome.AMBIGUOUS, "new lines", times=len(places))
    return Again(Outcome.TO_CONFIRM, "new lines", best, len(places))


def _alike_in_region(sought: Sought, shift: Shift, region: tuple[int, int]) -> Again | None:
    """The words nearly so in what took the place of their lines."""
    if sought.exact_only or sought.one_word or region[0] == region[1]:
        return None
    short = len(sought.words) < Evidence.EXACT_BELOW
    text = shift.new[slice(*region)]
    like = most_like(text, sought.words, budget=1 - SHORT_ALIKE if short else REGION_BUDGET)
    if like is None or like.gap < GAP:
        return None
    at, until = region[0] + like.start, region[0] + like.end
    if like.similarity < WEAK and _surroundings(sought, shift.new, at, until) < WEAK_SURROUNDINGS:
        return None
    return _reworded(sought, shift.new, like, region[0], "changed lines, fuzzy")


def _without(text: str, start: int, end: int) -> str:
    return text[:start] + "\0" * (end - start) + text[end:]


def _alike_in_text(sought: Sought, text: str, searched: str, rest: str = "") -> Again | None:
    """The words nearly so anywhere, where enough speaks for it and nothing else comes near.

    `rest` is the old text without the quote. Where something in it was as like to the quote, being
    like it says nothing about a place: then what stands round it must agree.
    """
    if sought.exact_only or sought.one_word or len(sought.words) < Evidence.EXACT_BELOW:
        return None
    like = most_like(searched, sought.words, budget=TEXT_BUDGET)
    if like is None or like.similarity < ALIKE or like.gap < GAP:
        return None
    weak = like.similarity < VERY_ALIKE or _was_common(sought, rest, like)
    if weak and _surroundings(sought, text, like.start, like.end) < SAME_SURROUNDINGS:
        return None
    return _reworded(sought, text, like, 0, "whole text, fuzzy")


def _was_common(sought: Sought, rest: str, like: Like) -> bool:
    rival = most_like(rest, sought.words, budget=TEXT_BUDGET) if rest else None
    return rival is not None and rival.similarity > like.similarity - GAP


def _reworded(sought: Sought, text: str, like: Like, offset: int, method: str) -> Again:
    """What was found, with what changed; where only the layout did it is the quote itself."""
    start, end = _whole_words(text, offset + like.start, offset + like.end, sought)
    words = text[start:end]
    found = gate.Found(start, end, Evidence.Match.NORMALISED)
    if same_words(sought.words, words):
        return Again(Outcome.LAYOUT, method, found, 1, like.similarity)
    changes = changes_of_meaning(sought.words, words, code=sought.code)
    outcome = Outcome.MEANING if changes else Outcome.REWORDED
    return Again(outcome, method, found, 1, like.similarity, changes)


def _whole_words(text: str, start: int, end: int, sought: Sought) -> tuple[int, int]:
    """The span with the words that it cuts taken in whole, unless the quote itself was cut there."""
    start, end = start + _spaces(text[start:end]), end - _spaces(text[start:end][::-1])
    if not (sought.prefix[-1:].isalnum() and sought.words[:1].isalnum()):
        while start > 0 and _joins(text[start - 1], text[start]) and sought.words[:1].isascii():
            start -= 1
    if not (sought.suffix[:1].isalnum() and sought.words[-1:].isalnum()):
        while 0 < end < len(text) and _joins(text[end - 1], text[end]):
            end += 1
    return start, end


def _spaces(text: str) -> int:
    return len(text) - len(text.lstrip())


def _joins(left: str, right: str) -> bool:
    """Whether two neighbours belong to one word."""
    return left.isascii() and right.isascii() and (left.isalnum() or left == "_") and (right.isalnum() or right == "_")


def _surroundings(sought: Sought, text: str, start: int, end: int) -> float:
    """How alike what stands round a place is to what stood round the quote."""
    before = text[max(0, start - len(sought.prefix)) : start]
    after = text[end : end + len(sought.suffix)]
    sides = [
        alikeness(plain(kept).strip(), plain(now).strip())
        for kept, now in ((sought.prefix, before), (sought.suffix, after))
        if kept.strip() or now.strip()
    ]
    return sum(sides) / len(sides) if sides else 1.0


def _every(text: str, words: str) -> list[gate.Found]:
    """Every place of the words in a few lines: exact, or after normalisation whatever their length."""
    places = gate.every(text, words)
    if places or len(words) >= Evidence.EXACT_BELOW:
        return places
    comparable, sought = Comparable(text), plain(words)
    at = comparable.text.find(sought)
    found: list[gate.Found] = []
    while at >= 0 and len(found) < gate.OCCURRENCES_MAX:
        found.append(gate.Found(*comparable.span(at, at + len(sought)), match=str(Evidence.Match.NORMALISED)))
        at = comparable.text.find(sought, at + 1)
    return found


def _nearest_to(places: Sequence[gate.Found], offset: int) -> gate.Found | None:
    return min(places, key=lambda place: abs(place.start - offset), default=None)
