"""Grouping the files of a tree into units, by the reader that reads them."""

import hashlib
from collections.abc import Iterator

from yoimemory.refs import SourceRef
from yoimemory.sources.places import place_of
from yoimemory.sources.reading import Tree, Unit


def units_of(tree: Tree, reader: str, *, under: str = "") -> Iterator[Unit]:
    """The units of one reader in a tree. A unit of one file has that file's fingerprint."""
    members: dict[str, dict[str, str]] = {}
    for path, mark in tree.files(under).items():
        place = place_of(path)
        if place.reader == reader:
            members.setdefault(place.unit, {})[path] = mark
    for name, marks in members.items():
        yield Unit(unit_key(reader, name), reader, _together(marks), tuple(marks))


def unit_key(reader: str, name: str) -> str:
    """The name of a unit as it may be stored: the address-like form, percent-encoded where needed."""
    kind, colon, locator = name.partition(":")
    if colon and kind in {"ticket", "objective"}:
        return str(SourceRef(kind, locator))
    return f"{reader}:{str(SourceRef('doc', name))[4:]}"


def _together(marks: dict[str, str]) -> str:
    if len(marks) == 1:
        return next(iter(marks.values()))
    text = "\n".join(f"{path}\t{mark}" for path, mark in sorted(marks.items()))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
