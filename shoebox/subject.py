"""What a shoebox is gathered for, as the steps of gathering see it, and how a document becomes material."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from django.db.models import Max

from shoebox.material import Found, changed_later, later_than
from shoebox.models import Item
from shoebox.threads import Story
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_documents, links_to
from yoimemory.search.models import Document, Link, Passage
from yoimemory.sources.dates import read_instant
from yoimemory.sources.models import Workspace

LARGE = 6_000
"""A document with more characters than this enters by the passage that bears most on the question."""

PASSAGES_MAX = 400
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]{2,}|[\u30a0-\u30ff]{2,}|[\u4e00-\u9fff]{2,}")


def _last_known(document: Document) -> datetime | None:
    """When the document says that it was last changed."""
    updated = read_instant(str(document.facts.get("updated_at") or ""))
    return max(filter(None, (document.at, updated)), default=None)


@dataclass(slots=True)
class _Kept:
    """What was read once for several steps."""

    documents: dict[str, list[Document]] = field(default_factory=dict)
    stories: dict[int, Story] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Related:
    """A source that a typed relation ties to the task: the kind, which way it points, and the note beside it.

    `of` is the ticket that it is tied to where that is not the task, but one that the question names.
    """

    source: SourceRef
    kind: str
    outward: bool
    note: str
    of: str = ""

    @property
    def told(self) -> str:
        """The relation as seen from the task, or from what the question names."""
        if self.of:
            return f"{self.of} {self.kind} it" if self.outward else f"{self.kind} {self.of}"
        return self.kind if self.outward else f"{self.kind} this task"

    @property
    def waited_for(self) -> str:
        """The other end as what the task, or the ticket that is named, waits for."""
        return f"what {self.of or 'it'} {self.kind}" if self.outward else f"what {self.kind} {self.of or 'it'}"

    @property
    def holds_up(self) -> bool:
        """Whether the task has to wait while the other end is open."""
        return self.kind == "depends_on" if self.outward else self.kind == "blocks"


@dataclass
class Subject:
    """A question, the task it serves, and the instant as of which it is asked."""

    workspace: Workspace
    question: str
    task: SourceRef | None = None
    as_of: datetime | None = None
    kinds: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    related: list[Related] | None = None
    named_ties: dict[str, list[Related]] | None = None
    _kept: _Kept = field(default_factory=_Kept)

    @cached_property
    def own(self) -> list[Document]:
        """The task's own records: item, thread, resolution, artifacts."""
        return self.documents_of(self.task) if self.task else []

    @cached_property
    def title(self) -> str:
        return next((document.title for document in self.own if document.ref == str(self.task)), "")

    @cached_property
    def text(self) -> str:
        """The task as its author wrote it: title and item, without what happened later in its thread."""
        item = [document for document in self.own if document.ref == str(self.task)]
        passages = Passage.objects.filter(document__in=item).order_by("ordinal")
        return "\n".join([self.title, *passages.values_list("text", flat=True)]).strip()

    @cached_property
    def links_out(self) -> list[Link]:
        """What the task points at. Its own documents are at hand, so they are not read again with every link."""
        own = {document.pk: document for document in self.own}
        links = list(Link.objects.filter(document__in=list(own)).order_by("pk"))
        for link in links:
            link.document = own[link.document_id]
        return links

    @cached_property
    def links_in(self) -> list[Link]:
        return links_to(self.workspace, self.task) if self.task else []

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of question and task, to weigh passages by."""
        return frozenset(word.lower() for word in _WORD.findall(f"{self.question} {self.text}"))

    @property
    def instant(self) -> str:
        return f" as of {self.as_of:%H:%M:%SZ}" if self.as_of else ""

    def documents_of(self, source: SourceRef) -> list[Document]:
        """All documents of one source, the whole of it first; read once."""
        return self.documents_of_all([source])[str(source.source)]

    def documents_of_all(self, sources: Sequence[SourceRef]) -> dict[str, list[Document]]:
        """The documents of several sources in one read, by source."""
        wanted = list(dict.fromkeys(str(source.source) for source in sources))
        missing = [source for source in wanted if source not in self._kept.documents]
        if missing:
            self._kept.documents.update({source: [] for source in missing})
            for document in find_documents(self.workspace, missing):
                self._kept.documents[document.source].append(document)
        return {source: self._kept.documents[source] for source in wanted}

    def story_of(self, thread: Document) -> Story:
        """What a thread said as of the instant; read once."""
        if thread.pk not in self._kept.stories:
            # A thread may be long, and only the words of the event that counts are ever needed.
            passages = Passage.objects.filter(document=thread).defer("text").order_by("ordinal")
            self._kept.stories[thread.pk] = Story.read(thread, passages, self.as_of)
        return self._kept.stories[thread.pk]

    def found(
        self,
        document: Document,
        *,
        rationale: str,
        came: str,
        leaning: str = Item.Leaning.UNCLEAR,
        caveat: str = "",
        passage: Passage | None = None,
    ) -> Found:
        """A document of the index (or one passage of it) as material, with the revision it was read at."""
        ref = SourceRef.parse(document.ref)
        if document.kind == "commit":  # its address is its revision
            at, later = document.at, later_than(document.at, self.as_of)
        else:
            ref = ref.at(document.revision)
            at = (passage.at if passage else None) or _last_known(document)
            later = later_than(at, self.as_of) if passage and passage.at else changed_later(at, self.as_of)
        found = Found(
            ref=ref.part(passage.fragment) if passage else ref,
            title=document.title,
            authority=document.authority,
            at=at,
            characters=len(passage.text) if passage else document.size,
            digest=document.digest,
            rationale=rationale,
            came=came,
            leaning=leaning,
        )
        return found.limited_by(
            caveat, later, "Not committed yet." if document.is_pending and self.workspace.has_git else ""
        )

    def dated(self, found: Sequence[Found]) -> list[Found]:
        """Texts without a date of their own, dated by the last commit that touched them; one read for all."""
        undated = {one.document for one in found if one.at is None}
        touched = (
            Link.objects.filter(document__workspace=self.workspace.public_id, kind="touches", target__in=undated)
            .values("target")
            .annotate(last=Max("document__at"))
        )
        last = dict(touched.values_list("target", "last"))
        dated = []
        for one in found:
            at = last.get(one.document) if one.at is None else None
            if at is not None:
                one = replace(one, at=at).limited_by(changed_later(at, self.as_of))
            elif one.at is None and self.as_of is not None:
                one = one.limited_by("Undated, so it may be later than this as-of.")
            dated.append(one)
        return dated

    def shares_words(self, text: str, least: int = 2) -> bool:
        """Whether a text has at least so many words in common with question and task."""
        return len({word.lower() for word in _WORD.findall(text)} & self.words) >= least

    def best_passages(self, documents: Sequence[Document]) -> dict[int, Passage]:
        """For each large document the passage that shares most words with question and task."""
        best: dict[int, tuple[float, Passage]] = {}
        large = [document.pk for document in documents if document.size > LARGE]
        rows = Passage.objects.filter(document__in=large, ordinal__lt=PASSAGES_MAX).order_by("document", "ordinal")
        for passage in rows.iterator():
            words = {word.lower() for word in _WORD.findall(passage.text)}
            weight = len(words & self.words) / (1 + len(words)) ** 0.5
            if passage.document_id not in best or weight > best[passage.document_id][0]:
                best[passage.document_id] = (weight, passage)
        return {pk: passage for pk, (_, passage) in best.items()}
