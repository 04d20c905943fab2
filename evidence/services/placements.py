"""Where quotes stand today. Each check adds a line to the placements; no anchor is ever rewritten.

In this state of the house three outcomes are told apart: *verified*, *moved*, *orphaned*; what could
not be decided is *could-not-check*, never a guess.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from evidence import gate
from evidence.again import find_again
from evidence.models import Evidence, Placement
from evidence.standing import latest_placements
from yoimemory.errors import DomainError, NotFound
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document as Indexed
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document

State = Placement.State


@dataclass(frozen=True, slots=True)
class Text:
    """One state of one source, with what every quote from it needs."""

    document: Document
    place: str
    digest: str
    starts: list[int]


def recheck_anchors(workspace: Workspace, sources: Iterable[SourceRef] | None, *, now: datetime) -> list[Placement]:
    """Look at every quote from these sources (from all when None) again; return the placements that are new.

    A check that finds what the last one found adds nothing. A source that is gone or unreadable
    fails nothing: its quotes are orphaned, or could not be checked.
    """
    quotes = Evidence.objects.in_workspace(workspace).current().filter(kind=Evidence.Kind.QUOTE).order_by("place", "pk")
    if sources is not None:
        quotes = quotes.filter(source__in={str(source.source) for source in sources})
    rows = list(quotes)
    latest = latest_placements(rows)
    found: list[Placement] = []
    for place, group in groupby(rows, key=lambda evidence: evidence.place):
        same = list(group)
        texts = {name: _text(workspace, name) for name in {place, *_later_places(same, latest)}}
        for evidence in same:
            before = latest.get(evidence.pk)
            placement = _place(workspace, evidence, texts[before.place if before and before.place else place], now)
            if not _says_the_same(placement, before):
                found.append(placement)
    return Placement.objects.bulk_create(found)


def _later_places(rows: list[Evidence], latest: dict[int, Placement]) -> set[str]:
    return {latest[row.pk].place for row in rows if row.pk in latest and latest[row.pk].place}


def _text(workspace: Workspace, place: str) -> Text | DomainError:
    try:
        document = read_document(workspace, SourceRef.parse(place))
    except DomainError as error:
        return error
    if document.facts.get("gone"):  # history still has it, the workspace no longer does
        return NotFound(f"{place} lies in history only.")
    return Text(document, place, document.digest, gate.line_starts(document.text))


def _place(workspace: Workspace, evidence: Evidence, text: Text | DomainError, now: datetime) -> Placement:
    if isinstance(text, NotFound):
        moved = _renamed(workspace, evidence)
        if moved is None:
            return Placement(
                evidence=evidence, state=State.ORPHANED, method="source gone", at=now,
                note="The source is gone; its words and their surroundings are kept here.",
            )  # fmt: skip
        text = moved
    if isinstance(text, DomainError):
        return Placement(
            evidence=evidence, state=State.COULD_NOT_CHECK, method="unreadable", at=now, note=text.message[:400]
        )
    again = find_again(evidence, text.document.text, text.digest)
    placement = Placement(
        evidence=evidence, method=again.method, at=now, revision=text.document.revision, text_digest=text.digest,
        place=text.place if text.place != evidence.place else "",
    )  # fmt: skip
    if again.found is None:
        placement.state = State.COULD_NOT_CHECK if again.times else State.ORPHANED
        placement.note = (
            f"These words stand {again.times} times in the source now; which of them was quoted cannot be told."
            if again.times
            else "These words no longer stand in the source."
        )
        return placement
    placement.start, placement.end = again.found.start, again.found.end
    placement.start_line = gate.place_of(text.starts, again.found.start)[0]
    placement.end_line = gate.place_of(text.starts, again.found.end - 1)[0]
    stayed = placement.start_line == evidence.start_line and not placement.place
    placement.state = State.VERIFIED if stayed else State.MOVED
    if again.method == Evidence.Match.NORMALISED:
        placement.note = "Only white space, quotation marks or dashes differ."
    return placement


def _renamed(workspace: Workspace, evidence: Evidence) -> Text | None:
    """The same text under another path, where the index knows exactly one: a rename, not a guess."""
    kind = SourceRef.parse(evidence.place).kind
    refs = list(
        Indexed.objects.filter(workspace=workspace.public_id, digest=evidence.text_digest, kind=kind)
        .exclude(ref=evidence.place)
        .values_list("ref", flat=True)[:2]
    )
    text = _text(workspace, refs[0]) if len(refs) == 1 else None
    return text if isinstance(text, Text) and text.digest == evidence.text_digest else None


def _says_the_same(placement: Placement, before: Placement | None) -> bool:
    names = ("state", "text_digest", "place", "start", "note")
    if before is None:
        # The anchor itself says that the words stood there when they were taken.
        return placement.state == State.VERIFIED and placement.text_digest == placement.evidence.text_digest
    return all(getattr(placement, name) == getattr(before, name) for name in names)
