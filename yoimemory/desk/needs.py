"""What needs a person: asked in one place, so that the count in the frame and the list in the inbox agree."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from evidence.models import Evidence, EvidenceQuerySet, Placement, Relation
from hypotheses.basis import bases_of
from hypotheses.models import Hypothesis
from hypotheses.threshold import threshold_checks, unmet
from yoimemory.access.models import Actor
from yoimemory.access.services import may_review
from yoimemory.markers.models import Contradiction, Marker, SecondLook
from yoimemory.products.impact import without_product
from yoimemory.products.models import Proposal
from yoimemory.sources.models import Workspace

CONTRARY_FIRST = ("refutes", "supports", "contextualizes")

WEIGHED_MAX = 100
"""So many undecided hypotheses are weighed against their thresholds; more are not ready by anyone's reckoning."""


def suggested(workspace: Workspace) -> EvidenceQuerySet:
    """Evidence that waits for a verdict, for its *why*, or for the change that was asked for."""
    return Evidence.objects.in_workspace(workspace).to_review()


def drifted(workspace: Workspace) -> EvidenceQuerySet:
    """Evidence that counts and whose quote no longer stands as it was quoted."""
    latest = Placement.objects.filter(evidence=OuterRef("pk")).order_by("-pk").values("state")[:1]
    counted = Evidence.objects.in_workspace(workspace).accepted()
    return counted.alias(latest=Subquery(latest)).filter(latest__in=Placement.DRIFTED)


def proposals(workspace: Workspace) -> QuerySet[Proposal]:
    """Proposals that wait for a verdict, approved ones that were not applied, and conflicts."""
    waiting = [Proposal.State.PROPOSED, Proposal.State.CONFLICT, Proposal.State.APPROVED]
    return Proposal.objects.in_workspace(workspace).filter(state__in=waiting)


def proposed_markers(workspace: Workspace) -> QuerySet[Marker]:
    """Markers that a Worker proposed and nobody has taken over."""
    return Marker.objects.filter(workspace=workspace, status=Marker.Status.PROPOSED)


def due_markers(workspace: Workspace, now: datetime) -> QuerySet[Marker]:
    """Standing markers whose review date has passed: reminders that fell due."""
    return Marker.objects.standing().filter(workspace=workspace, review_at__lte=now)


def asked(workspace: Workspace, actor: Actor) -> QuerySet[SecondLook]:
    """Questions that two reviewers answer apart and this one has not answered; they say nothing of the other answer."""
    looks = SecondLook.objects.filter(workspace=workspace).waiting_for(actor)
    return looks if may_review(actor, workspace) else looks.none()


def disputes(workspace: Workspace) -> QuerySet[SecondLook]:
    """Questions that two reviewers answered differently, and nobody has settled."""
    return SecondLook.objects.in_conflict().filter(workspace=workspace)


def contradictions(workspace: Workspace) -> QuerySet[Contradiction]:
    """Contradictions between two sources that nobody has resolved."""
    return Contradiction.objects.open().filter(workspace=workspace)


def ready(workspace: Workspace) -> list[Hypothesis]:
    """Proposed hypotheses whose threshold is met as far as a machine can check."""
    undecided = Hypothesis.objects.in_workspace(workspace).filter(status=Hypothesis.Status.PROPOSED)
    # Without evidence set for it none is ready, so those are not even loaded.
    rows = list(undecided.with_people().order_by("pk")[:WEIGHED_MAX])
    bases = bases_of(rows) if rows else {}
    return [row for row in rows if bases[row.pk].supporting and not unmet(threshold_checks(row, bases[row.pk]))]


def count_needs(workspace: Workspace, actor: Actor) -> int:
    """How many things the inbox would list for this person."""
    now = timezone.now()
    lists = (
        suggested(workspace),
        drifted(workspace),
        proposals(workspace),
        proposed_markers(workspace),
        due_markers(workspace, now),
        without_product(workspace),
        asked(workspace, actor),
        disputes(workspace),
        contradictions(workspace),
    )
    return sum(rows.count() for rows in lists) + len(ready(workspace))


@dataclass(slots=True)
class Bearing:
    """How a piece of evidence bears on something, with the name and standing of that something."""

    relation: str
    label: str
    hypothesis: Hypothesis | None

    @property
    def short(self) -> str:
        return f"H{self.hypothesis.number}" if self.hypothesis else "the question"

    @property
    def on_accepted(self) -> bool:
        return self.hypothesis is not None and self.hypothesis.status == Hypothesis.Status.ACCEPTED


@dataclass(slots=True)
class Waiting:
    """Suggested evidence in the order in which it is reviewed: what could be wrong first."""

    contradicting: list[Evidence] = field(default_factory=list)
    refuting: list[Evidence] = field(default_factory=list)
    others: list[Evidence] = field(default_factory=list)
    bearings: dict[int, list[Bearing]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[Evidence]) -> "Waiting":
        """Sort evidence (with its relations loaded) by what it would change."""
        rows = list(rows)
        bearings = bearings_of(rows)
        waiting = cls(bearings=bearings)
        for row in rows:
            against = [each for each in bearings[row.pk] if each.relation == Relation.Kind.REFUTES]
            if any(each.on_accepted for each in against):
                waiting.contradicting.append(row)
            elif against:
                waiting.refuting.append(row)
            else:
                waiting.others.append(row)
        # A draft or a context line comes after what supports.
        waiting.others.sort(key=lambda row: not any(each.relation == "supports" for each in bearings[row.pk]))
        return waiting


def bearings_of(rows: Iterable[Evidence]) -> dict[int, list[Bearing]]:
    """What each piece of evidence bears on, by its primary key; one query beside the loaded relations."""
    rows = list(rows)
    ids = {
        relation.target.partition(":")[2]
        for row in rows
        for relation in row.relations.all()
        if relation.target.startswith("hypothesis:")
    }
    here = Hypothesis.objects.filter(workspace__in={row.workspace_id for row in rows})
    known = {str(each.ref): each for each in here.filter(public_id__in=ids)}
    bearings: dict[int, list[Bearing]] = {}
    for row in rows:
        bearings[row.pk] = []
        for relation in row.relations.all():
            hypothesis = known.get(relation.target)
            label = f"H{hypothesis.number} {hypothesis.claim}" if hypothesis else "the question of its shoebox"
            bearings[row.pk].append(Bearing(relation.relation, label, hypothesis))
        bearings[row.pk].sort(key=lambda each: CONTRARY_FIRST.index(each.relation))
    return bearings
