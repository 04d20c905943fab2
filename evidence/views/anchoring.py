"""What people say on the pages of where a quote stands: confirm, attach anew, take back."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from evidence import services
from evidence.forms import ReattachForm
from evidence.models import Evidence
from evidence.views.reading import evidence_of
from evidence.views.verdicts import changed
from yoimemory.errors import BadInput, DomainError
from yoimemory.http import HttpRequest, first_error, number_in, safe_address, sentence

SEVERAL_MAX = 100


@require_POST
def evidence_confirm(request: HttpRequest, public_id: str) -> HttpResponse:
    """Say that what stands there now stands for the quote."""
    evidence = evidence_of(request, public_id)

    def verb() -> str:
        settled = services.confirm_anchors(
            [evidence], reason=request.POST.get("reason", ""), actor=request.actor, now=timezone.now(),
            versions=[number_in(request.POST.get("version", "")) or None],
        )  # fmt: skip
        if settled:
            return "Confirmed. The quote is as it was; its place is the one shown."
        return "Noted. Nothing has changed yet: another reviewer looks too, without seeing your answer."

    return changed(request, evidence, "anchor", verb)


@require_POST
def evidence_confirm_several(request: HttpRequest) -> HttpResponse:
    """Confirm the quotes of one page that moved or were only reworded: all or none."""
    ids = request.POST.getlist("id")[:SEVERAL_MAX]
    rows = list(Evidence.objects.readable_by(request.actor).with_people().filter(public_id__in=ids))
    try:
        if not rows:
            raise BadInput("None of these is here any more.", hint="Read the list again.")
        settled = services.confirm_anchors(rows, actor=request.actor, now=timezone.now())
        messages.success(request, f"{len(settled)} confirmed. Each can be taken back on its own page.")
    except DomainError as error:
        messages.error(request, sentence(error))
    return HttpResponseRedirect(_back(request))


@require_POST
def evidence_reattach(request: HttpRequest, public_id: str) -> HttpResponse:
    """Attach the quote to the words that were selected in the reader; leads to its page."""
    evidence = evidence_of(request, public_id)
    form = ReattachForm(request.POST)
    try:
        if not form.is_valid():
            raise BadInput(first_error(form))
        placed = services.reattach_anchor(evidence, form.words(), actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
        query = {"ref": request.POST.get("ref", "") or evidence.place, "reattach": evidence.public_id}
        return HttpResponseRedirect(f"{reverse('desk:read')}?{urlencode(query)}")
    if placed is None:
        messages.success(request, "Your answer is kept. The change bears on meaning, so a second person chooses apart.")
    else:
        messages.success(request, "Attached anew. The quote is as it was; its place is the one you chose.")
    return HttpResponseRedirect(reverse("evidence:detail", args=[evidence.public_id]) + "#anchor")


@require_POST
def evidence_unplace(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take back what a person said last of where the quote stands."""
    evidence = evidence_of(request, public_id)

    def verb() -> str:
        services.undo_placement(evidence, actor=request.actor, now=timezone.now())
        return "Taken back; what was found before counts again."

    return changed(request, evidence, "anchor", verb)


def _back(request: HttpRequest) -> str:
    return safe_address(request.POST.get("next", ""), reverse("evidence:list"))
