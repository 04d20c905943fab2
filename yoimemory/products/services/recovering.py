"""After a crash: every writing that was begun is finished or rolled back, by what the file holds now."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from yoimemory.errors import DomainError
from yoimemory.journal.services import record_change
from yoimemory.products.files import digest_now, writing_lock
from yoimemory.products.models import Batch, Export, Installation, Proposal, Writing
from yoimemory.products.services.applying import finish_applied
from yoimemory.products.services.batches import roll_back, settle
from yoimemory.products.services.rules import move
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import remove_leftovers

State = Writing.State


def recover_writings(now: datetime) -> int:
    """Settle every writing that a crash cut short; return how many. Called once at start.

    A file that holds the new bytes was written: its proposal is applied. A file that holds the old
    ones was not: the proposal stays approved. An export is all or nothing: if not every file of it
    is in place, those that are go back to what they were. A file that holds neither was changed by
    somebody else meanwhile and is left alone. A workspace that cannot be read now stays as it is
    for the next start.
    """
    waiting = Writing.objects.unsettled().values_list("workspace", flat=True).distinct()
    return sum(_recover(workspace, now) for workspace in Workspace.objects.filter(pk__in=list(waiting)))


def _recover(workspace: Workspace, now: datetime) -> int:
    with writing_lock(workspace):
        rows = list(
            Writing.objects.unsettled()
            .filter(workspace=workspace)
            .select_related("workspace", "proposal__workspace", "export", "installation", "by")
            .order_by("pk")
        )
        try:
            holds = {row.pk: digest_now(workspace, row.path) for row in rows}
            for path in {row.path for row in rows}:
                remove_leftovers(workspace.path, path)
        except DomainError:
            return 0
        for row in rows:
            if row.state == State.UNDOING:
                _settle_undo(row, holds[row.pk], now)
            elif row.proposal is not None:
                _settle_apply(row, holds[row.pk], now)
        for batch in {row.export or row.installation for row in rows} - {None}:
            if batch is not None:
                _settle_batch(batch, now)
    return len(rows)


def _settle_apply(row: Writing, holds: str, now: datetime) -> None:
    proposal = row.proposal
    if proposal is None:
        return
    if holds != row.after_digest:
        _mark([row], State.ABANDONED, "The server ended before the file was written.")
        return
    with transaction.atomic():
        _mark([row], State.WRITTEN, "Finished after the server had ended.")
        if proposal.state == Proposal.State.APPROVED:
            finish_applied(proposal, row, actor=row.by, now=now)


def _settle_undo(row: Writing, holds: str, now: datetime) -> None:
    if holds != row.before_digest:
        _mark([row], State.WRITTEN, "The server ended before this was undone.")
        return
    with transaction.atomic():
        _mark([row], State.UNDONE, "Undone; the server had ended meanwhile.", undone_at=now)
        proposal = row.proposal
        if proposal is not None and proposal.state == Proposal.State.APPLIED:
            move(proposal, before=Proposal.State.APPLIED, state=Proposal.State.REVERTED, state_by=row.by, state_at=now)
            record_change(
                proposal.ref, verb="proposal-reverted", actor=row.by, workspace=row.workspace, now=now,
                before={"state": Proposal.State.APPLIED}, after={"state": proposal.state},
            )  # fmt: skip


def _settle_batch(batch: Export | Installation, now: datetime) -> None:
    rows = list(batch.writings.select_related("workspace").order_by("pk"))
    if batch.state == Batch.State.PREPARED:
        if all(digest_now(row.workspace, row.path) == row.after_digest for row in rows):
            _mark(rows, State.WRITTEN, "Finished after the server had ended.")
            settle(batch, Batch.State.WRITTEN)
        else:
            roll_back(batch, rows, "The server ended before every file was written.", now=now)
    elif all(row.state in {State.UNDONE, State.ABANDONED} for row in rows):
        settle(batch, Batch.State.UNDONE, now=now)


def _mark(rows: Iterable[Writing], state: str, note: str, **fields: object) -> None:
    Writing.objects.filter(pk__in=[row.pk for row in rows]).update(state=state, note=note, **fields)
