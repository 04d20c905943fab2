"""Where evidence stands, in the words of a representation: lanes by kind of source, dates, components."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from evidence.models import Evidence
from shoebox.models import Item, Shoebox
from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_documents
from yoimemory.sources.lineage import line_ages
from yoimemory.sources.models import Workspace

FILES_DATED_MAX = 60
"""Files whose lines are dated for one representation: each costs a run of git through the history of the file."""

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
    """When each passage was written: as its source says, as its lines are old, else as its source is. No guesses.

    A file is as young as its last commit, and most of its lines are older: which of two sides is later is a
    question about lines.
    """
    evidences = list(evidences)
    dates = {one.pk: one.said_at for one in evidences if one.said_at}
    dates |= _line_dates(shoebox.workspace, [one for one in evidences if one.pk not in dates])
    undated = [one for one in evidences if one.pk not in dates]
    sources = _source_dates(shoebox, undated)
    return dates | {one.pk: sources[one.place] for one in undated if one.place in sources}


def _line_dates(workspace: Workspace, evidences: Iterable[Evidence]) -> dict[int, datetime]:
    """The youngest line of each quote from a committed file; nothing where git cannot tell."""
    files: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for one in evidences:
        ref = SourceRef.parse(one.place)
        if ref.kind in {"doc", "code"} and one.start_line and one.revision and not one.uncommitted:
            files[ref.locator, one.revision].append(one)
    dates: dict[int, datetime] = {}
    for (path, revision), quoted in list(files.items())[:FILES_DATED_MAX]:
        dates |= _youngest_lines(workspace, path, revision, quoted)
    return dates


def _youngest_lines(workspace: Workspace, path: str, revision: str, quoted: Sequence[Evidence]) -> dict[int, datetime]:
    spans = {one.pk: (one.start_line or 1, one.end_line or one.start_line or 1) for one in quoted}
    try:
        ages = line_ages(workspace, path, revision=revision, spans=sorted(set(spans.values())))
    except DomainError:
        return {}
    found = {}
    for key, (first, last) in spans.items():
        over = [age for age in ages if age.first <= last and age.last >= first]
        known = [age.at for age in over if age.at and not age.cut]
        if known and len(known) == len(over):
            found[key] = max(known)
    return found


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
