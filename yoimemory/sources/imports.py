"""Folders of JSON files that are kept as records: which files there are, their text, or why there is none."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from yoimemory.sources.decoding import NotText, decode
from yoimemory.sources.models import AddedSource, Snapshot, Workspace
from yoimemory.sources.opener import OutsideRoot, Unopenable, shown
from yoimemory.sources.pointers import NotJson, read_nodes
from yoimemory.sources.reading import AddedFolder, Tree, Unreadable
from yoimemory.sources.trees import added_folders

if TYPE_CHECKING:
    from yoimemory.sources.reading import Document

FILES_MAX = 20_000
FILE_MAX = 4 << 20
"""Bytes of one file; what is kept of it is bounded by `Snapshot.BODY_MAX`."""

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that is new or has changed: the record it is, its text, and when it was changed."""

    system: str
    name: str
    text: str
    mark: str
    changed_at: datetime
    origin: str


def files_to_import(workspace: Workspace) -> Iterator[ImportedFile]:
    """The readable files of a workspace's record folders that no snapshot stands for yet."""
    if not AddedSource.objects.filter(workspace=workspace, kind=AddedSource.Kind.RECORD).exists():
        return
    taken: set[str] = set()
    with ExitStack() as stack:
        for folder in added_folders(stack, workspace):
            if folder.kind == AddedSource.Kind.RECORD:
                yield from _files_of(workspace, folder, _system(folder, taken))


def _files_of(workspace: Workspace, folder: AddedFolder, system: str) -> Iterator[ImportedFile]:
    told = f"imported from {folder.name}/"
    marks = Snapshot.objects.filter(workspace=workspace, locator__startswith=f"{system}/").exclude(mark="")
    known = dict(marks.order_by("pk").values_list("origin", "mark"))
    for path, mark in record_files(folder.tree):
        origin = f"{told}{shown(path)}"[: Snapshot.ORIGIN_MAX]
        if known.get(origin) == mark:
            continue
        text = text_of(folder.tree, path)
        if not isinstance(text, Unreadable):
            yield ImportedFile(system, shown(path).removesuffix(".json"), text, mark, _changed_at(mark), origin)


def record_files(tree: Tree) -> Iterator[tuple[str, str]]:
    """(path, fingerprint) of the JSON files of a folder; of a single file, that one."""
    files = tree.files()
    found = [(path, mark) for path, mark in files.items() if path.lower().endswith(".json") or len(files) == 1]
    yield from found[:FILES_MAX]


def text_of(tree: Tree, path: str) -> str | Unreadable:
    """The text of a file that is one JSON value, or why it is none, by its line."""
    try:
        text = decode(tree.read(path, limit=FILE_MAX)).text
        read_nodes(text)
    except NotJson as error:
        reason = error.reason[:1].upper() + error.reason[1:]
        return Unreadable(shown(path), f"{reason}; mend the file and it is kept at the next reading.", error.line)
    except (Unopenable, OutsideRoot, NotText) as error:
        reason = getattr(error, "reason", error.message)
        return Unreadable(shown(path), reason[:1].upper() + reason[1:].rstrip(".") + ".")
    return text


def faults_of(folder: AddedFolder, path: str) -> "Iterator[Document | Unreadable]":
    """What keeps a file of a record folder from being kept; nothing where nothing does."""
    found = text_of(folder.tree, path)
    if isinstance(found, Unreadable):
        yield found
    elif len(found) > Snapshot.BODY_MAX:
        yield Unreadable(shown(path), f"It has {len(found):,} characters; at most {Snapshot.BODY_MAX:,} are kept.")


def _system(folder: AddedFolder, taken: set[str]) -> str:
    """The system that the records of a folder belong to: its name."""
    name = _NO_NAME.sub("-", folder.name).strip("-.")[:50] or "records"
    system = name if name not in taken else f"{name}-{folder.pk}"
    taken.add(system)
    return system


def _changed_at(mark: str) -> datetime:
    nanoseconds = mark.partition("-")[0]
    seconds = int(nanoseconds) / 1e9 if nanoseconds.isdecimal() else 0.0
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=min(seconds, 32_503_680_000))
