"""A quote with the lines around it: as it was taken, and as its source stands now."""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence import gate
from evidence.lines import Line, Text
from evidence.marks import span_in
from evidence.models import Evidence, Placement
from evidence.nearest import nearest
from evidence.standing import Standing
from evidence.worddiff import Part, parts_of
from yoimemory.errors import DomainError, NotFound
from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document

AROUND = 2
"""Lines of context on each side."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Some lines of a text, what they are in a few words, and a sentence where they are not what one expects."""

    lines: Sequence[Line]
    label: str
    note: str = ""
    ref: SourceRef | None = None
    parts: Sequence[Part] = ()
    """The quote against what stands there, word by word; empty where they are the same."""


def as_quoted(evidence: Evidence) -> Surroundings:
    """The quote where it was taken: read again at its revision, else from what was kept with it."""
    document = _as_observed(evidence)
    if document is None or evidence.start is None or evidence.end is None:
        return _as_kept(evidence)
    at = f"at {evidence.revision[:8]}" if ":" not in evidence.revision else "not committed"
    return Surroundings(
        _around(document.text, evidence.start, evidence.end), f"{at}, proof kept: SHA-256 of the text as read"
    )


def as_it_stands(evidence: Evidence, standing: Standing, *, place: str = "") -> Surroundings | None:
    """Where the words stand now, or what is nearest to them; None where nothing differs from the quote's own place."""
    if not evidence.quote:
        return None
    try:
        document = read_document(evidence.workspace, SourceRef.parse(place or evidence.place))
    except NotFound:
        return Surroundings((), "source gone", "The source is gone. The words and their proof are kept here.")
    except DomainError as error:
        return Surroundings((), "could not be read", error.message)
    if document.digest == evidence.text_digest and not place:
        return None
    where = "working tree, uncommitted" if document.uncommitted else f"at {document.revision[:8]}"
    span = span_in(evidence, document, standing)
    if span:
        return _found_now(evidence, document, span, where, elsewhere=bool(place))
    if standing.state == Placement.State.AMBIGUOUS:
        return Surroundings((), where, standing.note, ref=document.ref)
    return _nearest_now(evidence, document, where)


def _found_now(
    evidence: Evidence, document: Document, span: tuple[int, int], where: str, *, elsewhere: bool
) -> Surroundings | None:
    line = gate.place_of(gate.line_starts(document.text), span[0])[0]
    words = document.text[slice(*span)]
    if words == evidence.quote and line == evidence.start_line and not elsewhere:
        return None
    return Surroundings(
        _around(document.text, *span),
        f"{where}; line {line}, was {evidence.start_line}",
        ref=document.ref.part(lines_fragment(line, line)),
        parts=tuple(parts_of(evidence.quote, words)) if words != evidence.quote else (),
    )


def _nearest_now(evidence: Evidence, document: Document, where: str) -> Surroundings:
    near = nearest(document.text, evidence.quote, gate.line_starts(document.text))
    if near is None:
        return Surroundings((), where, "The words are gone, and nothing like them is left.", ref=document.ref)
    return Surroundings(
        _around(document.text, near.start, near.end),
        f"{where}; similarity {near.similarity:.2f}",
        "The words are gone. This is the text most like them; it is not what was quoted.",
        ref=document.ref.part(lines_fragment(near.first_line, near.last_line)),
    )


def _as_observed(evidence: Evidence) -> Document | None:
    """The document in the very state that was quoted, where it can still be read."""
    place = SourceRef.parse(evidence.place)
    revision = "" if ":" in evidence.revision else evidence.revision
    try:
        document = read_document(evidence.workspace, place.at(revision))
    except DomainError:  # the kept words take its place
        return None
    return document if document.digest == evidence.text_digest else None


def _around(text: str, start: int, end: int) -> list[Line]:
    """The lines of a span and some around it; what is not quoted is set back."""
    starts = gate.line_starts(text)
    first, last = gate.place_of(starts, start)[0], gate.place_of(starts, max(end - 1, start))[0]
    shown = Text(text, marks=[(0, start, "out"), (end, len(text), "out")], starts=starts)
    return [line for line in shown.lines(max(first - AROUND, 1), last + AROUND) if not line.blank]


def _as_kept(evidence: Evidence) -> Surroundings:
    """The kept words with the characters around them, for a source that cannot be read as it was."""
    before, after = evidence.prefix, evidence.suffix
    text = before + evidence.quote + after
    span = (len(before), len(before) + len(evidence.quote))
    shown = Text(text, marks=[(0, span[0], "out"), (span[1], len(text), "out")])
    offset = (evidence.start_line or 1) - 1 - before.count("\n")
    lines = [Line(line.number + offset, line.html, line.blank) for line in shown.lines()]
    note = "The text as it was read is not at hand any more; these words and the characters around them were kept."
    return Surroundings(lines if evidence.quote else (), "from what was kept", note if evidence.quote else "")
