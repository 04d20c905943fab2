"""Lists that stand on no floor of their own: memory records of the workspace, and events."""

from typing import Any, Literal

from django.utils import timezone
from ninja import Router

from yoimemory.desk.listing import EventOut, MemoryOut, list_records
from yoimemory.http import Envelope, HttpRequest
from yoimemory.journal.models import Event

router = Router(tags=["sources"])

MemoryKind = Literal["", "summary", "decision", "request", "candidate"]


@router.get("/memory", response=Envelope[MemoryOut], operation_id="list_memory")
def list_memory(
    request: HttpRequest,
    kind: MemoryKind = "",
    state: str = "",
    words: str = "",
    limit: int | None = None,
    cursor: str = "",
) -> Envelope[MemoryOut]:
    """List the memory records of the workspace with their caveats. They are generated, and no independent evidence."""
    return _page(request, "memory", limit, cursor, kind=kind, state=state, words=words)


@router.get("/events", response=Envelope[EventOut], operation_id="list_events")
def list_events(
    request: HttpRequest, kind: Event.Kind | Literal[""] = "", limit: int | None = None, cursor: str = ""
) -> Envelope[EventOut]:
    """List what was asked, opened and made, newest first; the last seconds may be missing. Exposure, not success."""
    return _page(request, "events", limit, cursor, kind=str(kind))


def _page(request: HttpRequest, noun: str, limit: int | None, cursor: str, **filters: str) -> Envelope[Any]:
    return list_records(
        noun, workspace=request.workspace, actor=request.actor, now=timezone.now(), filters=filters, limit=limit,
        cursor=cursor,
    )  # fmt: skip
