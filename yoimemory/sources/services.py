"""Verbs of sources: register a workspace, add and remove further folders."""

import tomllib
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.utils.text import slugify

from yoimemory.errors import BadInput
from yoimemory.sources.formats import NAMES
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.opener import Unopenable, read_bytes
from yoimemory.sources.preview import Preview, preview_logs
from yoimemory.sources.shadow import NotAWorkspace, find_repository


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
    workspace = Workspace.objects.create(
        slug=_free_slug(slug or name),
        name=name,
        root=str(root),
        common_dir=str(repository.common_dir) if repository else "",
        identity=identity,
        workspace_id=about.get("workspace_id", "")[:60],
        created_at=now,
    )
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


def add_source(workspace: Workspace, *, path: Path, kind: str, now: datetime, format: str = "") -> AddedSource:
    """Have a further file or folder read, such as a folder of session logs. Adding it twice gives the first.

    A format is needed only where the logs do not tell it themselves; `auto` and nothing mean that.
    Raises BadInput if it is not there, or of a kind or format that is unknown or cannot be read yet.
    """
    place = _readable(path, kind, format)
    with transaction.atomic():
        return AddedSource.objects.get_or_create(
            workspace=workspace, path=str(place), kind=kind, defaults={"format": format, "created_at": now}
        )[0]


def preview_source(path: Path, *, kind: str, format: str = "") -> Preview:
    """What would be read if this were added: each log with its size, format and number of records. Changes nothing.

    Raises BadInput as `add_source` does, or Unopenable.
    """
    return preview_logs(_readable(path, kind, format), form=format)


def _readable(path: Path, kind: str, format: str) -> Path:
    """The place that a person named, if it can be added."""
    place = path.expanduser().resolve()
    if kind not in AddedSource.Kind.values:
        raise BadInput(
            f"There is no kind of source called {kind!r}.",
            hint="Kinds are " + ", ".join(AddedSource.Kind.values) + ".",
            fields={"kind": "unknown"},
        )
    if kind != AddedSource.Kind.SESSION:
        raise BadInput(
            f"Folders of the kind {kind!r} cannot be read from outside the repository yet.",
            hint="Session logs can: use the kind session.",
            fields={"kind": "not readable yet"},
        )
    if not (place.is_dir() or place.is_file()):
        raise BadInput(
            f"{place} is no file or folder.", hint="Give the path of the logs.", fields={"path": "not found"}
        )
    if format not in {"", "auto", *NAMES}:
        raise BadInput(
            f"There is no format called {format[:40]!r}.",
            hint="Formats are auto, " + ", ".join(NAMES) + ".",
            fields={"format": "unknown"},
        )
    return place


def remove_source(source: AddedSource) -> None:
    """Stop reading an added source. What was quoted from it keeps its words; the files are not touched."""
    source.delete()


__all__ = ["NotAWorkspace", "Preview", "add_source", "preview_source", "register_workspace", "remove_source"]
