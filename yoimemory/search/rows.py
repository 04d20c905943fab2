"""The rows of one document, made ready before the index is locked: all but the numbers that they get there."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from yoimemory.refs import BadRef, SourceRef
from yoimemory.search.analysis import Analysed, analyse, latin_of
from yoimemory.search.backends import engine
from yoimemory.search.chunks import passages_of
from yoimemory.search.models import Passage as PassageRow
from yoimemory.search.packing import BriefJSON, pack
from yoimemory.sources.links import path_ref
from yoimemory.sources.reading import Document, Passage

CONTEXT_EACH_SIDE = 2
CONTEXT_CHARACTERS = 600
EMPTY = Analysed("", "", "")
_PASSAGES_MAX = 1 << PassageRow.ORDINAL_BITS
_RENAME = re.compile(r"^R (.+) -> (.+)$", re.MULTILINE)
_FILES = ("doc:", "code:")
_brief = BriefJSON().encode


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document with everything that is written of it: each row without the pk that it begins with."""

    document: Document
    ref: str
    source: SourceRef
    digest: str
    state: str
    title: Analysed
    words: list[Analysed]
    own: list[Passage]
    passages: list[tuple[Any, ...]]
    parts: list[tuple[Any, ...]]
    links: list[tuple[Any, ...]]

    def row(self, pk: int, unit: int, workspace: str, whole: int, state: str) -> tuple[Any, ...]:
        """The row of the document itself, in the order of DOCUMENT_COLUMNS."""
        document = self.document
        return (
            pk, workspace, unit, whole, self.ref, str(self.source), document.ref.kind, storable(document.title),
            storable(document.path), document.authority, storable(document.author)[:200],
            engine().stored_time(document.at), document.revision, document.uncommitted, document.lossy,
            document.language, state, self.digest, len(document.text), _brief(document.facts),
        )  # fmt: skip

    @property
    def stands(self) -> bool:
        """Whether it is the source itself and no part of it."""
        return self.document.ref.kind == self.source.kind and self.document.ref.locator == self.source.locator


def prepare(document: Document) -> Prepared:
    """Everything that the index will hold of a document. Asks no database."""
    title = _title_words(document)
    own = passages_of(document, _PASSAGES_MAX)
    words = [analyse(passage.text) for passage in own]
    return Prepared(
        document,
        str(document.ref),
        # What stands beside HEAD keeps its commit, so that no list of a source's documents takes it for one of them.
        document.ref.source.at(document.ref.revision),
        document.digest,
        str(document.facts.get("state") or "")[:40],
        title,
        words,
        own,
        _passages(own),
        _parts(document, own, words, title),
        _links(document),
    )


def storable(text: str) -> str:
    """Text that a database can hold: bytes of a file name that are no UTF-8 become escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _passages(own: Sequence[Passage]) -> list[tuple[Any, ...]]:
    stored_time = engine().stored_time
    return [
        (
            storable(passage.fragment)[:300], passage.start_line, passage.end_line, passage.speaker,
            storable(passage.author)[:200], stored_time(passage.at), " ".join(passage.signals)[:200],
            storable(passage.heading), pack(storable(passage.text)),
        )
        for passage in own
    ]  # fmt: skip


def _parts(
    document: Document, own: Sequence[Passage], words: Sequence[Analysed], title: Analysed
) -> list[tuple[Any, ...]]:
    """What is searched of each passage, a text for each full-text column."""
    rows: list[tuple[Any, ...]] = []
    speech = any(passage.speaker for passage in own)
    around = [latin_of(passage.text[:CONTEXT_CHARACTERS]) for passage in own] if speech else []
    is_commit = document.ref.kind == "commit"
    for ordinal, (passage, body) in enumerate(zip(own, words, strict=True)):
        heading = analyse(passage.heading) if passage.heading and passage.heading != document.title else EMPTY
        if ordinal and is_commit:
            title = heading  # its list of paths is found by its paths; the subject would only count twice
        rows.append((
            storable(f"{body.latin} {title.names} {body.names}"), f"{title.latin} {heading.latin}",
            storable(_context(around, ordinal)) if around else "", storable(passage.author or document.author),
            _day(passage, document), f"{title.cjk} {heading.cjk}", body.cjk,
        ))  # fmt: skip
    return rows


def _context(texts: Sequence[str], ordinal: int) -> str:
    """The turns or events on each side, which an answer often leaves to be understood."""
    first = max(0, ordinal - CONTEXT_EACH_SIDE)
    return " ".join((*texts[first:ordinal], *texts[ordinal + 1 : ordinal + 1 + CONTEXT_EACH_SIDE]))


def whole_row(standing: Prepared, parts: Sequence[Prepared]) -> tuple[Any, ...]:
    """What is searched of a source: the words of its standing document and of its other parts."""
    title, document = standing.title, standing.document
    all_words = [*standing.words, *(words for part in parts for words in part.words)]
    body = " ".join((*[w.latin for w in all_words], title.names, *[w.names for w in all_words]))
    return (
        storable(body), title.latin, "", storable(document.author), _day(None, document), title.cjk,
        " ".join([words.cjk for words in all_words]),
    )  # fmt: skip


def _title_words(document: Document) -> Analysed:
    """The title, and the path where it says more: people search files by name."""
    path = "" if document.path in document.title or document.ref.kind == "ticket" else document.path
    return analyse(storable(f"{document.title} {path}".strip()))


def _day(passage: Passage | None, document: Document) -> str:
    at = (passage.at if passage else None) or document.at
    return _day_words(at.date()) if at else ""


@lru_cache(maxsize=4_096)
def _day_words(day: date) -> str:
    return f"{day:%Y-%m-%d} {day:%B}"


def _links(document: Document) -> list[tuple[Any, ...]]:
    stored_time, rows = engine().stored_time, []
    is_commit = document.ref.kind == "commit"
    for link in document.links:
        target = _target(link.target)
        if target is not None:
            rows.append((
                link.kind, *target, link.where[:300], storable(link.note),
                None if is_commit else stored_time(link.at or document.at),
            ))  # fmt: skip
    if is_commit:
        rows += [("renamed", old, "", "", new, None) for old, new in _renames(document)]
    return rows


@lru_cache(maxsize=1 << 15)
def _target(text: str) -> tuple[str, str] | None:
    """The source that a link leads to and what follows it; a reader may point at what is no address of ours."""
    try:
        target = SourceRef.parse(text)
    except BadRef:
        return None  # then there is nothing to follow
    source = str(target.source)
    return source, str(target.at("")).removeprefix(source)


def _renames(document: Document) -> list[tuple[str, str]]:
    """Old and new address of each file that a commit renamed, so that older work leads to the present file."""
    pairs = []
    for passage in document.passages[1:]:
        for old, new in _RENAME.findall(passage.text):
            before, after = path_ref(old), path_ref(new)
            if before.startswith(_FILES) and after.startswith(_FILES):
                pairs.append((before, after))
    return pairs
