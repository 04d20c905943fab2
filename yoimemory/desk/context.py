"""What the frame of every page shows: where one is, how much each stage holds, where the index stands."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from evidence.models import Evidence
from hypotheses.models import Hypothesis, Representation
from shoebox.models import Shoebox
from yoimemory.access.models import Actor, Token
from yoimemory.access.services import role_in
from yoimemory.desk.needs import count_needs
from yoimemory.jobs.models import Job
from yoimemory.products.models import Proposal
from yoimemory.search.models import Document
from yoimemory.search.schemas import IndexPosition
from yoimemory.search.services import index_status
from yoimemory.sources.models import Workspace

_ROOMS = {
    "sources": "Sources",
    "shoebox": "Shoeboxes",
    "evidence": "Evidence",
    "products": "Products",
    "access": "Workers",
    "jobs": "Diagnostics",
    "asking": "Search",
    "markers": "Markers",
}
_PAGES = {
    "desk:inbox": "Inbox",
    "desk:search": "Search",
    "desk:review": "Inbox",
    "desk:sources": "Sources",
    "desk:read": "Sources",
    "desk:memory": "Sources",
    "desk:mask": "Sources",
    "desk:reveal": "Sources",
    "desk:workbench": "Shoeboxes",
    "desk:diagnostics": "Diagnostics",
    "desk:worker": "Workers",
    "hypotheses:representations": "Representations",
    "hypotheses:representation": "Representations",
    "hypotheses:row": "Representations",
    "hypotheses:represent": "Representations",
    "hypotheses:rebuild": "Representations",
    "products:export": "Shoeboxes",
    "products:impact": "Impact",
    "products:evaluation": "Impact",
    "products:begin_trial": "Impact",
}


_counted: dict[str, tuple[datetime, int]] = {}
"""By workspace: when its index was last complete, and how many sources it held then."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the rail."""

    label: str
    url: str
    icon: str = ""
    count: int | None = None
    current: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the index of the workspace stands, and how far a run has come."""

    commit: str
    indexed_at: Any
    behind: int | None
    running: bool
    percent: int


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything that `base.html` shows around a page."""

    workspace: Workspace | None = None
    position: Standing | None = None
    person: str = ""
    role: str = ""
    first: list[Entry] = field(default_factory=list)
    flow: list[Entry] = field(default_factory=list)
    upkeep: list[Entry] = field(default_factory=list)


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context of `base.html`. Built only when a template asks: the parts that htmx fetches have no frame."""
    return {"frame": SimpleLazyObject(lambda: frame_of(request))}


def frame_of(request: HttpRequest) -> Frame:
    """The frame of this request: of its workspace and person, empty where there is none."""
    workspace: Workspace | None = getattr(request, "workspace", None)
    actor = getattr(request, "actor", None)
    if workspace is None or actor is None:
        return Frame(person=actor.name if actor else "")
    here, position = _current(request), position_of(workspace)
    return Frame(
        workspace=workspace,
        position=position,
        person=actor.name,
        role=role_in(actor, workspace),
        first=_first(workspace, here, actor),
        flow=_flow(workspace, here, position.indexed_at),
        upkeep=_upkeep(workspace, here),
    )


def position_of(workspace: Workspace) -> Standing:
    """The index position, with the progress of the run that is under way."""
    status: IndexPosition = index_status(workspace)
    job = Job.objects.filter(workspace=workspace, kind=Job.Kind.INDEX).open().order_by("pk").first()
    return Standing(
        commit=status.commit,
        indexed_at=status.indexed_at,
        behind=status.behind,
        running=status.running or job is not None,
        percent=job.percent if job else 0,
    )


def _first(workspace: Workspace, here: str, actor: Actor) -> list[Entry]:
    return [
        Entry("Inbox", reverse("desk:inbox"), "inbox", count_needs(workspace, actor), here == "Inbox"),
        Entry("Search", reverse("desk:search"), "search", None, here == "Search"),
    ]


def _flow(workspace: Workspace, here: str, indexed_at: datetime | None) -> list[Entry]:
    sources = _count_sources(workspace, indexed_at)
    rows = [
        ("Sources", "desk:sources", sources),
        ("Shoeboxes", "shoebox:list", Shoebox.objects.in_workspace(workspace).open().count()),
        ("Evidence", "evidence:list", Evidence.objects.in_workspace(workspace).current().count()),
        ("Representations", "hypotheses:representations", Representation.objects.filter(workspace=workspace).count()),
        ("Hypotheses", "hypotheses:list", Hypothesis.objects.in_workspace(workspace).live().count()),
        ("Products", "products:list", Proposal.objects.in_workspace(workspace).count()),
    ]
    return [Entry(label, reverse(name), "", count, here == label) for label, name, count in rows]


def _count_sources(workspace: Workspace, indexed_at: datetime | None) -> int:
    """How many sources the index holds. Counting goes over all of it, so it is done once for each end of a run."""
    if indexed_at is not None and _counted.get(workspace.public_id, (None, 0))[0] == indexed_at:
        return _counted[workspace.public_id][1]
    count = Document.objects.filter(workspace=workspace.public_id).values("source").distinct().count()
    if indexed_at is not None:
        _counted[workspace.public_id] = (indexed_at, count)
    return count


def _upkeep(workspace: Workspace, here: str) -> list[Entry]:
    workers = Token.objects.filter(workspace=workspace, revoked_at__isnull=True).count()
    return [
        Entry("Impact", reverse("products:impact"), "activity", None, here == "Impact"),
        Entry("Markers", reverse("markers:list"), "flag", None, here == "Markers"),
        Entry("Diagnostics", reverse("desk:diagnostics"), "wrench", None, here == "Diagnostics"),
        Entry("Workers", reverse("access:workers"), "bot", workers, here == "Workers"),
        Entry("Admin", reverse("admin:index"), "settings", None, False),
    ]


def _current(request: HttpRequest) -> str:
    match = request.resolver_match
    if match is None:
        return ""
    if match.view_name in _PAGES:
        return _PAGES[match.view_name]
    return _ROOMS.get(match.app_name, "Hypotheses" if match.app_name == "hypotheses" else "")
