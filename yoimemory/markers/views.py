"""The page on which a person marks a ref. Markers are looked after in the admin."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest
from yoimemory.markers.forms import MarkerForm
from yoimemory.markers.services import mark_staleness


@require_safe
def marker_new(request: HttpRequest) -> TemplateResponse:
    """Ask what is wrong with a ref, which the address may already name."""
    return _page(request, MarkerForm(initial={"target": request.GET.get("target", "")}))


@require_POST
def marker_mark(request: HttpRequest) -> HttpResponse:
    """Mark the ref and go back to it; or the form again with what is wrong."""
    form = MarkerForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        marker = mark_staleness(form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now())
    except DomainError as error:
        form.add_error(next((name for name in error.fields if name in form.fields), None), error.message)
        return _page(request, form, status=409 if error.status == 409 else 422)
    messages.success(request, f"{marker.target} is marked {marker.state}.")
    return HttpResponseRedirect(f"{reverse('desk:read')}?{urlencode({'ref': marker.target})}")


def _page(request: HttpRequest, form: MarkerForm, *, status: int = 200) -> TemplateResponse:
    context = {"form": form, "target": form["target"].value() or ""}
    return TemplateResponse(request, "markers/new.html", context, status=status)
