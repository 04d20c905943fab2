"""How far the questions of a span came: of the shoeboxes opened in it, how many reached each stage."""

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Q

from evidence.models import Evidence
from hypotheses.models import Hypothesis, Representation
from shoebox.models import Shoebox, ShoeboxQuerySet
from yoimemory.products.models import Export, Impact, Proposal, Verdict
from yoimemory.products.reports import StageOut
from yoimemory.sources.models import Workspace

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet

USED = {
    Impact.Known.OBSERVED: "used, observed",
    Impact.Known.RECORDED: "used, recorded",
    Impact.Known.CLAIMED: "used, claimed",
}
TAKEN_BACK = "taken back"


def opened_in(workspace: Workspace, since: datetime, until: datetime, role: str = "") -> ShoeboxQuerySet:
    """The shoeboxes of a span; of those who have one role, where it is named."""
    opened = Shoebox.objects.in_workspace(workspace).filter(opened_at__gte=since, opened_at__lte=until)
    return opened.filter(Q(opened_by__role=role) | Q(opened_by__role="", opened_by__kind=role)) if role else opened


def funnel_of(boxes: ShoeboxQuerySet) -> list[StageOut]:
    """Count the stages of these shoeboxes, each of which counts in every stage that it reached.

    An export counts as a product that was approved and applied: a person saw it and wrote it.
    What was used is told in three ways, which are never added.
    """
    proposals = Proposal.objects.filter(shoebox__in=boxes)
    approving = Verdict.objects.filter(verdict=Verdict.Kind.APPROVE).values("proposal")
    exported = _per_box(Export.objects.filter(shoebox__in=boxes, state__in=[Export.State.WRITTEN, Export.State.UNDONE]))
    held = {
        "opened": Counter(dict.fromkeys(boxes.values_list("pk", flat=True), 1)),
        "with evidence": _per_box(Evidence.objects.filter(shoebox__in=boxes).accepted()),
        "with hypotheses": _per_box(Hypothesis.objects.filter(shoebox__in=boxes)),
        "led to a product": _per_box(proposals) + exported,
        "approved": _per_box(proposals.filter(pk__in=approving)) + exported,
        "applied": _per_box(proposals.filter(way__gt="")) + exported,
        **_used(boxes),
    }
    held[TAKEN_BACK] |= _per_box(proposals.filter(state=Proposal.State.REVERTED))
    return [StageOut(stage=stage, shoeboxes=len(counts), records=counts.total()) for stage, counts in held.items()]


def _per_box(rows: "QuerySet[Evidence] | QuerySet[Hypothesis] | QuerySet[Proposal] | QuerySet[Export]") -> Counter[int]:
    return Counter(rows.values_list("shoebox", flat=True))


def _used(boxes: ShoeboxQuerySet) -> dict[str, Counter[int]]:
    """How often something of each shoebox is known in the work, by each way of knowing, and was taken back."""
    owners = _owners(boxes)
    held: dict[str, Counter[int]] = {name: Counter() for name in (*USED.values(), TAKEN_BACK)}
    told = Impact.objects.filter(workspace__in=boxes.values("workspace")).values_list("kind", "known", "subjects")
    for kind, known, subjects in told:
        stage = TAKEN_BACK if kind == Impact.Kind.PRODUCT_REVERTED else USED[Impact.Known(known)]
        held[stage].update({owners[ref] for ref in subjects if ref in owners})
    return held


def _owners(boxes: ShoeboxQuerySet) -> dict[str, int]:
    """Everything that belongs to the shoeboxes, by ref, with the key of its shoebox."""
    owners = {f"shoebox:{public_id}": pk for public_id, pk in boxes.values_list("public_id", "pk")}
    models: dict[str, type[Model]] = {
        "evidence": Evidence, "hypothesis": Hypothesis, "representation": Representation, "proposal": Proposal,
    }  # fmt: skip
    for kind, model in models.items():
        rows = model._default_manager.filter(shoebox__in=boxes).values_list("public_id", "shoebox")
        owners |= {f"{kind}:{public_id}": box for public_id, box in rows}
    return owners
