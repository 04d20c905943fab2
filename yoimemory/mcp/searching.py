"""The tool that searches, and how its answer reads."""

from datetime import datetime
from typing import Literal

from pydantic import Field
from pydantic import ValidationError as DraftError

from yoimemory.amounts import amount
from yoimemory.errors import BadInput
from yoimemory.mcp.answers import Answer, fitting
from yoimemory.mcp.arguments import Arguments, Budget, Words, moment
from yoimemory.mcp.caller import Caller
from yoimemory.mcp.facts import facts
from yoimemory.mcp.quoting import OPENING, fenced, one_line
from yoimemory.mcp.tools import offered
from yoimemory.refs import SOURCE_KINDS
from yoimemory.search.schemas import Hit, IndexPosition, SearchAnswer, SearchQuery
from yoimemory.search.services import search_sources as search
from yoimemory.sources.reading import AUTHORITY, SPEAKERS

_FOOT = 700
"""Characters kept for the lines before and after the hits."""

_SNIPPET, _LINES = 1_200, 24


class Search(Arguments):
    """What to look for."""

    query: str = Field("", max_length=20_000, description='Words, "a phrase", -not, kind:doc, path:…, or a ref')
    text: str = Field("", max_length=200_000, description="Long text, e.g. a ticket")
    kinds: Words = Field([], max_length=40, description="|".join(SOURCE_KINDS))
    path: str = Field("", max_length=2_048, description="Glob; * crosses /")
    authority: Words = Field([], max_length=20, description="|".join(AUTHORITY))
    author: str = Field("", max_length=200)
    languages: Words = Field([], max_length=20)
    states: Words = Field([], max_length=20)
    speaker: str = Field("", max_length=20, description="|".join(SPEAKERS))
    since: str = Field("", max_length=40, description="2026-07-14")
    until: str = Field("", max_length=40)
    as_of: str = Field("", max_length=40, description="Flags later hits")
    revision: str = Field("", max_length=80)
    stance: Literal["any", "supporting", "disconfirming"] = "any"
    order: Literal["relevance", "newest", "oldest"] = "relevance"
    shoebox: str = Field("", max_length=200, description="Only inside it")
    exclude: Words = Field([], max_length=200, description="Refs")
    per_source: int = Field(1, ge=1, le=20)
    limit: int = Field(8, ge=1, le=50)
    cursor: str = Field("", max_length=20_000)
    budget: Budget = Field(8_000)


@offered("read", Search, "Search the workspace")
def search_sources(told: Search, caller: Caller, now: datetime) -> Answer:
    """Start here: find passages in this workspace's tickets, threads, docs, code, commits, sessions and memory:
    verbatim words, ref, date, why, caveats. stance=disconfirming seeks what speaks against a claim. Cite by ref;
    open_source reads on."""
    _check(told.kinds, SOURCE_KINDS, "kinds")
    _check(told.authority, AUTHORITY, "authority")
    _check([told.speaker] if told.speaker else [], SPEAKERS, "speaker")
    values = told.model_dump(exclude={"budget"})
    values |= {name: moment(values[name], name, end=name != "since") for name in ("since", "until", "as_of")}
    try:
        query = SearchQuery(**values)
    except DraftError:
        raise BadInput("Say what to look for.", hint="Send query or text.", fields={"query": "required"}) from None
    limit = query.limit
    while True:
        found = search(query, workspace=caller.workspace, now=now, actor=caller.actor)
        head, foot = _head(found, query), _foot(found)
        room = told.budget - len(head) - max(len(foot), _FOOT)
        shown = fitting([_hit(hit) for hit in found.items], room, least=4)
        if len(shown) == len(found.items):
            return Answer("\n".join([head, *shown, foot]), _data(found))
        # The cursor has to go on after the last hit that is shown, so the search is cut there.
        limit = max(1, len(shown))
        query = query.model_copy(update={"limit": limit})


def _check(values: list[str], known: tuple[str, ...], name: str) -> None:
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise BadInput(
            f"There is no {name} {unknown[0][:80]!r}.",
            hint=f"Known {name}: " + ", ".join(known) + ".",
            fields={name: "unknown"},
        )


def _head(found: SearchAnswer, query: SearchQuery) -> str:
    about = one_line(query.query, 120) or "the text"
    lines = [f"Search for {about}: {found.total} sources match, {found.shown} shown."]
    if not found.items:
        lines.append(found.advice or "Nothing more was found.")
    lines += [f"note: {one_line(note, 300)}" for note in found.notes[:3] if note != found.advice]
    lines += [f"did you mean: {one_line(guess, 120)}" for guess in found.did_you_mean[:2]]
    lines += [f"caveat: {caveat}" for caveat in _index_caveats(found.index)]
    if found.unreadable:
        lines.append(f"caveat: {found.unreadable} records of this workspace could not be read whole.")
    return "\n".join(lines)


def _index_caveats(index: IndexPosition) -> list[str]:
    caveats = []
    if index.behind:
        caveats.append(f"the index lacks the last {amount(index.behind, 'commit')}.")
    if index.dirty:
        caveats.append("the working tree has uncommitted changes.")
    if index.running:
        caveats.append("the sources are being read again at this moment.")
    elif index.waiting:
        caveats.append("a change was noticed that is not in the index yet.")
    if index.problem:
        caveats.append(one_line(index.problem, 300))
    return caveats


def _hit(hit: Hit) -> str:
    about = ", ".join(one_line(word, 60) for word in (hit.kind, hit.authority, hit.speaker, hit.author) if word)
    date = f", {hit.date:%Y-%m-%d}" if hit.date else ""
    state = f", {one_line(hit.state, 40)}" if hit.state else ""
    lines = [f"\n{hit.ref}", f"   title: {one_line(hit.title, 160)} ({about}{date}{state})"]
    lines += [f"   caveat: {one_line(caveat, 300)}" for caveat in hit.caveats]
    if hit.why:
        lines.append(f"   why: {one_line(' '.join(hit.why), 200)}")
    lines.append(f"   {OPENING}:")
    quoted = fenced(hit.snippet[:_SNIPPET], first=hit.first_line, indent="   ")
    lines += quoted[:_LINES]
    if len(quoted) > _LINES or len(hit.snippet) > _SNIPPET:
        lines.append("   … cut here; open the ref")
    return "\n".join(lines)


def _foot(found: SearchAnswer) -> str:
    at = f"commit:{found.index.commit}" if found.index.commit else "the files as they were read"
    more = f"The rest: ask again with cursor {found.next_cursor}" if found.next_cursor else "Complete."
    return f"\n---\nShown {found.shown} of {found.total}. {more}\nAs the workspace stood at {at}"


def _data(found: SearchAnswer) -> dict[str, object]:
    return {
        "items": facts(found.items, least=("ref", "title", "date")),
        "shown": found.shown,
        "total": found.total,
        "truncated": found.truncated,
        "next_cursor": found.next_cursor,
        "nothing": found.nothing,
        "advice": found.advice,
        "filtered": found.filtered,
        "unreadable": found.unreadable,
        "direct": found.direct,
        "did_you_mean": [one_line(guess, 120) for guess in found.did_you_mean[:2]],
        "commit": found.index.commit,
        "behind": found.index.behind,
    }
