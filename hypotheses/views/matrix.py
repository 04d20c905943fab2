"""The matrix of a shoebox, its sensitivity, and the card on which one piece of evidence is rated blind."""

import hashlib
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from hypotheses import services
from hypotheses.findings import findings_of
from hypotheses.grid import Grid, Piece
from hypotheses.models import Hypothesis
from hypotheses.schemas import RatingDraft
from hypotheses.services.rating import ratings_by
from hypotheses.table import SORTS, disputes_of, table_of
from hypotheses.wording import told
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, render_page, sentence, status_of

CHOICES = [
    ("II", "strongly inconsistent", "1"), ("I", "inconsistent", "2"), ("N", "neutral", "3"), ("C", "consistent", "4"),
    ("CC", "strongly consistent", "5"), ("NA", "does not apply", "n"), ("", "leave blank", "-"),
]  # fmt: skip
"""Value, what it says, and its key."""


@require_safe
def matrix_show(request: HttpRequest, shoebox_id: str) -> TemplateResponse:
    """Show the matrix in the order asked for."""
    shoebox = _shoebox(request, shoebox_id)
    return render_page(request, "hypotheses/matrix.html", _matrix(request, shoebox), parts={"matrix"})


@require_safe
def matrix_sensitivity(request: HttpRequest, shoebox_id: str) -> TemplateResponse:
    """Show how firmly the lead stands; the page asks for it after the table."""
    shoebox = _shoebox(request, shoebox_id)
    grid = Grid.of(shoebox, workers=request.GET.get("workers") == "1")
    findings = findings_of(grid)
    context = {
        "shoebox": shoebox,
        "grid": grid,
        "told": told(grid, findings),
        "front": next((one for one in grid.hypotheses if findings.front and one.public_id == findings.front[0]), None),
        "disputes": disputes_of(grid),
    }
    return render_page(request, "hypotheses/sensitivity.html", context, parts={"sensitivity"})


@require_safe
def card_show(request: HttpRequest, shoebox_id: str) -> HttpResponse:
    """Show the card of one piece of evidence: every claim, no rating of anybody."""
    shoebox = _shoebox(request, shoebox_id)
    grid = Grid.of(shoebox)
    piece = _piece_to_rate(grid, request.actor, request.GET.get("evidence", ""))
    rated = piece is not None and ratings_by(request.actor).filter(evidence=piece.evidence).exists()
    saved = rated and request.GET.get("saved") == "1"
    context = {"shoebox": shoebox, **_card(grid, piece, request.actor, saved=saved)}
    return render_page(request, "hypotheses/card.html", context, parts={"card"})


@require_POST
def card_rate(request: HttpRequest, shoebox_id: str, evidence_id: str) -> HttpResponse:
    """Save the card; answer with what others said of the same evidence, and the way to the next card."""
    shoebox = _shoebox(request, shoebox_id)
    ratings = _sent(request)
    problem, code = "", 200
    try:
        if not ratings:
            problem, code = "Rate at least one claim, or go on to another piece of evidence.", 422
        else:
            draft = RatingDraft.model_validate({"evidence": evidence_id, "ratings": ratings})
            services.rate_evidence(draft, workspace=shoebox.workspace, actor=request.actor, now=timezone.now())
    except ValueError:
        problem, code = "A rating is II, I, N, C, CC or NA, with a note of at most 400 characters.", 422
    except DomainError as error:
        problem, code = sentence(error), status_of(error)
    if not problem and not request.htmx:
        address = reverse("hypotheses:card", args=[shoebox_id])
        return HttpResponseRedirect(f"{address}?evidence={evidence_id}&saved=1")
    grid = Grid.of(shoebox)
    piece = next((one for one in grid.pieces if one.key == evidence_id), None)
    context = {"shoebox": shoebox, **_card(grid, piece, request.actor, saved=not problem), "problem": problem}
    if problem:
        sent = {item["hypothesis"]: (item["value"], item["note"]) for item in ratings}
        context["claims"] = [(one, *sent.get(one.public_id, ("", ""))) for one, _, _ in context.get("claims", [])]
    template = "hypotheses/card.html" + ("#card" if request.htmx else "")
    response: HttpResponse = TemplateResponse(request, template, context, status=code)
    return response if problem else trigger_client_event(response, "evidence-rated")


def _sent(request: HttpRequest) -> list[dict[str, str]]:
    """The ratings of the card that carry a value, each with its note."""
    return [
        {"hypothesis": key.removeprefix("rating-"), "value": value, "note": request.POST.get(f"note-{key[7:]}", "")}
        for key, value in request.POST.items()
        if key.startswith("rating-") and isinstance(value, str) and value
    ]


def _shoebox(request: HttpRequest, public_id: str) -> Shoebox:
    rows = Shoebox.objects.readable_by(request.actor).select_related("workspace")
    shoebox = get_object_or_404(rows, public_id=public_id)
    request.workspace = shoebox.workspace
    return shoebox


def _matrix(request: HttpRequest, shoebox: Shoebox) -> dict[str, Any]:
    asked = {name: request.GET.get(name, "") for name in ("sort", "workers", "transpose", "fold")}
    grid = Grid.of(shoebox, workers=asked["workers"] == "1")
    query = request.GET.copy()
    return {
        "shoebox": shoebox,
        "grid": grid,
        "table": table_of(grid, sort=asked["sort"], fold=asked["fold"] == "1"),
        "asked": asked,
        "sorts": SORTS,
        "query_string": query.urlencode(),
    }


def _piece_to_rate(grid: Grid, actor: Actor, wanted: str) -> Piece | None:
    """The one named, else the first that this person has not rated against every claim."""
    if wanted:
        return next((piece for piece in grid.pieces if piece.key == wanted), None)
    left = _unrated(grid, actor)
    return left[0] if left else None


def _unrated(grid: Grid, actor: Actor) -> list[Piece]:
    done: dict[str, int] = {}
    for key in ratings_by(actor).filter(hypothesis__shoebox=grid.shoebox).values_list("evidence__public_id", flat=True):
        done[key] = done.get(key, 0) + 1
    return [piece for piece in grid.pieces if done.get(piece.key, 0) < len(grid.hypotheses)]


def _card(grid: Grid, piece: Piece | None, actor: Actor, *, saved: bool = False) -> dict[str, Any]:
    """What the card shows. Before it is saved it holds no rating of anybody, not even one's own."""
    left = [one for one in _unrated(grid, actor) if piece is None or one.key != piece.key]
    context: dict[str, Any] = {
        "piece": piece,
        "left": left,
        "choices": CHOICES,
        "saved": saved,
        "total": len(grid.pieces),
    }
    if piece is None:
        return context
    claims = sorted(grid.hypotheses, key=lambda one: _shuffle(actor, piece, one))
    context["claims"] = [(one, "", "") for one in claims]
    if saved:
        context["answers"] = [(one, grid.rated.get((one.public_id, piece.key), [])) for one in grid.hypotheses]
    return context


def _shuffle(actor: Actor, piece: Piece, hypothesis: Hypothesis) -> str:
    """An order of its own for each person and card, and the same when the card is opened again."""
    return hashlib.sha256(f"{actor.pk} {piece.key} {hypothesis.public_id}".encode()).hexdigest()
