"""Long work as people see it: a bar that fetches itself until the work ends."""

from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe
from django_htmx.http import trigger_client_event

from yoimemory.http import HttpRequest, render_page
from yoimemory.jobs.models import Job


@require_safe
def job_detail(request: HttpRequest, job_id: str) -> TemplateResponse:
    """Show how far one piece of work is; lists that depend on it hear when it ends."""
    job = get_object_or_404(Job.objects.select_related("workspace"), public_id=job_id, workspace=request.workspace)
    if not request.htmx:
        return render_page(request, "jobs/detail.html", {"job": job})
    response = TemplateResponse(request, "jobs/detail.html#job", {"job": job})
    if not job.is_open:
        trigger_client_event(response, f"{job.kind}-ended")
    return response
