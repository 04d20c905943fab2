"""Taking an artifact in, and what became of it."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, render_page, sentence, status_of
from yoimemory.products import services
from yoimemory.products.forms import ImportForm
from yoimemory.products.models import Import


@require_http_methods(["GET", "HEAD", "POST"])
def artifact_import(request: HttpRequest) -> HttpResponse:
    """Show the form; on POST take the artifact in and show what became of it."""
    if request.method != "POST":
        named = {"path": request.GET["path"]} if request.GET.get("path") else {}
        return render_page(request, "products/import.html", {"form": ImportForm(initial=named)})
    form, code = ImportForm(request.POST), 422
    if form.is_valid():
        path, text = form.cleaned_data["path"], form.cleaned_data["text"]
        try:
            taken = services.import_artifact(
                services.artifact_file(request.workspace, path) if path else text,
                workspace=request.workspace,
                actor=request.actor,
                now=timezone.now(),
            )
        except DomainError as error:
            form.add_error(None, sentence(error))
            code = status_of(error)
        else:
            return _taken(request, taken)
    return render_page(request, "products/import.html", {"form": form}, status=code)


@require_safe
def artifact_imported(request: HttpRequest, public_id: str) -> TemplateResponse:
    """Show what an artifact became here, what was not taken in, and what was judged where it came from."""
    rows = Import.objects.readable_by(request.actor).select_related("shoebox__workspace", "by")
    row = get_object_or_404(rows, public_id=public_id)
    artifact = services.read_artifact(row.content)
    context = {
        "row": row,
        "artifact": artifact,
        "evidence": row.shoebox.evidence.count(),
        "hypotheses": row.shoebox.hypotheses.count(),
        "items": row.shoebox.items.count(),
    }
    return render_page(request, "products/imported.html", context)


def _taken(request: HttpRequest, taken: services.Imported) -> HttpResponse:
    row = Import.objects.finished().filter(shoebox=taken.shoebox).order_by("-pk").first()
    if row is None:
        messages.info(request, "This artifact was made from this shoebox; nothing was added.")
        return HttpResponseRedirect(reverse("desk:workbench", args=[taken.shoebox.public_id]))
    if taken.known:
        messages.info(request, "This artifact was taken in before; nothing was added.")
    return HttpResponseRedirect(reverse("products:imported", args=[row.public_id]))
