"""What would be read from a place before anybody says yes: files, sizes, formats, entries. Nothing is stored."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from yoimemory.sources.formats import Reading
from yoimemory.sources.formats.aider import aider_records
from yoimemory.sources.imports import record_files, text_of
from yoimemory.sources.objects import Objects
from yoimemory.sources.opener import OutsideRoot, Unopenable, open_root, shown
from yoimemory.sources.readers.sessions import PACKED, is_aider, logs_of
from yoimemory.sources.reading import Tree, Unreadable
from yoimemory.sources.records import Log, records_in
from yoimemory.sources.streams import unpacked
from yoimemory.sources.trees import FolderTree

FILES_SHOWN = 200
LOOKED_AT = 32 << 20
"""Bytes of all files that are gone through for a preview; of what lies beyond, only names and sizes are told."""


TEXT_ENDINGS = {"memory": (".md",), "skill": (".md",), "ticket": (".json", ".jsonl", ".ndjson")}


@dataclass(frozen=True, slots=True)
class PreviewedFile:
    """One file: where, how long, which agent's it is, how many records. The last two are empty where not looked at."""

    path: str
    size: int
    format: str = ""
    records: int | None = None
    faults: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """All logs of a place in sum, and the first of them one by one."""

    path: str
    total: int
    size: int
    formats: dict[str, int]
    files: tuple[PreviewedFile, ...]
    left_out: int = 0


def preview_logs(place: Path, *, form: str = "") -> Preview:
    """What a folder or file of session logs holds. Raises Unopenable if it cannot be opened."""
    return _preview(place, logs_of, lambda tree, path, size: _look(tree, path, size, form))


def preview_records(place: Path) -> Preview:
    """What a folder of JSON files, or one such file, holds. Raises Unopenable if it cannot be opened."""
    return _preview(place, record_files, _look_at_record)


def preview_texts(place: Path, *, kind: str, form: str) -> Preview:
    """What a folder of memory records, skills or tickets holds. Raises Unopenable if it cannot be opened."""
    endings = TEXT_ENDINGS[kind]

    def list_files(tree: Tree) -> Iterable[tuple[str, str]]:
        files = tree.files()
        return [(path, mark) for path, mark in files.items() if len(files) == 1 or path.lower().endswith(endings)]

    return _preview(place, list_files, lambda tree, path, size: _look_at_text(tree, path, size, kind, form))


def _look_at_text(tree: Tree, path: str, size: int, kind: str, form: str) -> PreviewedFile:
    try:
        if kind != "ticket":
            return PreviewedFile(shown(path), size, form or "plain", 1)
        objects = Objects(tree.chunks(path))
        count = sum(1 for _ in objects)
    except (Unopenable, OutsideRoot) as error:
        return PreviewedFile(shown(path), size, reason=getattr(error, "reason", error.message))
    return PreviewedFile(shown(path), size, form, count, len(objects.faults))


def _preview(
    place: Path,
    list_files: Callable[[Tree], Iterable[tuple[str, str]]],
    look: Callable[[Tree, str, int], PreviewedFile],
) -> Preview:
    with ExitStack() as stack:
        is_file = place.is_file()
        root = stack.enter_context(open_root(place.parent if is_file else place))
        tree = FolderTree(root, is_added=True, only=place.name if is_file else "")
        found = [(path, _size(mark)) for path, mark in list_files(tree)]
        files, looked = [], 0
        for path, size in found[:FILES_SHOWN]:
            looked += size
            files.append(look(tree, path, size) if looked <= LOOKED_AT else PreviewedFile(shown(path), size))
    return Preview(
        path=str(place),
        total=len(found),
        size=sum(size for _, size in found),
        formats=dict(Counter(file.format for file in files if file.format).most_common()),
        files=tuple(files),
        left_out=len(found) - len(files),
    )


def _size(mark: str) -> int:
    """The size that a fingerprint carries; a link has none and is not read."""
    parts = mark.split("-")
    return int(parts[1]) if not mark.startswith("link-") and len(parts) > 1 else 0


def _look_at_record(tree: Tree, path: str, size: int) -> PreviewedFile:
    text = text_of(tree, path)
    if isinstance(text, Unreadable):
        line = f"line {text.line}: " if text.line else ""
        return PreviewedFile(shown(path), size, "json", 0, 1, reason=f"{line}{text.reason}")
    return PreviewedFile(shown(path), size, "json", 1)


def _look(tree: Tree, path: str, size: int, form: str) -> PreviewedFile:
    log, reading = Log(path), Reading(path, "aider" if is_aider(path, form) else "" if form == "auto" else form)
    try:
        chunks = tree.chunks(path)
        read = aider_records if is_aider(path, form) else records_in
        for number, record in read(unpacked(chunks, log.note) if path.endswith(PACKED) else chunks, log):
            reading.survey(number, record)
    except (Unopenable, OutsideRoot) as error:
        return PreviewedFile(shown(path), size, reason=getattr(error, "reason", error.message))
    return PreviewedFile(shown(path), size, reading.system or "unknown", log.records, log.faults)
