"""The list of evidence and the page of one piece."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from evidence.applies import applies_to
from evidence.beside import beside
from evidence.candidates import candidates_for
from evidence.filters import CURRENT, EvidenceFilter
from evidence.forms import WordsForm
from evidence.marks import cards_of
from evidence.models import Evidence, Placement, Relation
from evidence.placing import BY_PEOPLE
from evidence.services import may_word, open_verdicts
from evidence.services.batches import fits_a_batch, sign_shown
from evidence.services.confirming import CONFIRMABLE
from evidence.services.overturning import answered_apart
from evidence.standing import latest_placements
from evidence.surroundings import as_it_stands, as_quoted
from shoebox.models import Shoebox
from yoimemory.access.services import may_review
from yoimemory.http import HttpRequest, render_page
from yoimemory.journal.models import Change

PER_PAGE = 30
CONFIRMED_TOGETHER = frozenset(CONFIRMABLE) - {Placement.State.REWORDED_MEANING}
"""What may be confirmed several at once; a change that bears on meaning never is."""


@require_safe
def evidence_list(request: HttpRequest) -> HttpResponse:
    """Show the evidence of the workspace, or of one shoebox, contrary first, narrowed and paged."""
    own = Evidence.objects.in_workspace(request.workspace)
    data = {"state": CURRENT, **request.GET.dict()}
    shoebox = _shoebox(request, data.get("shoebox", ""))
    if shoebox:
        own = Evidence.objects.in_shoebox(shoebox)
    narrowed = EvidenceFilter(data, own)
    page = Paginator(narrowed.qs.with_people().in_review_order(), PER_PAGE).get_page(request.GET.get("page"))
    cards = cards_of(page.object_list, None, keep_order=True)
    together = [card.evidence for card in cards if fits_a_batch(card.evidence, card.standing.state)]
    query = request.GET.copy()
    query.pop("page", None)
    context: dict[str, Any] = {
        "filter": narrowed,
        "page": page,
        "cards": cards,
        "shown": sign_shown(together),
        "together": {evidence.pk for evidence in together},
        "confirmable": [card.evidence.public_id for card in cards if card.standing.state in CONFIRMED_TOGETHER],
        "shoebox": shoebox,
        "moved": data.get("moved", ""),
        "any": bool(page.object_list) or own.exists(),
        "waiting": own.to_review().count(),
        "may_review": may_review(request.actor, shoebox.workspace if shoebox else request.workspace),
        "query_string": query,
    }
    return render_page(request, "evidence/list.html", context, parts={"evidence-list"})


def _shoebox(request: HttpRequest, named: str) -> Shoebox | None:
    """The shoebox named by its ref or id; None where none is named. Raises Http404 for one that is not readable."""
    if not named:
        return None
    rows = Shoebox.objects.readable_by(request.actor)
    return get_object_or_404(rows, public_id=named.partition(":")[2] or named)


@require_safe
def evidence_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show one piece of evidence: the quote in its context, where it stands now, verdicts, history."""
    evidence = evidence_of(request, public_id)
    parts = {"verdict", "words", "relations", "anchor"}
    return render_page(request, "evidence/detail.html", detail_context(request, evidence), parts=parts)


def evidence_of(request: HttpRequest, public_id: str) -> Evidence:
    """The record, where the caller has a role; the page is then about its workspace, not the chosen one."""
    evidence = get_object_or_404(Evidence.objects.readable_by(request.actor).with_people(), public_id=public_id)
    request.workspace = evidence.workspace
    return evidence


def detail_context(request: HttpRequest, evidence: Evidence, **more: Any) -> dict[str, Any]:
    """What the page of one piece of evidence shows; its parts use some of it."""
    [card] = cards_of([evidence], None)
    latest = latest_placements([evidence]).get(evidence.pk)
    return {
        "evidence": evidence,
        "applies": applies_to(evidence.scope),
        "card": card,
        "other": beside([evidence])[evidence.pk],
        "answered": answered_apart(evidence, request.actor),
        "quoted": as_quoted(evidence),
        "now": as_it_stands(evidence, card.standing, place=latest.place if latest else ""),
        "candidates": candidates_for(evidence, card.standing, place=latest.place if latest else ""),
        "may_confirm": bool(latest and latest.state in CONFIRMABLE and latest.start is not None),
        "by_person": bool(latest and latest.method in BY_PEOPLE),
        "attach_ref": (latest and latest.place) or evidence.place,
        "placements": evidence.placements.select_related("by").order_by("-pk"),
        "reviews": evidence.reviews.select_related("by").order_by("-pk"),
        "history": Change.objects.of(evidence.ref, evidence.workspace),
        "contrary": _contrary(evidence),
        "verdicts": open_verdicts(evidence, request.actor),
        "may_review": may_review(request.actor, evidence.workspace),
        "may_word": may_word(evidence, request.actor),
        "relation_kinds": Relation.Kind.choices,
        "words_form": WordsForm.of(evidence),
        **more,
    }


def _contrary(evidence: Evidence) -> list[Any]:
    """Evidence that bears the other way on something that this one bears on."""
    other = {Relation.Kind.SUPPORTS: Relation.Kind.REFUTES, Relation.Kind.REFUTES: Relation.Kind.SUPPORTS}
    pks = {
        row.evidence_id
        for relation in evidence.relations.all()
        if relation.relation in other
        for row in Relation.objects.filter(target=relation.target, relation=other[Relation.Kind(relation.relation)])
    }
    rows = Evidence.objects.current().in_workspace(evidence.workspace).filter(pk__in=pks - {evidence.pk})
    return cards_of(rows.with_people().order_by("-pk")[:5], None, keep_order=True)
