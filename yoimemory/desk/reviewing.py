"""The review queue: one piece at a time, its quote in its context first, in the order of what could be wrong."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from evidence.models import Evidence, Placement
from evidence.standing import standings
from evidence.views.reading import detail_context
from yoimemory.access.models import Actor
from yoimemory.access.services import may_review
from yoimemory.desk import needs
from yoimemory.http import KEY_STEP, HttpRequest, render_page
from yoimemory.markers.models import SecondLook
from yoimemory.sources.models import Workspace

QUEUE_MAX = 200
"""So many are ordered at once; who has judged these sees the next."""

CONFLICT = "Two reviewers disagree about it"
CONTRADICTS = "It contradicts something accepted"
REFUTES = "It refutes"
DRIFT = "Its words may mean something else now"
AGAIN = "A colleague asks whether it still stands"
SUPPORTS = "It supports"
CONTEXT = "It gives context, or bears on nothing yet"
ORDER = (CONFLICT, CONTRADICTS, REFUTES, DRIFT, AGAIN, SUPPORTS, CONTEXT)


@dataclass(frozen=True, slots=True)
class Waiting:
    """One piece that waits, and why it stands where it does in the queue."""

    evidence: Evidence
    because: str

    @property
    def key(self) -> tuple[int, int]:
        """Its place: by why it waits, the newest first."""
        return ORDER.index(self.because), KEY_STEP - self.evidence.pk


def review_queue(workspace: Workspace, actor: Actor) -> list[Waiting]:
    """What waits for this person: conflicts, then by what it would change, contrary first.

    Nothing in it depends on what another person answered apart: who has answered is asked no more,
    everybody else is asked as if nobody had.
    """
    rows = list(needs.suggested(workspace).with_people().order_by("-pk")[:QUEUE_MAX])
    waiting = needs.Waiting.of(rows)
    looks = SecondLook.objects.filter(workspace=workspace, subject__startswith="evidence:")
    disputed = _named(workspace, looks.in_conflict())
    asked = _named(workspace, looks.waiting_for(actor))
    answered = set(looks.asked().filter(looks__by__user=actor.user_id).values_list("subject", flat=True))
    changed = [row for row in _reworded(workspace) if str(row.ref) not in answered]
    supports = [row for row in waiting.others if any(one.relation == "supports" for one in waiting.bearings[row.pk])]
    rest = [row for row in waiting.others if row not in supports]
    groups = (
        (CONFLICT, disputed), (CONTRADICTS, waiting.contradicting), (REFUTES, waiting.refuting), (DRIFT, changed),
        (AGAIN, asked), (SUPPORTS, supports), (CONTEXT, rest),
    )  # fmt: skip
    found: dict[int, Waiting] = {}
    for because, group in groups:
        for row in group:
            found.setdefault(row.pk, Waiting(row, because))
    return list(found.values())


def _named(workspace: Workspace, looks: Any) -> list[Evidence]:
    ids = [subject.partition(":")[2] for subject in looks.values_list("subject", flat=True)[:QUEUE_MAX]]
    return list(Evidence.objects.in_workspace(workspace).filter(public_id__in=ids).with_people().order_by("-pk"))


def _reworded(workspace: Workspace) -> list[Evidence]:
    rows = list(needs.drifted(workspace).with_people().order_by("-pk")[:QUEUE_MAX])
    standing = standings(rows)
    return [row for row in rows if standing[row.pk].state == Placement.State.REWORDED_MEANING]


@require_safe
def review(request: HttpRequest) -> HttpResponse:
    """Show the piece that is next, or the one that `at` names, with its place in the queue."""
    queue = review_queue(request.workspace, request.actor)
    ids = [one.evidence.public_id for one in queue]
    named = request.GET.get("at", "")
    at = ids.index(named) if named in ids else 0
    context: dict[str, Any] = {
        "queue": queue,
        "may_review": may_review(request.actor, request.workspace),
        "number": at + 1,
    }
    if queue:
        context |= detail_context(request, queue[at].evidence)
        context |= {
            "because": queue[at].because,
            "following": ids[at + 1] if at + 1 < len(ids) else "",
            "before": ids[at - 1] if at else "",
        }
    return render_page(request, "desk/review.html", context, parts=set())


urlpatterns = [path("review/", review, name="review")]
