"""The workbench: one shoebox with everything that rests on it, a tab for each stage."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.views.decorators.http import require_safe

import shoebox.converters  # noqa: F401 - registers the converter that the path below uses
from evidence.models import Evidence
from evidence.standing import caveats_of, standings
from hypotheses.basis import bases_of
from hypotheses.models import Hypothesis, Representation
from hypotheses.standing import behind_reasons
from shoebox.models import Shoebox
from shoebox.services import rests_on
from shoebox.views import items_context
from yoimemory.desk.against import Quoted, against_each
from yoimemory.desk.needs import bearings_of
from yoimemory.http import HttpRequest, render_page
from yoimemory.journal.models import Change
from yoimemory.products.models import Export, Proposal
from yoimemory.search.lookup import find_document

TABS = ("items", "evidence", "representations", "hypotheses", "products")


@dataclass(frozen=True, slots=True)
class Tab:
    """One stage of the shoebox and how much it holds."""

    name: str
    count: int
    current: bool


@require_safe
def workbench(request: HttpRequest, id: str) -> HttpResponse:
    """Show one shoebox: a tab of it, what speaks against, and the budget."""
    shoeboxes = Shoebox.objects.readable_by(request.actor).select_related("workspace", "opened_by")
    box = get_object_or_404(shoeboxes, public_id=id)
    request.workspace = box.workspace
    tab = request.GET.get("tab", "items")
    tab = tab if tab in TABS else "items"
    context: dict[str, Any] = {
        "shoebox": box,
        "tab": tab,
        "tabs": tabs_of(box, tab),
        "holdings": box.holdings,
        "against": against_each(box),
        "task": find_document(box.workspace, box.task_ref) if box.task_ref else None,
        "later": sum(
            bool(caveat) and caveat.startswith("Later") for caveat in box.items.values_list("caveat", flat=True)
        ),
        "rests_on": rests_on(box),
        "closed": None if box.is_open else last_step(box),
        **PANELS[tab](box),
    }
    return render_page(request, "desk/workbench.html", context, parts={"against", "panel", "state"})


def tabs_of(box: Shoebox, current: str) -> list[Tab]:
    """The tabs with their counts."""
    counts = {
        "items": 0,  # written as "9 + 2 set aside" by the part that the floor owns
        "evidence": Evidence.objects.in_shoebox(box).current().count(),
        "representations": Representation.objects.filter(shoebox=box).count(),
        "hypotheses": Hypothesis.objects.in_shoebox(box).count(),
        "products": Proposal.objects.filter(shoebox=box).count() + Export.objects.filter(shoebox=box).count(),
    }
    return [Tab(name, counts[name], name == current) for name in TABS]


def last_step(box: Shoebox) -> Change | None:
    """Who closed, archived or discarded it, when and why."""
    verbs = [f"shoebox-{state}" for state in Shoebox.State.values]
    return Change.objects.of(box.ref, box.workspace).filter(verb__in=verbs).first()


def _evidence(box: Shoebox) -> dict[str, Any]:
    rows = list(Evidence.objects.in_shoebox(box).with_people().in_review_order())
    standing = standings(rows)
    caveats, bearings = caveats_of(rows, known=standing), bearings_of(rows)
    return {"quotes": [Quoted(row, standing[row.pk], caveats[row.pk], bearings[row.pk]) for row in rows]}


def _representations(box: Shoebox) -> dict[str, Any]:
    rows = list(Representation.objects.filter(shoebox=box).select_related("made_by").order_by("-pk"))
    behind = behind_reasons(rows)
    return {"representations": [(row, behind[row.pk]) for row in rows]}


def _hypotheses(box: Shoebox) -> dict[str, Any]:
    """Each hypothesis with how much speaks against and for it as of the instant, and how much came later."""
    rows = list(Hypothesis.objects.in_shoebox(box).with_people().order_by("number"))
    bases = bases_of(rows)
    counted = []
    for row in rows:
        basis = bases[row.pk]
        against, speaking_for = basis.contradicting, basis.supporting
        later = sum(one.later for one in [*against, *speaking_for])
        counted.append((row, sum(not one.later for one in against), sum(not one.later for one in speaking_for), later))
    return {"hypotheses": counted}


def _products(box: Shoebox) -> dict[str, Any]:
    return {
        "proposals": Proposal.objects.filter(shoebox=box).select_related("made_by").order_by("-pk"),
        "exports": Export.objects.filter(shoebox=box).select_related("by").order_by("-pk"),
    }


PANELS = {
    "items": items_context,
    "evidence": _evidence,
    "representations": _representations,
    "hypotheses": _hypotheses,
    "products": _products,
}

urlpatterns = [path("shoeboxes/<shoebox_id:id>/", workbench, name="workbench")]
