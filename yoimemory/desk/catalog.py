"""The page of sources: what was read, by kind, and what could not be."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, F
from django.template.response import TemplateResponse
from django.urls import path
from django.views.decorators.http import require_safe

from yoimemory.access.services import role_in
from yoimemory.http import HttpRequest, render_page
from yoimemory.search.filters import SourceFilter
from yoimemory.search.models import Document, Unreadable
from yoimemory.search.services import index_status
from yoimemory.sources.history import is_cut
from yoimemory.sources.models import AddedSource

PER_PAGE = 50
UNREADABLE_SHOWN = 200


@require_safe
def sources(request: HttpRequest) -> TemplateResponse:
    """Show what the workspace holds, narrowed and paged, and every record that could not be read whole."""
    whole = Document.objects.filter(workspace=request.workspace.public_id, pk=F("whole"))
    narrowed = SourceFilter(request.GET, whole.order_by(F("at").desc(nulls_last=True), "ref"))
    page = Paginator(narrowed.qs.distinct(), PER_PAGE).get_page(request.GET.get("page"))
    unreadable = Unreadable.objects.filter(workspace=request.workspace.public_id).order_by("path", "line")
    query = request.GET.copy()
    query.pop("page", None)
    position = index_status(request.workspace)
    of_head = request.workspace.has_git and position.indexed_at and not position.revision
    context: dict[str, Any] = {
        "unborn": of_head and not position.commit,
        "detached": of_head and position.commit and not position.branch,
        "shallow": is_cut(request.workspace),
        "counts": whole.values_list("kind").annotate(sources=Count("pk")).order_by("kind"),
        "page": page,
        "asked": request.GET.get("q", ""),
        "chosen": request.GET.getlist("kinds"),
        "query_string": query.urlencode(),
        "position": position,
        "places": AddedSource.objects.filter(workspace=request.workspace).order_by("kind", "path"),
        "owner": role_in(request.actor, request.workspace) == "owner",
        "unreadable": unreadable[:UNREADABLE_SHOWN],
        "unreadable_count": unreadable.count(),
    }
    return render_page(request, "desk/sources.html", context, parts={"list"})


urlpatterns = [path("sources/", sources, name="sources")]
