"""The impact page, its figures as files, and telling of an effect from a product's page."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, first_error, render_page, sentence
from yoimemory.products import services
from yoimemory.products.figures import NAMES, figure_of
from yoimemory.products.forms import ImpactForm
from yoimemory.products.funnel_chart import funnel_chart
from yoimemory.products.impact import SPANS, impact_report, roles_of, span_that_holds_something
from yoimemory.products.impact_chart import effects_chart, weeks_chart
from yoimemory.products.models import Impact
from yoimemory.products.naming import name_harm, name_impacts
from yoimemory.products.reports import ImpactReport
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
    report = _report(request)
    latest = Impact.objects.in_workspace(request.workspace).filter(known=Impact.Known.OBSERVED).order_by("-at", "-pk")
    changed = sum(row.observed for row in report.effects if row.kind in Impact.CHANGED)
    context = {
        "report": report,
        "changed": changed,
        "taken_back": report.harm[0].count,
        "funnel": funnel_chart(report.funnel),
        "effects": effects_chart(report.exposure, report.effects, report.harm),
        "weeks": weeks_chart(report.by_week),
        "spans": SPANS,
        "roles": roles_of(request.workspace),
        "harm": name_harm(report.harm, request.workspace),
        "latest": name_impacts(latest[:LATEST], request.workspace),
        "low_level": [(kind.replace("_", " "), n) for kind, n in [*report.exposure.items(), *report.activity.items()]],
        "opened": sum(week.shoeboxes for week in report.by_week),
    }
    return render_page(request, "products/impact.html", context, parts={"impact"})


@require_safe
def figure_download(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """Hand out one figure of the page, whole, as CSV for a spreadsheet or as JSON."""
    if name not in NAMES:
        raise Http404(f"There is no figure {name!r}. Figures are {', '.join(NAMES)}.")
    report = _report(request, shown=None)
    columns, rows = figure_of(report, name)
    span = {"figure": name, "since": report.since, "until": report.until, "weeks": report.weeks, "role": report.role}
    return _file(request, f"impact-{name}", form, columns, rows, told={**span, "rows": rows})


@require_safe
def impact_download(request: HttpRequest, form: str) -> HttpResponse:
    """Hand out every event of the workspace, as CSV for a spreadsheet or as JSON."""
    rows = Impact.objects.in_workspace(request.workspace).select_related("actor").order_by("at", "pk")
    events = [ImpactOut.model_validate(row).model_dump(mode="json") for row in rows]
    return _file(request, "impact", form, list(ImpactOut.model_fields), events, told=events)


def _report(request: HttpRequest, **limits: None) -> ImpactReport:
    """The figures of the span and the role that the address names."""
    form, now = SpanForm(request.GET), timezone.now()
    read = form.cleaned_data if form.is_valid() else {}
    weeks = read.get("weeks") or span_that_holds_something(request.workspace, now=now)
    return impact_report(request.workspace, now=now, weeks=weeks, role=read.get("role", ""), **limits)


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


def _file(
    request: HttpRequest, stem: str, form: str, columns: list[str], rows: Sequence[dict[str, Any]], *, told: object
) -> HttpResponse:
    """A file to keep. Raises Http404 for a form that we do not write."""
    if form == "json":
        text = json.dumps(told, ensure_ascii=False, indent=2, default=str) + "\n"
        response = HttpResponse(text, content_type="application/json; charset=utf-8")
    elif form == "csv":
        response = HttpResponse(_csv(columns, rows), content_type="text/csv; charset=utf-8")
    else:
        raise Http404(f"There is no form {form!r}. Ask for csv or json.")
    response["Content-Disposition"] = f'attachment; filename="{stem}-{request.workspace.slug}.{form}"'
    return response


def _csv(columns: list[str], rows: Sequence[dict[str, Any]]) -> str:
    """One line a row, under the names of the columns; a list is written with spaces between."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in map(row.get, columns)] for row in rows)
    return file.getvalue()


def _cell(value: object) -> str:
    """One cell. What a spreadsheet would take for a formula is kept from being one."""
    text = "" if value is None else " ".join(value) if isinstance(value, list) else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
