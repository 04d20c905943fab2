"""What can be read from outside the repository: which kinds of files, in which formats, and how a format is told."""

from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from yoimemory.errors import BadInput
from yoimemory.sources import formats
from yoimemory.sources.models import AddedSource
from yoimemory.sources.objects import Objects
from yoimemory.sources.opener import OutsideRoot, Unopenable, open_root
from yoimemory.sources.readers.beads import is_bead
from yoimemory.sources.readers.github import ENDINGS, is_issue
from yoimemory.sources.trees import FolderTree

Kind = AddedSource.Kind

FORMATS: dict[str, tuple[str, ...]] = {
    Kind.SESSION: formats.NAMES,
    Kind.RECORD: ("json",),
    Kind.MEMORY: ("codex", "serena", "claude", "plain"),
    Kind.SKILL: ("plain",),
    Kind.TICKET: ("beads", "github"),
}
"""The formats of each kind. `auto` and nothing mean that the files tell it."""

LOOKED_AT = 50
"""Files, and records of each, that are looked at to tell a tracker by."""


def readable_place(path: Path, kind: str, form: str) -> Path:
    """The place that a person named, if it can be added. Raises BadInput."""
    place = path.expanduser().resolve()
    if kind not in FORMATS:
        raise BadInput(
            f"There is no kind of source called {kind!r}.",
            hint="Kinds are " + ", ".join(AddedSource.Kind.values) + ".",
            fields={"kind": "unknown"},
        )
    if not (place.is_dir() or place.is_file()):
        raise BadInput(
            f"{place} is no file or folder.",
            hint="Give the path of a file or folder that is there.",
            fields={"path": "not found"},
        )
    if form not in {"", "auto", *FORMATS[kind]}:
        raise BadInput(
            f"There is no format called {form[:40]!r} for the kind {kind}.",
            hint="Formats are auto, " + ", ".join(FORMATS[kind]) + ".",
            fields={"format": "unknown"},
        )
    return place


def format_of_place(place: Path, kind: str, form: str) -> str:
    """The format to read a place in: what was asked for, or for tickets the one that its records show.

    Raises BadInput where nothing there is a ticket.
    """
    if kind == Kind.MEMORY:
        return form if form not in {"", "auto"} else _memory_of(place)
    if kind != Kind.TICKET or form not in {"", "auto"}:
        return form
    found = _tracker_of(place)
    if not found:
        raise BadInput(
            f"Nothing in {place} looks like tickets of a tracker that can be read.",
            hint="Name the format: " + " or ".join(FORMATS[Kind.TICKET]) + ".",
            fields={"format": "not told by the files"},
        )
    return found


def _memory_of(place: Path) -> str:
    names = {part.lower() for part in place.parts}
    return next((name for name in ("codex", "serena", "claude") if f".{name}" in names or name in names), "plain")


def _tracker_of(place: Path) -> str:
    with ExitStack() as stack:
        is_file = place.is_file()
        root = stack.enter_context(open_root(place.parent if is_file else place))
        tree = FolderTree(root, is_added=True, only=place.name if is_file else "")
        paths = [path for path in tree.files() if is_file or path.endswith(ENDINGS)]
        for path in paths[:LOOKED_AT]:
            try:
                for _, record in islice(Objects(tree.chunks(path)), LOOKED_AT):
                    if found := _tracker_by(record):
                        return found
            except (Unopenable, OutsideRoot):
                continue
    return ""


def _tracker_by(record: dict[str, Any]) -> str:
    items = record.get("items")
    if is_issue(record) or (
        isinstance(items, list) and any(isinstance(each, dict) and is_issue(each) for each in items)
    ):
        return "github"
    return "beads" if is_bead(record) and "status" in record else ""
