"""The pages on which people mark refs, look after markers and contradictions, and say how far a source is trusted."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from yoimemory.access.services import may_review
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, blame, safe_address, sentence
from yoimemory.markers import services
from yoimemory.markers.forms import ContradictionForm, MarkerForm, ReliabilityForm
from yoimemory.markers.models import Contradiction, Marker, Reliability, SecondLook
from yoimemory.markers.services import mark_staleness
from yoimemory.refs import SourceRef

PER_PAGE = 30
OPEN = "open"


@require_safe
def marker_list(request: HttpRequest) -> TemplateResponse:
    """Show the markers of the workspace, those that wait first, each with what it stands on and what caused it."""
    own = Marker.objects.filter(workspace=request.workspace)
    state, status = request.GET.get("state", ""), request.GET.get("status", OPEN)
    rows = own.open() if status == OPEN else own.filter(status=status) if status in Marker.Status.values else own
    rows = rows.filter(state=state) if state in Marker.State.values else rows
    page = Paginator(rows.select_related("made_by", "resolved_by").order_by("-status", "-pk"), PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "page": page, "state": state, "status": status, "states": Marker.State.choices,
        "statuses": [(OPEN, "open"), *Marker.Status.choices, ("all", "all")],
        "waiting": own.filter(status=Marker.Status.PROPOSED).count(),
        "may_review": may_review(request.actor, request.workspace),
        "contradictions": Contradiction.objects.open().filter(workspace=request.workspace).count(),
        "counts": dict(own.open().values_list("state").annotate(Count("pk"))),
    }  # fmt: skip
    return TemplateResponse(request, "markers/list.html", context)


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
        return _page(request, form, status=blame(form, error))
    messages.success(request, f"{marker.target} is marked {marker.state}.")
    return HttpResponseRedirect(f"{reverse('desk:read')}?{urlencode({'ref': marker.target})}")


@require_POST
def marker_close(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take over, resolve or decline one marker, with a reason where it ends."""
    marker = get_object_or_404(Marker, public_id=public_id, workspace=request.workspace)
    act, now = request.POST.get("act", ""), timezone.now()

    def verb() -> str:
        if act == "take_over":
            services.take_over_markers([marker], actor=request.actor, now=now)
            return f"{marker.target} is marked {marker.state} now."
        services.resolve_markers(
            [marker], actor=request.actor, resolution=request.POST.get("reason", ""), now=now, decline=act == "decline"
        )
        return "The marker is closed; it stays in the record with your reason."

    return _done(request, verb, reverse("markers:list"))


@require_safe
def contradiction_list(request: HttpRequest) -> TemplateResponse:
    """Show what stands against what, the open ones first."""
    rows = Contradiction.objects.filter(workspace=request.workspace).with_people()
    context = {
        "open": rows.open().order_by("status", "-pk"),
        "closed": rows.exclude(pk__in=rows.open()).order_by("-resolved_at")[:PER_PAGE],
    }
    return TemplateResponse(request, "markers/contradictions.html", context)


@require_safe
def contradiction_new(request: HttpRequest) -> TemplateResponse:
    """Ask for the two sides and what they disagree on."""
    given = {name: request.GET.get(name, "") for name in ("left", "right")}
    return _contradiction_form(request, ContradictionForm(initial=given))


@require_POST
def contradiction_note(request: HttpRequest) -> HttpResponse:
    """Let the two stand against each other; or the form again with what is wrong."""
    form = ContradictionForm(request.POST)
    if not form.is_valid():
        return _contradiction_form(request, form, status=422)
    try:
        row = services.note_contradiction(
            form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now()
        )
    except DomainError as error:
        return _contradiction_form(request, form, status=blame(form, error))
    messages.success(request, "It stands, and shows beside both sides, until somebody resolves it.")
    return HttpResponseRedirect(reverse("markers:contradiction", args=[row.public_id]))


@require_safe
def contradiction_detail(request: HttpRequest, public_id: str) -> TemplateResponse:
    """Show one contradiction from both sides, and how it may be resolved."""
    row = _contradiction(request, public_id)
    looks = SecondLook.objects.filter(workspace=request.workspace, subject=row.ref)
    asked = looks.asked().first()
    context = {
        "row": row,
        "sides": [
            (row.left, row.left_at, row.left_scope, "left"), (row.right, row.right_at, row.right_scope, "right"),
        ],
        "holds": Contradiction.Holds.choices,
        "may_review": may_review(request.actor, request.workspace),
        "conflict": looks.in_conflict().prefetch_related("looks__by").first(),
        "agreed": looks.exclude(outcome__in=["asked", "conflict"]).prefetch_related("looks__by").last(),
        "answered": bool(asked and asked.looks.filter(by__user=request.actor.user_id).exists()),
        "apart": services.needs_second(request.workspace),
    }  # fmt: skip
    return TemplateResponse(request, "markers/contradiction.html", context)


@require_POST
def contradiction_resolve(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take over, resolve, decline or settle, as the form says."""
    row, now = _contradiction(request, public_id), timezone.now()
    holds, reason, act = (request.POST.get(name, "") for name in ("holds", "reason", "act"))

    def verb() -> str:
        if act == "take_over":
            services.take_over_contradiction(row, actor=request.actor, now=now)
            return "It stands now."
        if act == "withdraw":
            services.withdraw_look(row.ref, workspace=request.workspace, actor=request.actor, now=now)
            return "Your answer is taken back."
        settled = None
        if act == "settle":
            second = get_object_or_404(SecondLook.objects.in_conflict(), workspace=request.workspace, subject=row.ref)
            settled = services.settle_conflict(second, answer=holds, reason=reason, actor=request.actor, now=now)
        done = services.resolve_contradiction(
            row, holds=holds, resolution=reason, actor=request.actor, now=now, settled=settled
        )
        waits = "Noted. Another reviewer answers too, without seeing yours; then it is resolved."
        return waits if done.is_open else f"It is {done.status}."

    return _done(request, verb, reverse("markers:contradiction", args=[row.public_id]))


@require_safe
def reliability_page(request: HttpRequest) -> TemplateResponse:
    """Show how far sources are trusted here, and the form for one of them."""
    given = {"source": request.GET.get("source", ""), "next": request.GET.get("next", "")}
    return _reliability(request, ReliabilityForm(initial=given))


@require_POST
def reliability_set(request: HttpRequest) -> HttpResponse:
    """Say how far a source is trusted; or the form again with what is wrong."""
    form = ReliabilityForm(request.POST)
    if not form.is_valid():
        return _reliability(request, form, status=422)
    read = form.cleaned_data
    try:
        row = services.set_reliability(
            SourceRef.parse(read["source"]), grade=read["grade"], reason=read["reason"], workspace=request.workspace,
            actor=request.actor, now=timezone.now(),
        )  # fmt: skip
    except DomainError as error:
        return _reliability(request, form, status=blame(form, error))
    messages.success(request, f"{row.source}: {row.grade}. It shows beside everything quoted from it.")
    return HttpResponseRedirect(safe_address(read["next"], reverse("markers:reliability")))


def _contradiction(request: HttpRequest, public_id: str) -> Contradiction:
    rows = Contradiction.objects.filter(workspace=request.workspace).with_people()
    return get_object_or_404(rows, public_id=public_id)


def _done(request: HttpRequest, verb: Callable[[], str], where: str) -> HttpResponse:
    """Run the verb, say what was done or what stands against it, and go on."""
    try:
        messages.success(request, verb())
    except DomainError as error:
        messages.error(request, sentence(error))
    return HttpResponseRedirect(safe_address(request.POST.get("next", ""), where))


def _contradiction_form(request: HttpRequest, form: ContradictionForm, *, status: int = 200) -> TemplateResponse:
    return TemplateResponse(request, "markers/contradict.html", {"form": form}, status=status)


def _reliability(request: HttpRequest, form: ReliabilityForm, *, status: int = 200) -> TemplateResponse:
    rows = Reliability.objects.filter(workspace=request.workspace).select_related("set_by").order_by("source")
    context = {
        "form": form,
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "may_review": may_review(request.actor, request.workspace),
    }
    return TemplateResponse(request, "markers/reliability.html", context, status=status)


def _page(request: HttpRequest, form: MarkerForm, *, status: int = 200) -> TemplateResponse:
    context = {"form": form, "target": form["target"].value() or ""}
    return TemplateResponse(request, "markers/new.html", context, status=status)
