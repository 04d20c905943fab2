"""A shoebox with its evidence and hypotheses, written into the workspace as files, after a person saw exactly what."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput, DomainError, Refused
from yoimemory.journal.services import record_change
from yoimemory.products.artifact import artifact_of, as_json
from yoimemory.products.artifact_text import as_markdown
from yoimemory.products.files import bytes_now, digest_now, exists, put, writing_lock
from yoimemory.products.models import Export, Proposal, Writing
from yoimemory.products.places import check_place
from yoimemory.products.schemas import ArtifactOut, PlannedFile
from yoimemory.products.services.applying import undo_writings
from yoimemory.products.services.rules import NoSuchRecord, NothingToChange
from yoimemory.products.visible import visible
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_document
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import digest_of

SUGGESTED_FOLDER = "docs/evidence"


class FolderNeeded(BadInput):
    """The shoebox serves no ticket or objective, so a person says where its artifact goes."""


class PlanChanged(Refused):
    """What would be written is not what the person saw."""


class AlreadyUndone(Refused):
    """The export was undone before."""


def default_folder(shoebox: Shoebox) -> str:
    """Where the artifact of this shoebox belongs by its task; empty where a person must say."""
    task = SourceRef.parse(shoebox.task).source if shoebox.task else None
    if task is None or task.kind not in {"ticket", "objective"}:
        return ""
    record = _record_folder(shoebox.workspace, task)
    return f"{record}/artifacts" if task.kind == "ticket" else f"{record}/resources"


def plan_export(shoebox: Shoebox, *, folder: str = "") -> list[PlannedFile]:
    """Say exactly what an export would write, where, and what stands there now. Nothing is written.

    Raises FolderNeeded, NotAPlace, NoSuchRecord, or what the opener raises.
    """
    return _plan(shoebox, artifact_of(shoebox), folder)


def export_artifact(
    shoebox: Shoebox, *, folder: str = "", seen: Mapping[str, str], actor: Actor, now: datetime
) -> Export:
    """Write what the person saw, and only that: `seen` holds the digest of every planned file.

    All files or none; the bytes from before are kept, so the export can be undone. No commit is
    made. Raises NotAReviewer, PlanChanged, NothingToChange, and what `plan_export` raises.
    """
    workspace = shoebox.workspace
    require_reviewer(actor, workspace, to="write into the workspace")
    with writing_lock(workspace):
        artifact = artifact_of(shoebox)
        plan = _plan(shoebox, artifact, folder)
        if {file.path: file.digest for file in plan} != dict(seen):
            raise PlanChanged(
                "What would be written is no longer what you saw; nothing was written.",
                hint="Look at the plan as it is now, then write it.",
            )
        files = [file for file in plan if not file.same]
        if not files:
            raise NothingToChange("These files hold exactly this already.", hint="There is nothing to write.")
        export, rows = _prepare(shoebox, files, digest=artifact.digest, actor=actor, now=now)
        for row, file in zip(rows, files, strict=True):
            try:
                put(workspace, file.path, file.content.encode(), expect_digest=row.before_digest)
            except DomainError as error:
                _roll_back(export, rows, error, now=now)
                raise
            Writing.objects.filter(pk=row.pk).update(state=Writing.State.WRITTEN)
        with transaction.atomic():
            Export.objects.filter(pk=export.pk).update(state=Export.State.WRITTEN)
            record_change(
                shoebox.ref, verb="artifact-exported", actor=actor, workspace=workspace, now=now,
                after={"export": export.public_id, "files": {row.path: row.after_digest for row in rows}},
            )  # fmt: skip
    export.refresh_from_db()
    return export


def undo_export(export: Export, *, actor: Actor, now: datetime) -> Export:
    """Put back what stood there before the export, if every file still holds what we wrote.

    Raises NotAReviewer, AlreadyUndone, ChangedSince (then nothing was touched).
    """
    workspace = export.shoebox.workspace
    require_reviewer(actor, workspace, to="undo exports")
    with writing_lock(workspace):
        export.refresh_from_db()
        if export.state != Export.State.WRITTEN:
            raise AlreadyUndone(f"This export is {export.state}.", hint="Export again to write the files anew.")
        undo_writings(_written(export), now=now)
        with transaction.atomic():
            Export.objects.filter(pk=export.pk).update(state=Export.State.UNDONE, undone_at=now)
            record_change(
                export.shoebox.ref, verb="export-undone", actor=actor, workspace=workspace, now=now,
                before={"export": export.public_id},
            )  # fmt: skip
    export.refresh_from_db()
    return export


def _record_folder(workspace: Workspace, task: SourceRef) -> str:
    """The folder of a ticket or objective: where it was read, else where its kind lives."""
    document = find_document(workspace, task)
    if document is not None and document.path.endswith("/item.md"):
        return document.path.removesuffix("/item.md")
    return f".yoi/{task.kind}s/{task.locator}"


def _plan(shoebox: Shoebox, artifact: ArtifactOut, folder: str) -> list[PlannedFile]:
    folder = folder.strip().rstrip("/") or default_folder(shoebox)
    if not folder:
        raise FolderNeeded(
            "This shoebox serves no ticket or objective, so its artifact has no place of its own.",
            hint=f"Name a folder of the workspace, for example {SUGGESTED_FOLDER}.",
            fields={"folder": "required"},
        )
    name = f"shoebox-{shoebox.public_id}"
    contents = {
        f"{folder}/{name}.md": as_markdown(artifact, machine=f"{name}.json"),
        f"{folder}/{name}.json": as_json(artifact),
    }
    return [_planned(shoebox, path, content) for path, content in contents.items()]


def _planned(shoebox: Shoebox, path: str, content: str) -> PlannedFile:
    workspace = shoebox.workspace
    target = Proposal.Target.VALIDATION  # the widest target: artifacts, resources and folders of documents alike
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


def _prepare(
    shoebox: Shoebox, files: list[PlannedFile], *, digest: str, actor: Actor, now: datetime
) -> tuple[Export, list[Writing]]:
    """Keep what stands there and say what is about to be written, committed before the first file changes."""
    workspace = shoebox.workspace
    held = [bytes_now(workspace, file.path) if file.base_digest else None for file in files]
    with transaction.atomic():
        export = Export.objects.create(
            shoebox=shoebox, folder=files[0].path.rpartition("/")[0], digest=digest, by=actor, at=now
        )
        rows = [
            Writing.objects.create(
                workspace=workspace,
                export=export,
                path=file.path,
                before=before,
                before_digest="" if before is None else digest_of(before),
                after_digest=digest_of(file.content.encode()),
                by=actor,
                at=now,
            )
            for file, before in zip(files, held, strict=True)
        ]
    return export, rows


def _roll_back(export: Export, rows: list[Writing], error: DomainError, *, now: datetime) -> None:
    """Nothing of an export stays when one of its files cannot be written."""
    in_place = [row for row in rows if digest_now(row.workspace, row.path) == row.after_digest]
    undo_writings(in_place, now=now)
    Writing.objects.filter(export=export).update(state=Writing.State.ABANDONED, note=error.message[:300])
    Export.objects.filter(pk=export.pk).update(state=Export.State.ABANDONED, undone_at=now)


def _written(export: Export) -> list[Writing]:
    rows = export.writings.filter(state=Writing.State.WRITTEN).select_related("workspace").order_by("pk")
    return list(rows)
