"""Markers as JSON."""

from typing import Literal

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Router, Status
from pydantic import BaseModel, ConfigDict, Field

from yoimemory.http import Envelope, HttpRequest, page_of, set_version, version_named
from yoimemory.markers import services
from yoimemory.markers.models import Contradiction, Marker, Reliability, SecondLook
from yoimemory.markers.schemas import (
    ContradictionDraft,
    ContradictionOut,
    MarkerDraft,
    MarkerOut,
    ReliabilityDraft,
    ReliabilityOut,
    SecondLookOut,
)
from yoimemory.markers.services import resolve_markers, take_over_markers
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
    by_ref: str = "",
    limit: int | None = None,
    cursor: str = "",
) -> Envelope[MarkerOut]:
    """List the markers of the workspace, newest first; `target` is a ref (of it or a part of it).

    `by_ref` asks the other way: what is superseded or contradicted by this ref, or by a part of it.
    """
    markers = Marker.objects.filter(workspace=request.workspace).select_related("made_by", "resolved_by")
    if target:
        markers = markers.filter(target_source=str(SourceRef.parse(target).bare))
    if by_ref:
        markers = markers.named_by([SourceRef.parse(by_ref)])
    if state:
        markers = markers.filter(state=state)
    if status:
        markers = markers.filter(status=status)
    return page_of(markers, limit, cursor, MarkerOut.of)


@router.post("/markers", response={201: MarkerOut}, operation_id="mark_staleness")
def mark_staleness(request: HttpRequest, draft: MarkerDraft, response: HttpResponse) -> Status[MarkerOut]:
    """Put a marker on a ref. A Worker's is proposed until a person takes it over."""
    marker = services.mark_staleness(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
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


class ContradictionAnswer(BaseModel):
    """Which side holds (left, right, both, neither), or declined, and why."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    holds: Literal["left", "right", "both", "neither", "declined"]
    resolution: str = Field(min_length=1, max_length=Contradiction.WORDS_MAX)
    settle: bool = Field(False, description="Two reviewers answered differently; this answer ends that.")


@router.get("/contradictions", response=Envelope[ContradictionOut], operation_id="list_contradictions")
def list_contradictions(
    request: HttpRequest, ref: str = "", status: str = "", limit: int | None = None, cursor: str = ""
) -> Envelope[ContradictionOut]:
    """List contradictions, newest first; `ref` asks for those with a side in it, from whichever side."""
    rows = Contradiction.objects.filter(workspace=request.workspace).with_people()
    if ref:
        rows = rows.on([SourceRef.parse(ref)])
    if status:
        rows = rows.filter(status=status)
    return page_of(rows, limit, cursor, ContradictionOut.of)


@router.post("/contradictions", response={201: ContradictionOut}, operation_id="note_contradiction")
def note_contradiction(
    request: HttpRequest, draft: ContradictionDraft, response: HttpResponse
) -> Status[ContradictionOut]:
    """Let two refs stand against each other, with what they disagree on. A Worker's is proposed."""
    row = services.note_contradiction(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/contradictions/{row.public_id}"
    return Status(201, ContradictionOut.of(row))


@router.get("/contradictions/{id}", response=ContradictionOut, operation_id="show_contradiction")
def show_contradiction(request: HttpRequest, id: str, response: HttpResponse) -> ContradictionOut:
    """Show one contradiction."""
    row = _contradiction(request, id)
    set_version(response, row.version)
    return ContradictionOut.of(row)


@router.post("/contradictions/{id}/resolve", response=ContradictionOut, operation_id="resolve_contradiction")
def resolve_contradiction(request: HttpRequest, id: str, draft: ContradictionAnswer) -> ContradictionOut:
    """Say which side holds and why, as a person with the reviewer role; with two reviewers, both answer apart."""
    row, now, version = _contradiction(request, id), timezone.now(), version_named(request)
    settled = None
    if draft.settle:
        second = get_object_or_404(SecondLook.objects.in_conflict(), workspace=request.workspace, subject=row.ref)
        settled = services.settle_conflict(
            second, answer=draft.holds, reason=draft.resolution, actor=request.actor, now=now
        )
    services.resolve_contradiction(
        row, holds=draft.holds, resolution=draft.resolution, actor=request.actor, now=now, version=version,
        settled=settled,
    )  # fmt: skip
    return ContradictionOut.of(_contradiction(request, id))


@router.post("/contradictions/{id}/take-over", response=ContradictionOut, operation_id="take_over_contradiction")
def take_over_contradiction(request: HttpRequest, id: str) -> ContradictionOut:
    """Let a Worker's proposed contradiction stand, as a person with the reviewer role. No token may."""
    row = services.take_over_contradiction(_contradiction(request, id), actor=request.actor, now=timezone.now())
    return ContradictionOut.of(row)


@router.get("/reliability", response=Envelope[ReliabilityOut], operation_id="list_reliability")
def list_reliability(
    request: HttpRequest, source: str = "", limit: int | None = None, cursor: str = ""
) -> Envelope[ReliabilityOut]:
    """List how far sources are trusted here. A source that is not listed cannot be judged."""
    rows = Reliability.objects.filter(workspace=request.workspace).select_related("set_by")
    if source:
        rows = rows.filter(source=str(SourceRef.parse(source).source))
    return page_of(rows, limit, cursor, ReliabilityOut.of)


@router.post("/reliability", response=ReliabilityOut, operation_id="set_reliability")
def set_reliability(request: HttpRequest, draft: ReliabilityDraft) -> ReliabilityOut:
    """Say how far a source is trusted, as a person with the reviewer role. No token may."""
    row = services.set_reliability(
        SourceRef.parse(draft.source), grade=draft.grade, reason=draft.reason, workspace=request.workspace,
        actor=request.actor, now=timezone.now(),
    )  # fmt: skip
    return ReliabilityOut.of(row)


@router.get("/second-looks", response=Envelope[SecondLookOut], operation_id="list_second_looks")
def list_second_looks(request: HttpRequest, limit: int | None = None, cursor: str = "") -> Envelope[SecondLookOut]:
    """What two people answer apart: what waits for you, and what stands in conflict. No answer shows before both."""
    rows = SecondLook.objects.filter(workspace=request.workspace)
    return page_of(rows.waiting_for(request.actor) | rows.in_conflict(), limit, cursor, SecondLookOut.of)


def _contradiction(request: HttpRequest, id: str) -> Contradiction:
    rows = Contradiction.objects.filter(workspace=request.workspace).with_people()
    return get_object_or_404(rows, public_id=id.removeprefix("contradiction:"))
