"""What a hypothesis rests on: the evidence set for and against it, where each quote stands today, what is marked.

Read-only, and in a fixed number of queries for any number of hypotheses.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evidence.lineage import lineages_of
from evidence.models import Evidence, Relation
from evidence.standing import Standing, caveats_of, concerns, is_later, standings
from hypotheses.models import Hypothesis
from yoimemory.access.models import Actor
from yoimemory.markers.models import Marker
from yoimemory.refs import SourceRef


@dataclass(frozen=True, slots=True)
class Cited:
    """One piece of evidence as it bears on one hypothesis."""

    evidence: Evidence
    label: str
    relation: Relation
    standing: Standing
    caveats: list[str]
    markers: list[Marker]
    lineage: str

    @property
    def counts(self) -> bool:
        return not self.evidence.has_ended

    @property
    def later(self) -> bool:
        """Written after the instant as of which its shoebox looks at the world: shown, and not weighed."""
        return is_later(self.evidence)

    @property
    def accepted(self) -> bool:
        return self.evidence.state == Evidence.State.ACCEPTED and not self.later

    @property
    def against(self) -> bool:
        """It speaks against the claim, so that a caveat on it takes nothing from the claim."""
        return self.relation.relation == Relation.Kind.REFUTES


@dataclass(slots=True)
class Basis:
    """Everything that bears on one hypothesis, and the open markers on the hypothesis itself."""

    cited: list[Cited] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)

    def of(self, relation: str) -> list[Cited]:
        """What still counts, with this relation, in the order in which it was quoted."""
        return [one for one in self.cited if one.relation.relation == relation and one.counts]

    @property
    def contradicting(self) -> list[Cited]:
        return self.of(Relation.Kind.REFUTES)

    @property
    def supporting(self) -> list[Cited]:
        return self.of(Relation.Kind.SUPPORTS)

    @property
    def contextual(self) -> list[Cited]:
        return self.of(Relation.Kind.CONTEXTUALIZES)

    @property
    def no_longer(self) -> list[Cited]:
        """Rejected, superseded or retired since; shown, never counted."""
        return [one for one in self.cited if not one.counts]

    @property
    def sources(self) -> set[str]:
        return {one.evidence.source for one in self.cited if one.counts}


def bases_of(hypotheses: Sequence[Hypothesis]) -> dict[int, Basis]:
    """The basis of each hypothesis, by primary key."""
    bases = {hypothesis.pk: Basis() for hypothesis in hypotheses}
    by_ref = {str(hypothesis.ref): hypothesis for hypothesis in hypotheses}
    relations = list(
        # A target is only a ref, which anybody may write down: evidence of another workspace says nothing here.
        Relation.objects.filter(target__in=by_ref, evidence__workspace__in={one.workspace_id for one in hypotheses})
        .select_related("evidence", "evidence__shoebox", "evidence__made_by", "evidence__superseded_by", "made_by")
        .defer("evidence__shoebox__sought", "evidence__shoebox__asked")
        .order_by("evidence__pk")
    )
    evidences = list({relation.evidence_id: relation.evidence for relation in relations}.values())
    standing = standings(evidences)
    caveats, labels = caveats_of(evidences, known=standing), labels_of(evidences)
    lineages = lineages_of(evidences)
    marked = markers_on(evidences, refs=[hypothesis.ref for hypothesis in hypotheses])
    for relation in relations:
        key, hypothesis = relation.evidence_id, by_ref[relation.target]
        if relation.evidence.workspace_id != hypothesis.workspace_id:
            continue
        bases[hypothesis.pk].cited.append(
            Cited(
                evidence=relation.evidence,
                label=labels[key],
                relation=relation,
                standing=standing[key],
                caveats=caveats.get(key, []),
                markers=[one for one in marked if concerns(one, relation.evidence, line=standing[key].line)],
                lineage=lineages[key],
            )
        )
    for hypothesis in hypotheses:
        own = (marker for marker in marked if marker.workspace_id == hypothesis.workspace_id)
        bases[hypothesis.pk].markers = [marker for marker in own if marker.target == str(hypothesis.ref)]
    return bases


def labels_of(evidences: Iterable[Evidence]) -> dict[int, str]:
    """A short name of each piece of evidence: e1, e2, … in the order in which its shoebox took them in."""
    evidences = list(evidences)
    numbers: dict[int, int] = defaultdict(int)
    labels = {}
    shoeboxes = {evidence.shoebox_id for evidence in evidences}
    if shoeboxes:
        rows = Evidence.objects.filter(shoebox__in=shoeboxes).order_by("pk").values_list("pk", "shoebox_id")
        for key, shoebox in rows:
            numbers[shoebox] += 1
            labels[key] = f"e{numbers[shoebox]}"
    return {evidence.pk: labels[evidence.pk] for evidence in evidences}


def markers_on(evidences: Sequence[Evidence], *, refs: Iterable[SourceRef] = ()) -> list[Marker]:
    """Open markers on these pieces of evidence, on their places and sources, and on these refs; oldest first."""
    targets = [*refs, *(evidence.ref for evidence in evidences), *(evidence.address for evidence in evidences)]
    workspaces = {evidence.workspace_id for evidence in evidences}
    if not targets:
        return []
    markers = Marker.objects.open().without_drift().on(targets).select_related("made_by").order_by("pk")
    return list(markers.filter(workspace__in=workspaces) if evidences else markers)


def marker_is_by_worker(marker: Marker) -> bool:
    """Whether a Worker set it and no person has taken it over yet."""
    return marker.status == Marker.Status.PROPOSED and marker.made_by.kind == Actor.Kind.WORKER
