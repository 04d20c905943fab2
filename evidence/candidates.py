"""Where a lost quote might be meant to stand now. Candidates for a person to choose from, never chosen here."""

from dataclasses import dataclass

from evidence import gate
from evidence.elsewhere import found_elsewhere
from evidence.models import Evidence, Placement
from evidence.nearest import nearest
from evidence.standing import Standing
from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.read import read_document

SAME_MAX = 5
ASKED = (Placement.State.ORPHANED, Placement.State.AMBIGUOUS)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stretch of a source, with the reason why it is offered."""

    ref: SourceRef
    text: str
    why: str


def candidates_for(evidence: Evidence, standing: Standing, *, place: str = "") -> list[Candidate]:
    """The same words where they stand, else the text most like them, else the same words in another source."""
    if not evidence.quote or standing.state not in ASKED:
        return []
    found: list[Candidate] = []
    try:
        document = read_document(evidence.workspace, SourceRef.parse(place or evidence.place))
    except DomainError:  # gone or unreadable: other sources may still hold the words
        document = None
    if document is not None:
        starts = gate.line_starts(document.text)
        for each in gate.every(document.text, evidence.quote)[:SAME_MAX]:
            first, last = gate.place_of(starts, each.start)[0], gate.place_of(starts, each.end - 1)[0]
            ref = document.ref.part(lines_fragment(first, last))
            found.append(Candidate(ref, document.text[each.start : each.end], "the same words"))
        near = None if found else nearest(document.text, evidence.quote, starts)
        if near:
            ref = document.ref.part(lines_fragment(near.first_line, near.last_line))
            found.append(Candidate(ref, near.text, f"similarity {near.similarity:.2f}"))
    if not any(each.why == "the same words" for each in found):
        other = found_elsewhere(evidence.quote, shoebox=evidence.shoebox, but=SourceRef.parse(evidence.place))
        if other:
            found.append(Candidate(other.ref.at(""), other.text, "the same words in another source"))
    return found
