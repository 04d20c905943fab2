"""The rules that every verb of the way out keeps, and what it says when one stands against a wish."""

from collections.abc import Sequence
from typing import Any

from django.db.models import F

from evidence.models import Evidence
from hypotheses.services.finding import shoebox_named
from hypotheses.services.rights import require_role
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.services import NeedsConfirmation, may_review
from yoimemory.errors import BadInput, Forbidden, NotFound, Refused, StaleVersion
from yoimemory.journal.stale import stale_version
from yoimemory.products.models import Proposal
from yoimemory.products.places import risk_of
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace

__all__ = ["require_role"]


class NotInThisState(Refused):
    """From the state that the proposal is in there is no such step."""


class NothingToChange(Refused):
    """The new content is what the file holds already."""


class AlreadyProposed(Refused):
    """The same change waits already, or was rejected before."""


class BaseChanged(Refused):
    """The file is no longer what the proposal was written against."""


class NotYourProposal(Forbidden):
    """A proposal is revised and withdrawn by who made it, or by a reviewer."""


class NoReason(BadInput):
    """A verdict against a proposal says why."""


class RiskNotConfirmed(NeedsConfirmation):
    """The file is one that agents or programs act on; writing it asks for a second confirmation."""


class ChangedSince(Refused):
    """The file was changed after we wrote it; undoing would lose that change."""


class NoSuchRecord(BadInput):
    """A product for a ticket or objective that this workspace does not have."""


def require_state(proposal: Proposal, after: str, *, to: str) -> None:
    """Raise NotInThisState unless the proposal may go from where it is to `after`; `to` completes "cannot be …"."""
    if after in Proposal.TRANSITIONS[Proposal.State(proposal.state)]:
        return
    raise NotInThisState(
        f"This proposal is {proposal.state_label} and cannot be {to}.",
        hint={
            Proposal.State.PROPOSED: "A reviewer approves it first.",
            Proposal.State.NEEDS_CHANGE: "It waits for a new revision.",
            Proposal.State.CONFLICT: "Rebase it on the file as it stands, then have it approved again.",
            Proposal.State.APPROVED: "It is approved: apply it, or withdraw it.",
            Proposal.State.APPLIED: "It is applied: undo it, or propose the next change.",
        }.get(Proposal.State(proposal.state), "It is at an end; propose the change anew."),
    )


def require_maker(proposal: Proposal, actor: Actor, *, to: str) -> None:
    """Raise unless the actor made the proposal (a Worker: with the same token) or is a reviewer."""
    require_role(actor, proposal.workspace, to=to)
    maker = proposal.made_by
    own = maker.token_id == actor.token_id if actor.is_worker else maker.user_id == actor.user_id and maker.is_person
    if not own and not may_review(actor, proposal.workspace):
        raise NotYourProposal(f"{actor} did not make this proposal and may not {to}.", hint="Propose your own.")


def require_reason(reason: str, *, what: str) -> str:
    if not reason.strip():
        raise NoReason(f"Say why: {what}.", fields={"reason": "required"})
    return reason.strip()


def require_risk_confirmed(proposal: Proposal, path: str, *, confirmed: bool) -> None:
    """Raise RiskNotConfirmed for a file that others act on, unless the person confirmed once more."""
    risk = risk_of(path, proposal.content)
    if risk and not confirmed:
        raise RiskNotConfirmed(
            f"{risk} Writing it asks for a second confirmation.",
            hint="Read the whole change once more, then confirm.",
            fields={"confirmed": "required"},
        )


def check_version(proposal: Proposal, version: int | None) -> None:
    """Raise StaleVersion, naming who changed what since, when the caller read another version than stands."""
    if version is None or Proposal.objects.filter(pk=proposal.pk, version=version).exists():
        return
    raise stale_version(proposal.ref, workspace=proposal.workspace, version=version)


def move(proposal: Proposal, *, before: str, **fields: Any) -> None:
    """Write these fields as the next version, if the proposal is still in the state that was read.

    Call it in a transaction. Raises StaleVersion when another writer was first.
    """
    moved = Proposal.objects.filter(pk=proposal.pk, version=proposal.version, state=before).update(
        version=F("version") + 1, **fields
    )
    if not moved:
        check_version(proposal, proposal.version)
        raise StaleVersion("This proposal was changed while you were at it.", hint="Read it again.")
    proposal.refresh_from_db()


def shoebox_of(text: str, workspace: Workspace) -> Shoebox | None:
    return shoebox_named(text, workspace) if text else None


def refs_of(texts: Sequence[str], workspace: Workspace, *, field: str) -> list[str]:
    """The refs that a proposal names, each once, in the order named. Raises BadRef, or NotFound for evidence."""
    refs = list(dict.fromkeys(str(SourceRef.parse(text.strip())) for text in texts if text.strip()))
    ids = [SourceRef.parse(ref).locator for ref in refs if ref.startswith("evidence:")]
    known = set(Evidence.objects.in_workspace(workspace).filter(public_id__in=ids).values_list("public_id", flat=True))
    missing = [public_id for public_id in ids if public_id not in known]
    if missing:
        raise NotFound(
            f"There is no evidence evidence:{missing[0]} in {workspace}.",
            hint="The list of evidence names it all.",
            fields={field: "unknown"},
        )
    return refs
