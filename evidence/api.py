"""Evidence as JSON. Workers offer it; whether it is accepted only people say."""

from dataclasses import asdict
from typing import Literal

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import BaseModel

from evidence import services
from evidence.filters import EvidenceFilter
from evidence.models import Evidence
from evidence.placement_schemas import Confirmation, PlacementOut, Reattachment, placement_out
from evidence.schemas import (
    EvidenceDrafts,
    EvidenceOut,
    ExtractionOut,
    RefusedOut,
    RelationSet,
    ReviewDraft,
)
from evidence.standing import evidence_outs
from shoebox.models import Shoebox
from yoimemory.errors import NotFound
from yoimemory.http import Envelope, HttpRequest, page_of, set_version, version_named
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.refs import SourceRef

router = Router(tags=["evidence"])

State = Literal[
    "", "all", "standing", "waiting", "draft", "suggested", "accepted", "rejected", "needs_change", "superseded",
    "retired",
]  # fmt: skip


class Narrow(BaseModel):
    """What a list of evidence is narrowed by. All states, unless one is named."""

    shoebox: str = ""
    state: State = ""
    relation: Literal["", "supports", "refutes", "contextualizes"] = ""
    target: str = ""
    anchor: str = ""
    source: str = ""
    ref: str = ""
    words: str = ""


class NoSuchShoebox(NotFound):
    """The shoebox is not one of this workspace."""


@router.post("/evidence", response={201: ExtractionOut, 200: ExtractionOut}, operation_id="extract_evidence")
def extract_evidence(request: HttpRequest, offer: EvidenceDrafts, response: HttpResponse) -> Status[ExtractionOut]:
    """Offer evidence: exact words and where they stand. What does not stand there is refused with the nearest text."""
    shoebox = _shoebox(request, offer.shoebox)
    outcome = services.extract_evidence(shoebox, offer.drafts, actor=request.actor, now=timezone.now())
    out = ExtractionOut(
        stored=evidence_outs(_fresh(outcome.stored)),
        refused=[RefusedOut(**asdict(refusal)) for refusal in outcome.refused],
    )
    if outcome.stored:
        response["Location"] = f"/api/v1/evidence/{outcome.stored[0].public_id}"
    return Status(201 if outcome.stored else 200, out)


@router.get("/evidence", response=Envelope[EvidenceOut], operation_id="list_evidence")
def list_evidence(
    request: HttpRequest, narrow: Query[Narrow], limit: int | None = None, cursor: str = ""
) -> Envelope[EvidenceOut]:
    """List the evidence of the workspace, newest first, each with where its words stand now and its caveats."""
    data = {name: value for name, value in narrow.model_dump().items() if value}
    rows = Evidence.objects.in_workspace(request.workspace).with_people()
    narrowed = EvidenceFilter({"state": "all", **data}, rows)
    page = page_of(narrowed.qs, limit, cursor, outs=evidence_outs)
    record_event(
        Event.Kind.QUERY, workspace=request.workspace, actor=request.actor, now=timezone.now(),
        subjects=[out.ref for out in page.items], detail={"operation": "list_evidence"},
    )  # fmt: skip
    return page


@router.post("/evidence/confirmations", response={201: list[EvidenceOut]}, operation_id="confirm_anchors")
def confirm_anchors(request: HttpRequest, draft: Confirmation, response: HttpResponse) -> Status[list[EvidenceOut]]:
    """Say, as a person, that what was found stands for these quotes: all or none, a change of meaning by itself."""
    rows = [_evidence(request, one) for one in dict.fromkeys(draft.evidence)]
    services.confirm_anchors(rows, reason=draft.reason, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/evidence/{rows[0].public_id}"
    return Status(201, evidence_outs(_fresh(rows)))


@router.get("/evidence/{id}", response=EvidenceOut, operation_id="show_evidence")
def show_evidence(request: HttpRequest, id: str, response: HttpResponse) -> EvidenceOut:
    """Show one piece of evidence: the words, their proof, who judged them, where they stand now."""
    evidence = _evidence(request, id)
    record_event(
        Event.Kind.QUERY, workspace=evidence.workspace, actor=request.actor, now=timezone.now(), subjects=[evidence.ref]
    )
    return _answer(evidence, response)


@router.post("/evidence/{id}/review", response={201: EvidenceOut}, operation_id="review_evidence")
def review_evidence(request: HttpRequest, id: str, draft: ReviewDraft, response: HttpResponse) -> Status[EvidenceOut]:
    """Give a verdict, as a person with the reviewer role, on the version named in If-Match."""
    evidence, version = _evidence(request, id), version_named(request)
    services.review_evidence(evidence, **draft.model_dump(), actor=request.actor, now=timezone.now(), version=version)
    response["Location"] = f"/api/v1/evidence/{evidence.public_id}"
    return Status(201, _answer(_evidence(request, id), response))


@router.delete("/evidence/{id}/review", response=EvidenceOut, operation_id="undo_review")
def undo_review(request: HttpRequest, id: str, response: HttpResponse) -> EvidenceOut:
    """Take the last verdict back, as a person with the reviewer role, on the version named in If-Match."""
    evidence, version = _evidence(request, id), version_named(request)
    services.undo_review(evidence, actor=request.actor, now=timezone.now(), version=version)
    return _answer(_evidence(request, id), response)


@router.post("/evidence/{id}/relations", response={201: EvidenceOut}, operation_id="relate_evidence")
def relate_evidence(request: HttpRequest, id: str, draft: RelationSet, response: HttpResponse) -> Status[EvidenceOut]:
    """Say how evidence bears on a hypothesis or on its shoebox; whoever offered it may while it waits."""
    evidence, target = _evidence(request, id), SourceRef.parse(draft.target)
    now, version = timezone.now(), version_named(request)
    if draft.relation:
        services.relate_evidence(
            evidence, target=target, relation=draft.relation, actor=request.actor, now=now, version=version
        )
    else:
        services.unrelate_evidence(evidence, target=target, actor=request.actor, now=now, version=version)
    response["Location"] = f"/api/v1/evidence/{evidence.public_id}"
    return Status(201, _answer(_evidence(request, id), response))


@router.get("/evidence/{id}/placements", response=list[PlacementOut], operation_id="list_placements")
def list_placements(request: HttpRequest, id: str) -> list[PlacementOut]:
    """Where the quote was found, or not, in each later state of its source, newest first. None is ever changed."""
    return [placement_out(each) for each in _evidence(request, id).placements.select_related("by").order_by("-pk")]


@router.post("/evidence/{id}/placements", response={201: EvidenceOut}, operation_id="reattach_anchor")
def reattach_anchor(request: HttpRequest, id: str, draft: Reattachment, response: HttpResponse) -> Status[EvidenceOut]:
    """Attach the quote to other words, as a person with the reviewer role, on the version named in If-Match."""
    evidence, version = _evidence(request, id), version_named(request)
    words = services.Words(SourceRef.parse(draft.ref), draft.quote, draft.line, draft.column, draft.reason)
    services.reattach_anchor(evidence, words, actor=request.actor, now=timezone.now(), version=version)
    response["Location"] = f"/api/v1/evidence/{evidence.public_id}"
    return Status(201, _answer(_evidence(request, id), response))


@router.delete("/evidence/{id}/placements", response=EvidenceOut, operation_id="undo_placement")
def undo_placement(request: HttpRequest, id: str, response: HttpResponse) -> EvidenceOut:
    """Take back what a person said last of where the quote stands, on the version named in If-Match."""
    evidence, version = _evidence(request, id), version_named(request)
    services.undo_placement(evidence, actor=request.actor, now=timezone.now(), version=version)
    return _answer(_evidence(request, id), response)


def _answer(evidence: Evidence, response: HttpResponse) -> EvidenceOut:
    set_version(response, evidence.version)
    return evidence_outs([evidence])[0]


def _evidence(request: HttpRequest, id: str) -> Evidence:
    rows = Evidence.objects.in_workspace(request.workspace).readable_by(request.actor).with_people()
    return get_object_or_404(rows, public_id=id.removeprefix("evidence:"))


def _shoebox(request: HttpRequest, named: str) -> Shoebox:
    rows = Shoebox.objects.in_workspace(request.workspace).select_related("workspace")
    shoebox = rows.filter(public_id=named.removeprefix("shoebox:")).first()
    if shoebox is None:
        raise NoSuchShoebox(
            f"There is no shoebox {named!r} in this workspace.",
            hint="List them at /api/v1/shoeboxes, or open one with POST.",
            fields={"shoebox": "unknown"},
        )
    return shoebox


def _fresh(rows: list[Evidence]) -> list[Evidence]:
    """The same rows with everything that an answer shows, in a fixed number of queries."""
    by_pk = Evidence.objects.with_people().in_bulk([row.pk for row in rows])
    return [by_pk[row.pk] for row in rows]
