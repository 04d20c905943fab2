"""Records, messages and the places that are read beside the repository, as JSON."""

import json
from pathlib import Path

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Router, Status
from pydantic import BaseModel, ConfigDict, Field

from yoimemory.access.services import require_owner
from yoimemory.http import Envelope, HttpRequest, page_of
from yoimemory.refs import SourceRef
from yoimemory.sources import services
from yoimemory.sources.models import AddedSource, Message, Snapshot
from yoimemory.sources.preview import Preview
from yoimemory.sources.schemas import MessageDraft, MessageOut, RecordDraft, RecordOut

router = Router(tags=["sources"])


class PlaceWish(BaseModel):
    """A file or folder of this machine that is to be read beside the repository."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    path: str = Field(min_length=1, max_length=1_000)
    kind: str = Field(max_length=10, description="session, record, memory, skill or ticket.")
    format: str = Field("", max_length=40, description="Of logs that do not tell it themselves.")


class PlaceOut(BaseModel):
    """A place that is read beside the repository."""

    path: str
    kind: str
    format: str

    @classmethod
    def of(cls, source: AddedSource) -> "PlaceOut":
        return cls(path=source.path, kind=source.kind, format=source.format)


class PreviewedOut(BaseModel):
    """One file that would be read."""

    path: str
    size: int
    format: str
    records: int | None
    faults: int
    reason: str


class PreviewOut(BaseModel):
    """What would be read from a place. Nothing was added."""

    path: str
    total: int
    size: int
    formats: dict[str, int]
    files: list[PreviewedOut]
    left_out: int

    @classmethod
    def of(cls, preview: Preview) -> "PreviewOut":
        files = [PreviewedOut.model_validate(file, from_attributes=True) for file in preview.files]
        return cls(
            path=preview.path, total=preview.total, size=preview.size, formats=preview.formats, files=files,
            left_out=preview.left_out,
        )  # fmt: skip


@router.get("/records", response=Envelope[RecordOut], operation_id="list_workspace_records")
def list_workspace_records(
    request: HttpRequest, record: str = "", limit: int | None = None, cursor: str = ""
) -> Envelope[RecordOut]:
    """List the snapshots of records, the one recorded last first; `record` names one record by its ref."""
    rows = Snapshot.objects.of(request.workspace, SourceRef.parse(record).locator if record else "")
    return page_of(rows.defer("body"), limit, cursor, RecordOut.of)


@router.post("/records", response={200: RecordOut, 201: RecordOut}, operation_id="record_workspace_record")
def record_workspace_record(request: HttpRequest, draft: RecordDraft, response: HttpResponse) -> Status[RecordOut]:
    """Keep how a record stands now. 200 where its latest snapshot said the same already."""
    now = timezone.now()
    recorded = services.record_workspace_record(draft, workspace=request.workspace, actor=request.actor, now=now)
    response["Location"] = f"/api/v1/records/{recorded.snapshot.public_id}"
    told = RecordOut.of(recorded.snapshot, unchanged=recorded.unchanged)
    return Status(200 if recorded.unchanged else 201, told)


@router.get("/records/{id}", response=RecordOut, operation_id="show_workspace_record")
def show_workspace_record(request: HttpRequest, id: str) -> RecordOut:
    """Show one snapshot with its body."""
    snapshot = get_object_or_404(Snapshot.objects.of(request.workspace), public_id=id)
    told = RecordOut.of(snapshot)
    told.body = json.loads(snapshot.body)
    return told


@router.get("/messages", response=Envelope[MessageOut], operation_id="list_messages")
def list_messages(request: HttpRequest, limit: int | None = None, cursor: str = "") -> Envelope[MessageOut]:
    """List the messages of users, the one captured last first."""
    rows = Message.objects.filter(workspace=request.workspace).select_related("captured_by")
    return page_of(rows, limit, cursor, MessageOut.of)


@router.post("/messages", response={201: MessageOut}, operation_id="capture_message")
def capture_message(request: HttpRequest, draft: MessageDraft, response: HttpResponse) -> Status[MessageOut]:
    """Keep an instruction of a user verbatim. What a Worker sends is kept as passed on by it."""
    message = services.capture_message(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/messages/{message.public_id}"
    return Status(201, MessageOut.of(message))


@router.get("/messages/{id}", response=MessageOut, operation_id="show_message")
def show_message(request: HttpRequest, id: str) -> MessageOut:
    """Show one message."""
    rows = Message.objects.filter(workspace=request.workspace).select_related("captured_by")
    return MessageOut.of(get_object_or_404(rows, public_id=id))


@router.get("/sources", response=Envelope[PlaceOut], operation_id="list_sources")
def list_sources(request: HttpRequest, limit: int | None = None, cursor: str = "") -> Envelope[PlaceOut]:
    """List the places that are read beside the repository."""
    return page_of(AddedSource.objects.filter(workspace=request.workspace), limit, cursor, PlaceOut.of)


@router.post("/sources/preview", response=PreviewOut, operation_id="preview_source")
def preview_source(request: HttpRequest, wish: PlaceWish) -> PreviewOut:
    """Say what would be read from a place, and add nothing. Only an owner may; no token may."""
    require_owner(request.actor, request.workspace, to="look at other places of this machine")
    return PreviewOut.of(services.preview_source(Path(wish.path), kind=wish.kind, format=wish.format))


@router.post("/sources", response={201: PlaceOut}, operation_id="add_source")
def add_source(request: HttpRequest, wish: PlaceWish, response: HttpResponse) -> Status[PlaceOut]:
    """Have a place read beside the repository from now on. Only an owner may; no token may."""
    source = services.add_source(
        request.workspace, path=Path(wish.path), kind=wish.kind, format=wish.format, now=timezone.now(),
        actor=request.actor,
    )  # fmt: skip
    response["Location"] = "/api/v1/sources"
    return Status(201, PlaceOut.of(source))


@router.delete("/sources", response={204: None}, operation_id="remove_source")
def remove_source(request: HttpRequest, path: str, kind: str) -> Status[None]:
    """Stop reading a place. Its files stay, and so do the words that were quoted. Only an owner may; no token may."""
    source = get_object_or_404(AddedSource, workspace=request.workspace, path=path, kind=kind)
    services.remove_source(source, now=timezone.now(), actor=request.actor)
    return Status(204, None)
