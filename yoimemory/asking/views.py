"""The pages of words with a date and of saved and recent searches."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from yoimemory.access.services import may_review
from yoimemory.asking import services
from yoimemory.asking.forms import AliasForm, ChangeForm, SaveForm
from yoimemory.asking.models import Alias, SavedSearch
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, first_error, safe_address, sentence


@require_safe
def search_list(request: HttpRequest) -> TemplateResponse:
    """Show the searches that were kept, and the caller's own of late."""
    seen = SavedSearch.objects.seen_by(request.actor, request.workspace).live().select_related("made_by")
    saved = [
        (row, urlencode(row.asked, doseq=True), services.may_change(row, request.actor))
        for row in seen.order_by("name")
    ]
    recent = [
        (row, urlencode(row.asked, doseq=True))
        for row in services.recent_searches(request.workspace, actor=request.actor)
    ]
    removed = SavedSearch.objects.filter(public_id=request.GET.get("removed", ""), workspace=request.workspace).first()
    return TemplateResponse(request, "asking/searches.html", {"saved": saved, "recent": recent, "removed": removed})


@require_POST
def search_save(request: HttpRequest) -> HttpResponse:
    """Keep the search whose address was sent, and go back to it."""
    form = SaveForm(request.POST)
    back = reverse("asking:searches")
    if not form.is_valid():
        messages.error(request, first_error(form))
        return HttpResponseRedirect(back)
    try:
        saved = services.save_search(form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
        return HttpResponseRedirect(back)
    messages.success(request, f"Saved as “{saved.name}”; {_seen_by(saved, request)}.")
    return HttpResponseRedirect(safe_address(f"{reverse('desk:search')}?{request.POST['asked']}", back))


@require_POST
def search_change(request: HttpRequest, id: str) -> HttpResponse:
    """Give a saved search another name, or share it."""
    form = ChangeForm(request.POST)
    saved = _saved(request, id)
    if not form.is_valid():
        messages.error(request, first_error(form))
        return HttpResponseRedirect(reverse("asking:searches"))
    try:
        services.change_search(form.change(), saved, actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, f"It is called “{saved.name}” now; {_seen_by(saved, request)}.")
    return HttpResponseRedirect(reverse("asking:searches"))


@require_POST
def search_remove(request: HttpRequest, id: str) -> HttpResponse:
    """Take a saved search off the list; the list offers the way back."""
    saved = _saved(request, id)
    back = reverse("asking:searches")
    try:
        services.remove_search(saved, actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
        return HttpResponseRedirect(back)
    return HttpResponseRedirect(f"{back}?removed={saved.public_id}")


@require_POST
def search_restore(request: HttpRequest, id: str) -> HttpResponse:
    """Put a removed search back."""
    try:
        saved = services.restore_search(_saved(request, id), actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, f"“{saved.name}” is back.")
    return HttpResponseRedirect(reverse("asking:searches"))


@require_safe
def alias_list(request: HttpRequest) -> TemplateResponse:
    """Show what words meant until when, with a form for reviewers."""
    return _aliases(request, AliasForm())


@require_POST
def alias_add(request: HttpRequest) -> HttpResponse:
    """Write an alias down, or show the form with what is wrong."""
    form = AliasForm(request.POST)
    if not form.is_valid():
        return _aliases(request, form, status=422)
    try:
        alias = services.add_alias(form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now())
    except DomainError as error:
        form.add_error(None, sentence(error))
        return _aliases(request, form, status=409)
    messages.success(request, f"{alias.told}. Searches apply it from now on.")
    return HttpResponseRedirect(reverse("asking:aliases"))


@require_POST
def alias_remove(request: HttpRequest, id: str) -> HttpResponse:
    """Stop applying an alias, or apply it again."""
    alias = get_object_or_404(Alias, public_id=id, workspace=request.workspace)
    verb = services.restore_alias if request.POST.get("restore") else services.remove_alias
    try:
        verb(alias, actor=request.actor, now=timezone.now())
    except DomainError as error:
        messages.error(request, sentence(error))
    return HttpResponseRedirect(reverse("asking:aliases"))


def _aliases(request: HttpRequest, form: AliasForm, *, status: int = 200) -> TemplateResponse:
    rows = Alias.objects.in_workspace(request.workspace).select_related("made_by").order_by("word", "pk")
    context: dict[str, Any] = {
        "aliases": [row for row in rows if row.removed_at is None],
        "removed": [row for row in rows if row.removed_at is not None],
        "form": form,
        "may_edit": may_review(request.actor, request.workspace),
    }
    return TemplateResponse(request, "asking/aliases.html", context, status=status)


def _seen_by(saved: SavedSearch, request: HttpRequest) -> str:
    if saved.shared:
        return "everyone here sees it"
    return "only you see it" if saved.made_by.user_id == request.actor.user_id else f"only {saved.made_by} sees it"


def _saved(request: HttpRequest, id: str) -> SavedSearch:
    rows = SavedSearch.objects.seen_by(request.actor, request.workspace).select_related("workspace", "made_by")
    return get_object_or_404(rows, public_id=id)
