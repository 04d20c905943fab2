"""Proposals and artifacts as JSON. Workers propose; only people approve, apply and undo."""

import json
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import BaseModel, Field

from shoebox.models import Shoebox
from yoimemory.http import Envelope, HttpRequest, page_of, set_version, version_named
from yoimemory.products import services
from yoimemory.products.artifact import artifact_of, artifact_schema
from yoimemory.products.evaluation import evaluation_of
from yoimemory.products.filters import ProposalFilter
from yoimemory.products.impact import impact_report
from yoimemory.products.models import Impact, Proposal
from yoimemory.products.reports import EvaluationOut, ImpactReport, TrialDraft
from yoimemory.products.schemas import (
    ApplyDraft,
    ArtifactOut,
    ImpactDraft,
    ImpactOut,
    ImportDraft,
    ImportOut,
    Part,
    ProposalDraft,
    ProposalOut,
    ReasonDraft,
    RefusedPart,
    ReviewDraft,
    RevisionDraft,
    Target,
)
from yoimemory.products.standing import proposal_out, proposal_outs
from yoimemory.products.written import WrittenOut, written_artifacts

router = Router(tags=["proposals"])

Weeks = Annotated[int, Field(ge=1, le=52)]
Known = Literal["", "observed", "recorded", "claimed"]

State = Literal[
    "proposed", "needs_change", "approved", "rejected", "applied", "conflict", "withdrawn", "reverted"
]  # fmt: skip


class Narrow(BaseModel):
    """What a list of proposals is narrowed by."""

    state: list[State] = []
    target: Target | None = None
    shoebox: str = ""
    evidence: str = ""
    words: str = ""


@router.get("/proposals", response=Envelope[ProposalOut], operation_id="list_proposals")
def list_proposals(
    request: HttpRequest, narrow: Query[Narrow], limit: int | None = None, cursor: str = ""
) -> Envelope[ProposalOut]:
    """List the proposals of the workspace, newest first."""
    own = Proposal.objects.in_workspace(request.workspace).with_people()
    return page_of(ProposalFilter(request.GET, own).qs, limit, cursor, outs=proposal_outs)


@router.post("/proposals", response={201: ProposalOut}, operation_id="propose_candidate")
def propose_candidate(request: HttpRequest, draft: ProposalDraft, response: HttpResponse) -> Status[ProposalOut]:
    """Propose the exact new content of one file, or a text for a ticket. Nothing is written until a person approves."""
    proposal = services.propose_candidate(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/proposals/{proposal.public_id}"
    return Status(201, _answer(proposal, response))


@router.get("/proposals/{id}", response=ProposalOut, operation_id="show_proposal")
def show_proposal(request: HttpRequest, id: str, response: HttpResponse) -> ProposalOut:
    """Show a proposal: the exact change, its rationale, its proof and whether its file has moved."""
    return _answer(_proposal(request, id), response)


@router.post("/proposals/{id}/revise", response=ProposalOut, operation_id="revise_proposal")
def revise_proposal(request: HttpRequest, id: str, draft: RevisionDraft, response: HttpResponse) -> ProposalOut:
    """Answer a reviewer with a new revision of one's own proposal."""
    version = version_named(request)
    proposal = services.revise_proposal(
        _proposal(request, id), draft, version=version, actor=request.actor, now=timezone.now()
    )
    return _answer(proposal, response)


@router.post("/proposals/{id}/rebase", response=ProposalOut, operation_id="rebase_proposal")
def rebase_proposal(request: HttpRequest, id: str, response: HttpResponse) -> ProposalOut:
    """Carry one's own proposal over to the file as it stands."""
    version = version_named(request)
    proposal = services.rebase_proposal(
        _proposal(request, id), version=version, actor=request.actor, now=timezone.now()
    )
    return _answer(proposal, response)


@router.post("/proposals/{id}/withdraw", response=ProposalOut, operation_id="withdraw_proposal")
def withdraw_proposal(request: HttpRequest, id: str, draft: ReasonDraft, response: HttpResponse) -> ProposalOut:
    """Take one's own proposal back before anything is written."""
    version = version_named(request)
    proposal = services.withdraw_proposal(
        _proposal(request, id), reason=draft.reason, version=version, actor=request.actor, now=timezone.now()
    )
    return _answer(proposal, response)


@router.post("/proposals/{id}/review", response=ProposalOut, operation_id="review_proposal")
def review_proposal(request: HttpRequest, id: str, draft: ReviewDraft, response: HttpResponse) -> ProposalOut:
    """Approve, ask for a change, or reject, as a person with the reviewer role. No token may."""
    version = version_named(request)
    proposal = services.review_proposal(
        _proposal(request, id), **draft.model_dump(), version=version, actor=request.actor, now=timezone.now()
    )
    return _answer(proposal, response)


@router.post("/proposals/{id}/apply", response=ProposalOut, operation_id="apply_proposal")
def apply_proposal(request: HttpRequest, id: str, draft: ApplyDraft, response: HttpResponse) -> ProposalOut:
    """Write an approved proposal into the workspace, as a person with the reviewer role. No token may."""
    version = version_named(request)
    proposal = services.apply_proposal(
        _proposal(request, id), **draft.model_dump(), version=version, actor=request.actor, now=timezone.now()
    )
    if proposal.state == Proposal.State.CONFLICT:
        raise services.BaseChanged(
            proposal.state_reason, hint="The proposal is in conflict now: rebase it on the file as it stands."
        )
    return _answer(proposal, response)


@router.post("/proposals/{id}/revert", response=ProposalOut, operation_id="revert_proposal")
def revert_proposal(request: HttpRequest, id: str, draft: ReasonDraft, response: HttpResponse) -> ProposalOut:
    """Undo an applied proposal, as a person with the reviewer role. No token may."""
    version = version_named(request)
    proposal = services.revert_proposal(
        _proposal(request, id), reason=draft.reason, version=version, actor=request.actor, now=timezone.now()
    )
    return _answer(proposal, response)


@router.get("/shoeboxes/{id}/artifact", response=ArtifactOut, by_alias=True, operation_id="export_artifact")
def export_artifact(request: HttpRequest, id: str, part: Part = "dossier", only: str = "") -> ArtifactOut:
    """Read a shoebox with everything in it as one artifact. Writing it into the workspace is a person's act.

    `part` names one part; `only` is the id of one representation.
    """
    own = Shoebox.objects.in_workspace(request.workspace).select_related("workspace", "opened_by")
    return artifact_of(get_object_or_404(own, public_id=id), part, only=only)


@router.get("/artifacts", response=Envelope[WrittenOut], operation_id="list_artifacts")
def list_artifacts(
    request: HttpRequest, shoebox: str = "", state: str = "", limit: int | None = None, cursor: str = ""
) -> Envelope[WrittenOut]:
    """List the shoeboxes that were written into the workspace as artifacts, newest first."""
    return page_of(written_artifacts(request.workspace, shoebox, state), limit, cursor, WrittenOut.of)


@router.post("/artifacts", response={200: ImportOut, 201: ImportOut}, operation_id="import_artifact")
def import_artifact(request: HttpRequest, draft: ImportDraft, response: HttpResponse) -> Status[ImportOut]:
    """Take an artifact in. Every quote is proved anew, and whatever was judged elsewhere waits for review here."""
    if draft.path:
        text = services.artifact_file(request.workspace, draft.path)
    else:
        text = json.dumps(draft.artifact, ensure_ascii=False)
    taken = services.import_artifact(text, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/shoeboxes/{taken.shoebox.public_id}"
    out = ImportOut(
        shoebox=str(taken.shoebox.ref),
        known=taken.known,
        foreign=taken.foreign,
        refused=[RefusedPart.model_validate(part) for part in taken.refused],
    )
    return Status(200 if taken.known else 201, out)


@router.post("/impact", response={201: ImpactOut}, operation_id="record_impact")
def record_impact(request: HttpRequest, draft: ImpactDraft, response: HttpResponse) -> Status[ImpactOut]:
    """Tell of an effect on the work. A Worker's is claimed and stays apart from what is observed."""
    impact = services.record_impact(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = "/api/v1/impact/events"
    return Status(201, ImpactOut.model_validate(impact))


@router.get("/impact", response=ImpactReport, operation_id="show_impact")
def show_impact(request: HttpRequest, weeks: Weeks = 12, role: str = "") -> ImpactReport:
    """Count what memory did to the work in a span of weeks: effects by how they are known, exposure and harm apart."""
    return impact_report(request.workspace, now=timezone.now(), weeks=weeks, role=role)


@router.get("/impact/events", response=Envelope[ImpactOut], operation_id="list_impact_events")
def list_impact_events(
    request: HttpRequest, known: Known = "", limit: int | None = None, cursor: str = ""
) -> Envelope[ImpactOut]:
    """List the effects themselves, newest first."""
    rows = Impact.objects.in_workspace(request.workspace).select_related("actor")
    return page_of(rows.filter(known=known) if known else rows, limit, cursor, ImpactOut.model_validate)


@router.get("/artifacts/schema", response=dict, operation_id="show_artifact_schema")
def show_artifact_schema(request: HttpRequest) -> dict[str, Any]:
    """Publish the JSON Schema of an artifact, under the version that every artifact names."""
    return artifact_schema()


@router.get("/trials", response=EvaluationOut, operation_id="show_evaluation")
def show_evaluation(request: HttpRequest, kind: str = "") -> EvaluationOut:
    """Compare tasks worked on with our skills and without, from events and threads."""
    return evaluation_of(request.workspace, now=timezone.now(), kind=kind)


@router.post("/trials", response={201: EvaluationOut}, operation_id="begin_trial")
def begin_trial(request: HttpRequest, draft: TrialDraft, response: HttpResponse) -> Status[EvaluationOut]:
    """Put a task into the comparison, as a person with the reviewer role. Without an arm it is drawn."""
    services.begin_trial(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = "/api/v1/trials"
    return Status(201, evaluation_of(request.workspace, now=timezone.now(), kind=draft.kind))


def _proposal(request: HttpRequest, id: str) -> Proposal:
    return get_object_or_404(Proposal.objects.in_workspace(request.workspace).with_people(), public_id=id)


def _answer(proposal: Proposal, response: HttpResponse) -> ProposalOut:
    set_version(response, proposal.version)
    return proposal_out(proposal)
