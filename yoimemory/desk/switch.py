"""Choosing the workspace that pages are about."""

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.views.decorators.http import require_POST

from yoimemory.desk.middleware import workspaces_of
from yoimemory.http import HttpRequest, safe_address


@require_POST
def switch(request: HttpRequest) -> HttpResponse:
    """Remember a workspace for this session."""
    workspace = workspaces_of(request.user).filter(slug=request.POST.get("workspace", "")).first()  # type: ignore[arg-type]
    if workspace is None:
        raise Http404("There is no such workspace here.")
    request.session["workspace"] = workspace.slug
    return HttpResponseRedirect(safe_address(request.POST.get("next", ""), "/"))


urlpatterns = [path("workspace/", switch, name="switch")]
