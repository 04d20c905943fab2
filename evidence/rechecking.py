"""One round of looking at quotes again: texts are read once, compared once, and followed through renames."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from evidence.models import Evidence, Placement
from evidence.placing import Base, gone, place_quote, unreadable
from evidence.shift import Shift
from yoimemory.errors import DomainError, NotFound
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document as Indexed
from yoimemory.sources.models import Workspace
from yoimemory.sources.places import place_of
from yoimemory.sources.process import GitProblem
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document
from yoimemory.sources.renames import Renames

HELD = 24
"""Texts and comparisons that are held; quotes of one place come together."""

CANDIDATES = 20
ALIKE = 0.5
"""So much of a file must still stand in one under another name, as for git."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recheck:
    """What one round of looking again knows about the texts of a workspace."""

    def __init__(self, workspace: Workspace, now: datetime) -> None:
        self._workspace, self._now = workspace, now
        self._texts: dict[str, Document | DomainError] = {}
        self._shifts: dict[tuple[str, str], Shift | None] = {}
        self._followed: dict[tuple[str, str], Document | None] = {}
        self._renames = Renames(workspace)

    def place(self, evidence: Evidence, base: Base) -> Placement:
        """Where a quote stands now that stood at a base."""
        document = self._read(base.place)
        if isinstance(document, NotFound):
            moved = self._elsewhere(base)
            if moved is None:
                return gone(evidence, at=self._head, now=self._now)
            return self._placed(evidence, base, moved, renamed=True)
        if isinstance(document, DomainError):
            return unreadable(evidence, document.message, at=self._head, now=self._now)
        placement = self._placed(evidence, base, document)
        if placement.state == Placement.State.ORPHANED:
            moved = self._renamed(base)  # another file may have taken the name since
            other = self._placed(evidence, base, moved, renamed=True) if moved else None
            if other and other.state in Placement.FIRM:
                return other
        return placement

    @cached_property
    def _head(self) -> str:
        """The commit that is looked at, for what has no text that would name it."""
        git = self._renames.git
        return git.head() if git else ""

    def _placed(self, evidence: Evidence, base: Base, document: Document, *, renamed: bool = False) -> Placement:
        shift = None if document.digest == base.digest else self._shift(base, document)
        return place_quote(evidence, base, document, shift, now=self._now, renamed=renamed)

    def _read(self, ref: str) -> Document | DomainError:
        def read() -> Document | DomainError:
            try:
                return read_document(self._workspace, SourceRef.parse(ref))
            except (DomainError, GitProblem) as error:
                return error

        return _held(self._texts, ref, read)

    def _shift(self, base: Base, document: Document) -> Shift | None:
        """From the text of the base to this one; None where that text is not at hand any more."""

        def compare() -> Shift | None:
            old = self._old(base)
            return Shift(old.text, document.text) if old else None

        return _held(self._shifts, (base.digest, document.digest), compare)

    def _old(self, base: Base) -> Document | None:
        if not base.revision or ":" in base.revision:
            return None
        old = self._read(str(SourceRef.parse(base.place).at(base.revision)))
        return old if isinstance(old, Document) and old.digest == base.digest else None

    def _elsewhere(self, base: Base) -> Document | None:
        """The source of a base under the name that it has now: the same text, or what git, or likeness, says."""
        return _held(
            self._followed,
            (base.place, base.digest),
            lambda: self._same_text(base) or self._renamed(base) or self._alike(base),
        )

    def _same_text(self, base: Base) -> Document | None:
        """The one source of this kind that has the very text now."""
        known = Indexed.objects.filter(workspace=self._workspace.public_id, digest=base.digest)
        refs = known.filter(kind=SourceRef.parse(base.place).kind).exclude(ref=base.place)
        found = list(refs.values_list("ref", flat=True)[:2])
        document = self._read(found[0]) if len(found) == 1 else None
        return document if isinstance(document, Document) and document.digest == base.digest else None

    def _renamed(self, base: Base) -> Document | None:
        ref = SourceRef.parse(base.place)
        if ref.kind not in {"doc", "code"}:
            return None
        path = self._renames.follow(ref.locator, base.revision)
        document = self._read(str(place_of(path).ref)) if path else None
        return document if isinstance(document, Document) else None

    def _alike(self, base: Base) -> Document | None:
        """A file that no commit knows yet and that holds most of the text: renamed and edited, not committed."""
        old, ref = self._old(base), SourceRef.parse(base.place)
        if old is None or ref.kind not in {"doc", "code"}:
            return None
        names = Indexed.objects.filter(workspace=self._workspace.public_id, kind=ref.kind, uncommitted=True)
        found: list[tuple[float, Document]] = []
        for name in names.exclude(ref=base.place).values_list("ref", flat=True)[:CANDIDATES]:
            document = self._read(name)
            if isinstance(document, Document):
                found.append((_kept(old.text, document.text), document))
        found.sort(key=lambda pair: -pair[0])
        if not found or found[0][0] < ALIKE or (len(found) > 1 and found[1][0] >= ALIKE):
            return None
        return found[0][1]


def _kept(old: str, new: str) -> float:
    """How much of the lines that say something stands in another text."""
    shift = Shift(old, new)
    telling = [line for line, text in enumerate(old.split("\n")) if text.strip()]
    return sum(shift.forward[line] >= 0 for line in telling) / len(telling) if telling else 0.0


def _held(held: dict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
    """What was made before, or is made now; the oldest is let go."""
    if key not in held:
        if len(held) >= HELD:
            held.pop(next(iter(held)))
        held[key] = make()
    return held[key]
