"""Markers as JSON."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Router, Status
from pydantic import BaseModel, ConfigDict, Field

from yoimemory.http import Envelope, HttpRequest, page_of
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft, MarkerOut
from yoimemory.markers.services import mark_staleness, resolve_markers, take_over_markers
from yoimemory.refs import SourceRef

router = Router(tags=["markers"])


class Resolution(BaseModel):
    """Why a marker no longer holds, or never did."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    resolution: str = Field(min_length=1, max_length=Marker.REASON_MAX)
    decline: bool = Field(False, description="It never held, such as a Worker's that was wrong.")


@router.get("/markers", response=Envelope[MarkerOut], operation_id="list_markers")
def list_markers(
    request: HttpRequest,
    target: str = "",
    state: str = "",
    status: str = "",
    limit: int | None = None,
    cursor: str = "",
) -> Envelope[MarkerOut]:
    """List the markers of the workspace, newest first; `target` is a ref (of it or a part of it)."""
    markers = Marker.objects.filter(workspace=request.workspace).select_related("made_by", "resolved_by")
    if target:
        markers = markers.filter(target_source=str(SourceRef.parse(target).bare))
    if state:
        markers = markers.filter(state=state)
    if status:
        markers = markers.filter(status=status)
    return page_of(markers, limit, cursor, MarkerOut.of)


@router.post("/markers", response={201: MarkerOut}, operation_id="mark_staleness")
def create_marker(request: HttpRequest, draft: MarkerDraft, response: HttpResponse) -> Status[MarkerOut]:
    """Put a marker on a ref. A Worker's is proposed until a person takes it over."""
    marker = mark_staleness(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/markers/{marker.public_id}"
    return Status(201, MarkerOut.of(marker))


@router.get("/markers/{id}", response=MarkerOut, operation_id="show_marker")
def show_marker(request: HttpRequest, id: str) -> MarkerOut:
    """Show one marker."""
    return MarkerOut.of(get_object_or_404(Marker, public_id=id, workspace=request.workspace))


@router.post("/markers/{id}/resolve", response=MarkerOut, operation_id="resolve_marker")
def resolve_marker(request: HttpRequest, id: str, draft: Resolution) -> MarkerOut:
    """Resolve or decline an open marker with a reason, as a person with the reviewer role. No token may."""
    marker = get_object_or_404(Marker, public_id=id, workspace=request.workspace)
    resolve_markers([marker], **draft.model_dump(), actor=request.actor, now=timezone.now())
    return MarkerOut.of(Marker.objects.get(pk=marker.pk))


@router.post("/markers/{id}/take-over", response=MarkerOut, operation_id="take_over_marker")
def take_over_marker(request: HttpRequest, id: str) -> MarkerOut:
    """Let a Worker's proposed marker stand, as a person with the reviewer role. No token may."""
    marker = get_object_or_404(Marker, public_id=id, workspace=request.workspace)
    take_over_markers([marker], actor=request.actor, now=timezone.now())
    return MarkerOut.of(Marker.objects.get(pk=marker.pk))
