"""What one step does to several pieces: suggest, accept together, take in and give out annotations."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from evidence import services
from evidence.annotations import file_of_annotations
from evidence.models import Evidence
from evidence.services.batches import BATCH_MAX, read_shown
from evidence.services.suggestions import LIMIT
from evidence.standing import evidence_outs
from evidence.views.reading import evidence_of
from shoebox.models import Shoebox
from yoimemory.errors import BadInput, DomainError
from yoimemory.http import HttpRequest, number_in, safe_address, sentence

GIVEN_OUT = 200
"""Rows that are read at once for a file; the file holds all of them."""
READ_MAX = 2 << 20


@require_POST
def evidence_suggest(request: HttpRequest, shoebox_id: str) -> HttpResponse:
    """Look for passages that bear on the question and the hypotheses; go to the queue."""
    shoebox = _shoebox(request, shoebox_id)
    limit = number_in(request.POST.get("limit", "")) or LIMIT
    try:
        found = services.suggest_evidence(shoebox, limit=limit, actor=request.actor, now=timezone.now()).stored
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        count = len(found)
        said = f"{count} passage{'s are' if count != 1 else ' is'} suggested; how they bear on anything, you say."
        none = "No further passage of what is in the shoebox shares enough words with the question or a claim."
        messages.success(request, said if found else none)
    return HttpResponseRedirect(_back(request, f"{reverse('evidence:list')}?shoebox={shoebox.public_id}&state=waiting"))


@require_POST
def evidence_accept_batch(request: HttpRequest) -> HttpResponse:
    """Accept the ticked ones of those that the page showed; offer to take all of them back."""
    try:
        shown = read_shown(request.POST.get("shown", ""))
        rows = [evidence_of(request, one) for one in request.POST.getlist("ids")[: BATCH_MAX + 1]]
        services.accept_batch(rows, shown=shown, actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, f"{len(rows)} accepted together. Each can be taken back, here or on its page.")
        request.session["accepted_together"] = [row.public_id for row in rows]
    return HttpResponseRedirect(_back(request, reverse("evidence:list")))


@require_POST
def evidence_undo_batch(request: HttpRequest) -> HttpResponse:
    """Take back what was last accepted together."""
    rows = [evidence_of(request, one) for one in request.session.pop("accepted_together", [])]
    try:
        services.undo_batch(rows, actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, f"{len(rows)} taken back; they wait again.")
    return HttpResponseRedirect(_back(request, reverse("evidence:list")))


@require_safe
def evidence_annotations(request: HttpRequest, shoebox_id: str) -> StreamingHttpResponse:
    """The evidence of a shoebox as a file of Web Annotations."""
    shoebox = _shoebox(request, shoebox_id)
    rows = Evidence.objects.in_shoebox(shoebox).with_people().order_by("pk")
    total = rows.count()
    several = (evidence_outs(rows[at : at + GIVEN_OUT]) for at in range(0, total, GIVEN_OUT))
    response = StreamingHttpResponse(file_of_annotations(several, total=total), content_type="application/ld+json")
    response["Content-Disposition"] = f'attachment; filename="evidence-{shoebox.public_id}.jsonld"'
    return response


@require_POST
def evidence_import(request: HttpRequest, shoebox_id: str) -> HttpResponse:
    """Take Web Annotations in through the gate, from a file or as pasted; say what was refused and why."""
    shoebox = _shoebox(request, shoebox_id)
    try:
        outcome = services.take_in_annotations(shoebox, _sent(request), actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, f"{len(outcome.stored)} taken in as suggested, {len(outcome.refused)} refused.")
        for refusal in outcome.refused[:5]:
            messages.warning(request, f"{refusal.code}: {refusal.message} {refusal.hint}".strip())
    return HttpResponseRedirect(_back(request, f"{reverse('evidence:list')}?shoebox={shoebox.public_id}"))


def _sent(request: HttpRequest) -> str:
    """What was sent as text. Raises BadInput for nothing, too much, or bytes that are no text."""
    upload = request.FILES.get("file")
    data = upload.read(READ_MAX + 1) if upload else request.POST.get("annotations", "").encode()
    if not data.strip() or len(data) > READ_MAX:
        raise BadInput(
            f"Choose a file of Web Annotations, of at most {READ_MAX >> 20} MB.",
            hint="A larger one is taken in on the command line: yoimemory evidence import.",
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadInput("This file is not UTF-8 text.") from error


def _shoebox(request: HttpRequest, public_id: str) -> Shoebox:
    rows = Shoebox.objects.readable_by(request.actor).select_related("workspace")
    shoebox: Shoebox = get_object_or_404(rows, public_id=public_id)
    request.workspace = shoebox.workspace
    return shoebox


def _back(request: HttpRequest, otherwise: str) -> str:
    return safe_address(request.POST.get("next", ""), otherwise)
