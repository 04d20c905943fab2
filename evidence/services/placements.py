"""Where quotes stand today. Each check adds a line to the placements; no anchor is ever rewritten.

Only what may have changed is looked at: quotes from changed sources, quotes of text that has been
committed since, and quotes whose commit left the history. One text is read once and compared once,
however many quotes come from it.
"""

from collections.abc import Iterable
from datetime import datetime

from evidence.models import Evidence, EvidenceQuerySet, Placement
from evidence.placing import Base
from evidence.rechecking import Recheck
from evidence.standing import firm_placements, latest_placements
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document as Indexed
from yoimemory.sources.models import Workspace
from yoimemory.sources.renames import lost_commits

BATCH = 500


def recheck_anchors(workspace: Workspace, sources: Iterable[SourceRef] | None, *, now: datetime) -> list[Placement]:
    """Look at every quote from these sources (from all when None) again; return the placements that are new.

    A check that finds what the last one found adds nothing. A source that is gone or unreadable
    fails nothing: its quotes are orphaned, or could not be checked. What a person confirmed or
    attached anew is carried along like any other words.
    """
    quotes = Evidence.objects.in_workspace(workspace).current().filter(kind=Evidence.Kind.QUOTE)
    rebased = lost_commits(workspace, set(quotes.values_list("revision", flat=True).distinct()))
    rows = _rows(workspace, quotes, sources, rebased)
    latest, firm = latest_placements(rows), firm_placements(rows)
    check = Recheck(workspace, now)
    found: list[Placement] = []
    for evidence in rows:
        placement = check.place(evidence, Base.of(evidence, firm.get(evidence.pk)))
        placement.rebased = evidence.revision in rebased
        if not _says_the_same(placement, latest.get(evidence.pk)):
            found.append(placement)
    return Placement.objects.bulk_create(found, batch_size=BATCH)


def _rows(
    workspace: Workspace, quotes: EvidenceQuerySet, sources: Iterable[SourceRef] | None, rebased: set[str]
) -> list[Evidence]:
    """The quotes to look at, those of one place together."""
    if sources is None:
        return list(quotes.order_by("place", "text_digest", "pk"))
    names = {str(source.source) for source in sources}
    pks = _of_sources(quotes, names) | _committed_since(workspace, quotes) | _history_changed(quotes, rebased)
    wanted, rows = sorted(pks), list[Evidence]()
    for start in range(0, len(wanted), BATCH):
        rows += quotes.filter(pk__in=wanted[start : start + BATCH])
    return sorted(rows, key=lambda row: (row.place, row.text_digest, row.pk))


def _of_sources(quotes: EvidenceQuerySet, names: set[str]) -> set[int]:
    """Quotes from these sources, and those that followed a renamed file there."""
    if not names:
        return set()
    found = {pk for pk, source in quotes.values_list("pk", "source") if source in names}
    moved = Placement.objects.filter(evidence__in=quotes).exclude(place="").values_list("evidence", "place").distinct()
    return found | {pk for pk, place in moved if str(SourceRef.parse(place).source) in names}


def _committed_since(workspace: Workspace, quotes: EvidenceQuerySet) -> set[int]:
    """Quotes of uncommitted text that no commit has proved yet, where the index reads a commit now."""
    later = Placement.objects.filter(evidence__uncommitted=True).exclude(revision="")
    proved = later.exclude(revision__startswith="sha256:").values("evidence")
    waiting = dict(quotes.filter(uncommitted=True).exclude(pk__in=proved).values_list("pk", "place"))
    committed: set[str] = set()
    places = sorted(set(waiting.values()))
    for start in range(0, len(places), BATCH):
        committed |= set(
            Indexed.objects.filter(workspace=workspace.public_id, ref__in=places[start : start + BATCH])
            .filter(uncommitted=False)
            .values_list("ref", flat=True)
        )
    return {pk for pk, place in waiting.items() if place in committed}


def _history_changed(quotes: EvidenceQuerySet, rebased: set[str]) -> set[int]:
    """Quotes whose commit left the history, or came back to it, since they were last looked at."""
    off = {pk for pk, revision in quotes.values_list("pk", "revision") if revision in rebased} if rebased else set()
    marked = set(Placement.objects.filter(evidence__in=quotes, rebased=True).values_list("evidence", flat=True))
    if not off | marked:
        return set()
    latest = latest_placements(Evidence.objects.filter(pk__in=off | marked).only("pk"))
    now_marked = {pk for pk, placement in latest.items() if placement.rebased}
    return (off - now_marked) | (now_marked - off)


def _says_the_same(placement: Placement, before: Placement | None) -> bool:
    if before is None:
        # The anchor itself says that the words stood there when they were taken.
        return (
            placement.state == Placement.State.VERIFIED
            and placement.text_digest == placement.evidence.text_digest
            and not (placement.rebased or placement.note)
        )
    names = ["text_digest", "place", "start", "rebased"]
    if not before.by_id:  # what a person said of this very state stands as they said it
        names += ["state", "note"]
    return all(getattr(placement, name) == getattr(before, name) for name in names)
