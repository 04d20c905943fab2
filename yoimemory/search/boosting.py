"""What a short query says of who and when lifts what was written by that person or in that time, with its reason.

No recency is presumed: only a name or a date that stands in the query counts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from yoimemory.search.analysis import fold
from yoimemory.search.backends import engine
from yoimemory.search.finding import Found
from yoimemory.search.query import Typed, day_span

AUTHOR, SPEAKER, DATE = 1.35, 1.15, 1.25
"""Who is named in a question about a conversation is as often spoken of as speaking, so a speaker counts less."""
LOOKED_AT = 200
SHORTEST = 3
_JAPANESE_DATE = re.compile(r"(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?")


def boost(found: Found, typed: Typed) -> None:
    """Lift the passages, and their sources, that fit a name or date in the query; say so."""
    names = {part for word in (*typed.words, *typed.phrases) for part in _parts_of(word) if len(part) >= SHORTEST}
    spans = [(word, span) for word in (*typed.words, *typed.phrases) if (span := _span(word))]
    if not (names or spans) or typed.text:
        return
    top = [each for each in found.ranked[:LOOKED_AT] if each.passages]
    known = {row[0]: Said(*row[1:]) for row in engine().said_by([row[0] for each in top for row in each.passages])}
    authors = {said.author for said in known.values()}
    named = {author: name for author in authors if (name := _named(author, names))}
    if len(set(named.values())) > 1:  # who names two people asks for neither's words
        named = {}
    lifts = {pk: lift for pk, said in known.items() if (lift := _lift(said, named, spans))[1]}
    for each in top:
        fitting = {row[0]: lifts[row[0]] for row in each.passages if row[0] in lifts}
        if not fitting:
            continue
        before = each.passages[0][2] or 1.0
        each.passages = sorted(
            ((pk, document, score * fitting.get(pk, NO_LIFT)[0]) for pk, document, score in each.passages),
            key=lambda row: (-row[2], row[0]),
        )
        each.score *= each.passages[0][2] / before
        each.said = {pk: why for pk, (_, why) in fitting.items()}
    found.ranked.sort(key=lambda each: (-each.score, each.whole))


NO_LIFT: tuple[float, list[str]] = (1.0, [])
Span = tuple[str, tuple[str, str]]


class Said(NamedTuple):
    """Who wrote a passage, and when, as the engine writes it."""

    kind: str
    author: str
    at: str


def _lift(said: Said, named: Mapping[str, str], spans: Sequence[Span]) -> tuple[float, list[str]]:
    """How much a passage is lifted, and why."""
    factor, why = 1.0, []
    if name := named.get(said.author):
        factor *= SPEAKER if said.kind == "session" else AUTHOR
        why.append(f"Lifted because {said.author} wrote it and the query names “{name}”.")
    if word := next((word for word, (first, after) in spans if first <= said.at < after), ""):
        factor *= DATE
        why.append(f"Lifted because it dates from “{word}”.")
    return factor, why


def _parts_of(text: str) -> set[str]:
    return {fold(text).lower(), *re.split(r"[\W_]+", fold(text).lower())}


def _named(author: str, names: set[str]) -> str:
    """The word of the query that is this author's name or a part of it."""
    return next(iter(sorted(names & _parts_of(author))), "")


def _span(word: str) -> tuple[str, str] | None:
    """The first instant of the time that a word means, and the first one after it, as the engine writes them."""
    if japanese := _JAPANESE_DATE.fullmatch(word):
        word = "-".join(f"{int(part):02d}" if len(part) < 4 else part for part in japanese.groups() if part)
    if not re.fullmatch(r"\d{4}-\d{1,2}(-\d{1,2})?", word) and not japanese:
        return None  # a bare number is seldom a year
    span = day_span(word)
    return (engine().stored_time(span[0]), engine().stored_time(span[1])) if span else None
