"""What a commit did to quotes that count, told once for each commit and not once for each quote."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Q

from evidence.models import Evidence, EvidenceQuerySet, Placement
from evidence.standing import latest_placements

UNCOMMITTED = "uncommitted"
"""How changes of the working tree are named together: each of its texts has a digest, none has a commit."""


@dataclass(slots=True)
class MovedOn:
    """One state of the workspace at which quotes no longer stood: how many sources and quotes it concerns."""

    name: str
    sources: set[str] = field(default_factory=set)
    states: Counter[str] = field(default_factory=Counter)

    @property
    def committed(self) -> bool:
        return self.name != UNCOMMITTED

    @property
    def short(self) -> str:
        return self.name[:8]

    @property
    def told(self) -> str:
        order = [str(state) for state in Placement.DRIFTED]
        return ", ".join(f"{self.states[state]} {state}" for state in order if self.states[state])


def drifted(quotes: EvidenceQuerySet) -> EvidenceQuerySet:
    """Of these the accepted ones whose quotes no longer stand as they were taken."""
    return quotes.accepted().with_anchor_state().filter(Q(("anchor_state__in", Placement.DRIFTED)))


def moved_on(rows: Iterable[Evidence]) -> list[MovedOn]:
    """The commits up to which these drifted, each told once, the newest check first."""
    evidences = list(rows)
    latest = latest_placements(evidences)
    found: dict[str, MovedOn] = {}
    for evidence in sorted(evidences, key=lambda row: -latest[row.pk].pk if row.pk in latest else 0):
        placement = latest.get(evidence.pk)
        if placement is None:
            continue
        name = placement.revision if placement.revision and ":" not in placement.revision else UNCOMMITTED
        entry = found.setdefault(name, MovedOn(name))
        entry.sources.add(evidence.source)
        entry.states[str(placement.state)] += 1
    return list(found.values())


def drifted_at(quotes: EvidenceQuerySet, commit: str) -> list[int]:
    """The pks of those that drifted up to one commit, or in the working tree."""
    latest = latest_placements(drifted(quotes))
    if commit == UNCOMMITTED:
        return [pk for pk, placement in latest.items() if not placement.revision or ":" in placement.revision]
    return [pk for pk, placement in latest.items() if commit and placement.revision.startswith(commit)]
