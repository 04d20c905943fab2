"""Texts that stand beside HEAD: on a branch that it does not have, or uncommitted in a linked work tree.

Only what differs is read: passages that HEAD's text of the same source has too would be found twice. A
file on a branch is the same source at another commit (`doc:a.md@<commit>`), never a second one; what is
in no commit yet has no revision, so it stands under the work tree that has it.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from yoimemory.errors import DomainError
from yoimemory.sources.beside import STATE, Beside, HasSides, Side
from yoimemory.sources.decoding import NotText, decode
from yoimemory.sources.linked import LinkedFile
from yoimemory.sources.masking import mask
from yoimemory.sources.opener import shown
from yoimemory.sources.places import is_binary_name, place_of
from yoimemory.sources.readers.docs import DocReader
from yoimemory.sources.readers.files import CodeReader
from yoimemory.sources.readers.objectives import ObjectiveReader
from yoimemory.sources.readers.skills import SkillReader
from yoimemory.sources.readers.tickets import TicketReader
from yoimemory.sources.reading import Document, Reader, Tree, Unit, Unreadable
from yoimemory.sources.texts import noted, unreadable
from yoimemory.sources.units import unit_key

TEXT_MAX = 2 << 20
"""Bytes of one text that is read beside HEAD."""

TREE = "tree-"
"""What the fingerprint of an uncommitted text begins with."""

_READERS: dict[str, Reader] = {
    reader.name: reader for reader in (TicketReader(), ObjectiveReader(), DocReader(), CodeReader(), SkillReader())
}


class BranchReader:
    """One unit is one source as one branch has it: a ticket with its files, or a file."""

    name = "branches"

    def units(self, tree: Tree) -> Iterator[Unit]:
        if not isinstance(tree, HasSides):
            return
        for key, sides in _grouped(tree.beside).items():
            yield Unit(key, self.name, _mark(sides), tuple(side.path for side in sides))
        for name, sentence in tree.beside.left_out.items():
            yield Unit(unit_key(self.name, f"{name}/"), self.name, f"left out: {sentence}", ())
        for file in tree.linked:
            if _is_read(file.path):
                yield Unit(_key_of(file), self.name, f"{TREE}{file.mark}", (file.path,))

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        if not isinstance(tree, HasSides):
            return
        if unit.fingerprint.startswith(TREE):
            yield from _linked(tree, unit)
        elif unit.paths:
            yield from _read(tree, _grouped(tree.beside).get(unit.key, []))
        for name, sentence in tree.beside.left_out.items():
            if unit_key(self.name, f"{name}/") == unit.key:
                yield unreadable(name, sentence)


@lru_cache(maxsize=2)
def _grouped(beside: Beside) -> dict[str, list[Side]]:
    """What differs, by branch and source."""
    found: dict[str, list[Side]] = {}
    for side in beside.files:
        place = place_of(side.path)
        if _is_read(side.path):
            found.setdefault(unit_key(BranchReader.name, f"{side.branch}/{place.unit}"), []).append(side)
    return found


def _is_read(path: str) -> bool:
    return place_of(path).reader in _READERS and not is_binary_name(path)


def _key_of(file: LinkedFile) -> str:
    return unit_key(BranchReader.name, f"work tree {file.tree}/{file.path}")


def _linked(tree: HasSides, unit: Unit) -> Iterator[Document | Unreadable]:
    """What a linked work tree has in no commit: the passages that neither HEAD nor its own commit has."""
    for file in tree.linked:
        if _key_of(file) != unit.key:
            continue
        try:
            found = tree.linked_text(file.tree, file.path)
        except DomainError as error:
            yield unreadable(f"{file.tree}:{file.path}", f"{error.message} {error.hint}".strip())
            return
        head = tree.head_files(file.path).get(file.path, "")
        known = "\n".join(_text_of(tree, blob) for blob in dict.fromkeys((head, file.blob)) if blob)
        passages = tuple(each for each in found.passages if each.text.strip() not in known)
        if passages and len(found.text) <= TEXT_MAX:
            text = "\n".join(each.text for each in passages)
            note = f"Not merged: it stands in the work tree {shown(file.tree)} only, in no commit."
            changed = replace(found, text=text, path=f"{shown(file.tree)}:{found.path}", passages=passages, links=())
            yield noted(changed, note, unmerged=True, state=STATE)
        return


def _mark(sides: list[Side]) -> str:
    text = "\n".join(f"{side.path}\t{side.commit}\t{side.blob}\t{side.head}" for side in sides)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _read(tree: HasSides, sides: list[Side]) -> Iterator[Document | Unreadable]:
    """The documents of one source on one branch. Sides come latest change first, so the first names the commit."""
    if not sides:
        return
    latest, place = sides[0], place_of(sides[0].path)
    files = {side.path: side.blob for side in sides}
    if place.reader in {"tickets", "objectives", "skills"}:  # the item tells the title of what lies beside it
        folder = _folder(latest.path, place.ref.source.locator)
        files = {**(tree.head_files(folder) if folder else {}), **files}
    past = tree.past_files(latest.commit, files)
    by_path = {shown(side.path): side for side in sides}
    reader = _READERS[place.reader]
    for unit in reader.units(past):
        for found in reader.read(past, unit):
            side = by_path.get(found.path)
            if side is None:
                continue  # HEAD has it as well
            if isinstance(found, Unreadable):
                yield replace(found, path=f"{shown(side.branch)}:{found.path}")
            elif differing := _beside_head(tree, side, found, latest):
                yield differing


def _folder(path: str, name: str) -> str:
    steps = path.split("/")
    return "/".join(steps[: steps.index(name) + 1]) if name in steps[:-1] else ""


def _beside_head(tree: HasSides, side: Side, found: Document, latest: Side) -> Document | None:
    """A document as it is found beside HEAD: only what differs, marked with its branch; None where nothing does."""
    if len(found.text) > TEXT_MAX:
        return None
    known = _text_of(tree, side.head) if side.head else ""
    passages = tuple(passage for passage in found.passages if passage.text.strip() not in known)
    if not passages:
        return None
    text = "\n".join(passage.text for passage in passages)
    other = "HEAD has another text of it" if side.head else "HEAD has no such file"
    note = f"Not merged: it stands on the branch {shown(side.branch)} only; {other}."
    if side.branch.startswith("work tree "):
        note = f"Not merged: it stands in the {shown(side.branch)} only, on no branch; {other}."
    then = {"state_then": found.facts["state"]} if found.facts.get("state") else {}
    return noted(
        replace(
            found,
            ref=found.ref.at(latest.commit),
            text=text,
            path=f"{shown(side.branch)}:{found.path}",
            authority="semi",
            at=found.at or side.at,
            passages=passages,
            links=(),
        ),
        note,
        unmerged=True,
        branch=shown(side.branch),
        state=STATE,
        **then,
    )


def _text_of(tree: HasSides, blob: str) -> str:
    data = tree.blob(blob, TEXT_MAX)
    try:
        return mask(decode(data).text).text if data is not None else ""
    except NotText:
        return ""
