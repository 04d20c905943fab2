"""Proposing memory records in the exact format of the workspace, and replacing old ones by new."""

from datetime import datetime

from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, DomainError
from yoimemory.products.files import text_now
from yoimemory.products.memory import Record, record_at, render_record, rewrite_record
from yoimemory.products.models import Proposal
from yoimemory.products.schemas import MemoryDraft, ProposalDraft
from yoimemory.products.services.proposing import propose_candidate, withdraw_proposal
from yoimemory.sources.models import Workspace


def propose_memory(draft: MemoryDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> list[Proposal]:
    """Propose a summary, decision or request record, new or changed, in its exact file format.

    With `replaces`, the older decision is proposed as replaced by the new one: two proposals, each
    approved for itself, the new record applied first. Nothing is rewritten without approval, and a
    record stays memory: it points, reminds and proposes, and never stands for an authority.
    Raises BadInput, WrongFormat, and what `propose_candidate` raises; then neither stays proposed.
    """
    record = Record(draft.kind, "" if draft.kind == "summary" else draft.slug)
    if record_at(record.path) is None:
        raise BadInput("A decision and a request have a slug.", fields={"slug": "required"})
    content = _content(draft, record, workspace, now)
    made = _propose(draft, record.path, content, draft.rationale, workspace, actor, now)
    if not draft.replaces:
        return [made]
    try:
        return [made, _replace(draft, record, workspace, actor, now)]
    except DomainError as error:
        withdraw_proposal(made, actor=actor, now=now, reason=f"The older record could not be replaced: {error.message}")
        raise


def _content(draft: MemoryDraft, record: Record, workspace: Workspace, now: datetime) -> str:
    there = text_now(workspace, record.path)
    if there is None:
        sources = [(one.segment_id, *one.range) for one in draft.sources]
        return render_record(record, draft.body, now=now, status=draft.status, sources=sources)
    values = {"status": draft.status} if record.kind == "decision" else {}
    return rewrite_record(there.text, now=now, body=draft.body, **values)


def _replace(draft: MemoryDraft, record: Record, workspace: Workspace, actor: Actor, now: datetime) -> Proposal:
    if record.kind != "decision" or draft.replaces == record.slug:
        raise BadInput("Only a decision replaces another decision.", fields={"replaces": "not possible"})
    old = Record("decision", draft.replaces)
    there = text_now(workspace, old.path)
    if there is None:
        raise BadInput(f"There is no decision {draft.replaces!r} to replace.", fields={"replaces": "unknown"})
    content = rewrite_record(there.text, now=now, status="replaced", replaced_by=record.slug)
    rationale = f"Replaced by {record.slug}: {draft.rationale}"[: Proposal.RATIONALE_MAX]
    return _propose(draft, old.path, content, rationale, workspace, actor, now)


def _propose(
    draft: MemoryDraft, path: str, content: str, rationale: str, workspace: Workspace, actor: Actor, now: datetime
) -> Proposal:
    sent = ProposalDraft(
        target="memory", path=path, content=content, rationale=rationale, evidence=draft.evidence,
        contrary=draft.contrary, shoebox=draft.shoebox,
    )  # fmt: skip
    return propose_candidate(sent, workspace=workspace, actor=actor, now=now)
