"""Proposing a product, answering a reviewer with a new revision, carrying it over to a newer file, taking it back."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, Refused
from yoimemory.journal.services import record_change
from yoimemory.products.files import bytes_now, exists, writing_lock
from yoimemory.products.marks import mark_place
from yoimemory.products.merge import merge
from yoimemory.products.models import Proposal, Revision
from yoimemory.products.patches import apply_patch
from yoimemory.products.places import Place, check_place, thread_path
from yoimemory.products.schemas import ProposalDraft, RevisionDraft
from yoimemory.products.services.formats import require_format
from yoimemory.products.services.rules import (
    AlreadyProposed,
    BaseChanged,
    NoSuchRecord,
    NothingToChange,
    NotInThisState,
    check_version,
    move,
    refs_of,
    require_maker,
    require_role,
    require_state,
    shoebox_of,
)
from yoimemory.products.texts import FileText, plain, read_text, write_text
from yoimemory.products.visible import visible
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import digest_of

REVISABLE = frozenset({Proposal.State.PROPOSED, Proposal.State.NEEDS_CHANGE, Proposal.State.CONFLICT})


class CannotMerge(Refused):
    """The file and the proposal changed the same lines differently."""


def propose_candidate(draft: ProposalDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> Proposal:
    """Propose the exact new content of one file, or a text for a ticket's thread. Nothing is written by it.

    People and Workers may propose; only a person with the reviewer role approves. The base is
    the file as it stands: a caller that names another digest is refused, so that a proposal never
    rests on a text that its maker did not read. Raises Forbidden, NotAPlace, NoSuchRecord,
    BaseChanged, NothingToChange, AlreadyProposed, WrongFormat, BadPatch, NotText, or what the opener raises.
    """
    require_role(actor, workspace, to="propose products")
    target = Proposal.Target(draft.target)
    is_text, is_mark = target in Proposal.TEXT_TARGETS, target == Proposal.Target.MARKER
    place = (
        mark_place(draft.path)
        if is_mark
        else check_place(thread_path(draft.path) if is_text else draft.path, draft.target)
    )
    _require_record(workspace, place)
    base, base_digest = (None, "") if is_text or is_mark else _base(workspace, place.path)
    _require_base(draft, place.path, base_digest)
    before = base.text if base else ""
    content = plain(draft.content) if draft.content else apply_patch(before, plain(draft.patch))
    _require_change(workspace, place.path, content, base, base_digest)
    require_format(workspace, target, place.path, content)
    proposal = Proposal(
        workspace=workspace,
        shoebox=shoebox_of(draft.shoebox, workspace),
        target=draft.target,
        path=place.path,
        title=draft.title.strip() or _title(draft.target, place.path, is_new=base is None),
        content=content,
        base_content=before,
        base_digest=base_digest,
        rationale=draft.rationale.strip(),
        evidence=refs_of(draft.evidence, workspace, field="evidence"),
        contrary=refs_of(draft.contrary, workspace, field="contrary"),
        made_by=actor,
        made_at=now,
        state_at=now,
    )
    if not proposal.rationale:
        raise BadInput("A proposal says why.", fields={"rationale": "required"})
    _store(proposal, base)
    return proposal


def revise_proposal(
    proposal: Proposal, draft: RevisionDraft, *, actor: Actor, now: datetime, version: int | None = None
) -> Proposal:
    """Answer with a new revision, against the file as it stands; the proposal waits for a reviewer again.

    Its maker or a reviewer may do this while it is proposed, in need of change or in conflict. A
    reviewer who writes a revision has made it their own: the single-reviewer rule then holds for
    them. Raises NotYourProposal, NotInThisState, NothingToChange, StaleVersion.
    """
    require_maker(proposal, actor, to="revise it")
    check_version(proposal, version)
    _require_revisable(proposal)
    base, base_digest = _base(proposal.workspace, proposal.path) if proposal.is_file else (None, "")
    content = proposal.content if draft.content is None else plain(draft.content)
    _require_change(proposal.workspace, proposal.path, content, base, base_digest, but=proposal)
    require_format(proposal.workspace, proposal.target, proposal.path, content)
    rationale = proposal.rationale if draft.rationale is None else draft.rationale.strip()
    if not rationale or not content:
        raise BadInput("A revision has content and says why.", fields={"content": "required", "rationale": "required"})
    workspace = proposal.workspace
    evidence, contrary = proposal.evidence, proposal.contrary
    if draft.evidence is not None:
        evidence = refs_of(draft.evidence, workspace, field="evidence")
    if draft.contrary is not None:
        contrary = refs_of(draft.contrary, workspace, field="contrary")
    fields = {
        "content": content,
        "base_content": base.text if base else "",
        "base_digest": base_digest,
        "title": (draft.title or "").strip() or proposal.title,
        "rationale": rationale,
        "evidence": evidence,
        "contrary": contrary,
    }
    return _new_revision(proposal, fields, note=draft.note.strip(), mechanical=False, actor=actor, now=now)


def rebase_proposal(proposal: Proposal, *, actor: Actor, now: datetime, version: int | None = None) -> Proposal:
    """Carry the proposal over to the file as it stands, where both changed different lines.

    No new word is added, so it stays its maker's; it waits for approval again. Raises CannotMerge
    when both changed the same lines, NothingToChange when the file already holds the change or
    still is the base.
    """
    require_maker(proposal, actor, to="rebase it")
    check_version(proposal, version)
    _require_revisable(proposal)
    base, base_digest = _base(proposal.workspace, proposal.path) if proposal.is_file else (None, "")
    if not proposal.is_file or base_digest == proposal.base_digest:
        raise NothingToChange("The file still is what this was proposed against.", hint="There is nothing to rebase.")
    merged = merge(proposal.base_content, proposal.content, base.text if base else "")
    if merged.conflicts:
        raise CannotMerge(
            f"The file and the proposal changed the same lines in {merged.conflicts} "
            f"place{'s' if merged.conflicts > 1 else ''}.",
            hint="Edit the proposal: it shows what was there, what is there now, and what is proposed.",
        )
    _require_change(proposal.workspace, proposal.path, merged.text, base, base_digest, but=proposal)
    fields = {"content": merged.text, "base_content": base.text if base else "", "base_digest": base_digest}
    note = "Carried over to the file as it stands."
    return _new_revision(proposal, fields, note=note, mechanical=True, actor=actor, now=now)


def withdraw_proposal(
    proposal: Proposal, *, actor: Actor, now: datetime, reason: str = "", version: int | None = None
) -> Proposal:
    """Take a proposal back before anything was written. Its maker or a reviewer may."""
    require_maker(proposal, actor, to="withdraw it")
    check_version(proposal, version)
    require_state(proposal, Proposal.State.WITHDRAWN, to="withdrawn")
    before = proposal.state
    with writing_lock(proposal.workspace), transaction.atomic():  # never while its file is being written
        move(
            proposal, before=before, state=Proposal.State.WITHDRAWN, state_reason=reason.strip(), state_by=actor,
            state_at=now,
        )  # fmt: skip
        record_change(
            proposal.ref, verb="proposal-withdrawn", actor=actor, workspace=proposal.workspace, now=now,
            before={"state": before}, after={"state": proposal.state}, reason=reason.strip(),
        )  # fmt: skip
    return proposal


def _store(proposal: Proposal, base: FileText | None) -> None:
    """Keep a new proposal with its first revision and its history."""
    workspace, actor, now = proposal.workspace, proposal.made_by, proposal.made_at
    with transaction.atomic():
        # Once more under the write lock: of two callers at once, both had found nothing before.
        _require_change(workspace, proposal.path, proposal.content, base, proposal.base_digest)
        proposal.save(force_insert=True)
        _keep(proposal, actor=actor, now=now)
        record_change(
            proposal.ref, verb="candidate-proposed", actor=actor, workspace=workspace, now=now,
            after={"target": proposal.target, "path": proposal.path, "base": proposal.base_digest},
            reason=proposal.rationale,
        )  # fmt: skip


def _base(workspace: Workspace, path: str) -> tuple[FileText | None, str]:
    data = bytes_now(workspace, path)
    return (None, "") if data is None else (read_text(data, path=path), digest_of(data))


def _require_base(draft: ProposalDraft, path: str, base_digest: str) -> None:
    """A caller that names what it wrote against must have read the file as it stands."""
    named = draft.base_digest.removeprefix("sha256:")
    if named and named != base_digest:
        raise BaseChanged(
            f"{visible(path)} is not what you wrote this against.",
            hint=f"Read it again: it now has the digest {base_digest or 'of no file at all'}.",
            fields={"base_digest": "not the file as it stands"},
        )


def _require_record(workspace: Workspace, place: Place) -> None:
    """A product for a ticket must not make a folder that looks like a ticket of its own."""
    if place.record and not exists(workspace, f"{place.record}/item.md"):
        raise NoSuchRecord(
            f"There is no {visible(place.record)} with an item.md in {workspace}.",
            hint="Name a ticket or objective that exists; search finds them by their words.",
            fields={"path": "unknown record"},
        )


def _require_change(
    workspace: Workspace,
    path: str,
    content: str,
    base: FileText | None,
    base_digest: str,
    *,
    but: Proposal | None = None,
) -> None:
    if base is not None and base.text == content:
        raise NothingToChange(f"{visible(path)} holds exactly this already.", hint="There is nothing to propose.")
    write_text(content, like=base, path=path)  # raises where the file's encoding has no sign for it
    same = Proposal.objects.in_workspace(workspace).filter(path=path, content=content, base_digest=base_digest)
    same = same.filter(state__in=[*Proposal.OPEN, Proposal.State.REJECTED]).exclude(pk=but.pk if but else 0)
    earlier = same.order_by("-pk").first()
    if earlier is None:
        return
    if earlier.state == Proposal.State.REJECTED:
        raise AlreadyProposed(
            f"The same change of {visible(path)} was rejected before: {earlier.state_reason}",
            hint=f"See {earlier.ref}. It may come back once the file or the proposal has changed.",
        )
    raise AlreadyProposed(f"The same change of {visible(path)} is {earlier.state_label}.", hint=f"See {earlier.ref}.")


def _require_revisable(proposal: Proposal) -> None:
    if proposal.state not in REVISABLE:
        raise NotInThisState(
            f"This proposal is {proposal.state_label} and takes no new revision.", hint="Propose the change anew."
        )


def _new_revision(
    proposal: Proposal, fields: Mapping[str, object], *, note: str, mechanical: bool, actor: Actor, now: datetime
) -> Proposal:
    before = proposal.state
    with transaction.atomic():
        move(
            proposal, before=before, **fields, revision=proposal.revision + 1, state=Proposal.State.PROPOSED,
            state_reason="", state_by=actor, state_at=now,
        )  # fmt: skip
        _keep(proposal, actor=actor, now=now, note=note, mechanical=mechanical)
        record_change(
            proposal.ref, verb="proposal-rebased" if mechanical else "proposal-revised", actor=actor,
            workspace=proposal.workspace, now=now, before={"state": before, "revision": proposal.revision - 1},
            after={"state": proposal.state, "revision": proposal.revision}, reason=note,
        )  # fmt: skip
    return proposal


def _keep(proposal: Proposal, *, actor: Actor, now: datetime, note: str = "", mechanical: bool = False) -> None:
    Revision.objects.create(
        proposal=proposal,
        number=proposal.revision,
        content=proposal.content,
        base_content=proposal.base_content,
        base_digest=proposal.base_digest,
        rationale=proposal.rationale,
        note=note,
        mechanical=mechanical,
        by=actor,
        at=now,
    )


def _title(target: str, path: str, *, is_new: bool) -> str:
    if target == Proposal.Target.MARKER:
        return f"Mark {path}"[:300]
    if target in Proposal.TEXT_TARGETS:
        return f"{target.removeprefix('ticket_').capitalize()} for ticket {path.split('/')[-2]}"
    return f"{'New file' if is_new else 'Change'} {'/'.join(path.split('/')[-2:])}"
