"""The source reader: any source at its revision, line by line, with what is quoted from it and the capture strip."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evidence.hidden import find_hidden
from evidence.lines import Text
from evidence.marks import Quoted, cards_of, quoted_in
from evidence.models import Evidence
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from yoimemory.access.services import may_review
from yoimemory.desk.aspects import Aspect, aspect_of, aspects_of, query_of, touched_by
from yoimemory.desk.download import bytes_address, bytes_address_of
from yoimemory.desk.rendering import INPUT_MAX, path_of, render_cards, render_document
from yoimemory.desk.resolver import LINT, caveats_on, resolve
from yoimemory.desk.revealing import masked_places
from yoimemory.desk.textpage import Window, blocks_of, count_cards, count_lines, has_cards, part_texts, window_of
from yoimemory.errors import DomainError, NotFound
from yoimemory.http import HttpRequest, number_in, render_page
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.refs import OWN_KINDS, BadRef, SourceRef
from yoimemory.search.lookup import find_documents, first_links_to, nearest_refs
from yoimemory.search.waiting import standing_of
from yoimemory.sources.dates import read_instant
from yoimemory.sources.models import Workspace
from yoimemory.sources.places import place_of
from yoimemory.sources.read import UnreadableSource, fragment_lines, read_document
from yoimemory.sources.reading import OUTSIDE, Document, Link
from yoimemory.sources.recent import read_recent

PAGES = {
    "shoebox": "desk:workbench",
    "evidence": "evidence:detail",
    "representation": "hypotheses:representation",
    "hypothesis": "hypotheses:detail",
    "proposal": "products:detail",
}
LINKS = 12
PARTS = 40
BOXES = 12
HYPOTHESES = 9
"""As many as there are digit keys."""


@dataclass(frozen=True, slots=True)
class Part:
    """One document of the same source: the item of a ticket, its thread, an artifact."""

    label: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class Pointer:
    """A link between sources as the side column shows it."""

    ref: str
    url: str
    kind: str
    where: str = ""
    title: str = ""


@require_safe
def source_read(request: HttpRequest) -> HttpResponse:
    """Show a source; a ref of our own leads to its page, one that names nothing to the nearest that do."""
    named = request.GET.get("ref", "").strip()
    if not named:
        return HttpResponseRedirect(reverse("desk:sources"))
    try:
        ref, workspace = resolve(named, workspace=request.workspace, actor=request.actor)
    except DomainError as error:
        return _missing(request, named, error)
    request.workspace = workspace
    if ref.kind in OWN_KINDS:
        return HttpResponseRedirect(reverse(PAGES[ref.kind], args=[ref.locator]))
    shoebox = _shoebox(request, workspace)
    try:
        document = read_recent(workspace, ref)
    except DomainError as error:
        return _missing(request, named, error, ref=ref, shoebox=shoebox)
    opened = document.ref.at(document.revision).part(ref.fragment)
    record_event(
        Event.Kind.SOURCE_OPENED, workspace=workspace, actor=request.actor, now=timezone.now(), subjects=[opened]
    )
    return render_page(request, "desk/reader.html", _context(request, document, opened, ref, shoebox))


def _context(
    request: HttpRequest, document: Document, opened: SourceRef, asked: SourceRef, shoebox: Shoebox | None
) -> dict[str, Any]:
    """Everything the page shows of one text."""
    workspace = request.workspace
    count = count_lines(document.text)
    target = (fragment_lines(document, opened.fragment) if opened.fragment else None) or (0, 0)
    cards = quoted_in(document, workspace, shoebox=shoebox)
    # A session is prose in a .jsonl file: the colours of JSON would fall on single letters of it.
    path = {"session": "", "diff": "change.diff", "record": "record.json"}.get(document.ref.kind, document.path)
    text = Text(document.text, path, [card.mark for card in cards if card.mark], cur=target)
    around = number_in(request.GET.get("from", "")) or target[0]
    window = window_of(text.starts, len(document.text), count, around)
    as_of = shoebox.as_of if shoebox else None
    view = request.GET.get("view", "")
    rendered = view == "rendered" and is_markdown(document)
    keeps = query_of(shoebox.public_id if shoebox else "")
    aspect = _as_asked(request, aspect_of(view, document, workspace, keeps))
    return {
        "document": document,
        "opened": opened,
        "outside": OUTSIDE if OUTSIDE in document.facts.get("notes", ()) else "",
        "whole": document.ref.at(document.revision),
        # A commit's own id is its revision: told once.
        "named": document.ref if document.ref.kind in {"commit", "diff"} else document.ref.at(document.revision),
        "window": window,
        "aspect": aspect,
        "views": aspects_of(document, workspace, markdown=is_markdown(document)),
        "view": "rendered" if rendered else aspect.name if aspect else "",
        "touched": touched_by(document, keeps),
        "masked": masked_places(document),
        "bytes": bytes_address(document),
        "blocks": [] if rendered or aspect else blocks_of(document, text, window, as_of),
        "rendered": _rendered(document, window, as_of) if rendered else None,
        "paged": window.partial and (has_cards(document) or not rendered),
        "cards": cards,
        "turns": count_cards(document),
        "notes": _notes(request, document, asked, shoebox, window.first, window.last),
        "parts": _parts(workspace, document, shoebox),
        "mentions": _mentions(document.links, opened, shoebox),
        "standing": standing_of(workspace, document.ref, as_of=_instant(request.GET.get("as_of", "")) or as_of),
        "pointers": _pointers(workspace, document, shoebox),
        "boxes": _boxes(workspace, shoebox),
        "shoebox": shoebox,
        "hypotheses": _hypotheses(shoebox),
        "address": _address(request),
        "reattach": _reattached(request),
    }


def _as_asked(request: HttpRequest, aspect: Aspect | None) -> Aspect | None:
    """The aspect with the instant that the page was asked about."""
    asked = request.GET.get("as_of", "").strip()
    if aspect is not None and asked:
        aspect.as_of = _instant(asked)
        if aspect.as_of is None:
            aspect.problem = f"“{asked[:40]}” is no date. Write it as 2026-07-14 or as 2026-07-14T12:00:00Z."
    return aspect


def _instant(text: str) -> datetime | None:
    """The instant that the page was asked about; a day means its end, as in "as of the 14th"."""
    found = read_instant(text)
    return found + timedelta(days=1, seconds=-1) if found and len(text.strip()) == len("2026-07-14") else found


def _reattached(request: HttpRequest) -> Evidence | None:
    """The evidence whose quote is to be attached to words of this text, where the reader was opened for that."""
    named = request.GET.get("reattach", "")
    rows = Evidence.objects.in_workspace(request.workspace).readable_by(request.actor)
    return rows.filter(public_id=named).first() if named and may_review(request.actor, request.workspace) else None


def is_markdown(document: Document) -> bool:
    """Whether the text may also be shown rendered. One that is too large to render is read in parts instead."""
    prose = document.path.lower().endswith((".md", ".markdown")) and document.ref.kind != "diff"
    prose = prose or has_cards(document)
    return prose and len(document.text) <= INPUT_MAX


def reader_url(ref: SourceRef | str, shoebox: Shoebox | None = None) -> str:
    """The address of the page of a source; it keeps the shoebox that is worked on."""
    query = {"ref": str(ref)}
    if shoebox is not None:
        query["shoebox"] = shoebox.public_id
    fragment = SourceRef.parse(str(ref)).lines
    return f"{reverse('desk:read')}?{urlencode(query)}" + (f"#L{fragment[0]}" if fragment else "")


def link_address(href: str, base: str) -> str:
    """Where a link of a rendered document leads: to the reader for a path of the workspace, else as it is."""
    where = path_of(href, base)
    if not where:
        return href if href.startswith(("http://", "https://", "mailto:")) else ""
    try:
        return reader_url(place_of(where).ref)
    except BadRef:  # longer than any ref may be: the words stay, without a link
        return ""


def _rendered(document: Document, window: Window, as_of: datetime | None) -> list[Any]:
    """The rendered text, card by card where it has cards: then those that begin in the window."""
    base = document.path.rpartition("/")[0]
    if not has_cards(document):
        return [{"block": None, "part": render_document(document.text, base, link_address)}]
    cards = list(part_texts(document, window, as_of))
    parts = render_cards([words for _, words in cards], base, link_address)
    return [{"block": block, "part": part} for (block, _), part in zip(cards, parts, strict=True)]


def _notes(
    request: HttpRequest, document: Document, asked: SourceRef, shoebox: Shoebox | None, first: int, last: int
) -> list[str]:
    """What a reader must know before trusting the page, as sentences."""
    # What stands in the line below the title or in the column beside needs no banner.
    told = caveats_on(document, None, request.workspace, first, last)
    notes = [note for note in told if note != OUTSIDE and not note.startswith(LINT)]
    if asked.fragment and fragment_lines(document, asked.fragment) is None:
        notes.append(f"This text has no part {asked.fragment}; it is shown from its beginning.")
    if asked.revision:
        notes += _moved_on(request.workspace, document)
    if shoebox and shoebox.as_of and document.at and document.at > shoebox.as_of and not has_cards(document):
        notes.append(
            f"Later than this shoebox's as-of ({shoebox.as_of:%Y-%m-%d %H:%M:%S}Z): kept, and marked as later."
        )
    if request.GET.get("view") == "rendered" and not is_markdown(document):
        notes.append("This text is not rendered: it is no Markdown, or larger than 512 KB. It is shown as it stands.")
    hidden = len(find_hidden(document.text))
    if hidden:
        many = "One hidden character is" if hidden == 1 else f"{hidden:,} hidden characters are"
        notes.append(f"{many} written out, such as U+200B: they show nothing and can change what a text seems to say.")
    return notes


def _moved_on(workspace: Workspace, document: Document) -> list[str]:
    """How the text of an earlier revision stands to the one of now."""
    if document.ref.kind in {"commit", "diff"}:
        return []
    try:
        now = read_document(workspace, document.ref)
    except NotFound:
        return ["This source is gone from the working tree; it is shown as it was at this revision."]
    except DomainError as error:
        return [error.message]
    if now.digest == document.digest:
        return []
    return [f"The source has changed since this revision. Leave the revision out to read it as it stands: {now.ref}"]


def _parts(workspace: Workspace, document: Document, shoebox: Shoebox | None) -> list[Part]:
    """The other documents of the same source, as tabs."""
    if document.ref.kind not in {"ticket", "objective", "skill"}:
        return []
    rows = find_documents(workspace, [str(document.ref.source)])
    refs = sorted([SourceRef.parse(row.ref) for row in rows] or [document.ref], key=_part_order)
    revision = "" if ":" in document.revision or document.uncommitted else document.revision
    parts = []
    for ref in refs[:PARTS]:
        tail = ref.locator.partition("/")[2]
        label = tail.removeprefix("artifacts/") or ("SKILL.md" if ref.kind == "skill" else "item")
        parts.append(
            Part(label.capitalize() if "." not in label else label, reader_url(ref, shoebox), ref == document.ref)
        )
    return parts if len(parts) > 1 or revision else []


def _part_order(ref: SourceRef) -> tuple[int, str]:
    """The item first, then its thread and resolution, then what else lies in the folder."""
    tail = ref.locator.partition("/")[2]
    return {"": 0, "thread": 1, "resolution": 2}.get(tail, 3), tail


def _mentions(links: tuple[Link, ...], opened: SourceRef, shoebox: Shoebox | None) -> list[Pointer]:
    """What this text points at, from the part that was opened first."""
    ordered = sorted(links, key=lambda link: link.where != opened.fragment)
    seen: dict[str, Pointer] = {}
    for link in ordered:
        if link.target not in seen:
            seen[link.target] = Pointer(link.target, reader_url(link.target, shoebox), link.kind, link.where)
    return list(seen.values())[:LINKS]


def _pointers(workspace: Workspace, document: Document, shoebox: Shoebox | None) -> list[Pointer]:
    """What points at this source: each document once."""
    return [
        Pointer(link.document.ref, reader_url(link.document.ref, shoebox), link.kind, link.where, link.document.title)
        for link in first_links_to(workspace, document.ref, LINKS)
    ]


def _shoebox(request: HttpRequest, workspace: Workspace) -> Shoebox | None:
    """The shoebox that is worked on: the one named, the one captured into last, or the only open one."""
    own = Shoebox.objects.in_workspace(workspace).select_related("workspace")
    named = request.GET.get("shoebox", "") or request.session.get("shoebox", "")
    found = own.filter(public_id=named).first() if named else None
    if found is None and not request.GET.get("shoebox"):
        only = list(own.open()[:2])
        found = only[0] if len(only) == 1 else None
    return found


def _boxes(workspace: Workspace, shoebox: Shoebox | None) -> list[Shoebox]:
    """Other shoeboxes that the words could go into."""
    rows = Shoebox.objects.in_workspace(workspace).open().order_by("-pk")
    return list(rows.exclude(pk=shoebox.pk)[:BOXES] if shoebox else rows[:BOXES])


def _hypotheses(shoebox: Shoebox | None) -> list[Hypothesis]:
    if shoebox is None:
        return []
    return list(Hypothesis.objects.in_shoebox(shoebox).live().order_by("number")[:HYPOTHESES])


def _address(request: HttpRequest) -> str:
    """The query of this page without the parts that its links set themselves."""
    query = request.GET.copy()
    for name in ("view", "from", "shoebox", "as_of"):
        query.pop(name, None)
    return query.urlencode()


def _missing(
    request: HttpRequest,
    named: str,
    error: DomainError,
    *,
    ref: SourceRef | None = None,
    shoebox: Shoebox | None = None,
) -> HttpResponse:
    """Say that nothing is there, name the nearest, and show what was quoted while it was."""
    kept: list[Quoted] = []
    if ref is not None:
        rows = Evidence.objects.in_workspace(request.workspace).filter(place=str(ref.bare)).with_people()
        kept = cards_of(rows, None)
    told = error.hint.removeprefix("Nearest:") if error.hint.startswith("Nearest:") else ""
    gone = error.status in {404, 422}
    near = [one.strip().rstrip(".") for one in told.split(", ")] if told else []
    if gone and not told:
        near = nearest_refs(request.workspace, named)
    context = {
        "hint": "" if told else error.hint,
        "named": named, "error": error, "kept": kept, "shoebox": shoebox, "gone": gone,
        "bytes": bytes_address_of(request.workspace, ref) if ref and isinstance(error, UnreadableSource) else "",
        "near": [Pointer(one, reader_url(one, shoebox), "") for one in near],
    }  # fmt: skip
    status = HTTPStatus.NOT_FOUND if gone else HTTPStatus.CONFLICT
    return render_page(request, "desk/reader_missing.html", context, status=status)


urlpatterns = [path("read/", source_read, name="read")]
