"""What people say of where a quote stands: they confirm a place, attach the quote anew, or take that back.

The anchor stays as it was taken; each of these is one more placement, with the name of who said it.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from evidence.models import Evidence, Placement
from evidence.placing import BY_PEOPLE, TAKEN_BACK
from evidence.services.changing import change_evidence
from evidence.services.confirming import CONFIRM, CONFIRMABLE, NothingToConfirm, write_confirmation
from evidence.services.overturning import answer_apart
from evidence.services.reattaching import Words, answer_of, find_words, write_attachment
from evidence.services.words import EvidenceEnded
from evidence.standing import latest_placements
from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput, Refused
from yoimemory.journal.services import record_change
from yoimemory.markers.services import needs_second

State = Placement.State


class OneByOne(Refused):
    """A change that bears on meaning is looked at by itself, never among others."""


class NothingToTakeBack(Refused):
    """The last word on where a quote stands is not a person's."""


@transaction.atomic
def confirm_anchors(
    evidences: Sequence[Evidence],
    *,
    actor: Actor,
    now: datetime,
    reason: str = "",
    versions: Sequence[int | None] = (),
) -> list[Evidence]:
    """Say that what was found stands for the quotes; return those of which that is settled now.

    All or none. A change that bears on meaning is confirmed by itself, with a reason, and by two
    people apart where there are two. Raises NotAReviewer, EvidenceEnded, NothingToConfirm, OneByOne,
    BadInput or StaleVersion.
    """
    placements = latest_placements(evidences)
    for evidence in evidences:
        require_reviewer(actor, evidence.workspace, to="confirm where a quote stands")
        _require_standing(evidence)
        placement = placements.get(evidence.pk)
        if placement is None or placement.state not in CONFIRMABLE or placement.start is None:
            state = placement.state if placement else State.VERIFIED
            raise NothingToConfirm(
                f"There is nothing to confirm about {evidence.ref}: its quote is {state}.", hint=_way_out(str(state))
            )
        if placement.state == State.REWORDED_MEANING and len(evidences) > 1:
            raise OneByOne(
                f"{evidence.ref} reads differently in a way that bears on its meaning, so nothing was confirmed.",
                hint="Open it and look at the change by itself; then confirm the others together.",
            )
    return [
        evidence
        for evidence, version in zip(evidences, [*versions, *[None] * len(evidences)], strict=False)
        if _confirmed(evidence, placements[evidence.pk], reason=reason, actor=actor, now=now, version=version)
    ]


def _confirmed(
    evidence: Evidence, placement: Placement, *, reason: str, actor: Actor, now: datetime, version: int | None
) -> bool:
    if placement.state == State.REWORDED_MEANING:
        if not reason.strip():
            raise BadInput(
                "Say why the words still carry what was quoted: the change bears on meaning.",
                fields={"reason": "required"},
            )
        if needs_second(evidence.workspace) and evidence.state == Evidence.State.ACCEPTED:
            second = answer_apart(evidence, answer=CONFIRM, reason=reason, actor=actor, now=now, version=version)
            return second.outcome == second.Outcome.AGREED
    write_confirmation(evidence, placement, reason=reason, actor=actor, now=now, version=version)
    return True


@transaction.atomic
def reattach_anchor(
    evidence: Evidence, words: Words, *, actor: Actor, now: datetime, version: int | None = None
) -> Placement | None:
    """Attach a quote to other words of a source as it stands now. The quote itself is never rewritten.

    Where its words changed their meaning and two people may review, both choose apart: it is attached
    when they chose the same words, and None says that another answer is waited for.
    Raises NotAReviewer, EvidenceEnded, NotThere, BadInput, StaleVersion, or what `read_document` raises.
    """
    require_reviewer(actor, evidence.workspace, to="attach a quote to other words")
    _require_standing(evidence)
    if evidence.kind != Evidence.Kind.QUOTE:
        raise BadInput(f"{evidence.ref} has no quote that could be attached.", hint="Quote the words as new evidence.")
    before = latest_placements([evidence]).get(evidence.pk)
    document, found = find_words(evidence, words)
    drifted = before is not None and before.state == State.REWORDED_MEANING
    if drifted and evidence.state == Evidence.State.ACCEPTED and needs_second(evidence.workspace):
        answer = answer_of(document, found)
        second = answer_apart(evidence, answer=answer, reason=words.reason, actor=actor, now=now, version=version)
        return latest_placements([evidence])[evidence.pk] if second.outcome == second.Outcome.AGREED else None
    return write_attachment(evidence, document, found, reason=words.reason, actor=actor, now=now, version=version)


@transaction.atomic
def undo_placement(evidence: Evidence, *, actor: Actor, now: datetime, version: int | None = None) -> Placement:
    """Take back what a person said of where a quote stands; what was found before counts again.

    Raises NotAReviewer, NothingToTakeBack or StaleVersion.
    """
    require_reviewer(actor, evidence.workspace, to="take back where a quote was attached")
    last = latest_placements([evidence]).get(evidence.pk)
    if last is None or last.method not in BY_PEOPLE:
        raise NothingToTakeBack(
            f"The last word on where {evidence.ref} stands is not a person's, so there is nothing to take back.",
            hint="Attach it anew, or retire it.",
        )
    before = evidence.placements.filter(pk__lt=last.pk).order_by("-pk").first()
    if before and before.state == State.REWORDED_MEANING and needs_second(evidence.workspace):
        raise OneByOne(
            "Two people agreed that the changed words stand for the quote, so one does not take it back alone.",
            hint="Retire it, which two people answer apart as well.",
        )
    change_evidence(evidence, version=version)
    restored = before or Placement(
        state=State.VERIFIED, start=evidence.start, end=evidence.end, start_line=evidence.start_line,
        end_line=evidence.end_line, revision=evidence.revision, text_digest=evidence.text_digest,
    )  # fmt: skip
    restored.pk, restored._state.adding = None, True
    restored.evidence, restored.takes_back, restored.method = evidence, last, TAKEN_BACK
    restored.by, restored.at = actor, now
    restored.save()
    record_change(
        evidence.ref, verb="placement-undone", actor=actor, workspace=evidence.workspace, now=now,
        before={"state": last.state, "method": last.method}, after={"state": restored.state},
    )  # fmt: skip
    return restored


def _require_standing(evidence: Evidence) -> None:
    if evidence.has_ended:
        raise EvidenceEnded(f"{evidence.ref} is {evidence.state}; where its quote stands is not changed any more.")


def _way_out(state: str) -> str:
    if state in {State.AMBIGUOUS, State.ORPHANED, State.COULD_NOT_CHECK}:
        return "Attach it to the words that stand for it now, or retire it."
    return "Nobody has to look at it."
