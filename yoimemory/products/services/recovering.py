"""After a crash: every writing that was begun is finished or rolled back, by what the file holds now."""

from datetime import datetime

from django.db import transaction

from yoimemory.errors import DomainError
from yoimemory.products.files import digest_now, writing_lock
from yoimemory.products.models import Batch, Export, Installation, Proposal, Writing
from yoimemory.products.services.applying import finish_applied, finish_reverted, mark_undone
from yoimemory.products.services.batches import finish_undone, finish_written, roll_back
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
            .select_related("workspace", "proposal__workspace", "export", "installation", "by", "undone_by")
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
        _mark(row, State.ABANDONED, "The server ended before the file was written.")
        return
    with transaction.atomic():
        _mark(row, State.WRITTEN, "Finished after the server had ended.")
        if proposal.state == Proposal.State.APPROVED:
            finish_applied(proposal, row, actor=row.by, now=now)


def _settle_undo(row: Writing, holds: str, now: datetime) -> None:
    if holds != row.before_digest:
        note = "The server ended before this was undone."
        Writing.objects.filter(pk=row.pk).update(state=State.WRITTEN, note=note, undone_by=None)
    elif row.proposal is not None and row.proposal.state == Proposal.State.APPLIED:
        finish_reverted(row.proposal, row, actor=row.undone_by or row.by, now=now, reason=row.note)
    elif row.proposal is not None:
        mark_undone([row], now=now)
    # A file of a batch stays *undoing* until its batch is settled with it.


def _settle_batch(batch: Export | Installation, now: datetime) -> None:
    rows = list(batch.writings.select_related("workspace", "undone_by").order_by("pk"))
    if batch.state == Batch.State.PREPARED:
        if all(digest_now(row.workspace, row.path) == row.after_digest for row in rows):
            finish_written(batch, rows, "Finished after the server had ended.")
        else:
            roll_back(batch, rows, "The server ended before every file was written.", now=now)
    elif any(row.state == State.WRITTEN for row in rows):
        mark_undone([row for row in rows if row.state == State.UNDOING], now=now)
    else:
        finish_undone(batch, actor=next((row.undone_by for row in rows if row.undone_by), batch.by), now=now)


def _mark(row: Writing, state: str, note: str) -> None:
    Writing.objects.filter(pk=row.pk).update(state=state, note=note)
