"""Grouping the files of a tree into units, by the reader that reads them."""

import hashlib
from collections.abc import Iterator

from yoimemory.refs import SourceRef
from yoimemory.sources.places import place_of
from yoimemory.sources.reading import AddedFolder, Tree, Unit


def units_of(tree: Tree, reader: str, *, under: str = "") -> Iterator[Unit]:
    """The units of one reader in a tree. A unit of one file has that file's fingerprint."""
    members: dict[str, dict[str, str]] = {}
    for path, mark in tree.files(under).items():
        place = place_of(path)
        if place.reader == reader:
            members.setdefault(place.unit, {})[path] = mark
    for name, marks in members.items():
        yield Unit(unit_key(reader, name), reader, together(marks), tuple(marks))


def unit_key(reader: str, name: str) -> str:
    """The name of a unit as it may be stored: the address-like form, percent-encoded where needed."""
    kind, colon, locator = name.partition(":")
    if colon and kind in {"ticket", "objective"}:
        return str(SourceRef(kind, locator))
    return f"{reader}:{str(SourceRef('doc', name))[4:]}"


def added_units(folder: AddedFolder, reader: str, endings: tuple[str, ...]) -> Iterator[Unit]:
    """A unit for each file of an added folder; a single file is taken whatever it is called."""
    files = folder.tree.files()
    for path, mark in files.items():
        if len(files) == 1 or path.lower().endswith(endings):
            yield Unit(unit_key(reader, f"added-{folder.pk}/{path}"), reader, mark, (path,), folder.pk)


def added_unit(folder: AddedFolder, reader: str, endings: tuple[str, ...]) -> Iterator[Unit]:
    """All files of an added folder together, where one file tells of what stands in another."""
    files = folder.tree.files()
    marks = {path: mark for path, mark in files.items() if len(files) == 1 or path.lower().endswith(endings)}
    if marks:
        yield Unit(unit_key(reader, f"added-{folder.pk}"), reader, together(marks), tuple(marks), folder.pk)


def folder_of(tree: Tree, unit: Unit) -> AddedFolder | None:
    """The added folder that a unit lies in, if it is still there."""
    return next((folder for folder in tree.folders if folder.pk == unit.folder), None)


def place_of_unit(tree: Tree, unit: Unit) -> Tree | None:
    """Where the paths of a unit lie: the workspace, or an added folder; None when that is no longer there."""
    if not unit.folder:
        return tree
    folder = folder_of(tree, unit)
    return folder.tree if folder else None


def together(marks: dict[str, str]) -> str:
    """One fingerprint for several files."""
    if len(marks) == 1:
        return next(iter(marks.values()))
    text = "\n".join(f"{path}\t{mark}" for path, mark in sorted(marks.items()))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
