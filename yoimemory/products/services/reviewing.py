"""A reviewer's verdict on a proposal."""

from datetime import datetime

from django.db import transaction

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer, settle_own
from yoimemory.errors import BadInput
from yoimemory.journal.services import record_change
from yoimemory.products.models import Proposal, Verdict
from yoimemory.products.services.rules import check_version, move, require_reason, require_state

AFTER = {
    Verdict.Kind.APPROVE: (Proposal.State.APPROVED, "approved"),
    Verdict.Kind.NEEDS_CHANGE: (Proposal.State.NEEDS_CHANGE, "sent back for a change"),
    Verdict.Kind.REJECT: (Proposal.State.REJECTED, "rejected"),
}
"""What each verdict leads to, and how it completes "cannot be …"."""


def review_proposal(
    proposal: Proposal,
    *,
    verdict: str,
    actor: Actor,
    now: datetime,
    reason: str = "",
    confirmed: bool = False,
    version: int | None = None,
) -> Proposal:
    """Approve a proposal, ask for a change, or reject it. Only a person with the reviewer role, never a Worker.

    A verdict against it says why. Nobody approves what they wrote themselves where another
    reviewer is there to ask; where there is none it takes one more confirmation, and the record
    says *one reviewer*. Approving writes nothing yet.
    Raises NotAReviewer, OwnProposal, NeedsConfirmation, NoReason, NotInThisState, StaleVersion.
    """
    require_reviewer(actor, proposal.workspace, to="judge proposals")
    if verdict not in Verdict.Kind.values:
        raise BadInput(f"There is no verdict {verdict!r}.", hint="Verdicts are approve, needs_change and reject.")
    kind = Verdict.Kind(verdict)
    state, done = AFTER[kind]
    check_version(proposal, version)
    require_state(proposal, state, to=done)
    if kind != Verdict.Kind.APPROVE:
        reason = require_reason(reason, what="the proposer must know what to do about it.")
    one_reviewer = kind == Verdict.Kind.APPROVE and _settle(proposal, actor, confirmed=confirmed)
    before = proposal.state
    with transaction.atomic():
        move(
            proposal, before=before, state=state, state_reason=reason.strip(), state_by=actor, state_at=now,
            one_reviewer=one_reviewer,
        )  # fmt: skip
        Verdict.objects.create(
            proposal=proposal, verdict=kind, reason=reason.strip(), revision=proposal.revision,
            one_reviewer=one_reviewer, by=actor, at=now,
        )  # fmt: skip
        record_change(
            proposal.ref, verb="proposal-reviewed", actor=actor, workspace=proposal.workspace, now=now,
            before={"state": before},
            after={"state": state, "revision": proposal.revision, "one_reviewer": one_reviewer},
            reason=reason.strip(),
        )  # fmt: skip
    return proposal


def _settle(proposal: Proposal, actor: Actor, *, confirmed: bool) -> bool:
    """Apply the single-reviewer rule to everyone who wrote a word of what would be approved."""
    makers = {proposal.made_by_id: proposal.made_by}
    for revision in proposal.revisions.filter(mechanical=False).select_related("by"):
        makers[revision.by_id] = revision.by
    settled = [
        settle_own(actor, maker, proposal.workspace, confirmed=confirmed, what="proposal") for maker in makers.values()
    ]
    return any(settled)
