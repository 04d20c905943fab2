"""The gate: a quote is stored only if its words stand in the cited text. Pure functions over text.

Found is found exactly, or after normalisation (`evidence.normal`), and said to be so. What is not
found is told apart: nearly found, glued from several places, or too short or long to prove anything.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from evidence.models import Evidence
from evidence.nearest import Near, nearest, pieces_of
from evidence.normal import Comparable, plain

OCCURRENCES_MAX = 10_000
"""How many occurrences are counted; beyond it "k of n" means nothing to anyone."""

SHORT_OF_MEANING = "Extend the selection to a whole statement."


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a draft was not stored: a stable code, a sentence, and the nearest text with its place."""

    code: str
    message: str
    hint: str = ""
    nearest: str = ""
    nearest_ref: str = ""
    places: tuple[str, ...] = ()
    index: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """Where the words stand, in code points of the text as observed; occurrence `k` of `n`."""

    start: int
    end: int
    match: str
    occurrence: int = 1
    occurrences: int = 1


@dataclass(frozen=True, slots=True)
class Anchor:
    """Everything that pins a quote to one state of one text. Never changed once it is stored."""

    quote: str
    quote_digest: str
    prefix: str
    suffix: str
    start: int
    end: int
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    occurrence: int
    occurrences: int
    match: str


def measure(quote: str) -> Refusal | None:
    """Refuse what is too short to be one place's words, or too long to be one observation."""
    length = len(quote)
    if length < Evidence.QUOTE_MIN:
        return Refusal(
            "too_short",
            f"The quote has {length} characters; at least {Evidence.QUOTE_MIN} are needed to prove a place.",
            hint=SHORT_OF_MEANING,
        )
    if length > Evidence.QUOTE_MAX:
        return Refusal(
            "too_long",
            f"The quote has {length:,} characters; one observation holds at most {Evidence.QUOTE_MAX:,}.",
            hint="Quote the sentences that matter, each as evidence of its own.",
        )
    return None


def locate(text: str, quote: str, *, near: int | None = None) -> Found | None:
    """Find the words; of several occurrences the one nearest to the offset `near`, else the first."""
    found = every(text, quote)
    if not found:
        return None
    return found[0] if near is None else min(found, key=lambda one: (abs(one.start - near), one.start))


def every(text: str, quote: str) -> list[Found]:
    """Every place where the words stand, exactly, or else after normalisation.

    A quote under 32 characters is found exactly or not at all: so few words, made comparable, would
    be found in places that do not say the same.
    """
    spans = [(at, at + len(quote)) for at in _occurrences(text, quote)]
    if spans or len(quote) < Evidence.EXACT_BELOW:
        return _numbered(spans, Evidence.Match.EXACT)
    words = plain(quote)
    comparable = Comparable(text)
    spans = [comparable.span(at, at + len(words)) for at in _occurrences(comparable.text, words)]
    # A span that does not lead back to the same words begins or ends inside one composed character.
    return _numbered([span for span in spans if plain(text[slice(*span)]) == words], Evidence.Match.NORMALISED)


def anchor_at(text: str, found: Found, starts: Sequence[int] | None = None) -> Anchor:
    """The anchor of a found quote: the exact words of the text, not those that were sent."""
    starts = starts or line_starts(text)
    quote = text[found.start : found.end]
    start_line, start_column = place_of(starts, found.start)
    last_line, last_column = place_of(starts, max(found.end - 1, found.start))
    return Anchor(
        quote=quote,
        quote_digest=digest_of(quote),
        prefix=text[max(0, found.start - Evidence.CONTEXT) : found.start],
        suffix=text[found.end : found.end + Evidence.CONTEXT],
        start=found.start,
        end=found.end,
        start_line=start_line,
        start_column=start_column,
        end_line=last_line,
        end_column=last_column + 1,
        occurrence=found.occurrence,
        occurrences=found.occurrences,
        match=found.match,
    )


def byte_range(text: str, raw: bytes, start: int, end: int, *, encoding: str = "utf-8") -> tuple[int, int] | None:
    """The byte range of a span in the file, where the text is the file's bytes decoded; else None."""
    try:
        if text.encode(encoding) != raw:
            return None
        # Both are counted from the beginning, so that a byte order mark counts once in each.
        return len(text[:start].encode(encoding)), len(text[:end].encode(encoding))
    except (UnicodeEncodeError, LookupError):
        return None


def missing(text: str, quote: str, *, starts: Sequence[int] | None = None) -> tuple[list[Near], Near | None]:
    """What of a quote that is not there is there: the pieces that it was glued from, and the nearest text."""
    starts = starts or line_starts(text)
    return pieces_of(text, quote, starts), nearest(text, quote, starts)


def line_starts(text: str) -> list[int]:
    """The offset at which each line begins. Lines end at a line feed only."""
    return [0, *accumulate([len(line) + 1 for line in text.split("\n")[:-1]])]


def place_of(starts: Sequence[int], offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1, columns in code points."""
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def offset_of(starts: Sequence[int], line: int | None, column: int | None = None) -> int | None:
    """The offset of a line and column, or None where no line was given. Places beyond the text mean its end."""
    if line is None:
        return None
    return starts[min(line, len(starts)) - 1] + (column or 1) - 1


def digest_of(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _occurrences(text: str, words: str) -> list[int]:
    """Where the words begin, overlapping ones too."""
    found: list[int] = []
    at = text.find(words) if words else -1
    while at >= 0 and len(found) < OCCURRENCES_MAX:
        found.append(at)
        at = text.find(words, at + 1)
    return found


def _numbered(spans: list[tuple[int, int]], match: str) -> list[Found]:
    return [
        Found(start, end, str(match), occurrence, len(spans)) for occurrence, (start, end) in enumerate(spans, start=1)
    ]
