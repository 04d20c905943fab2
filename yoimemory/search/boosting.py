"""What a short query says of who and when lifts what was written by that person or in that time, with its reason.

No recency is presumed: only a name or a date that stands in the query counts.
"""

import re
from datetime import UTC, datetime

from yoimemory.search.analysis import fold
from yoimemory.search.finding import Found
from yoimemory.search.models import Passage
from yoimemory.search.query import Typed, day_span

AUTHOR, DATE = 1.35, 1.25
LOOKED_AT = 200
SHORTEST = 3
_JAPANESE_DATE = re.compile(r"(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?")


def boost(found: Found, typed: Typed) -> None:
    """Lift the sources whose best passage fits a name or date in the query; say so."""
    names = {fold(word).lower() for word in typed.words if len(word) >= SHORTEST}
    spans = [(word, span) for word in (*typed.words, *typed.phrases) if (span := _span(word))]
    if not (names or spans) or typed.text:
        return
    top = [each for each in found.ranked[:LOOKED_AT] if each.passages]
    rows = Passage.objects.filter(pk__in=[each.passages[0][0] for each in top]).values_list(
        "pk", "author", "document__author", "at", "document__at"
    )
    known = {pk: (author or of_document, at or dated) for pk, author, of_document, at, dated in rows}
    for each in top:
        author, at = known.get(each.passages[0][0], ("", None))
        if name := _named(author, names):
            each.score *= AUTHOR
            each.why.append(f"Lifted because {author} wrote it and the query names “{name}”.")
        word = next((word for word, (first, after) in spans if at and first <= at < after), "")
        if word:
            each.score *= DATE
            each.why.append(f"Lifted because it dates from “{word}”.")
    found.ranked.sort(key=lambda each: (-each.score, each.whole))


def _named(author: str, names: set[str]) -> str:
    """The word of the query that is this author's name or a part of it."""
    parts = {fold(author).lower(), *re.split(r"[\W_]+", fold(author).lower())}
    return next(iter(sorted(names & parts)), "")


def _span(word: str) -> tuple[datetime, datetime] | None:
    if japanese := _JAPANESE_DATE.fullmatch(word):
        word = "-".join(f"{int(part):02d}" if len(part) < 4 else part for part in japanese.groups() if part)
    if not re.fullmatch(r"\d{4}-\d{1,2}(-\d{1,2})?", word) and not japanese:
        return None  # a bare number is seldom a year
    span = day_span(word)
    return (span[0].astimezone(UTC), span[1].astimezone(UTC)) if span else None
