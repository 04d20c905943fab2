"""Writing down that a person looked at what became of a quote and lets it stand."""

from datetime import datetime

from evidence.models import Evidence, Placement
from evidence.placing import CONFIRMED
from evidence.services.changing import change_evidence
from evidence.standing import latest_placements
from yoimemory.access.models import Actor
from yoimemory.errors import Refused
from yoimemory.journal.services import record_change

CONFIRM = "confirm"
"""The answer, where two people are asked apart."""
CONFIRMABLE = (Placement.State.MOVED_TO_CONFIRM, Placement.State.REWORDED, Placement.State.REWORDED_MEANING)


class NothingToConfirm(Refused):
    """The quote stands as it was taken, or nothing was found that could be confirmed."""


def write_confirmation(
    evidence: Evidence,
    placement: Placement | None = None,
    *,
    reason: str,
    actor: Actor,
    now: datetime,
    version: int | None = None,
) -> Placement:
    """Add the placement that a person confirmed, from the latest one. Call it in a transaction, after the rules."""
    found = placement or latest_placements([evidence]).get(evidence.pk)
    if found is None or found.state not in CONFIRMABLE or found.start is None:
        raise NothingToConfirm(f"There is nothing to confirm about {evidence.ref} any more.", hint="Look at it again.")
    change_evidence(evidence, version=version)
    was = found.state
    said = f"Confirmed by {actor}; it was {was}." + (f" {reason.strip()}" if reason.strip() else "")
    confirmed = Placement.objects.create(
        evidence=evidence, state=Placement.State.MOVED, method=CONFIRMED, by=actor, at=now, revision=found.revision,
        text_digest=found.text_digest, place=found.place, start=found.start, end=found.end,
        start_line=found.start_line, end_line=found.end_line, similarity=found.similarity, words=found.words,
        changes=found.changes, rebased=found.rebased, note=said[:400],
    )  # fmt: skip
    record_change(
        evidence.ref, verb="anchor-confirmed", actor=actor, workspace=evidence.workspace, now=now,
        before={"state": was}, after={"line": found.start_line, "words": found.words[:200], "changes": found.changes},
        reason=reason.strip(),
    )  # fmt: skip
    return confirmed
