"""What readers yield: documents with anchored passages and links. Plain values, no database.

A reader turns what is on disk (the working tree, or any commit) into documents. It is
read-only by construction: it is handed a `Tree` and can ask it for names and bytes, no more.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from yoimemory.refs import SourceRef

if TYPE_CHECKING:
    from yoimemory.sources.links import Linker

READ_MAX = 16 << 20
"""Bytes of one file that is read whole; a longer one is listed as unreadable."""

AUTHORITY = ("authority", "semi", "procedure", "memory")
"""Classes of authority, strongest first."""

SIGNALS = ("request_changes", "rejected", "reverted", "reopened", "superseded", "failed", "blocked")
"""What a passage can do to earlier statements. `blocked`: a record of waiting, holding back, ordering after."""

OUTSIDE = "From a place that was added: it stands outside of the repository, so no commit has it."
"""The note on what was read there."""

SPEAKERS = ("human", "agent", "tool", "memory", "harness")


@dataclass(frozen=True, slots=True)
class Passage:
    """An addressable part of a document: a section, an event, a turn, some lines of code.

    Lines count from 1 within the document's text and are inclusive. `signals` are words for
    what the passage does to earlier statements (SIGNALS), read from structure, never guessed
    from prose alone.
    """

    fragment: str
    text: str
    start_line: int
    end_line: int
    heading: str = ""
    speaker: str = ""
    author: str = ""
    at: datetime | None = None
    signals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """Something that a document points at: `kind` from LINK_KINDS, `target` a ref as text, `where` a fragment."""

    kind: str
    target: str
    where: str = ""
    note: str = ""
    at: datetime | None = None


LINK_KINDS = (
    "depends_on", "blocks", "related", "supersedes", "replaced_by", "duplicate_of",
    "mentions", "touches", "cites", "links", "parent",
)  # fmt: skip


@lru_cache(maxsize=4)
def _digest_of(text: str) -> str:
    """Asked several times of the text in hand; a text in hand is recognised without being compared."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Document:
    """One readable thing at one state: an item, a thread, a file, a commit, a session.

    `text` is what a person reads and quotes, decoded, line ends kept as they are; `ref` carries
    no revision. `revision` is the commit it was read at when the bytes are those of that commit,
    otherwise `sha256:` and the digest of the text; then `uncommitted` is true. `facts` holds
    what a page shows beside the text (state of a ticket, status of a memory record, ...), plain
    enough for JSON. `encoding` is that of the file (`utf-8-sig` with a byte order mark).
    """

    ref: SourceRef
    title: str
    text: str
    authority: str
    path: str = ""
    author: str = ""
    at: datetime | None = None
    revision: str = ""
    uncommitted: bool = False
    lossy: bool = False
    encoding: str = "utf-8"
    language: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    links: tuple[Link, ...] = ()
    bytes_digest: str = ""
    """SHA-256 of the file's bytes, where the text of the document may be just those, decoded."""

    @property
    def is_pending(self) -> bool:
        """Whether a commit could have these bytes and none has: they lie where git looks."""
        return self.uncommitted and OUTSIDE not in self.facts.get("notes", ())

    @property
    def digest(self) -> str:
        """SHA-256 of the text as observed."""
        return _digest_of(self.text)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that could not be read whole: where, and why, in a sentence that says what to do."""

    path: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing that is read again as a whole: a ticket folder, a file, a session log.

    `fingerprint` changes whenever the bytes may have changed; equal fingerprints are not read again.
    `folder` is the added source that the paths lie in, 0 for the workspace itself.
    """

    key: str
    reader: str
    fingerprint: str
    paths: tuple[str, ...] = ()
    folder: int = 0


@dataclass(frozen=True, slots=True)
class AddedFolder:
    """A file or folder outside the repository that a person chose to have read, with the folder as its root."""

    pk: int
    kind: str
    format: str
    name: str
    tree: "Tree"


class Tree(Protocol):
    """Names and bytes of one state of a workspace: its working tree, or one commit."""

    @property
    def revision(self) -> str:
        """The commit that stands behind this tree (HEAD for the working tree), empty without git."""

    @property
    def folders(self) -> tuple[AddedFolder, ...]:
        """What was added from outside the repository; only the working tree has them."""

    @property
    def is_added(self) -> bool:
        """Whether it is a place that was added, outside of the repository."""

    @property
    def linker(self) -> "Linker":
        """Finds links in passages of this tree."""

    def files(self, under: str = "") -> dict[str, str]:
        """Every readable path (POSIX, relative) with its fingerprint; or only those at or below `under`."""

    def read(self, path: str, *, limit: int = READ_MAX) -> bytes:
        """The bytes of one file. Raises sources.opener.Unopenable or OutsideRoot."""

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes of one file in pieces, for files too long to be held. Raises like `read`."""

    def is_committed(self, path: str) -> bool:
        """Whether the bytes of this path are those of `revision`."""


class Reader(Protocol):
    """Reads one kind of source. One module per kind in `yoimemory/sources/readers/`."""

    @property
    def name(self) -> str:
        """The name under which units say who reads them."""

    def units(self, tree: Tree) -> Iterator[Unit]:
        """What this reader would read in this tree, cheaply: names and fingerprints only."""

    def read(self, tree: Tree, unit: Unit) -> "Iterator[Document | Unreadable]":
        """The documents of one unit. Yields Unreadable instead of raising for what it cannot read."""
