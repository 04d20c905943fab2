"""What is quoted in one state of one source: the spans to mark in the text, and the cards beside it."""

from collections.abc import Iterable
from dataclasses import dataclass

from evidence import gate
from evidence.again import Sought, find_without
from evidence.lines import Run
from evidence.models import Evidence, Relation
from evidence.standing import Standing, caveats_of, is_later, standings
from shoebox.models import Shoebox
from yoimemory.sources.models import Workspace
from yoimemory.sources.reading import Document

_ORDER = {Relation.Kind.REFUTES: 0, Relation.Kind.SUPPORTS: 1, Relation.Kind.CONTEXTUALIZES: 2}
_MARKS = {Relation.Kind.REFUTES: "hl h-r", Relation.Kind.SUPPORTS: "hl h-s", Relation.Kind.CONTEXTUALIZES: "hl h-c"}
_NO_RELATION = "hl h-n"


@dataclass(frozen=True, slots=True)
class Quoted:
    """One piece of evidence as the page of its source shows it."""

    evidence: Evidence
    standing: Standing
    caveats: list[str]
    relations: list[Relation]
    span: tuple[int, int] | None = None
    lines: tuple[int, int] | None = None

    @property
    def later(self) -> bool:
        return is_later(self.evidence)

    @property
    def mark(self) -> Run | None:
        """The span with its class; the colour is that of the most contrary relation."""
        if self.span is None:
            return None
        first = self.relations[0].relation if self.relations else ""
        return (*self.span, _MARKS.get(Relation.Kind(first), _NO_RELATION) if first else _NO_RELATION)

    @property
    def first_relation(self) -> str:
        return self.relations[0].relation if self.relations else ""


def quoted_in(
    document: Document, workspace: Workspace, *, shoebox: Shoebox | None = None, starts: list[int] | None = None
) -> list[Quoted]:
    """Everything that stands as evidence from this source, in order of the text, contrary first on one line."""
    rows = Evidence.objects.in_workspace(workspace).current().filter(place=str(document.ref)).with_people()
    if shoebox is not None:
        rows = rows.filter(shoebox=shoebox)
    return cards_of(rows, document, starts=starts)


def cards_of(
    evidences: Iterable[Evidence],
    document: Document | None,
    *,
    starts: list[int] | None = None,
    keep_order: bool = False,
) -> list[Quoted]:
    """The cards of these, placed in the document where their words stand in it, in the order of the text."""
    rows = list(evidences)
    stands = standings(rows)
    caveats = caveats_of(rows, known=stands)
    starts = starts or (gate.line_starts(document.text) if document else [])
    cards = []
    for row in rows:
        relations = sorted(row.relations.all(), key=lambda one: _ORDER.get(Relation.Kind(one.relation), 3))
        span = span_in(row, document, stands[row.pk]) if document else None
        lines = (gate.place_of(starts, span[0])[0], gate.place_of(starts, span[1] - 1)[0]) if span else None
        cards.append(Quoted(row, stands[row.pk], caveats[row.pk], relations, span, lines))
    return cards if keep_order else sorted(cards, key=_reading_order)


def span_in(evidence: Evidence, document: Document, standing: Standing | None = None) -> tuple[int, int] | None:
    """Where a quote stands in this state of the text: as a check found it, else where its words surely are."""
    if not evidence.quote or evidence.start is None or evidence.end is None:
        return None
    if document.digest == evidence.text_digest:
        return evidence.start, evidence.end
    if standing and standing.span and standing.digest == document.digest:
        return standing.span
    again = find_without(Sought.of(evidence, exact_only=True), document.text)
    return (again.found.start, again.found.end) if again.found and again.is_firm else None


def _reading_order(card: Quoted) -> tuple[int, int, int]:
    relation = _ORDER.get(Relation.Kind(card.first_relation), 3) if card.first_relation else 3
    return (card.lines[0] if card.lines else 10**9, relation, card.evidence.pk)
