"""Several verdicts in one step, where nothing can hide in the crowd: one source, exact quotes, all of them shown."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.core import signing
from django.db import transaction

from evidence.models import Evidence, Placement, Review
from evidence.services.reviews import review_evidence, undo_review
from evidence.standing import standings
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, Refused

BATCH_MAX = 20
FIRM = (Placement.State.VERIFIED, Placement.State.MOVED)
_SHOWN = signing.Signer(salt="evidence.shown")
IN_A_BATCH = "Accepted with others of the same source, after all of them were shown."


class NotForABatch(Refused):
    """One of them must be looked at by itself."""


@transaction.atomic
def accept_batch(
    evidences: Sequence[Evidence], *, shown: Mapping[str, int], actor: Actor, now: datetime
) -> list[Evidence]:
    """Accept up to twenty quotes of one source that were shown, all or none; each can be taken back by itself.

    `shown` names the version of each that was on the page, by public id. Only quotes that were found
    exactly, stand where they stood, and say why they matter. Raises NotAReviewer, BadInput, NotForABatch, StaleVersion.
    """
    if not evidences:
        raise BadInput("Nothing was chosen.", fields={"ids": "required"})
    if len(evidences) > BATCH_MAX:
        raise BadInput(f"At most {BATCH_MAX} are accepted in one step.", fields={"ids": "too many"})
    if len({evidence.source for evidence in evidences}) > 1:
        raise NotForABatch("They come from several sources.", hint="Accept those of one source at a time.")
    standing = standings(evidences)
    for evidence in evidences:
        why_not = _why_not(evidence, standing[evidence.pk].state, shown)
        if why_not:
            raise NotForABatch(f"{evidence.ref} {why_not}", hint="Look at it by itself; the others can go without it.")
    for evidence in evidences:
        review_evidence(
            evidence, verdict=Review.Verdict.ACCEPT, reason=IN_A_BATCH, actor=actor, now=now,
            version=shown[evidence.public_id],
        )  # fmt: skip
    return list(evidences)


@transaction.atomic
def undo_batch(evidences: Sequence[Evidence], *, actor: Actor, now: datetime) -> list[Evidence]:
    """Take back what one step accepted, all or none. Raises what `undo_review` raises, or NotForABatch."""
    for evidence in evidences:
        last = evidence.reviews.filter(undone_at__isnull=True).order_by("-pk").first()
        if last is None or last.reason != IN_A_BATCH or last.by.user_id != actor.user_id:
            raise NotForABatch(f"{evidence.ref} was judged again since.", hint="Take that verdict back on its page.")
        undo_review(evidence, actor=actor, now=now)
    return list(evidences)


def fits_a_batch(evidence: Evidence, anchor_state: str) -> bool:
    """Whether a page may offer it for accepting together with others."""
    return not _why_not(evidence, anchor_state, {evidence.public_id: evidence.version})


def sign_shown(rows: Iterable[Evidence]) -> str:
    """What a page showed, with versions, so that only that can be accepted together."""
    return _SHOWN.sign_object({row.public_id: row.version for row in rows})


def read_shown(signed: str) -> dict[str, int]:
    """What `sign_shown` wrote down. Raises BadInput for anything else."""
    try:
        shown: dict[str, int] = _SHOWN.unsign_object(signed)
    except signing.BadSignature as error:
        raise BadInput("Open the list again: what it showed could not be told.", fields={"shown": "unknown"}) from error
    return shown


def _why_not(evidence: Evidence, anchor_state: str, shown: Mapping[str, int]) -> str:
    """What keeps it out of a batch, as the end of a sentence; empty where nothing does."""
    if evidence.public_id not in shown:
        return "was not on the page."
    if evidence.state != Evidence.State.SUGGESTED:
        return f"is {evidence.state}, not suggested."
    if evidence.kind != Evidence.Kind.QUOTE or evidence.match != Evidence.Match.EXACT:
        return "is no quote that was found exactly."
    if anchor_state not in FIRM:
        return f"is {anchor_state}."
    if not evidence.why:
        return "does not say why it matters."
    return ""
