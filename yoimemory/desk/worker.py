"""The page of one Worker: what came of what it proposed, what it was refused, and its last calls."""

from collections import Counter
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import Count, Model
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from evidence.models import Evidence
from hypotheses.models import Hypothesis
from yoimemory.access.models import Call, Token
from yoimemory.access.services import role_in
from yoimemory.http import HttpRequest, render_page
from yoimemory.journal.models import Change
from yoimemory.markers.models import Marker
from yoimemory.products.models import Proposal

PER_PAGE = 50

KEPT = frozenset({"accepted", "approved", "applied", "standing", "resolved", "stale", "superseded", "retired"})
"""States of what a person let stand, at least once."""

TURNED_DOWN = frozenset({"rejected", "declined", "reverted"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one kind of record that a Worker made."""

    name: str
    made: int
    kept: int
    turned_down: int

    @property
    def waiting(self) -> int:
        """Neither kept nor turned down: it waits for a person, or was taken back."""
        return self.made - self.kept - self.turned_down


@require_safe
def worker_detail(request: HttpRequest, token_id: str) -> TemplateResponse:
    """Show one Worker of the workspace."""
    if not role_in(request.actor, request.workspace):
        raise Http404
    token = get_object_or_404(Token, public_id=token_id, workspace=request.workspace)
    refusals_only = request.GET.get("only") == "refusals"
    calls = token.calls.order_by("-pk")
    outcomes = outcomes_of(token)
    context = {
        "token": token,
        "now": timezone.now(),
        "outcomes": outcomes,
        "judged": sum(one.kept + one.turned_down for one in outcomes),
        "turned_down": sum(one.turned_down for one in outcomes),
        "refused": refused_quotes(token),
        "refusals_only": refusals_only,
        "refusals": calls.filter(status__gte=400).count(),
        "kept": Call.KEPT,
        "page": Paginator(calls.filter(status__gte=400) if refusals_only else calls, PER_PAGE).get_page(
            request.GET.get("page")
        ),
    }
    return render_page(request, "desk/worker.html", context, parts={"calls"})


def outcomes_of(token: Token) -> list[Outcome]:
    """What became of the evidence, claims, proposals and markers that a token made, in any of its runs."""
    return [
        _outcome("Evidence", Evidence, "state", token),
        _outcome("Hypotheses", Hypothesis, "status", token),
        _outcome("Proposals", Proposal, "state", token),
        _outcome("Markers", Marker, "status", token),
    ]


def _outcome(name: str, model: type[Model], field: str, token: Token) -> Outcome:
    rows = model._default_manager.filter(made_by__token=token).order_by().values_list(field).annotate(Count("pk"))
    counts = Counter(dict(rows))
    kept = sum(counts[state] for state in KEPT)
    return Outcome(name, counts.total(), kept, sum(counts[state] for state in TURNED_DOWN))


def refused_quotes(token: Token) -> list[tuple[str, int]]:
    """The codes with which the gate refused what this token quoted, the most frequent first."""
    rows = Change.objects.filter(verb="evidence-refused", actor__token=token).values_list("after__code")
    return sorted(rows.annotate(Count("pk")).order_by(), key=lambda row: -row[1])


urlpatterns = [path("workers/<str:token_id>/", worker_detail, name="worker")]
