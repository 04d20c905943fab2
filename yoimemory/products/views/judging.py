"""A proposal's page, and what a person does there: judge, apply, undo, rebase, withdraw."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, first_error, render_page, sentence, status_of
from yoimemory.products import services
from yoimemory.products.case import case_of
from yoimemory.products.forms import ReviewForm, StepForm
from yoimemory.products.models import Impact, Proposal
from yoimemory.products.standing import diff_of
from yoimemory.products.views.answers import proposal_named
from yoimemory.sources.places import place_of

SAID = {
    "approve": "Approved. Nothing is written yet: apply it below.",
    "needs_change": "Sent back for a change.",
    "reject": "Rejected. It stays readable, with your reason.",
}


WAYS = {
    Proposal.Way.WRITTEN: "Written. Undo is below.",
    Proposal.Way.ARTIFACT: "Written as an artifact. Undo is below.",
    Proposal.Way.APPENDED: "Appended to the thread. Undo is below, for as long as nothing follows it there.",
    Proposal.Way.MARKED: "Set. It is a caveat beside everything that shows this ref; undoing resolves it.",
    Proposal.Way.BY_HAND: "Noted as carried over by hand.",
}


@require_safe
def proposal_detail(request: HttpRequest, public_id: str) -> TemplateResponse:
    """Show exactly what would be written, the proof beside it, and what will happen."""
    return render_page(request, "products/detail.html", _context(request, proposal_named(request, public_id)))


@require_safe
def proposal_patch(request: HttpRequest, public_id: str) -> HttpResponse:
    """Hand out the change as a patch that git applies, for carrying it over by hand."""
    proposal = proposal_named(request, public_id)
    response = HttpResponse(diff_of(proposal) or proposal.content, content_type="text/plain; charset=utf-8")
    ending = "md" if proposal.is_text else "patch"
    response["Content-Disposition"] = f'attachment; filename="proposal-{proposal.public_id}.{ending}"'
    response["Content-Security-Policy"] = "sandbox"
    return response


@require_POST
def proposal_review(request: HttpRequest, public_id: str) -> HttpResponse:
    """Approve, ask for a change, or reject."""
    form = ReviewForm(request.POST)

    def verb(proposal: Proposal) -> str:
        services.review_proposal(proposal, **form.cleaned_data, actor=request.actor, now=timezone.now())
        return SAID[form.cleaned_data["verdict"]]

    return _done(request, public_id, form, verb, event="proposal-reviewed")


@require_POST
def proposal_apply(request: HttpRequest, public_id: str) -> HttpResponse:
    """Write it, or note that its text was carried over by hand."""
    form = StepForm(request.POST)

    def verb(proposal: Proposal) -> str:
        services.apply_proposal(
            proposal, **_read(form, "way", "review", "confirmed", "version"), actor=request.actor, now=timezone.now()
        )
        if proposal.state == Proposal.State.CONFLICT:
            raise services.BaseChanged(proposal.state_reason, hint="Rebase it on the file as it stands.")
        return WAYS[Proposal.Way(proposal.way)]

    return _done(request, public_id, form, verb, event="proposal-applied")


@require_POST
def proposal_revert(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put back the bytes from before."""
    form = StepForm(request.POST)

    def verb(proposal: Proposal) -> str:
        services.revert_proposal(proposal, **_read(form, "reason", "version"), actor=request.actor, now=timezone.now())
        return "Undone." if proposal.way != Proposal.Way.BY_HAND else "Undone here; take it out of the ticket yourself."

    return _done(request, public_id, form, verb, event="proposal-reverted")


@require_POST
def proposal_rebase(request: HttpRequest, public_id: str) -> HttpResponse:
    """Carry it over to the file as it stands."""
    form = StepForm(request.POST)

    def verb(proposal: Proposal) -> str:
        services.rebase_proposal(proposal, **_read(form, "version"), actor=request.actor, now=timezone.now())
        return "Rebased on the file as it stands; it waits for a verdict again."

    return _done(request, public_id, form, verb, event="proposal-rebased")


@require_POST
def proposal_withdraw(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take it back before anything is written."""
    form = StepForm(request.POST)

    def verb(proposal: Proposal) -> str:
        services.withdraw_proposal(
            proposal, **_read(form, "reason", "version"), actor=request.actor, now=timezone.now()
        )
        return "Withdrawn."

    return _done(request, public_id, form, verb, event="proposal-withdrawn")


def _read(form: StepForm, *names: str) -> dict[str, Any]:
    return {name: form.cleaned_data[name] for name in names}


def _done(
    request: HttpRequest,
    public_id: str,
    form: ReviewForm | StepForm,
    verb: Callable[[Proposal], str],
    *,
    event: str,
) -> HttpResponse:
    """Do it; answer with the strip and the proposal as they are now, or with what stands against it."""
    proposal = proposal_named(request, public_id)
    said, problem, code = "", first_error(form), 422
    if form.is_valid():
        try:
            said, code = verb(proposal), 200
        except DomainError as error:
            problem, code = sentence(error), status_of(error)
    if said and not request.htmx:
        messages.success(request, said)
        return HttpResponseRedirect(reverse("products:detail", args=[public_id]))
    context = _context(request, proposal_named(request, public_id))
    context |= {"said": said, "problem": problem, "sent": request.POST}
    if not request.htmx:
        return render_page(request, "products/detail.html", context, status=code)
    answer: HttpResponse = TemplateResponse(request, "products/detail.html#answer", context, status=code)
    return trigger_client_event(answer, event, {"id": public_id}) if said else answer


def _context(request: HttpRequest, proposal: Proposal) -> dict[str, object]:
    ref = place_of(proposal.path).ref
    kinds = [(kind.value, kind.value.replace("_", " ")) for kind in Impact.EFFECTS]
    return {
        "proposal": proposal, "case": case_of(proposal, request.actor), "target_ref": ref, "impact_kinds": kinds,
    }  # fmt: skip
