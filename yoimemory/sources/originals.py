"""The file of a source as it lies, byte for byte: for what no text of ours gives whole.

What is masked elsewhere leaves by no other door: a file in which anything is masked is not handed out
so, and what goes out is looked through once more on its way, since a log grows while it is read.
"""

from collections.abc import Iterator
from contextlib import ExitStack

from yoimemory.errors import DomainError, NotFound, Refused
from yoimemory.refs import SourceRef
from yoimemory.sources.masking import mask
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import shown
from yoimemory.sources.places import paths_of, place_of
from yoimemory.sources.read import candidates, log_units, read_document
from yoimemory.sources.readers.sessions import PACKED
from yoimemory.sources.reading import Document, Tree
from yoimemory.sources.trees import open_tree
from yoimemory.sources.units import place_of_unit

BYTES_MAX = 64 << 20
"""Bytes of a file that is handed out; a longer one is copied from its folder in less time."""

OVERLAP = 16 << 10
"""Bytes that are looked at twice, so that no secret is missed where two pieces meet: more than any has."""


class NoOriginal(NotFound):
    """The source is no file of its own, or there is none of this name."""


class Withheld(Refused):
    """The bytes are there and are not handed out; the hint says what to do instead."""


class Original:
    """A file that may be handed out: its path as shown, its size, and its bytes in pieces, once. Close it."""

    def __init__(self, path: str, size: int, pieces: Iterator[bytes], held: ExitStack) -> None:
        self.path, self.size = path, size
        self._pieces, self._held = pieces, held

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """Let go of the file and of what it was read from."""
        self._held.close()


def open_original(workspace: Workspace, ref: SourceRef) -> Original:
    """The file behind a source, as it lies now or as it was at the ref's commit.

    All of it was looked through when this returns, so that a refusal comes before the first byte.
    Raises NoOriginal, Withheld, and what reading the source or opening its file raises.
    """
    with ExitStack() as stack:
        tree, place, path = _find(workspace, ref, stack)
        for found in candidates(tree, ref):
            # What a reader masks is withheld in whatever way the words are written in the file.
            if isinstance(found, Document) and found.path == shown(path) and found.facts.get("masked"):
                raise _withheld(path)
        size = _measured(path, place)
        return Original(shown(path), size, _cut(_clean(path, place.chunks(path)), size), stack.pop_all())


def has_original(workspace: Workspace, ref: SourceRef) -> bool:
    """Whether there is a file behind a source that can be opened; not yet, whether it is handed out."""
    with ExitStack() as stack:
        try:
            _, place, path = _find(workspace, ref, stack)
            next(place.chunks(path), b"")
        except DomainError:
            return False
    return True


def _find(workspace: Workspace, ref: SourceRef, stack: ExitStack) -> tuple[Tree, Tree, str]:
    """The state of the workspace that is meant, where in it the file lies, and its path there."""
    digest = ref.revision.startswith("sha256:")
    if digest:
        read_document(workspace, ref, with_links=False)  # which fails where the text is another by now
    tree = stack.enter_context(open_tree(workspace, "" if digest else ref.revision, with_links=False))
    if ref.kind == "session":
        for unit in log_units(tree, ref):
            place = place_of_unit(tree, unit)
            if place is not None:
                return tree, place, _unpacked(unit.paths[0])
    for folder in () if ref.kind == "session" else paths_of(ref):
        for path in tree.files(folder):
            if place_of(path).ref == ref.bare:
                return tree, tree, path
    raise NoOriginal(
        f"There is no file that is just {ref.bare}.", hint="Save it as a file: that gives its words as they are shown."
    )


def _unpacked(path: str) -> str:
    if path.endswith(PACKED):
        raise Withheld(
            f"{shown(path)} is packed, so what is secret cannot be masked in it.",
            hint="Save it as a file: its words are unpacked and masked.",
        )
    return path


def _measured(path: str, place: Tree) -> int:
    """The size of a file that holds nothing to mask and is not too long."""
    size = 0
    for piece in _clean(path, place.chunks(path)):
        size += len(piece)
        if size > BYTES_MAX:
            raise Withheld(
                f"{shown(path)} has more than {BYTES_MAX >> 20} MB, the most that is handed out.",
                hint="Copy it from its folder.",
            )
    return size


def _clean(path: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, each held back until what follows it shows that no secret begins in it."""
    held = b""
    for piece in pieces:
        held += piece
        if _holds_secret(held):
            raise _withheld(path)
        if len(held) > OVERLAP:
            yield held[:-OVERLAP]
            held = held[-OVERLAP:]
    yield held


def _holds_secret(data: bytes) -> bool:
    """Whether anything in these bytes would be masked, whichever of the encodings that are read they are in."""
    return any(mask(text.decode("latin-1")).counts for text in {data, data.replace(b"\0", b"")})


def _withheld(path: str) -> Withheld:
    return Withheld(
        f"{shown(path)} holds what is masked, so its bytes are not handed out.",
        hint="Save it as a file: that gives the text with its masks. What one of them covers is revealed on the page.",
    )


def _cut(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """What was there when it was looked through; what was appended since is left for the next time."""
    for piece in pieces:
        if piece[:size]:
            yield piece[:size]
        size -= min(size, len(piece))
