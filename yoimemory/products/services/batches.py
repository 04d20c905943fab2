"""Writing several files after a person saw exactly what: all of them or none, and back again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from yoimemory.access.models import Actor
from yoimemory.errors import DomainError, Refused
from yoimemory.journal.services import record_change
from yoimemory.products.files import bytes_now, digest_now, exists, put
from yoimemory.products.models import Batch, Export, Installation, Writing
from yoimemory.products.places import check_place
from yoimemory.products.schemas import PlannedFile
from yoimemory.products.services.applying import mark_undone, put_back
from yoimemory.products.services.rules import NoSuchRecord, NothingToChange
from yoimemory.products.visible import visible
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import digest_of

State = Batch.State


class PlanChanged(Refused):
    """What would be written is not what the person saw."""


class AlreadyUndone(Refused):
    """What would be undone no longer stands."""


def planned_file(workspace: Workspace, path: str, content: str, *, target: str) -> PlannedFile:
    """Say what writing this content there would mean. Raises NotAPlace, NoSuchRecord, or what the opener raises."""
    place = check_place(path, target)
    if place.record and not exists(workspace, f"{place.record}/item.md"):
        raise NoSuchRecord(
            f"There is no {visible(place.record)} with an item.md in {workspace}.",
            hint="Name another folder of the workspace, for example docs/evidence.",
            fields={"folder": "unknown record"},
        )
    data = bytes_now(workspace, path)
    base_digest = "" if data is None else digest_of(data)
    after = digest_of(content.encode())
    last = Writing.objects.filter(workspace=workspace, path=path, state=Writing.State.WRITTEN).order_by("-pk").first()
    return PlannedFile(
        path=path,
        content=content,
        exists=data is not None,
        same=base_digest == after,
        ours=data is None or base_digest == after or (last is not None and last.after_digest == base_digest),
        base_digest=base_digest,
        digest=digest_of(f"{path}\n{base_digest}\n{after}".encode()),
    )


def files_to_write(plan: Sequence[PlannedFile], seen: Mapping[str, str]) -> list[PlannedFile]:
    """What of the plan must be written. Raises PlanChanged unless all of it was seen, NothingToChange."""
    if {file.path: file.digest for file in plan} != dict(seen):
        raise _plan_changed()
    files = [file for file in plan if not file.same]
    if not files:
        raise NothingToChange("These files hold exactly this already.", hint="There is nothing to write.")
    return files


def _plan_changed() -> PlanChanged:
    return PlanChanged(
        "What would be written is no longer what you saw; nothing was written.",
        hint="Look at the plan as it is now, then write it.",
    )


def write_batch(batch: Export | Installation, files: Sequence[PlannedFile], *, workspace: Workspace) -> None:
    """Write these files, or none of them. Call it under the writing lock, with a batch not yet saved.

    What stands there is kept, and what is about to be written is said, committed before the
    first file changes; history tells of it in the transaction that says all are written.
    Raises PlanChanged, Changed and what the opener raises; then nothing of it stays.
    """
    held = [bytes_now(workspace, file.path) if file.base_digest else None for file in files]
    if any(
        data is None or digest_of(data) != file.base_digest
        for file, data in zip(files, held, strict=True)
        if file.base_digest
    ):
        raise _plan_changed()
    cause = _about(batch).cause
    with transaction.atomic():
        batch.save(force_insert=True)
        rows = [
            Writing.objects.create(
                workspace=workspace,
                path=file.path,
                before=before,
                before_digest=file.base_digest,
                after_digest=digest_of(file.content.encode()),
                by=batch.by,
                at=batch.at,
                **{cause: batch},
            )
            for file, before in zip(files, held, strict=True)
        ]
    for row, file in zip(rows, files, strict=True):
        try:
            put(workspace, file.path, file.content.encode(), expect_digest=row.before_digest)
        except DomainError as error:
            roll_back(batch, rows, error.message, now=batch.at)
            raise
    finish_written(batch, rows)


def finish_written(batch: Export | Installation, rows: Sequence[Writing], note: str = "") -> None:
    """Record that every file of a batch is in place: the rows, the batch and its history, or none of them."""
    about = _about(batch)
    with transaction.atomic():
        batch.writings.update(state=Writing.State.WRITTEN, note=note)
        _settle(batch, State.WRITTEN)
        record_change(
            about.subject, verb=about.written, actor=batch.by, workspace=about.workspace, now=batch.at,
            after={about.cause: batch.public_id, "files": {row.path: row.after_digest for row in rows}},
        )  # fmt: skip


def undo_batch(batch: Export | Installation, *, actor: Actor, now: datetime) -> None:
    """Put back what stood there before, if every file still holds what we wrote. Call it under the writing lock.

    Raises AlreadyUndone, ChangedSince (then nothing was touched).
    """
    batch.refresh_from_db()
    if batch.state != State.WRITTEN:
        raise AlreadyUndone(f"This is {batch.state}; there is nothing to undo.", hint="Write the files anew instead.")
    rows = batch.writings.filter(state=Writing.State.WRITTEN).select_related("workspace").order_by("pk")
    put_back(list(rows), actor=actor, now=now)
    finish_undone(batch, actor=actor, now=now)


def finish_undone(batch: Export | Installation, *, actor: Actor, now: datetime) -> None:
    """Record that nothing of a batch stands any more: the rows, the batch and its history, or none of them."""
    about = _about(batch)
    with transaction.atomic():
        mark_undone(batch.writings.filter(state=Writing.State.UNDOING), now=now)
        _settle(batch, State.UNDONE, now=now)
        record_change(
            about.subject, verb=about.undone, actor=actor, workspace=about.workspace, now=now,
            before={about.cause: batch.public_id},
        )  # fmt: skip


def roll_back(batch: Export | Installation, rows: Sequence[Writing], note: str, *, now: datetime) -> None:
    """Take back what is in place: nothing of a batch stays when one of its files cannot be written."""
    in_place = [row for row in rows if digest_now(row.workspace, row.path) == row.after_digest]
    put_back(in_place, actor=batch.by, now=now, reason=note)
    with transaction.atomic():
        batch.writings.update(state=Writing.State.ABANDONED, note=note[: Writing.NOTE_MAX])
        _settle(batch, State.ABANDONED, now=now)


@dataclass(frozen=True, slots=True)
class _About:
    """What history says of a batch: what it is about, where, and in which words."""

    subject: str
    workspace: Workspace
    cause: str
    written: str
    undone: str


def _about(batch: Export | Installation) -> _About:
    if isinstance(batch, Export):
        shoebox = batch.shoebox
        return _About(str(shoebox.ref), shoebox.workspace, "export", "artifact-exported", "export-undone")
    about = f"skills in {batch.folder}" if batch.folder.endswith("/skills") else batch.folder
    return _About(about, batch.workspace, "installation", "skills-installed", "installation-undone")


def _settle(batch: Export | Installation, state: str, *, now: datetime | None = None) -> None:
    """Record where a batch stands; `now` is since when nothing of it stands any more."""
    batch.state, batch.undone_at = state, now
    batch.save(update_fields=["state", "undone_at"])
