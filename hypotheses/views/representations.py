"""Pages of representations: the list, one of them with its picture and its table, and its files."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from hypotheses import services
from hypotheses.cites import Cites
from hypotheses.filters import RepresentationFilter
from hypotheses.forms import RepresentForm, TakeBackForm, TakeInForm
from hypotheses.kinds import KINDS
from hypotheses.kinds.kind import Asked
from hypotheses.models import Representation
from hypotheses.rendering import representation_json, representation_markdown
from hypotheses.standing import behind_reasons, moved_since, representation_out
from shoebox.models import Shoebox
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, number_in, render_page, sentence, status_of

PER_PAGE = 50
FILES = {
    "md": ("text/markdown; charset=utf-8", representation_markdown),
    "json": ("application/json; charset=utf-8", representation_json),
}


@require_safe
def representation_list(request: HttpRequest) -> TemplateResponse:
    """Show the representations of the workspace, newest first, with the ones that are behind."""
    return render_page(
        request, "hypotheses/representations.html", _list(request), parts={"representations", "represent"}
    )


@require_POST
def representation_represent(request: HttpRequest) -> HttpResponse:
    """Build a representation; go to it, or answer with a fresh form and the event."""
    shoeboxes = Shoebox.objects.in_workspace(request.workspace)
    form = RepresentForm(request.POST, shoeboxes=shoeboxes)
    if form.is_valid():
        try:
            made = services.create_representation(
                form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now()
            )
        except DomainError as error:
            form.add_error(None, sentence(error))
        else:
            if not request.htmx:
                return HttpResponseRedirect(reverse("hypotheses:representation", args=[made.public_id]))
            fresh = RepresentForm(initial={"shoebox": made.shoebox.public_id}, shoeboxes=shoeboxes)
            context = {"form": fresh, "made": made}
            response: HttpResponse = TemplateResponse(request, "hypotheses/representations.html#represent", context)
            return trigger_client_event(response, "representation-created", {"id": made.public_id})
    if request.htmx:
        return TemplateResponse(request, "hypotheses/representations.html#represent", {"form": form}, status=422)
    return render_page(request, "hypotheses/representations.html", _list(request) | {"form": form}, status=422)


@require_POST
def representation_import(request: HttpRequest) -> HttpResponse:
    """Take the JSON file of a representation in, as a new one."""
    form = TakeInForm(request.POST, request.FILES, shoeboxes=Shoebox.objects.in_workspace(request.workspace))
    if form.is_valid():
        try:
            made = services.import_representation(
                services.read_representation_file(form.cleaned_data["file"].read(services.FILE_MAX + 1)),
                shoebox=form.cleaned_data["shoebox"].public_id,
                workspace=request.workspace,
                actor=request.actor,
                now=timezone.now(),
            )
        except DomainError as error:
            form.add_error("file", sentence(error))
        else:
            return HttpResponseRedirect(reverse("hypotheses:representation", args=[made.public_id]))
    return render_page(request, "hypotheses/representations.html", _list(request) | {"take_in": form}, status=422)


@require_POST
def representation_replace(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a changed JSON file back, as the next version of this representation."""
    made = _representation(request, public_id)
    form = TakeBackForm(request.POST, request.FILES)
    problem, code = "Choose the changed JSON file first.", 422
    if form.is_valid():
        try:
            said = services.read_representation_file(form.cleaned_data["file"].read(services.FILE_MAX + 1))
            services.replace_representation(made, said, actor=request.actor, now=timezone.now())
        except DomainError as error:
            problem, code = sentence(error), status_of(error)
        else:
            return HttpResponseRedirect(reverse("hypotheses:representation", args=[public_id]))
    elif "file" in request.FILES:
        problem = " ".join(str(words) for words in form.errors["file"])
    return render_page(request, "hypotheses/representation.html", page_context(made, problem=problem), status=code)


@require_safe
def representation_detail(request: HttpRequest, public_id: str) -> TemplateResponse:
    """Show a representation: picture and table together, and what has moved since."""
    made = _representation(request, public_id)
    context = page_context(made, query=request.GET)
    return render_page(request, "hypotheses/representation.html", context, parts={"representation"})


@require_POST
def representation_rebuild(request: HttpRequest, public_id: str) -> HttpResponse:
    """Build it again from what the shoebox holds now."""
    made = _representation(request, public_id)
    problem, code = "", 200
    try:
        made = services.rebuild_representation(
            made,
            actor=request.actor,
            now=timezone.now(),
            version=number_in(request.POST.get("version", "")),
            confirmed="confirmed" in request.POST,
        )
    except DomainError as error:
        problem, code = sentence(error), status_of(error)
    if not request.htmx and not problem:
        return HttpResponseRedirect(reverse("hypotheses:representation", args=[public_id]))
    template = "hypotheses/representation.html" + ("#representation" if request.htmx else "")
    response: HttpResponse = TemplateResponse(request, template, page_context(made, problem=problem), status=code)
    return response if problem else trigger_client_event(response, "representation-rebuilt")


@require_safe
def representation_download(request: HttpRequest, public_id: str, filename: str) -> HttpResponse:
    """The file of a representation, as an attachment: Markdown for people, JSON for machines."""
    made = _representation(request, public_id)
    name, _, extension = filename.rpartition(".")
    if extension not in FILES or name != made.kind:
        raise Http404("A representation is offered as .md and .json.")
    kind, write = FILES[extension]
    response = HttpResponse(write(representation_out(made)), content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{made.kind}-{made.public_id}.{extension}"'
    return response


def _representation(request: HttpRequest, public_id: str) -> Representation:
    rows = Representation.objects.readable_by(request.actor)
    made = get_object_or_404(rows.select_related("workspace", "shoebox", "made_by"), public_id=public_id)
    request.workspace = made.workspace
    return made


def page_context(
    made: Representation, *, query: Mapping[str, Any] = MappingProxyType({}), problem: str = ""
) -> dict[str, Any]:
    """What the page of one representation shows; the row editor answers with it as well."""
    kind = KINDS[made.kind]
    body, toward = kind.body.model_validate(made.body), str(query.get("toward", ""))
    return {
        "representation": made,
        "behind": moved_since([made])[made.pk],
        "kind": kind,
        "take_back": TakeBackForm(),
        "shown": kind.show(body, Asked(made, Cites.of(made), toward, query)),
        "toward": toward,
        "problem": problem,
    }


def _list(request: HttpRequest) -> dict[str, Any]:
    own = Representation.objects.in_workspace(request.workspace)
    narrowed = RepresentationFilter(request.GET, own)
    rows = narrowed.qs.select_related("shoebox", "made_by").order_by("-pk")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    behind = behind_reasons(list(page.object_list))
    shoeboxes = Shoebox.objects.in_workspace(request.workspace)
    open_ones = shoeboxes.open().order_by("-pk")
    chosen = shoeboxes.filter(public_id=request.GET.get("shoebox", "").removeprefix("shoebox:")).first()
    query = request.GET.copy()
    query.pop("page", None)
    return {
        "filter": narrowed,
        "page": page,
        "rows": [(made, behind[made.pk]) for made in page.object_list],
        "any": bool(page.object_list) or own.exists(),
        "chosen": chosen,
        "form": RepresentForm(initial={"shoebox": chosen.public_id} if chosen else {}, shoeboxes=open_ones),
        "take_in": TakeInForm(initial={"shoebox": chosen.public_id} if chosen else {}, shoeboxes=open_ones),
        "query_string": query,
    }
