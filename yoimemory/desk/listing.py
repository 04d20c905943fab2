"""One list of records of any kind: what JSON offers at an address for each, and MCP as one tool."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from pydantic import BaseModel, ConfigDict, Field

from evidence.filters import EvidenceFilter
from evidence.models import Evidence
from evidence.standing import evidence_outs
from hypotheses.filters import HypothesisFilter, RepresentationFilter
from hypotheses.models import Hypothesis, Representation
from hypotheses.standing import hypotheses_out, representations_out
from shoebox.filters import ShoeboxFilter
from shoebox.models import Shoebox
from shoebox.schemas import ShoeboxOut
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput
from yoimemory.http import Envelope, page_of
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerOut
from yoimemory.products.filters import ProposalFilter
from yoimemory.products.models import Proposal
from yoimemory.products.standing import proposal_outs
from yoimemory.products.written import WrittenOut, written_artifacts
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document
from yoimemory.sources.models import Workspace


class MemoryOut(BaseModel):
    """A memory record of the workspace as every machine reads it: generated, so never evidence by itself."""

    ref: str
    kind: str = Field(description="summary, decision, request or candidate")
    title: str
    state: str
    path: str
    at: datetime | None
    revision: str
    uncommitted: bool
    caveats: list[str]


class EventOut(BaseModel):
    """Something low-level that was seen: a query, an opened source. Exposure, never success."""

    model_config = ConfigDict(from_attributes=True)

    id: str = Field(validation_alias="public_id")
    kind: str
    subjects: list[str]
    detail: dict[str, Any]
    by: str
    at: datetime

    @classmethod
    def of(cls, event: Event) -> "EventOut":
        return cls(
            public_id=event.public_id, kind=event.kind, subjects=event.subjects[:50], detail=event.detail,
            by=str(event.actor) if event.actor else "", at=event.at,
        )  # fmt: skip


Filters = Mapping[str, str]
Page = Callable[[Workspace, Filters, int | None, str], Envelope[Any]]


@dataclass(frozen=True, slots=True)
class Noun:
    """One kind of record: how a page of it is read, and by what it can be narrowed."""

    page: Page
    filters: tuple[str, ...]


def list_records(
    noun: str,
    *,
    workspace: Workspace,
    actor: Actor,
    now: datetime,
    filters: Filters,
    limit: int | None = None,
    cursor: str = "",
) -> Envelope[Any]:
    """One page of the workspace's records of this kind, newest first, in the same shape as JSON.

    Records the event `query`. Raises BadInput for a kind or a filter that does not exist.
    """
    known = NOUNS.get(noun)
    if known is None:
        raise BadInput(
            f"There are no records called {noun[:80]!r}.",
            hint=f"Known: {', '.join(NOUNS)}.",
            fields={"noun": "unknown"},
        )
    asked = {name: value for name, value in filters.items() if value}
    if strange := sorted(set(asked) - set(known.filters)):
        raise BadInput(
            f"A list of {noun} cannot be narrowed by {strange[0]}.",
            hint=f"It takes: {', '.join(known.filters)}.",
            fields=dict.fromkeys(strange, "not for this list"),
        )
    page = known.page(workspace, asked, limit, cursor)
    record_event(
        Event.Kind.QUERY, workspace=workspace, actor=actor, now=now, subjects=refs_of(page.items),
        detail={"operation": f"list_{noun}"},
    )  # fmt: skip
    return page


def refs_of(items: list[Any]) -> list[str]:
    """The refs of what a page shows, for what has one."""
    return [str(item.ref) for item in items if getattr(item, "ref", "")]


def list_memory(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[MemoryOut]:
    """The memory records that the index holds."""
    rows = Document.objects.filter(workspace=workspace.public_id, kind="memory")
    if kind := filters.get("kind"):
        rows = (
            rows.filter(ref="memory:summary") if kind == "summary" else rows.filter(ref__startswith=f"memory:{kind}/")
        )
    if state := filters.get("state"):
        rows = rows.filter(state=state)
    for word in filters.get("words", "").split():
        rows = rows.filter(title__icontains=word)
    return page_of(rows, limit, cursor, outs=lambda page: _memory(workspace, page))


def _memory(workspace: Workspace, rows: list[Document]) -> list[MemoryOut]:
    refs = [SourceRef.parse(row.ref) for row in rows]
    markers = list(Marker.objects.open().filter(workspace=workspace).on(refs).order_by("pk"))
    return [
        MemoryOut(
            ref=row.ref,
            kind=ref.locator.partition("/")[0],
            title=row.title,
            state=row.state,
            path=row.path,
            at=row.at,
            revision=row.revision,
            uncommitted=row.uncommitted,
            caveats=[
                "Generated memory, not an original source.",
                *(one.caveat for one in markers if one.concerns(row.ref, also={row.source})),
            ],
        )
        for row, ref in zip(rows, refs, strict=True)
    ]


def list_events(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[EventOut]:
    """What was asked and opened, as far as it was written down already: events are written in batches."""
    rows = Event.objects.filter(workspace=workspace).select_related("actor")
    if kind := filters.get("kind"):
        rows = rows.filter(kind=kind)
    return page_of(rows, limit, cursor, EventOut.of)


def _shoeboxes(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[Any]:
    own = Shoebox.objects.in_workspace(workspace).with_holdings().select_related("opened_by")
    return page_of(_narrowed(ShoeboxFilter({"state": "all", **filters}, own)), limit, cursor, ShoeboxOut.of)


def _evidence(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[Any]:
    own = Evidence.objects.in_workspace(workspace).with_people()
    return page_of(_narrowed(EvidenceFilter({"state": "all", **filters}, own)), limit, cursor, outs=evidence_outs)


def _representations(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[Any]:
    own = Representation.objects.in_workspace(workspace).select_related("shoebox", "made_by")
    return page_of(_narrowed(RepresentationFilter(filters, own)), limit, cursor, outs=representations_out)


def _hypotheses(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[Any]:
    own = Hypothesis.objects.in_workspace(workspace).with_people()
    data: dict[str, Any] = dict(filters)
    if "state" in data:
        data["status"] = [data.pop("state")]
    return page_of(_narrowed(HypothesisFilter(data, own)), limit, cursor, outs=hypotheses_out)


def _proposals(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[Any]:
    own = Proposal.objects.in_workspace(workspace).with_people()
    data: dict[str, Any] = dict(filters)
    if "state" in data:
        data["state"] = [data["state"]]
    if "kind" in data:
        data["target"] = data.pop("kind")
    return page_of(_narrowed(ProposalFilter(data, own)), limit, cursor, outs=proposal_outs)


def _markers(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[Any]:
    rows = Marker.objects.filter(workspace=workspace).select_related("made_by", "resolved_by")
    if target := filters.get("target"):
        rows = rows.filter(target_source=str(SourceRef.parse(target).bare))
    if kind := filters.get("kind"):
        rows = rows.filter(state=kind)
    if state := filters.get("state"):
        rows = rows.filter(status=state)
    return page_of(rows, limit, cursor, MarkerOut.of)


def _artifacts(workspace: Workspace, filters: Filters, limit: int | None, cursor: str) -> Envelope[Any]:
    return page_of(written_artifacts(workspace, **filters), limit, cursor, WrittenOut.of)


def _narrowed(narrowed: Any) -> QuerySet[Any]:
    """The rows that are left. Raises BadInput for a value that the filter does not have, by name."""
    if not narrowed.is_valid():
        name, problems = next(iter(narrowed.errors.items()))
        raise BadInput(f"{name}: {problems[0]}", fields={name: "unknown"})
    rows: QuerySet[Any] = narrowed.qs
    return rows


NOUNS: dict[str, Noun] = {
    "shoeboxes": Noun(_shoeboxes, ("state", "task", "words")),
    "evidence": Noun(_evidence, ("shoebox", "state", "relation", "target", "anchor", "source", "ref", "words")),
    "representations": Noun(_representations, ("shoebox", "kind", "words")),
    "hypotheses": Noun(_hypotheses, ("shoebox", "state", "words")),
    "proposals": Noun(_proposals, ("shoebox", "state", "kind", "evidence", "words")),
    "markers": Noun(_markers, ("target", "state", "kind")),
    "memory": Noun(list_memory, ("kind", "state", "words")),
    "artifacts": Noun(_artifacts, ("shoebox", "state")),
    "events": Noun(list_events, ("kind",)),
}
"""Every kind of record that can be listed. On MCP `state` of markers is their status, `kind` what they say."""
