"""The editor of a representation: one row at a time, with the fields of its kind."""

from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods
from django_htmx.http import trigger_client_event

from hypotheses import services
from hypotheses.forms import RowForm
from hypotheses.kinds import KINDS
from hypotheses.kinds.kind import Kind
from hypotheses.models import Representation
from hypotheses.schemas import RepresentationEdit
from hypotheses.views.representations import page_context
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, number_in, sentence, status_of

PART = "hypotheses/representation.html#representation"


@require_http_methods(["GET", "HEAD", "POST"])
def representation_row(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show one row as a form, or a new one; save, move, mark or take it out."""
    rows = Representation.objects.readable_by(request.actor).select_related("workspace", "shoebox", "made_by")
    made = get_object_or_404(rows, public_id=public_id)
    request.workspace = made.workspace
    kind = KINDS[made.kind]
    body = kind.body.model_validate(made.body)
    entries = list(getattr(body, kind.rows))
    number = _number(request, len(entries))
    if request.method != "POST":
        return _page(request, made, RowForm(kind, row=entries[number - 1] if number else None), number)
    form = RowForm(kind, request.POST)
    act = request.POST.get("act", "mark" if "mark" in request.POST else "save")
    if act == "save" and not form.is_valid():
        return _page(request, made, form, number, code=422)
    changed = _changed([entry.model_dump(mode="json") for entry in entries], number, act, form, kind)
    edit = RepresentationEdit(body={**body.model_dump(mode="json"), kind.rows: changed})
    version = number_in(request.POST.get("version", "")) or 0
    try:
        made = services.edit_representation(
            made, edit, version=version, actor=request.actor, now=timezone.now(),
            reread={(number or len(changed)) - 1} if act in {"save", "mark"} else (),
        )  # fmt: skip
    except DomainError as error:
        return _refused(request, made, form, number, error)
    if not request.htmx:
        return HttpResponseRedirect(reverse("hypotheses:representation", args=[public_id]))
    response: HttpResponse = TemplateResponse(request, PART, page_context(made))
    return trigger_client_event(response, "representation-edited")


def _number(request: HttpRequest, count: int) -> int:
    """The row that is meant, from 1; 0 for a new one. Raises Http404 for one that does not exist."""
    text = request.POST.get("row", "") if request.method == "POST" else request.GET.get("row", "")
    if not text:
        return 0
    number = number_in(text)
    if number is None or not 1 <= number <= count:
        raise Http404("There is no such row.")
    return number


def _changed(rows: list[dict[str, Any]], number: int, act: str, form: RowForm, kind: Kind) -> list[dict[str, Any]]:
    """The rows after what was asked for."""
    rows = list(rows)
    place = number - 1
    if act == "save":
        if number:
            rows[place] = {**rows[place], **form.values()}
        else:
            rows.append(form.values())
    elif act == "drop" and number:
        del rows[place]
    elif act in {"up", "down"} and number:
        other = min(max(place + (-1 if act == "up" else 1), 0), len(rows) - 1)
        rows[place], rows[other] = rows[other], rows[place]
    elif act == "mark" and number and kind.name == "review_checklist":
        rows[place] = {**rows[place], "done": not rows[place]["done"]}
    return rows


def _refused(
    request: HttpRequest, made: Representation, form: RowForm, number: int, error: DomainError
) -> TemplateResponse:
    """The part or the page that was asked from, with what is wrong."""
    problem, code = sentence(error), status_of(error)
    if request.htmx:
        return TemplateResponse(request, PART, page_context(made, problem=problem), status=code)
    return _page(request, made, form, number, problem=problem, code=code)


def _page(
    request: HttpRequest, made: Representation, form: RowForm, number: int, *, problem: str = "", code: int = 200
) -> TemplateResponse:
    context = {
        "representation": made, "form": form, "number": number, "problem": problem,
        "version": request.POST.get("version") or made.version,
    }  # fmt: skip
    return TemplateResponse(request, "hypotheses/row.html", context, status=code)
