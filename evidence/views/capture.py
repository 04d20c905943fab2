"""Capturing words from the page of their source: the strip, the card and the lines change, the page stays."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST
from django_htmx.http import trigger_client_event

from evidence import services
from evidence.forms import CaptureForm
from evidence.lines import Line, Text
from evidence.marks import quoted_in
from evidence.models import Evidence
from evidence.views.reading import evidence_of
from shoebox.models import Shoebox
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, first_error, sentence, status_of
from yoimemory.refs import SourceRef
from yoimemory.sources.read import read_document

STRIP = "evidence/captured.html"


@require_POST
def evidence_extract(request: HttpRequest, shoebox_id: str) -> HttpResponse:
    """Store the selected words; answer with the strip's sentence, and the card and lines out of band."""
    shoebox = get_object_or_404(
        Shoebox.objects.readable_by(request.actor).select_related("workspace"), public_id=shoebox_id
    )
    request.workspace = shoebox.workspace
    form = CaptureForm(request.POST)
    if not form.is_valid():
        return _refused(request, shoebox, first_error(form))
    try:
        outcome = services.extract_evidence(shoebox, [form.draft()], actor=request.actor, now=timezone.now())
    except DomainError as error:
        return _refused(request, shoebox, sentence(error), status=status_of(error))
    if outcome.refused:
        return _refused(request, shoebox, outcome.refused[0].message, refusal=outcome.refused[0])
    [evidence] = outcome.stored
    request.session["shoebox"] = shoebox.public_id
    said = _said(evidence, related=bool(outcome.related))
    return _captured(request, evidence, said, ref=form.cleaned_data["ref"], undoable=not outcome.related)


@require_POST
def evidence_withdraw(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a capture back; answer like a capture, with the card and the mark gone."""
    evidence = evidence_of(request, public_id)
    ref = request.POST.get("ref", "") or str(evidence.address.part(""))
    try:
        services.undo_extraction(evidence, actor=request.actor, now=timezone.now())
    except DomainError as error:
        return _refused(request, evidence.shoebox, sentence(error), status=status_of(error))
    return _captured(request, evidence, "Taken back. It stays in the record as retired.", ref=ref, undoable=False)


def _captured(request: HttpRequest, evidence: Evidence, said: str, *, ref: str, undoable: bool) -> HttpResponse:
    if not request.htmx:
        messages.success(request, said)
        query = urlencode({"ref": ref, "shoebox": evidence.shoebox.public_id})
        return HttpResponseRedirect(f"{reverse('desk:read')}?{query}#L{evidence.start_line or 1}")
    try:
        document = read_document(evidence.workspace, SourceRef.parse(ref).part(""))
    except DomainError:  # gone in this very second: the sentence stands, the page is as it was
        document = None
    cards = quoted_in(document, evidence.workspace, shoebox=evidence.shoebox) if document else []
    lines: list[Line] = []
    if document and evidence.start_line and evidence.end_line:
        text = Text(document.text, document.path, [card.mark for card in cards if card.mark])
        lines = list(text.lines(evidence.start_line, evidence.end_line))
    context = {
        "said": said, "evidence": evidence, "undoable": undoable, "cards": cards, "lines": lines, "ref": ref,
        "shoebox": evidence.shoebox, "oob": document is not None,
    }  # fmt: skip
    response: HttpResponse = TemplateResponse(request, STRIP, context)
    return trigger_client_event(response, "evidence-extracted", {"id": evidence.public_id})


def _refused(
    request: HttpRequest,
    shoebox: Shoebox,
    message: str,
    *,
    refusal: services.Refusal | None = None,
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY,
) -> HttpResponse:
    if not request.htmx:
        hint = f" {refusal.hint}" if refusal else ""
        messages.error(request, message + hint)
        query = urlencode({"ref": request.POST.get("ref", ""), "shoebox": shoebox.public_id})
        return HttpResponseRedirect(f"{reverse('desk:read')}?{query}")
    context = {"refused": message, "refusal": refusal, "shoebox": shoebox}
    return TemplateResponse(request, STRIP, context, status=status)


def _said(evidence: Evidence, *, related: bool) -> str:
    """What became of the capture, in one sentence."""
    if related:
        return "These words were quoted before; the new relation was added to them."
    if evidence.state == Evidence.State.ACCEPTED:
        return f"Captured and accepted by {evidence.made_by}."
    if evidence.state == Evidence.State.DRAFT:
        return "Captured as a draft: say why it matters to have it accepted."
    return "Captured and suggested; a reviewer decides."
