"""The inbox: what needs a person, ordered by what could be wrong."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from evidence.models import Evidence, Placement
from evidence.standing import Standing, caveats_of, standings
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.services import may_review
from yoimemory.desk import needs
from yoimemory.desk.backups import index_set_aside
from yoimemory.http import HttpRequest, render_page
from yoimemory.products.impact import without_product
from yoimemory.products.models import Proposal
from yoimemory.search.models import Position
from yoimemory.sources.models import Workspace

SHOWN = 20
"""Rows of one section; more are one link away."""


@dataclass(slots=True)
class Row:
    """One piece of evidence with everything that a reviewer looks at before the verdict."""

    evidence: Evidence
    standing: Standing
    caveats: list[str]
    bearings: list[needs.Bearing]


@dataclass(slots=True)
class Section:
    """One reason to look, with its rows."""

    title: str
    remark: str
    rows: list[Row]
    total: int
    more: str

    @property
    def hidden(self) -> int:
        return self.total - len(self.rows)


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """Show what needs a person in this workspace, or what to do next when nothing does."""
    workspace = request.workspace
    sections = evidence_sections(workspace)
    beside = _beside(workspace, request.actor)
    listed = sum(section.total for section in sections) + sum(len(rows) for rows in beside.values())
    context: dict[str, Any] = {
        "sections": sections,
        "needs": listed,
        "may_review": may_review(request.actor, workspace),
        "set_aside": index_set_aside(),
        **beside,
    }
    if not listed:
        context["next"] = next_step(workspace)
    return render_page(request, "desk/inbox.html", context, parts={"inbox-head"})


def evidence_sections(workspace: Workspace) -> list[Section]:
    """Suggested and drifted evidence: contradicting something accepted, refuting, drift, then the rest."""
    suggested = list(needs.suggested(workspace).with_people().order_by("-pk"))
    drifted = list(needs.drifted(workspace).with_people().order_by("-pk"))
    waiting = needs.Waiting.of(suggested)
    bearings = waiting.bearings | needs.bearings_of(drifted)
    every = {row.pk: row for row in [*suggested, *drifted]}.values()
    standing = standings(every)
    drifted.sort(key=lambda row: Placement.DRIFTED.index(Placement.State(standing[row.pk].state)))
    caveats = caveats_of(every, known=standing)
    listing = reverse("evidence:list")
    named = [
        ("Contradicts something accepted", "look here first", waiting.contradicting, f"{listing}?state=waiting"),
        ("Refutes", "before what supports", waiting.refuting, f"{listing}?state=waiting&relation=refutes"),
        ("Quotes that drifted", "the source reads differently now", drifted, f"{listing}?state=accepted"),
        ("Supports or contextualizes", "last, on purpose", waiting.others, f"{listing}?state=waiting"),
    ]
    return [
        Section(
            title,
            remark,
            [Row(row, standing[row.pk], caveats[row.pk], bearings[row.pk]) for row in rows[:SHOWN]],
            len(rows),
            more,
        )
        for title, remark, rows, more in named
        if rows
    ]


def _beside(workspace: Workspace, actor: Actor) -> dict[str, list[Any]]:
    """What stands in the side column: the loop to close, decisions that are ripe, markers, what has no product."""
    now = timezone.now()
    order = [Proposal.State.CONFLICT, Proposal.State.APPROVED, Proposal.State.PROPOSED]
    proposals = list(needs.proposals(workspace).select_related("made_by").order_by("-pk"))
    proposals.sort(key=lambda row: order.index(Proposal.State(row.state)))
    return {
        "asked": list(needs.asked(workspace, actor).order_by("opened_at")),
        "disputes": list(needs.disputes(workspace).order_by("opened_at")),
        "contradictions": list(needs.contradictions(workspace).order_by("pk")),
        "proposals": proposals,
        "ready": needs.ready(workspace),
        "markers": list(needs.proposed_markers(workspace).select_related("made_by").order_by("pk")),
        "due": list(needs.due_markers(workspace, now).select_related("made_by").order_by("review_at")),
        "without_product": list(without_product(workspace).select_related("shoebox").order_by("pk")),
    }


@dataclass(frozen=True, slots=True)
class Step:
    """What to do when nothing waits."""

    sentence: str
    label: str
    url: str


def next_step(workspace: Workspace) -> Step:
    """The next useful thing to do, from what the workspace has so far."""
    if not Position.objects.filter(workspace=workspace.public_id, indexed_at__isnull=False).exists():
        return Step(
            "The sources of this workspace have not been read yet. Reading runs in the background; "
            "its progress stands on the diagnostics page.",
            "See the progress",
            reverse("desk:diagnostics"),
        )
    latest = Shoebox.objects.in_workspace(workspace).open().order_by("-pk").first()
    if latest is None:
        return Step(
            "Start from a question that you have to answer: whether a ticket may start, whether a doc still holds.",
            "Open a shoebox for it",
            reverse("shoebox:new"),
        )
    box = reverse("desk:workbench", args=[latest.public_id])
    if not Evidence.objects.in_shoebox(latest).exists():
        return Step(f"“{latest.question}” has material, and nothing is quoted from it yet.", "Go on reading", box)
    if not Hypothesis.objects.in_shoebox(latest).exists():
        return Step(
            f"“{latest.question}” has quotes, and no claims that compete over them.",
            "Propose a hypothesis",
            f"{box}?tab=hypotheses",
        )
    return Step(
        "Everything that was suggested is judged, and what was decided stands in the work.",
        "Go to the shoeboxes",
        reverse("shoebox:list"),
    )


urlpatterns = [path("", inbox, name="inbox")]
