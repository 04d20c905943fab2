"""One reader per kind of source. Commits are no files and come from `git.commits`."""

from collections.abc import Iterator

from yoimemory.refs import SourceRef
from yoimemory.sources.readers.beads import BeadsReader
from yoimemory.sources.readers.branches import BranchReader
from yoimemory.sources.readers.docs import DocReader
from yoimemory.sources.readers.files import CodeReader
from yoimemory.sources.readers.github import GithubReader
from yoimemory.sources.readers.kept import KeptReader
from yoimemory.sources.readers.memory import MemoryReader
from yoimemory.sources.readers.objectives import ObjectiveReader
from yoimemory.sources.readers.sessions import SessionReader
from yoimemory.sources.readers.skills import SkillReader
from yoimemory.sources.readers.tickets import TicketReader
from yoimemory.sources.reading import Document, Reader, Tree, Unreadable

_TRACKERS = (BeadsReader(), GithubReader())

READERS: tuple[Reader, ...] = (
    TicketReader(), *_TRACKERS, ObjectiveReader(), DocReader(), CodeReader(),
    SessionReader(), MemoryReader(), SkillReader(),
    KeptReader(), BranchReader(),
)  # fmt: skip
"""Every reader of files, in the order in which a tree is read."""

VERSION = 10
"""Raised whenever the same files would be read otherwise; the index is then read again."""


def tracked(tree: Tree, ref: SourceRef) -> Iterator[Document | Unreadable]:
    """The ticket that a ref names, where it stands in the file of a tracker."""
    for reader in _TRACKERS:
        for unit in reader.units(tree):
            yield from reader.read(tree, unit, only=ref.source.locator)
