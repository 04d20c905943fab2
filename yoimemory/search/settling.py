"""Stance and as-of: the same matches in the order of what speaks against it, and of what was known then."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from yoimemory.search import contrary
from yoimemory.search.models import Passage
from yoimemory.search.ranking import Ranked
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.snippets import find_spans

LATER = 0.5
"""What remains of the score of a source of which only later passages match, when it was asked as of an instant."""
LOOKED_AT = 20_000


@dataclass(frozen=True, slots=True)
class Passing:
    """What of a passage bears on the order."""

    at: datetime | None
    signals: str
    refuses: bool


def settle(ranked: list[Ranked], query: SearchQuery) -> None:
    """Put the sources, and the passages within each, into the order that stance and as-of ask for."""
    if query.stance == "any" and not query.as_of:
        return
    known = _facts([row[0] for each in ranked for row in each.passages], words=query.stance == "disconfirming")
    tiers: dict[int, tuple[bool, bool, int]] = {}
    for each in ranked:
        order = {
            row[0]: (_tier(known.get(row[0]), query), _is_later(known.get(row[0]), query)) for row in each.passages
        }
        each.passages.sort(key=lambda row: (*order[row[0]], -row[2]))
        tier, later = order[each.passages[0][0]] if each.passages else (_tier(None, query), False)
        # What was known by then is what speaks against it as of that instant, however well what came later fits.
        against = query.stance == "disconfirming" and tier < _LAST
        tiers[each.whole] = (not against, against and later, tier)
        if later:
            each.score *= LATER
        if against:
            each.why += _reasons(known[each.passages[0][0]], later=later)
    ranked.sort(key=lambda each: (tiers[each.whole], -each.score, each.whole))


_LAST = 2


def _tier(passage: Passing | None, query: SearchQuery) -> int:
    """What its structure says against something stands first, then words of refusal, then all else."""
    if query.stance == "disconfirming":
        return _LAST if passage is None else 0 if passage.signals else 1 if passage.refuses else _LAST
    return int(query.stance == "supporting" and passage is not None and bool(passage.signals))


def _is_later(passage: Passing | None, query: SearchQuery) -> bool:
    return bool(query.as_of and passage and passage.at and passage.at > query.as_of)


def _reasons(passage: Passing, *, later: bool) -> list[str]:
    if passage.signals and later:
        return [f"Behind what was known by then, but {reason}." for reason in contrary.reasons(passage.signals)]
    if passage.signals:
        return [f"Ranked first because {reason}." for reason in contrary.reasons(passage.signals)]
    return [contrary.BY_WORDS]


def _facts(pks: Sequence[int], *, words: bool) -> dict[int, Passing]:
    known: dict[int, Passing] = {}
    columns = ["pk", "at", "document__at", "signals", *(["text"] if words else [])]
    for start in range(0, len(pks), 900):
        for pk, at, of_document, signals, *text in Passage.objects.filter(pk__in=pks[start : start + 900]).values_list(
            *columns
        ):
            refuses = bool(text and find_spans(text[0][:LOOKED_AT], contrary.WORDS))
            known[pk] = Passing(at or of_document, signals, refuses)
    return known
