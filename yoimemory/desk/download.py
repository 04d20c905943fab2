"""A source as a file for other programs: its text as it is shown, or its bytes as they lie, under a harmless name."""

import re
from dataclasses import replace

from django.http import HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from yoimemory.access.services import role_in
from yoimemory.desk.resolver import resolve
from yoimemory.errors import BadInput, Forbidden
from yoimemory.http import HttpRequest
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.refs import OWN_KINDS, SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.originals import has_original, open_original
from yoimemory.sources.places import paths_of, place_of
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document

NAME_MAX = 100
_PLAIN = (".md", ".txt", ".json", ".jsonl", ".csv", ".log", ".rst", ".diff")
"""Endings that no program runs; any other file gets `.txt` behind its own."""

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
"""Endings that bytes keep beside these; any others get `.bin` behind their own."""

_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)", re.IGNORECASE)


@require_safe
def source_download(request: HttpRequest) -> HttpResponseBase:
    """Hand out the whole text of a source, masked as it is shown, always as plain text to be saved."""
    ref, workspace = _asked(request)
    if ref is None:
        return HttpResponseRedirect(reverse("desk:sources"))
    document = read_document(workspace, ref)
    _note(request, workspace, document.ref.at(document.revision))
    text = document.text.encode("utf-8", "replace")
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    return _to_save(response, safe_name(document.ref))


@require_safe
def source_bytes(request: HttpRequest) -> HttpResponseBase:
    """Hand a person the file of a source byte for byte, in pieces, never as something a browser opens."""
    ref, workspace = _asked(request)
    if ref is None:
        return HttpResponseRedirect(reverse("desk:sources"))
    if not request.actor.is_person or not role_in(request.actor, workspace):
        raise Forbidden(
            "Only a person of this workspace is given the bytes of a file.", hint="Open the source instead."
        )
    original = open_original(workspace, replace(ref, fragment=""))
    _note(request, workspace, ref)
    response = StreamingHttpResponse(original, content_type="application/octet-stream")
    response["Content-Length"] = str(original.size)
    return _to_save(response, bytes_name(ref, original.path))


def _asked(request: HttpRequest) -> tuple[SourceRef | None, Workspace]:
    named = request.GET.get("ref", "").strip()
    if not named:
        return None, request.workspace
    ref, workspace = resolve(named, workspace=request.workspace, actor=request.actor)
    if ref.kind in OWN_KINDS:
        raise BadInput("Only a source can be saved as a file; a record of ours has exports of its own.")
    return ref, workspace


def _note(request: HttpRequest, workspace: Workspace, opened: SourceRef) -> None:
    record_event(
        Event.Kind.SOURCE_OPENED, workspace=workspace, actor=request.actor, now=timezone.now(), subjects=[opened]
    )


def _to_save(response: HttpResponseBase, name: str) -> HttpResponseBase:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def safe_name(ref: SourceRef) -> str:
    """A file name of letters, digits, dots, dashes and underscores that is no device, no option and not hidden."""
    last = ref.locator if ref.kind in {"ticket", "objective", "session", "record"} else ref.locator.rsplit("/", 1)[-1]
    return _ended(_harmless(last, ref.kind), _PLAIN, ".txt")


def bytes_name(ref: SourceRef, path: str) -> str:
    """The same for the bytes of a file: named as it is, with an ending that no program runs."""
    return _ended(_harmless(path.rsplit("/", 1)[-1], ref.kind), (*_PLAIN, *_PICTURES, ".bin"), ".bin")


def _harmless(last: str, kind: str) -> str:
    stem, dot, ending = last.rpartition(".") if "." in last.lstrip(".") else (last, "", "")
    name = _plain(stem)[-NAME_MAX:].lstrip("._-") or kind
    if _DEVICES.match(name):
        name = f"{kind}-{name}"
    return name + (f".{_plain(ending)[:20]}" if dot and _plain(ending) else "")


def _ended(name: str, endings: tuple[str, ...], other: str) -> str:
    return name if name.lower().endswith(endings) else name + other


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._-")


def bytes_address(document: Document) -> str:
    """Where the bytes of a text's file are, where they are more than the text that is saved; else nothing.

    Text in which something is masked has none: then only the masked text is saved.
    """
    is_same = document.bytes_digest == document.digest
    if is_same or document.facts.get("masked") or not paths_of(document.ref):
        return ""
    if document.ref.kind not in {"doc", "code", "session"} and place_of(document.path).ref != document.ref:
        return ""  # one of many in the file of a tracker
    grows = document.ref.kind == "session" and document.uncommitted
    return _address(document.ref if grows else document.ref.at(document.revision))


def bytes_address_of(workspace: Workspace, ref: SourceRef) -> str:
    """The same for a source that cannot be shown as a text."""
    return _address(replace(ref, fragment="")) if has_original(workspace, ref) else ""


def _address(ref: SourceRef) -> str:
    return f"{reverse('desk:bytes')}?{urlencode({'ref': str(ref)})}"


urlpatterns = [
    path("read/file/", source_download, name="download"),
    path("read/bytes/", source_bytes, name="bytes"),
]
