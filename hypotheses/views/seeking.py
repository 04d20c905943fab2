"""Seek contrary evidence for one claim, and take what was found into its shoebox as suggestions."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from evidence.services import Extraction
from hypotheses import services
from hypotheses.models import Hypothesis
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, sentence

QUESTION_MAX = 500


@require_POST
def hypothesis_seek(request: HttpRequest, public_id: str) -> HttpResponse:
    """Seek contrary evidence for one claim; its page shows what was looked for and what came of it."""
    question = request.POST.get("question", "")[:QUESTION_MAX].strip()
    hypothesis = _hypothesis(request, public_id)
    services.seek_contrary(hypothesis, actor=request.actor, now=timezone.now(), question=question)
    return _back(public_id)


@require_POST
def hypothesis_suggest(request: HttpRequest, public_id: str) -> HttpResponse:
    """Suggest the passages named, or all that the last search found, as evidence of the shoebox."""
    hypothesis = _hypothesis(request, public_id)
    refs = [ref for ref in request.POST.getlist("ref") if ref]
    try:
        outcome = services.suggest_found(hypothesis, refs, actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        _say(request, outcome)
    return _back(public_id)


def _say(request: HttpRequest, outcome: Extraction) -> None:
    """What became of the passages, in whole sentences."""
    count = len(outcome.stored)
    if count:
        pieces = f"{count} passage{'' if count == 1 else 's'}"
        messages.success(request, f"{pieces} suggested as evidence. Set what each says of the claim, then accept it.")
    for words in dict.fromkeys(f"{refusal.message} {refusal.hint}".strip() for refusal in outcome.refused):
        messages.warning(request, words)


def _hypothesis(request: HttpRequest, public_id: str) -> Hypothesis:
    hypothesis = get_object_or_404(Hypothesis.objects.readable_by(request.actor).with_people(), public_id=public_id)
    request.workspace = hypothesis.workspace
    return hypothesis


def _back(public_id: str) -> HttpResponse:
    return HttpResponseRedirect(reverse("hypotheses:detail", args=[public_id]) + "#sought")
