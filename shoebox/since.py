"""What became of the sources of items since they were read: moved, gone, changed in the part held or beside it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shoebox.models import Item
from shoebox.subject import Subject
from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document, Passage
from yoimemory.search.votes import present_names
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.read import read_document

SHA_SHOWN = 8
COMPARED_MAX = 60
"""Items whose part is read again at its own revision; each costs one read from git."""


@dataclass(slots=True)
class Since:
    """What the index holds now of the documents that items stand in."""

    documents: dict[str, Document] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    """The present name of each document that is no longer where it was."""
    _compared: int = 0

    @classmethod
    def of(cls, subject: Subject, held: Sequence[Item]) -> "Since":
        """Look the documents of these items up, under their present names where they were renamed."""
        since = cls(documents=_documents(subject, {item.document for item in held}))
        lost = [item for item in held if item.digest and item.document not in since.documents]
        if lost:
            since.moved = _moved(subject, lost)
            since.documents |= _documents(subject, since.moved.values())
        return since

    def told_of(self, subject: Subject, item: Item) -> str:
        """A sentence for an item whose source has moved on since it was read; empty where it has not."""
        if not item.digest:
            return ""
        now_at = self.moved.get(item.document, item.document)
        row = self.documents.get(now_at)
        if row is None:
            return "Gone: the index no longer holds this source. Open the item to read it as it was."
        moved = f"Moved: it is {now_at} now" if now_at != item.document else ""
        if row.digest == item.digest:
            return f"{moved}, and reads as it did." if moved else ""
        if self._reads_the_same(subject, item, row):
            told = f"this part reads as it did, the source was changed elsewhere{_last_word(subject, row)}."
            return f"{moved}; {told}" if moved else told[0].upper() + told[1:]
        at = row.revision.rpartition(":")[2][:SHA_SHOWN]
        told = f"the source now reads differently at {at}{_last_word(subject, row)}."
        return f"{moved}; {told}" if moved else f"Changed since it was read: {told}"

    def _reads_the_same(self, subject: Subject, item: Item, row: Document) -> bool:
        """Whether the part that the item names still stands in the source, word for word. No where that is unknown."""
        ref = item.address
        if not ref.fragment or not ref.revision or ":" in ref.revision or self._compared >= COMPARED_MAX:
            return False
        self._compared += 1
        part = _part_as_read(subject, ref)
        texts = Passage.objects.filter(document=row).order_by("ordinal").values_list("text", flat=True)
        return bool(part.strip()) and part in "\n".join(texts)


def _documents(subject: Subject, refs: Iterable[str]) -> dict[str, Document]:
    rows = Document.objects.filter(workspace=subject.workspace.public_id, ref__in=set(refs))
    return {row.ref: row for row in rows}


def _moved(subject: Subject, lost: Sequence[Item]) -> dict[str, str]:
    """Where files are that lie elsewhere now: as the commits say that renamed them, else where the same text lies."""
    names = present_names(subject.workspace.public_id, {item.document for item in lost})
    moved = {old: now for old, now in names.items() if old != now}
    left = {item.digest: item.document for item in lost if item.document not in moved}
    same: dict[str, list[str]] = defaultdict(list)
    for row in Document.objects.filter(
        workspace=subject.workspace.public_id, digest__in=left, kind__in=("doc", "code")
    ):
        same[row.digest].append(row.ref)
    return moved | {left[digest]: refs[0] for digest, refs in same.items() if len(refs) == 1}


def _part_as_read(subject: Subject, ref: SourceRef) -> str:
    """The words of the part that a ref names, at its revision; empty where they cannot be read any more."""
    try:
        document = read_document(subject.workspace, ref, with_links=False)
    except DomainError:
        return ""
    for passage in document.passages:
        if passage.fragment == ref.fragment:
            return passage.text
    if ref.lines:
        first, last = ref.lines
        return "\n".join(lines_of(document.text)[first - 1 : last])
    return ""


def _last_word(subject: Subject, row: Document) -> str:
    """Of a thread the last event that decided something: what an item says of it may have been overtaken."""
    if not row.ref.endswith("/thread"):
        return ""
    story = subject.story_of(row)
    latest = story.last_of(story.later) or story.counts
    if latest is None:
        return ""
    return f"; last {latest.told(subject.as_of)}{', after this as-of' if latest in story.later else ''}"
