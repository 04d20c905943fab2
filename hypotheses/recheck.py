"""Reasons to look at a hypothesis again. Derived whenever it is read; they never change a status."""

from dataclasses import dataclass
from datetime import datetime

from evidence.models import Evidence, Placement, Relation
from hypotheses.basis import Basis, Cited
from hypotheses.models import Decision, Hypothesis
from yoimemory.markers.models import Marker

DRIFT_SAID = {
    Placement.State.REWORDED_MEANING: "reads differently now, and the change bears on its meaning",
    Placement.State.ORPHANED: "is no longer found in its source",
    Placement.State.AMBIGUOUS: "now fits several places of its source",
}
"""What is said of each state of `Placement.UNDERMINED`; the others are caveats."""

UNDERCUTS = frozenset({Marker.State.STALE, Marker.State.SUPERSEDED, Marker.State.CONTRADICTED})
"""Markers that take weight from what they stand on."""

CARRIES = {Hypothesis.Status.ACCEPTED: Relation.Kind.SUPPORTS, Hypothesis.Status.REJECTED: Relation.Kind.REFUTES}
"""The side that a decision rests on: what takes weight from the other side, or from context, leaves it standing."""

ASKED = frozenset({Hypothesis.Status.PROPOSED, Hypothesis.Status.ACCEPTED, Hypothesis.Status.REJECTED})


@dataclass(frozen=True, slots=True)
class Note:
    """One reason: what is to be said, and of which piece of evidence (none where it is of the hypothesis itself)."""

    words: str
    label: str = ""
    evidence: Evidence | None = None

    def __str__(self) -> str:
        return f"{self.label} ({self.evidence.ref}) {self.words}" if self.evidence else self.words


def recheck_reasons(hypothesis: Hypothesis, basis: Basis) -> list[str]:
    """The notes as sentences that name their evidence by ref."""
    return [str(note) for note in recheck_notes(hypothesis, basis)]


def recheck_notes(hypothesis: Hypothesis, basis: Basis) -> list[Note]:
    """What has moved under the hypothesis, one sentence each; empty where nothing has.

    Drift and open markers count, except a marker that weakens the side the decision went against.
    What happened to evidence, and contrary evidence that came in, counts from the last decision on:
    before it, the decision knew.
    """
    if hypothesis.status not in ASKED:
        return []
    decided = last_decision(hypothesis)
    notes = [Note(marker.caveat) for marker in basis.markers]
    for cited in basis.cited:
        carried = CARRIES.get(Hypothesis.Status(hypothesis.status), cited.relation.relation)
        words = _of_cited(cited, basis, decided.at if decided else None, carries=cited.relation.relation == carried)
        notes += [Note(each, cited.label, cited.evidence) for each in words]
    return notes


def last_decision(hypothesis: Hypothesis) -> Decision | None:
    """The decision that gave the hypothesis its present status."""
    decisions = sorted(hypothesis.decisions.all(), key=lambda decision: decision.pk)
    return decisions[-1] if decisions else None


def _of_cited(cited: Cited, basis: Basis, decided_at: datetime | None, *, carries: bool) -> list[str]:
    evidence, words = cited.evidence, []
    if cited.counts and cited.standing.state in DRIFT_SAID:
        note = f": {cited.standing.note}" if cited.standing.note else ""
        words.append(f"{DRIFT_SAID[Placement.State(cited.standing.state)]}{note}".rstrip(".") + ".")
    if cited.counts:
        markers = [one for one in cited.markers if carries or one.state not in UNDERCUTS]
        words += [f"is under a caveat. {marker.caveat}" for marker in markers]
    if decided_at is None:
        return words
    if not cited.counts and evidence.state_at > decided_at and not _replaced_here(evidence, basis):
        words.append(f"was {evidence.state} on {evidence.state_at:%Y-%m-%d}, after the decision.")
    if cited.counts and cited in basis.contradicting and cited.relation.made_at > decided_at:
        words.append(f"was set against it on {cited.relation.made_at:%Y-%m-%d}, after the decision.")
    return words


def _replaced_here(evidence: Evidence, basis: Basis) -> bool:
    """Superseded by evidence that bears on the same hypothesis: nothing is left to ask."""
    return any(one.evidence.pk == evidence.superseded_by_id for one in basis.cited)
