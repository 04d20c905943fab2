"""Two people answer one question apart. The caller acts on what they agreed on; here nothing else is changed."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer, reviewers_of
from yoimemory.errors import BadInput, Forbidden, Refused
from yoimemory.journal.services import record_change
from yoimemory.markers.models import Look, SecondLook

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

Outcome = SecondLook.Outcome


class AlreadyLooked(Refused):
    """This person has answered; the other one's answer is what is missing."""


class Disagreement(Refused):
    """Two people answered differently; that is settled first."""


class NotTheOneToSettle(Forbidden):
    """Where a third reviewer exists, those who disagree do not settle it themselves."""


def needs_second(workspace: "Workspace") -> bool:
    """Whether there are two people who may review here, so that a second one can be asked."""
    return reviewers_of(workspace).count() > 1


@transaction.atomic
def look_apart(
    subject: object, *, about: str, answer: str, reason: str, workspace: "Workspace", actor: Actor, now: datetime
) -> SecondLook:
    """Give one of two answers about a record. The first asks for a second person and shows nowhere.

    With the second answer both come into the open: agreed, or in conflict. Until then the history
    says only that somebody looked, and says it of the second look, not of the record.
    Raises NotAReviewer, BadInput without a reason, AlreadyLooked or Disagreement.
    """
    require_reviewer(actor, workspace, to="give a verdict that two people give apart")
    if not reason.strip():
        raise BadInput("Say why, in one line: two reasons are compared here.", fields={"reason": "required"})
    second = SecondLook.objects.unsettled().filter(workspace=workspace, subject=str(subject)).first()
    if second is None:
        second = SecondLook.objects.create(workspace=workspace, subject=str(subject), about=about, opened_at=now)
    if second.outcome == Outcome.CONFLICT:
        raise Disagreement(
            f"Two people answered differently about {subject}.", hint="Settle that first, with a reason."
        )
    earlier = list(second.looks.select_related("by"))
    if any(look.by.user_id == actor.user_id for look in earlier):
        raise AlreadyLooked(
            "You have answered this already; another reviewer answers next, without seeing yours.",
            hint="Take your answer back if it was wrong.",
        )
    Look.objects.create(second_look=second, answer=answer, reason=reason.strip(), by=actor, at=now)
    record_change(second.ref, verb="looked-apart", actor=actor, workspace=workspace, now=now)
    if earlier:
        same = earlier[0].answer == answer
        _close(second, outcome=Outcome.AGREED if same else Outcome.CONFLICT, answer=answer if same else "", now=now)
    return second


def _close(second: SecondLook, *, outcome: str, answer: str, now: datetime) -> None:
    second.outcome, second.answer = outcome, answer
    second.closed_at = None if outcome == Outcome.CONFLICT else now
    second.save(update_fields=["outcome", "answer", "closed_at"])


@transaction.atomic
def withdraw_look(subject: object, *, workspace: "Workspace", actor: Actor, now: datetime) -> SecondLook:
    """Take one's own answer back while the other person has not answered. Raises Refused when there is none."""
    second = SecondLook.objects.asked().filter(workspace=workspace, subject=str(subject)).first()
    look = second.looks.filter(by__user=actor.user_id).first() if second and actor.user_id else None
    if second is None or look is None:
        raise Refused(f"There is no answer of yours about {subject} that waits for a second one.")
    look.delete()
    record_change(second.ref, verb="look-withdrawn", actor=actor, workspace=workspace, now=now)
    if not second.looks.exists():
        _close(second, outcome=Outcome.WITHDRAWN, answer="", now=now)
    return second


@transaction.atomic
def settle_conflict(second: SecondLook, *, answer: str, reason: str, actor: Actor, now: datetime) -> SecondLook:
    """End a disagreement with one of the two answers and a reason; the caller then acts on it.

    A third reviewer settles, where there is one; else one of the two may, and the record says who.
    Raises NotAReviewer, NotTheOneToSettle, BadInput, or Refused where nothing is in conflict.
    """
    workspace = second.workspace
    require_reviewer(actor, workspace, to="settle a conflict of reviewers")
    if second.outcome != Outcome.CONFLICT:
        raise Refused(f"Nothing is in conflict about {second.subject}.")
    looks = list(second.looks.select_related("by"))
    if answer not in {look.answer for look in looks}:
        raise BadInput("Settle it with one of the two answers.", fields={"answer": "not one of the two"})
    if not reason.strip():
        raise BadInput("Say what decided it: the reason stays.", fields={"reason": "required"})
    users = [look.by.user_id for look in looks if look.by.user_id]
    if actor.user_id in users and reviewers_of(workspace).exclude(pk__in=users).exists():
        raise NotTheOneToSettle(
            "You gave one of the two answers; a third reviewer settles it.",
            hint="Ask another reviewer of this workspace.",
        )
    second.outcome, second.answer, second.reason = Outcome.SETTLED, answer, reason.strip()
    second.settled_by, second.closed_at = actor, now
    second.save(update_fields=["outcome", "answer", "reason", "settled_by", "closed_at"])
    record_change(
        second.ref, verb="conflict-settled", actor=actor, workspace=workspace, now=now,
        after={"answer": answer}, reason=reason.strip(),
    )  # fmt: skip
    return second
