"""Whether something accepted still stands: answered by two people apart, acted on when both say the same.

Nothing of the first answer is written on the evidence, its reviews, its version or its history.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from evidence.models import Evidence, Placement, Review
from evidence.services.changing import change_evidence
from evidence.services.confirming import CONFIRM, write_confirmation
from evidence.services.reattaching import ATTACH, write_answered
from evidence.standing import standings
from yoimemory.access.models import Actor
from yoimemory.errors import Refused
from yoimemory.journal.services import record_change
from yoimemory.journal.stale import stale_version
from yoimemory.markers.models import SecondLook
from yoimemory.markers.services import look_apart, settle_conflict, withdraw_look
from yoimemory.refs import SourceRef

SUPERSEDED_BY = "superseded by "
ENDED = (SecondLook.Outcome.AGREED, SecondLook.Outcome.SETTLED)


def answer_apart(
    evidence: Evidence, *, answer: str, reason: str, actor: Actor, now: datetime, version: int | None = None
) -> SecondLook:
    """Give one of the two answers; with the second, act on what both said, or let the conflict stand.

    Raises what `look_apart` raises, and StaleVersion.
    """
    if version is not None and version != evidence.version:
        raise stale_version(evidence.ref, workspace=evidence.workspace, version=version)
    drifted = standings([evidence])[evidence.pk].state == Placement.State.REWORDED_MEANING
    second = look_apart(
        evidence.ref, about=SecondLook.About.DRIFT if drifted else SecondLook.About.OVERTURN, answer=str(answer),
        reason=reason, workspace=evidence.workspace, actor=actor, now=now,
    )  # fmt: skip
    if second.outcome == SecondLook.Outcome.AGREED:
        _act(evidence, second, reason=reason.strip(), actor=actor, now=now)
    elif second.outcome == SecondLook.Outcome.CONFLICT:
        # From here on both answers are in the open: who read the record before has read an older one.
        change_evidence(evidence)
        record_change(
            evidence.ref, verb="reviewers-disagree", actor=actor, workspace=evidence.workspace, now=now,
            after={"second_look": second.ref},
        )  # fmt: skip
    return second


@transaction.atomic
def settle_review(evidence: Evidence, *, answer: str, reason: str, actor: Actor, now: datetime) -> Evidence:
    """Settle a conflict of two reviewers about this evidence with one of their answers and a reason.

    Raises NotAReviewer, NotTheOneToSettle, BadInput, or Refused where nothing is in conflict.
    """
    second = conflict_of(evidence)
    if second is None:
        raise Refused(f"Nobody disagrees about {evidence.ref}.")
    settle_conflict(second, answer=answer, reason=reason, actor=actor, now=now)
    _act(evidence, second, reason=reason.strip(), actor=actor, now=now)
    return evidence


def asked_of(evidence: Evidence) -> SecondLook | None:
    """The open question about this evidence that a second person has not answered yet."""
    return SecondLook.objects.asked().filter(workspace=evidence.workspace, subject=str(evidence.ref)).first()


def answered_apart(evidence: Evidence, actor: Actor) -> bool:
    """Whether this person has answered and the second one has not."""
    second = asked_of(evidence) if actor.user_id else None
    return bool(second and second.looks.filter(by__user=actor.user_id).exists())


def conflict_of(evidence: Evidence) -> SecondLook | None:
    """The conflict of two reviewers about this evidence that nobody has settled."""
    return SecondLook.objects.in_conflict().filter(workspace=evidence.workspace, subject=str(evidence.ref)).first()


def withdraw_answer(evidence: Evidence, *, actor: Actor, now: datetime) -> bool:
    """Take one's own answer back while it waits for the second; False where there is none."""
    if not answered_apart(evidence, actor):
        return False
    withdraw_look(evidence.ref, workspace=evidence.workspace, actor=actor, now=now)
    return True


def is_agreed(evidence: Evidence, review: Review) -> bool:
    """Whether this verdict came about by two answers: one person does not take it back."""
    ended = SecondLook.objects.filter(workspace=evidence.workspace, subject=str(evidence.ref), outcome__in=ENDED)
    return ended.filter(looks__by=review.by, looks__at=review.at).exists()


def put_in_place(
    evidence: Evidence, *, by: Evidence, reason: str, actor: Actor, now: datetime, version: int | None = None
) -> Evidence:
    """Write on both records that one takes the other's place. Call it after the rules were asked."""
    change_evidence(
        evidence, version=version, state=Evidence.State.SUPERSEDED, superseded_by_id=by.pk,
        state_reason=reason.strip(), state_by_id=actor.pk, state_at=now,
    )  # fmt: skip
    change_evidence(by)
    for subject, other, verb in ((evidence, by, "evidence-superseded"), (by, evidence, "evidence-supersedes")):
        record_change(
            subject.ref, verb=verb, actor=actor, workspace=evidence.workspace, now=now,
            after={"other": str(other.ref), "state": subject.state}, reason=reason.strip(),
        )  # fmt: skip
    return evidence


def _act(evidence: Evidence, second: SecondLook, *, reason: str, actor: Actor, now: datetime) -> None:
    """Do what the answer says, and write both verdicts down where everybody reads them."""
    looks = list(second.looks.select_related("by").order_by("pk"))
    before = evidence.state
    if second.answer.startswith(SUPERSEDED_BY):
        named = SourceRef.parse(second.answer.removeprefix(SUPERSEDED_BY))
        by = Evidence.objects.get(workspace=evidence.workspace, public_id=named.locator)
        put_in_place(evidence, by=by, reason=reason, actor=actor, now=now)
    elif second.answer == CONFIRM:
        write_confirmation(evidence, reason=reason, actor=actor, now=now)
    elif second.answer.startswith(ATTACH):
        write_answered(evidence, second.answer, reason=reason, actor=actor, now=now)
    else:
        retired: dict[str, Any] = {
            "state": Evidence.State.RETIRED, "state_reason": reason, "state_by_id": actor.pk, "state_at": now,
        }  # fmt: skip
        change_evidence(evidence, **(retired if second.answer == Review.Verdict.RETIRE else {}))
    Review.objects.bulk_create(
        Review(evidence=evidence, verdict=look.answer, reason=look.reason, before=before, by=look.by, at=look.at)
        for look in looks
        if look.answer in Review.Verdict.values
    )
    record_change(
        evidence.ref, verb="evidence-reviewed", actor=actor, workspace=evidence.workspace, now=now,
        before={"state": before}, reason=reason,
        after={"state": evidence.state, "answer": second.answer, "looked": [str(look.by) for look in looks],
               "outcome": second.outcome},
    )  # fmt: skip
