"""A source as a file for other programs: its text as it is shown, under a name that no system takes amiss."""

import re

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from yoimemory.desk.resolver import resolve
from yoimemory.errors import BadInput
from yoimemory.http import HttpRequest
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.refs import OWN_KINDS, SourceRef
from yoimemory.sources.read import read_document

NAME_MAX = 100
_PLAIN = (".md", ".txt", ".json", ".jsonl", ".csv", ".log", ".rst", ".diff")
"""Endings that no program runs; any other file gets `.txt` behind its own."""

_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)", re.IGNORECASE)


@require_safe
def source_download(request: HttpRequest) -> HttpResponse:
    """Hand out the whole text of a source, masked as it is shown, always as plain text to be saved."""
    named = request.GET.get("ref", "").strip()
    if not named:
        return HttpResponseRedirect(reverse("desk:sources"))
    ref, workspace = resolve(named, workspace=request.workspace, actor=request.actor)
    if ref.kind in OWN_KINDS:
        raise BadInput("Only a source can be saved as a file; a record of ours has exports of its own.")
    document = read_document(workspace, ref)
    opened = document.ref.at(document.revision)
    record_event(
        Event.Kind.SOURCE_OPENED, workspace=workspace, actor=request.actor, now=timezone.now(), subjects=[opened]
    )
    text = document.text.encode("utf-8", "replace")
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{safe_name(document.ref)}"'
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def safe_name(ref: SourceRef) -> str:
    """A file name of letters, digits, dots, dashes and underscores that is no device, no option and not hidden."""
    last = ref.locator if ref.kind in {"ticket", "objective", "session", "record"} else ref.locator.rsplit("/", 1)[-1]
    stem, dot, ending = last.rpartition(".") if "." in last.lstrip(".") else (last, "", "")
    name = _plain(stem)[-NAME_MAX:].lstrip("._-") or ref.kind
    if _DEVICES.match(name):
        name = f"{ref.kind}-{name}"
    name += f".{_plain(ending)[:20]}" if dot and _plain(ending) else ""
    return name if name.lower().endswith(_PLAIN) else f"{name}.txt"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._-")


urlpatterns = [path("read/file/", source_download, name="download")]
