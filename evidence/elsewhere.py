"""Where else words stand: in other items of the shoebox, and in whatever else the index knows."""

from dataclasses import dataclass

from evidence import gate
from shoebox.models import Shoebox
from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.search.lookup import documents_holding
from yoimemory.sources.read import read_document

CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The words as they stand in another source, with their place."""

    ref: SourceRef
    text: str


def found_elsewhere(quote: str, *, shoebox: Shoebox, but: SourceRef) -> Elsewhere | None:
    """The source in which these words do stand, items of the shoebox first; proved against the source itself."""
    needle = max((line.strip() for line in quote.split("\n")), key=len)
    refs = [row for row in documents_holding(shoebox.workspace, needle) if row[0] != str(but)]
    held = set(shoebox.items.values_list("source", flat=True))
    candidates = sorted(refs[: CANDIDATES * 4], key=lambda row: (row[1] not in held, row[0]))
    for ref, _ in candidates[:CANDIDATES]:
        place = _proved(quote, SourceRef.parse(ref), shoebox)
        if place:
            return place
    return None


def _proved(quote: str, ref: SourceRef, shoebox: Shoebox) -> Elsewhere | None:
    try:
        document = read_document(shoebox.workspace, ref)
    except DomainError:  # in the index still, on disk no more: nothing to cite
        return None
    found = gate.locate(document.text, quote)
    if found is None:
        return None
    anchor = gate.anchor_at(document.text, found)
    place = ref.at(document.revision).part(lines_fragment(anchor.start_line, anchor.end_line))
    return Elsewhere(place, anchor.quote)
