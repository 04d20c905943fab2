"""Writing one unit into the index: its documents, passages, links and words, all or nothing."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from yoimemory.refs import BadRef, SourceRef
from yoimemory.search import models
from yoimemory.search.analysis import Analysed, analyse, latin_of
from yoimemory.search.backends import engine
from yoimemory.search.chunks import passages_of
from yoimemory.search.packing import pack
from yoimemory.sources.links import path_ref
from yoimemory.sources.reading import Document, Passage, Unreadable

CONTEXT_EACH_SIDE = 2
CONTEXT_CHARACTERS = 600
EMPTY = Analysed("", "", "")
_RENAME = re.compile(r"^R (.+) -> (.+)$", re.MULTILINE)
_FILES = ("doc:", "code:")


@dataclass(slots=True)
class Written:
    """What the writing of documents changed, by ref."""

    added: list[SourceRef] = field(default_factory=list)
    changed: list[SourceRef] = field(default_factory=list)
    removed: list[SourceRef] = field(default_factory=list)
    unreadable: int = 0

    def add(self, other: "Written") -> None:
        self.added += other.added
        self.changed += other.changed
        self.removed += other.removed
        self.unreadable += other.unreadable


Read = Sequence[Document | Unreadable]


def replace_unit(unit: models.Unit, read: Read) -> Written:
    """Let these documents take the place of what the unit held. Call inside a transaction on the index."""
    return replace_units([(unit, read)])


def replace_units(units: Sequence[tuple[models.Unit, Read]], *, new: Collection[int] = ()) -> Written:
    """The same for several units at once, which takes a few statements for all of them.

    `new` are the pks of units that were never written, of which nothing has to be taken away.
    """
    written = Written()
    known = [unit.pk for unit, _ in units if unit.pk not in new]
    old = {row.ref: row for row in models.Document.objects.filter(unit__in=known)} if known else {}
    if known:
        models.Unreadable.objects.filter(unit__in=known).delete()
    owned, troubles = _sort_out(units)
    for _, document in owned:
        ref = str(document.ref)
        if ref not in old:
            written.added.append(document.ref)
        elif old[ref].digest != document.digest:
            written.changed.append(document.ref)
    kept = {str(document.ref) for _, document in owned}
    written.removed = [SourceRef.parse(ref) for ref in old if ref not in kept]
    engine().forget_documents([row.pk for row in old.values()])
    write_documents(owned)
    _list_unreadable(troubles)
    written.unreadable = len(troubles)
    return written


def replace_part(unit: models.Unit, read: Sequence[Document | Unreadable], seen: set[str]) -> Written:
    """Let a piece of a long unit take its place, and add its refs to `seen`; what is the same stays untouched.

    Call inside a transaction on the index.
    """
    written = Written()
    owned, troubles = _sort_out([(unit, read)])
    documents = [document for _, document in owned if str(document.ref) not in seen]
    refs = [str(document.ref) for document in documents]
    old = {row.ref: row for row in unit.documents.filter(ref__in=refs)}
    fresh: list[Document] = []
    for document in documents:
        row = old.get(str(document.ref))
        if row is not None and _is_same(row, document):
            continue
        fresh.append(document)
        if row is None:
            written.added.append(document.ref)
        elif row.digest != document.digest:
            written.changed.append(document.ref)
    engine().forget_documents([old[str(document.ref)].pk for document in fresh if str(document.ref) in old])
    write_documents([(unit, document) for document in fresh])
    _list_unreadable(troubles)
    written.unreadable = len(troubles)
    seen.update(refs)
    return written


def _is_same(row: models.Document, document: Document) -> bool:
    return (row.digest, row.title, row.revision, row.facts) == (
        document.digest,
        storable(document.title),
        document.revision,
        document.facts,
    )


Trouble = tuple[models.Unit, Unreadable]
Owned = tuple[models.Unit, Document]


def _list_unreadable(troubles: Sequence[Trouble]) -> None:
    models.Unreadable.objects.bulk_create(
        models.Unreadable(
            unit=unit, workspace=unit.workspace, path=storable(each.path)[:2_100], line=each.line, reason=each.reason
        )
        for unit, each in troubles
    )


def write_documents(owned: Sequence[Owned]) -> None:
    """Add documents that are not there yet, each with its unit. Call inside a transaction on the index."""
    if not owned:
        return
    store = engine()
    pk = store.next_pk(models.Document)
    documents, pks = [document for _, document in owned], range(pk, pk + len(owned))
    wholes = _wholes(documents, pks)
    states = {wholes[document.ref.source]: _state(document) for document in documents if _state(document)}
    models.Document.objects.bulk_create(
        _row(unit, document, key, wholes, states) for (unit, document), key in zip(owned, pks, strict=True)
    )
    passages: list[tuple[Any, ...]] = []
    parts: list[tuple[Any, ...]] = []
    analysed: dict[int, list[Analysed]] = {}
    for document, key in zip(documents, pks, strict=True):
        _passage_rows(document, key, passages, parts, analysed.setdefault(key, []))
    store.insert_passages(passages)
    store.write_parts(parts)
    store.write_wholes(_whole_rows(documents, pks, wholes, analysed))
    store.insert_links([
        link for document, key in zip(documents, pks, strict=True) for link in _links(document, key)
    ])  # fmt: skip


def storable(text: str) -> str:
    """Text that a database can hold: bytes of a file name that are no UTF-8 become escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _sort_out(units: Sequence[tuple[models.Unit, Read]]) -> tuple[list[Owned], list[Trouble]]:
    """The documents that can be written, and what must be listed: a ref can stand for one place only."""
    troubles: list[Trouble] = []
    owned: dict[str, Owned] = {}
    for unit, read in units:
        for each in read:
            if isinstance(each, Unreadable):
                troubles.append((unit, each))
            elif (before := owned.setdefault(str(each.ref), (unit, each)))[1] is not each:
                problem = (
                    f"A second record here has the same address {each.ref}; rename one."
                    if before[0] is unit
                    else f"{each.ref} is already the address of {before[1].path or 'another record'}; rename one."
                )
                troubles.append((unit, Unreadable(each.path, problem)))
    refs, here = list(owned), {unit.pk for unit, _ in units}
    for start in range(0, len(refs), 500):
        taken = models.Document.objects.filter(workspace=units[0][0].workspace, ref__in=refs[start : start + 500])
        for ref, path, owner in taken.values_list("ref", "path", "unit_id"):
            if owner not in here:
                unit, double = owned.pop(ref)
                problem = f"{ref} is already the address of {path or 'another record'}; rename one."
                troubles.append((unit, Unreadable(double.path, problem)))
    return list(owned.values()), troubles


def _wholes(documents: Sequence[Document], pks: Sequence[int]) -> dict[SourceRef, int]:
    """The document that stands for each source: the source's own, else its first part."""
    wholes: dict[SourceRef, int] = {}
    for document, pk in zip(documents, pks, strict=True):
        if document.ref.source not in wholes or document.ref.bare == document.ref.source:
            wholes[document.ref.source] = pk
    return wholes


def _state(document: Document) -> str:
    return str(document.facts.get("state") or "")[:40]


def _row(
    unit: models.Unit, document: Document, pk: int, wholes: dict[SourceRef, int], states: dict[int, str]
) -> models.Document:
    return models.Document(
        pk=pk,
        unit=unit,
        workspace=unit.workspace,
        whole=wholes[document.ref.source],
        ref=str(document.ref),
        source=str(document.ref.source),
        kind=document.ref.kind,
        title=storable(document.title),
        path=storable(document.path),
        authority=document.authority,
        author=storable(document.author)[:200],
        at=document.at,
        revision=document.revision,
        uncommitted=document.uncommitted,
        lossy=document.lossy,
        language=document.language,
        # A ticket's thread and artifacts stand under the state of the ticket.
        state=_state(document) or states.get(wholes[document.ref.source], ""),
        digest=document.digest,
        size=len(document.text),
        facts=document.facts,
    )


def _passage_rows(
    document: Document,
    pk: int,
    passages: list[tuple[Any, ...]],
    parts: list[tuple[Any, ...]],
    words: list[Analysed],
) -> None:
    stored_time = engine().stored_time
    own = passages_of(document, 1 << models.Passage.ORDINAL_BITS)
    words += [analyse(passage.text) for passage in own]
    title = _title_words(document)
    speech = any(passage.speaker for passage in own)
    around = [latin_of(passage.text[:CONTEXT_CHARACTERS]) for passage in own] if speech else []
    for ordinal, (passage, body) in enumerate(zip(own, words, strict=True)):
        row = (pk << models.Passage.ORDINAL_BITS) | ordinal
        passages.append((
            row, pk, ordinal, storable(passage.fragment)[:300], passage.start_line, passage.end_line, passage.speaker,
            storable(passage.author)[:200], stored_time(passage.at), " ".join(passage.signals)[:200],
            storable(passage.heading), pack(storable(passage.text)),
        ))  # fmt: skip
        heading = analyse(passage.heading) if passage.heading and passage.heading != document.title else EMPTY
        if ordinal and document.ref.kind == "commit":
            title = heading  # its list of paths is found by its paths; the subject would only count twice
        parts.append((
            row, storable(f"{body.latin} {title.names} {body.names}"), f"{title.latin} {heading.latin}",
            storable(_context(around, ordinal)), storable(passage.author or document.author),
            _day(passage, document), f"{title.cjk} {heading.cjk}", body.cjk,
        ))  # fmt: skip


def _context(texts: Sequence[str], ordinal: int) -> str:
    """The turns or events on each side, which an answer often leaves to be understood."""
    first = max(0, ordinal - CONTEXT_EACH_SIDE)
    return " ".join((*texts[first:ordinal], *texts[ordinal + 1 : ordinal + 1 + CONTEXT_EACH_SIDE]))


def _whole_rows(
    documents: Sequence[Document], pks: Sequence[int], wholes: dict[SourceRef, int], analysed: dict[int, list[Analysed]]
) -> list[tuple[Any, ...]]:
    """One row for each source: the words of its standing document and of its other parts."""
    standing: dict[int, Document] = {}
    log: dict[int, list[int]] = {}
    for document, pk in zip(documents, pks, strict=True):
        whole = wholes[document.ref.source]
        if whole == pk:
            standing[pk] = document
        else:
            log.setdefault(whole, []).append(pk)
    rows = []
    for pk, document in standing.items():
        title, own = _title_words(document), analysed[pk]
        all_words = [*own, *(words for part in log.get(pk, ()) for words in analysed[part])]
        body = " ".join((*(w.latin for w in all_words), title.names, *(w.names for w in all_words)))
        rows.append((
            pk, storable(body), title.latin, "", storable(document.author), _day(None, document), title.cjk,
            " ".join(words.cjk for words in all_words),
        ))  # fmt: skip
    return rows


def _title_words(document: Document) -> Analysed:
    """The title, and the path where it says more: people search files by name."""
    path = "" if document.path in document.title or document.ref.kind == "ticket" else document.path
    return analyse(storable(f"{document.title} {path}".strip()))


def _day(passage: Passage | None, document: Document) -> str:
    at = (passage.at if passage else None) or document.at
    return f"{at:%Y-%m-%d} {at:%B}" if at else ""


def _links(document: Document, pk: int) -> list[tuple[Any, ...]]:
    stored_time, rows = engine().stored_time, []
    is_commit = document.ref.kind == "commit"
    for link in document.links:
        try:
            target = SourceRef.parse(link.target)
        except BadRef:
            continue  # a reader may point at what is no address of ours; then there is nothing to follow
        source = str(target.source)
        rows.append((
            pk, link.kind, source, str(target.at("")).removeprefix(source), link.where[:300],
            storable(link.note), None if is_commit else stored_time(link.at or document.at),
        ))  # fmt: skip
    if is_commit:
        rows += [(pk, "renamed", old, "", "", new, None) for old, new in _renames(document)]
    return rows


def _renames(document: Document) -> list[tuple[str, str]]:
    """Old and new address of each file that a commit renamed, so that older work leads to the present file."""
    pairs = []
    for passage in document.passages[1:]:
        for old, new in _RENAME.findall(passage.text):
            before, after = path_ref(old), path_ref(new)
            if before.startswith(_FILES) and after.startswith(_FILES):
                pairs.append((before, after))
    return pairs
