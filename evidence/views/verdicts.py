"""Judging evidence, and the words and relations about it. Each answers its part and an event."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST
from django_htmx.http import trigger_client_event

from evidence import services
from evidence.forms import FixForm, ReviewForm, WordsForm
from evidence.models import Evidence
from evidence.views.reading import detail_context, evidence_of
from yoimemory.errors import BadInput, DomainError
from yoimemory.http import HttpRequest, first_error, safe_address, sentence, status_of
from yoimemory.markers.models import SecondLook
from yoimemory.refs import SourceRef

ONE_OF_TWO = "Noted. Nothing has changed yet: another reviewer looks too, without seeing your answer."


@require_POST
def evidence_review(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give a verdict."""
    evidence = evidence_of(request, public_id)
    form = ReviewForm(request.POST)

    def verb() -> str:
        if not form.is_valid():
            raise BadInput(first_error(form))
        given = services.review_evidence(evidence, **form.cleaned_data, actor=request.actor, now=timezone.now())
        return (
            _looked_said(given)
            if isinstance(given, SecondLook)
            else _verdict_said(evidence, form.cleaned_data["verdict"])
        )

    return _judged(request, evidence, verb)


@require_POST
def evidence_fix(request: HttpRequest, public_id: str) -> HttpResponse:
    """Set the words and the relation right and give the verdict, in one step."""
    evidence = evidence_of(request, public_id)
    form = FixForm(request.POST)

    def verb() -> str:
        if not form.is_valid():
            raise BadInput(first_error(form))
        services.fix_and_review(evidence, **form.fix(evidence), actor=request.actor, now=timezone.now())
        return f"Set right; {_verdict_said(evidence, form.cleaned_data['verdict']).lower()}"

    return _judged(request, evidence, verb)


@require_POST
def evidence_settle(request: HttpRequest, public_id: str) -> HttpResponse:
    """End the disagreement of two reviewers with one of their answers."""
    evidence = evidence_of(request, public_id)

    def verb() -> str:
        answer, reason = request.POST.get("answer", ""), request.POST.get("reason", "")
        services.settle_review(evidence, answer=answer, reason=reason, actor=request.actor, now=timezone.now())
        return f"Settled. The evidence is {evidence.get_state_display().lower()}."

    return _judged(request, evidence, verb)


@require_POST
def evidence_undo(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take the last verdict back."""
    evidence = evidence_of(request, public_id)

    def verb() -> str:
        services.undo_review(evidence, actor=request.actor, now=timezone.now())
        return f"The verdict was taken back; the evidence is {evidence.get_state_display().lower()} again."

    return _judged(request, evidence, verb)


@require_POST
def evidence_supersede(request: HttpRequest, public_id: str) -> HttpResponse:
    """Let another piece of evidence take this one's place."""
    evidence = evidence_of(request, public_id)

    def verb() -> str:
        by = SourceRef.parse(request.POST.get("by", "").strip())
        other = Evidence.objects.readable_by(request.actor).filter(public_id=by.locator).first()
        if by.kind != "evidence" or other is None:
            raise BadInput(f"There is no evidence {by}.", hint="Copy the ref from its page: evidence:…")
        reason = request.POST.get("reason", "")
        services.supersede_evidence(evidence, by=other, reason=reason, actor=request.actor, now=timezone.now())
        return f"Superseded by {other.ref}." if evidence.superseded_by_id else ONE_OF_TWO

    return _judged(request, evidence, verb)


@require_POST
def evidence_relate(request: HttpRequest, public_id: str) -> HttpResponse:
    """Say how it bears on a hypothesis or the question; an empty relation takes it back."""
    evidence = evidence_of(request, public_id)

    def verb() -> str:
        target = SourceRef.parse(request.POST.get("target", "").strip())
        relation, now = request.POST.get("relation", ""), timezone.now()
        if relation:
            services.relate_evidence(evidence, target=target, relation=relation, actor=request.actor, now=now)
            return "The relation is set."
        services.unrelate_evidence(evidence, target=target, actor=request.actor, now=now)
        return "The relation was taken back; the history keeps it."

    return changed(request, evidence, "relations", verb)


@require_POST
def evidence_explain(request: HttpRequest, public_id: str) -> HttpResponse:
    """Change the words about the quote."""
    evidence = evidence_of(request, public_id)
    form = WordsForm(request.POST)

    def verb() -> str:
        if not form.is_valid():
            raise BadInput(first_error(form))
        words = form.words(evidence)
        services.explain_evidence(evidence, **words, actor=request.actor, now=timezone.now())
        return "The words are saved. The quote is as it was."

    return changed(request, evidence, "words", verb)


def _judged(request: HttpRequest, evidence: Evidence, verb: Callable[[], str]) -> HttpResponse:
    """On its own page the verdict part, in a list one row that says what was decided."""
    return changed(request, evidence, "verdict" if request.htmx.target == "verdict" else "judged", verb)


def changed(request: HttpRequest, evidence: Evidence, part: str, verb: Callable[[], str]) -> HttpResponse:
    """Run the verb; answer with the part and what was done, or with what stands against it."""
    said, wrong, status = "", "", 200
    try:
        said = verb()
    except DomainError as error:
        wrong, status = sentence(error), status_of(error)
    if not request.htmx:
        (messages.error if wrong else messages.success)(request, wrong or said)
        return HttpResponseRedirect(_next(request, evidence))
    fresh = evidence_of(request, evidence.public_id)
    context = detail_context(request, fresh, said=said, wrong=wrong, oob=not wrong)
    response: HttpResponse = TemplateResponse(request, f"evidence/detail.html#{part}", context, status=status)
    return response if wrong else trigger_client_event(response, "evidence-reviewed", {"id": fresh.public_id})


def _next(request: HttpRequest, evidence: Evidence) -> str:
    """Where a form without htmx came from, if that is one of our own pages."""
    return safe_address(request.POST.get("next", ""), reverse("evidence:detail", args=[evidence.public_id]))


def _looked_said(second: SecondLook) -> str:
    """What became of one of two answers, without telling the first person anything of the second's before it is in."""
    if second.outcome == SecondLook.Outcome.ASKED:
        return ONE_OF_TWO
    if second.outcome == SecondLook.Outcome.CONFLICT:
        return "The two of you answered differently; both answers are shown now, and one of you or a third settles it."
    return "Both of you say the same; it is done."


def _verdict_said(evidence: Evidence, verdict: str) -> str:
    if verdict == "not_sure":
        return "Noted as not sure; the state is as it was."
    return f"The evidence is {evidence.get_state_display().lower()}."
