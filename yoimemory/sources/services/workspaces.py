"""Verbs of workspaces: register one, add and remove further folders."""

import tomllib
from datetime import datetime
from pathlib import Path

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from yoimemory.access.models import Actor
from yoimemory.access.services import require_owner
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.journal.services import record_change
from yoimemory.sources.choices import format_of_place, readable_place
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.opener import Unopenable, read_bytes
from yoimemory.sources.preview import Preview, preview_logs, preview_records, preview_texts
from yoimemory.sources.shadow import find_repository


def register_workspace(path: Path, *, now: datetime, slug: str = "") -> tuple[Workspace, bool]:
    """The workspace of a folder, made known to us if it is not yet; says whether it is new.

    A workspace is one repository with all its work trees, so a linked work tree gives the
    workspace of its repository. Nothing is written in the folder.
    Raises NotAWorkspace if the folder is missing, bare, another user's or not self-contained.
    """
    folder = path.expanduser().resolve()
    repository = find_repository(folder)
    root = repository.root if repository else folder
    identity = str(repository.common_dir if repository else folder)
    known = Workspace.objects.filter(identity=identity).first()
    if known:
        if known.root != str(root):
            known.root = str(root)
            known.save(update_fields=["root"])
        return known, False
    about = _about(root)
    name = (about.get("display_name") or root.name or "workspace")[:120]
    workspace = Workspace(
        slug=_free_slug(slug or name),
        name=name,
        root=str(root),
        common_dir=str(repository.common_dir) if repository else "",
        identity=identity,
        workspace_id=about.get("workspace_id", "")[:60],
        created_at=now,
    )
    try:
        with transaction.atomic():
            workspace.save()
    except IntegrityError:
        twin = Workspace.objects.filter(identity=identity).first()
        if twin is None:
            raise
        return twin, False  # another process made it known between our look and our writing
    return workspace, True


def _about(root: Path) -> dict[str, str]:
    """What `.yoi/workspace.toml` says of itself; nothing when there is none or it cannot be read."""
    try:
        parsed = tomllib.loads(read_bytes(root, ".yoi/workspace.toml", limit=1 << 20).decode("utf-8", "replace"))
    except (Unopenable, tomllib.TOMLDecodeError, RecursionError):
        return {}
    return {key: value for key, value in parsed.items() if isinstance(value, str)}


def _free_slug(wanted: str) -> str:
    stem = slugify(wanted)[:50] or "workspace"
    slug, number = stem, 2
    while Workspace.objects.filter(slug=slug).exists():
        slug, number = f"{stem}-{number}", number + 1
    return slug


@transaction.atomic
def add_source(
    workspace: Workspace, *, path: Path, kind: str, now: datetime, format: str = "", actor: Actor | None = None
) -> AddedSource:
    """Have a further file or folder read, such as a folder of session logs. Adding it twice gives the first.

    A format is needed only where the logs do not tell it themselves; `auto` and nothing mean that.
    Raises NotAnOwner for a person who may not have other places of the machine read, BadInput if it is
    not there, or of a kind or format that is unknown or cannot be read yet.
    """
    if actor is not None:
        require_owner(actor, workspace, to="add a place to read")
    place = readable_place(path, kind, format)
    format = format_of_place(place, kind, format)
    source, new = AddedSource.objects.get_or_create(
        workspace=workspace, path=str(place), kind=kind, defaults={"format": format, "created_at": now}
    )
    if new and actor is not None:
        record_change(
            "sources", verb="source-added", actor=actor, workspace=workspace, now=now,
            after={"path": source.path, "kind": kind},
        )  # fmt: skip
        enqueue(Job.Kind.INDEX, workspace=workspace, now=now)
    return source


def preview_source(path: Path, *, kind: str, format: str = "") -> Preview:
    """What would be read if this were added: each log with its size, format and number of records. Changes nothing.

    Raises BadInput as `add_source` does, or Unopenable.
    """
    place = readable_place(path, kind, format)
    if kind == AddedSource.Kind.RECORD:
        return preview_records(place)
    if kind == AddedSource.Kind.SESSION:
        return preview_logs(place, form=format)
    return preview_texts(place, kind=kind, form=format_of_place(place, kind, format))


@transaction.atomic
def remove_source(source: AddedSource, *, now: datetime | None = None, actor: Actor | None = None) -> None:
    """Stop reading an added source. What was quoted from it keeps its words; the files are not touched.

    Records that were imported from it stay too. Raises NotAnOwner.
    """
    if actor is not None and now is not None:
        require_owner(actor, source.workspace, to="take a place away")
        record_change(
            "sources", verb="source-removed", actor=actor, workspace=source.workspace, now=now,
            before={"path": source.path, "kind": source.kind},
        )  # fmt: skip
        enqueue(Job.Kind.INDEX, workspace=source.workspace, now=now)
    source.delete()
