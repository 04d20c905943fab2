"""The rows of one document, made ready before the index is locked: all but the numbers that they get there."""

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

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
_AUTHOR = 4
"""Its place in what is written about a document."""
_PASSAGES_MAX = 1 << PassageRow.FAR_BITS
_RENAME = re.compile(r"^R (.+) -> (.+)$", re.MULTILINE)
_FILES = ("doc:", "code:")
_brief = BriefJSON().encode


class Prepared(NamedTuple):
    """Everything that is written of a document: each row without the pk that it begins with.

    Nothing but plain values, so that another process can make it ready and hand it over.
    """

    ref: str
    source: str
    stands: bool
    """It is the source itself and no part of it."""
    path: str
    digest: str
    state: str
    about: tuple[Any, ...]
    size: int
    facts: str
    title: tuple[str, str, str]
    words: tuple[str, str, str]
    day: str
    sizes: list[int]
    passages: list[tuple[Any, ...]]
    parts: list[tuple[Any, ...]]
    links: list[tuple[Any, ...]]

    def row(self, pk: int, unit: int, workspace: str, whole: int, state: str) -> tuple[Any, ...]:
        """The row of the document itself, in the order of DOCUMENT_COLUMNS."""
        return (
            pk, workspace, unit, whole, self.ref, self.source, *self.about, state, self.digest, self.size, self.facts,
        )  # fmt: skip


def prepare(document: Document) -> Prepared:
    """Everything that the index will hold of a document. Asks no database."""
    title = _title_words(document)
    own = passages_of(document, _PASSAGES_MAX)
    words = [analyse(passage.text) for passage in own]
    ref = str(document.ref)
    # What stands beside HEAD keeps its commit, so that no list of a source's documents takes it for one of them.
    source = document.ref.source.at(document.ref.revision)
    stands = source.locator == document.ref.locator and source.kind == document.ref.kind
    return Prepared(
        ref=ref,
        source=ref if stands and not document.ref.fragment else str(source),
        stands=stands,
        path=document.path,
        digest=document.digest,
        state=str(document.facts.get("state") or "")[:40],
        about=_about(document),
        size=len(document.text),
        facts=_brief(document.facts),
        title=(title.latin, title.names, title.cjk),
        words=(
            " ".join([each.latin for each in words]), " ".join([each.names for each in words]),
            " ".join([each.cjk for each in words]),
        ),
        day=_day(None, document),
        sizes=[len(passage.text) for passage in own],
        passages=_passages(own),
        parts=_parts(document, own, words, title),
        links=_links(document),
    )  # fmt: skip


def _about(document: Document) -> tuple[Any, ...]:
    return (
        document.ref.kind, storable(document.title), storable(document.path), document.authority,
        storable(document.author)[:200], engine().stored_time(document.at), document.revision,
        int(document.uncommitted), int(document.lossy), document.language,
    )  # fmt: skip


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
    latin, names, cjk = zip(standing.words, *[part.words for part in parts], strict=True)
    in_title, names_in_title, cjk_in_title = standing.title
    body = storable(" ".join((*latin, names_in_title, *names)))
    return body, in_title, "", standing.about[_AUTHOR], standing.day, cjk_in_title, " ".join(cjk)


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
