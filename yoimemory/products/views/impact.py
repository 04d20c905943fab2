"""The impact page, its figures as files, and telling of an effect from a product's page."""

import csv
import io
import json

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, first_error, render_page, sentence
from yoimemory.products import services
from yoimemory.products.forms import ImpactForm
from yoimemory.products.impact import SPANS, impact_report, roles_of
from yoimemory.products.impact_chart import effects_chart, weeks_chart
from yoimemory.products.models import Impact
from yoimemory.products.schemas import ImpactOut
from yoimemory.products.views.answers import proposal_named

LATEST = 8


class SpanForm(forms.Form):
    """Reads which weeks and whose role the page is about; what it cannot read is the default."""

    weeks = forms.TypedChoiceField(choices=[(span, f"{span} weeks") for span in SPANS], coerce=int, required=False)
    role = forms.CharField(max_length=80, required=False)


@require_safe
def impact_page(request: HttpRequest) -> HttpResponse:
    """Show what memory did to the work: three ways of knowing apart, exposure apart, harm in the headline."""
    form = SpanForm(request.GET)
    read = form.cleaned_data if form.is_valid() else {}
    weeks, role = read.get("weeks") or 12, read.get("role", "")
    report = impact_report(request.workspace, now=timezone.now(), weeks=weeks, role=role)
    latest = Impact.objects.in_workspace(request.workspace).filter(known=Impact.Known.OBSERVED).order_by("-at", "-pk")
    changed = sum(row.observed for row in report.effects if row.kind in Impact.CHANGED)
    context = {
        "report": report,
        "changed": changed,
        "taken_back": report.harm[0].count,
        "effects": effects_chart(report.exposure, report.effects, report.harm),
        "weeks": weeks_chart(report.by_week),
        "spans": SPANS,
        "roles": roles_of(request.workspace),
        "latest": latest[:LATEST],
        "low_level": [(kind.replace("_", " "), n) for kind, n in [*report.exposure.items(), *report.activity.items()]],
    }
    return render_page(request, "products/impact.html", context, parts={"impact"})


@require_safe
def impact_download(request: HttpRequest, form: str) -> HttpResponse:
    """Hand out every event of the workspace, as CSV for a spreadsheet or as JSON."""
    rows = Impact.objects.in_workspace(request.workspace).select_related("actor").order_by("at", "pk")
    outs = [ImpactOut.model_validate(row) for row in rows]
    if form == "json":
        text = json.dumps([out.model_dump(mode="json") for out in outs], ensure_ascii=False, indent=2)
        response = HttpResponse(text + "\n", content_type="application/json; charset=utf-8")
    else:
        response = HttpResponse(_csv(outs), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="impact-{request.workspace.slug}.{form}"'
    return response


@require_POST
def impact_record(request: HttpRequest, public_id: str) -> HttpResponse:
    """Tell of an effect of a product, from its page."""
    proposal = proposal_named(request, public_id)
    form = ImpactForm(request.POST)
    if form.is_valid():
        try:
            services.record_impact(
                form.draft(proposal), workspace=proposal.workspace, actor=request.actor, now=timezone.now()
            )
        except DomainError as error:
            messages.error(request, sentence(error))
        else:
            messages.success(request, "Noted as recorded by you; what is observed is counted apart.")
    else:
        messages.error(request, first_error(form))
    return HttpResponseRedirect(reverse("products:detail", args=[public_id]))


def _csv(outs: list[ImpactOut]) -> str:
    """One row an event. A cell that a spreadsheet would take for a formula is kept from being one."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["at", "kind", "known", "subjects", "product", "role", "actor", "note", "id"])
    for out in outs:
        cells = [out.at.isoformat(), out.kind, out.known, " ".join(out.subjects), out.product, out.role, out.actor]
        writer.writerow([_cell(cell) for cell in [*cells, out.note, out.id]])
    return file.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
