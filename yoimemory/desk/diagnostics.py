"""The diagnostics page: where the index stands, what could not be read, whether the databases are whole."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from yoimemory.access.models import Membership
from yoimemory.access.services import require_owner, role_in
from yoimemory.desk.backups import back_up
from yoimemory.desk.context import position_of
from yoimemory.desk.health import examine, examine_workspace
from yoimemory.desk.mending import forget_damaged, mend_index
from yoimemory.desk.middleware import workspaces_of
from yoimemory.http import HttpRequest, render_page
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.search.models import Document, Unreadable
from yoimemory.search.services import index_status

PAGE = 100
JOBS_SHOWN = 8


@require_safe
def diagnostics(request: HttpRequest) -> TemplateResponse:
    """Show what limits trust in the answers, each with its remedy."""
    return _page(request)


@require_POST
def index_start(request: HttpRequest) -> HttpResponse:
    """Ask for the sources to be read again, in the background."""
    full = request.POST.get("full") == "1"
    enqueue(Job.Kind.INDEX, workspace=request.workspace, now=timezone.now(), arguments={"full": True} if full else None)
    if not request.htmx:
        return HttpResponseRedirect(reverse("desk:diagnostics"))
    return trigger_client_event(_page(request), "index-asked", after="settle")


@require_POST
def copy_made(request: HttpRequest) -> HttpResponse:
    """Take a copy of what people made, as an owner; it lies beside the data."""
    require_owner(request.actor, request.workspace, to="copy the data")
    made = back_up(now=timezone.now())
    messages.success(request, f"Copied and verified: {made.rows} rows. It lies in the folder backups beside the data.")
    return HttpResponseRedirect(reverse("desk:diagnostics"))


@require_POST
def index_mended(request: HttpRequest) -> HttpResponse:
    """Set a damaged index aside and have the sources read anew, as an owner."""
    require_owner(request.actor, request.workspace, to="set the index aside")
    mend_index(now=timezone.now())
    messages.success(request, "The index was set aside; the sources are read anew. Nothing that people made was in it.")
    return HttpResponseRedirect(reverse("desk:inbox"))


@require_POST
def damaged_forgotten(request: HttpRequest) -> HttpResponse:
    """Delete the damaged index that was set aside for a look, as an owner."""
    require_owner(request.actor, request.workspace, to="delete the damaged index")
    forget_damaged()
    messages.success(request, "What was set aside is deleted.")
    return HttpResponseRedirect(reverse("desk:diagnostics"))


@require_safe
def position(request: HttpRequest) -> TemplateResponse:
    """Where the index stands, as the head of every page shows it."""
    return TemplateResponse(request, "components/position.html", {"position": position_of(request.workspace)})


def _page(request: HttpRequest) -> TemplateResponse:
    held = Document.objects.filter(workspace=request.workspace.public_id)
    unreadable = Unreadable.objects.filter(workspace=request.workspace.public_id).order_by("path", "line")
    findings = examine(workspaces=False)
    records = examine_workspace(request.workspace, now=timezone.now())
    context = {
        "position": index_status(request.workspace),
        "documents": held.count(),
        "lossy": held.filter(lossy=True).count(),
        "jobs": Job.objects.filter(workspace=request.workspace).order_by("-pk")[:JOBS_SHOWN],
        "unreadable": Paginator(unreadable, PAGE).get_page(request.GET.get("page")),
        "findings": sorted(findings, key=lambda finding: finding.level == "ok"),
        "records": records,
        "wrong": sum(finding.level == "finding" for finding in [*findings, *records]),
        "may_copy": request.actor.is_person and role_in(request.actor, request.workspace) == Membership.Role.OWNER,
        "workspaces": workspaces_of(request.user),  # type: ignore[arg-type]
        "may_index": bool(role_in(request.actor, request.workspace)),
    }
    return render_page(request, "desk/diagnostics.html", context, parts={"index-state", "unreadable"})


urlpatterns = [
    path("diagnostics/", diagnostics, name="diagnostics"),
    path("diagnostics/index/", index_start, name="index"),
    path("diagnostics/backup/", copy_made, name="backup"),
    path("diagnostics/mend/", index_mended, name="mend"),
    path("diagnostics/forget/", damaged_forgotten, name="forget"),
    path("diagnostics/position/", position, name="position"),
]
