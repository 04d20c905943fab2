"""Pages on which a person captures a message, and says which further places are read."""

from pathlib import Path

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from yoimemory.access.services import require_owner
from yoimemory.errors import DomainError
from yoimemory.http import HttpRequest, sentence, status_of
from yoimemory.sources.forms import MessageForm, PlaceForm
from yoimemory.sources.models import AddedSource
from yoimemory.sources.preview import Preview
from yoimemory.sources.services import add_source, capture_message, preview_source, remove_source


@require_safe
def message_new(request: HttpRequest) -> TemplateResponse:
    """Ask for the words of a user."""
    return _message_page(request, MessageForm())


@require_POST
def message_capture(request: HttpRequest) -> HttpResponse:
    """Keep the words and show them as the source that they now are; or the form again with what is wrong."""
    form = MessageForm(request.POST)
    if not form.is_valid():
        return _message_page(request, form, status=422)
    try:
        message = capture_message(form.draft(), workspace=request.workspace, actor=request.actor, now=timezone.now())
    except DomainError as error:
        form.add_error(None, sentence(error))
        return _message_page(request, form, status=status_of(error))
    masked = sum(message.masked.values())
    told = f" {masked} secret{'s were' if masked > 1 else ' was'} masked in it." if masked else ""
    messages.success(request, f"The message is kept as {message.ref}.{told}")
    return HttpResponseRedirect(f"{reverse('desk:read')}?{urlencode({'ref': str(message.ref)})}")


@require_safe
def place_new(request: HttpRequest) -> TemplateResponse:
    """Ask which place is to be read; what it holds is shown before anything is added."""
    return _place_page(request, PlaceForm())


@require_POST
def place_add(request: HttpRequest) -> HttpResponse:
    """Show what would be read, then (when that was seen) add it."""
    form = PlaceForm(request.POST)
    if not form.is_valid():
        return _place_page(request, form, status=422)
    wish = form.cleaned_data
    try:
        require_owner(request.actor, request.workspace, to="add a place to read")
        place = Path(wish["path"].strip())
        if "seen" not in request.POST:
            preview = preview_source(place, kind=wish["kind"], format=wish["format"])
            return _place_page(request, form, preview=preview)
        source = add_source(
            request.workspace, path=place, kind=wish["kind"], format=wish["format"], now=timezone.now(),
            actor=request.actor,
        )  # fmt: skip
    except DomainError as error:
        form.add_error(None, sentence(error))
        return _place_page(request, form, status=status_of(error))
    messages.success(request, f"{source.path} is read from now on. Its files are being read in the background.")
    return HttpResponseRedirect(reverse("desk:sources"))


@require_POST
def place_remove(request: HttpRequest) -> HttpResponse:
    """Stop reading a place."""
    source = get_object_or_404(
        AddedSource,
        workspace=request.workspace,
        path=request.POST.get("path", ""),
        kind=request.POST.get("kind", ""),
    )
    try:
        remove_source(source, now=timezone.now(), actor=request.actor)
    except DomainError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, f"{source.path} is no longer read. What was quoted from it keeps its words.")
    return HttpResponseRedirect(reverse("desk:sources"))


def _message_page(request: HttpRequest, form: MessageForm, *, status: int = 200) -> TemplateResponse:
    return TemplateResponse(request, "sources/message.html", {"form": form}, status=status)


def _place_page(
    request: HttpRequest, form: PlaceForm, *, preview: Preview | None = None, status: int = 200
) -> TemplateResponse:
    return TemplateResponse(request, "sources/place.html", {"form": form, "preview": preview}, status=status)
