"""The skills page: what installing our skills would write, then the writing and the undoing of it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from yoimemory.access.services import may_review
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, render_page, sentence, status_of
from yoimemory.products import services
from yoimemory.products.models import Batch, Installation
from yoimemory.products.services.skilling import FOLDERS
from yoimemory.products.views.answers import shown_file


@require_http_methods(["GET", "HEAD", "POST"])
def skill_install(request: HttpRequest) -> HttpResponse:
    """Show what would be written; on POST write what was seen, and only that."""
    if request.method != "POST":
        return _page(request, request.GET.get("folder", FOLDERS[0]))
    folder = request.POST.get("folder", "")
    seen = dict(zip(request.POST.getlist("path"), request.POST.getlist("digest"), strict=False))
    try:
        installation = services.install_skills(
            request.workspace, folder=folder, seen=seen, actor=request.actor, now=timezone.now()
        )
    except DomainError as error:
        return _page(request, folder, problem=error)
    count = installation.writings.count()
    messages.success(request, f"{count} skill{'s' if count > 1 else ''} written to {folder}. Committing is yours.")
    return HttpResponseRedirect(f"{reverse('products:skills')}?folder={folder}")


@require_POST
def installation_undo(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take the skills away again."""
    rows = Installation.objects.readable_by(request.actor).select_related("workspace")
    installation = get_object_or_404(rows, public_id=public_id)
    try:
        services.undo_installation(installation, actor=request.actor, now=timezone.now())
    except DomainError as error:
        return _page(request, installation.folder, problem=error)
    messages.success(request, "Undone: the files are as they were before.")
    return HttpResponseRedirect(f"{reverse('products:skills')}?folder={installation.folder}")


def _page(request: HttpRequest, folder: str, *, problem: DomainError | None = None) -> HttpResponse:
    done = Installation.objects.filter(workspace=request.workspace).exclude(state=Batch.State.ABANDONED)
    context: dict[str, Any] = {
        "folder": folder,
        "folders": FOLDERS,
        "installations": list(done.select_related("by").prefetch_related("writings").order_by("-pk")),
        "may_write": may_review(request.actor, request.workspace),
        "problem": sentence(problem) if problem else "",
    }
    code = status_of(problem) if problem else 200
    try:
        plan = services.plan_skills(request.workspace, folder=folder)
    except DomainError as error:
        context["problem"], code = context["problem"] or sentence(error), status_of(error)
    else:
        context["files"] = [shown_file(request.workspace, file) for file in plan]
        context["to_write"] = sum(not file.same for file in plan)
    return render_page(request, "products/skills.html", context, status=code)
