"""What a search is narrowed to, as plain values that every engine understands."""

from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Filters of one search. Those of a passage (who spoke, when, what it does) need the passages' own table."""

    workspace: str
    kinds: tuple[str, ...] = ()
    authority: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    wholes: tuple[int, ...] = ()
    upto_document: int = 0
    authors: tuple[str, ...] = ()
    speaker: str = ""
    since: datetime | None = None
    until: datetime | None = None
    signals: bool = False
    literals: tuple[str, ...] = ()

    @property
    def needs_passages(self) -> bool:
        return bool(self.authors or self.speaker or self.since or self.until or self.signals or self.literals)

    def of_sources(self) -> "Narrowing":
        """The same without what only a passage can answer."""
        return replace(self, authors=(), speaker="", since=None, until=None, signals=False, literals=())

    def wide(self) -> "Narrowing":
        """The same workspace without any filter, to tell what was filtered out."""
        return Narrowing(workspace=self.workspace, exclude=self.exclude, upto_document=self.upto_document)
