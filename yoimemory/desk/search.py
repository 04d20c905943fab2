"""The search page: one box, facets, verbatim hits, and a deck that tells what is not shown and why."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evidence.models import Evidence
from shoebox.models import Item, Shoebox
from yoimemory.errors import BadInput
from yoimemory.http import HttpRequest, render_page
from yoimemory.refs import OWN_KINDS, BadRef, SourceRef
from yoimemory.search.contrary import BY_WORDS
from yoimemory.search.filters import SearchFilter, written_instant
from yoimemory.search.inside import NoSuchShoebox
from yoimemory.search.lookup import named_by, nearest_refs
from yoimemory.search.models import Document
from yoimemory.search.query import read_query
from yoimemory.search.schemas import PER_SOURCE_MAX, Hit, SearchAnswer
from yoimemory.search.services import search_sources
from yoimemory.sources.models import Workspace
from yoimemory.sources.reading import SPEAKERS

PER_PAGE = 20
SHOEBOXES_NAMED = 2
"""So many shoeboxes are named beside a hit; the others are counted."""
FILTERS = (
    "stance", "as_of", "path", "author", "speaker", "since", "until", "revision", "shoebox", "order",
    "kinds", "authority", "states", "languages",
)  # fmt: skip
FACETS = (("kinds", "kind", "Kind"), ("states", "state", "State of source"), ("languages", "language", "Language"))
LANGUAGES = {"ja": "Japanese", "en": "English", "zh": "Chinese", "ko": "Korean", "mixed": "Japanese and English"}
LIVE_KINDS = ("diff", "branch", "worktree")
"""Kinds of source that are read from git when they are opened and have no place in the index."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a facet."""

    value: str
    label: str
    count: int
    checked: bool


@dataclass(slots=True)
class Row:
    """A hit with what the desk knows about it."""

    hit: Hit
    number: int
    lines: list[tuple[int, list[tuple[str, bool]]]]
    quoted: list[tuple[str, str]] = field(default_factory=list)
    shoeboxes: list[str] = field(default_factory=list)
    more_shoeboxes: int = 0
    rationale: str = ""
    further: str = ""
    """The same search within this one source, where more of its passages match."""

    @property
    def lang(self) -> str:
        """The language for screen readers and fonts; of a mixed text Japanese, which needs its own font."""
        return {"mixed": "ja"}.get(self.hit.language, self.hit.language if self.hit.language in LANGUAGES else "")


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Search the workspace; a query that is an address goes straight there."""
    query = request.GET.get("q", "").replace("\0", " ").strip()
    if not request.htmx and set(request.GET) == {"q"} and (place := _place(request.workspace, query)):
        return HttpResponseRedirect(f"{reverse('desk:read')}?{urlencode({'ref': place})}")
    context = _context(request, query)
    return render_page(request, "desk/search.html", context, parts={"results"})


def _dates(asked: QueryDict) -> dict[str, str]:
    """The dates of an address as the fields of a browser take them, however they were written there."""
    since, until, as_of = (
        written_instant(asked.get(name, ""), end=name != "since") for name in ("since", "until", "as_of")
    )
    return {
        "since": f"{since:%Y-%m-%d}" if since else "",
        "until": f"{until - timedelta(microseconds=1):%Y-%m-%d}" if until else "",
        "as_of": f"{as_of:%Y-%m-%dT%H:%M:%S}".removesuffix(":00") if as_of else "",
    }


def _place(workspace: Workspace, query: str) -> str:
    """The address that a query goes straight to, empty where it is words or names nothing."""
    if named := named_by(workspace, query):
        return str(named)
    try:
        ref = SourceRef.parse(query)
    except BadRef:
        return ""
    return str(ref) if ref.kind in (*OWN_KINDS, *LIVE_KINDS) else ""


def _context(request: HttpRequest, query: str) -> dict[str, Any]:
    narrowed = SearchFilter(request.GET, Document.objects.none())
    shoeboxes = list(Shoebox.objects.in_workspace(request.workspace).open().order_by("-pk")[:50])
    chosen = next((each for each in shoeboxes if each.public_id == request.GET.get("into")), None)
    inside = _inside(request)
    context: dict[str, Any] = {
        "query": query,
        "stance": request.GET.get("stance", ""),
        "order": request.GET.get("order", ""),
        **_dates(request.GET),
        "speaker": request.GET.get("speaker", ""),
        "revision": request.GET.get("revision", ""),
        "speakers": SPEAKERS,
        "path": request.GET.get("path", ""),
        "author": request.GET.get("author", ""),
        "shoeboxes": shoeboxes,
        "inside": inside,
        "shoebox": chosen or (inside if inside in shoeboxes else shoeboxes[0] if shoeboxes else None),
    }
    if not query:
        return context | {"kinds": _kinds(request.workspace)}
    answer, problem = _ask(request, narrowed, query)
    rows = [_row(hit, number, query, request.GET) for number, hit in enumerate(answer.items, 1)]
    _add_quotes(request.workspace, rows)
    _add_shoeboxes(request.workspace, rows)
    against = (
        [row for row in rows if row.hit.signals or _refuses(row.hit)] if context["stance"] == "disconfirming" else []
    )
    return context | {
        "answer": answer,
        "problem": problem,
        "against": against,
        "against_later": sum(any(each.startswith("Later than") for each in row.hit.caveats) for row in against),
        "rows": [row for row in rows if row not in against],
        "facets": _facets(answer, request.GET),
        "authorities": _choices(answer.facets.get("authority", {}), request.GET.getlist("authority")),
        "filters_on": sum(any(request.GET.getlist(name)) for name in FILTERS),
        "counter": _with(request.GET, stance="" if context["stance"] else "disconfirming", cursor=""),
        "this": _with(request.GET, cursor=""),
        "meant": [(guess, _with(request.GET, q=guess, cursor="")) for guess in answer.did_you_mean],
        "nearest": _nearest(request.workspace, query, answer),
        "further": _with(request.GET, cursor=answer.next_cursor) if answer.next_cursor else "",
        "plain": urlencode({"q": _words_of(query), "stay": "1"}),
        "not_shown": answer.total - answer.shown,
    }


def _ask(request: HttpRequest, narrowed: SearchFilter, query: str) -> tuple[SearchAnswer, str]:
    """The answer; with a cursor that does not fit (an old address), the first page and a sentence."""
    now: datetime = timezone.now()
    try:
        asked = narrowed.narrow(query, limit=PER_PAGE)
        return search_sources(asked, workspace=request.workspace, actor=request.actor, now=now), ""
    except (BadInput, NoSuchShoebox) as error:
        asked = narrowed.narrow(query, limit=PER_PAGE, cursor="", shoebox="")
        answer = search_sources(asked, workspace=request.workspace, actor=request.actor, now=now)
        wide = "Everything was searched." if isinstance(error, NoSuchShoebox) else "This is the first page."
        return answer, f"{error.message} {wide}"


def _words_of(query: str) -> str:
    """What was typed without its fields, so that only words are left."""
    typed = read_query(query)
    words = [*typed.words, *(f'"{text}"' for text in typed.phrases), *(f"-{word}" for word in typed.without)]
    return typed.text or " ".join(words) or query


def _row(hit: Hit, number: int, query: str, asked: QueryDict) -> Row:
    locator = SourceRef.parse(hit.source).locator
    further = _with(asked, path=locator, per_source=str(PER_SOURCE_MAX), cursor="") if hit.more else ""
    rationale = f"Found by searching “{query[:120]}”. {' '.join(hit.why)}"[:390]
    return Row(hit, number, _lines(hit), rationale=rationale, further=further)


def _inside(request: HttpRequest) -> Shoebox | None:
    """The shoebox that is searched inside of; None where none is named or it is not one of this workspace."""
    public_id = request.GET.get("shoebox", "").removeprefix("shoebox:")
    return Shoebox.objects.in_workspace(request.workspace).filter(public_id=public_id).first() if public_id else None


def _lines(hit: Hit) -> list[tuple[int, list[tuple[str, bool]]]]:
    """The snippet line by line, in pieces that are marked or not."""
    lines: list[tuple[int, list[tuple[str, bool]]]] = []
    start = 0
    for offset, text in enumerate(hit.snippet.split("\n")):
        end, at = start + len(text), start
        pieces = []
        for first, last in hit.marks:
            first, last = max(first, start), min(last, end)
            if first < last:
                pieces += [(hit.snippet[at:first], False), (hit.snippet[first:last], True)]
                at = last
        pieces.append((hit.snippet[at:end], False))
        lines.append((hit.first_line + offset, [piece for piece in pieces if piece[0]]))
        start = end + 1
    return lines


def _refuses(hit: Hit) -> bool:
    return BY_WORDS in hit.why


def _add_quotes(workspace: Workspace, rows: Sequence[Row]) -> None:
    """Say of each hit where its lines are quoted already, and what for."""
    by_place: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_place[str(SourceRef.parse(row.hit.ref).bare)].append(row)
    evidence = Evidence.objects.in_workspace(workspace).current().filter(place__in=list(by_place))
    for quote in evidence.prefetch_related("relations"):
        for row in by_place[quote.place]:
            if (quote.start_line or 0) <= row.hit.last_line and (quote.end_line or 0) >= row.hit.first_line:
                names = [relation.relation for relation in quote.relations.all()] or ["quoted"]
                row.quoted += [(name, quote.public_id) for name in dict.fromkeys(names)]


def _add_shoeboxes(workspace: Workspace, rows: Sequence[Row]) -> None:
    """Say of each hit in which shoeboxes its source lies, but for those that were discarded."""
    items = Item.objects.filter(shoebox__workspace=workspace, source__in={row.hit.source for row in rows})
    items = items.exclude(shoebox__state=Shoebox.State.DISCARDED)
    found: dict[str, list[str]] = defaultdict(list)
    for source, question in items.values_list("source", "shoebox__question").distinct():
        found[source].append(question)
    for row in rows:
        held_in = found.get(row.hit.source, [])
        row.shoeboxes, row.more_shoeboxes = held_in[:SHOEBOXES_NAMED], max(0, len(held_in) - SHOEBOXES_NAMED)


def _facets(answer: SearchAnswer, asked: QueryDict) -> list[tuple[str, str, list[Choice]]]:
    return [(name, label, _choices(answer.facets.get(facet, {}), asked.getlist(name))) for name, facet, label in FACETS]


def _choices(counts: dict[str, int], chosen: Sequence[str]) -> list[Choice]:
    """The values of a facet. None chosen means all, and then none is ticked: each change sends every ticked box,
    and boxes stand only for what this answer holds, so ticks that nobody set would hide what the next one finds."""
    values = {**counts, **{value: 0 for value in chosen if value not in counts}}
    return [Choice(value, LANGUAGES.get(value, value), count, value in chosen) for value, count in values.items()]


def _nearest(workspace: Workspace, query: str, answer: SearchAnswer) -> list[str]:
    """What is like the query, where nothing was found or where it is an address that leads nowhere."""
    try:
        SourceRef.parse(query)
    except BadRef:
        if answer.nothing != "empty" or len(read_query(query).words) != 1:
            return []
    return nearest_refs(workspace, query, limit=5)


def _kinds(workspace: Workspace) -> list[str]:
    rows = Document.objects.filter(workspace=workspace.public_id).values_list("kind", flat=True)
    return list(rows.distinct().order_by("kind"))


def _with(asked: QueryDict, **values: str) -> str:
    query = asked.copy()
    for name, value in values.items():
        query[name] = value
    return query.urlencode()


urlpatterns = [path("search/", search, name="search")]
