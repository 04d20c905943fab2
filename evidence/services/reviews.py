"""Verdicts on evidence. One person suffices, only a person may, and every verdict can be taken back."""

from datetime import datetime
from typing import Any

from django.db import transaction

from evidence.models import Evidence, Review
from evidence.services.changing import change_evidence
from evidence.services.overturning import (
    SUPERSEDED_BY,
    answer_apart,
    answered_apart,
    asked_of,
    is_agreed,
    put_in_place,
    withdraw_answer,
)
from yoimemory.access.models import Actor
from yoimemory.access.services import may_review, require_reviewer
from yoimemory.errors import BadInput, Forbidden, Refused
from yoimemory.journal.services import record_change
from yoimemory.markers.models import SecondLook
from yoimemory.markers.services import needs_second

State = Evidence.State
Verdict = Review.Verdict

WAITING = Evidence.WAITING
FROM = {
    Verdict.ACCEPT: WAITING,
    Verdict.REJECT: WAITING,
    Verdict.NEEDS_CHANGE: (State.DRAFT, State.SUGGESTED),
    Verdict.RETIRE: (State.ACCEPTED,),
    Verdict.NOT_SURE: (*WAITING, State.ACCEPTED),
}
STANDS = {Verdict.ACCEPT, Verdict.RETIRE}
"""What may be said of something accepted, where two people look: that it stands, or that it does not."""
AFTER = {
    Verdict.ACCEPT: State.ACCEPTED,
    Verdict.REJECT: State.REJECTED,
    Verdict.NEEDS_CHANGE: State.NEEDS_CHANGE,
    Verdict.RETIRE: State.RETIRED,
}
"""*Not sure* is a verdict that leaves the state."""


class WrongState(Refused):
    """This verdict cannot be given on evidence in this state."""


class NothingToUndo(Refused):
    """There is no verdict that stands and could be taken back."""


class NotYourCapture(Forbidden):
    """A capture is taken back by who made it, as long as nobody else has judged it."""


@transaction.atomic
def review_evidence(
    evidence: Evidence, *, verdict: str, reason: str = "", actor: Actor, now: datetime, version: int | None = None
) -> Review | SecondLook:
    """Give a verdict: accept, reject, needs_change, not_sure or retire.

    Rejecting, asking for a change and retiring need a reason; accepting needs the evidence to say
    why it matters. Accepting what one captured oneself is allowed: the words were proved by the gate.
    Whether something accepted still stands is said by two people apart, where there are two: then
    nothing changes, and nothing shows, before the second has answered.

    Raises NotAReviewer, BadInput, WrongState, StaleVersion, AlreadyLooked or Disagreement.
    """
    require_reviewer(actor, evidence.workspace, to="judge evidence")
    if verdict not in Verdict.values:
        raise BadInput(
            f"There is no verdict {verdict!r}.",
            hint="Verdicts are accept, reject, needs_change, not_sure and retire.",
            fields={"verdict": "unknown"},
        )
    given, reason = Verdict(verdict), reason.strip()
    if evidence.state == State.ACCEPTED and given in STANDS and needs_second(evidence.workspace):
        return answer_apart(evidence, answer=given, reason=reason, actor=actor, now=now, version=version)
    if evidence.state not in FROM[given]:
        raise WrongState(
            f"Evidence that is {evidence.state} cannot be given the verdict {given.label.lower()}.",
            hint=_way_out(given),
        )
    if given in {Verdict.REJECT, Verdict.NEEDS_CHANGE, Verdict.RETIRE} and not reason:
        raise BadInput("Say why, in one line: the reason is remembered.", fields={"reason": "required"})
    if given == Verdict.ACCEPT and not evidence.why:
        raise BadInput(
            "Evidence is accepted once it says why it matters.",
            hint="Add the why, then accept.",
            fields={"why": "required"},
        )
    before = evidence.state
    fields: dict[str, Any] = {}
    if given in AFTER:
        fields = {"state": AFTER[given], "state_reason": reason, "state_by_id": actor.pk, "state_at": now}
    change_evidence(evidence, version=version, **fields)
    review = Review.objects.create(evidence=evidence, verdict=given, reason=reason, before=before, by=actor, at=now)
    record_change(
        evidence.ref, verb="evidence-reviewed", actor=actor, workspace=evidence.workspace, now=now,
        before={"state": before}, after={"state": evidence.state, "verdict": given}, reason=reason,
    )  # fmt: skip
    return review


@transaction.atomic
def undo_review(evidence: Evidence, *, actor: Actor, now: datetime, version: int | None = None) -> Evidence:
    """Take back the last verdict that stands; the state before it returns, the verdict stays in the record.

    An answer that waits for the second person's is taken back first. Raises NotAReviewer, NothingToUndo
    (also after superseding, which is no verdict, and where two people agreed), or StaleVersion.
    """
    require_reviewer(actor, evidence.workspace, to="take a verdict back")
    if withdraw_answer(evidence, actor=actor, now=now):
        return evidence
    review = evidence.reviews.filter(undone_at__isnull=True).order_by("-pk").first()
    given = AFTER.get(Verdict(review.verdict), evidence.state) if review else None
    if review is None or given != evidence.state:
        raise NothingToUndo(f"There is no verdict on {evidence.ref} that could be taken back.")
    if is_agreed(evidence, review):
        raise NothingToUndo(
            f"Two people agreed on this verdict on {evidence.ref}.", hint="Quote the words again if they count."
        )
    theirs = review.by.user_id != actor.user_id
    if evidence.state == State.ACCEPTED and theirs and needs_second(evidence.workspace):
        raise NothingToUndo(
            f"{review.by} accepted {evidence.ref}; one person alone does not overturn that.",
            hint="Retire it with a reason; another reviewer looks too, without seeing yours.",
        )
    earlier = evidence.reviews.filter(undone_at__isnull=True, pk__lt=review.pk).order_by("-pk").first()
    reason = earlier.reason if earlier and AFTER.get(Verdict(earlier.verdict)) == review.before else ""
    if not reason and review.before in {State.REJECTED, State.NEEDS_CHANGE, State.RETIRED}:
        reason = "Restored by taking a later verdict back."
    was = change_evidence(
        evidence, version=version, state=review.before, state_reason=reason, state_by_id=actor.pk, state_at=now
    )
    Review.objects.filter(pk=review.pk).update(undone_at=now)
    record_change(
        evidence.ref, verb="review-undone", actor=actor, workspace=evidence.workspace, now=now,
        before={"state": was["state"], "verdict": review.verdict}, after={"state": evidence.state},
    )  # fmt: skip
    return evidence


@transaction.atomic
def undo_extraction(evidence: Evidence, *, actor: Actor, now: datetime) -> Evidence:
    """Take a capture of one's own back: it is retired with that reason and stays readable.

    Raises NotYourCapture, or WrongState where it has ended already.
    """
    if evidence.made_by_id != actor.pk or evidence.reviews.exclude(by=actor).filter(undone_at__isnull=True).exists():
        raise NotYourCapture(
            f"{actor} may not take {evidence.ref} back.",
            hint="Whoever captured it may until somebody else has judged it; a reviewer may retire it with a reason.",
        )
    if evidence.has_ended:
        raise WrongState(f"{evidence.ref} is {evidence.state} already.")
    reason = "The capture was taken back."
    was = change_evidence(evidence, state=State.RETIRED, state_reason=reason, state_by_id=actor.pk, state_at=now)
    record_change(
        evidence.ref, verb="extraction-undone", actor=actor, workspace=evidence.workspace, now=now,
        before={"state": was["state"]}, after={"state": State.RETIRED}, reason=reason,
    )  # fmt: skip
    return evidence


@transaction.atomic
def supersede_evidence(
    evidence: Evidence, *, by: Evidence, reason: str, actor: Actor, now: datetime, version: int | None = None
) -> Evidence:
    """Let another piece of evidence take the place of this accepted one; written on both records.

    Where two people may review, both must name the same one, each apart.
    Raises NotAReviewer, BadInput (also for a circle), WrongState or StaleVersion.
    """
    require_reviewer(actor, evidence.workspace, to="supersede evidence")
    _check_supersession(evidence, by, reason)
    if needs_second(evidence.workspace):
        answer_apart(evidence, answer=f"{SUPERSEDED_BY}{by.ref}", reason=reason, actor=actor, now=now, version=version)
        return evidence
    return put_in_place(evidence, by=by, reason=reason, actor=actor, now=now, version=version)


def _check_supersession(evidence: Evidence, by: Evidence, reason: str) -> None:
    """Raise what stands against it: no reason, itself, another workspace, a circle, a state that cannot."""
    if not reason.strip():
        raise BadInput("Say why the other one takes its place.", fields={"reason": "required"})
    if by.pk == evidence.pk or by.workspace_id != evidence.workspace_id or _leads_to(by, evidence):
        raise BadInput("Evidence is superseded by another piece of the same workspace.", fields={"by": "unusable"})
    if evidence.state != State.ACCEPTED or by.has_ended:
        raise WrongState(
            f"{evidence.ref} is {evidence.state} and {by.ref} is {by.state}.",
            hint="Only accepted evidence is superseded, and only by one that stands.",
        )


def _leads_to(by: Evidence, evidence: Evidence) -> bool:
    """Whether following what took the place of `by` comes to this evidence."""
    step: Evidence | None = by
    while step is not None:
        if step.pk == evidence.pk:
            return True
        step = step.superseded_by
    return False


def open_verdicts(evidence: Evidence, actor: Actor) -> list[str]:
    """The verdicts that this actor could give now; none for anyone who is no reviewer, or who has answered apart."""
    if not may_review(actor, evidence.workspace):
        return []
    given = [str(verdict) for verdict, states in FROM.items() if evidence.state in states]
    if evidence.state != State.ACCEPTED or not needs_second(evidence.workspace):
        return given
    if answered_apart(evidence, actor):
        return []
    return [str(Verdict.ACCEPT), *given] if asked_of(evidence) else given


def _way_out(verdict: Review.Verdict) -> str:
    if verdict == Verdict.REJECT:
        return "Accepted evidence is retired with a reason, or its acceptance is taken back."
    return "Take the last verdict back first, or read the record again."
