"""One reader per kind of source. Commits are no files and come from `git.commits`."""

from yoimemory.sources.readers.files import CodeReader, DocReader
from yoimemory.sources.readers.kept import KeptReader
from yoimemory.sources.readers.memory import MemoryReader
from yoimemory.sources.readers.objectives import ObjectiveReader
from yoimemory.sources.readers.sessions import SessionReader
from yoimemory.sources.readers.skills import SkillReader
from yoimemory.sources.readers.tickets import TicketReader
from yoimemory.sources.reading import Reader

READERS: tuple[Reader, ...] = (
    TicketReader(), ObjectiveReader(), DocReader(), CodeReader(), SessionReader(), MemoryReader(), SkillReader(),
    KeptReader(),
)  # fmt: skip
"""Every reader of files, in the order in which a tree is read."""

VERSION = 2
"""Raised whenever the same files would be read otherwise; the index is then read again."""
