"""The memory catalog: what agents are reminded of, how it stands, what it rests on, what took its place."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Paginator
from django.db.models import F, Q, QuerySet
from django.template.response import TemplateResponse
from django.urls import path
from django.views.decorators.http import require_safe

from evidence.models import Evidence
from yoimemory.desk.filters import CLASSES, MemoryFilter, kind_of
from yoimemory.http import HttpRequest, render_page
from yoimemory.markers.models import Marker
from yoimemory.search.models import Document, Link
from yoimemory.sources.models import Workspace

PER_PAGE = 50
SOURCES_SHOWN = 8
KNOWLEDGE_SHOWN = 100
SEGMENTS_MAX = 100
KNOWLEDGE = (".yoi/knowledge/", ".insomnia/knowledge/")
"""Folders of a record kind that was taken out of use: read as docs, listed as historical, never a kind again."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a record rests on: a source that can be opened, or a stretch of a session that is named only."""

    name: str
    ref: str = ""
    told: str = ""
    """The whole name where only its beginning is shown."""


@dataclass(slots=True)
class Record:
    """One row of the catalog."""

    document: Document
    kind: str
    status: str
    sources: list[Ground] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    replaces: list[str] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    quoted: int = 0
    used: dict[str, int] = field(default_factory=dict)
    cited_by: int = 0

    @property
    def sources_left_out(self) -> int:
        return max(0, len(self.sources) - SOURCES_SHOWN)


@require_safe
def memory_list(request: HttpRequest) -> TemplateResponse:
    """Show what agents are reminded of, narrowed and paged, and the folders that are history."""
    every = memory_documents(request.workspace)
    narrowed = MemoryFilter(request.GET, every)
    page = Paginator(narrowed.qs, PER_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    knowledge = _knowledge(request.workspace)
    context: dict[str, Any] = {
        "rows": records_of(request.workspace, list(page)),
        "page": page,
        "counts": _counts(every),
        "statuses": sorted({str(status) for status in every.values_list("facts__status", flat=True) if status}),
        "asked": request.GET,
        "chosen": request.GET.getlist("record"),
        "query_string": query.urlencode(),
        "knowledge": knowledge[:KNOWLEDGE_SHOWN],
        "knowledge_count": knowledge.count(),
        "sources_shown": SOURCES_SHOWN,
    }
    return render_page(request, "desk/memory.html", context, parts={"list"})


def memory_documents(workspace: Workspace) -> QuerySet[Document]:
    """Everything of a workspace that agents are reminded of or told to do; sessions that hold such text are not."""
    rows = Document.objects.filter(workspace=workspace.public_id, pk=F("whole"))
    procedures = Q(authority="procedure", kind__in=["doc", "code"])
    found = rows.filter(Q(kind="memory") | Q(authority="memory") | procedures).exclude(kind="session")
    return found.exclude(_in_folders(KNOWLEDGE)).order_by(F("at").desc(nulls_last=True), "ref")


def records_of(workspace: Workspace, documents: Sequence[Document]) -> list[Record]:
    """Rows with what each rests on, what took its place both ways, markers, and who quotes or points at it."""
    rows = {row.ref: Record(row, kind_of(row), str(row.facts.get("status") or "")) for row in documents}
    for link in Link.objects.filter(document__in=documents).select_related("document"):
        record = rows[link.document.ref]
        if link.kind == "replaced_by":
            record.replaced_by.append(link.target)
        elif link.kind == "supersedes":
            record.replaces.append(link.target)
        elif all(each.ref != link.target for each in record.sources):
            record.sources.append(Ground(link.target, link.target))
    _name_segments(workspace, rows)
    _point_back(workspace, rows)
    for marker in Marker.objects.open().filter(workspace=workspace, target_source__in=list(rows)).order_by("pk"):
        rows[marker.target_source].markers.append(marker)
    quoted = Evidence.objects.in_workspace(workspace).filter(place__in=list(rows)).values_list("place", flat=True)
    for ref, count in Counter(quoted).items():
        rows[ref].quoted = count
    for name, counts in _uses(workspace).items():
        if f"memory:{name}" in rows:
            rows[f"memory:{name}"].used = counts
    return list(rows.values())


def _point_back(workspace: Workspace, rows: dict[str, Record]) -> None:
    """What other sources say of these: that one took another's place, or only that it is there."""
    pointing = Link.objects.filter(document__workspace=workspace.public_id, target__in=list(rows)).exclude(
        document__ref__in=list(rows), kind="mentions"
    )
    others: dict[str, set[int]] = defaultdict(set)
    for kind, target, ref, pk in pointing.values_list("kind", "target_source", "document__ref", "document"):
        if kind == "replaced_by" and ref not in rows[target].replaces:
            rows[target].replaces.append(ref)
        elif kind == "supersedes" and ref not in rows[target].replaced_by:
            rows[target].replaced_by.append(ref)
        elif ref != target:
            others[target].add(pk)
    for target, pks in others.items():
        rows[target].cited_by = len(pks)


def _name_segments(workspace: Workspace, rows: dict[str, Record]) -> None:
    """Put the stretches of sessions that records were made from before all else, each by its title where it is read."""
    told = {ref: _segments(record.document) for ref, record in rows.items()}
    names = list(dict.fromkeys(segment for each in told.values() for segment, _ in each))[:SEGMENTS_MAX]
    asked = Q(pk__in=[])
    for name in names:
        asked |= Q(ref__contains=name)
    found: dict[str, Document] = {}
    for document in Document.objects.filter(asked, workspace=workspace.public_id, kind="session").order_by("pk"):
        for name in names:
            if name in document.ref:
                found.setdefault(name, document)
    for ref, segments in told.items():
        rows[ref].sources[:0] = [_ground(name, span, found.get(name)) for name, span in segments]


def _ground(name: str, span: str, document: Document | None) -> Ground:
    entries = f", {span}" if span else ""
    if document is None:
        return Ground(f"a session that is not read here ({name[:13]}{'…' * (len(name) > 13)}{entries})", told=name)
    return Ground(f"{document.title}{entries}", document.ref)


def _segments(document: Document) -> list[tuple[str, str]]:
    """The sessions that a record says it was made from, each with the stretch of it, as they are written there."""
    listed = document.facts.get("sources")
    told = []
    for source in listed if isinstance(listed, list) else []:
        named = source.get("segment_id") or source.get("session_id") if isinstance(source, dict) else ""
        if segment := str(named or "")[:80]:
            span = source.get("range")
            told.append((segment, f"entries {span[0]}–{span[-1]}" if isinstance(span, list) and span else ""))
    return told


def _uses(workspace: Workspace) -> dict[str, dict[str, int]]:
    """How often each record was used, or shown unasked, by what the workspace's own log of it says."""
    logs = Document.objects.filter(workspace=workspace.public_id, kind="memory", ref__startswith="memory:usage/")
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for uses in logs.values_list("facts__uses", flat=True):
        for name, counts in uses.items() if isinstance(uses, dict) else ():
            found[name].update(counts)
    return {name: dict(counts) for name, counts in found.items()}


def _counts(rows: QuerySet[Document]) -> list[tuple[str, int]]:
    counts = Counter(kind_of(row) for row in rows.only("kind", "authority", "ref"))
    return [(kind, counts[kind]) for kind in CLASSES if counts[kind]]


def _knowledge(workspace: Workspace) -> QuerySet[Document]:
    return Document.objects.filter(_in_folders(KNOWLEDGE), workspace=workspace.public_id).order_by("path")


def _in_folders(folders: Sequence[str]) -> Q:
    found = Q(pk__in=[])
    for folder in folders:
        found |= Q(path__startswith=folder)
    return found


urlpatterns = [path("memory/", memory_list, name="memory")]
