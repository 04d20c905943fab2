"""A shoebox with its evidence and hypotheses, written into the workspace as files, after a person saw exactly what."""

from collections.abc import Mapping
from datetime import datetime

from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput
from yoimemory.products.artifact import artifact_of, as_json
from yoimemory.products.artifact_text import as_markdown
from yoimemory.products.files import writing_lock
from yoimemory.products.models import Export, Proposal
from yoimemory.products.schemas import ArtifactOut, Part, PlannedFile
from yoimemory.products.services.batches import files_to_write, planned_file, undo_batch, write_batch
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_document
from yoimemory.sources.models import Workspace

SUGGESTED_FOLDER = "docs/evidence"
PARTS: tuple[Part, ...] = ("dossier", "shoebox", "evidence", "hypotheses", "representations")
NAMES: dict[str, str] = {
    "dossier": "shoebox", "shoebox": "gathered", "evidence": "evidence", "hypotheses": "hypotheses",
    "representations": "representations",
}  # fmt: skip
"""How the files of each part are called, before the id of the shoebox."""


class FolderNeeded(BadInput):
    """The shoebox serves no ticket or objective, so a person says where its artifact goes."""


def default_folder(shoebox: Shoebox) -> str:
    """Where the artifact of this shoebox belongs by its task; empty where a person must say."""
    task = SourceRef.parse(shoebox.task).source if shoebox.task else None
    if task is None or task.kind not in {"ticket", "objective"}:
        return ""
    record = _record_folder(shoebox.workspace, task)
    return f"{record}/artifacts" if task.kind == "ticket" else f"{record}/resources"


def plan_export(shoebox: Shoebox, *, folder: str = "", part: Part = "dossier", only: str = "") -> list[PlannedFile]:
    """Say exactly what an export would write, where, and what stands there now. Nothing is written.

    `part` is the whole dossier, or the shoebox, its evidence file, hypotheses or representations alone;
    `only` names one representation.

    Raises FolderNeeded, NoSuchRepresentation, NotAPlace, NoSuchRecord, or what the opener raises.
    """
    return _plan(shoebox, artifact_of(shoebox, part, only=only), folder, only)


def export_artifact(
    shoebox: Shoebox,
    *,
    folder: str = "",
    part: Part = "dossier",
    only: str = "",
    seen: Mapping[str, str],
    actor: Actor,
    now: datetime,
) -> Export:
    """Write what the person saw, and only that: `seen` holds the digest of every planned file.

    All files or none; the bytes from before are kept, so the export can be undone. No commit is
    made. Raises NotAReviewer, PlanChanged, NothingToChange, and what `plan_export` raises.
    """
    workspace = shoebox.workspace
    require_reviewer(actor, workspace, to="write into the workspace")
    with writing_lock(workspace):
        artifact = artifact_of(shoebox, part, only=only)
        plan = _plan(shoebox, artifact, folder, only)
        files = files_to_write(plan, seen)
        export = Export(
            shoebox=shoebox, folder=files[0].path.rpartition("/")[0], digest=artifact.digest, by=actor, at=now
        )
        write_batch(export, files, workspace=workspace)
    return export


def undo_export(export: Export, *, actor: Actor, now: datetime) -> Export:
    """Put back what stood there before the export, if every file still holds what we wrote.

    Raises NotAReviewer, AlreadyUndone, ChangedSince (then nothing was touched).
    """
    workspace = export.shoebox.workspace
    require_reviewer(actor, workspace, to="undo exports")
    with writing_lock(workspace):
        undo_batch(export, actor=actor, now=now)
    return export


def _record_folder(workspace: Workspace, task: SourceRef) -> str:
    """The folder of a ticket or objective: where it was read, else where its kind lives."""
    document = find_document(workspace, task)
    if document is not None and document.path.endswith("/item.md"):
        return document.path.removesuffix("/item.md")
    return f".yoi/{task.kind}s/{task.locator}"


def _plan(shoebox: Shoebox, artifact: ArtifactOut, folder: str, only: str) -> list[PlannedFile]:
    folder = folder.strip().rstrip("/") or default_folder(shoebox)
    if not folder:
        raise FolderNeeded(
            "This shoebox serves no ticket or objective, so its artifact has no place of its own.",
            hint=f"Name a folder of the workspace, for example {SUGGESTED_FOLDER}.",
            fields={"folder": "required"},
        )
    name = f"{NAMES[artifact.holds]}-{shoebox.public_id}"
    if only:
        name = f"{artifact.representations[0].kind}-{only.removeprefix('representation:')}"
    contents = {
        f"{folder}/{name}.md": as_markdown(artifact, machine=f"{name}.json"),
        f"{folder}/{name}.json": as_json(artifact),
    }
    # The widest target: artifacts, resources and folders of documents alike.
    target = Proposal.Target.VALIDATION
    return [planned_file(shoebox.workspace, path, content, target=target) for path, content in contents.items()]
