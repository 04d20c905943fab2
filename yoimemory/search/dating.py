"""What matches in the order of its dates instead of its worth; what has no date comes last either way."""

from datetime import UTC, datetime

from yoimemory.search.backends import engine
from yoimemory.search.backends.sqlite import TookTooLong
from yoimemory.search.finding import Found
from yoimemory.search.matching import Match
from yoimemory.search.models import Document, Passage
from yoimemory.search.narrowing import Narrowing
from yoimemory.search.ranking import Ranked
from yoimemory.search.schemas import SearchQuery

ROWS = 5_000
"""So many of the newest or oldest passages are put in order; whoever reads further is asked to narrow the search."""


def order_by_date(found: Found, match: Match, query: SearchQuery, narrowing: Narrowing) -> None:
    """Put what was found into the order of its dates, each source at its newest (or oldest) passage that matches."""
    newest = query.order == "newest"
    known = {each.whole: each for each in found.ranked}
    dated: dict[int, tuple[str, Ranked]] = {}
    for whole, pk, document, at in _rows(match, narrowing, found, newest=newest, once=query.per_source == 1):
        if whole not in found.passages:
            continue
        if whole not in dated:
            old = known.get(whole)
            dated[whole] = at, Ranked(whole, old.score if old else 0.0, [], list(old.why) if old else [])
        dated[whole][1].passages.append((pk, document, 1.0))
    rest = [each for each in found.ranked if each.whole not in dated]
    for each, at in zip(rest, _dates(rest), strict=True):
        dated[each.whole] = at, each
    with_date = sorted((row for row in dated.values() if row[0]), key=lambda row: row[1].whole)
    with_date.sort(key=lambda row: row[0], reverse=newest)
    found.ranked = [row[1] for row in [*with_date, *(row for row in dated.values() if not row[0])]]


def _rows(
    match: Match, narrowing: Narrowing, found: Found, *, newest: bool, once: bool
) -> list[tuple[int, int, int, str]]:
    if not match.expression:
        return []
    store = engine()
    try:
        with store.bounded():
            rows: list[tuple[int, int, int, str]] = store.dated_parts(
                match.expression, narrowing, newest=newest, once=once, limit=ROWS
            )
            return rows
    except TookTooLong:
        found.notes.append("There was no time to put everything in order of its date; narrow it by kind or path.")
        return []


def _dates(rest: list[Ranked]) -> list[str]:
    """The date of the best passage of each, as the engine writes dates; empty where it has none."""
    pks = [each.passages[0][0] for each in rest if each.passages]
    rows = Passage.objects.filter(pk__in=pks).values_list("document__whole", "at", "document__at")
    known = {whole: at or of_document for whole, at, of_document in rows}
    wholes = [each.whole for each in rest if each.whole not in known]
    known |= dict(Document.objects.filter(pk__in=wholes).values_list("pk", "at"))
    return [_written(known.get(each.whole)) for each in rest]


def _written(at: datetime | None) -> str:
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(sep=" ") if at else ""
