"""Long work as people see it: a bar that fetches itself until the work ends."""

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from yoimemory.access.services import role_in
from yoimemory.errors import Forbidden
from yoimemory.http import HttpRequest, render_page
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import stop


@require_safe
def job_detail(request: HttpRequest, job_id: str) -> TemplateResponse:
    """Show how far one piece of work is; lists that depend on it hear when it ends."""
    job = get_object_or_404(Job.objects.select_related("workspace"), public_id=job_id, workspace=request.workspace)
    context = {"job": job, "may_stop": bool(role_in(request.actor, request.workspace))}
    if not request.htmx:
        return render_page(request, "jobs/detail.html", context)
    response = TemplateResponse(request, "jobs/detail.html#job", context)
    if not job.is_open:
        trigger_client_event(response, f"{job.kind}-ended")
    return response


@require_POST
def job_stopped(request: HttpRequest, job_id: str) -> HttpResponse:
    """Stop one piece of long work, and what waits behind it of its kind; one that has ended stays as it is."""
    job = get_object_or_404(Job, public_id=job_id, workspace=request.workspace)
    if not role_in(request.actor, request.workspace):
        raise Forbidden("You have no role in this workspace.", hint="An owner of the workspace can give you one.")
    if job.is_open:
        stop(job.kind, workspace=request.workspace, who=str(request.actor), now=timezone.now())
    if not request.htmx:
        return HttpResponseRedirect(reverse("jobs:detail", args=[job_id]))
    job.refresh_from_db()
    return trigger_client_event(
        TemplateResponse(request, "jobs/detail.html#job", {"job": job}), f"{job.kind}-ended", after="settle"
    )
