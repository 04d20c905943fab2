"""Opening refs, the index and diagnostics as JSON."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import BaseModel, ConfigDict, Field

from evidence.schemas import EvidenceOut
from evidence.standing import evidence_outs
from shoebox.models import Shoebox
from shoebox.schemas import ShoeboxOut
from shoebox.services import change_shoebox_state as change_state
from yoimemory.access.services import role_in
from yoimemory.desk import resolver, show
from yoimemory.desk.health import examine, examine_workspace
from yoimemory.desk.opened import Opened
from yoimemory.desk.reviewing import Waiting, review_queue
from yoimemory.desk.show import ShoeboxShown
from yoimemory.errors import Forbidden
from yoimemory.http import Envelope, HttpRequest, page_of, page_of_ordered, set_version, version_named
from yoimemory.instants import End
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue, stop
from yoimemory.search import services as search
from yoimemory.search.models import Unreadable
from yoimemory.search.schemas import IndexPosition
from yoimemory.sources.git import resolve_revision
from yoimemory.sources.models import Workspace

router = Router(tags=["sources"])


class JobOut(BaseModel):
    """Long work as machines read it."""

    id: str
    kind: str
    state: str
    done: int
    total: int
    note: str
    created_at: datetime
    ended_at: datetime | None
    result: dict[str, object]

    @classmethod
    def of(cls, job: Job) -> "JobOut":
        return cls(
            id=job.public_id, kind=job.kind, state=job.state, done=job.done, total=job.total, note=job.note,
            created_at=job.created_at, ended_at=job.ended_at, result=job.result,
        )  # fmt: skip


class IndexState(IndexPosition):
    """Where the index stands, and the work on it that waits, runs or ended last."""

    workspace: str
    job: JobOut | None


class IndexWish(BaseModel):
    """How the sources should be read."""

    model_config = {"extra": "forbid"}

    revision: str = Field("", max_length=1_024, description="A commit instead of the working tree.")
    full: bool = Field(False, description="Read everything again, not only what changed.")


class ShowWish(BaseModel):
    """How much of a shoebox is shown, and which sections of it."""

    include: list[str] = Field(default_factory=list, description="Sections; all where none is named.")
    budget: int | None = Field(None, description="Characters of text; without it the bound of a list rules.")
    cursor: str = ""


class StateChange(BaseModel):
    """Closes, archives, discards or reopens a shoebox."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    state: Literal["open", "closed", "archived", "discarded"]
    reason: str = Field("", max_length=2_000)


class UnreadableOut(BaseModel):
    """A record that could not be read whole."""

    path: str
    line: int | None
    reason: str


class FindingOut(BaseModel):
    """One thing that was looked at, with its remedy and the first records that it is about."""

    model_config = ConfigDict(from_attributes=True)

    level: Literal["ok", "note", "finding"]
    check: str
    message: str
    remedy: str
    refs: list[str]


class Diagnosis(BaseModel):
    """What limits trust in the answers about this workspace."""

    workspace: str
    index: IndexPosition
    unreadable: Envelope[UnreadableOut]
    findings: list[FindingOut]


@router.get("/open", response=Opened, operation_id="open_source")
def open_source(request: HttpRequest, ref: str, budget: int | None = None, as_of: End | None = None) -> Opened:
    """Open what a ref names: a source with its line numbers, or one of our records.

    Of a ticket, `standing` tells the state that its events give it and what it waits for, now or at `as_of`.
    """
    now = timezone.now()
    return resolver.open_source(
        ref, workspace=request.workspace, actor=request.actor, now=now, budget=budget, as_of=as_of
    )


@router.get("/shoeboxes/{id}", response=ShoeboxShown, operation_id="show_shoebox")
def show_shoebox(request: HttpRequest, id: str, wish: Query[ShowWish], response: HttpResponse) -> ShoeboxShown:
    """Show a shoebox with what it holds, within a budget of characters of text when one is named."""
    rows = Shoebox.objects.in_workspace(request.workspace).with_holdings().select_related("workspace", "opened_by")
    shoebox = get_object_or_404(rows, public_id=id)
    set_version(response, shoebox.version)
    return show.show_shoebox(shoebox, **wish.model_dump(), actor=request.actor, now=timezone.now())


class WaitingOut(BaseModel):
    """One piece that waits for a verdict, and why it stands where it does."""

    because: str
    evidence: EvidenceOut


@router.get("/reviews", response=Envelope[WaitingOut], operation_id="list_reviews")
def list_reviews(request: HttpRequest, limit: int | None = None, cursor: str = "") -> Envelope[WaitingOut]:
    """What waits for the caller's verdict, in the order of review: what could be wrong first."""
    queue = review_queue(request.workspace, request.actor)
    return page_of_ordered(queue, lambda one: one.key, limit, cursor, of="reviews", outs=_waiting)


def _waiting(queue: Sequence[Waiting]) -> list[WaitingOut]:
    outs = evidence_outs([one.evidence for one in queue])
    return [WaitingOut(because=one.because, evidence=out) for one, out in zip(queue, outs, strict=True)]


# Here and not with the other addresses of shoeboxes: an address belongs to the first router that knows it, whatever
# the method, so both of its methods stand in one.
@router.patch("/shoeboxes/{id}", response=ShoeboxOut, operation_id="change_shoebox_state")
def change_shoebox_state(request: HttpRequest, id: str, change: StateChange, response: HttpResponse) -> ShoeboxOut:
    """Close, archive, discard or reopen a shoebox. A Worker may, where it opened it itself."""
    version = version_named(request)
    rows = Shoebox.objects.in_workspace(request.workspace).select_related("workspace", "opened_by")
    shoebox = change_state(
        get_object_or_404(rows, public_id=id),
        state=change.state,
        reason=change.reason,
        version=version,
        actor=request.actor,
        now=timezone.now(),
    )
    set_version(response, shoebox.version)
    return ShoeboxOut.of(shoebox)


@router.get("/index", response=IndexState, operation_id="index_status")
def index_status(request: HttpRequest) -> IndexState:
    """Say which commit the index stands at, and how far behind it is."""
    return _state(request.workspace)


@router.post("/index", response={202: IndexState}, operation_id="index_workspace")
def index_workspace(request: HttpRequest, wish: IndexWish, response: HttpResponse) -> Status[IndexState]:
    """Ask for the sources to be read again, in the background."""
    if not role_in(request.actor, request.workspace):
        raise Forbidden("You have no role in this workspace.", hint="An owner of the workspace can give you one.")
    revision = resolve_revision(request.workspace, wish.revision) if wish.revision else ""
    wishes = {"revision": revision, **({"full": True} if wish.full else {})}
    enqueue(Job.Kind.INDEX, workspace=request.workspace, now=timezone.now(), arguments=wishes)
    response["Location"] = "/api/v1/index"
    return Status(202, _state(request.workspace))


@router.post("/index/stop", response=IndexState, operation_id="stop_index")
def stop_index(request: HttpRequest) -> IndexState:
    """Stop the reading that waits or runs. What was read stays; the next reading goes on from there."""
    if not role_in(request.actor, request.workspace):
        raise Forbidden("You have no role in this workspace.", hint="An owner of the workspace can give you one.")
    stop(Job.Kind.INDEX, workspace=request.workspace, who=str(request.actor), now=timezone.now())
    return _state(request.workspace)


@router.get("/diagnostics", response=Diagnosis, operation_id="diagnose")
def diagnose(request: HttpRequest, limit: int | None = None, cursor: str = "") -> Diagnosis:
    """Say what limits trust: the index, unreadable records (paged), the databases, records that need a person."""
    records = Unreadable.objects.filter(workspace=request.workspace.public_id)
    findings = examine(workspaces=False)
    findings += examine_workspace(request.workspace, now=timezone.now())
    return Diagnosis(
        workspace=request.workspace.slug,
        index=search.index_status(request.workspace),
        unreadable=page_of(records, limit, cursor, _unreadable),
        findings=[FindingOut.model_validate(finding) for finding in findings],
    )


def _state(workspace: Workspace) -> IndexState:
    jobs = Job.objects.filter(workspace=workspace, kind=Job.Kind.INDEX)
    job = jobs.open().order_by("pk").first() or jobs.order_by("-pk").first()
    position = search.index_status(workspace).model_dump()
    return IndexState(workspace=workspace.slug, job=JobOut.of(job) if job is not None else None, **position)


def _unreadable(record: Unreadable) -> UnreadableOut:
    return UnreadableOut(path=record.path, line=record.line, reason=record.reason)
