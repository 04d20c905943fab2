"""Searching the index: what matches, in which order, why, and what is not shown."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from yoimemory.asking.meanings import other_words
from yoimemory.errors import BadInput
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_event
from yoimemory.refs import BadRef, SourceRef
from yoimemory.search.backends import engine
from yoimemory.search.boosting import boost
from yoimemory.search.contrary import SIGNALS
from yoimemory.search.coverage import coverage, told
from yoimemory.search.cursors import SHOWN_MAX, Cursor, mark_of, read_cursor, write_cursor
from yoimemory.search.dating import order_by_date
from yoimemory.search.finding import Found, find, put_first
from yoimemory.search.guessing import did_you_mean
from yoimemory.search.hits import Chosen, make_hits
from yoimemory.search.inside import sources_inside, wholes_of
from yoimemory.search.lookup import named_by
from yoimemory.search.matching import Match, add_others, match_text, match_typed
from yoimemory.search.models import Document, Passage
from yoimemory.search.narrowing import Narrowing
from yoimemory.search.nothing import advise, filters_set, is_out_of_scope, kinds_asked
from yoimemory.search.positions import index_status
from yoimemory.search.query import Typed, read_query
from yoimemory.search.ranking import Ranked
from yoimemory.search.schemas import Hit, IndexPosition, Nothing, SearchAnswer, SearchQuery

TEXT_SAID = 20_000
"""Characters of a long text in which words with another meaning are looked for."""
RECORDS = {"ticket", "objective"}

if TYPE_CHECKING:
    from yoimemory.access.models import Actor
    from yoimemory.sources.models import Workspace


def search_sources(
    query: SearchQuery,
    *,
    workspace: "Workspace",
    now: datetime,
    actor: "Actor | None" = None,
    by_hand: bool = True,
) -> SearchAnswer:
    """Find passages of the workspace's sources, best first, with verbatim words, reasons and caveats.

    What a person types never fails. Raises BadInput for fields that cannot be read, NotFound for a
    shoebox that is not there. A search that is not `by_hand` is nobody's recent one.
    """
    typed = _typed(query, workspace)
    inside = sources_inside(workspace, query.shoebox) if query.shoebox else None
    position = index_status(workspace)
    asked = _digest(query)
    cursor = read_cursor(query.cursor, query=asked) if query.cursor else None
    last, unreadable = engine().standing(workspace.public_id)
    narrowing = _narrowing(query, typed, workspace, cursor.upto_document if cursor else last, inside)
    direct = named_by(workspace, query.query) if query.query else None
    match = _match(query, typed)
    within = not is_out_of_scope(query, position)
    found = _find(match, typed, query, narrowing, direct, workspace) if within else Found()
    chosen, left = _choose(found, query, cursor)
    _fill(chosen, match, narrowing)
    hits = make_hits(chosen, workspace=workspace, wanted=match.marks, as_of=query.as_of, also=typed.also, limits=inside)
    fitting = _within_budget(hits, query.budget)
    left = left or len(fitting) < len(hits)
    shown = [_key(each, query) for each in chosen[: len(fitting)]]
    nothing = _nothing(query, typed, found, position, workspace, unreadable) if not fitting and not cursor else ""
    advice = advise(nothing, query, typed, filtered=found.filtered, unreadable=unreadable, position=position)
    by_hand = by_hand and not cursor
    covered = _coverage(query, typed, position, workspace) if by_hand else {}
    answer = SearchAnswer(
        items=fitting,
        shown=len(fitting),
        truncated=left,
        next_cursor=_next_cursor(shown, cursor, narrowing.upto_document, asked) if left and shown else "",
        nothing=nothing,
        advice=advice,
        unreadable=unreadable,
        index=position,
        direct=str(direct) if direct else "",
        notes=found.notes + ([advice] if nothing == "out_of_scope" else _covers(covered)),
        did_you_mean=[] if direct or cursor else did_you_mean(query.query, typed),
        **_counts(found, query),
    )
    _record(answer, query, match, covered, workspace=workspace, actor=actor, now=now, by_hand=by_hand)
    return answer


def _counts(found: Found, query: SearchQuery) -> dict[str, Any]:
    """How much matches, and how much the filters leave out, under the names that the answer has for it."""
    return {
        "total": _total(found, query),
        "passages": sum(found.passages.values()),
        "filtered": found.filtered,
        "all_words": found.all_words,
        "facets": {name: dict(counts.most_common(50)) for name, counts in found.facets.items()},
    }


def _coverage(query: SearchQuery, typed: Typed, position: IndexPosition, workspace: "Workspace") -> dict[str, Any]:
    """What a search for the contrary covers, so that finding none can be read with that beside it."""
    if query.stance != "disconfirming":
        return {}
    filters = [name for name in filters_set(query, typed) if name not in ("kinds", "kind:")]
    covered = coverage(workspace, position, kinds=tuple(kinds_asked(query, typed)))
    return {**covered, "filters": filters, "as_of": query.as_of.isoformat() if query.as_of else ""}


def _covers(covered: dict[str, Any]) -> list[str]:
    if not covered:
        return []
    narrowed = f" Narrowed by {', '.join(covered['filters'])}." if covered["filters"] else ""
    return [f"{told(covered)}{narrowed}"]


def _typed(query: SearchQuery, workspace: "Workspace") -> Typed:
    """What was typed, with the other words that it may be said in."""
    typed = read_query(query.query)
    typed.also = other_words(workspace, _said(typed, query), as_of=query.as_of)
    return typed


def _find(
    match: Match,
    typed: Typed,
    query: SearchQuery,
    narrowing: Narrowing,
    direct: SourceRef | None,
    workspace: "Workspace",
) -> Found:
    found = find(match, typed, query, narrowing)
    _arrange(found, match, typed, query, narrowing)
    if direct:
        put_first(found, direct, workspace, narrowing)
    return found


def _arrange(found: Found, match: Match, typed: Typed, query: SearchQuery, narrowing: Narrowing) -> None:
    """What a query says of people and dates, and the order that was asked for."""
    if query.stance == "any" and not query.as_of:
        boost(found, typed)
    if query.order != "relevance":
        order_by_date(found, match, query, narrowing)


def _record(
    answer: SearchAnswer,
    query: SearchQuery,
    match: Match,
    covered: dict[str, Any],
    *,
    workspace: "Workspace",
    actor: "Actor | None",
    now: datetime,
    by_hand: bool,
) -> None:
    """Note what was asked and what was shown: "nothing found" can only be read with what was sought."""
    detail = {
        "query": query.query[:400],
        "text": len(query.text),
        "stance": query.stance,
        "terms": match.terms[:60],
        "total": answer.total,
        "nothing": answer.nothing,
        "commit": answer.index.commit,
    }
    if query.stance == "disconfirming":
        detail |= {"kinds": query.kinds, "signals": sorted(SIGNALS)}
        detail |= {name: covered[name] for name in ("sources", "unreadable", "filters", "as_of") if name in covered}
    if by_hand and query.query.strip():
        detail["asked"] = _asked(query)
    shown = [hit.ref for hit in answer.items]
    record_event(Event.Kind.QUERY, workspace=workspace, actor=actor, now=now, subjects=shown, detail=detail)


def _asked(query: SearchQuery) -> dict[str, Any]:
    """The search under the names that its address has, without what was left as it is and without paging."""
    fields = query.model_dump(
        mode="json", exclude={"query", "text", "exclude", "per_source", "limit", "cursor", "budget"}
    )
    said = {name: value for name, value in fields.items() if value and value not in ("any", "relevance")}
    return {"q": query.query[:400], **said}


def _narrowing(
    query: SearchQuery, typed: Typed, workspace: "Workspace", upto: int, inside: dict[str, str] | None
) -> Narrowing:
    since = max(filter(None, (query.since, typed.since)), default=None)
    until = min(filter(None, (query.until, typed.until)), default=None)
    kinds = kinds_asked(query, typed)
    return Narrowing(
        workspace=workspace.public_id,
        kinds=tuple(kinds),
        authority=tuple(query.authority),
        languages=tuple(query.languages),
        states=tuple(query.states),
        paths=(*([_glob(query.path)] if query.path else []), *typed.paths, *(f"{i}*" for i in typed.ids)),
        exclude=tuple(_sources(query.exclude)),
        wholes=() if inside is None else wholes_of(workspace, inside),
        upto_document=upto,
        authors=(*([query.author] if query.author else []), *typed.authors),
        speaker=query.speaker,
        since=since,
        until=until,
    )


def _glob(path: str) -> str:
    """A glob as it is; a plain folder or file name means itself and what lies below."""
    return path if any(sign in path for sign in "*?[") else f"{path.rstrip('/')}*"


def _sources(refs: list[str]) -> list[str]:
    try:
        return [str(SourceRef.parse(ref).source) for ref in refs]
    except BadRef as error:
        raise BadInput(error.message, hint=error.hint, fields={"exclude": "not a ref"}) from error


def _match(query: SearchQuery, typed: Typed) -> Match:
    text = query.text or typed.text
    if not text.strip():
        return match_typed(typed, spoken=set(kinds_asked(query, typed)) == {"session"})
    kinds = set(kinds_asked(query, typed))
    match = match_text(text, _title_of(text), records=bool(kinds) and kinds <= RECORDS)
    add_others(match, typed.also)
    if typed.asks_words and not typed.text:
        more, match.whole = match_typed(typed), None
        match.marks = more.marks + match.marks
        match.expression = _either(more.expression, match.expression)
        match.wide = _either(more.wide, match.wide)
        match.ordering = _either(more.ordering, match.ordering)
        match.terms = more.terms + match.terms
    return match


def _either(*expressions: str) -> str:
    some = [each for each in expressions if each]
    return "(" + " OR ".join(some) + ")" if len(some) > 1 else "".join(some)


def _said(typed: Typed, query: SearchQuery) -> list[str]:
    """The words of which others may be meant: those typed, or all of a long text."""
    text = query.text or typed.text
    return [*typed.words, *typed.phrases, *re.findall(r"\w[\w-]*", text[:TEXT_SAID])]


def _title_of(text: str) -> str:
    """The first line, where a blank line sets it off as a title."""
    first, _, rest = text.strip().partition("\n")
    return first if len(first) <= 200 and rest.startswith("\n") else ""


def _choose(found: Found, query: SearchQuery, cursor: Cursor | None) -> tuple[list[Chosen], bool]:
    """The hits of this page in order, and whether there are more."""
    skip = cursor.shown if cursor else frozenset()
    chosen: list[Chosen] = []
    for each in _in_order(found, query):
        if mark_of(_key(each, query)) in skip:
            continue
        if len(chosen) == query.limit:
            return chosen, len(skip) + len(chosen) < SHOWN_MAX
        chosen.append(each)
    return chosen, False


def _in_order(found: Found, query: SearchQuery) -> Iterable[Chosen]:
    """Every hit in order; where each source stands once, only as many are made as are taken."""
    flat = _flat(found, query)
    if query.per_source > 1 and query.stance != "disconfirming" and query.order == "relevance":
        return sorted(flat, key=lambda hit: (-hit.score, hit.passage))
    return flat


def _flat(found: Found, query: SearchQuery) -> Iterator[Chosen]:
    ranked = {each.whole for each in found.ranked}
    tail = sorted((whole for whole in found.passages if whole not in ranked), key=lambda w: (-found.passages[w], w))
    for each in chain(found.ranked, (Ranked(whole, 0.0) for whole in tail)):
        matched = found.passages.get(each.whole, 0)
        if not each.passages:
            yield Chosen(0, each.whole, each.score, list(each.why), max(matched - 1, 0))
            continue
        best = each.passages[0][2] or 1.0
        for index, (pk, _, score) in enumerate(each.passages[: query.per_source]):
            worth = each.score * min(1.0, score / best) if index else each.score
            why = [*each.why, *each.said.get(pk, ())]
            yield Chosen(pk, each.whole, worth, why, max(matched - query.per_source, 0))


def _key(each: Chosen, query: SearchQuery) -> str:
    """What a cursor remembers of a hit: its source where each is shown once, else its passage."""
    return str(each.whole) if query.per_source == 1 else f"{each.whole}/{each.passage}"


def _fill(chosen: list[Chosen], match: Match, narrowing: Narrowing) -> None:
    """Find the best passage of those sources that were ranked as a whole only."""
    lacking = {each.whole: each for each in chosen if not each.passage}
    if not lacking:
        return
    rows = engine().find_parts(match.expression, replace(narrowing, wholes=tuple(lacking)), limit=20 * len(lacking))
    for pk, _, whole, _ in rows:
        each = lacking.get(whole)
        if each and not each.passage:
            each.passage = pk
    for each in lacking.values():
        if not each.passage:
            each.passage = Passage.pk_of(each.whole, 0)


def _total(found: Found, query: SearchQuery) -> int:
    return sum(min(count, query.per_source) for count in found.passages.values())


def _within_budget(hits: list[Hit], budget: int | None) -> list[Hit]:
    """As many hits as fit into the characters asked for; at least one, cut at its border."""
    if budget is None:
        return hits
    size = 0
    fitting: list[Hit] = []
    for hit in hits:
        size += len(hit.model_dump_json())
        if size > budget and fitting:
            break
        fitting.append(hit)
    return fitting


def _nothing(
    query: SearchQuery, typed: Typed, found: Found, position: IndexPosition, workspace: "Workspace", unreadable: int
) -> Nothing:
    """Why there is nothing, the most telling reason first."""
    if is_out_of_scope(query, position):
        return "out_of_scope"
    if found.filtered:
        return "filtered"
    if not _holds_kinds(kinds_asked(query, typed), workspace):
        return "out_of_scope"
    if not position.indexed_at or position.running or position.behind or position.waiting:
        return "index_behind"
    if unreadable:
        return "unreadable"
    return "empty"


def _holds_kinds(kinds: list[str], workspace: "Workspace") -> bool:
    """Whether the index holds any source of the kinds asked for: branches, say, are read only when they are opened."""
    rows = Document.objects.filter(workspace=workspace.public_id)
    return not kinds or not rows.exists() or rows.filter(kind__in=kinds).exists()


def _digest(query: SearchQuery) -> str:
    """What a cursor belongs to: the search without its paging."""
    words = query.model_dump_json(exclude={"cursor", "limit", "budget"})
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _next_cursor(shown: list[str], cursor: Cursor | None, upto: int, asked: str) -> str:
    before = cursor.shown if cursor else frozenset()
    return write_cursor(Cursor(upto, before | {mark_of(key) for key in shown}, asked))
