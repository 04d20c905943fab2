"""Revealing what a mask covers: by a person, asked for explicitly, noted in the journal, kept nowhere."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from yoimemory.access.models import Actor
from yoimemory.access.services import role_in
from yoimemory.desk.resolver import resolve
from yoimemory.errors import BadInput, Forbidden, Refused
from yoimemory.http import HttpRequest
from yoimemory.journal.services import record_change
from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.masking import unmasked
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import fragment_lines, read_document
from yoimemory.sources.reading import Document

LINES_MAX = 200
PLACES_MAX = 20
MARK = "[REDACTED:"


class NothingMasked(Refused):
    """No mask stands there, or what it covered was never kept."""


@dataclass(frozen=True, slots=True)
class Revealed:
    """The lines as they stand in the source."""

    ref: SourceRef
    first: int
    lines: list[str]


def reveal_mask(ref: SourceRef, *, workspace: Workspace, actor: Actor, now: datetime) -> Revealed:
    """The words of a part of a source without masks, read again from the source for this one answer.

    Only a person may, and the history says who looked where and when, not what they saw.
    Raises Forbidden for anybody else, BadInput without a part or for a long one, NothingMasked, and
    whatever reading the source does.
    """
    if not actor.is_person or not role_in(actor, workspace):
        raise Forbidden(
            "Only a person of this workspace may see what a mask covers; no token may.",
            hint="A person with a role here opens the source on its page and presses Reveal.",
        )
    if not ref.fragment:
        raise BadInput("Name the part that is to be revealed.", hint="Such as #entry-12 or #L8.")
    document = read_document(workspace, ref)
    first, last = _span(document, ref)
    masked = document.text.split("\n")[first - 1 : last]
    if not any(MARK in line for line in masked):
        raise NothingMasked(f"Nothing is masked in {ref.bare}#{ref.fragment}.", hint="Open it as it stands.")
    with unmasked():
        plain = read_document(workspace, ref)
    first, last = _span(plain, ref)
    lines = plain.text.split("\n")[first - 1 : last]
    if lines == masked:
        raise NothingMasked(
            "What this mask covers was masked before it was kept, so nobody has it here.",
            hint="Look where the words were first written.",
        )
    record_change(
        document.ref.at(document.revision).part(ref.fragment), verb="mask-revealed", actor=actor,
        workspace=workspace, now=now, after={"lines": [first, last]},
    )  # fmt: skip
    return Revealed(document.ref.part(ref.fragment), first, lines)


def _span(document: Document, ref: SourceRef) -> tuple[int, int]:
    span = fragment_lines(document, ref.fragment)
    if span is None or span[1] - span[0] >= LINES_MAX:
        raise BadInput(
            f"{ref.bare} has no part {ref.fragment}, or one of more than {LINES_MAX} lines.",
            hint="Name an entry or a few lines.",
        )
    return span


def masked_places(document: Document) -> list[SourceRef]:
    """The parts of a text in which a mask stands: the turn or event, else the line."""
    if MARK not in document.text or not document.facts.get("masked") or document.ref.kind in {"record", "message"}:
        return []
    found: dict[str, SourceRef] = {}
    cards = [one for one in document.passages if one.fragment.startswith(("entry-", "event-"))]
    for number, line in enumerate(document.text.split("\n"), 1):
        if MARK not in line or len(found) >= PLACES_MAX:
            continue
        within = (one.fragment for one in cards if one.start_line <= number <= one.end_line)
        fragment = next(within, "") or lines_fragment(number, number)
        found.setdefault(fragment, document.ref.part(fragment))
    return list(found.values())


@require_safe
def mask_ask(request: HttpRequest) -> TemplateResponse:
    """Say what revealing does, before anybody does it."""
    ref, request.workspace = resolve(request.GET.get("ref", ""), workspace=request.workspace, actor=request.actor)
    return TemplateResponse(request, "desk/reveal.html", {"ref": ref, "revealed": None})


@require_POST
def mask_reveal(request: HttpRequest) -> HttpResponse:
    """Show the words, this once."""
    ref, workspace = resolve(request.POST.get("ref", ""), workspace=request.workspace, actor=request.actor)
    revealed = reveal_mask(ref, workspace=workspace, actor=request.actor, now=timezone.now())
    lines = [(revealed.first + offset, line) for offset, line in enumerate(revealed.lines)]
    return TemplateResponse(request, "desk/reveal.html", {"ref": ref, "revealed": lines})


urlpatterns = [
    path("read/mask/", mask_ask, name="mask"),
    path("read/mask/reveal/", mask_reveal, name="reveal"),
]
