"""Evidence as JSON. Workers offer it; whether it is accepted only people say."""

from dataclasses import asdict
from typing import Any, Literal

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import BaseModel

from evidence import services
from evidence.annotations import page_of_annotations, read_annotations, to_annotation
from evidence.filters import CURRENT, EvidenceFilter
from evidence.models import Evidence
from evidence.placement_schemas import Confirmation, PlacementOut, Reattachment, placement_out
from evidence.schemas import (
    AnnotationsIn,
    BatchDraft,
    EvidenceDrafts,
    EvidenceOut,
    ExtractionOut,
    RefusedOut,
    RelationSet,
    ReviewDraft,
    Settlement,
)
from evidence.standing import evidence_outs
from shoebox.models import Shoebox
from yoimemory.errors import BadInput, NotFound
from yoimemory.http import Envelope, HttpRequest, page_of, set_version, version_named
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.refs import SourceRef

router = Router(tags=["evidence"])

State = Literal[
    "", "all", "standing", "waiting", "conflict", "draft", "suggested", "accepted", "rejected", "needs_change",
    "superseded", "retired",
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
    """Offer evidence: exact words and where they stand. What does not stand there is refused with the nearest text.

    With `suggest`, and no drafts, passages of the shoebox's items are proposed for its question and hypotheses.
    """
    shoebox, now = _shoebox(request, offer.shoebox), timezone.now()
    if offer.suggest == bool(offer.drafts):
        raise BadInput("Send drafts, or suggest: one of the two.", fields={"drafts": "required without suggest"})
    if offer.suggest:
        outcome = services.suggest_evidence(shoebox, limit=offer.limit, actor=request.actor, now=now)
    else:
        outcome = services.extract_evidence(shoebox, offer.drafts, actor=request.actor, now=now)
    if outcome.stored:
        response["Location"] = f"/api/v1/evidence/{outcome.stored[0].public_id}"
    return Status(201 if outcome.stored else 200, _extracted(outcome))


def _extracted(outcome: services.Extraction) -> ExtractionOut:
    return ExtractionOut(
        stored=evidence_outs(_fresh(outcome.stored)),
        refused=[RefusedOut(**asdict(refusal)) for refusal in outcome.refused],
    )


@router.get("/evidence", response=Envelope[EvidenceOut], operation_id="list_evidence")
def list_evidence(
    request: HttpRequest, narrow: Query[Narrow], limit: int | None = None, cursor: str = ""
) -> Envelope[EvidenceOut]:
    """List the evidence of the workspace, newest first, each with where its words stand now and its caveats."""
    page = page_of(_narrowed(request, narrow), limit, cursor, outs=evidence_outs)
    record_event(
        Event.Kind.QUERY, workspace=request.workspace, actor=request.actor, now=timezone.now(),
        subjects=[out.ref for out in page.items], detail={"operation": "list_evidence"},
    )  # fmt: skip
    return page


@router.post("/evidence/batches", response={201: list[EvidenceOut]}, operation_id="accept_evidence_batch")
def accept_evidence_batch(request: HttpRequest, batch: BatchDraft, response: HttpResponse) -> Status[list[EvidenceOut]]:
    """Accept up to twenty exact quotes of one source in one step, as a person, each at the version that was read."""
    shown = {one.id.removeprefix("evidence:"): one.version for one in batch.pieces}
    rows = _several(request, list(shown))
    services.accept_batch(rows, shown=shown, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/evidence/{rows[0].public_id}"
    return Status(201, evidence_outs(_fresh(rows)))


@router.post("/evidence/batches/undo", response=list[EvidenceOut], operation_id="undo_evidence_batch")
def undo_evidence_batch(request: HttpRequest, batch: BatchDraft) -> list[EvidenceOut]:
    """Take back what one step accepted, all or none."""
    rows = _several(request, [one.id.removeprefix("evidence:") for one in batch.pieces])
    services.undo_batch(rows, actor=request.actor, now=timezone.now())
    return evidence_outs(_fresh(rows))


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
    evidence, version, now = _evidence(request, id), version_named(request), timezone.now()
    given: dict[str, Any] = {"verdict": draft.verdict, "reason": draft.reason, "actor": request.actor, "now": now}
    if draft.fix:
        services.fix_and_review(
            evidence, words=draft.fix.words, relation=draft.fix.relation, target=draft.fix.target, version=version,
            **given,
        )  # fmt: skip
    else:
        services.review_evidence(evidence, version=version, **given)
    response["Location"] = f"/api/v1/evidence/{evidence.public_id}"
    return Status(201, _answer(_evidence(request, id), response))


@router.delete("/evidence/{id}/review", response=EvidenceOut, operation_id="undo_review")
def undo_review(request: HttpRequest, id: str, response: HttpResponse) -> EvidenceOut:
    """Take the last verdict back, as a person with the reviewer role, on the version named in If-Match."""
    evidence, version = _evidence(request, id), version_named(request)
    services.undo_review(evidence, actor=request.actor, now=timezone.now(), version=version)
    return _answer(_evidence(request, id), response)


@router.post("/evidence/{id}/settlement", response={201: EvidenceOut}, operation_id="settle_review")
def settle_review(request: HttpRequest, id: str, draft: Settlement, response: HttpResponse) -> Status[EvidenceOut]:
    """Settle a conflict of two reviewers with one of their answers and a reason, as a person. No token may."""
    evidence = _evidence(request, id)
    services.settle_review(evidence, **draft.model_dump(), actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/evidence/{evidence.public_id}"
    return Status(201, _answer(_evidence(request, id), response))


@router.get("/evidence/{id}/annotation", response=dict[str, Any], operation_id="show_annotation")
def show_annotation(request: HttpRequest, id: str) -> dict[str, Any]:
    """One piece of evidence as a W3C Web Annotation: quote, position and state of its source."""
    return to_annotation(_answer_of(_evidence(request, id)))


@router.get("/annotations", response=dict[str, Any], operation_id="list_annotations")
def list_annotations(
    request: HttpRequest, narrow: Query[Narrow], limit: int | None = None, cursor: str = ""
) -> dict[str, Any]:
    """The evidence as a page of W3C Web Annotations, newest first."""
    page = page_of(_narrowed(request, narrow), limit, cursor, outs=evidence_outs)
    return page_of_annotations(page.items, total=page.total, next_cursor=page.next_cursor)


@router.post("/annotations", response={201: ExtractionOut, 200: ExtractionOut}, operation_id="import_annotations")
def import_annotations(request: HttpRequest, given: AnnotationsIn, response: HttpResponse) -> Status[ExtractionOut]:
    """Take Web Annotations in through the same gate. What passes is suggested, whoever sends it."""
    shoebox, read = _shoebox(request, given.shoebox), read_annotations(given.annotations)
    outcome = services.extract_evidence(
        shoebox, read.drafts, imported=read.origins, actor=request.actor, now=timezone.now()
    )
    if outcome.stored:
        response["Location"] = f"/api/v1/evidence/{outcome.stored[0].public_id}"
    return Status(201 if outcome.stored else 200, _extracted(outcome))


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


def _narrowed(request: HttpRequest, narrow: Narrow) -> QuerySet[Evidence]:
    data = {name: value for name, value in narrow.model_dump().items() if value}
    if data.get("state") == "standing":
        data["state"] = CURRENT
    rows = Evidence.objects.in_workspace(request.workspace).with_people()
    if not data:  # the usual list; a form with nothing in it would cost as much as a query
        return rows
    found: QuerySet[Evidence] = EvidenceFilter({"state": "all", **data}, rows).qs
    return found


@router.get("/evidence/{id}/placements", response=Envelope[PlacementOut], operation_id="list_placements")
def list_placements(
    request: HttpRequest, id: str, limit: int | None = None, cursor: str = ""
) -> Envelope[PlacementOut]:
    """Where the quote was found, or not, in each later state of its source, newest first. None is ever changed."""
    return page_of(_evidence(request, id).placements.select_related("by"), limit, cursor, placement_out)


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
    return _answer_of(evidence)


def _answer_of(evidence: Evidence) -> EvidenceOut:
    return evidence_outs([evidence])[0]


def _several(request: HttpRequest, ids: list[str]) -> list[Evidence]:
    """These records, in the order in which they were named; 404 where one is not here."""
    return [_evidence(request, one) for one in dict.fromkeys(ids)]


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
