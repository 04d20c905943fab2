"""What people say of where a quote stands: they confirm a place, attach the quote anew, or take that back.

The anchor stays as it was taken; each of these is one more placement, with the name of who said it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from evidence import gate
from evidence.fuzzy import alikeness
from evidence.meaning import changes_of_meaning, told
from evidence.models import Evidence, Placement
from evidence.placing import BY_PEOPLE, REATTACHED, TAKEN_BACK, WORDS_MAX
from evidence.services.changing import change_evidence
from evidence.services.confirming import CONFIRM, CONFIRMABLE, NothingToConfirm, write_confirmation
from evidence.services.overturning import answer_apart
from evidence.services.words import EvidenceEnded
from evidence.standing import latest_placements
from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput, Refused
from yoimemory.journal.services import record_change
from yoimemory.markers.services import needs_second
from yoimemory.refs import SourceRef
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document

State = Placement.State


class OneByOne(Refused):
    """A change that bears on meaning is looked at by itself, never among others."""


class NothingToTakeBack(Refused):
    """The last word on where a quote stands is not a person's."""


class NotThere(Refused):
    """The words do not stand in the source as it is now."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words that a quote is attached to: where they stand, and why they stand for it."""

    ref: SourceRef
    quote: str
    line: int | None = None
    column: int | None = None
    reason: str = ""


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
) -> Placement:
    """Attach a quote to other words of a source as it stands now. The quote itself is never rewritten.

    Raises NotAReviewer, EvidenceEnded, NotThere, BadInput, StaleVersion, what `read_document` raises,
    or OneByOne where two people must say first what a change of meaning comes to.
    """
    require_reviewer(actor, evidence.workspace, to="attach a quote to other words")
    _require_standing(evidence)
    if evidence.kind != Evidence.Kind.QUOTE:
        raise BadInput(f"{evidence.ref} has no quote that could be attached.", hint="Quote the words as new evidence.")
    before = latest_placements([evidence]).get(evidence.pk)
    if before and before.state == State.REWORDED_MEANING and needs_second(evidence.workspace):
        raise OneByOne(
            "The change bears on meaning, and two people must say apart what becomes of the quote.",
            hint="Confirm or retire it; quote the other words as new evidence that supersedes it.",
        )
    document = read_document(evidence.workspace, words.ref.at("").part(""))
    placement = _attached(evidence, words, document, actor=actor, now=now)
    change_evidence(evidence, version=version)
    placement.save()
    record_change(
        evidence.ref, verb="anchor-reattached", actor=actor, workspace=evidence.workspace, now=now,
        before={"state": before.state if before else State.VERIFIED},
        after={"place": str(document.ref), "line": placement.start_line, "words": placement.words[:200]},
        reason=words.reason.strip(),
    )  # fmt: skip
    return placement


def _attached(evidence: Evidence, words: Words, document: Document, *, actor: Actor, now: datetime) -> Placement:
    refusal = gate.measure(words.quote)
    if refusal:
        raise BadInput(refusal.message, hint=refusal.hint, fields={"quote": refusal.code})
    starts = gate.line_starts(document.text)
    found = gate.locate(document.text, words.quote, near=gate.offset_of(starts, words.line, words.column))
    if found is None:
        _, near = gate.missing(document.text, words.quote, starts=starts)
        raise NotThere(
            f"These words do not stand in {document.ref} as it is now.",
            hint=f"Nearest, on line {near.first_line}: {near.text[:200]}"
            if near
            else "Select them in the source anew.",
        )
    now_there = document.text[found.start : found.end]
    changes = changes_of_meaning(evidence.quote, now_there, code=evidence.place.startswith("code:"))
    note = f"Attached anew by {actor}." + (f" {words.reason.strip()}" if words.reason.strip() else "")
    note += f" Against the quote: {told(changes)}." if changes else ""
    return Placement(
        evidence=evidence, state=State.MOVED, method=REATTACHED, by=actor, at=now, revision=document.revision,
        text_digest=document.digest, place=str(document.ref) if str(document.ref) != evidence.place else "",
        start=found.start, end=found.end, start_line=gate.place_of(starts, found.start)[0],
        end_line=gate.place_of(starts, found.end - 1)[0],
        words="" if now_there == evidence.quote else now_there[:WORDS_MAX],
        changes=[change.as_json() for change in changes], similarity=alikeness(evidence.quote, now_there),
        note=note[:400],
    )  # fmt: skip


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
