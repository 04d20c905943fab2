"""The export page: exactly what would be written where, then the writing and the undoing of it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST

from shoebox.models import Shoebox
from yoimemory.access.services import may_review
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, render_page, sentence, status_of
from yoimemory.products import services
from yoimemory.products.forms import FolderForm
from yoimemory.products.models import Export
from yoimemory.products.schemas import Part
from yoimemory.products.services.exporting import PARTS, SUGGESTED_FOLDER
from yoimemory.products.views.answers import shoebox_named, shown_file


@require_http_methods(["GET", "HEAD", "POST"])
def shoebox_export(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the plan; on POST write what was seen, and only that."""
    shoebox = shoebox_named(request, public_id)
    if request.method == "POST":
        return _write(request, shoebox)
    return _page(
        request,
        shoebox,
        folder=request.GET.get("folder", ""),
        part=_part(request.GET.get("part", "")),
        only=request.GET.get("only", ""),
    )


@require_POST
def export_undo(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put back what stood there before the export."""
    export = get_object_or_404(
        Export.objects.readable_by(request.actor).select_related("shoebox__workspace"), public_id=public_id
    )
    try:
        services.undo_export(export, actor=request.actor, now=timezone.now())
    except DomainError as error:
        return _page(request, export.shoebox, folder="", problem=error)
    messages.success(request, "Undone: the files are as they were before.")
    return HttpResponseRedirect(reverse("products:export", args=[export.shoebox.public_id]))


def _write(request: HttpRequest, shoebox: Shoebox) -> HttpResponse:
    folder, part = request.POST.get("folder", ""), _part(request.POST.get("part", ""))
    only = request.POST.get("only", "")
    seen = dict(zip(request.POST.getlist("path"), request.POST.getlist("digest"), strict=False))
    try:
        export = services.export_artifact(
            shoebox, folder=folder, part=part, only=only, seen=seen, actor=request.actor, now=timezone.now()
        )
    except DomainError as error:
        return _page(request, shoebox, folder=folder, part=part, only=only, problem=error)
    count = export.writings.count()
    files = f"{count} file{'s' if count > 1 else ''}"
    messages.success(request, f"{files} written to {export.folder}. Committing is yours.")
    address = reverse("products:export", args=[shoebox.public_id])
    named = (
        ({"folder": folder} if folder else {})
        | ({"part": part} if part != "dossier" else {})
        | ({"only": only} if only else {})
    )
    return HttpResponseRedirect(f"{address}?{urlencode(named)}" if named else address)


def _part(text: str) -> Part:
    """What is exported: everything, unless the address names one part."""
    return next((part for part in PARTS if part == text), "dossier")


def _page(
    request: HttpRequest,
    shoebox: Shoebox,
    *,
    folder: str,
    part: Part = "dossier",
    only: str = "",
    problem: DomainError | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "shoebox": shoebox,
        "form": FolderForm(initial={"folder": folder or services.default_folder(shoebox)}),
        "folder": folder,
        "part": part,
        "only": only,
        "parts": PARTS,
        "suggested": SUGGESTED_FOLDER,
        "exports": _exports(shoebox),
        "may_write": may_review(request.actor, shoebox.workspace),
        "problem": sentence(problem) if problem else "",
    }
    code = status_of(problem) if problem else 200
    try:
        plan = services.plan_export(shoebox, folder=folder, part=part, only=only)
    except services.FolderNeeded as error:
        context["asks"] = sentence(error)
    except DomainError as error:
        context["problem"], code = context["problem"] or sentence(error), status_of(error)
    else:
        context["files"] = [shown_file(shoebox.workspace, file) for file in plan]
        context["to_write"] = sum(not file.same for file in plan)
    return render_page(request, "products/export.html", context, status=code)


def _exports(shoebox: Shoebox) -> list[Export]:
    rows = shoebox.exports.exclude(state=Export.State.ABANDONED).select_related("by").prefetch_related("writings")
    return list(rows.order_by("-pk"))
