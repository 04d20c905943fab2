"""Build a timeline from evidence: what was said or done when, in lanes by kind of source.

Deterministic: the same evidence, the same dates of its sources and the same as-of give the same
rows in the same order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from evidence.models import Evidence, Relation
from hypotheses.models import Hypothesis
from hypotheses.schemas import Bearing, Timeline, TimelineRow
from shoebox.models import Item, Shoebox
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_documents

LABEL_MAX = 160

LANES = {
    "ticket": "Tickets", "objective": "Objectives", "commit": "Commits", "diff": "Commits", "branch": "Branches",
    "worktree": "Work trees", "session": "Sessions", "doc": "Docs", "code": "Code", "record": "Records",
    "message": "Messages", "memory": "Memory", "skill": "Skills",
}  # fmt: skip
"""The lane of each kind of source, in the order in which lanes are drawn."""


def build_timeline(shoebox: Shoebox, evidences: Sequence[Evidence]) -> Timeline:
    """The timeline of this evidence, read as of the shoebox's instant.

    A row's date is when the passage was written; where the source does not say, the date of the
    source itself. What has neither is listed as undated, never guessed.
    """
    dates, bearings = _source_dates(shoebox, evidences), bearings_of(shoebox, evidences)
    rows, undated = [], []
    for evidence in evidences:
        at = evidence.said_at or dates.get(evidence.place)
        if at is None:
            undated.append(evidence)
        else:
            rows.append((at.astimezone(UTC), evidence))
    rows.sort(key=lambda row: (row[0], *_place_order(row[1])))
    return Timeline(
        as_of=shoebox.as_of,
        rows=[_row(at, evidence, bearings.get(evidence.pk, []), shoebox.as_of) for at, evidence in rows],
        undated=[str(evidence.ref) for evidence in sorted(undated, key=_place_order)],
    )


def bearings_of(shoebox: Shoebox, evidences: Iterable[Evidence]) -> dict[int, list[Bearing]]:
    """How each piece bears on the hypotheses of the shoebox and on its question, by primary key."""
    names = {str(one.ref): f"H{one.number}" for one in Hypothesis.objects.in_shoebox(shoebox)}
    targets = [str(shoebox.ref), *names]
    relations = Relation.objects.filter(evidence__in=[one.pk for one in evidences], target__in=targets)
    found = defaultdict(list)
    for relation in relations:
        found[relation.evidence_id].append(
            Bearing.model_validate(
                {"target": relation.target, "name": names.get(relation.target, ""), "relation": relation.relation}
            )
        )
    for bearings in found.values():
        bearings.sort(key=lambda bearing: (len(bearing.name), bearing.name))
    return found


def _source_dates(shoebox: Shoebox, evidences: Iterable[Evidence]) -> Mapping[str, datetime]:
    """The date of each place that evidence without a date of its own stands in: the shoebox's note, else the index."""
    places = {evidence.place: evidence.source for evidence in evidences if evidence.said_at is None}
    if not places:
        return {}
    held = Item.objects.filter(shoebox=shoebox, place__in=places, at__isnull=False).values_list("place", "at")
    dates = {place: at for place, at in held if at}
    missing = {source for place, source in places.items() if place not in dates}
    for document in find_documents(shoebox.workspace, sorted(missing)) if missing else []:
        if document.at:
            dates.setdefault(str(document.ref), document.at)
    return dates


def _row(at: datetime, evidence: Evidence, bears: list[Bearing], as_of: datetime | None) -> TimelineRow:
    kind = SourceRef.parse(evidence.place).kind
    return TimelineRow(
        at=at,
        lane=LANES.get(kind, kind),
        label=label_of(evidence),
        bears=bears,
        refs=[str(evidence.ref), str(evidence.address)],
        later=as_of is not None and at > as_of,
    )


def label_of(evidence: Evidence) -> str:
    """What the row says: the quoted words in quotation marks, or a summary with its label. The voices stay apart."""
    if evidence.kind == Evidence.Kind.QUOTE:
        return f"“{_shortened(evidence.quote)}”"
    words = evidence.summary or evidence.inference or evidence.title or evidence.place
    return f"{evidence.get_kind_display()}: {_shortened(words)}"


def _shortened(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= LABEL_MAX else line[: LABEL_MAX - 1].rstrip() + "…"


def _place_order(evidence: Evidence) -> tuple[str, int, str]:
    return evidence.place, evidence.start or 0, evidence.public_id
