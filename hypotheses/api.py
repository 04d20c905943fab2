"""Hypotheses and representations as JSON. Workers propose; only people decide."""

from dataclasses import asdict
from typing import Literal

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status

from evidence.schemas import ExtractionOut, RefusedOut
from evidence.standing import evidence_outs
from hypotheses.filters import HypothesisFilter, RepresentationFilter
from hypotheses.findings import matrix_out, rating_out
from hypotheses.grid import Grid, Rated
from hypotheses.models import Hypothesis, Representation
from hypotheses.rendering import hypothesis_markdown, representation_markdown
from hypotheses.schemas import (
    DecisionDraft,
    HypothesisDraft,
    HypothesisOut,
    MatrixOut,
    RatingDraft,
    RatingOut,
    RepresentationDraft,
    RepresentationEdit,
    RepresentationKind,
    RepresentationOut,
    SettlementDraft,
    SuggestDraft,
)
from hypotheses.schemas import Status as HypothesisStatus
from hypotheses.services import create_representation as create
from hypotheses.services import decide_hypothesis as decide
from hypotheses.services import edit_representation as edit
from hypotheses.services import import_representation as import_one
from hypotheses.services import propose_hypothesis as propose
from hypotheses.services import rate_evidence as rate
from hypotheses.services import seek_contrary as seek
from hypotheses.services import settle_decision as settle
from hypotheses.services import suggest_found as suggest
from hypotheses.services import withdraw_decision as withdraw
from hypotheses.services.finding import hypothesis_named, shoebox_named
from hypotheses.standing import hypotheses_out, hypothesis_out, representation_out, representations_out
from yoimemory.http import Envelope, HttpRequest, page_of, set_version, version_named

router = Router(tags=["hypotheses"])

Format = Literal["json", "markdown"]
QUESTION_MAX = 500
MARKDOWN = "text/markdown; charset=utf-8"


@router.get("/hypotheses", response=Envelope[HypothesisOut], operation_id="list_hypotheses")
def list_hypotheses(
    request: HttpRequest,
    status: Query[list[HypothesisStatus]] = [],  # noqa: B006 -- ninja copies it
    shoebox: str = "",
    words: str = "",
    limit: int | None = None,
    cursor: str = "",
) -> Envelope[HypothesisOut]:
    """List the hypotheses of the workspace, newest first."""
    rows = Hypothesis.objects.in_workspace(request.workspace).with_people()
    return page_of(HypothesisFilter(request.GET, rows).qs, limit, cursor, outs=hypotheses_out)


@router.post("/hypotheses", response={201: HypothesisOut}, operation_id="propose_hypothesis")
def propose_hypothesis(request: HttpRequest, draft: HypothesisDraft, response: HttpResponse) -> Status[HypothesisOut]:
    """Propose a hypothesis in a shoebox. Whoever proposes it, it starts as *proposed*."""
    hypothesis = propose(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/hypotheses/{hypothesis.public_id}"
    set_version(response, hypothesis.version)
    return Status(201, hypothesis_out(hypothesis))


@router.get("/hypotheses/matrix", response=MatrixOut, operation_id="show_matrix")
def show_matrix(request: HttpRequest, shoebox: str, workers: bool = False) -> MatrixOut:
    """Show the matrix of a shoebox with its sensitivity; Workers' ratings are counted on request."""
    found = shoebox_named(shoebox, request.workspace)
    return matrix_out(Grid.of(found, workers=workers))


@router.post("/hypotheses/ratings", response={201: list[RatingOut]}, operation_id="rate_evidence")
def rate_evidence(request: HttpRequest, draft: RatingDraft, response: HttpResponse) -> Status[list[RatingOut]]:
    """Rate one piece of evidence across the claims of its shoebox. People's ratings count, Workers' stand beside."""
    rated = rate(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/evidence/{rated[0].evidence.public_id}" if rated else "/api/v1/evidence"
    return Status(201, [rating_out(Rated(rating, [])) for rating in rated])


@router.get("/hypotheses/{id}", response=HypothesisOut, operation_id="show_hypothesis")
def show_hypothesis(
    request: HttpRequest, id: str, response: HttpResponse, format: Format = "json"
) -> HypothesisOut | HttpResponse:
    """Show a hypothesis with what speaks against it and for it, and where each quote stands."""
    hypothesis = get_object_or_404(Hypothesis.objects.in_workspace(request.workspace).with_people(), public_id=id)
    out = hypothesis_out(hypothesis)
    if format == "markdown":
        response = HttpResponse(hypothesis_markdown(out), content_type=MARKDOWN)
        set_version(response, hypothesis.version)
        return response
    set_version(response, hypothesis.version)
    return out


@router.post(
    "/hypotheses/{id}/decision", response={201: HypothesisOut, 202: HypothesisOut}, operation_id="decide_hypothesis"
)
def decide_hypothesis(
    request: HttpRequest, id: str, draft: DecisionDraft, response: HttpResponse
) -> Status[HypothesisOut]:
    """Change the status of a hypothesis, as a person with the reviewer role, for a reason.

    202: noted, and nothing has changed; where two people may decide, both answer apart.
    """
    hypothesis = get_object_or_404(Hypothesis.objects.in_workspace(request.workspace).with_people(), public_id=id)
    by = hypothesis_named(draft.superseded_by, hypothesis.workspace) if draft.superseded_by else None
    decision = decide(
        hypothesis,
        after=draft.after,
        reason=draft.reason,
        actor=request.actor,
        now=timezone.now(),
        confirmed=draft.confirmed,
        override=draft.override,
        superseded_by=by,
        version=draft.version or version_named(request),
    )
    hypothesis = Hypothesis.objects.with_people().get(pk=hypothesis.pk)
    response["Location"] = f"/api/v1/hypotheses/{hypothesis.public_id}"
    set_version(response, hypothesis.version)
    return Status(201 if decision else 202, hypothesis_out(hypothesis))


@router.delete("/hypotheses/{id}/decision", response=HypothesisOut, operation_id="withdraw_decision")
def withdraw_decision(request: HttpRequest, id: str) -> HypothesisOut:
    """Take one's own answer back while another reviewer has not given theirs."""
    hypothesis = get_object_or_404(Hypothesis.objects.in_workspace(request.workspace).with_people(), public_id=id)
    withdraw(hypothesis, actor=request.actor, now=timezone.now())
    return hypothesis_out(hypothesis)


@router.post("/hypotheses/{id}/settlement", response={201: HypothesisOut}, operation_id="settle_decision")
def settle_decision(
    request: HttpRequest, id: str, draft: SettlementDraft, response: HttpResponse
) -> Status[HypothesisOut]:
    """End a disagreement of two reviewers about a hypothesis with one of their answers and a reason."""
    hypothesis = get_object_or_404(Hypothesis.objects.in_workspace(request.workspace).with_people(), public_id=id)
    settle(hypothesis, **draft.model_dump(), actor=request.actor, now=timezone.now())
    hypothesis = Hypothesis.objects.with_people().get(pk=hypothesis.pk)
    response["Location"] = f"/api/v1/hypotheses/{hypothesis.public_id}"
    set_version(response, hypothesis.version)
    return Status(201, hypothesis_out(hypothesis))


@router.post("/hypotheses/{id}/contrary", response={201: HypothesisOut}, operation_id="seek_contrary")
def seek_contrary(request: HttpRequest, id: str, response: HttpResponse, question: str = "") -> Status[HypothesisOut]:
    """Search for what would refute the claim; what was looked for is recorded, and `question` joins the open ones."""
    hypothesis = get_object_or_404(Hypothesis.objects.in_workspace(request.workspace).with_people(), public_id=id)
    seek(hypothesis, actor=request.actor, now=timezone.now(), question=question.strip()[:QUESTION_MAX])
    hypothesis = Hypothesis.objects.with_people().get(pk=hypothesis.pk)
    response["Location"] = f"/api/v1/hypotheses/{hypothesis.public_id}"
    set_version(response, hypothesis.version)
    return Status(201, hypothesis_out(hypothesis))


@router.post(
    "/hypotheses/{id}/contrary/evidence",
    response={201: ExtractionOut, 200: ExtractionOut},
    operation_id="suggest_contrary",
)
def suggest_contrary(
    request: HttpRequest, id: str, draft: SuggestDraft, response: HttpResponse
) -> Status[ExtractionOut]:
    """Suggest what the last counter-search found as evidence, in its exact words, without saying how it bears."""
    hypothesis = get_object_or_404(Hypothesis.objects.in_workspace(request.workspace).with_people(), public_id=id)
    outcome = suggest(hypothesis, draft.refs, actor=request.actor, now=timezone.now())
    refused = [RefusedOut(**asdict(refusal)) for refusal in outcome.refused]
    out = ExtractionOut(stored=evidence_outs(outcome.stored), refused=refused)
    if outcome.stored:
        response["Location"] = f"/api/v1/evidence/{outcome.stored[0].public_id}"
    return Status(201 if outcome.stored else 200, out)


@router.get("/representations", response=Envelope[RepresentationOut], operation_id="list_representations")
def list_representations(
    request: HttpRequest,
    kind: RepresentationKind | Literal[""] = "",
    shoebox: str = "",
    words: str = "",
    limit: int | None = None,
    cursor: str = "",
) -> Envelope[RepresentationOut]:
    """List the representations of the workspace, newest first."""
    rows = Representation.objects.in_workspace(request.workspace).select_related("shoebox", "made_by")
    return page_of(RepresentationFilter(request.GET, rows).qs, limit, cursor, outs=representations_out)


@router.post("/representations", response={201: RepresentationOut}, operation_id="create_representation")
def create_representation(
    request: HttpRequest, draft: RepresentationDraft, response: HttpResponse
) -> Status[RepresentationOut]:
    """Make a representation: built from evidence, or from the body that is sent."""
    made = create(draft, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/representations/{made.public_id}"
    set_version(response, made.version)
    return Status(201, representation_out(made))


@router.post("/representations/import", response={201: RepresentationOut}, operation_id="import_representation")
def import_representation(
    request: HttpRequest, said: RepresentationOut, response: HttpResponse, shoebox: str = ""
) -> Status[RepresentationOut]:
    """Make a new representation from the JSON of an exported one, in `shoebox` or in the one it names."""
    made = import_one(said, shoebox=shoebox, workspace=request.workspace, actor=request.actor, now=timezone.now())
    response["Location"] = f"/api/v1/representations/{made.public_id}"
    return Status(201, representation_out(made))


@router.get("/representations/{id}", response=RepresentationOut, operation_id="show_representation")
def show_representation(
    request: HttpRequest, id: str, response: HttpResponse, format: Format = "json"
) -> RepresentationOut | HttpResponse:
    """Show a representation, as JSON or as Markdown, and whether something it cites has moved."""
    rows = Representation.objects.in_workspace(request.workspace).select_related("shoebox", "made_by")
    made = get_object_or_404(rows, public_id=id)
    out = representation_out(made)
    if format == "markdown":
        response = HttpResponse(representation_markdown(out), content_type=MARKDOWN)
        set_version(response, made.version)
        return response
    set_version(response, made.version)
    return out


@router.patch("/representations/{id}", response=RepresentationOut, operation_id="edit_representation")
def edit_representation(
    request: HttpRequest, id: str, draft: RepresentationEdit, response: HttpResponse
) -> RepresentationOut:
    """Change the title or the rows of a representation, against the version that was read (`If-Match`)."""
    rows = Representation.objects.in_workspace(request.workspace).select_related("workspace", "shoebox", "made_by")
    made = get_object_or_404(rows, public_id=id)
    made = edit(made, draft, version=version_named(request), actor=request.actor, now=timezone.now())
    set_version(response, made.version)
    return representation_out(made)
