"""Writing a part of a long log in many short transactions, so that whoever else writes never waits for long.

Its document is there from the first one, since passages hang on it, but in no workspace that anybody
asks for. The last one takes the earlier state away and lets it be found, so a reader sees the one or the other.
"""

from collections.abc import Iterator, Sequence
from time import sleep
from typing import Any

from django.db import transaction

from yoimemory.refs import SourceRef
from yoimemory.search import models
from yoimemory.search.backends import engine
from yoimemory.search.rows import Prepared, prepare, storable, whole_row
from yoimemory.search.writing import Written, forget, list_unreadable, sort_out
from yoimemory.sources.reading import Document, Unreadable

STEP_CHARACTERS = 50_000
"""How much text one transaction takes in: some hundredths of a second."""
STEP_ROWS = 200
PAUSE = 0.003
"""Seconds between two transactions: whoever waits for the lock looks again only now and then."""
_HIDDEN = "~"
"""No id of a workspace begins so."""


def replace_part(unit: models.Unit, read: Sequence[Document | Unreadable], seen: set[str]) -> Written:
    """Let a piece of a long unit take its place, and add its refs to `seen`; what is the same stays untouched."""
    written = Written()
    documents = [each for each in read if isinstance(each, Document) and str(each.ref) not in seen]
    refs = [str(document.ref) for document in documents]
    old = {row.ref: row for row in unit.documents.filter(ref__in=refs)}
    fresh: list[Prepared | Unreadable] = [each for each in read if isinstance(each, Unreadable)]
    for document in documents:
        row = old.get(str(document.ref))
        if row is None or not _is_same(row, document):
            fresh.append(prepare(document))
    owned, troubles = sort_out([(unit, fresh)])
    for _, each in owned:
        before = old.get(each.ref)
        if before is None:
            written.added.append(SourceRef.parse(each.ref))
        elif before.digest != each.digest:
            written.changed.append(SourceRef.parse(each.ref))
        _write(unit, each, [] if before is None else [before.pk])
    with transaction.atomic(using="index"):
        list_unreadable(troubles)
    written.unreadable = len(troubles)
    seen.update(refs)
    return written


def drop_halves(workspace: str) -> None:
    """Take away what a run that was ended had begun to write."""
    halves = models.Document.objects.filter(workspace__gte=_HIDDEN, workspace__lt=chr(ord(_HIDDEN) + 1))
    for pk in list(halves.filter(unit__workspace=workspace).values_list("pk", flat=True)):
        forget([pk])


def _is_same(row: models.Document, document: Document) -> bool:
    return (row.digest, row.title, row.revision, row.facts) == (
        document.digest,
        storable(document.title),
        document.revision,
        document.facts,
    )


def _write(unit: models.Unit, each: Prepared, old: Sequence[int]) -> None:
    store = engine()
    with transaction.atomic(using="index"):
        pk = store.next_pk(models.Document)
        store.insert_documents([each.row(pk, unit.pk, f"{_HIDDEN}{unit.pk}", pk, each.state)])
    for first, last in _steps(each.sizes):
        passages: list[tuple[Any, ...]] = []
        parts: list[tuple[Any, ...]] = []
        for ordinal in range(first, last):
            own = models.Passage.pk_of(pk, ordinal)
            passages.append((own, pk, ordinal, *each.passages[ordinal]))
            parts.append((own, *each.parts[ordinal]))
        with transaction.atomic(using="index"):
            store.insert_passages(passages)
            store.write_parts(parts)
        sleep(PAUSE)
    whole = (pk, *whole_row(each, ()))
    links = [(pk, *row) for row in each.links]
    with transaction.atomic(using="index"):
        store.forget_documents(old)
        store.write_wholes([whole])
        store.insert_links(links)
        models.Document.objects.filter(pk=pk).update(workspace=unit.workspace)


def _steps(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first passage of each step and the one after its last."""
    first = size = 0
    for number, length in enumerate(sizes):
        if number > first and (size + length > STEP_CHARACTERS or number - first >= STEP_ROWS):
            yield first, number
            first, size = number, 0
        size += length
    if first < len(sizes):
        yield first, len(sizes)
