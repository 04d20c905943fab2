"""Where evidence stands, in the words of a representation: lanes by kind of source, dates, components."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from evidence.models import Evidence
from shoebox.models import Item, Shoebox
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_documents

LANES = {
    "ticket": "Tickets", "objective": "Objectives", "commit": "Commits", "diff": "Commits", "branch": "Branches",
    "worktree": "Work trees", "session": "Sessions", "doc": "Docs", "code": "Code", "record": "Records",
    "message": "Messages", "memory": "Memory", "skill": "Skills",
}  # fmt: skip
"""The lane of each kind of source, in the order in which lanes are drawn."""


def lane_of(evidence: Evidence) -> str:
    """The lane of the source that a piece of evidence stands in."""
    kind = SourceRef.parse(evidence.place).kind
    return LANES.get(kind, kind)


def lane_order(name: str) -> tuple[int, str]:
    """Sorts lanes as they are drawn; unknown ones come last."""
    order = list(dict.fromkeys(LANES.values()))
    return (order.index(name) if name in order else len(order), name)


def dates_of(shoebox: Shoebox, evidences: Iterable[Evidence]) -> dict[int, datetime]:
    """When each passage was written; where the source does not say, the date of the source itself. No guesses."""
    evidences = list(evidences)
    sources = _source_dates(shoebox, [one for one in evidences if one.said_at is None])
    dates = {one.pk: one.said_at or sources.get(one.place) for one in evidences}
    return {key: at for key, at in dates.items() if at}


def _source_dates(shoebox: Shoebox, evidences: Iterable[Evidence]) -> Mapping[str, datetime]:
    """The date of each place: the shoebox's note of it, else the index."""
    places = {evidence.place: evidence.source for evidence in evidences}
    if not places:
        return {}
    held = Item.objects.filter(shoebox=shoebox, place__in=places, at__isnull=False).values_list("place", "at")
    dates = {place: at for place, at in held if at}
    missing = {source for place, source in places.items() if place not in dates}
    for document in find_documents(shoebox.workspace, sorted(missing)) if missing else []:
        if document.at:
            dates.setdefault(str(document.ref), document.at)
    return dates
