"""What stands beside a piece of evidence: its source's reliability, what corroborates it, what it replaced, conflicts.

Read-only, and in a fixed number of queries for any number of pieces.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import prefetch_related_objects

from evidence.lineage import TRACED, lineages_of
from evidence.models import Evidence, Relation
from evidence.schemas import CorroborationOut, ExtractorOut
from yoimemory.markers.models import Contradiction, Reliability, SecondLook

WEIGHED = (Relation.Kind.SUPPORTS, Relation.Kind.REFUTES)


@dataclass(slots=True)
class Beside:
    """What people and other pieces say of one piece."""

    reliability: Reliability | None = None
    lineage: str = ""
    corroboration: list[CorroborationOut] = field(default_factory=list)
    supersedes: list[Evidence] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    conflict: SecondLook | None = None

    @property
    def told(self) -> list[str]:
        """The corroboration as sentences."""
        return [_told(one) for one in self.corroboration]

    @property
    def disagreement(self) -> str:
        """The conflict of its reviewers as a sentence; empty without one."""
        if self.conflict is None:
            return ""
        answers = "; ".join(f"{look.by}: {look.answer}, {look.reason}" for look in self.conflict.looks.all())
        return f"Reviewers disagree {self.conflict.get_about_display()} ({answers})."

    def caveats_of(self, evidence: Evidence) -> list[str]:
        """What of this limits the piece, as sentences."""
        said = [
            one.caveat_for(evidence.ref if one.names(evidence.ref) else evidence.address) for one in self.contradictions
        ]
        if self.reliability and self.reliability.is_doubted:
            graded = self.reliability
            said.append(f"Its source is graded {graded.grade} by {graded.set_by}: {graded.reason}")
        return [*said, self.disagreement] if self.conflict else said


def beside(evidences: Iterable[Evidence]) -> dict[int, Beside]:
    """What stands beside each, by its pk."""
    rows = list(evidences)
    found = limits(rows)
    if not rows:
        return found
    replaced = Evidence.objects.filter(superseded_by__in=[row.pk for row in rows]).only("public_id", "superseded_by")
    for older in replaced.order_by("pk"):
        if older.superseded_by_id in found:
            found[older.superseded_by_id].supersedes.append(older)
    _corroboration(rows, found)
    return found


def limits(rows: Sequence[Evidence]) -> dict[int, Beside]:
    """Of what stands beside each only what limits it: what caveats tell, in fewer queries."""
    found = {row.pk: Beside() for row in rows}
    if not rows:
        return found
    workspaces = {row.workspace_id for row in rows}
    graded = Reliability.objects.filter(workspace__in=workspaces, source__in={row.source for row in rows})
    grades = {(one.workspace_id, one.source): one for one in graded.select_related("set_by")}
    looks = SecondLook.objects.in_conflict().filter(workspace__in=workspaces, subject__in=[str(r.ref) for r in rows])
    conflicts = {one.subject: one for one in looks.prefetch_related("looks__by")}
    for row in rows:
        found[row.pk].reliability = grades.get((row.workspace_id, row.source))
        found[row.pk].conflict = conflicts.get(str(row.ref))
    _contradictions(rows, found)
    return found


def _contradictions(rows: Sequence[Evidence], found: dict[int, Beside]) -> None:
    """Open contradictions with a side in the evidence itself, or in the very lines that it quotes."""
    refs = [ref for row in rows for ref in (row.ref, row.address)]
    standing = Contradiction.objects.open().filter(workspace__in={row.workspace_id for row in rows}).on(refs)
    for one in standing.order_by("pk"):
        for row in rows:
            if one.workspace_id == row.workspace_id and one.concerns(
                row.place, also={row.source, str(row.ref)}, lines=_lines(row)
            ):
                found[row.pk].contradictions.append(one)


def _lines(row: Evidence) -> tuple[int, int] | None:
    return (row.start_line, row.end_line or row.start_line) if row.start_line else None


def _corroboration(rows: list[Evidence], found: dict[int, Beside]) -> None:
    """Who else says the same of the same: counted by where it comes from, not by how often it was quoted."""
    prefetch_related_objects(rows, "relations")
    own = [(row, one) for row in rows for one in row.relations.all() if one.relation in WEIGHED]
    same = Relation.objects.filter(target__in={one.target for _, one in own}, relation__in=WEIGHED)
    same = (
        same.exclude(evidence__state__in=Evidence.ENDED)
        .select_related("evidence")
        .only("target", "relation", *(f"evidence__{name}" for name in ("workspace", "authority", *TRACED)))
    )
    groups: dict[tuple[int, str, str], dict[int, Evidence]] = defaultdict(dict)
    for one in same:
        groups[one.evidence.workspace_id, one.target, one.relation][one.evidence_id] = one.evidence
    everyone = {row.pk: row for row in rows} | {pk: row for group in groups.values() for pk, row in group.items()}
    lineage = lineages_of(everyone.values())
    for row in rows:
        found[row.pk].lineage = lineage[row.pk]
    for row, one in own:
        group = groups.get((row.workspace_id, one.target, one.relation), {})
        if row.has_ended or not group:
            continue
        # What was only remembered repeats a source that may be counted already.
        origins = {lineage[pk] for pk, other in group.items() if other.authority != "memory"}
        found[row.pk].corroboration.append(
            CorroborationOut(target=one.target, relation=one.relation, pieces=len(group), lineages=len(origins))
        )


def _told(one: CorroborationOut) -> str:
    if one.pieces == 1:
        return "Nothing else says the same so far."
    sources = "one source" if one.lineages == 1 else f"{one.lineages} independent sources"
    return f"{one.pieces} pieces say the same, from {sources}."


def fields_beside(evidence: Evidence, other: Beside) -> dict[str, Any]:
    """The fields of `EvidenceOut` that say who took it out, who wrote which words, and what stands beside it."""
    maker, provenance = evidence.made_by, evidence.provenance
    names = ("kind", "name", "role", "model", "run", "on_behalf_of")
    graded = other.reliability
    return {
        "supersedes": [str(one.ref) for one in other.supersedes],
        "observed": evidence.observed,
        "extractor": ExtractorOut(**{name: getattr(maker, name) for name in names}),
        **{
            f"{word}_by": str(provenance.get(f"{word}_by") or maker) if getattr(evidence, word) else ""
            for word in ("summary", "inference", "why")
        },
        "source_reliability": graded.grade if graded else Reliability.Grade.CANNOT_BE_JUDGED.value,
        "source_reliability_reason": graded.reason if graded else "",
        "source_reliability_by": str(graded.set_by) if graded else "",
        "lineage": other.lineage,
        "corroboration": other.corroboration,
        "contradictions": [one.ref for one in other.contradictions],
        "conflict": other.disagreement,
    }
